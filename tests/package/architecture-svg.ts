/** Draws the rooms: one row for each, the ground at the bottom, and beside it a matrix of what it imports. */
import type { Layer, Room } from './architecture.js'

// Lengths in pixels.
const width = 1000
const margin = 24
/** Of a character of a file's name, 12 pixels high, in any usual monospaced font. */
const character = 7.25
const line = 17
const cell = 27
const gap = 6

const style = `
    text { font: 12px ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #2d3440 }
    .file { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace }
    .title { font-size: 20px; font-weight: 700 }
    .layer { font-size: 16px; font-weight: 700 }
    .room { font-size: 14px; font-weight: 700 }
    .soft { fill: #68707d }
    .count { font-size: 11px; text-anchor: middle }
    .column { font-size: 12px }
    .inside { fill: #fff }
    .band { fill: #fff; stroke: #dcd7cd }
    .folder { fill: #f6f4ef; stroke: #dcd7cd }
    .rule { stroke: #e3dfd6 }`

interface Column {
  readonly name: string
  readonly x: number
  readonly color: string
}

interface Drawing {
  readonly elements: string[]
  readonly bottom: number
}

/** The whole picture, with the last layer on top. */
export function drawLayers(layers: readonly Layer[]): string {
  const elements = [
    text(margin, 42, 'title', 'The rooms of alcove'),
    text(
      margin,
      64,
      'soft',
      'A room imports from the rooms below it, never from one above; decorators/ imports lib/ only by its index.ts and internal.ts.',
    ),
    text(
      margin,
      81,
      'soft',
      'On the right, the imports that lead from the files of a row to those of a column; in a square, those inside the room.',
    ),
  ]
  let top = 90
  // The layer with the most columns leaves the least width to its rooms; all layers take that.
  const most = Math.max(...layers.map(({ rooms }) => columnsOf(rooms, 0).length))
  const bandWidth = width - 2 * margin - 18 - most * cell
  for (const layer of [...layers].reverse()) {
    const drawing = drawLayer(layer, top, bandWidth)
    elements.push(...drawing.elements)
    top = drawing.bottom + 8
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 4}" width="${width}" height="${top + 4}" role="img">`,
    '  <title>The rooms of lib and decorators, their files, and how many imports lead from one to another</title>',
    `  <style>${style}\n  </style>`,
    `  <rect width="100%" height="100%" rx="10" fill="#fbfaf7"/>`,
    ...elements.map((element) => `  ${element}`),
    '</svg>\n',
  ].join('\n')
}

function drawLayer({ name, rooms }: Layer, top: number, bandWidth: number): Drawing {
  const columns = columnsOf(rooms, margin + bandWidth + 12 + cell / 2)
  const head = top + 62
  const elements = [text(margin, head - 8, 'layer', `${name}/`)]
  const bands: string[] = []
  const homes = new Map<string, number>()
  let y = head
  for (const room of [...rooms].reverse()) {
    const band = drawBand(room, y, bandWidth, columns)
    bands.push(...band.elements)
    homes.set(room.name, (y + band.bottom) / 2)
    y = band.bottom + gap
  }
  for (const { x, name: title } of columns) {
    elements.push(`<path class="rule" d="M${x} ${head - 4}V${homes.get(title) ?? y - gap}"/>`)
    elements.push(`<text class="column" transform="translate(${x + 3} ${head - 9}) rotate(-50)">${title}</text>`)
  }
  return { elements: [...elements, ...bands], bottom: y }
}

/** One column for each room, in the order of the rows, and one for each other layer. */
function columnsOf(rooms: readonly Room[], left: number): Column[] {
  const own = rooms.map(({ name }) => name)
  const others = [...new Set(rooms.flatMap(({ imports }) => [...imports.keys()]))].filter((name) => !own.includes(name))
  const hue = (index: number): string => `hsl(${Math.round(205 - (index * 300) / own.length + 360) % 360} 45% 52%)`
  const columns = [
    ...own.map((name, index) => ({ name, color: hue(index) })).reverse(),
    ...others.sort().map((name) => ({ name, color: 'hsl(220 8% 55%)' })),
  ]
  return columns.map((column, index) => ({ ...column, x: left + index * cell }))
}

