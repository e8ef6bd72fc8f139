// Runs one NestJS application on Fastify and on alcove, for three majors of NestJS, and compares every answer.
// `npm run test:nest`, or `node tests/nest/run.mjs 12` for one.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')

/** NestJS 10 is written for Fastify 4, whose interface createServer has; 11 and 12 for Fastify 5. */
const servers = { 10: 'alcove/lib', 11: 'alcove/fastify', 12: 'alcove/fastify' }

/** Answers that differ on purpose, with the reason. */
const intended = {
  'GET /%zz {}': 'the error of a malformed path goes to the error handlers of the application, as any other error does',
}

/** A folder with the application, the packages of one major, and alcove. */
function prepare(major) {
  const home = join(here, 'dist', major)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  cpSync(join(here, 'src'), join(home, 'src'), { recursive: true })
  cpSync(join(here, 'tsconfig.json'), join(home, 'tsconfig.json'))
  cpSync(join(here, major, 'package.json'), join(home, 'package.json'))
  cpSync(join(here, major, 'package-lock.json'), join(home, 'package-lock.json'))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: home, stdio: 'ignore' })
  symlinkSync(root, join(home, 'node_modules/alcove'))
  return home
}

function answersOf(home, server) {
  const loader = join(root, 'node_modules/@oxc-node/core/register.mjs')
  return JSON.parse(
    execFileSync(process.execPath, ['--import', loader, 'src/main.ts', server], { cwd: home, encoding: 'utf8', timeout: 180_000 }),
  )
}

let faults = 0
const only = process.argv[2]
for (const [major, server] of Object.entries(servers)) {
  if (only !== undefined && only !== major) continue
  const home = prepare(major)
  const expected = answersOf(home, 'fastify')
  const actual = answersOf(home, server)
  const names = Object.keys(expected)
  const different = names.filter((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name]))
  const unexplained = different.filter((name) => intended[name] === undefined)
  const equal = names.length - different.length
  console.log(
    `NestJS ${major} on ${server}: ${equal} of ${names.length} answers are equal, ${different.length - unexplained.length} differ on purpose`,
  )
  for (const name of unexplained) console.error(`\n${name}\n  fastify:`, expected[name], '\n  alcove: ', actual[name])
  faults += unexplained.length
}
if (faults > 0) process.exitCode = 1
