/** Parts of pictures: text, boxes, arrows, and the frame with the colours of light and dark. Lengths are pixels of a picture 720 wide. */
import { escapeHtml } from '../../lib/util/escape-html.js'

export const WIDTH = 720
export const MARGIN = 24

/** Light and dark. */
type Color = readonly [light: string, dark: string]

const ink: Color = ['#263041', '#e7eaf0']
const soft: Color = ['#5d6776', '#a3adbb']
const faint: Color = ['#7c8593', '#8b95a4']
const accent: Color = ['#0b6e66', '#6fd8cb']
const alarm: Color = ['#a83232', '#f39a92']

/** The class of an element: how it is filled and drawn. */
const classes: Readonly<Record<string, { readonly fill?: Color; readonly stroke?: Color; readonly css?: string }>> = {
  page: { fill: ['#fcfbf8', '#171a20'], stroke: ['#e6e1d8', '#2b303a'] },
  title: { fill: ink, css: 'font-size: 19px; font-weight: 700' },
  name: { fill: ink, css: 'font-size: 14px; font-weight: 650' },
  text: { fill: ink },
  soft: { fill: soft },
  faint: { fill: faint },
  accent: { fill: accent, css: 'font-weight: 650' },
  alarm: { fill: alarm, css: 'font-weight: 650' },
  room: { fill: ['#f4f2ec', '#1f232b'], stroke: ['#d8d2c6', '#3a404c'] },
  lit: { fill: ['#e3f2ef', '#16302f'], stroke: ['#0b6e66', '#4fb8ac'] },
  'lit-inner': { fill: ['#d2eae6', '#1c3d3b'], stroke: ['#0b6e66', '#4fb8ac'] },
  'lit-core': { fill: ['#bfe1dc', '#234c49'], stroke: ['#0b6e66', '#4fb8ac'] },
  wrong: { fill: ['#fbeceb', '#351e1f'], stroke: ['#c96a63', '#b5645f'] },
  chip: { fill: ['#ffffff', '#2a2f39'], stroke: ['#d8d2c6', '#474e5c'] },
  'chip-subject': { fill: ['#ffffff', '#12201f'], stroke: accent, css: 'stroke-width: 2' },
  'chip-lit': { fill: ['#0b6e66', '#2f8d83'], stroke: ['#0b6e66', '#2f8d83'] },
  'chip-text': { fill: ink },
  'chip-faint': { fill: faint },
  'chip-on': { fill: ['#ffffff', '#ffffff'] },
  rule: { stroke: ['#ddd8cd', '#353b47'] },
  arrow: { stroke: soft, css: 'fill: none; stroke-width: 1.5' },
  'arrow-alarm': { stroke: alarm, css: 'fill: none; stroke-width: 1.5' },
  'head-soft': { fill: soft },
  'head-alarm': { fill: alarm },
  'mark-one': { fill: accent, stroke: accent, css: 'stroke-width: 2' },
  'mark-two': { fill: ['#c07a1e', '#e6b063'], stroke: ['#c07a1e', '#e6b063'], css: 'stroke-width: 2' },
  'mark-three': { fill: faint, stroke: faint, css: 'stroke-width: 2' },
}

function rulesOf(mode: 0 | 1): string {
  return Object.entries(classes)
    .map(([name, { fill, stroke, css }]) => {
      const parts = [fill && `fill: ${fill[mode]}`, stroke && `stroke: ${stroke[mode]}`, mode === 0 && css].filter(Boolean)
      return `    .${name} { ${parts.join('; ')} }`
    })
    .join('\n')
}

const style = `
    text { font: 13px ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }
    .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 12px }
${rulesOf(0)}
    @media (prefers-color-scheme: dark) {
${rulesOf(1)}
    }`

export interface Picture {
  /** What it shows, in a few words. */
  readonly title: string
  /** The same for readers who do not see it. */
  readonly description: string
  readonly height: number
  readonly elements: readonly string[]
}

/** The file of a picture. */
export function draw({ title, description, height, elements }: Picture): string {
  const head = (name: string): string =>
    `<marker id="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" class="head-${name}"/></marker>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">`,
    `  <title id="title">${escapeHtml(title)}</title>`,
    `  <desc id="desc">${escapeHtml(description)}</desc>`,
    `  <style>${style}\n  </style>`,
    `  <defs>${head('soft')}${head('alarm')}</defs>`,
    `  <rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="12" class="page"/>`,
    `  ${text(MARGIN, 38, 'title', title)}`,
    ...elements.map((element) => `  ${element}`),
    '</svg>\n',
  ].join('\n')
}

type Anchor = 'start' | 'middle' | 'end'

export function text(x: number, y: number, className: string, content: string, anchor: Anchor = 'start'): string {
  const anchored = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  return `<text x="${round(x)}" y="${round(y)}" class="${className}"${anchored}>${escapeHtml(content)}</text>`
}

export function box(x: number, y: number, width: number, height: number, className: string, radius = 9): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${radius}" class="${className}"/>`
}

export function line(x1: number, y1: number, x2: number, y2: number, className = 'rule', dashes = ''): string {
  const dashed = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`
  return `<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" class="${className}"${dashed}/>`
}

/** An arrow along a path of points, with its head at the last. */
export function arrow(points: readonly (readonly [number, number])[], kind: 'soft' | 'alarm' = 'soft'): string {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')
  return `<path d="${path}" class="${kind === 'soft' ? 'arrow' : 'arrow-alarm'}" marker-end="url(#${kind})"/>`
}

/** The width of a text in a monospaced font of 12 pixels: no usual one is wider. */
export function monoWidth(content: string): number {
  return content.length * 7.25
}

const CHIP_HEIGHT = 24
export const CHIP_STEP = CHIP_HEIGHT + 7

export function chipWidth(label: string): number {
  return monoWidth(label) + 18
}

/** `subject`: what the picture is about. */
export type ChipKind = 'lit' | 'plain' | 'faint' | 'subject'

const chipClasses: Readonly<Record<ChipKind, readonly [box: string, text: string]>> = {
  lit: ['chip-lit', 'chip-on'],
  plain: ['chip', 'chip-text'],
  faint: ['chip', 'chip-faint'],
  subject: ['chip-subject', 'accent'],
}

/** A label in a box of its own: what a context declares, or a stage. */
export function chip(x: number, y: number, label: string, kind: ChipKind, width = chipWidth(label)): string {
  const [frame, color] = chipClasses[kind]
  return box(x, y, width, CHIP_HEIGHT, frame, 6) + text(x + width / 2, y + 16, `mono ${color}`, label, 'middle')
}

/** The lines of a text of at most so many characters. */
export function wrap(content: string, length: number): string[] {
  const lines = ['']
  for (const word of content.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > length) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
