/** The attack of an application on itself: `probe`. The modules that it needs are loaded when it is called. */
import { isObject } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { describeValue } from '../wiring/value-names.js'
import { assertProbeOptions } from './probe-options.js'
import type { ProbeOptions, ProbeReport } from './probe/types.js'
import type { TestServer } from './testing.js'

type Pairs = readonly (readonly [unknown, unknown])[]

/** The error of a probe that has found something. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
  readonly report: ProbeReport

  constructor(report: ProbeReport) {
    super(String(report))
    this.report = report
  }
}

/**
 * Lets an application attack itself, without a port: it sends valid, boundary, mistyped, oversized, poisoned and garbled requests to each
 * route, made from the schemas of the route. The same seed makes the same requests, as long as the application answers the same.
 * ```ts
 * test('the application survives its probe', async () => void (await probe(App, { override: [[Users, FakeUsers]] })))
 * ```
 * @param of a plugin class, of which a test server is made with `provide`, `override` and the other options of {@link testServer}, or a test
 * server
 * @returns the report, if nothing was found
 * @throws ProbeError with the report: each finding with the smallest request that shows it, and a test to paste. TypeError for an option
 * that does not exist or cannot be. All errors of `testServer`
 */
export async function probe<const P extends Pairs, const O extends Pairs>(
  of: Class | TestServer,
  options: ProbeOptions<P, O> = {},
): Promise<ProbeReport> {
  assertProbed(of)
  assertProbeOptions(options, typeof of === 'function')
  const { runProbe } = await import('./probe/run.js')
  const report = await runProbe(of, options)
  if (report.findings.length > 0) throw new ProbeError(report)
  return report
}

function assertProbed(of: unknown): void {
  const isProbed = typeof of === 'function' || (isObject(of) && 'server' in of && 'inject' in of)
  if (!isProbed)
    throw new TypeError(`probe has ${describeValue(of)} to probe. Write probe(App), or probe(app) with a server that testServer made.`)
}
