/** The tables of docs/explanation/types-in-an-editor.md: what the types of clients cost a compiler and an editor. */
import { kinds } from '../editor/kinds.mjs'
import { grouped, mebibytes, table } from './format.mjs'

const compilerTitles = { 5: 'TypeScript 5.9', 7: 'TypeScript 7' }
const questionTitles = {
  diagnostics: 'diagnostics',
  members: 'completion of a call',
  body: 'completion of a body',
  hover: 'hover',
}

/** ms, and between what they lie; seconds from ten seconds on. */
function time(spread) {
  if (spread === undefined) return '–'
  const digits = spread.median >= 10_000 ? 1 : 0
  const text = (value) => (digits === 0 ? grouped(value) : `${(value / 1000).toFixed(digits)} s`)
  const [from, to] = [text(spread.low), text(spread.high)]
  return text(spread.median) + (from === to ? '' : ` (${from.replace(' s', '')}–${to.replace(' s', '')})`)
}

const seconds = ({ median }) => (median / 1000).toFixed(1)

function compilerTable(compiler, found) {
  const rows = Object.entries(found).map(([name, { compilers }]) => {
    const { failure, tsc } = compilers[compiler]
    if (failure !== undefined) return [kinds[name].title, 'failed', '–', '–', '–', '–', '–']
    const { one, all } = tsc
    return [
      kinds[name].title,
      grouped(one.instantiations),
      seconds(one.wall),
      seconds(one.cpu),
      mebibytes(one.memory.median),
      grouped(all.instantiations),
      seconds(all.cpu),
    ]
  })
  return table(
    [
      `\`tsc\` of ${compilerTitles[compiler]}`,
      'instantiations',
      'time, s',
      'CPU, s',
      'RSS, MiB',
      'with all sources: instantiations',
      '… CPU, s',
    ],
    rows,
  )
}

function editorTable(compiler, found) {
  const rows = Object.entries(found).map(([name, { compilers }]) => {
    const { failure, questions, first, firstCpu, memory } = compilers[compiler]
    if (failure !== undefined) return [kinds[name].title, 'failed', ...Array.from({ length: 9 }, () => '–')]
    const { diagnostics, members, body, hover } = questions
    return [
      kinds[name].title,
      time(first),
      seconds(firstCpu),
      mebibytes(memory.median),
      ...[members, body, hover].map(({ cold }) => time(cold)),
      ...[diagnostics, members, body, hover].map(({ edited }) => time(edited)),
    ]
  })
  const asked = ['completion of a call', 'completion of a body', 'hover']
  return table(
    [
      `editor, ${compilerTitles[compiler]}`,
      'first diagnostics',
      '… CPU, s',
      'RSS, MiB',
      ...asked.map((name) => `first ${name}`),
      'after an edit: diagnostics',
      ...asked.map((name) => `… ${name}`),
    ],
    rows,
  )
}

/** The longest of the times that a developer waits for while typing. */
function typingLine(found) {
  const longest = (compiler, when) => {
    const { questions = {} } = found.file?.compilers[compiler] ?? {}
    return grouped(Math.max(...['members', 'body', 'hover'].map((name) => questions[name]?.[when]?.median ?? 0)))
  }
  const texts = Object.entries(compilerTitles).map(
    ([compiler, title]) => `in ${title} ${longest(compiler, 'edited')} ms (the first: ${longest(compiler, 'cold')})`,
  )
  return `The slowest of completion and hover with alcove takes, after an edit, ${texts.join(', ')}.`
}

function writtenLine(found) {
  const texts = Object.entries(found)
    .filter(([, { written }]) => written !== undefined)
    .map(([name, { written }]) => `${kinds[name].title} ${(written.cpu / 1000).toFixed(1)} s`)
  return `CPU time of the command that writes what a client needs: ${texts.join('; ')}.`
}

/** Lists the figures in which the client of alcove is more than 10 % behind another one. */
function lossesLine(found) {
  const places = Object.keys(compilerTitles).flatMap((compiler) =>
    Object.keys(found)
      .filter((name) => name !== 'file')
      .flatMap((other) => {
        const [mine, theirs] = ['file', other].map((name) => found[name]?.compilers[compiler])
        const behind = mine?.tsc && theirs?.tsc ? figures(mine, theirs).filter(([, a, b]) => a > b * 1.1) : []
        return behind.length === 0
          ? []
          : [
              `- Behind ${kinds[other].title}, ${compilerTitles[compiler]}: ${behind.map(([title, a, b]) => `${title} (${(a / b).toFixed(1)})`).join(', ')}.`,
            ]
      }),
  )
  return places.length === 0 ? 'In no figure is alcove behind another client.' : places.join('\n')
}

/** Pairs of figures of two clients. */
function figures(mine, theirs) {
  const answers = Object.keys(mine.questions).flatMap((name) => {
    const [one, other] = [mine, theirs].map(({ questions }) => questions[name])
    const edited = [`${questionTitles[name]} after an edit`, one.edited?.median, other.edited?.median]
    // The table has the time until the first diagnostics of a new server instead.
    return name === 'diagnostics' ? [edited] : [[`first ${questionTitles[name]}`, one.cold?.median, other.cold?.median], edited]
  })
  return [
    ['instantiations', mine.tsc.one.instantiations, theirs.tsc.one.instantiations],
    ['time of `tsc`', mine.tsc.one.wall.median, theirs.tsc.one.wall.median],
    ['CPU of `tsc`', mine.tsc.one.cpu.median, theirs.tsc.one.cpu.median],
    ['memory of `tsc`', mine.tsc.one.memory.median, theirs.tsc.one.memory.median],
    ['time until the first diagnostics', mine.first.median, theirs.first.median],
    ['CPU until the first diagnostics', mine.firstCpu.median, theirs.firstCpu.median],
    ['memory of the language server', mine.memory.median, theirs.memory.median],
    ...answers,
  ].filter(([, a, b]) => a !== undefined && b !== undefined)
}

export function editorTables({ controllers, machineLoad, kinds: found }) {
  const { median, low, high } = machineLoad
  const runs = Math.max(...Object.values(found).map(({ compilers }) => compilers['7'].runs ?? 0))
  return [
    `${grouped(controllers * 10)} routes in ${controllers} controllers; load of the machine ${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)}) on two cores. Times are ms unless they have a unit, with the lowest and the highest. ${runs === 1 ? 'One run' : `${runs} runs, one of clients for the whole application`}.`,
    ...Object.keys(compilerTitles).flatMap((compiler) => [editorTable(compiler, found), compilerTable(compiler, found)]),
    typingLine(found),
    writtenLine(found),
    `**Where alcove is behind**, by more than 10 %\n\n${lossesLine(found)}`,
  ].join('\n\n')
}
