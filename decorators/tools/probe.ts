/**
 * `probe`: sends an application many unusual requests and reports faulty replies. The modules of the probe are loaded when it is called.
 */
import { isObject } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { describeValue } from '../wiring/value-names.js'
import { assertProbeOptions } from './probe-options.js'
import type { ProbeOptions, ProbeReport } from './probe/types.js'
import type { TestServer } from './testing.js'

type Pairs = readonly (readonly [unknown, unknown])[]

/** The error that `probe` throws if it finds faults. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
  readonly report: ProbeReport

  constructor(report: ProbeReport) {
    super(String(report))
    this.report = report
  }
}

/**
 * Tests an application with generated requests, without a port. Each route gets valid, boundary, mistyped, oversized, poisoned and garbled
 * requests, made from its schemas. The same seed makes the same requests, as long as the application sends the same replies.
 * ```ts
 * test('the application survives its probe', async () => void (await probe(App, { override: [[Users, FakeUsers]] })))
 * ```
 * @param of a plugin class, which is mounted in a test server with `provide`, `override` and the other options of {@link testServer}, or a
 * test server
 * @returns the report, if nothing was found
 * @throws ProbeError with the report: each finding with the smallest request that shows the fault, and the source of a test. TypeError for
 * an unknown or invalid option. All errors of `testServer`
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
