/** The error codes and their documentation. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { errorCodes } from 'alcove'
import { EntityTagInvalid, VersionChanged, VersionRequired } from 'alcove/conditional'
import { IdempotencyKeyInUse, IdempotencyKeyInvalid, IdempotencyKeyReused } from 'alcove/idempotency'
import { errorCodes as fastifyErrorCodes } from '../../../lib/fastify/errors.js'
import { faultsOfEachKind } from '../../fixtures/fault-samples.js'
import { project, readText } from '../../fixtures/project.js'

const document = readText('docs/reference/errors.md')

/** The sections of the codes and faults. */
const sections = document
  .split(/^(?=#)/m)
  .map((section) => ({ heading: /^### (.*)/.exec(section)?.[1] ?? '', text: section.slice(section.indexOf('\n')).trim() }))
  .filter(({ heading }) => /^[A-Z\d_]+$/.test(heading))

const sources = ['lib', 'decorators']
  .flatMap((folder) => readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith('.ts') && !['lib/errors/codes.ts', 'lib/errors/errors-of-classes.ts'].includes(file))
  .map(readText)
  .join('\n')

const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[]

/** The codes of `alcove/fastify` that are not those of the server under another name. */
const codesOfFastify = Object.keys(fastifyErrorCodes).filter(
  (code) => !(code.replace('FST_ERR_AJV_', 'ALC_ERR_JSV_') in errorCodes || code.replace('FST_ERR_', 'ALC_ERR_') in errorCodes),
)

/** The errors that requests with idempotency keys and conditional requests are answered with. */
const errorsOfRequests = [
  IdempotencyKeyInvalid,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  EntityTagInvalid,
  VersionChanged,
  VersionRequired,
].map((ErrorClass) => new ErrorClass())

describe('every error code of the server', () => {
  // Answered without an error object
  const unthrown = ['ALC_ERR_NOT_FOUND']

  test('is thrown somewhere', () => {
    const isThrown = (code: string): boolean => sources.includes(`errorCodes.${code}(`) || sources.includes(`'${code}'`)
    // Two codes are composed of their parts.
    const isBuilt = (code: string): boolean => /^ALC_ERR_SCH_\w+_BUILD$/.test(code) && sources.includes('_BUILD`]')
    assert.deepEqual(
      codes.filter((code) => !isThrown(code) && !isBuilt(code)),
      unthrown,
    )
  })

  test('is documented with its status, its cause and its cure', () => {
    for (const { heading, text } of sections.filter(isOfServer)) {
      const [, status] = /^- \*\*Status:\*\* (\d+)\n- \*\*When:\*\* \S[^]+\n- \*\*Cure:\*\* \S[^]+/.exec(text) ?? []
      if (heading === 'ALC_ERR_BOOT_FAULTS') assert.ok(status !== undefined, heading)
      else assert.equal(Number(status), statusOf(heading), heading)
    }
  })

  const isOfServer = ({ heading }: { heading: string }): boolean => /^(?:ALC|FST)_ERR_/.test(heading)
  // Errors of other classes have no status: in a request they are a 500.
  function statusOf(code: string): number {
    const constructors: Readonly<Record<string, unknown>> = { ...fastifyErrorCodes, ...errorCodes }
    const Known = constructors[code] as (new (...args: unknown[]) => { statusCode: number }) | undefined
    return Known === undefined ? 500 : new Known('a', 'b', 'c').statusCode
  }
})

test('each code and each fault has one heading of its own, so that a link leads to it: errors.md#alc_err_bad_url', () => {
  const headings = sections.map(({ heading }) => heading)
  const ofRequests = errorsOfRequests.map(({ code }) => String(code))
  const faults = faultsOfEachKind.map(({ code }) => code)
  const known: string[] = [...codes, 'ALC_ERR_RESOLUTION', 'ALC_ERR_WIRING', 'PROCESS_ENDED', ...codesOfFastify, ...ofRequests, ...faults]
  assert.deepEqual(headings.toSorted(), known.toSorted())
})

test('the errors of idempotency keys and of versions are documented with their status', () => {
  for (const { code, statusCode } of errorsOfRequests) {
    const text = sections.find(({ heading }) => heading === code)?.text
    assert.match(text ?? '', new RegExp(`^- \\*\\*Status:\\*\\* ${statusCode}\n- \\*\\*When:\\*\\* \\S[^]+\n- \\*\\*Cure:\\*\\* \\S`), code)
  }
})

test('every fault of wiring is documented with its text', () => {
  for (const { code, message } of faultsOfEachKind) {
    const shown = sections.find(({ heading }) => heading === code)?.text
    assert.equal(shown, `> ${message.replaceAll(/[*<]/g, '\\$&')}`, `docs/reference/errors.md, ${code}`)
  }
})
