import { readFileSync } from 'node:fs'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { showHovers, typeHovers } from './hover.mjs'
import { nameHeads } from './tables.mjs'

const read = (name) => JSON.parse(readFileSync(new URL(`../.pages/${name}`, import.meta.url), 'utf8'))
const contents = read('contents.json')
const description =
  'A TypeScript framework for HTTP servers: plugin classes in nested contexts, wiring proved before the start, types from the schemas'
const withoutScripts = readFileSync(new URL('theme/without-scripts.css', import.meta.url), 'utf8').replaceAll(/\/\*[^]*?\*\/|\s*\n\s*/g, '')
const repository = process.env.REPOSITORY_URL

const base = process.env.SITE_BASE ?? '/'
const missing = {
  title: 'THIS PAGE DOES NOT EXIST',
  quote: 'It may have been moved: search for its subject, or begin at the home page.',
  linkText: 'Home',
}

export default defineConfig({
  srcDir: '.pages',
  title: 'alcove',
  description,
  lang: 'en',
  // A host of project pages serves the site below a path: `SITE_BASE=/alcove/`.
  base,
  // Every host of static files knows these addresses, those of `….ts.html` too.
  cleanUrls: false,
  // Addresses of an application that the reader has started, and pages that a sample leaves out.
  ignoreDeadLinks: process.env.SITE_SAMPLE ? true : 'localhostLinks',
  // The table of contents stands in one file, not in each page.
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }],
    ['meta', { name: 'theme-color', content: '#12715b' }],
    ['noscript', {}, `<style>${withoutScripts}</style>`],
  ],
  themeConfig: {
    logo: '/mark.svg',
    nav: [
      ...contents.filter(({ title }) => !['Explanation', 'Project', 'Decisions'].includes(title)).map(navEntry),
      { text: 'API', link: '/api/index.md', activeMatch: '^/api/' },
    ],
    sidebar: {
      '/': contents.map(({ title, pages }) => ({
        text: title,
        // A heading that opens its section is a button: it may not contain another, so it is a link.
        ...(title === 'Decisions' && { collapsed: true, link: pages[0].link }),
        items: [...pages, ...(title === 'Reference' ? [{ text: 'API', link: '/api/index.md' }] : [])],
      })),
      '/api/': [{ text: 'API', link: '/api/index.md', items: read('api.json').map((entry) => apiEntry(entry)) }],
    },
    outline: [2, 3],
    search: { provider: 'local', options: { _render: searchText, detailedView: true } },
    footer: { message: 'MIT licence. Nothing on this site is loaded from another host.' },
    docFooter: { prev: 'Before', next: 'Next' },
    notFound: missing,
    ...(repository !== undefined && {
      socialLinks: [{ icon: { svg: sourceIcon() }, link: repository, ariaLabel: 'Source' }],
      editLink: { pattern: ({ frontmatter }) => frontmatter.source, text: 'Source of this page' },
    }),
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Anchors as hosts of repositories make them, so that a link with one works there too.
    anchor: { slugify: slug },
    headers: { level: [2, 3], slugify: slug },
    config(md) {
      showHovers(md)
      nameHeads(md)
    },
    codeTransformers: [typeHovers()],
  },
  // The page for addresses that do not exist is drawn by scripts.
  transformHtml: (html, file) =>
    file.endsWith('404.html')
      ? html.replace(
          /(?<=<div id="app">)(?=<\/div>)/,
          `<noscript><h1>404</h1><p>This page does not exist. <a href="${base}">Home</a></p></noscript>`,
        )
      : undefined,
  vite: {
    plugins: [
      llmstxt({ ignoreFilesPerOutput: { llmsTxt: ['source/**'], llmsFullTxt: ['source/**', 'api/**', 'decisions/**', 'project/**'] } }),
    ],
  },
})

function navEntry({ title, pages }) {
  const [{ link }] = pages
  return { text: title, link, activeMatch: `^${link.slice(0, link.indexOf('/', 1) + 1)}` }
}

/** TypeDoc's navigation: entries, subjects, exports. A subject has no page: its place is on the page of its entry. */
function apiEntry({ title, path, children }, page) {
  return {
    text: title,
    link: `/api/${path ?? `${page}#${slug(title)}`}`,
    ...(children?.length > 0 && { items: children.map((child) => apiEntry(child, path)), collapsed: true }),
  }
}

/** Source files are not searched: their pages would drown the others. */
function searchText(source, env, md) {
  return env.relativePath.startsWith('source/') ? '' : md.render(source, env)
}

function sourceIcon() {
  return '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"><path d="m8 7-5 5 5 5m8-10 5 5-5 5"/></svg>'
}
