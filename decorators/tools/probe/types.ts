/** The options of a probe, and what it reports. */
import type { InjectOptions } from '../../../lib/index.js'
import type { TestServer, TestServerOptions } from '../testing.js'
import type { FindingKind } from './judge.js'

type Pairs = readonly (readonly [unknown, unknown])[]

/** The options of `probe` besides `provide`, `override` and the others of `testServer`. */
export interface ProbeSettings {
  /** The number of requests to each route. Default: 200. */
  requests?: number
  /** A whole number that decides which requests are made. Default: 1. */
  seed?: number
  /** The routes that are probed, as patterns: `['/admin/**', 'POST /notes']`. Default: all. */
  routes?: readonly string[]
  /** The most milliseconds that a reply may take. Default: any time up to `timeout`. */
  slowerThan?: number
  /** The milliseconds after which a request counts as hanging. Default: 2000. */
  timeout?: number
  /** The headers by which requests pass the guards: `{ authorization: 'Bearer …' }`. */
  headers?: Readonly<Record<string, string>>
  /** A function that logs in, and returns the headers by which requests pass the guards. It is called once for each test server. */
  authenticate?: (app: TestServer) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** A function that says which findings are on purpose: it returns true for each of them. Default: none. */
  accept?: (finding: ProbeFinding) => boolean
}

/** The options of `probe`. */
export interface ProbeOptions<P extends Pairs = Pairs, O extends Pairs = Pairs>
  extends Omit<TestServerOptions<P, O>, 'replies'>, ProbeSettings {}

/** A fault that a probe has found, with the smallest request that shows it. */
export interface ProbeFinding {
  /** The method and the path of the route: `POST /notes`. */
  readonly route: string
  /**
   * `failure`: a status from 500 on. `undeclared`: a status that the route does not declare. `reply`: a body or header that does not fit
   * its schema. `guard`: a body that is read before the guard answers. `slow`: a reply that takes longer than `slowerThan`. `leak`: a stack
   * trace, a path, an SQL text or the message of an inner error in a reply. `hang`: no reply.
   */
  readonly kind: FindingKind
  /** The path of the handler: `App > Api > Notes.add`. */
  readonly place: string
  readonly message: string
  /** The request, as `inject` takes it. For `guard`, its body is one that never ends. */
  readonly request: InjectOptions
  /** Whether the request alone shows the fault to a new server; `undefined` if no new server could be made. */
  readonly isReproduced: boolean | undefined
  /** A test that fails as long as the fault is there. */
  readonly test: string
}

/** The result of a probe. */
export interface ProbeReport {
  readonly seed: number
  /** The number of requests that were sent, with those that made the requests of findings smaller. */
  readonly sent: number
  /** The number of routes that were probed. */
  readonly routes: number
  readonly findings: readonly ProbeFinding[]
  /** The routes whose handlers no request has reached, because guards or schemas refused all of them. */
  readonly unreached: readonly string[]
  /** The report as a text, with a test of each finding to paste. */
  toString(): string
}
