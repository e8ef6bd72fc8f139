/** The pages show code that is compiled and run, commands that exist, and links to files. `npm run readme` writes the code into them. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testServer } from 'alcove'
import { App } from '../samples/first/app.js'
import { advice, faultOf, withFiles } from './docs/blocks.js'
import { faultOfCommand, placeOf, readCommands } from './docs/commands.js'
import { anchorsOf, filesOf, findPages, proseOf, readBlocks } from './docs/pages.js'
import { project, readText } from './fixtures/project.js'

for (const page of findPages()) {
  const text = readText(page)
  const blocks = readBlocks(page, text)
  if (blocks.length === 0) continue
  test(`every block of ${page} is the text of a file that a test runs, commands that exist, or says why it is neither`, async () => {
    if (process.env['UPDATE_README'] === '1') return writeFile(join(project, page), withFiles(text, blocks))
    const place = placeOf(page)
    const faults: string[] = []
    for (const block of blocks) {
      const fault = await faultOf(block, place)
      if (fault !== undefined) faults.push(`the block at line ${block.line + 1} ${fault}`)
    }
    assert.ok(faults.length === 0, `In ${page},\n  ${faults.join(',\n  ')}\n${advice}`)
  })
}

// Readers copy the blocks of these pages into a file of their own.
const copied = [
  'authorize',
  'cache',
  'deprecation',
  'files-and-streams',
  'events',
  'forms',
  'graphql',
  'lock-optimistically',
  'monorepo',
  'object-storage',
  'serverless',
  'bun-and-deno',
  'workers',
  'protect',
  'ranges',
  'react',
  'request-context',
  'schedule-and-queue',
  'shut-down',
  'trace-and-measure',
  'tune',
].map((name) => `docs/how-to/${name}.md`)
for (const page of copied) {
  test(`the blocks of ${page} import or declare all names that they use`, () => {
    const shown = new Map<string, string>()
    for (const { language, note, code } of readBlocks(page, readText(page))) {
      const file = note?.split('#')[0]
      if (/^tsx?$/.test(language) && file !== undefined) shown.set(file, (shown.get(file) ?? '') + code)
    }
    const missing = [...shown].flatMap(([file, code]) => {
      const known = topLevelNames(code)
      const used = new Set(code.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|'[^'\n]*'/gm, '').match(/(?<![.\w])[A-Za-z_]\w*/g))
      return [...topLevelNames(readText(file))].filter((name) => used.has(name) && !known.has(name)).map((name) => `${name} of ${file}`)
    })
    assert.deepEqual(missing, [])
  })
}

