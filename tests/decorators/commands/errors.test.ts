/** `alcove errors`: what the package says of a code. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { errorCodes } from 'alcove'
import { printErrors } from '../../../decorators/commands/errors.js'
import { UsageError } from '../../../decorators/commands/modules.js'
import { errorCodes as fastifyErrorCodes } from '../../../lib/fastify/errors.js'
import { faultsOfEachKind } from '../../fixtures/fault-samples.js'

describe('alcove errors', () => {
  test('prints when an error occurs and what to do, under its code and the subject', (t) => {
    assert.equal(
      printed(t, 'ALC_ERR_CTP_BODY_TOO_LARGE'),
      `ALC_ERR_CTP_BODY_TOO_LARGE (Requests that are refused)

- Status: 413
- When: The body is larger than \`bodyLimit\`.
- Cure: Raise the limit of the route, or send less.`,
    )
  })

  test('prints an example of a fault, the rule behind it, and the pages to read, without the marks of Markdown', (t) => {
    const [heading, , example, ...rule] = printed(t, 'NO_CONSTRUCTOR_TYPES').split('\n\n')
    assert.equal(heading, 'NO_CONSTRUCTOR_TYPES (Wiring: injection)')
    assert.match(example!, /^ {2}Repo \(in App\) has 2 constructor arguments, .* static inject = \[\/\* its tokens \*\/\] as const/)
    assert.match(rule.join('\n'), /^alcove finds the dependencies of a class in `static inject`/)
    assert.match(rule.join('\n'), /Toolchains \(docs\/reference\/toolchains\.md\), tokens \(docs\/guide\/providers\.md#[\w-]+\)$/)
  })

  test('explains every code of an error and of a fault', (t) => {
    const codes = [
      ...Object.keys(errorCodes),
      ...faultsOfEachKind.map(({ code }) => code),
      'ALC_ERR_WIRING',
      'ALC_ERR_RESOLUTION',
      'PROCESS_ENDED',
    ]
    const sections = printed(t, ...codes).split('\n\n\n')
    assert.deepEqual(
      sections.map((section) => section.replace(/ \([^]*/, '')),
      codes,
    )
    for (const section of sections) assert.match(section, /\n- Cure: \S|\n\nFor example:\n\n {2}\S[^]*\n\n\S/)
  })

  test('explains the codes of alcove/fastify by those of the same errors, and takes lower case', (t) => {
    assert.match(printed(t, 'fst_err_bad_url'), /^ALC_ERR_BAD_URL \(/)
    const own = printed(t, ...Object.keys(fastifyErrorCodes)).split('\n\n\n')
    assert.equal(own.length, Object.keys(fastifyErrorCodes).length)
    assert.ok(own.some((section) => section.startsWith('FST_ERR_CTP_INVALID_JSON_BODY (Only in alcove/fastify)')))
  })

  test('suggests the most similar code for one that does not exist, and prints nothing', (t) => {
    const print = t.mock.method(console, 'log', () => {})
    assert.throws(() => printErrors(['PROVIDER_UNKNOWN', 'provider_not_visable']), {
      constructor: UsageError,
      message: "There is no error code 'provider_not_visable'. Did you mean 'PROVIDER_NOT_VISIBLE'?",
    })
    assert.throws(() => printErrors(['42']), /^Error: There is no error code '42'\. All codes are listed in docs\/reference\/errors\.md/)
    assert.equal(print.mock.callCount(), 0)
  })
})

function printed(t: TestContext, ...codes: string[]): string {
  const print = t.mock.method(console, 'log', () => {})
  printErrors(codes)
  assert.equal(print.mock.callCount(), 1)
  const [text] = print.mock.calls[0]!.arguments as [string]
  print.mock.restore()
  return text
}
