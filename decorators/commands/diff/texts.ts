/**
 * Writes the result of `alcove diff` for a terminal, and in Markdown for a pull request. A change that several routes share is written
 * once.
 */
import { nameOfStep } from '../../../lib/internal.js'
import type { Change } from '../../contract/compare/compare-types.js'
import type { Answer } from '../../contract/subsumption/compare.js'
import type { DiffReport } from './report.js'

/** A change, with all routes that have the same change. */
interface Group {
  readonly change: Change
  readonly routes: string[]
}

const MAX_ROUTES = 3
/** The most changes that are written for one answer, so that a pull request stays readable. */
const MAX_GROUPS = 100
const MAX_VALUE = 100
const titles: readonly (readonly [Answer, string])[] = [
  ['breaking', 'Breaking'],
  ['unknown', 'Not known'],
  ['compatible', 'Compatible'],
]

export function reportText(report: DiffReport): string {
  const lines: string[] = []
  for (const [answer, title] of titles) {
    const groups = groupsOf(report, answer)
    if (groups.length === 0) continue
    lines.push(`${title}:`)
    for (const { change, routes } of groups.slice(0, MAX_GROUPS)) {
      lines.push(`  ${routesText(routes, MAX_ROUTES)}`)
      lines.push(`    ${placeOf(change)} ${change.reason}${exampleText(change, (text) => text)}`)
    }
    lines.push(...moreText(groups.length), '')
  }
  if (report.review.length > 0) lines.push('To review:', ...report.review.map(({ text }) => `  ${text}`), '')
  return [...lines, summaryOf(report)].join('\n')
}

export function reportMarkdown(report: DiffReport): string {
  const lines = [`## ${headings[report.answer]}`, '', summaryOf(report), '']
  for (const [answer, title] of titles) {
    const groups = groupsOf(report, answer)
    if (groups.length === 0) continue
    const isShort = answer !== 'compatible'
    lines.push(...(isShort ? [`### ${title}`, ''] : ['<details>', `<summary>${title}: ${groups.length} changes</summary>`, '']))
    lines.push('| Routes | Change |', '| --- | --- |')
    for (const { change, routes } of groups.slice(0, MAX_GROUPS))
      lines.push(`| ${routesText(routes, MAX_ROUTES, code)} | ${cell(`${placeOf(change)} ${change.reason}`)}${exampleText(change, code)} |`)
    lines.push(...moreText(groups.length), '', ...(isShort ? [] : ['</details>', '']))
  }
  if (report.review.length > 0)
    lines.push('### To review', '', 'No request shows these changes.', '', ...report.review.map(({ text }) => `- ${cell(text)}`), '')
  return lines.join('\n')
}

const headings: Readonly<Record<Answer, string>> = {
  compatible: 'Compatible with clients of today',
  breaking: 'This breaks clients of today',
  unknown: 'It is not known whether this breaks clients of today',
}

function groupsOf({ routes, changes }: DiffReport, answer: Answer): Group[] {
  const groups = new Map<string, Group>()
  const add = (change: Change, route: string): void => {
    if (change.answer !== answer) return
    const key = JSON.stringify([change.part, tailOf(change), change.reason])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { change, routes: [route] })
    else if (!known.routes.includes(route)) known.routes.push(route)
  }
  for (const change of changes) add(change, 'all routes')
  for (const { route, changes: own } of routes) for (const change of own) add(change, route)
  return [...groups.values()]
}

/**
 * Returns the last two steps of the path of a change, by which a change of a schema that several routes use is recognized as the same
 * change.
 */
function tailOf({ path = '' }: Change): string {
  return path
    .split('/')
    .filter((step) => !/^\d+$/.test(step))
    .slice(-2)
    .join('/')
}

function placeOf({ part, path = '' }: Change): string {
  return part === 'route' ? 'the route' : `${part}${path === '' ? '' : ` ${path}`}:`
}

function routesText(routes: readonly string[], most: number, mark = (text: string): string => text): string {
  const others = routes.length - most
  return `${routes.slice(0, most).map(mark).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function moreText(count: number): string[] {
  return count > MAX_GROUPS ? [`  and ${count - MAX_GROUPS} more: see --json`] : []
}

/**
 * Returns a text with the example value at the place of the change; an empty text if there is no example, or if the reason contains the
 * example already.
 */
function exampleText({ part, reason, example, path = '' }: Change, mark: (text: string) => string): string {
  if (example === undefined || part === 'route') return ''
  const found = valueAt(example, path) ?? example
  const isSentence = typeof example === 'string' && path === '' && example.includes(' ')
  const text = isSentence ? example : JSON.stringify(found)
  if (`${part}: ${reason}`.includes(typeof found === 'string' && found !== '' ? found : text)) return ''
  return `; for instance ${mark(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text)}`
}

function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('/').slice(1)) {
    const name = nameOfStep(step)
    at = at !== null && typeof at === 'object' && Object.hasOwn(at, name) ? at[name as keyof typeof at] : undefined
  }
  return at
}

function summaryOf({ routes, notes, generates, review }: DiffReport): string {
  const count = (matches: (route: DiffReport['routes'][number]) => boolean): number => routes.filter(matches).length
  const numbers = titles.map(([answer]) => `${count((route) => route.answer === answer)} ${answer === 'unknown' ? 'not known' : answer}`)
  const added = count(({ state }) => state === 'added')
  const removed = count(({ state }) => state === 'removed')
  return [
    `${routes.length} ${routes.length === 1 ? 'route' : 'routes'}: ${numbers.join(', ')}; ${added} added, ${removed} removed.`,
    ...(review.length > 0 ? [`${review.length} ${review.length === 1 ? 'change' : 'changes'} to review.`] : []),
    ...(notes.length > 0
      ? [
          `${notes.length} ${notes.length === 1 ? 'part of the documents was' : 'parts of the documents were'} not compared: --json lists them.`,
        ]
      : []),
    ...(generates
      ? []
      : ['json-schema-faker is not installed, so few examples were looked for: npm install --save-dev json-schema-faker.']),
  ].join(' ')
}

/** Writes a text as inline code of Markdown that is safe in a table cell. */
function code(text: string): string {
  const plain = text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``
}

/** Escapes a text for Markdown, so that names in a document are not read as markup or HTML. */
function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|@#]/g, (character) => `\\${character}`)
}
