/**
 * Prepares the packages for a registry, in a working copy that is published and then thrown away: the address of the repository is put into
 * package.json, and the links of README.md, which are relative there, lead to the repository.
 *   GITHUB_SERVER_URL=https://… GITHUB_REPOSITORY=owner/name GITHUB_REF_NAME=v1.0.0 node .ci/publishable.mjs [folder]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_REF_NAME: tag } = process.env
const missing = Object.entries({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_REF_NAME: tag }).flatMap(([key, value]) =>
  value === undefined || value === '' ? [key] : [],
)
if (missing.length > 0) {
  console.error(`The environment lacks ${missing.join(', ')}, by which the repository and the tag are known.`)
  process.exit(2)
}
const repository = `${server}/${name}`

for (const directory of ['', 'packages/fastify', 'packages/create-alcove']) {
  const manifest = join(folder, directory, 'package.json')
  const { name: own, version, description, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
  const addresses = {
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, ...(directory !== '' && { directory }) },
  }
  writeFileSync(manifest, `${JSON.stringify({ name: own, version, description, ...addresses, ...rest }, null, 2)}\n`)
}

const readme = join(folder, 'README.md')
const text = readFileSync(readme, 'utf8')
writeFileSync(readme, text.replaceAll(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, toAbsolute))

/** A link to a file of the repository at the tag that is published; of a picture, to its bytes. */
function toAbsolute(_link, picture, label, target) {
  const [path, anchor] = target.split('#')
  if (!existsSync(join(folder, path))) throw new Error(`README.md links to ${path}, which does not exist.`)
  const kind = picture === '!' ? 'raw' : path.endsWith('/') || !/\.\w+$/.test(path) ? 'tree' : 'blob'
  return `${picture}[${label}](${repository}/${kind}/${tag}/${path}${anchor === undefined ? '' : `#${anchor}`})`
}
