/** Whether the commands that pages show exist: scripts of packages, commands and options of `alcove`, files, flags of node. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Block } from './pages.js'
import { project, readText } from '../fixtures/project.js'

/** The package in which the reader of a page is, and those that the page has created by `alcove new`. */
export interface Place {
  package: string
  readonly created: Map<string, string>
}

/** Commands of npm that are not scripts. */
const npmCommands = ['audit', 'ci', 'create', 'exec', 'i', 'init', 'install', 'pack', 'publish', 'sbom', 'uninstall', 'view']
const npmScripts: Readonly<Record<string, string>> = { test: 'test', t: 'test', start: 'start' }
/** Programs whose arguments are not held: what they do is their own. */
const otherPrograms = [
  'cd',
  'createdb',
  'docker',
  'echo',
  'export',
  'git',
  'jq',
  'kill',
  'kubectl',
  'mkdir',
  'printf',
  'psql',
  'source',
  'systemctl',
  'wget',
]
const curlOptions = new Set(
  '-d -f -H -i -I -N -o -s -S -sS -v -X --data --fail --header --http2-prior-knowledge --json --max-time --no-buffer --request'.split(' '),
)

/** The place of the reader at the beginning of a page: the package that the page stands in. */
export function placeOf(page: string): Place {
  let folder = dirname(page)
  while (folder !== '.' && !existsSync(join(project, folder, 'package.json'))) folder = dirname(folder)
  return { package: folder, created: new Map() }
}

/** The commands of a block, as lists of words. Comments, variables (`PORT=8080 npm start`) and files of output (`> a.json`) are left out. */
export function readCommands({ code }: Pick<Block, 'code'>): string[][] {
  const commands: string[][] = []
  for (const line of code
    .replaceAll('\\\n', ' ')
    .replaceAll(/ >>? \S+/g, '')
    .split('\n')) {
    let words: string[] = []
    for (const [word] of line.matchAll(/(?<!\S)#.*|&&|\|\||[|;]|(?:'[^']*'|"[^"]*"|[^\s|;'"])+/g)) {
      if (word.startsWith('#')) break
      if (!/^(?:&&|\|\||[|;])$/.test(word)) words.push(word)
      else {
        commands.push(words)
        words = []
      }
    }
    commands.push(words)
  }
  return commands
    .map(withoutVariables)
    .map(withoutRedirection)
    .filter(({ length }) => length > 0)
}

/** Returns a command without `> file` at its end. */
function withoutRedirection(words: readonly string[]): string[] {
  const at = words.indexOf('>')
  return at === -1 ? [...words] : words.slice(0, at)
}

function withoutVariables(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^(?:\w+=|\$$)/.test(word))
  return first === -1 ? [] : words.slice(first)
}

/** What is wrong with a command, if anything is. A command that changes the place of the reader changes `place`. */
export async function faultOfCommand(words: readonly string[], place: Place): Promise<string | undefined> {
  const [program, ...args] = words
  if (program === 'npx') return args.includes('alcove') ? faultOfCommand(args.slice(args.indexOf('alcove')), place) : undefined
  if (program === 'npm') return faultOfNpm(args, place)
  if (program === 'alcove') return faultOfAlcove(args, place)
  if (program === 'node' || program === 'bash') return faultOfNode(args, place)
  if (program === 'curl') {
    const unknown = args.filter((arg) => arg.startsWith('-')).find((option) => !curlOptions.has(option))
    return unknown === undefined ? undefined : `curl ${unknown} is not one of the options of curl in tests/docs/commands.ts`
  }
  if (program === 'cd') place.package = place.created.get(args[0]!) ?? packageIn(join(place.package, args[0]!)) ?? place.package
  return otherPrograms.includes(program!) ? undefined : `${program} is not one of the programs in tests/docs/commands.ts`
}

function packageIn(folder: string): string | undefined {
  return existsSync(join(project, folder, 'package.json')) ? folder : undefined
}

