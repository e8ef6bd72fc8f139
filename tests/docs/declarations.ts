/** The members of interfaces of the sources, as the compiler knows them: their types and what their doc comments say. */
import { API, type Project, type Symbol } from 'typescript/unstable/sync'
import { SymbolFlags } from 'typescript/unstable/sync'
import { project } from '../fixtures/project.js'

export interface Member {
  readonly name: string
  /** The type as it is written. */
  readonly type: string
  /** The call of a method: `code(status)`, otherwise the name. */
  readonly call: string
  /** The prose of its doc comment in one line, without examples, `@throws` and the like. Empty if it is not declared in the sources. */
  readonly text: string
  /** The same, up to the first example. */
  readonly intro: string
}

interface Parameter {
  readonly name: { getText(): string }
  readonly questionToken?: unknown
}

interface Declared {
  readonly type?: {
    readonly parameters?: readonly Parameter[]
    readonly typeArguments?: readonly { readonly parameters?: readonly Parameter[] }[]
    getText(): string
  }
  readonly parameters?: readonly Parameter[]
  readonly jsDoc?: readonly { getText(): string }[]
  getSourceFile(): { readonly fileName: string }
}

let opened: { readonly api: API; readonly compiled: Project } | undefined

function open(): Project {
  if (opened === undefined) {
    const api = new API({ cwd: project })
    const configuration = `${project}tsconfig.build.json`
    const compiled = api.updateSnapshot({ openProjects: [configuration] }).getProject(configuration)!
    opened = { api, compiled }
  }
  return opened.compiled
}

/** Ends the compiler, whose process would keep the test alive. */
export function closeCompiler(): void {
  opened?.api.close()
  opened = undefined
}

/** The members of an interface or type of a file, inherited ones included: `membersOf('lib/types/reply.ts', 'Reply')`. */
export function membersOf(file: string, name: string): Map<string, Member> {
  const compiled = open()
  const { checker, program } = compiled
  const declaredAt = checker.resolveName(name, SymbolFlags.Type, program.getSourceFile(project + file))
  if (declaredAt === undefined) throw new Error(`${file} declares no ${name}`)
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declaredAt)).map((symbol) => describe(symbol, compiled))
  return new Map(members.map((member) => [member.name, member]))
}

function describe(symbol: Symbol, compiled: Project): Member {
  // The nodes are those of the compiler's syntax tree, whose types do not say what kinds of nodes a member can be.
  const declared = symbol.declarations.map((handle) => handle.resolve(compiled) as unknown as Declared)
  const name = symbol.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]')
  const first = declared.find(({ jsDoc }) => jsDoc !== undefined) ?? declared[0]
  // A member of a mapped type has no declaration of its own.
  if (first === undefined) return { name, type: '', call: name, text: '', intro: '' }
  const isOwn = ['lib', 'decorators'].some((room) => first.getSourceFile().fileName.startsWith(`${project}${room}/`))
  const comment = isOwn ? (first.jsDoc?.at(-1)?.getText() ?? '') : ''
  return {
    name,
    type: typeText(first.type?.getText() ?? ''),
    call: callText(name, declared),
    text: proseOf(comment),
    intro: proseOf(comment.replace(/^ *\* ```[^]*/m, '')),
  }
}

/** A call with the parameters of the longest signature; those that another signature lacks are optional. */
function callText(name: string, declared: readonly Declared[]): string {
  if (declared[0]!.type?.getText() === 'RouteShorthand') return `${name}(path, options?, handler)`
  const signatures = declared.map(parametersOf).filter((parameters) => parameters !== undefined)
  if (signatures.length === 0) return name
  const longest = signatures.reduce((one, other) => (other.length > one.length ? other : one))
  const isIn = (parameters: readonly Parameter[], wanted: string): boolean =>
    parameters.some((each) => each.name.getText() === wanted && each.questionToken === undefined)
  const shown = longest.map((each) => each.name.getText()).map((each) => each + (signatures.every((one) => isIn(one, each)) ? '' : '?'))
  return `${name}(${shown.join(', ')})`
}

function parametersOf({ parameters, type }: Declared): readonly Parameter[] | undefined {
  // The second argument of `Narrowed` is the type.
  return parameters ?? type?.parameters ?? type?.typeArguments?.[1]?.parameters
}

/** A type in one line. `Narrowed` is what `alcove/fastify-types` replaces. */
function typeText(text: string): string {
  return oneLine(text.replaceAll(/\n\s*(?=\w+\??:)/g, '; '))
    .replace(/\{; /, '{ ')
    .replace(/ \| undefined$/, '')
    .replace(/^Narrowed<'\w+', (.*)>$/, '$1')
}

/** The prose of a doc comment: `{@link X}` becomes `X` as code, and the entries of lists follow each other. */
function proseOf(comment: string): string {
  const text = comment
    .replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/^ *\* ?/gm, '')
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/\{@link (\S+?)\}/g, '`$1`')
    .replace(/(?:^|\s)@(?:throws|param|returns|template)\b[^]*/, '')
    .replaceAll(/^- /gm, '')
  return oneLine(text)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
