/** The errors of the framework, as their constructors make them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorCodes } from 'alcove'

describe('an error of the framework', () => {
  const Sample = errorCodes.ALC_ERR_QSP_NOT_FN

  test('has a code, a status, a message with its arguments, and its base class', () => {
    const error = new Sample('tea')
    const message = "querystringParser option should be a function, instead got 'tea'"
    assert.deepEqual([error.code, error.statusCode, error.message], ['ALC_ERR_QSP_NOT_FN', 500, message])
    assert.ok(error instanceof TypeError)
    assert.ok(error instanceof Sample)
    assert.ok(String(error).endsWith(`[ALC_ERR_QSP_NOT_FN]: ${message}`))
  })

  test('can be made without new', () => {
    assert.ok(Sample('tea') instanceof Sample)
  })
})
