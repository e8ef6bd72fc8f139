/** docs/reference/request-and-reply.md: every member of servers, requests, replies and injected responses has a row. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { server } from '../../samples/reference/request.js'
import { closeCompiler, membersOf } from './declarations.js'
import { cellsOfText, firstSentences } from './options.js'
import { holdTables, type Rows } from './tables.js'

describe('the page of the members of servers, requests and replies', () => {
  after(closeCompiler)

  test('has a row for each member, with the first sentences of its doc comment', () => {
    const ofServer = rowsOf('lib/types/server.ts', 'Server')
    holdTables('request-and-reply', {
      Server: ofServer,
      BootstrappedServer: rowsOf('decorators/declare/tokens.ts', 'BootstrappedServer', [...ofServer.keys()]),
      Request: rowsOf('lib/types/request.ts', 'Request'),
      // It exists only in types.
      Reply: rowsOf('lib/types/reply.ts', 'Reply', ['[Symbol.replySchema]']),
      InjectResponse: rowsOf('lib/types/inject.ts', 'InjectResponse'),
    })
  })

  test('shows a server that works', async () => {
    const found = await server.inject('/users/7?fields=id')
    assert.equal(found.headers['cache-control'], 'max-age=60')
    assert.deepEqual(found.json(), { id: '7', asked: 'id' })
    assert.equal((await server.inject('/users/0')).statusCode, 404)
    await server.close()
  })
})

function rowsOf(file: string, type: string, without: readonly string[] = []): Rows {
  const members = [...membersOf(file, type).values()].filter(({ name }) => !without.includes(name))
  return new Map(
    members.map((member) => [
      member.name,
      {
        Member: `\`${member.call}\``,
        ...cellsOfText({ ...member, text: firstSentences(member.intro) }, 'What it does'),
      },
    ]),
  )
}
