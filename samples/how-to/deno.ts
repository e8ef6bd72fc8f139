import { Controller, Get, Plugin } from 'alcove'
import { serve } from 'alcove/deno'

@Controller('/greet')
class GreetController {
  @Get('/:name')
  greet({ params }: { params: { name: string } }) {
    return { greeting: `Hello, ${params.name}` }
  }
}

@Plugin({ routes: [GreetController] })
class App {}

await serve(App, { hostname: '0.0.0.0', port: Number(process.env['PORT'] ?? 3000) })
