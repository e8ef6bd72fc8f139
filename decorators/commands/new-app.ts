/** The command `alcove new`: a small application with a test. */
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from './application.js'

/** The version of this package. */
export async function ownVersion(): Promise<string> {
  return (JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version
}

/** Copies the template into a directory that is new or empty. */
export async function createApp(target: string): Promise<void> {
  const directory = resolve(target)
  const present = await readdir(directory).catch(() => [])
  if (present.length > 0) throw new UsageError(`${target} is not empty.`)
  await cp(fileURLToPath(new URL('../../../templates/app', import.meta.url)), directory, { recursive: true })
  // npm leaves .gitignore files out of packages.
  await rename(join(directory, 'gitignore'), join(directory, '.gitignore'))
  const version = await ownVersion()
  for (const file of ['package.json', 'README.md']) {
    const path = join(directory, file)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text
        .replaceAll(
          '{{name}}',
          basename(directory)
            .toLowerCase()
            .replaceAll(/[^a-z0-9-]+/g, '-'),
        )
        .replaceAll('{{alcove}}', `^${version}`),
    )
  }
  console.log(`${target} is ready:\n\n  cd ${target}\n  npm install\n  npm test\n  npm run dev`)
}