function drawBand(room: Room, top: number, bandWidth: number, columns: readonly Column[]): Drawing {
  const { elements, bottom } = drawFiles(room, top + 24, bandWidth)
  const height = bottom - top + 8
  const middle = top + height / 2
  const color = columns.find(({ name }) => name === room.name)!.color
  return {
    elements: [
      `<path class="rule" d="M${margin + bandWidth} ${middle}H${columns.at(-1)!.x}"/>`,
      `<rect class="band" x="${margin}" y="${top}" width="${bandWidth}" height="${height}" rx="5"/>`,
      `<rect x="${margin}" y="${top}" width="5" height="${height}" rx="2" fill="${color}"/>`,
      `<text x="${margin + 16}" y="${top + 20}"><tspan class="room">${room.name}${isFile(room) ? '.ts' : '/'}</tspan><tspan class="soft" dx="10">${room.purpose}</tspan></text>`,
      ...elements,
      ...columns.flatMap((column) => drawCount(room, column, middle)),
    ],
    bottom: top + height,
  }
}

/** A room that is not a folder has one file, of its own name. */
function isFile({ name, folders }: Room): boolean {
  return folders.size === 1 && folders.get('')?.[0] === name
}

/** The number of imports that lead from a room to that of a column. */
function drawCount(room: Room, { name, x, color }: Column, y: number): string[] {
  const number = room.imports.get(name)
  if (name === room.name) {
    const square = `<rect x="${x - 11}" y="${y - 11}" width="22" height="22" rx="3" fill="${color}"/>`
    return [square, ...(number === undefined ? [] : [text(x, y + 4, 'count inside', number)])]
  }
  if (number === undefined) return []
  const opacity = Math.min(0.75, 0.18 + number / 40).toFixed(2)
  return [
    `<circle cx="${x}" cy="${y}" r="12" fill="#fbfaf7"/>`,
    `<circle cx="${x}" cy="${y}" r="12" fill="${color}" fill-opacity="${opacity}"/>`,
    text(x, y + 4, 'count', number),
  ]
}

/** The names of the files in columns, and those of each folder within the room in a box of their own. */
function drawFiles(room: Room, top: number, bandWidth: number): Drawing {
  if (isFile(room)) return { elements: [], bottom: top }
  const left = margin + 16
  const grid = drawNames(room.folders.get('') ?? [], left, top + 6, bandWidth - 28)
  const boxes = [...room.folders].filter(([folder]) => folder !== '')
  const boxWidth = (bandWidth - 16 - gap - boxes.length * gap) / Math.max(boxes.length, 1)
  const drawn = boxes.map(([folder, names], index) => {
    const x = left + index * (boxWidth + gap) - 4
    const inner = drawNames(names, x + 10, grid.bottom + 26, boxWidth - 16)
    return { x, folder, inner }
  })
  const bottom = Math.max(grid.bottom, ...drawn.map(({ inner }) => inner.bottom + 6))
  const boxElements = drawn.flatMap(({ x, folder, inner }) => [
    `<rect class="folder" x="${x}" y="${grid.bottom + 4}" width="${boxWidth}" height="${bottom - grid.bottom - 4}" rx="4"/>`,
    text(x + 10, grid.bottom + 19, 'soft', `${folder}/`),
    ...inner.elements,
  ])
  return { elements: [...grid.elements, ...boxElements], bottom }
}

/** Names in as many columns as fit, sorted downwards. */
function drawNames(names: readonly string[], left: number, top: number, available: number): Drawing {
  if (names.length === 0) return { elements: [], bottom: top }
  const widest = Math.max(...names.map((name) => name.length)) * character + 8
  const fitting = Math.max(1, Math.min(4, Math.floor(available / widest)))
  const lines = Math.ceil(names.length / fitting)
  const columnWidth = available / fitting
  const elements = names.map((name, index) =>
    text(round(left + Math.floor(index / lines) * columnWidth), top + 12 + (index % lines) * line, 'file', name),
  )
  return { elements, bottom: top + lines * line }
}

function text(x: number, y: number, kind: string, content: string | number): string {
  return `<text x="${x}" y="${y}" class="${kind}">${content}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
