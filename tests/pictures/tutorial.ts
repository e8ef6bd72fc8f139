/** The pictures of docs/tutorial, from what `alcove explain` says of its steps (samples/tutorial/tests/explained.json). */
import { STATUS_CODES } from 'node:http'
import { appPicture, type Explanation } from './contexts.js'
import { arrow, box, MARGIN, monoWidth, type Picture, text, WIDTH } from './svg.js'

interface Hook {
  readonly hook: string
  readonly name: string
  readonly from: string
}

interface Route {
  readonly methods: readonly string[]
  readonly url: string
  readonly place: string
  readonly context: string
  readonly status: number
  readonly hooks: readonly Hook[]
  readonly validated: readonly string[]
  readonly replies: readonly { readonly status: number; readonly from: readonly string[] }[]
}

/** What is recorded of a step. */
export interface Step {
  readonly root: unknown
  readonly routes: readonly unknown[]
  readonly drawn: Route
  readonly plugins: readonly {
    readonly path: string
    readonly context: string
    readonly providers: readonly string[]
    readonly classes: readonly { readonly name: string; readonly needs: readonly string[] }[]
  }[]
}

const nameOf = ({ methods, url }: Route): string => `${methods.join()} ${url}`
const methodOf = ({ place }: Route): string => place.slice(place.lastIndexOf(' ') + 1)

const STEP = 52
const HEIGHT = 32
const STAGE = 250
const REPLY = 190

interface Stage {
  readonly label: string
  readonly kind: string
  /** The statuses of the replies if it does not let the request pass. */
  readonly refuses: readonly number[]
}

/** The stages of a request for a route, each with the replies that end it there. */
function stagesOf(route: Route): readonly Stage[] {
  const { hooks, validated, replies } = route
  const own = (from: string): number[] =>
    replies.filter((reply) => reply.status >= 400 && reply.from.includes(from)).map((reply) => reply.status)
  const guards = (names: readonly string[]): Stage[] =>
    hooks.filter(({ hook }) => names.includes(hook)).map(({ name, from }) => ({ label: name, kind: 'lit', refuses: own(from) }))
  const isGuarded = hooks.some(({ from }) => from === 'route')
  return [
    ...guards(['onRequest']),
    ...(validated.includes('body') ? [{ label: 'body is read and parsed', kind: 'room', refuses: [413, 415] }] : []),
    { label: `${validated.join(', ')} validated`, kind: 'room', refuses: [400] },
    ...guards(['preHandler']),
    { label: methodOf(route), kind: 'lit-core', refuses: isGuarded ? [] : own('route') },
    { label: 'reply is serialized', kind: 'room', refuses: [] },
  ]
}

/** The way of a request through its stages: at each of them it may end with an error. */
export function wayPicture({ drawn }: Step, note: string): Picture {
  const stages = stagesOf(drawn)
  const top = 88
  const side = WIDTH - MARGIN - REPLY
  const center = MARGIN + STAGE / 2
  const y = (index: number): number => top + index * STEP
  const last = stages.length
  const elements = stages.flatMap(({ label, kind, refuses }, index) => [
    box(MARGIN, y(index), STAGE, HEIGHT, kind, 7),
    text(center, y(index) + 20.5, 'mono text', label, 'middle'),
    arrow([
      [center, y(index) + HEIGHT],
      [center, y(index + 1) - 1],
    ]),
    ...(refuses.length === 0
      ? []
      : [
          box(side, y(index), REPLY, HEIGHT, 'wrong', 7),
          text(
            side + REPLY / 2,
            y(index) + 20.5,
            'mono text',
            refuses.length === 1 ? statusText(refuses[0]!) : refuses.join(' or '),
            'middle',
          ),
          arrow(
            [
              [MARGIN + STAGE, y(index) + HEIGHT / 2],
              [side - 1, y(index) + HEIGHT / 2],
            ],
            'alarm',
          ),
        ]),
  ])
  const words = stages.map(({ label, refuses }) => (refuses.length === 0 ? label : `${label} (or ${refuses.map(statusText).join(', ')})`))
  return {
    title: `The way of ${nameOf(drawn)}`,
    description: `A request passes these stages from top to bottom: ${words.join('; ')}. The reply is ${statusText(drawn.status)}.`,
    height: y(last) + HEIGHT + MARGIN,
    elements: [
      text(MARGIN, 62, 'soft', note),
      ...elements,
      box(MARGIN, y(last), STAGE, HEIGHT, 'chip-subject', 7),
      text(center, y(last) + 20.5, 'mono accent', statusText(drawn.status), 'middle'),
    ],
  }
}

function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status]}`
}

/** Which classes get which providers. */
export function needsPicture({ plugins }: Step, note: string): Picture {
  const uses = plugins.flatMap(({ path, providers, classes }) =>
    providers.flatMap((provider) => classes.filter(({ needs }) => needs.includes(provider)).map(({ name }) => ({ path, provider, name }))),
  )
  const top = 92
  const elements = uses.flatMap(({ path, provider, name }, index) => {
    const y = top + index * 62
    const [own, other] = [monoWidth(provider) + 60, monoWidth(name) + 60]
    const right = WIDTH - MARGIN - other
    return [
      box(MARGIN, y, own, 40, 'lit-core', 7),
      text(MARGIN + own / 2, y + 24.5, 'mono text', provider, 'middle'),
      arrow([
        [MARGIN + own, y + 20],
        [right - 1, y + 20],
      ]),
      text((MARGIN + own + right) / 2, y + 12, 'soft', `${path} constructs it, and passes it to the constructor of`, 'middle'),
      box(right, y, other, 40, 'lit', 7),
      text(right + other / 2, y + 24.5, 'mono text', name, 'middle'),
    ]
  })
  return {
    title: 'Who gets which provider',
    description: uses
      .map(({ path, provider, name }) => `${path} constructs ${provider}, and passes it to the constructor of ${name}.`)
      .join(' '),
    height: top + uses.length * 62 - 22 + MARGIN,
    elements: [text(MARGIN, 62, 'soft', note), ...elements],
  }
}

/** The contexts of a step, lit for the route that the picture is about. */
export function stepPicture({ root, routes, drawn, plugins }: Step, title: string, note: string): Picture {
  return appPicture({ root, routes } as unknown as Explanation, drawn as unknown as Explanation['routes'][number], plugins, title, note)
}
