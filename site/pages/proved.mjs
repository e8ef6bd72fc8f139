/** What the home page says is proved: each figure is read from the page that records it, so that the two never differ. */

const rules = 'tests/rules/COVERAGE.md'
const differences = 'docs/reference/fastify-differences.md'
const mistakes = 'docs/how-to/coming-from-nest.md'
const keywords = 'docs/reference/json-schema.md'
const plugins = 'docs/reference/ecosystem.md'
const toolchains = 'docs/reference/toolchains.md'

/**
 * The entries: a `figure`, the `text` that says of what, and the `link` to the page that records it, from the root of the repository.
 * @param read returns the text of a file of the repository
 * @throws if a page does not record its figure as it did
 */
export function readProofs(read) {
  const find = (file, pattern) => {
    const match = pattern.exec(read(file))
    if (match === null) throw new Error(`The home page reads a figure from ${file}, which has no text like ${pattern}`)
    return match.slice(1)
  }
  const [ruleCount, runs] = find(rules, /^(\d+) rules, \d+ tests, (\d+) runs\.$/m)
  const [compile, boot, request] = find(mistakes, /^\| all \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$/m).map(Number)
  const [share, suite] = find(differences, /\((\d+) % of ([\d,]+) tests pass\)/)
  const [answered, cases] = find(keywords, /(\d+) of (\d+) cases get the result that the standard requires/)
  const [table] = find(plugins, /^\| plugin \| what it is for .*\n\| --- .*\n((?:\|.*\n)+)/m)
  const [matrix] = find(toolchains, /^\| toolchain \| version .*\n\| --- .*\n((?:\|.*\n)+)/m)
  const rows = (text) => text.trim().split('\n')
  const tools = new Set(
    rows(matrix).map((row) =>
      row
        .split('|')[1]
        .split(/,| with /)[0]
        .trim(),
    ),
  )
  return [
    {
      figure: `${ruleCount} rules`,
      text: `say what a context sees, and when. Each has its tests, for classes and for functions: ${grouped(runs)} runs.`,
      link: { text: 'Which test proves which rule', url: rules },
    },
    {
      figure: `${grouped(compile + boot + request)} mistakes`,
      text: `were made on purpose: ${compile} do not compile, ${boot} fail the boot, ${request} answer with an error.`,
      link: { text: 'The mistakes, and two that are silent', url: `${mistakes}#mistakes` },
    },
    {
      figure: `${share} %`,
      text: `of the ${suite} tests of Fastify 5 itself pass through \`alcove/fastify\`. Each other one has its reason.`,
      link: { text: 'Differences from Fastify', url: differences },
    },
    {
      figure: `${answered} of ${cases}`,
      text: 'cases of the JSON Schema suite for draft 7 are answered as the standard requires. The rest fail in ajv too.',
      link: { text: 'JSON Schema, keyword by keyword', url: keywords },
    },
    {
      figure: `${rows(table).length} plugins`,
      text: 'of the Fastify ecosystem and beside it run unmodified, by function and by class, over real connections.',
      link: { text: 'Tested plugins', url: plugins },
    },
    {
      figure: `${tools.size} toolchains`,
      text: 'build or load the same application, and it gives the same answers, with legacy and with standard decorators.',
      link: { text: 'Toolchains', url: toolchains },
    },
  ]
}

const grouped = (number) => Number(number).toLocaleString('en')
