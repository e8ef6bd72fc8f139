/** The decorated application with what `alcove build` has compiled of it. */
import { start as startClasses } from '../dist/servers/classes.js'
import { buildDirectory } from '../builds.mjs'

/** @param application the name of a workload, or of a boot: `1000 distinct` */
export async function start(application) {
  const prebuilt = await import(new URL('alcove.build/index.mjs', buildDirectory(application)).href)
  return startClasses(application, { prebuilt })
}

export const serve = (workload) => start(workload)
export const boot = (count, kind) => start(`${count} ${kind}`)
