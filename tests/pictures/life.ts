/** The steps of a boot and of a close, and how long instances live, as applications have recorded them. */
import { box, chip, CHIP_STEP, line, MARGIN, type Picture, text, WIDTH, wrap } from './svg.js'
import type { Life, LifeRecording } from './recordings.js'

const columns = [
  { key: 'boot', code: 'await bootstrap(App)', note: 'The wiring is proved before.' },
  { key: 'listening', code: 'await server.listen()', note: 'Then requests are served.' },
  { key: 'close', code: 'await server.close()', note: 'Last made, first ended.' },
] as const

export function bootPicture(recording: LifeRecording): Picture {
  const gap = 18
  const width = (WIDTH - 2 * MARGIN - 2 * gap) / 3
  const top = 88
  const rows = Math.max(...columns.map(({ key }) => recording[key].length))
  const heightOf = (count: number): number => 62 + count * CHIP_STEP + 3
  const elements = columns.flatMap(({ key, code, note }, column) => {
    const x = MARGIN + column * (width + gap)
    return [
      box(x, top, width, heightOf(recording[key].length), 'room'),
      text(x + 14, top + 25, 'mono text', code),
      text(x + 14, top + 46, 'soft', note),
      ...recording[key].map((step, index) => {
        const isHook = step.startsWith('hook ')
        return chip(x + 8, top + 62 + index * CHIP_STEP, step, isHook ? 'lit' : 'plain', width - 16)
      }),
    ]
  })
  return {
    title: 'From boot to close',
    description: columns.map(({ key, code }) => `${code}: ${recording[key].join(', ')}.`).join(' '),
    height: top + heightOf(rows) + MARGIN,
    elements: [
      text(MARGIN, 62, 'soft', 'App provides Database and imports UsersPlugin. Green: hooks of the application. White: classes.'),
      ...elements,
    ],
  }
}

const LEFT = 214
const RIGHT = WIDTH - MARGIN - 20
const ROW = 30

const scopes: Readonly<Record<string, string>> = {
  context: 'one instance for its context',
  request: 'one for each request',
  transient: 'one for each class that asks for it',
}

/** Instances as bars between the points where they begin and end. */
export function lifetimesPicture(lives: readonly Life[], points: readonly string[]): Picture {
  const xOf = (point: string): number => LEFT + (points.indexOf(point) / (points.length - 1)) * (RIGHT - LEFT)
  const top = 124
  const elements: string[] = []
  let y = top
  for (const [scope, note] of Object.entries(scopes)) {
    const own = lives.filter((life) => life.scope === scope)
    const height = Math.max(own.length * ROW, 56)
    elements.push(
      text(MARGIN, y + 18, 'name', scope),
      ...wrap(note, 24).map((content, row) => text(MARGIN, y + 37 + row * 17, 'soft', content)),
    )
    for (const [index, { name, from, to }] of own.entries()) {
      const at = y + index * ROW + (height - own.length * ROW) / 2
      elements.push(
        box(xOf(from), at + 3, xOf(to) - xOf(from), ROW - 7, scope === 'context' ? 'lit-core' : scope === 'request' ? 'lit' : 'chip', 6),
        text(xOf(from) + 10, at + 19, 'mono text', name),
      )
    }
    y += height + 20
    elements.push(line(MARGIN, y - 10, WIDTH - MARGIN, y - 10))
  }
  const bottom = y - 10
  const words = lives.map(({ name, scope, from, to }) => `${name} (${scope}): from ${from} to ${to}`)
  return {
    title: 'How long instances live',
    description: `Two requests, A and B, overlap. ${words.join('; ')}.`,
    height: bottom + 40,
    elements: [
      text(MARGIN, 62, 'soft', 'The requests A and B overlap. Each bar is one instance, from its constructor to its end.'),
      ...points.flatMap((point) => [
        line(xOf(point), top - 12, xOf(point), bottom, 'rule', '3 4'),
        text(xOf(point), top - 20, 'mono soft', point, 'middle'),
      ]),
      ...elements,
      text(MARGIN, bottom + 24, 'faint', 'A transient instance ends with the instance that it was made for.'),
    ],
  }
}
