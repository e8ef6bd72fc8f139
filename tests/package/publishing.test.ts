/** What the release workflow publishes: packages with the address of their repository, and a README whose links lead there. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { project } from '../fixtures/project.js'

const home = mkdtempSync(join(tmpdir(), 'alcove-publishing-'))
after(() => rmSync(home, { recursive: true }))

const packages = ['', 'packages/fastify', 'packages/create-alcove']
const read = (path: string): string => readFileSync(path, 'utf8')
const manifestOf = (folder: string, directory: string): Record<string, any> => JSON.parse(read(join(folder, directory, 'package.json')))

function run(args: string[], env: NodeJS.ProcessEnv = {}, cwd = home): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

test('no manifest names an address before it is published', () => {
  for (const directory of packages) {
    const { repository, homepage, bugs } = manifestOf(project, directory)
    assert.deepEqual([repository, homepage, bugs], [undefined, undefined, undefined])
  }
})

test('the workflow puts the address of the repository into each manifest, and makes the links of the README absolute', async () => {
  const copy = join(home, 'copy')
  for (const file of readdirSync(project))
    if (!/^(?:node_modules|dist|\.git)$/.test(file))
      cpSync(join(project, file), join(copy, file), { recursive: true, filter: (path) => !path.includes('node_modules') })
  const env = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'team/alcove', GITHUB_REF_NAME: 'v9.9.9' }
  const { code, stderr } = await run([join(project, '.ci/publishable.mjs'), copy], env)
  assert.deepEqual([code, stderr], [0, ''])
  for (const directory of packages) {
    const { repository, homepage, bugs, ...rest } = manifestOf(copy, directory)
    assert.deepEqual([homepage, bugs], ['https://git.example/team/alcove#readme', 'https://git.example/team/alcove/issues'])
    assert.equal(repository.url, 'git+https://git.example/team/alcove.git')
    assert.equal(repository.directory ?? '', directory)
    assert.deepEqual(rest, manifestOf(project, directory))
  }
  const links = [...read(join(copy, 'README.md')).matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!)
  assert.deepEqual(
    links.filter((target) => !/^(?:https?:|#)/.test(target)),
    [],
  )
  assert.ok(links.includes('https://git.example/team/alcove/blob/v9.9.9/docs/guide/index.md'))
  // A picture needs its bytes, not the page that shows it.
  assert.ok(links.includes('https://git.example/team/alcove/raw/v9.9.9/docs/pictures/contexts.svg'))
})

test('without a repository nothing is changed', async () => {
  const { code, stderr } = await run([join(project, '.ci/publishable.mjs'), home], {
    GITHUB_SERVER_URL: '',
    GITHUB_REPOSITORY: 'team/alcove',
    GITHUB_REF_NAME: 'v1',
  })
  assert.deepEqual([code, stderr], [2, 'The environment lacks GITHUB_SERVER_URL, by which the repository and the tag are known.\n'])
})

test('npm create alcove writes what alcove new writes', async () => {
  const directory = join(home, 'creating')
  mkdirSync(join(directory, 'node_modules'), { recursive: true })
  cpSync(join(project, 'packages/create-alcove'), join(directory, 'node_modules/create-alcove'), { recursive: true })
  symlinkSync(project, join(directory, 'node_modules/alcove'), 'junction')
  const { code, stdout } = await run(['node_modules/create-alcove/index.js', 'shop'], {}, directory)
  assert.equal(code, 0)
  assert.match(stdout, /^shop is ready:/)
  assert.ok(existsSync(join(directory, 'shop/src/app.ts')))
  assert.equal(manifestOf(project, 'packages/create-alcove')['version'], manifestOf(project, '')['version'])
})

test('the notes of a release are what the changelog says of it', async () => {
  const { code, stderr } = await run([join(project, '.ci/release-notes.mjs'), '99.0.0'])
  assert.deepEqual([code, stderr], [1, 'CHANGELOG.md has no section for 99.0.0.\n'])
})

test('the package contains what users need, and nothing else', async () => {
  const { stdout } = await new Promise<{ stdout: string }>((resolve, reject) => {
    execFile('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: project, maxBuffer: 2 ** 26 }, (error, out) =>
      error ? reject(error) : resolve({ stdout: out }),
    )
  })
  const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ files: { path: string }[] }]
  const folders = new Set(files.map(({ path }) => (path.startsWith('dist/') ? path.split('/').slice(0, 2).join('/') : path.split('/')[0])))
  assert.deepEqual(
    folders,
    new Set([
      'AGENTS.md',
      'LICENSE',
      'README.md',
      'decorators',
      'dist/cjs',
      'dist/decorators',
      'dist/esm',
      'dist/lib',
      'dist/page',
      'docs',
      'fastify-types',
      'package.json',
      'schemas',
      'templates',
    ]),
  )
  assert.deepEqual(
    files.filter(({ path }) => path.startsWith('decorators/')).map(({ path }) => path),
    ['forms', 'mocks', 'queries', 'runtime', 'streams'].map((name) => `decorators/client/${name}.ts`),
  )
  assert.deepEqual(
    files.filter(({ path }) => path.startsWith('docs/')).map(({ path }) => path),
    ['docs/reference/cli.md', 'docs/reference/errors.md'],
  )
  assert.deepEqual(
    files.filter(({ path }) => /^dist\/(?:lib|decorators|cjs\/lib|cjs\/decorators)\//.test(path) && !path.endsWith('.d.ts')),
    [],
    'of the single modules, only their declarations',
  )
})

/** The jobs of a workflow, each with its lines. */
function jobsOf(workflow: string): string[] {
  const [, jobs] = workflow.split(/^jobs:$/m)
  return jobs!.split(/^(?= {2}\S)/m).filter((job) => job.trim() !== '')
}

for (const name of readdirSync(join(project, '.github/workflows'))) {
  const text = read(join(project, '.github/workflows', name))
  test(`${name} names each action by its commit`, () => {
    for (const [, action] of text.matchAll(/uses: (\S+)/g)) assert.match(action!, /@[0-9a-f]{40}$/)
  })

  test(`no job of ${name} that may write installs or runs the code of packages`, () => {
    const [head] = text.split(/^jobs:$/m)
    assert.doesNotMatch(head!, /: write/)
    for (const job of jobsOf(text))
      if (/: write$/m.test(job)) assert.doesNotMatch(job, /npm (?:ci|install|test|run|exec)|npx|checkout|node /, job)
  })
}
