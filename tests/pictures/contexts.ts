/** Contexts as nested rooms, from what `explain` returns. */
import type { ContextDescription, explain } from 'alcove'
import { box, chip, CHIP_STEP, type ChipKind, chipWidth, MARGIN, type Picture, text, WIDTH, wrap } from './svg.js'

export type Explanation = ReturnType<ReturnType<typeof explain>['toJSON']>
type ExplainedRoute = Explanation['routes'][number]

/** A room with its size, and what is lit in it. */
interface Room {
  readonly name: string
  /** How deep it is below the root, if the route is in it or below it. */
  readonly litDepth: number | undefined
  readonly chips: readonly { readonly label: string; readonly kind: ChipKind }[]
  readonly children: readonly Room[]
  /** Whether its chips stand above its children, not beside them. */
  readonly isStacked: boolean
  readonly width: number
  readonly height: number
}

const PADDING = 16
const GAP = 14
const HEADER = 32
const litClasses = ['lit', 'lit-inner', 'lit-core']

/** The providers of a plugin, and the context that they are declared in. */
interface Providing {
  readonly path: string
  readonly context: string
  readonly providers: readonly string[]
}

/**
 * @param seeing the route whose view is lit; everything else is grey
 * @param plugins those whose providers are drawn
 */
function roomOf(
  context: ContextDescription,
  { routes }: Explanation,
  seeing: ExplainedRoute,
  plugins: readonly Providing[] = [],
  depth = 0,
): Room {
  const isAbove = seeing.context === context.path || seeing.context.startsWith(`${context.path} > `)
  const isSeen = (name: string): boolean =>
    seeing.visible.requestDecorators.some((entry) => entry.name === name && entry.from === context.path)
  const hooks = new Set(routes.flatMap((route) => route.hooks.filter(({ from }) => from === context.path).map(({ hook }) => hook)))
  const providers = plugins.filter((plugin) => plugin.context === context.path)
  const chips = [
    ...providers.flatMap(({ path, providers: names }) =>
      names.map((label) => {
        const isVisible = seeing.visible.providers.some(({ name, from }) => name === label && from === path)
        return { label, kind: isVisible ? ('lit' as const) : ('faint' as const) }
      }),
    ),
    ...context.requestDecorators.map((name) => ({ label: `request.${name}`, kind: isSeen(name) ? ('lit' as const) : ('faint' as const) })),
    ...[...hooks].map((name) => ({ label: `${name} hook`, kind: isAbove ? ('lit' as const) : ('faint' as const) })),
    ...context.routes
      .filter((route) => !route.isAutomatic)
      .map((route) => ({
        label: `${route.methods.join()} ${route.url}`,
        kind: route.place === seeing.place ? ('subject' as const) : ('faint' as const),
      })),
  ]
  const children = context.children.map((child) => roomOf(child, { routes } as Explanation, seeing, plugins, depth + 1))
  const chipsWidth = Math.max(...chips.map(({ label }) => chipWidth(label)), context.name.length * 8)
  // The room of the root, and every room if there is more to show in it.
  const isStacked = depth === 0 || plugins.length > 0
  const below = children.reduce((sum, child) => sum + child.width + GAP, -GAP)
  const tallest = Math.max(0, ...children.map((child) => child.height))
  return {
    name: context.name,
    litDepth: isAbove ? depth : undefined,
    chips,
    children,
    isStacked,
    width: 2 * PADDING + (isStacked ? Math.max(chipsWidth, below) : chipsWidth + (children.length > 0 ? GAP + below : 0)),
    height:
      HEADER +
      PADDING +
      (isStacked ? chips.length * CHIP_STEP + (children.length > 0 ? 6 + tallest : 0) : Math.max(chips.length * CHIP_STEP - 7, tallest)),
  }
}

