/**
 * Loads the modules of an application, and explains why a module reads a class before its declaration: mostly because modules import each
 * other.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findOwn } from '../../lib/internal.js'
import { printedFailure } from './files/printed-failure.js'

/** The error for a wrong use of a command. Its message is printed without a stack trace. */
export class UsageError extends Error {}

/** The position of a fault in a file. */
export interface FilePosition {
  /** The absolute path of the file; the source file if the module has a source map. */
  readonly file: string
  /** The line in the file, counted from 1. */
  readonly line?: number
  /** The column in the line, counted from 1. */
  readonly column?: number
}

/** The error for a module that reads a class before the class is declared. */
export class UsedEarlyError extends UsageError {
  readonly code = 'CLASS_USED_BEFORE_DECLARATION'
  readonly docs = 'docs/reference/errors.md#circles-of-imports'
  /** The name of the class that is read before its declaration. */
  readonly read: string
  readonly at: FilePosition
  readonly cure: string

  constructor(name: string, at: FilePosition, reason: string, cure: string) {
    super(`${shown(at.file)}:${at.line} reads ${name} before it is declared: ${reason}. ${cure}`)
    this.read = name
    this.at = at
    this.cure = cure
  }
}

/** The error for a module that Node.js cannot parse. */
export class UnreadableModuleError extends UsageError {
  readonly code = 'SyntaxError'
  readonly at: FilePosition | undefined

  constructor(file: string, { message }: SyntaxError, at: FilePosition | undefined) {
    const place = at === undefined ? `${file}, or a file that it imports` : `${shown(at.file)}:${at.line}`
    const hint =
      message === 'Invalid or unexpected token'
        ? ' Node does not know @decorators: compile the application, to a target such as ES2023 instead of ESNext, and name the compiled file.'
        : ''
    super(`Node cannot run ${place}: ${message}.${hint}`)
    this.at = at
  }
}

/**
 * Imports a module.
 * @throws UsedEarlyError instead of the ReferenceError of the JavaScript engine, which names neither the modules nor the cure
 * @throws UnreadableModuleError for a file that Node cannot parse, as with decorators; UsageError for TypeScript that Node does not run
 */
export async function loadModule(file: string): Promise<Record<string, unknown>> {
  try {
    return exportsOf((await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>)
  } catch (error) {
    throw explainSyntax(file, error) ?? explainEarlyUse(error) ?? error
  }
}

/** Returns the exports of a module. A compiler that writes `export default` as CommonJS puts it into the default export of Node.js. */
function exportsOf(module: Record<string, unknown>): Record<string, unknown> {
  const { default: exported } = module
  const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
  return isCompiled ? { ...exported } : module
}

function explainSyntax(file: string, error: unknown): UsageError | undefined {
  if ((error as { readonly code?: unknown } | null)?.code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(file))
    return new UsageError(
      `${file} is a TypeScript file, which Node ${process.versions.node} does not run. Use Node 24 or newer, or 22 from 22.18 on, or compile it and name the compiled file.`,
    )
  if (!(error instanceof SyntaxError) || positionIn(error.stack) !== undefined) return undefined
  // For ES modules, the error contains no file.
  return new UnreadableModuleError(file, error, positionIn(printedFailure(pathToFileURL(resolve(file)).href)))
}

function explainEarlyUse(error: unknown): UsedEarlyError | undefined {
  if (!(error instanceof ReferenceError)) return undefined
  const [, name] = /^Cannot access '(.+)' before initialization$/.exec(error.message) ?? []
  const at = positionIn(error.stack)
  if (name === undefined || at === undefined) return undefined
  // Some compilers export by getters in CommonJS. The stack then begins in such a getter, in the module of the class, where the class is not
  // declared too late.
  const [reader = ''] = /^ +at .+ \(/m.exec(error.stack!) ?? []
  if ([`[as ${name}] (`, ` ${name} (`, `.${name} (`].some((getter) => reader.endsWith(getter))) return undefined
  const later = `In a schema, write ref(() => ${name}).`
  const imported = importsOf(at.file).find(({ names }) => names.includes(name))
  if (imported === undefined) return new UsedEarlyError(name, at, 'its declaration stands further down', `Declare it first. ${later}`)
  const circle = pathBetween(imported.file, at.file)
  if (circle === undefined) return undefined
  const files = [at.file, ...circle].map(shown).join(' > ')
  const reason = `these modules import each other, and it is declared in ${shown(imported.file)}: ${files}`
  return new UsedEarlyError(name, at, reason, `Move what they need of each other into a further module. ${later}`)
}

/** Returns the first position in a stack trace that is in a file of the application. */
export function positionIn(stack = ''): FilePosition | undefined {
  // ES modules are shown by their URLs, CommonJS modules by their paths. Both may contain parentheses, and paths spaces.
  for (const [, place, line, column] of stack.matchAll(/(?<=^|\s|\()(file:\/\/.+?|\/.+?|[A-Z]:\\.+?):(\d+)(?::(\d+))?\)?$/gm)) {
    const file = place!.startsWith('file:') ? fileURLToPath(place!) : place!
    if (!isOwn(file)) return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) }
  }
  return undefined
}

/** Whether a file is a module of this package, compiled or shown by its source map. */
function isOwn(file: string): boolean {
  return /^(?:dist[\\/])?(?:esm|cjs|lib|decorators)[\\/]/.test(relative(dirname(findOwn('package.json')!), file))
}

interface Import {
  readonly file: string
  readonly names: readonly string[]
}

const importStatement = /^\s*(?:import|export)\b([^'";]*?)(?:\bfrom\s*)?['"](\.[^'"]+)['"]/gm

/** Returns the relative imports of a module, with the files to which they resolve. */
function importsOf(file: string): Import[] {
  if (!existsSync(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(importStatement)].map(([, clause, path]) => ({
    names: clause!.split(/[^\w$]+/),
    file: existingFile(resolve(dirname(file), path!)),
  }))
}

/**
 * Returns the file to which an import resolves: the source file if there is no compiled file. With source maps, stack traces name source
 * files, which import compiled files (`./users.js`).
 */
function existingFile(path: string): string {
  const source = path.replace(/\.([cm]?)js$/, '.$1ts')
  return existsSync(path) || !existsSync(source) ? path : source
}

/** Returns the shortest chain of imports between two modules, both included; `undefined` if there is no such chain. */
function pathBetween(from: string, to: string): string[] | undefined {
  const ways = new Map([[from, [from]]])
  for (const [file, way] of ways) {
    if (file === to) return way
    for (const next of importsOf(file)) if (!ways.has(next.file)) ways.set(next.file, [...way, next.file])
  }
  return undefined
}

function shown(file: string): string {
  return relative(process.cwd(), file)
}
