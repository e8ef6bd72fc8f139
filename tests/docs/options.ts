/** What tables show of options: type, default and what an option does, from its declaration. */
import assert from 'node:assert/strict'
import type { Member } from './declarations.js'
import type { Cells } from './tables.js'

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

/** A default as a doc comment says it: `default 10 000; 0: no limit`, `Default: the context's level.` */
const saidDefault = /(?:[;,] |\. |^)[Dd]efault:? ((?:`[^`]*`|[^.;`])+?)(?=; |\. |\.?$)/

/** The cells of an option. The default is that of `defaults` if the option has one there, otherwise that of its doc comment. */
export function cellsOfOption({ name, type, text }: Member, defaults: Readonly<Record<string, unknown>> = {}): Cells {
  const said = saidDefault.exec(text)?.[1]
  const known = Object.hasOwn(defaults, name)
  const value = known ? shown(defaults[name]) : said && withLinks(asCode(said))
  if (known && said !== undefined)
    assert.equal(plain(said), plain(shown(defaults[name])), `the doc comment of ${name} says another default`)
  return {
    ...(type !== '' && { Type: code(type) }),
    ...(value !== undefined && { Default: value }),
    ...(text !== '' && { 'What it does': withLinks(withoutDefault(text)) }),
  }
}

/** The cells of a member in a table without a column for the default, which is then in the text. */
export function cellsOfMember({ type, text }: Member): Cells {
  return { ...(type !== '' && { Type: code(type) }), ...(text !== '' && { 'What it does': withLinks(text) }) }
}

function shown(value: unknown): string {
  if (typeof value === 'number') return `\`${value.toLocaleString('en').replaceAll(',', '_')}\``
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${String(value)}\``
}

/** A value alone is code; a text such as "the context's level" is not. */
function asCode(said: string): string {
  return /^(?:true|false|\d+)$/.test(said) ? `\`${said}\`` : said
}

/** A value without the marks of its notation: `1_048_576` and `1 MiB` are both 1048576. */
function plain(value: string): string {
  const [, mebibytes] = /^(\d+) MiB$/.exec(value) ?? []
  return mebibytes === undefined ? value.replace(/:.*/, '').replaceAll(/[`'_ ]/g, '') : String(Number(mebibytes) * 1_048_576)
}

/** The text without its default, unless the sentence says more: "Default false: they see the status text." */
function withoutDefault(text: string): string {
  const [all = '', said = ''] = saidDefault.exec(text) ?? []
  if (all === '' || all === text) return text
  if (/^\d+: /.test(said)) return text.replace(/\bdefault (?=\d+: )/, '')
  if (said.replaceAll(/`[^`]*`/g, '').includes(':')) return text
  const [before = '', after = ''] = text.split(all)
  return `${before}${after.startsWith(';') ? '' : '.'}${after}`.replace('..', '.').replace(/^[.;] /, '')
}

/** Error codes lead to their sections. */
export function withLinks(text: string): string {
  return text.replaceAll(/\bALC_ERR_[A-Z\d_]+[A-Z\d]/g, (found) => `[\`${found}\`](errors.md#${found.toLowerCase()})`)
}

/** What a member is, in a column of this heading. */
export function cellsOfText(member: Member | undefined, heading: string): Cells {
  return member === undefined || member.text === '' ? {} : { [heading]: withLinks(member.text) }
}

/** The first sentences of a text that fit into a row, at least one. A full stop in code ends none; one with a colon announces an example. */
export function firstSentences(text: string): string {
  const [first = '', ...more] = text.match(/(?:`[^`]*`|[^.`]|\.(?! |$))+\.?/g) ?? []
  let taken = first
  for (const next of more) {
    if (taken.length + next.length > 280 || next.endsWith(':')) break
    taken += next
  }
  return taken
}
