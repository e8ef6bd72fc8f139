/** Errors of plugins and callbacks, in the codes of the framework. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('ready, after, onClose, close and listen refuse a callback that is not a function', async () => {
  const server: any = createServer()
  assert.throws(() => server.listen({ port: 0 }, 'x'), {
    code: 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN',
    message: "listen expects a function, got 'string'",
  })
  for (const method of ['ready', 'after', 'onClose', 'close']) {
    assert.throws(() => server[method]('x'), {
      code: 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN',
      message: `${method} expects a function, got 'string'`,
    })
  }
  let atChild: unknown
  server.register(async (child: any) => {
    try {
      child.ready('x')
    } catch (error) {
      atChild = (error as { code: string }).code
    }
  })
  await server.ready()
  assert.equal(atChild, 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN')
  await server.close()
})

test('a value that is not a plugin, and a plugin or an after callback that comes too late, are refused with codes of their own', async () => {
  for (const given of [undefined, null, 7, 'name', {}, { default: 7 }, Promise.resolve(null), Promise.resolve({ default: 7 })]) {
    const server: any = createServer()
    const registering = async (): Promise<void> => {
      server.register(given)
      await server.ready()
    }
    await assert.rejects(registering, { code: 'ALC_ERR_PLUGIN_NOT_VALID' })
    await server.close()
  }
  const ofClass: any = createServer()
  ofClass.register(class Billing {})
  await assert.rejects(async () => ofClass.ready(), {
    code: 'ALC_ERR_PLUGIN_NOT_VALID',
    message:
      'Invalid plugin: A plugin must be a function, and Billing is a class. If it has @Plugin, boot it by bootstrap(Billing), or list it in the imports of another plugin.',
  })
  await ofClass.close()
  const server = createServer()
  await server.ready()
  assert.throws(() => server.register(async () => {}), { code: 'ALC_ERR_ROOT_PLG_BOOTED' })
  await server.close()
})
