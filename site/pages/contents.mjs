/** The table of contents: made of the folders of docs/ and of the order in which their index pages link their pages. */

/** Each page belongs to one section, by its folder; further pages of a section are named. */
const sections = [
  { title: 'Start', folder: 'start/' },
  { title: 'Tutorial', folder: 'tutorial/' },
  { title: 'Guide', folder: 'guide/' },
  { title: 'How-to', folder: 'how-to/' },
  { title: 'Reference', folder: 'reference/' },
  { title: 'Explanation', folder: 'explanation/' },
  { title: 'Project', folder: 'project/', pages: ['architecture.md', 'versions.md', 'advisories.md'] },
  { title: 'Decisions', folder: 'decisions/' },
]

/**
 * The sections that have pages. Of each page, `path`, `file` (its name in the repository) and `links` (paths of the pages that it links, in
 * order) are read. A page comes where the index of its folder links it, else where the home page does; pages that neither links come last.
 * @throws if a page is in no section: no reader would find it
 */
export function tableOfContents(pages) {
  const rest = new Set(pages.filter(({ path }) => path !== 'index.md' && !path.startsWith('source/')))
  const linksOf = (path) => pages.find((page) => page.path === path)?.links ?? []
  const result = []
  for (const { title, folder, pages: named = [] } of sections) {
    const own = [...rest].filter(({ path }) => named.includes(path) || path.startsWith(folder))
    for (const page of own) rest.delete(page)
    const order = [`${folder}index.md`, ...linksOf(`${folder}index.md`), ...linksOf('index.md')]
    const place = ({ path }) => (order.includes(path) ? order.indexOf(path) : order.length)
    own.sort((one, other) => place(one) - place(other) || (one.path < other.path ? -1 : 1))
    if (own.length > 0) result.push({ title, pages: own })
  }
  if (rest.size === 0) return result
  const names = [...rest].map(({ file }) => file).join(', ')
  throw new Error(
    `No section of the site has ${names}. Move it into the folder of its kind (docs/how-to/ …), or name it in site/pages/contents.mjs.`,
  )
}