function faultOfNpm(args: readonly string[], place: Place): Promise<string | undefined> | string | undefined {
  const at = args.indexOf('--prefix')
  const folder = at === -1 ? place.package : join(place.package, args[at + 1]!)
  const [command, name, ...rest] = args.filter((_, index) => at === -1 || (index !== at && index !== at + 1))
  if (packageIn(folder) === undefined) return `there is no package in ${folder}`
  if (command === 'create' && name === 'alcove') return faultOfAlcove(['new', ...rest.filter((word) => word !== '--')], place)
  const script = command === 'run' ? name : npmScripts[command!]
  if (script === undefined) return npmCommands.includes(command!) ? undefined : `npm ${command} does not exist`
  const { scripts = {} } = JSON.parse(readText(join(folder, 'package.json'))) as { scripts?: Record<string, string> }
  if (Object.hasOwn(scripts, script)) return undefined
  return `${folder}/package.json has no script ${script}. A block about another package begins with <!-- in templates/api -->`
}

function faultOfNode(args: readonly string[], place: Place): Promise<string | undefined> | string | undefined {
  const at = args.findIndex((arg) => !arg.startsWith('-') && !/^(?:--import|--conditions|-r)$/.test(args[args.indexOf(arg) - 1] ?? ''))
  const own = new Set(['--test', '--env-file', '--cpu-prof', '--cpu-prof-dir', '--watch', '--expose-gc', '-e', '-p', '--check'])
  const unknown = args
    .slice(0, at === -1 ? args.length : at)
    .map((arg) => arg.replace(/=.*/, ''))
    .find((arg) => arg.startsWith('-') && !own.has(arg) && !process.allowedNodeEnvironmentFlags.has(arg))
  if (unknown !== undefined) return `node does not know ${unknown}`
  const file = args[at] ?? ''
  if (file.endsWith('/esm/cli.js')) return faultOfAlcove(args.slice(at + 1), place)
  if (!/^(?:bench|samples|templates|tests)\//.test(file)) return undefined
  return existsSync(join(project, place.package, file)) ? undefined : `there is no file ${file}`
}

const answers = new Map<string, Promise<string | undefined>>()
let last: Promise<string | undefined> = Promise.resolve(undefined)
let child: ChildProcess | undefined
const isSource = import.meta.url.endsWith('.ts')

/** Asks the command itself. */
function faultOfAlcove(args: readonly string[], place: Place): Promise<string | undefined> {
  if (args[0] === 'new' && args[1] !== undefined)
    place.created.set(args[1], `templates/${['api', 'plain'].find((name) => args.includes(`--${name}`)) ?? 'app'}`)
  // In a folder that is not empty, nothing is created.
  const asked = args[0] === 'new' ? ['new', project, ...args.slice(2)] : args
  const key = asked.join(' ')
  if (!answers.has(key)) {
    last = last.then(() => answerOf(asked.map((arg) => arg.replaceAll(/^['"]|['"]$/g, ''))))
    answers.set(key, last)
  }
  return answers.get(key)!
}

async function answerOf(args: readonly string[]): Promise<string | undefined> {
  child ??= forkAnswers()
  const { channel } = child
  channel!.ref()
  child.send(args)
  const ended = once(child, 'disconnect').then(() => Promise.reject(new Error(`The command ended while it read: alcove ${args.join(' ')}`)))
  ended.catch(() => {})
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [string]
  channel!.unref()
  // The loader of TypeScript sources reads no module twice.
  if (isSource) child = void child.kill()
  return answer === '' ? undefined : answer
}

/** In an empty folder, because commands write files. It does not keep the tests alive, and ends with them. */
function forkAnswers(): ChildProcess {
  const execArgv = isSource ? ['--import', import.meta.resolve('@oxc-node/core/register')] : []
  const cwd = mkdtempSync(join(tmpdir(), 'alcove-docs-'))
  const forked = fork(fileURLToPath(new URL(`cli-answers${extname(import.meta.url)}`, import.meta.url)), { cwd, execArgv, stdio: 'ignore' })
  forked.unref()
  return forked
}