function drawRoom(room: Room, x: number, y: number, width: number, height: number): string[] {
  const { litDepth, isStacked } = room
  const elements = [
    box(x, y, width, height, litDepth === undefined ? 'room' : litClasses[litDepth]!),
    text(x + PADDING, y + 22, litDepth === undefined ? 'name faint' : 'name', room.name),
  ]
  for (const [index, { label, kind }] of room.chips.entries()) elements.push(chip(x + PADDING, y + HEADER + index * CHIP_STEP, label, kind))
  const chipsWidth = Math.max(0, ...room.chips.map(({ label }) => chipWidth(label)))
  let left = x + PADDING + (isStacked ? 0 : chipsWidth + GAP)
  const top = y + HEADER + (isStacked ? room.chips.length * CHIP_STEP + 6 : 0)
  const free = x + width - PADDING - left - room.children.reduce((sum, child) => sum + child.width + GAP, -GAP)
  for (const child of room.children) {
    const wide = child.width + free / room.children.length
    elements.push(...drawRoom(child, left, top, wide, y + height - PADDING - top))
    left += wide + GAP
  }
  return elements
}

/** What one route sees: its own room and those around it; the rest is grey. */
export function contextsPicture(explanation: Explanation, url: string): Picture {
  const seeing = explanation.routes.find((route) => route.url === url)!
  const room = roomOf(explanation.root, explanation, seeing)
  const top = 84
  const width = WIDTH - 2 * MARGIN
  const seen = seeing.visible.requestDecorators.map(({ name }) => `request.${name}`)
  const title = `What GET ${url} sees`
  return {
    title,
    description: `Rooms within rooms: each plugin is a context. GET ${url} is in ${seeing.context}. It sees ${seen.join(', ')}, which its own room and those around it declare. The other rooms, with their hooks, are grey: it sees nothing of them.`,
    height: top + room.height + MARGIN,
    elements: [
      text(MARGIN, 62, 'soft', 'A route sees what its own room and the rooms around it declare. It sees nothing of the rest.'),
      ...drawRoom(room, MARGIN, top, width, room.height),
    ],
  }
}

/** What one route of an application sees, with the providers that the plugins list. */
export function appPicture(
  explanation: Explanation,
  seeing: ExplainedRoute,
  plugins: readonly Providing[],
  title: string,
  note: string,
): Picture {
  const room = roomOf(explanation.root, explanation, seeing, plugins)
  const { requestDecorators, providers } = seeing.visible
  const seen = [...providers.map(({ name }) => name), ...requestDecorators.map(({ name }) => `request.${name}`)]
  const route = `${seeing.methods.join()} ${seeing.url}`
  return {
    title,
    description: `Rooms within rooms: each plugin is a context. ${route} is in ${seeing.context}. It sees ${seen.join(', ')}. Hooks of its own room and of the rooms around it run before it. It sees nothing of the grey rooms.`,
    height: 84 + room.height + MARGIN,
    elements: [text(MARGIN, 62, 'soft', note), ...drawRoom(room, MARGIN, 84, WIDTH - 2 * MARGIN, room.height)],
  }
}

/** `imports` against `shared(imports)`: the same plugins, and what the routes of the importing one see. */
export function sharedPicture(apart: Explanation, together: Explanation, url: string): Picture {
  const width = (WIDTH - 2 * MARGIN - 20) / 2
  const panels = [
    { explanation: apart, code: 'imports: [GrandchildPlugin]', note: 'A child: it sees its parent. Its parent sees nothing of it.' },
    {
      explanation: together,
      code: 'imports: [shared(GrandchildPlugin)]',
      note: 'It declares in the room of its parent, which sees it.',
    },
  ].map(({ explanation, code, note }) => {
    const seeing = explanation.routes.find((route) => route.url === url)!
    const context = explanation.root.children.find((child) => child.path === seeing.context)!
    // As if it were the root: its chips stand above its children.
    return { room: roomOf(context, explanation, seeing), code, note, seen: seeing.visible.requestDecorators.map(({ name }) => name) }
  })
  const height = Math.max(...panels.map(({ room }) => room.height))
  const elements = panels.flatMap(({ room, code, note, seen }, index) => {
    const x = MARGIN + index * (width + 20)
    const lines = wrap(note, 44)
    return [
      text(x, 70, 'mono text', code),
      ...lines.map((content, row) => text(x, 92 + row * 18, 'soft', content)),
      ...drawRoom(room, x, 122, width, height),
      text(x, 122 + height + 26, 'accent', `GET ${url} sees ${seen.join(', ')}`),
    ]
  })
  return {
    title: 'imports and shared(imports)',
    description: panels.map(({ code, note, seen }) => `${code}: ${note} GET ${url} sees ${seen.join(', ')}.`).join(' '),
    height: 122 + height + 26 + MARGIN,
    elements,
  }
}
