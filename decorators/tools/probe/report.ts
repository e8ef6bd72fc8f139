/** The report of a probe: the findings, each with the source of a test. */
import type { InjectOptions } from '../../../lib/index.js'
import { isObject } from '../../../lib/internal.js'
import type { Draft } from './drafts.js'
import { requestOf, type Subject } from './exchange.js'
import type { Verdict } from './judge.js'
import { keepsChange, LONG_LIST, LONG_TEXT } from './make-drafts.js'
import { valueAt } from './places.js'
import type { ProbeFinding, ProbeReport } from './types.js'
import type { Target } from './targets.js'

/** The names and limits that are written into the source of a test, besides the request. */
export interface TestTexts {
  /** The name of the plugin class. */
  readonly App: string
  /** The names of the options of the test server. */
  readonly options: readonly string[]
  /** The name of the function that logs in; `undefined` if there is no such function. */
  readonly authenticate: string | undefined
  readonly timeout: number
  readonly slowerThan: number | undefined
}

/**
 * Returns the finding for a fault, with the source of a test. @param original the request that showed the fault first, before it was made
 * smaller
 */
export function findingOf(
  target: Target,
  verdict: Verdict,
  { draft, original, isReproduced }: { readonly draft: Draft; readonly original: Draft; readonly isReproduced: boolean | undefined },
  { credentials }: Pick<Subject, 'credentials'>,
  texts: TestTexts,
): ProbeFinding {
  const what = keepsChange(draft, original)
    ? describeChange({ ...draft, ...(original.changed && { changed: original.changed }) })
    : 'this request'
  const isLoggedIn = draft.isAnonymous !== true && texts.authenticate !== undefined
  const request = requestOf(target, draft, credentials)
  const printed = printRequest(
    verdict.kind === 'guard' ? withEndlessBody(request, draft) : requestOf(target, draft, isLoggedIn ? {} : credentials),
    {
      draft,
      isLoggedIn,
      isEndless: verdict.kind === 'guard',
    },
  )
  return {
    route: target.label,
    kind: verdict.kind,
    place: target.route.place,
    message: verdict.text,
    request,
    isReproduced,
    test: testOf(target, verdict, { request: printed, what, isLoggedIn }, texts),
  }
}

interface TestedRequest {
  readonly request: string
  readonly what: string
  readonly isLoggedIn: boolean
}

function testOf({ label }: Target, verdict: Verdict, { request, what, isLoggedIn }: TestedRequest, texts: TestTexts): string {
  const { App, options, authenticate, timeout, slowerThan } = texts
  const described = ['// testServer fails the test if a reply is not as its route describes it.', `await app.inject(${request})`]
  const tests: Record<Verdict['kind'], readonly [title: string, ...steps: string[]]> = {
    failure: [
      `does not answer ${verdict.status} to ${what}`,
      `const { statusCode } = await app.inject(${request})`,
      `assert.notEqual(statusCode, ${verdict.status})`,
    ],
    undeclared: [`answers as described to ${what}`, ...described],
    reply: [`answers as described to ${what}`, ...described],
    guard: [
      'refuses a request without credentials before it reads the body',
      `const endless = new Readable({ read: () => void endless.push(' '.repeat(16_384)) })`,
      `const { statusCode } = await app.inject(${request})`,
      `assert.equal(statusCode, ${verdict.status})`,
    ],
    slow: [
      `answers within ${slowerThan} ms to ${what}`,
      'const started = performance.now()',
      `await app.inject(${request})`,
      `assert.ok(performance.now() - started <= ${slowerThan}, 'the reply came in time')`,
    ],
    leak: [
      `shows nothing of its inside to ${what}`,
      `const { payload } = await app.inject(${request})`,
      `assert.ok(!payload.includes(${print(shownPart(verdict.leaked ?? ''))}), 'the inner text is not shown')`,
    ],
    hang: [
      `answers ${what}`,
      `const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, ${timeout}))`,
      `assert.ok(await Promise.race([app.inject(${request}), timeout]), 'a reply came in time')`,
    ],
  }
  const [title, ...steps] = tests[verdict.kind]
  const given = options.length === 0 ? '' : `, { ${options.join(', ')} }`
  return [
    `test(${print(`${label} ${title}`)}, async () => {`,
    `  await using app = await testServer(${App}${given})`,
    ...(isLoggedIn ? [`  const credentials = await ${authenticate}(app)`] : []),
    ...steps.map((line) => `  ${line}`),
    '})',
  ].join('\n')
}

