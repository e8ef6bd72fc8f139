/**
 * Writes ../api.md: the exported names of the package with their types, and the types that these name. Built declarations are read
 * (`npm run build`). `--check` fails if api.md differs from them; `--print <folder>` prints the report of another working copy.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

const { values } = parseArgs({ options: { check: { type: 'boolean' }, print: { type: 'string' } } })
const project = values.print === undefined ? fileURLToPath(new URL('../../..', import.meta.url)) : resolve(values.print)
const document = fileURLToPath(new URL('../api.md', import.meta.url))

const report = renderReport(extract('lib'), extract('decorators'), {
  'alcove/contract': extract('decorators/contract'),
  'alcove/telemetry': extract('decorators/telemetry'),
  'alcove/conditional': extract('decorators/conditional'),
  'alcove/idempotency': extract('decorators/idempotency'),
})
if (values.print !== undefined) process.stdout.write(report)
else if (values.check) checkReport()
else writeFileSync(document, report)

function checkReport() {
  if (readFileSync(document, 'utf8') === report) return
  spawnSync('diff', ['-u', '--label', 'tests/package/api.md', document, '--label', 'the built package', '-'], {
    input: report,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  console.error('\nThe exported names or types have changed. If that is intended, `npm run api` writes them to tests/package/api.md.')
  process.exitCode = 1
}

/** The report of one entry of the package, as API Extractor writes it. */
function extract(entry) {
  const reportFolder = mkdtempSync(join(tmpdir(), 'alcove-api-'))
  const declarations = join(project, 'dist', entry, 'index.d.ts')
  const silent = { default: { logLevel: 'none' } }
  try {
    const config = ExtractorConfig.prepare({
      packageJsonFullPath: join(project, 'package.json'),
      configObjectFullPath: undefined,
      configObject: {
        projectFolder: project,
        mainEntryPointFilePath: declarations,
        newlineKind: 'lf',
        compiler: {
          overrideTsconfig: {
            compilerOptions: { strict: true, target: 'ES2023', lib: ['ES2023', 'ESNext.Disposable'], module: 'NodeNext', types: ['node'] },
            files: [declarations],
          },
        },
        apiReport: {
          enabled: true,
          includeForgottenExports: true,
          reportFileName: entry.replace('/', '-'),
          reportFolder,
          reportTempFolder: join(reportFolder, 'new'),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        // Warnings would stand in the report, with the file and line of each.
        messages: {
          compilerMessageReporting: { default: { logLevel: 'error' } },
          extractorMessageReporting: silent,
          tsdocMessageReporting: silent,
        },
      },
    })
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      messageCallback(message) {
        message.handled = true
        if (message.logLevel === ExtractorLogLevel.Error) console.error(message.formatMessageWithLocation(project))
      },
    })
    if (!succeeded) throw new Error(`API Extractor could not read ${declarations}.`)
    return parseReport(readFileSync(config.reportFilePath, 'utf8'))
  } finally {
    rmSync(reportFolder, { recursive: true, force: true })
  }
}

/** The imports and the declarations of a report, without the remarks on what is documented. */
function parseReport(text) {
  let code = text.slice(text.indexOf('```ts') + '```ts'.length, text.lastIndexOf('```'))
  // API Extractor numbers names that occur twice, in an order that depends on the files. A type of another package is therefore
  // named after that package, and an exported type keeps its name although a global type has the same one (Request).
  for (const [, name, alias, source] of code.matchAll(/^import .*\{ (\w+) as (\w+) \} from '(.+)';$/gm)) {
    code = code.replaceAll(new RegExp(`\\b${alias}\\b`, 'g'), `${basename(source.replace('node:', ''))}_${name}`)
  }
  for (const [line, local, name] of code.matchAll(/^export \{ (\w+) as (\w+) \}\n/gm)) {
    code = code
      .replace(line, '')
      .replaceAll(new RegExp(`\\b${local}\\b`, 'g'), name)
      .replace(new RegExp(`^(?=(?:\\w+ )+${name}\\b)`, 'm'), 'export ')
  }
  code = code
    .replaceAll(/^ *\/\/ (?:@public|\(undocumented\)|@public \(undocumented\)|\(No @packageDocumentation .*\))\n/gm, '')
    .replaceAll(/^( *\/\/ .+) \(undocumented\)$/gm, '$1')
  const blocks = code.split('\n\n').map((block) => block.trim())
  return {
    imports: blocks.flatMap((block) => block.split('\n').filter((line) => line.startsWith('import '))),
    declarations: blocks.filter((block) => block !== '' && !block.startsWith('import ')),
  }
}

function renderReport(lib, all, others) {
  const isExported = (block) => /^export /m.test(block)
  // `alcove` exports all of `alcove/lib` except the names that it declares itself. API Extractor numbers those that it hides (Plugin_2).
  const nameOf = (block) => /^(?:export )?(?:declare )?(?:abstract )?\w+ (\w+)/m.exec(block)?.[1]
  const names = new Set(all.declarations.map(nameOf))
  const hidden = lib.declarations.map(nameOf).filter((name) => names.has(`${name}_2`))
  const rename = (block, prefix) => hidden.reduce((text, name) => text.replaceAll(new RegExp(`\\b${name}_2\\b`, 'g'), prefix + name), block)
  const known = new Set(lib.declarations.flatMap((block) => [block, block.replace(/^export /m, '')]))
  const added = all.declarations.filter((block) => !known.has(rename(block, ''))).map((block) => rename(block, 'lib_'))
  // Of the other entries, what `alcove` does not have already.
  const shown = new Set([...lib.declarations, ...added].flatMap((block) => [block, block.replace(/^export /m, '')]))
  const further = Object.entries(others).map(([entry, { declarations }]) => {
    const own = declarations.filter((block) => !shown.has(block))
    for (const block of own) shown.add(block)
    return [entry, own]
  })
  const inner = [...lib.declarations, ...added, ...further.flatMap(([, own]) => own)].filter((block) => !isExported(block))

  const section = (title, blocks) => [`## ${title}`, ['```ts', blocks.join('\n\n'), '```'].join('\n')]
  const except = hidden.map((name) => ` without \`${name}\` (here \`lib_${name}\`)`).join()
  return (
    [
      '# The exported names of the package, and their types',
      'Written by `npm run api`; `npm run api -- --check` compares it with the built declarations.',
      ...section('`alcove/lib`', lib.declarations.filter(isExported)),
      ...section(`\`alcove\`: the names of \`alcove/lib\`${except}, and these`, added.filter(isExported)),
      ...further.flatMap(([entry, own]) => section(`\`${entry}\`, without the names of \`alcove\``, own.filter(isExported))),
      ...section(
        'Not exported, but part of the types above',
        inner.sort((one, other) => alphabetically(nameOf(one), nameOf(other))),
      ),
      ...section('From Node', [
        [...new Set([lib, all, ...Object.values(others)].flatMap(({ imports }) => imports))].sort(alphabetically).join('\n'),
      ]),
    ].join('\n\n') + '\n'
  )
}

function alphabetically(one, other) {
  return one.localeCompare(other, 'en')
}
