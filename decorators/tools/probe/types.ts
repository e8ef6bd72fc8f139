/** The types of the options and the report of a probe. */
import type { InjectOptions } from '../../../lib/index.js'
import type { TestServer, TestServerOptions } from '../testing.js'
import type { FindingKind } from './judge.js'

type Pairs = readonly (readonly [unknown, unknown])[]

/** The options of `probe` in addition to `provide`, `override` and the other options of `testServer`. */
export interface ProbeSettings {
  /** The number of requests to each route. Default: 200. */
  requests?: number
  /** A whole number from which the requests are generated. Default: 1. */
  seed?: number
  /** The routes to probe, as patterns: `['/admin/**', 'POST /notes']`. Default: all routes. */
  routes?: readonly string[]
  /**
   * The longest time that a reply may take, in ms: a finding if a route takes longer four times in a row. Of a stream, only the time until it
   * begins counts. Default: no limit below `timeout`.
   */
  slowerThan?: number
  /** The time after which a request counts as hanging, in ms. Default: 2000. */
  timeout?: number
  /** The headers with the credentials that the guards demand: `{ authorization: 'Bearer …' }`. */
  headers?: Readonly<Record<string, string>>
  /**
   * A function that logs in, and returns the headers with the credentials that the guards demand. The function is called once for each test
   * server.
   */
  authenticate?: (app: TestServer) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** A function that returns true for each finding that is intended and need not be reported. Default: none. */
  accept?: (finding: ProbeFinding) => boolean
}

/** The options of `probe`. */
export interface ProbeOptions<P extends Pairs = Pairs, O extends Pairs = Pairs>
  extends Omit<TestServerOptions<P, O>, 'replies'>, ProbeSettings {}

/** A fault that a probe has found, with the smallest request that shows the fault. */
export interface ProbeFinding {
  /** The method and the path of the route: `POST /notes`. */
  readonly route: string
  /**
   * `failure`: status 500, or a higher status that the application does not declare. `undeclared`: a status that the route does not
   * declare, or an error of a class that it does not list in `throws`. `reply`: a media type that the route does not declare, or a body or
   * header that does not fit its schema. `guard`: a body that is read before the guard replies. `slow`: a reply that takes longer than
   * `slowerThan`. `leak`: a stack trace, a path, an SQL text or the message of an internal error in a reply. `hang`: no reply.
   */
  readonly kind: FindingKind
  /** The path of the handler: `App > Api > Notes.add`. */
  readonly place: string
  readonly message: string
  /** The request, in the form of the options of `inject`. For a finding of the kind `guard`, the body never ends. */
  readonly request: InjectOptions
  /** Whether the request alone shows the fault on a new server; `undefined` if no new server could be made. */
  readonly isReproduced: boolean | undefined
  /** The source of a test that fails as long as the fault exists. */
  readonly test: string
}

/** The result of a probe. */
export interface ProbeReport {
  readonly seed: number
  /** The number of requests that were sent, including those with which requests were shrunk. */
  readonly sent: number
  /** The number of routes that were probed. */
  readonly routes: number
  readonly findings: readonly ProbeFinding[]
  /** The routes whose handlers no request has reached, because guards or validators refused all requests. */
  readonly unreached: readonly string[]
  /** Returns the report as a text, with the source of a test for each finding. */
  toString(): string
}
