/** The decorated application with what `alcove build` has compiled of it. */
import { boot as bootClasses, serve as serveClasses } from '../dist/servers/classes.js'
import { buildDirectory } from '../builds.mjs'

async function options(application) {
  return { prebuilt: await import(new URL('alcove.build/index.mjs', buildDirectory(application)).href) }
}

export async function serve(workload) {
  return serveClasses(workload, await options(workload))
}

export async function boot(count, kind) {
  return bootClasses(count, kind, await options(`${count} ${kind}`))
}
