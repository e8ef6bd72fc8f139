/** What `alcove build` makes of the decorated applications. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @param application the name of a workload, or of a boot: `1000 distinct` */
export function buildDirectory(application) {
  return new URL(`dist/builds/${application.replace(' ', '-')}/`, import.meta.url)
}

export function build(application) {
  const directory = buildDirectory(application)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const app = fileURLToPath(new URL('app.mjs', directory))
  writeFileSync(
    app,
    `import { applicationOf } from '../../servers/classes.js'\nexport default applicationOf(${JSON.stringify(application)})\n`,
  )
  const cli = fileURLToPath(new URL('../dist/esm/cli.js', import.meta.url))
  const options = { stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync(process.execPath, [cli, 'build', app], options)
  // A server compiles what it does not find in its build, and would be measured as if it had. Without code generation it does not boot.
  const check = `import { start } from ${JSON.stringify(new URL('servers/built.mjs', import.meta.url).href)}
await start(${JSON.stringify(application)})
process.exit()`
  execFileSync(process.execPath, ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', check], options)
}
