/** The command `alcove errors`: prints the sections of docs/reference/errors.md that explain the codes of errors and faults. */
import { posix } from 'node:path'
import { findOwn, readFileSync, suggestName } from '../../lib/internal.js'
import { UsageError } from './modules.js'

/** The path, within the package, of the page that describes all codes. */
const PAGE = 'docs/reference/errors.md'

/** The section of the page that describes a code. */
interface Section {
  readonly code: string
  /** The heading above the section: `Wiring: providers`. */
  readonly subject: string
  /** The text below the heading `subject`, which applies to all codes below it. May be empty. */
  readonly introduction: string
  readonly text: string
}

/**
 * Prints the explanation of each code. Codes may be written in upper or lower case. For a code of `alcove/fastify` (`FST_ERR_…`), the code
 * of the same error in alcove is explained.
 * @throws UsageError for a code that does not exist; nothing is printed then
 */
export function printErrors(codes: readonly string[]): void {
  const sections = readSections(readFileSync(findOwn(PAGE)!, 'utf8'))
  console.log(codes.map((code) => explain(findSection(code, sections))).join('\n\n\n'))
}

function readSections(page: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>()
  for (const part of page.split(/^## /m).slice(1)) {
    const [head, ...own] = part.split(/^### /m)
    const [subject, introduction] = headingAndText(head!)
    for (const section of own) {
      const [code, text] = headingAndText(section)
      sections.set(code, { code, subject, introduction, text })
    }
  }
  return sections
}

function headingAndText(part: string): [heading: string, text: string] {
  const end = part.indexOf('\n')
  return [part.slice(0, end), part.slice(end).trim()]
}

function findSection(given: string, sections: ReadonlyMap<string, Section>): Section {
  const code = given.toUpperCase()
  const ofServer = code.replace(/^FST_ERR_AJV_/, 'ALC_ERR_JSV_').replace(/^FST_ERR_/, 'ALC_ERR_')
  const section = sections.get(code) ?? sections.get(ofServer)
  if (section !== undefined) return section
  const suggestion = suggestName(ofServer, [...sections.keys()], `All codes are listed in ${PAGE} of this package.`)
  throw new UsageError(`There is no error code '${given}'. ${suggestion}`)
}

function explain({ code, subject, introduction, text }: Section): string {
  const paragraphs = [`${code} (${subject})`, text.replace(/^> /, 'For example:\n\n  '), ...(introduction === '' ? [] : [introduction])]
  return paragraphs.map(toPlainText).join('\n\n')
}

/** Returns a text without the marks of Markdown. A link to another page becomes the path of this page. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_link, text: string, target: string) =>
      target.startsWith('#') ? text : `${text} (${posix.join(posix.dirname(PAGE), target)})`,
    )
    .replaceAll('**', '')
    .replaceAll(/\\([*<])/g, '$1')
}
