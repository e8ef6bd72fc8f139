/** The ratios of the benchmark with their ranges, from bench/results.json. */
import { line, MARGIN, monoWidth, type Picture, text, WIDTH, wrap } from './svg.js'

interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The part of bench/results.json that is drawn. */
export interface Results {
  readonly requests: {
    readonly conditions: { readonly date: string; readonly node: string; readonly machine: string }
    readonly workloads: Readonly<Record<string, Readonly<Record<string, { readonly ratio?: Ratio }>>>>
  }
}

const servers = [
  { key: 'alcove', name: 'alcove', mark: 'mark-one' },
  { key: 'classes', name: 'alcove with classes', mark: 'mark-two' },
  { key: 'nest', name: 'NestJS on Fastify', mark: 'mark-three' },
]
const LEFT = 266
const RIGHT = WIDTH - MARGIN - 46
const ROW = 62
const TOP = 128
const ticks = [0.5, 1, 2, 4, 8]

/** Twice the ratio is the same distance everywhere. */
function xOf(ratio: number): number {
  const [first, last] = [Math.log2(ticks[0]!), Math.log2(ticks.at(-1)!)]
  return LEFT + ((Math.log2(ratio) - first) / (last - first)) * (RIGHT - LEFT)
}

/** Where an entry of the legend begins: after those before it. */
function legendAt(index: number): number {
  return servers.slice(0, index).reduce((sum, { name }) => sum + name.length * 7 + 44, 0)
}

function mark({ median, low, high }: Ratio, y: number, className: string): string[] {
  const label = median.toFixed(2)
  const after = Math.max(xOf(high), xOf(median) + 4) + 7
  // On the other side, if the line of Fastify would go through it.
  const isCrossed = median < 1 && Math.abs(after + monoWidth(label) / 2 - xOf(1)) < monoWidth(label)
  return [
    line(xOf(low), y, xOf(high), y, className),
    `<circle cx="${xOf(median).toFixed(1)}" cy="${y}" r="4" class="${className}"/>`,
    isCrossed ? text(xOf(low) - 7, y + 4, 'mono soft', label, 'end') : text(after, y + 4, 'mono soft', label),
  ]
}

/** @param titles what each workload does, by its name; others are not drawn */
export function benchPicture({ requests: { conditions, workloads: measured } }: Results, titles: ReadonlyMap<string, string>): Picture {
  const names = [...titles.keys()]
  const bottom = TOP + names.length * ROW
  const rows = names.flatMap((name, row) => {
    const y = TOP + row * ROW
    const ratios = servers.map(({ key, mark: className }) => ({ ratio: measured[name]![key]!.ratio!, className }))
    return [
      text(MARGIN, y + 20, 'name', name),
      ...wrap(titles.get(name)!, 31).map((content, index) => text(MARGIN, y + 37 + index * 16, 'soft', content)),
      ...(row > 0 ? [line(MARGIN, y, WIDTH - MARGIN, y)] : []),
      ...ratios.flatMap(({ ratio, className }, index) => mark(ratio, y + 15 + index * 15, className)),
    ]
  })
  const words = names.map(
    (name) =>
      `${name}: ${servers.map(({ key, name: server }) => `${server} ${measured[name]![key]!.ratio!.median.toFixed(2)}`).join(', ')}`,
  )
  return {
    title: 'CPU per request, relative to Fastify',
    description: `The ratio of CPU time per request to that of Fastify, median of the runs. ${words.join('; ')}.`,
    height: bottom + 46,
    elements: [
      text(
        MARGIN,
        62,
        'soft',
        'Left of 1 is less CPU than Fastify, right of it more. A dot is the median of all runs, its line their range.',
      ),
      ...servers.flatMap(({ name, mark: className }, index) => [
        `<circle cx="${MARGIN + 6 + legendAt(index)}" cy="86" r="4" class="${className}"/>`,
        text(MARGIN + 16 + legendAt(index), 90.5, 'text', name),
      ]),
      ...ticks.flatMap((tick) => [
        line(xOf(tick), TOP - 6, xOf(tick), bottom, tick === 1 ? 'arrow' : 'rule', tick === 1 ? '' : '3 4'),
        text(xOf(tick), TOP - 12, tick === 1 ? 'mono text' : 'mono faint', tick === 1 ? '1 = Fastify' : `${tick}`, 'middle'),
      ]),
      ...rows,
      text(MARGIN, bottom + 26, 'faint', `${conditions.date}, ${conditions.machine}, Node.js ${conditions.node}. The axis is logarithmic.`),
    ],
  }
}
