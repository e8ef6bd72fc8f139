/** Reads the answers of one connection. Their bytes come as latin1, so that each has one character. */
export class AnswerReader {
  /** Bytes of the body that have not come yet; -1 before the end of the head. */
  #missing = -1
  #text = ''

  /** The whole answer, head and body, when these are its last bytes; else `undefined`. */
  add(text) {
    this.#text += text
    if (this.#missing === -1) {
      const end = this.#text.indexOf('\r\n\r\n')
      if (end === -1) return undefined
      const at = this.#text.search(/\r\ncontent-length: /i)
      if (at === -1 || at > end) throw new Error(`An answer without content-length: ${this.#text}`)
      this.#missing = Number.parseInt(this.#text.slice(at + 18, end), 10) - (this.#text.length - end - 4)
    } else {
      this.#missing -= text.length
    }
    if (this.#missing > 0) return undefined
    const answer = this.#text
    this.#missing = -1
    this.#text = ''
    // Every request that is measured succeeds; the first digit is enough to know.
    if (answer[9] !== '2') throw new Error(`Refused: ${answer}`)
    return answer
  }
}
