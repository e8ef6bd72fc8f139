import cors from '@fastify/cors'
import { Plugin, use } from 'alcove'
import { ApiPlugin } from './app.js'

/** The API for a page of another origin, which may send its cookies. */
@Plugin({
  imports: [
    use(cors, {
      origin: [process.env['PAGE_ORIGIN'] ?? 'https://shop.example'],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      credentials: true,
    }),
    ApiPlugin,
  ],
})
export class CrossOriginApp {}
