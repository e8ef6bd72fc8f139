/** Runs a probe: sends the requests, shrinks each request that shows a fault, and sends it again to a new server. */
import type { Class } from '../../declare/metadata.js'
import { isJson } from '../../contract/openapi/messages.js'
import { nameOf } from '../../wiring/value-names.js'
import { Random } from '../values/random.js'
import { hasLogger } from '../error-printer.js'
import { replyFaultsOf, testServer, type TestServer } from '../testing.js'
import type { Draft } from './drafts.js'
import { ErrorLog, Exchange, HandlerWatch, type Outcome, type Subject } from './exchange.js'
import { findLateGuard } from './guards.js'
import { type Bounds, judgeOutcome, type Verdict } from './judge.js'
import { DraftMaker } from './make-drafts.js'
import { matcherOf } from '../../wiring/access/patterns.js'
import { findingOf, type TestTexts, textOfReport } from './report.js'
import { shrink } from './shrink.js'
import { type Target, targetsOf } from './targets.js'
import type { ProbeFinding, ProbeOptions, ProbeReport } from './types.js'

const DEFAULT_TIMEOUT_MS = 2000
/** The most requests with which a slow or hanging request is shrunk, because each of them takes long. */
const MAX_SLOW_SENDS = 8
/** The number of successive slow replies after which a request counts as slow. */
const SLOW_TIMES = 3
/** The most values from replies that are kept for one member name. */
const MAX_SEEN = 20
const MAX_CLOSE_MS = 2000

/** A test server with everything that a probe needs. */
interface Opened extends Subject {
  readonly app: TestServer
}

interface Found {
  readonly target: Target
  readonly verdict: Verdict
  readonly original: Draft
  draft: Draft
}

/** Probes a plugin class, which is mounted in test servers, or an existing test server. */
export async function runProbe(of: Class | TestServer, options: ProbeOptions): Promise<ProbeReport> {
  const watch = new HandlerWatch()
  let opened: Opened | undefined
  try {
    opened = await open(of, options)
    const run = new ProbeRun(opened, watch, options)
    await run.sendAll()
    const findings = await run.findings(typeof of === 'function' ? of : undefined)
    const { sent, targets, unreached } = run
    const facts = { seed: run.seed, sent, routes: targets.length, findings, unreached }
    return { ...facts, toString: () => textOfReport(facts) }
  } finally {
    if (typeof of === 'function' && opened !== undefined) await close(opened.app)
    watch.stop()
  }
}

async function open(of: Class | TestServer, options: ProbeOptions): Promise<Opened> {
  const { provide, override, throws, schemas, prefix, server, authenticate, headers } = options
  const isClass = typeof of === 'function'
  const log = isClass && !hasLogger(server) ? new ErrorLog() : undefined
  const mounting = { provide, override, throws, schemas, prefix }
  const given = Object.fromEntries(Object.entries(mounting).filter(([, value]) => value !== undefined))
  const app = isClass ? await testServer(of, { ...given, server: { ...server, ...(log && { logger: log.logger }) } }) : of
  try {
    const credentials = { ...headers, ...(await authenticate?.(app)) }
    const lower = Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name.toLowerCase(), value]))
    return { app, log, credentials: lower, faults: replyFaultsOf(app), inject: (request) => app.server.inject(request) }
  } catch (error) {
    if (isClass) await close(app)
    throw error
  }
}

/** Closes a test server. Errors are ignored, and so is a server that does not close in time, because a handler may hang. */
async function close(app: TestServer): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, MAX_CLOSE_MS)))
  await Promise.race([app.close().catch(() => {}), timeout])
  clearTimeout(timer)
}

class ProbeRun {
  readonly seed: number
  readonly targets: readonly Target[]
  readonly #options: ProbeOptions
  readonly #watch: HandlerWatch
  readonly #subject: Opened
  readonly #exchange: Exchange
  readonly #bounds: Bounds
  readonly #seen = new Map<string, unknown[]>()
  readonly #found = new Map<string, Found>()
  readonly #reached = new Set<Target>()
  /** The routes that get no further requests, because a request to them was never answered. */
  readonly #hanging = new Set<Target>()

  constructor(subject: Opened, watch: HandlerWatch, options: ProbeOptions) {
    const { seed = 1, timeout = DEFAULT_TIMEOUT_MS, slowerThan, routes } = options
    this.seed = seed
    this.#subject = subject
    this.#watch = watch
    this.#options = options
    this.#bounds = { timeout, slowerThan }
    this.#exchange = new Exchange(subject, watch, timeout)
    const all = targetsOf(subject.app.server)
    const matchers = routes?.map((pattern) => ({ pattern, matches: matcherOf(pattern) }))
    for (const { pattern, matches } of matchers ?? [])
      if (!all.some((target) => matches({ methods: [target.method], path: target.route.url })))
        throw new TypeError(
          `probe has the pattern '${pattern}' in routes, which no route matches. Its routes are: ${all.map(({ label }) => label).join(', ') || 'none'}.`,
        )
    this.targets = all.filter(
      ({ method, route }) => matchers?.some(({ matches }) => matches({ methods: [method], path: route.url })) ?? true,
    )
  }

  get sent(): number {
    return this.#exchange.sent
  }

