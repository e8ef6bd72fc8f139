/**
 * Prints sentences of the pages that are drawn at random, for the reading that tests/docs/readings.md describes, after a build:
 * ```sh
 * node dist/tests/docs/draw-claims.js 20261206 100
 * ```
 * The arguments are a seed, which gives the same sentences as long as the pages do not change, and the number of sentences.
 */
import { findPages, readBlocks } from './pages.js'
import { readText } from '../fixtures/project.js'

/** The most sentences of a page that take part, so that long tables of the reference do not outweigh the other pages. */
const MOST_OF_A_PAGE = 40

/** The fewest words of a sentence. */
const FEWEST_WORDS = 5

interface Sentence {
  readonly page: string
  /** The line in the page at which its paragraph or row begins, counted from 1. */
  readonly line: number
  readonly text: string
}

/** Returns the sentences of a page; a row of a table is one. Headings, blocks of code, comments and the head of a table are left out. */
function sentencesOf(page: string): Sentence[] {
  const text = readText(page)
  const lines = text.split('\n')
  for (const { line, end } of readBlocks(page, text)) lines.fill('', line, end + 1)
  const found: Sentence[] = []
  let paragraph: string[] = []
  let first = 0
  const endParagraph = (): void => {
    const sentences = paragraph.join(' ').split(/(?<=[.!?:]) +(?=[A-Z`[("*])/)
    found.push(...sentences.map((sentence) => ({ page, line: first + 1, text: sentence.trim() })))
    paragraph = []
  }
  lines.forEach((line, index) => {
    const isRow = /^\s*\|/.test(line)
    const isText = line.trim() !== '' && !/^(?:#|\s*<!--|> \[!|---$)/.test(line)
    if (isRow || !isText || /^\s*(?:[-*]|\d+\.) /.test(line)) endParagraph()
    if (!isText) return
    if (!isRow) {
      if (paragraph.length === 0) first = index
      paragraph.push(line.replace(/^\s*>? ?/, ''))
    } else if (!isRule(line) && !isRule(lines[index + 1] ?? '')) found.push({ page, line: index + 1, text: line.trim() })
  })
  endParagraph()
  return found.filter((sentence) => sentence.text.split(/\s+/).length >= FEWEST_WORDS)
}

function isRule(line: string): boolean {
  return /^\s*\|[\s:|-]+$/.test(line)
}

/** Returns a generator of numbers from 0 on and below 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const [seed = '1', count = '100'] = process.argv.slice(2)
const random = randomFrom(Number(seed))
const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => [random(), value] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, value]) => value)
const pages = findPages().filter((page) => !/^(?:bench|samples)\/|^CONTRIBUTING/.test(page))
const drawn = shuffled(pages.flatMap((page) => shuffled(sentencesOf(page)).slice(0, MOST_OF_A_PAGE))).slice(0, Number(count))
for (const { page, line, text } of drawn) console.log(`${page}:${line}: ${text}`)