/** Returns the beginning of an internal text for an assertion. The path of a file is cut off, because it differs on another machine. */
function shownPart(text: string): string {
  return /^at [^(/]{3,100} (?=\()/.exec(text)?.[0] ?? text.slice(0, 40)
}

function withEndlessBody({ payload: _payload, headers, ...request }: InjectOptions, { body }: Draft): InjectOptions {
  return { ...request, headers: { ...headers, 'content-type': body?.type ?? 'application/json' } }
}

function printRequest(
  { method, url, headers, payload }: InjectOptions,
  { draft: { body }, isLoggedIn, isEndless }: { readonly draft: Draft; readonly isLoggedIn: boolean; readonly isEndless: boolean },
): string {
  const { 'content-type': type, ...others } = (headers ?? {}) as Record<string, string>
  const value = body?.raw === undefined && type === 'application/json' ? body?.value : undefined
  // An object literal with the member __proto__ would be an object with another prototype.
  const isLiteral = !isEndless && value !== null && typeof value === 'object' && !JSON.stringify(value).includes('"__proto__"')
  // `inject` writes the type of a literal itself.
  const written = isLiteral || type === undefined ? others : { ...others, 'content-type': type }
  const printed = print(written)
  const fields = isLoggedIn ? `{ ...credentials${printed === '{}' ? '' : `, ${printed.slice(2, -2)}`} }` : printed
  const sent = payload === undefined ? [] : [`payload: ${isLiteral ? print(value) : print(payload)}`]
  const parts = [
    `method: ${print(method)}`,
    `url: ${print(url)}`,
    ...(fields === '{}' ? [] : [`headers: ${fields}`]),
    ...(isEndless ? ['payload: endless'] : sent),
  ]
  return `{ ${parts.join(', ')} }`
}

/** Writes a value as an expression of TypeScript. */
function print(value: unknown): string {
  if (typeof value === 'string') return printText(value)
  if (Buffer.isBuffer(value)) return `Buffer.from('${value.toString('base64')}', 'base64')`
  if (Array.isArray(value)) {
    const texts = value.map((entry) => print(entry))
    const [first] = texts
    if (texts.length > 5 && texts.every((text) => text === first)) return `Array.from({ length: ${texts.length} }, () => (${first}))`
    return `[${texts.join(', ')}]`
  }
  if (!isObject(value)) return Object.is(value, -0) ? '-0' : String(value)
  const members = Object.entries(value).map(([name, member]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : print(name)}: ${print(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function printText(text: string): string {
  // A long run of one character is written shorter.
  const parts = text.split(/((.)\2{39,})/su)
  const written: string[] = []
  for (let at = 0; at < parts.length; at += 3) {
    if (parts[at] !== '' || parts.length === 1) written.push(quote(parts[at]!))
    const [run, character] = [parts[at + 1], parts[at + 2]]
    if (run !== undefined) written.push(`${quote(character!)}.repeat(${run.length / character!.length})`)
  }
  return written.join(' + ')
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Returns words for the unusual value in a request: `an empty text as name`. */
function describeChange({ changed, params, query, headers, cookies, body }: Draft): string {
  if (changed === undefined) return 'a valid request'
  if (typeof changed === 'string') return changed
  const { part, path } = changed
  const value = part === 'body' ? valueAt(body?.value, path) : valueAt({ params, query, headers, cookies }[part], path)
  const name = path.map((step) => (typeof step === 'number' ? 'an item' : step)).join('.')
  if (name === '') return `a body that is ${describeSentValue(value)}`
  return `${describeSentValue(value)} as ${part === 'body' ? name : `the ${nouns[part]} ${name}`}`
}

const nouns = { params: 'parameter', query: 'query parameter', headers: 'header', cookies: 'cookie' }

function describeSentValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty text'
  if (typeof value === 'string')
    return value.length > LONG_TEXT ? `a text of ${value.length} characters` : `the text ${JSON.stringify(value)}`
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : value.length > LONG_LIST ? `a list of ${value.length} items` : 'a list'
  if (isObject(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object'
  return value === null ? 'null' : `the value ${print(value)}`
}

/** Writes a report as a text for people. */
export function textOfReport({ seed, sent, routes, findings, unreached }: Omit<ProbeReport, 'toString'>): string {
  const lines = [`${sent} requests to ${routes} ${routes === 1 ? 'route' : 'routes'}, seed ${seed}: ${countOf(findings.length)}.`]
  for (const { route, place, message, isReproduced, test } of findings) {
    const remark = isReproduced === false ? ['It takes earlier requests of the probe: a new server does not show it.'] : []
    lines.push('', `${route} (${place}) ${message}`, ...remark, test)
  }
  if (unreached.length > 0)
    lines.push(
      '',
      `No request reached the handlers of ${unreached.join(', ')}. Give credentials (headers, authenticate), or examples in their schemas.`,
    )
  return lines.join('\n')
}

function countOf(count: number): string {
  return count === 0 ? 'nothing was found' : count === 1 ? 'one finding' : `${count} findings`
}
