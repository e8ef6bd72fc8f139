/** Writes the texts of TypeScript types: members, blocks, unions and comments. */

/** Returns the text of a member of an object type, with its comment: `readonly name: string`. */
export function memberText(name: string, isGiven: boolean, type: string, comment = ''): string {
  return `${comment}${propertyName(name)}${isGiven ? '' : '?'}: ${type}`
}

/** Returns the text of members between braces: on one line if they are short, otherwise one line for each. */
export function block(members: readonly string[], separator = ''): string {
  const line = `{ ${members.join(`${separator || ';'} `)} }`
  if (members.length > 0 && line.length <= 80 && !line.includes('\n') && !line.includes('/**')) return line
  return `{\n${members.join(`${separator}\n`).replaceAll(/^(?=.)/gm, '  ')}\n}`
}

/** Returns a name as a key of an object type, in quotes if the name is not an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/**
 * Returns a doc comment with these paragraphs; an empty text if there are none.
 * @param deprecated whether the comment says `@deprecated`, or the text that follows that tag
 */
export function docComment(texts: readonly unknown[], deprecated: boolean | string = false): string {
  const tags = deprecated === false ? [] : [deprecated === true ? '@deprecated' : `@deprecated ${deprecated}`]
  const paragraphs = [...texts.filter((text) => typeof text === 'string' && text.trim() !== ''), ...tags]
  const lines = paragraphs.flatMap((text) =>
    String(text)
      .replaceAll('*/', '*\\/')
      .split(/\r\n|[\n\r\u2028\u2029]/),
  )
  if (lines.length === 0) return ''
  if (lines.length === 1) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** Returns a value as TypeScript, written like JSON. U+2028 and U+2029 are escaped. */
export function literal(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${propertyName(key)}: ${literal(each)}`)
    .join(', ')} }`
}

/** Returns the union of types, `A | B`. Equal types are written once. */
export function union(types: readonly string[]): string {
  const each = new Set(types.flatMap(unionAlternatives))
  if (each.has('unknown')) return 'unknown'
  each.delete('never')
  return each.size === 0 ? 'never' : [...each].map((type) => (each.size > 1 ? parenthesize(type, / & /) : type)).join(' | ')
}

/** Returns the alternatives of a union: `A` and `B[]` for `A | B[]`. */
function unionAlternatives(type: string): string[] {
  // Nested types are blanked out and keep their length, so that positions are the same.
  const flat = withoutNested(type, (text) => '_'.repeat(text.length))
  const ends = [...[...flat.matchAll(/ \| /g)].map(({ index }) => index), flat.length]
  return ends.map((end, at) => type.slice(at === 0 ? 0 : ends[at - 1]! + 3, end))
}

export function intersection(types: readonly string[]): string {
  const each = [...new Set(types)].filter((type) => type !== 'unknown')
  return each.length === 0 ? 'unknown' : each.map((type) => (each.length > 1 ? parenthesize(type) : type)).join(' & ')
}

export function parenthesize(type: string, operators = / [|&] |^readonly /): string {
  return operators.test(withoutNested(type)) ? `(${type})` : type
}

/** Returns the text of a type in which everything between brackets and quotes is replaced, so that only its top level is left. */
function withoutNested(type: string, replace: (text: string) => string = () => '_'): string {
  let text = type.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`|\/\*[^]*?\*\//g, replace)
  for (let before = ''; before !== text;) {
    before = text
    text = text.replaceAll(/\{[^{}]*\}|\([^()]*\)|\[[^[\]]*\]|<[^<>]*>/g, replace)
  }
  return text
}

export function isOneObject(type: string): boolean {
  return withoutNested(type) === '_'
}
