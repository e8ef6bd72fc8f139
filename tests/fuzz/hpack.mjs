/** HPACK (RFC 7541), read and written anew. Only the two tables of the RFC come from a library. */
import hpack from 'hpack.js'

const { table: staticTable } = hpack['static-table']
/** by octet: `[bits, code]` */
const codes = hpack.huffman.encode

/** What is decoded by a server must be decoded here in the same way, or fail. */
export class HpackError extends Error {}

/** A tree of arrays with two branches; the leaves are octets. */
const huffmanTree = []
for (const [octet, [bits, code]] of codes.entries()) {
  let node = huffmanTree
  for (let bit = bits - 1; bit > 0; bit--) node = node[(code >>> bit) & 1] ??= []
  node[code & 1] = octet
}

function huffmanDecoded(bytes) {
  const octets = []
  let node = huffmanTree
  let padding = 0
  let isAllOnes = true
  for (const byte of bytes) {
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >> shift) & 1
      const next = node[bit]
      padding++
      if (bit === 0) isAllOnes = false
      if (typeof next === 'number') {
        if (next === 256) throw new HpackError('EOS')
        octets.push(next)
        node = huffmanTree
        padding = 0
        isAllOnes = true
      } else node = next
    }
  }
  if (padding > 7 || !isAllOnes) throw new HpackError('padding')
  return Buffer.from(octets)
}

function huffmanEncoded(bytes) {
  let bits = ''
  for (const octet of bytes) bits += codes[octet][1].toString(2).padStart(codes[octet][0], '0')
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Buffer.from(bits.match(/.{8}/g)?.map((each) => Number.parseInt(each, 2)) ?? [])
}

class Table {
  entries = []
  #size = 0
  #most = 4096

  get(index) {
    if (index >= 1 && index <= staticTable.length) return [staticTable[index - 1].name, staticTable[index - 1].value]
    const found = this.entries[index - staticTable.length - 1]
    if (index === 0 || found === undefined) throw new HpackError('index')
    return found
  }

  add(name, value) {
    this.entries.unshift([name, value])
    this.#size += name.length + value.length + 32
    this.#shrink()
  }

  resize(most) {
    if (most > 4096) throw new HpackError('size')
    this.#most = most
    this.#shrink()
  }

  #shrink() {
    while (this.#size > this.#most) {
      const [name, value] = this.entries.pop()
      this.#size -= name.length + value.length + 32
    }
  }
}

export class Decoder {
  #table = new Table()

  /** The fields of a header block, names and values as latin1. @throws HpackError */
  decode(block) {
    const fields = []
    let at = 0
    const byte = () => {
      if (at >= block.length) throw new HpackError('cut off')
      return block[at++]
    }
    const integer = (bits) => {
      const most = 2 ** bits - 1
      let value = byte() & most
      if (value < most) return value
      for (let shift = 0; ; shift += 7) {
        if (shift > 28) throw new HpackError('integer')
        const next = byte()
        value += (next & 127) * 2 ** shift
        if (next < 128) break
      }
      if (value > 0xffffffff) throw new HpackError('integer')
      return value
    }
    const text = () => {
      const isHuffman = (block[at] & 128) !== 0
      const length = integer(7)
      if (at + length > block.length) throw new HpackError('cut off')
      const bytes = block.subarray(at, (at += length))
      return (isHuffman ? huffmanDecoded(bytes) : bytes).toString('latin1')
    }
    while (at < block.length) {
      const first = block[at]
      if (first & 128) fields.push(this.#table.get(integer(7)))
      else if ((first & 224) === 32) {
        // RFC 7541 §4.2: only at the beginning of a block.
        if (fields.length > 0) throw new HpackError('late size')
        this.#table.resize(integer(5))
      } else {
        const isKept = (first & 64) !== 0
        const index = integer(isKept ? 6 : 4)
        const name = index === 0 ? text() : this.#table.get(index)[0]
        const value = text()
        if (isKept) this.#table.add(name, value)
        fields.push([name, value])
      }
    }
    return fields
  }
}

function writtenInteger(value, bits, first) {
  const most = 2 ** bits - 1
  if (value < most) return Buffer.from([first | value])
  const bytes = [first | most]
  for (value -= most; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  bytes.push(value)
  return Buffer.from(bytes)
}

export class Encoder {
  #table = new Table()

  encode(fields, random) {
    const text = (value) => {
      const bytes = Buffer.from(value, 'latin1')
      if (random.chance(0.6)) return Buffer.concat([writtenInteger(bytes.length, 7, 0), bytes])
      const short = huffmanEncoded(bytes)
      return Buffer.concat([writtenInteger(short.length, 7, 128), short])
    }
    const parts = []
    if (random.chance(0.05)) {
      const size = random.pick([0, 100, 4096])
      this.#table.resize(size)
      parts.push(writtenInteger(size, 5, 32))
    }
    for (const [name, value] of fields) {
      const all = [...staticTable.map((entry) => [entry.name, entry.value]), ...this.#table.entries]
      const whole = all.findIndex((entry) => entry[0] === name && entry[1] === value)
      if (whole !== -1 && random.chance(0.8)) {
        parts.push(writtenInteger(whole + 1, 7, 128))
        continue
      }
      const named = random.chance(0.7) ? all.findIndex((entry) => entry[0] === name) + 1 : 0
      const [bits, first] = random.pick([
        [6, 64],
        [4, 0],
        [4, 16],
      ])
      parts.push(writtenInteger(named, bits, first))
      if (named === 0) parts.push(text(name))
      parts.push(text(value))
      if (first === 64) this.#table.add(name, value)
    }
    return Buffer.concat(parts)
  }
}
