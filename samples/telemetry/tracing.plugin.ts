import { FastifyOtelInstrumentation } from '@fastify/otel'
import { Plugin, type Server } from 'alcove'
import { tracerProvider } from './tracing.js'

/** Sends the spans that are left when the server closes. */
class Tracing {
  async onClose(): Promise<void> {
    await tracerProvider?.shutdown()
  }
}

/** Shared: it traces the requests of the plugin that imports it, and of those below. Import it first. */
@Plugin({ shared: true, providers: [Tracing] })
export class TracingPlugin {
  async setup(instance: Server): Promise<void> {
    if (tracerProvider === undefined) return
    const instrumentation = new FastifyOtelInstrumentation({ registerOnInitialization: false })
    instrumentation.setTracerProvider(tracerProvider)
    await instance.register(instrumentation.plugin())
  }
}
