/** A server that compiles at boot, and a server without classes, which records its own build. */
import { bootstrap, BuildRecording, createServer, type Server } from 'alcove'
import { App } from './app.js'

export async function startCompiled(): Promise<Server> {
  // #region boot
  const server = await bootstrap(App, { compileSchemas: 'boot' })
  // #endregion
  return server
}

function addRoutes(server: Server): void {
  server.get('/items/:id', { schema: { params: { id: { type: 'integer' } } } as const }, ({ params }) => ({ id: params.id }))
}

export async function writeBuild(directory: string): Promise<void> {
  // #region recording
  const recording = new BuildRecording()
  const server = createServer({ prebuilt: recording })
  addRoutes(server)
  await server.ready()
  await recording.write(directory)
  // #endregion
  await server.close()
}