/** The names that a file imports or declares. */
function topLevelNames(code: string): ReadonlySet<string> {
  const imported = [...code.matchAll(/^import (?:type )?([^']+) from /gm)].flatMap(
    ([, names]) => names!.replaceAll(/\btype\b/g, '').match(/\w+/g) ?? [],
  )
  const declared = [...code.matchAll(/^(?:export )?(?:const|class|function\*?|interface|type) (\w+)/gm)].map(([, name]) => name!)
  return new Set([...imported, ...declared])
}

test('every command within a sentence of a page exists', async () => {
  const packages = [
    'package.json',
    ...['packages', 'samples', 'templates'].flatMap(filesOf).filter((path) => path.endsWith('/package.json')),
  ]
  const faults: string[] = []
  // In the pages of the benchmark, `alcove classes` is the name of a server.
  for (const page of findPages().filter((path) => !path.startsWith('bench/'))) {
    const spans = [...proseOf(readText(page)).matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replaceAll(/\s+/g, ' '))
    for (const span of spans.filter((text) => /^(?:npm run |(?:npx )?alcove [a-z])/.test(text) && !text.includes('…'))) {
      const [words] = readCommands({ code: span })
      const inPackages = packages.map((file) => faultOfCommand(words!, { package: dirname(file), created: new Map() }))
      const found = await Promise.all(span.startsWith('npm') ? inPackages : inPackages.slice(0, 1))
      // A sentence may name an option without its value.
      if (found.every((fault) => fault !== undefined && !fault.endsWith('argument missing')))
        faults.push(`${page}: \`${span}\`: ${found[0]}`)
    }
  }
  assert.deepEqual(faults, [])
})

test('the calls in the README get the answers that it shows', async () => {
  await using app = await testServer(App)
  const calls = [...readText('README.md').matchAll(/^curl localhost:3000(\/greetings\S*)(?: --json '(.*?)')? +# (\d+) (.*)$/gm)]
  assert.equal(calls.length, 3)
  for (const [, url, payload, status, shown] of calls) {
    const response = await app.inject({
      method: payload ? 'POST' : 'GET',
      url: url!,
      ...(payload && { payload, headers: { 'content-type': 'application/json' } }),
    })
    assert.equal(response.statusCode, Number(status))
    assert.ok(response.body === shown || response.json().message === shown, `${response.body} for ${shown}`)
  }
})

// tests/system/new-app.mjs sends those of the quick start to an application that was created.
test('the README and the template show the calls of the quick start', () => {
  const callsOf = (page: string): string[] => readText(page).match(/^curl .*\/greet(?![\w-]).*$/gm) ?? []
  const calls = callsOf('docs/start/quick-start.md')
  assert.equal(calls.length, 3)
  for (const page of ['README.md', 'templates/app/README.md']) assert.deepEqual(callsOf(page), calls, page)
})

/** The arguments of node for a program of the samples, compiled or from its source. */
function programOf(path: string): string[] {
  const file = fileURLToPath(new URL(path.replace('.js', extname(import.meta.url)), import.meta.url))
  return file.endsWith('.ts') ? ['--import', import.meta.resolve('@oxc-node/core/register'), file] : [file]
}

for (const program of ['../samples/first/main.js', '../samples/agents/main.js']) {
  test(`${program} listens, and closes on a signal`, async () => {
    const child = spawn(process.execPath, programOf(program), { env: { ...process.env, PORT: '0' } })
    let printed = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      printed += chunk
      const [origin] = /http:\/\/[\w.:]+(?=["\n])/.exec(printed) ?? []
      if (origin === undefined) continue
      assert.equal((await fetch(`${origin}/nowhere`)).status, 404)
      child.kill('SIGTERM')
      break
    }
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
}

test('the server without classes prints the output that the README shows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, programOf('../samples/first/programmatic.js'))
  assert.equal(stdout.trim(), '{"caller":"ada"} {"caller":"not visible here"}')
})

test('every call-out is of a kind that GitHub and the site render, and stands alone', () => {
  const faults: string[] = []
  for (const page of findPages()) {
    const lines = proseOf(readText(page)).split('\n')
    for (const [index, line] of lines.entries()) {
      if (!/^\s*> ?\\?\[!/.test(line)) continue
      const isKnown = /^> \[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/.test(line)
      if (!isKnown || lines[index - 1] !== '' || !/^> \S/.test(lines[index + 1] ?? '')) faults.push(`${page}:${index + 1} ${line}`)
    }
  }
  assert.deepEqual(faults, [], 'Write > [!NOTE] or > [!WARNING] on a line of its own, below an empty line, and the text below it')
})

test('every relative link of the pages leads to a file, and to a heading of it', () => {
  const faults: string[] = []
  for (const page of [...findPages(), 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', ...filesOf('docs/decisions')]) {
    const prose = proseOf(readText(page)).replaceAll(/`[^`\n]*`/g, '')
    for (const [, target, anchor] of prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const path = target === '' ? page : join(dirname(page), target!)
      if (!existsSync(join(project, path))) faults.push(`${page} links ${target}`)
      else if (anchor !== undefined && !anchorsOf(readText(path)).has(anchor))
        faults.push(`${page} links #${anchor}, which ${path} does not have`)
    }
  }
  assert.deepEqual(faults, [])
})
