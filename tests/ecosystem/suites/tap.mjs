// Reads what a file with tests of tap prints: one result for each test, and none for single assertions.

/** A test ends with a line such as `ok 1 - title # time=5ms`, after a line `# Subtest: title` of the same depth. */
export function readTap(text, file) {
  const results = []
  const open = []
  for (const line of text.split('\n')) {
    const [, indent, started] = /^((?: {4})*)# Subtest: (.*)$/.exec(line) ?? []
    if (started !== undefined) {
      const depth = indent.length / 4
      open.length = depth
      open[depth] = started
      continue
    }
    const [, before, not, title] = /^((?: {4})*)(not )?ok \d+ - (.*?)(?: # (?:time=.*|SKIP.*|TODO.*))?(?: \{)?$/.exec(line) ?? []
    if (title === undefined) continue
    const depth = before.length / 4
    if (open[depth] !== title || / # (?:SKIP|TODO)/.test(line)) continue
    results.push({ file, name: open.slice(0, depth + 1).join(' > '), passed: not === undefined, reason: not && 'an assertion failed' })
    open.length = depth
  }
  return results
}
