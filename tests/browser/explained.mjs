/** The pages of `explain` that the tests open. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bootstrap, explain } from '../../dist/decorators/index.js'

/** Boots an application and returns its explanation as plain data, with the function that writes its page. */
export async function explained(App) {
  const server = await bootstrap(App)
  const explanation = explain(server)
  await server.close()
  return { document: JSON.parse(JSON.stringify(explanation)), toHTML: (old) => explanation.toHTML(old) }
}

/** Writes a page into a folder. @returns its address */
export async function writePage(directory, name, html) {
  const file = join(directory, name)
  await writeFile(file, html)
  return pathToFileURL(file).href
}
