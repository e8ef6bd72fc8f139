/** Where each server is; those in TypeScript are compiled. */
export const servers = {
  http: { title: 'node:http', module: './servers/http.mjs' },
  fastify: { title: 'Fastify', module: './dist/servers/fastify.js' },
  alcove: { title: 'alcove', module: './dist/servers/alcove.js' },
  classes: { title: 'alcove classes', module: './dist/servers/classes.js' },
  built: { title: 'alcove+build', module: './servers/built.mjs' },
  nest: { title: 'NestJS on Fastify', module: './dist/servers/nest.js' },
}

export const serverNames = Object.keys(servers)

/** Returns for `parts/…` only `serve()`; otherwise `serve(workload, protocol)` and `boot(count, kind)`, each of which resolves to a listening `http.Server`. */
export async function loadServer(name) {
  const [kind, part] = name.split('/')
  if (kind !== 'parts') return import(servers[name].module)
  const { serveOf } = await import('./dist/servers/parts.js')
  return { serve: serveOf(part) }
}
