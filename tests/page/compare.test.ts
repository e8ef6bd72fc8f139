/** Two states of an application beside each other: what the page marks as gained, lost and changed. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { bootstrap, type Class, explain } from 'alcove'
import { type Change, compare, mergeLists } from '../../page/data/compare.js'
import { makeModel, type Model, readDocument } from '../../page/data/model.js'
import { EarlierShop, Shop } from '../fixtures/explained-shop.js'

async function modelOf(App: Class): Promise<Model> {
  await using server = await bootstrap(App)
  return makeModel(readDocument(JSON.stringify(explain(server))))
}

describe('the comparison of two states', () => {
  let [old, now]: Model[] = []
  let changes: readonly Change[] = []
  before(async () => {
    ;[old, now] = [await modelOf(EarlierShop), await modelOf(Shop)]
    changes = compare(old, now).changes
  })
  const named = (name: string): Change => changes.find((change) => change.name === name)!

  test('names the routes, providers and classes that differ, and no other', () => {
    assert.deepEqual(
      changes.map(({ mark, name }) => `${mark} ${name}`),
      [
        'lost POST /orders/:id/cancel',
        'changed POST /orders',
        'gained DELETE /orders/:id',
        'changed GET /admin/reports/revenue',
        'changed GET /admin/reports/stock',
        'lost Shop > AdminPlugin > RequireAdmin',
      ],
    )
  })

  test('says that a route lost a guard, and that this may let in more requests', () => {
    const { details, opens } = named('GET /admin/reports/stock')
    assert.deepEqual(details, [{ mark: 'lost', text: 'guard RequireAdmin (preHandler) of Shop > AdminPlugin' }])
    assert.equal(opens, true)
    assert.equal(named('POST /orders').opens, false)
    const reverse = compare(now!, old!).changes.find(({ name }) => name === 'GET /admin/reports/stock')!
    assert.deepEqual([reverse.details[0]!.mark, reverse.opens], ['gained', false])
  })

  test('says which part of a request has another schema', () => {
    assert.deepEqual(named('POST /orders').details, [{ mark: 'changed', text: 'request body application/json has another schema' }])
  })

  test('finds no change between two equal states', () => {
    assert.deepEqual(compare(now!, now!).changes, [])
    assert.deepEqual(compare(makeModel(readDocument(JSON.stringify(now!.document))), now!).changes, [])
  })

  test('gives a guard that only the old state has a colour that no guard of the new state has', () => {
    const colours = [...now!.guards.values(), ...compare(old!, now!).lostGuards.values()].map(({ colour }) => colour)
    assert.equal(new Set(colours).size, 4)
  })

  test('reads a file of an earlier version of alcove, which has no wiring', () => {
    const { plugins: _plugins, ...earlier } = old!.document
    const found = compare(makeModel(readDocument(JSON.stringify(earlier))), now!).changes
    assert.deepEqual(
      found.filter(({ subject }) => subject === 'provider'),
      [],
    )
  })
})

test('a file that is no explanation is refused with what to choose instead', () => {
  const cure = 'Choose a file that alcove explain --json wrote.'
  assert.throws(() => readDocument('{'), new Error(`The file is not JSON. ${cure}`))
  for (const text of ['null', '7', '[]', '{"routes":[]}', '{"routes":{},"root":{},"version":1}'])
    assert.throws(() => readDocument(text), new Error(`The file is not an explanation of an application. ${cure}`))
  assert.throws(() => readDocument('{"routes":[],"root":{},"version":2}'), /has another version than 1/)
})

test('merged lists have what both share once, in order, and mark the rest', () => {
  const marked = (old: string, now: string): string =>
    mergeLists(old.split(''), now.split(''), (entry) => entry)
      .map(({ entry, mark }) => (mark === 'gained' ? `+${entry}` : mark === 'lost' ? `-${entry}` : entry))
      .join('')
  assert.equal(marked('abc', 'abc'), 'abc')
  assert.equal(marked('abc', 'ac'), 'a-bc')
  assert.equal(marked('ac', 'abc'), 'a+bc')
  assert.equal(marked('', 'a'), '+a')
  assert.equal(marked('ab', 'ba'), '-ab+a')
  const long = 'x'.repeat(400)
  assert.equal(marked(long, long), long, 'longer lists are compared too, if they are equal')
})
