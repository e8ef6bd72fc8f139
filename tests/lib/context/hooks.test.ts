/** The table of hooks, the store of a context, and the values that `addHook` refuses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['a hook whose name is not a string', (server) => server.addHook(7, handler), 'ALC_ERR_HOOK_INVALID_TYPE'],
  ['an unknown hook', (server) => server.addHook('onNothing', handler), 'ALC_ERR_HOOK_NOT_SUPPORTED'],
  ['a missing hook', (server) => server.addHook('onRequest'), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  ['an object as a hook', (server) => server.addHook('onRequest', {}), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'an async hook that takes a callback',
    (server) => server.addHook('onRequest', async (_a: 1, _b: 2, _c: 3) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onSend hook that takes a callback',
    (server) => server.addHook('onSend', async (_a: 1, _b: 2, _c: 3, _d: 4) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onReady hook that takes a callback',
    (server) => server.addHook('onReady', async (_a: 1) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onRequestAbort hook that takes a callback',
    (server) => server.addHook('onRequestAbort', async (_a: 1, _b: 2) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
]
for (const [title, declare, code] of refused) {
  test(`an instance refuses ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}
