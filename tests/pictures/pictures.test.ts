/** The pictures of docs/pictures show what applications and the benchmark have recorded. `npm run pictures` draws them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bootstrap, type Class, explain } from 'alcove'
import { App, SharingApp } from '../../samples/contexts/app.js'
import { benchPicture, type Results } from './bench.js'
import { contextsPicture, sharedPicture } from './contexts.js'
import { bootPicture, lifetimesPicture } from './life.js'
import { points, recordFault, recordLife, recordLifetimes, recordRequests } from './recordings.js'
import { requestPicture } from './request.js'
import { draw, type Picture } from './svg.js'
import { needsPicture, type Step, stepPicture, wayPicture } from './tutorial.js'
import { wiringErrorPicture } from './wiring-error.js'
import { project } from '../fixtures/project.js'

const folder = join(project, 'docs/pictures')

async function explanationOf(Application: Class) {
  const server = await bootstrap(Application, { logger: false })
  try {
    return explain(server).toJSON()
  } finally {
    await server.close()
  }
}

async function benchmark(): Promise<Picture> {
  const results = JSON.parse(readFileSync(join(project, 'bench/results.json'), 'utf8')) as Results
  const { workloads } = (await import(pathToFileURL(join(project, 'bench/workloads.mjs')).href)) as {
    workloads: Record<string, { title: string }>
  }
  // The floor is what Node and the driver cost alone: only one server runs it.
  const measured = Object.keys(results.requests.workloads).filter((name) => name !== 'floor')
  return benchPicture(results, new Map(measured.map((name) => [name, workloads[name]!.title])))
}

const steps = JSON.parse(readFileSync(join(project, 'samples/tutorial/tests/explained.json'), 'utf8')) as Record<string, Step>

const tutorial: Readonly<Record<string, () => Picture>> = {
  'tutorial-route': () =>
    wayPicture(steps['01-a-route']!, 'Green: your method. Grey: what alcove does by the schema. Red: the replies that end the request.'),
  'tutorial-provider': () => needsPicture(steps['02-providers']!, 'A class names what it needs. It constructs nothing itself.'),
  'tutorial-contexts': () =>
    stepPicture(steps['03-contexts']!, 'What GET /authors sees', 'Green: what it sees. Grey: what it does not see.'),
  'tutorial-guard': () =>
    stepPicture(steps['08-a-guard']!, 'What the guard covers', 'The hook of EditingPlugin covers the routes of this plugin only.'),
  'tutorial-guard-way': () =>
    wayPicture(steps['08-a-guard']!, 'Without the right key, the request ends at the guard: its body is not even read.'),
  'tutorial-owner': () => wayPicture(steps['09-users']!, 'The first guard sets request.user. The second guard and the method may read it.'),
  'tutorial-app': () => stepPicture(steps['13-a-container']!, 'The application of the last step', 'Green: what PATCH /books/:id sees.'),
}

const pictures: Readonly<Record<string, () => Picture | Promise<Picture>>> = {
  contexts: async () => contextsPicture(await explanationOf(App), '/three'),
  imports: async () => sharedPicture(await explanationOf(App), await explanationOf(SharingApp), '/two'),
  request: async () => requestPicture(await recordRequests()),
  'boot-and-close': async () => bootPicture(await recordLife()),
  lifetimes: async () => lifetimesPicture(await recordLifetimes(), points),
  'wiring-error': () => wiringErrorPicture(recordFault()),
  benchmark,
  ...tutorial,
}

describe('the pictures show what was recorded (`npm run pictures` draws them):', () => {
  for (const [name, make] of Object.entries(pictures))
    test(`${name}.svg`, async () => {
      const file = join(folder, `${name}.svg`)
      const picture = draw(await make())
      if (process.env['PICTURES'] === 'write') writeFileSync(file, picture)
      assert.ok(readFileSync(file, 'utf8') === picture, `docs/pictures/${name}.svg is not what would be drawn`)
      // A page shows it as an image, which loads nothing.
      assert.doesNotMatch(picture.replace('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|<script|<image|@import/)
      assert.match(picture, /<title id="title">[^<]+<\/title>\n {2}<desc id="desc">[^<]{60,}<\/desc>/)
      assert.match(picture, /@media \(prefers-color-scheme: dark\)/)
    })

  test('each of them stands on a page, with a text for readers who do not see it', () => {
    const pages = ['docs', '.'].flatMap((directory) =>
      readdirSync(join(project, directory), { recursive: directory === 'docs', encoding: 'utf8' })
        .filter((file) => file.endsWith('.md'))
        .map((file) => readFileSync(join(project, directory, file), 'utf8')),
    )
    const missing = Object.keys(pictures).filter(
      (name) => !pages.some((page) => new RegExp(`!\\[[^\\]]{20,}\\]\\([\\w./-]*pictures/${name}\\.svg\\)`).test(page)),
    )
    assert.deepEqual(missing, [])
  })
})
