/** Generates texts that match the regular expressions of schemas. */
import type { Random } from './random.js'

/** The most repetitions of an unlimited quantifier such as `*` or `+`. */
const MAX_REPEATS = 3
const word = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'
const classes: Readonly<Record<string, string>> = { d: '0123456789', w: word, s: ' ', D: 'abc-', W: '-.', S: 'abc' }

/**
 * Returns a text that matches a regular expression, if the expression has only literals, classes, groups, alternatives and repetitions.
 * Other syntax, such as lookaheads, is ignored, so that the text may not match.
 */
export function textMatching(pattern: string, random: Random): string {
  return new Writer(pattern, random).alternatives()
}

class Writer {
  readonly #source: string
  readonly #random: Random
  #at = 0

  constructor(source: string, random: Random) {
    this.#source = source
    this.#random = random
  }

  alternatives(): string {
    const found = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at++
      found.push(this.#sequence())
    }
    return this.#random.pick(found)
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const start = this.#at
      const first = this.#atom()
      const end = this.#at
      const times = this.#repeats()
      const after = this.#at
      if (times > 0) text += first
      for (let index = 1; index < times; index++) {
        // Another choice of the same part.
        this.#at = start
        text += this.#atom()
      }
      this.#at = Math.max(after, end)
    }
    return text
  }

  #atom(): string {
    const character = this.#source[this.#at++]!
    if (character === '(') return this.#group()
    if (character === '[') return this.#class()
    if (character === '^' || character === '$') return ''
    if (character === '.') return this.#random.pick(['a', 'Z', '0'])
    return character === '\\' ? this.#random.pick(Array.from(this.#escaped())) : character
  }

  #group(): string {
    const prefix = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    this.#at += prefix.length
    const text = this.alternatives()
    this.#at++
    return /[=!]$/.test(prefix) ? '' : text
  }

  /** Reads an escape of the regular expression, such as `\d`, and returns the characters that it matches. */
  #escaped(): string {
    const rest = this.#source.slice(this.#at)
    const code = /^(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/.exec(rest)
    if (code !== null) {
      this.#at += code[0].length
      return String.fromCodePoint(Number.parseInt((code[1] ?? code[2] ?? code[3])!, 16))
    }
    const property = /^[pP]\{[^}]*\}/.exec(rest)
    if (property !== null) {
      this.#at += property[0].length
      return 'aZ'
    }
    const character = this.#source[this.#at++] ?? '\\'
    return classes[character] ?? { n: '\n', t: '\t', r: '\r', b: '' }[character] ?? character
  }

  #class(): string {
    const isNegated = this.#source[this.#at] === '^'
    if (isNegated) this.#at++
    let allowed = ''
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const first = this.#member()
      if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && first.length === 1) {
        this.#at++
        const last = this.#member()
        for (let code = first.charCodeAt(0); code <= last.charCodeAt(0) && allowed.length < 500; code++)
          allowed += String.fromCharCode(code)
      } else allowed += first
    }
    this.#at++
    const chosen = isNegated ? Array.from(word).filter((each) => !allowed.includes(each)) : Array.from(allowed)
    return chosen.length === 0 ? '' : this.#random.pick(chosen)
  }

  #member(): string {
    const character = this.#source[this.#at++]!
    return character === '\\' ? this.#escaped() : character
  }

  #repeats(): number {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at))
    if (found === null) return 1
    this.#at += found[0].length
    const [text, least, comma, most] = found
    if (least === undefined) return this.#random.int(text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : MAX_REPEATS)
    const from = Math.min(Number(least), 1000)
    return this.#random.int(from, comma === '' ? from : most === '' ? from + MAX_REPEATS : Math.min(Number(most), from + MAX_REPEATS))
  }
}
