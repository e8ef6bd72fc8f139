/** `inject`: its callback and its promise. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

describe('inject', () => {
  test('calls back with the reply, before and after the start, or with the error of the boot', async () => {
    const server: any = createServer()
    server.get('/', () => 'here')
    const call = (instance: any): Promise<any[]> => new Promise((resolve) => instance.inject('/', (...given: any[]) => resolve(given)))
    const [before, first] = await call(server)
    assert.deepEqual([before, first.body], [null, 'here'])
    const [after, second] = await call(server)
    assert.deepEqual([after, second.body], [null, 'here'])
    await server.close()

    const broken: any = createServer()
    broken.register(async () => {
      throw new Error('no boot')
    })
    assert.equal((await call(broken))[0].message, 'no boot')
    await assert.rejects(broken.inject('/'), /no boot/)
  })

  test('is refused after the server was closed, as a promise and as a callback', async () => {
    const server: any = createServer()
    await server.ready()
    await server.close()
    await assert.rejects(server.inject('/'), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
    const [error] = await new Promise<any[]>((resolve) => server.inject('/', (...given: any[]) => resolve(given)))
    assert.equal(error.code, 'ALC_ERR_REOPENED_CLOSE_SERVER')
  })
})
