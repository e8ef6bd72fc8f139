/** Pages that show a source file with its colours, or the files of a folder. */
import { extname, basename } from 'node:path'

/** False for files that nobody reads: lists of folders name them, but they have no page. */
export function isReadable(path) {
  return !/(^|\/)package-lock\.json$|\.(png|jpe?g|ico|woff2?|tgz)$/.test(path)
}

const languages = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.mjs': 'js',
  '.cjs': 'js',
  '.js': 'js',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.sh': 'sh',
  '.sql': 'sql',
  '.html': 'html',
  '.css': 'css',
  '.svg': 'xml',
  '.conf': 'nginx',
  '.toml': 'toml',
}
const byName = { Dockerfile: 'docker', 'nginx.conf': 'nginx' }

/** Markdown of a page with a source file. */
export function sourcePage(path, text) {
  // A long file has no colours: its page would be ten times as long as the file.
  const language = text.length > 50_000 ? 'txt' : (byName[basename(path)] ?? languages[extname(path)] ?? 'txt')
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `# ${path}\n\n${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}\n`
}

/** Markdown of a page with the files of a folder: `entries` are names, folders with a `/` at their end; those without a `url` are not linked. */
export function folderPage(path, entries) {
  const lines = entries.map(({ name, url }) => (url === undefined ? `- ${name}` : `- [${name}](${url})`))
  return `# ${path}\n\n${lines.join('\n')}\n`
}