  get unreached(): string[] {
    // The hidden routes of plugins, such as those that answer preflight requests, need not have a handler that is reached.
    return this.targets.filter((target) => !this.#reached.has(target) && target.route.docs.hide !== true).map(({ label }) => label)
  }

  /**
   * Sends the requests of all routes in turn, one to each route, so that routes work on data that requests to other routes have created.
   */
  async sendAll(): Promise<void> {
    const { requests = 200 } = this.#options
    const makers = this.targets.map(
      (target) => [target, new DraftMaker(target, new Random(this.seed ^ hashOf(target.label)), this.#seen)] as const,
    )
    for (const [target, maker] of makers) {
      const late = await findLateGuard(target, maker, this.#exchange)
      if (late !== undefined)
        this.#found.set(`${target.label} guard`, { target, verdict: late.verdict, original: late.draft, draft: late.draft })
    }
    for (let count = 0; count < requests; count++)
      for (const [target, maker] of makers) if (!this.#hanging.has(target)) await this.#sendOne(target, maker.next())
  }

  async #sendOne(target: Target, draft: Draft): Promise<void> {
    const outcome = await this.#exchange.send(target, draft)
    if (outcome.isReached) this.#reached.add(target)
    this.#learn(outcome)
    for (const verdict of judgeOutcome(target, outcome, this.#bounds)) {
      const key = `${target.label} ${verdict.key}`
      if (this.#found.has(key)) continue
      // A machine with other work may have delayed one reply.
      const isOfTime = verdict.kind === 'slow' || verdict.kind === 'hang'
      if (isOfTime && !(await this.#shows(target, draft, verdict.key))) continue
      const found: Found = { target, verdict, original: draft, draft }
      this.#found.set(key, found)
      if (verdict.kind === 'hang') this.#hanging.add(target)
      const most = isOfTime ? MAX_SLOW_SENDS : undefined
      found.draft = await shrink(draft, (smaller) => this.#shows(target, smaller, verdict.key), most)
    }
  }

  async #shows(target: Target, draft: Draft, key: string, exchange = this.#exchange): Promise<boolean> {
    for (let times = key === 'slow' ? SLOW_TIMES : 1; times > 0; times--) {
      const outcome = await exchange.send(target, draft)
      if (!judgeOutcome(target, outcome, this.#bounds).some((each) => each.key === key)) return false
    }
    return true
  }

  /** Keeps the values in successful replies by their member names, so that later requests can use ids that exist. */
  #learn({ status, body, type }: Outcome): void {
    if (status === undefined || status >= 300 || !isJson(type) || body.length > 100_000) return
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return
    }
    this.#keep(value, 0)
  }

  #keep(value: unknown, depth: number): void {
    if (value === null || typeof value !== 'object' || depth > 3) return
    if (Array.isArray(value)) return value.slice(0, 3).forEach((each) => this.#keep(each, depth + 1))
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string' && typeof member !== 'number') this.#keep(member, depth + 1)
      else if (String(member).length > 0 && String(member).length <= 100) {
        const known = this.#seen.get(name)
        if (known === undefined) this.#seen.set(name, [member])
        else if (known.length < MAX_SEEN && !known.includes(member)) known.push(member)
      }
    }
  }

  /**
   * Returns the findings. @param Mounted the class to mount in a new server for each finding, to reproduce the fault; `undefined` if there
   * is none
   */
  async findings(Mounted: Class | undefined): Promise<ProbeFinding[]> {
    const { accept = () => false, authenticate } = this.#options
    const texts: TestTexts = {
      App: Mounted === undefined ? 'App' : nameOf(Mounted),
      options: (['provide', 'override', 'throws', 'schemas', 'prefix', 'server'] as const).filter(
        (name) => this.#options[name] !== undefined,
      ),
      authenticate: authenticate && (authenticate.name || 'authenticate'),
      timeout: this.#bounds.timeout,
      slowerThan: this.#bounds.slowerThan,
    }
    const findings: ProbeFinding[] = []
    for (const found of this.#found.values()) {
      const isReproduced = Mounted === undefined ? undefined : await this.#isReproduced(found, Mounted)
      // A request that was made smaller may show the fault only after others, and the original one alone.
      const isOriginalAlone = isReproduced === false && (await this.#isReproduced({ ...found, draft: found.original }, Mounted!))
      const draft = isOriginalAlone ? found.original : found.draft
      const facts = { draft, original: found.original, isReproduced: isReproduced === false ? isOriginalAlone : isReproduced }
      const finding = findingOf(found.target, found.verdict, facts, this.#subject, texts)
      if (!accept(finding)) findings.push(finding)
    }
    return findings
  }

  async #isReproduced({ target, verdict, draft }: Found, Mounted: Class): Promise<boolean> {
    const fresh = await open(Mounted, this.#options)
    try {
      const exchange = new Exchange(fresh, this.#watch, this.#bounds.timeout)
      if (verdict.kind !== 'guard') return await this.#shows(target, draft, verdict.key, exchange)
      const maker = new DraftMaker(target, new Random(this.seed), new Map())
      return (await findLateGuard(target, maker, exchange)) !== undefined
    } finally {
      await close(fresh.app)
    }
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) | 0
  return hash
}
