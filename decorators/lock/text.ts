/**
 * Writes and reads the words of `alcove.lock`. Names are written so that each line can be read back, whatever characters the names contain.
 */

/** A word of a line of `alcove.lock`. A word in quotes is always a name, never a keyword or a separator. */
export interface Word {
  readonly text: string
  readonly isQuoted: boolean
}

const separators = [',', '(', ')'] as const
/** The words with a special meaning in lists. A name that equals one of them is written in quotes. */
const reserved: ReadonlySet<string> = new Set(['+', '>', 'of', 'none', 'nothing'])

/** Writes a name: unchanged, or in quotes if it could be read as something else. */
export function writeName(name: string): string {
  return /^[^\s,()"#\p{C}]+$/u.test(name) && !reserved.has(name) ? name : JSON.stringify(name)
}

/** Writes a path of names: `App > Users`. */
export function writePath(path: string): string {
  return path.split(' > ').map(writeName).join(' > ')
}

/** Splits a line into its words. @returns `undefined` if a quoted name has no end or is not a JSON string */
export function wordsOf(line: string): Word[] | undefined {
  const words: Word[] = []
  const pattern = /\s*(?:("(?:[^"\\]|\\.)*")|([,()])|([^\s,()"]+))/y
  const text = line.trimEnd()
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (found === null) return undefined
    const [, quoted, separator, bare] = found
    const name = quoted === undefined ? (separator ?? bare!) : readQuoted(quoted)
    if (name === undefined) return undefined
    words.push({ text: name, isQuoted: quoted !== undefined })
  }
  return words
}

function readQuoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}

/** Whether a word is the separator or keyword `text`, not a quoted name. */
export function isWord(word: Word | undefined, text: string): boolean {
  return word !== undefined && !word.isQuoted && word.text === text
}

/** Whether a word is a name, not a separator. */
export function isName(word: Word | undefined): word is Word {
  return word !== undefined && (word.isQuoted || !(reserved.has(word.text) || (separators as readonly string[]).includes(word.text)))
}

/** Splits the words of a list at the commas. */
export function itemsOf(words: readonly Word[]): Word[][] {
  const items: Word[][] = [[]]
  for (const word of words) {
    if (isWord(word, ',')) items.push([])
    else items.at(-1)!.push(word)
  }
  return items
}
