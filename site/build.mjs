/**
 * Builds the site into `.vitepress/dist`, or serves it while its pages are edited (`--dev`). Reads the built package in ../dist.
 * REPOSITORY_URL: address of the repository, for links to sources. SITE_BASE: path below which the site will stand. SITE_SAMPLE: if set, only
 * a part of the pages of the API and of the sources is built, to check the others in less time.
 */
import { existsSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createServer } from 'vitepress'
import { writeApi } from './api/write.mjs'
import { keepCallOuts } from './call-outs.mjs'
import { checkLinks } from './check-links.mjs'
import { checkPages } from './check-pages.mjs'
import { keepSample } from './pages/sample.mjs'
import { root } from './pages/repository.mjs'
import { writePages } from './pages/write.mjs'

const site = fileURLToPath(new URL('.', import.meta.url))
const pages = join(site, '.pages')
const repository = process.env.REPOSITORY_URL?.replace(/\/$/, '')
if (!existsSync(join(root, 'dist/decorators/index.d.ts')))
  throw new Error('There is no built package: run `npm run build` in the root first')

rmSync(pages, { recursive: true, force: true })
await writeApi()
console.log(`${writePages(pages, repository)} pages`)
const leftOut = process.env.SITE_SAMPLE ? keepSample(pages) : new Set()
if (leftOut.size > 0) console.log(`${leftOut.size} pages of the API and of the sources are left out`)

if (process.argv.includes('--dev')) {
  const server = await createServer(site)
  await server.listen()
  server.printUrls()
  // Editors write a file in several steps: one round for all of them.
  let round
  watch(join(root, 'docs'), { recursive: true }, () => {
    clearTimeout(round)
    round = setTimeout(update, 100)
  })
} else {
  await build(site)
  const built = join(site, '.vitepress/dist')
  keepCallOuts(built)
  console.log(`${checkPages(built)} pages have their headings in order, texts for their pictures and one main part`)
  const links = checkLinks(built, process.env.SITE_BASE, leftOut)
  console.log(`${links} links lead to a page and its places`)
}

function update() {
  try {
    writePages(pages, repository)
  } catch (error) {
    console.error(error.message)
  }
}
