/** Where each server is; those of decorated classes are compiled. */
const modules = {
  http: './servers/http.mjs',
  fastify: './servers/fastify.mjs',
  alcove: './dist/servers/alcove.js',
  nest: './dist/servers/nest.js',
}

export const serverNames = Object.keys(modules)

/** Gives `serve(workload)` and `boot(count, kind)`, each of which resolves to a listening `http.Server`. */
export function loadServer(name) {
  return import(modules[name])
}
