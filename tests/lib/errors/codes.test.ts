/** The error codes and their documentation. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { errorCodes } from 'alcove'
import { faultsOfEachKind } from '../../fixtures/fault-samples.js'

const project = new URL('../../../../', import.meta.url)
const document = readFileSync(new URL('docs/reference/errors.md', project), 'utf8')

const sources = ['lib', 'decorators']
  .flatMap((folder) => readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith('.ts') && file !== 'lib/errors/codes.ts')
  .map((file) => readFileSync(new URL(file, project), 'utf8'))
  .join('\n')

const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[]

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
    const rows = new Map([...document.matchAll(/^\| `(ALC_\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((row) => [row[1]!, row]))
    assert.deepEqual([...rows.keys()], codes)
    for (const code of codes) {
      if (code === 'ALC_ERR_BOOT_FAULTS') continue
      const error = new (errorCodes[code] as new (...args: unknown[]) => { statusCode: number })('a', 'b', 'c')
      assert.equal(Number(rows.get(code)![2]), error.statusCode, code)
    }
  })
})

test('every fault of wiring is documented with its text', () => {
  for (const { code, message } of faultsOfEachKind) {
    assert.ok(document.includes(`| \`${code}\` | ${message.replaceAll('|', '\\|')} |`), `docs/reference/errors.md lacks: ${message}`)
  }
})
