/** Loads the modules of an application, and explains why one reads a class too early: mostly because modules import each other. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** An error in how the command is used: its message is printed without a stack trace. */
export class UsageError extends Error {}

/** The place of a fault in a file. */
export interface FilePosition {
  /** Absolute. That of the source, if the module has a source map. */
  readonly file: string
  /** From 1. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
}

/** A module that reads a class before it is declared. */
export class UsedEarlyError extends UsageError {
  readonly code = 'CLASS_USED_BEFORE_DECLARATION'
  readonly docs = 'docs/reference/errors.md#circles-of-imports'
  /** The name of the class. */
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

/** @throws UsedEarlyError instead of the engine's own error, which names neither the modules nor the cure */
export async function loadModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  } catch (error) {
    throw explainEarlyUse(error) ?? error
  }
}

function explainEarlyUse(error: unknown): UsedEarlyError | undefined {
  if (!(error instanceof ReferenceError)) return undefined
  const [, name] = /^Cannot access '(.+)' before initialization$/.exec(error.message) ?? []
  const at = positionIn(error.stack)
  if (name === undefined || at === undefined) return undefined
  const later = `In a schema, write ref(() => ${name}).`
  const imported = importsOf(at.file).find(({ names }) => names.includes(name))
  if (imported === undefined) return new UsedEarlyError(name, at, 'its declaration stands further down', `Declare it first. ${later}`)
  const circle = pathBetween(imported.file, at.file)
  if (circle === undefined) return undefined
  const files = [at.file, ...circle].map(shown).join(' > ')
  const reason = `these modules import each other, and it is declared in ${shown(imported.file)}: ${files}`
  return new UsedEarlyError(name, at, reason, `Move what they need of each other into a further module. ${later}`)
}

/** The first place in a stack that is a file. */
export function positionIn(stack = ''): FilePosition | undefined {
  const found = /(file:\/\/[^\s()]+?):(\d+)(?::(\d+))?\)?$/m.exec(stack)
  if (found === null) return undefined
  const [, url, line, column] = found
  return { file: fileURLToPath(url!), line: Number(line), ...(column !== undefined && { column: Number(column) }) }
}

interface Import {
  readonly file: string
  readonly names: readonly string[]
}

const importStatement = /^\s*(?:import|export)\b([^'";]*?)(?:\bfrom\s*)?['"](\.[^'"]+)['"]/gm

/** The relative imports of a module. */
function importsOf(file: string): Import[] {
  if (!existsSync(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(importStatement)].map(([, clause, path]) => ({
    names: clause!.split(/[^\w$]+/),
    file: fileOf(resolve(dirname(file), path!)),
  }))
}

/** With source maps, stacks name the sources, which import the files that are compiled of them. */
function fileOf(path: string): string {
  const source = path.replace(/\.([cm]?)js$/, '.$1ts')
  return existsSync(path) || !existsSync(source) ? path : source
}

/** The shortest way of imports from one module to another, with both. */
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
