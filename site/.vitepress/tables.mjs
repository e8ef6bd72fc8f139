/** A rule of markdown-it: the empty head of a column, which names nothing, is an ordinary cell. */
export function nameHeads(md) {
  md.core.ruler.push('heads', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type !== 'th_open' || tokens[index + 1].content.trim() !== '') continue
      tokens[index].tag = 'td'
      tokens[index + 2].tag = 'td'
    }
  })
}
