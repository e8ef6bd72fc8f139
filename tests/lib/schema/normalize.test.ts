import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

test('a thrown value that is not an Error, of a compiler or of a schema, fails the boot with its text and names the route', async () => {
  const failing: [declare: (server: Server) => unknown, code: string][] = [
    [
      (server) =>
        server.get(
          '/',
          {
            schema: { querystring: {} },
            validatorCompiler: () => {
              throw 'no compiler'
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
    [
      (server) =>
        server.get(
          '/',
          {
            schema: {
              querystring: {
                isFluentSchema: true,
                valueOf: () => {
                  throw 'no compiler'
                },
              },
            },
          },
          () => '',
        ),
      'ALC_ERR_SCH_VALIDATION_BUILD',
    ],
  ]
  for (const [declare, code] of failing) {
    const server = createServer()
    declare(server)
    await assert.rejects(async () => server.ready(), { code, message: /GET: \/.*no compiler/ })
    await server.close()
  }
})
