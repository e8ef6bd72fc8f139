/** Where each server is; those in TypeScript are compiled. */
const modules = {
  http: './servers/http.mjs',
  fastify: './dist/servers/fastify.js',
  alcove: './dist/servers/alcove.js',
  nest: './dist/servers/nest.js',
}

export const serverNames = Object.keys(modules)

/** Gives `serve(workload)` and `boot(count, kind)`, each of which resolves to a listening `http.Server`. */
export function loadServer(name) {
  return import(modules[name])
}
