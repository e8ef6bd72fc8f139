/**
 * Ties each test to the rule that it proves. `rule` runs a test through every face, `ruleOfServer` only through the
 * programmatic face, for calls that only the programmatic interface has.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type FaultCode, WiringError } from '../../decorators/wiring/faults.js'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
import { type ContextSpec, type Face, faces } from './faces.js'
import type { RuleId } from './rules.js'

/** One test of one rule, as the coverage document lists it. */
export interface RuleTest {
  readonly id: string
  readonly title: string
  readonly faces: readonly string[]
  readonly todo: string | undefined
}

/** Builds the app and closes it after the test. */
export type Build = (spec: ContextSpec, options?: ServerOptions) => Promise<Server>

const kCollected = Symbol.for('alcove.rules.collected')
const shelf = globalThis as { [kCollected]?: RuleTest[] }

/** From now on, tests are collected instead of run, to check that they are complete. */
export function startCollecting(): RuleTest[] {
  return (shelf[kCollected] = [])
}

type Options = { todo?: string }

export function rule(id: RuleId, title: string, run: (build: Build, context: TestContext) => unknown, options: Options = {}): void {
  declare(id, title, faces, options, (face, context) => run((spec, given) => build(context, () => face.build(spec, given)), context))
}

export function ruleOfServer(
  id: RuleId,
  title: string,
  run: (create: (options?: ServerOptions) => Server, context: TestContext) => unknown,
  options: Options = {},
): void {
  const face = faces.find(({ name }) => name === 'programmatic')!
  declare(id, title, [face], options, (_face, context) =>
    run((given) => {
      const server = createServer(given)
      context.after(() => server.close().catch(() => {}))
      return server
    }, context),
  )
}

/**
 * Expects a boot to fail: with an error of the server, or with a fault if the check of the wiring of decorated classes finds
 * it first.
 */
export async function rejectsBoot(
  boot: () => Promise<unknown>,
  error: { code: string; message: RegExp },
  fault: { code: FaultCode; message: RegExp },
): Promise<void> {
  await assert.rejects(boot, (failure: any) => {
    const expected = failure instanceof WiringError ? fault : error
    const found = failure instanceof WiringError ? failure.faults.map(({ code }) => code) : [failure.code]
    assert.deepEqual(found, [expected.code])
    assert.match(failure.message, expected.message)
    return true
  })
}

async function build(context: TestContext, make: () => Promise<Server>): Promise<Server> {
  const server = await make()
  // Some tests expect the boot to fail and have checked its error.
  context.after(() => server.close().catch(() => {}))
  return server
}

function declare(
  id: RuleId,
  title: string,
  through: readonly Face[],
  { todo }: Options,
  run: (face: Face, context: TestContext) => unknown,
): void {
  if (shelf[kCollected] !== undefined) {
    shelf[kCollected].push({ id, title, faces: through.map(({ name }) => name), todo })
    return
  }
  for (const face of through)
    test(`${id}: ${title} [${face.name}]`, { ...(todo && { todo }) }, async (context) => void (await run(face, context)))
}
