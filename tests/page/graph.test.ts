/** The graph of the wiring: which boxes it has, and where they are. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { bootstrap, explain } from 'alcove'
import { edgesOf, graphAround } from '../../page/data/graph.js'
import { around, type Edge, layOut } from '../../page/data/layout.js'
import { makeModel, type Model, readDocument } from '../../page/data/model.js'
import { Shop } from '../fixtures/explained-shop.js'

const edge = (text: string): Edge => ({ from: text[0]!, to: text[1]! })

test('edges lead to the right, and a box is as near to those that it leads to as it can be', () => {
  const places = layOut('abcde'.split(''), ['ab', 'bc', 'ad', 'ec', 'dc'].map(edge))
  const columns = Object.fromEntries([...places].map(([key, { column }]) => [key, column]))
  assert.deepEqual(columns, { a: 0, b: 1, c: 2, d: 1, e: 1 })
  const spots = [...places.values()].map(({ column, row }) => `${column} ${row}`)
  assert.equal(new Set(spots).size, 5, 'no two boxes have one place')
})

test('a circle is placed too', () => {
  assert.equal(layOut('abc'.split(''), ['ab', 'bc', 'ca'].map(edge)).size, 3)
})

test('around a box are those that it needs and those that need it, the nearest first, up to a number', () => {
  const edges = ['ab', 'bc', 'xa', 'yx', 'zz', 'ca'].map(edge)
  assert.deepEqual(Object.fromEntries(around('a', edges, 9).columns), { a: 0, b: 1, c: 2, x: -1, y: -2 })
  const { columns, left } = around('a', ['ab', 'ac', 'ad'].map(edge), 3)
  assert.deepEqual([columns.size, left], [3, 1])
})

describe('the graph of an application', () => {
  let model: Model
  before(async () => {
    await using server = await bootstrap(Shop)
    model = makeModel(readDocument(JSON.stringify(explain(server))))
  })

  test('shows routes, classes and providers with their lifetimes around the chosen one', () => {
    const { boxes } = graphAround(model, edgesOf(model), 'Shop > OrdersPlugin > Orders')
    const lines = boxes.map(({ kind, label, lifetime }) => `${kind} ${label} ${lifetime ?? ''}`.trim())
    assert.deepEqual(lines.sort(), [
      'class OrdersController request',
      'provider Db context',
      'provider Mailer transient',
      'provider Orders request',
      'provider RequestLog request',
      'route DELETE /orders/:id',
      'route GET /orders/:id',
      'route POST /orders',
    ])
  })

  test('shows the whole of a small application, with the number of routes of each class', () => {
    const { boxes, left } = graphAround(model, edgesOf(model), undefined)
    assert.equal(left, 0)
    assert.deepEqual(
      boxes
        .filter(({ kind }) => kind === 'class')
        .map(({ label, note }) => `${label}: ${note}`)
        .sort(),
      [
        'HealthController: Shop, 1 route',
        'OrdersController: OrdersPlugin, 3 routes',
        'ProductsController: CatalogPlugin, 2 routes',
        'ReportsController: AdminPlugin, 2 routes',
      ],
    )
  })

  test('shows a large application by its plugins', () => {
    const plugin = (index: number) => ({
      ...model.document.plugins[0]!,
      path: `Shop > P${index}`,
      classes: [],
      providers: [
        { name: 'Service', lifetime: 'context' as const, isPrivate: false, needs: [{ name: 'Service', from: `Shop > P${index + 1}` }] },
      ],
    })
    const large = makeModel({ ...model.document, plugins: Array.from({ length: 200 }, (_, index) => plugin(index)) })
    const { boxes, left, edges } = graphAround(large, edgesOf(large), undefined)
    assert.deepEqual([boxes[0]!.kind, boxes.length, left, edges.length], ['plugin', 80, 120, 79])
  })
})
