/** Writes the reference of the API into `.pages/api`, and its table of contents into `.pages/api.json`. */
import { fileURLToPath } from 'node:url'
import { Application } from 'typedoc'

/** @throws if TypeDoc warns: of a link in a comment that leads nowhere, of an export without a subject … */
export async function writeApi() {
  const app = await Application.bootstrapWithPlugins({ options: fileURLToPath(new URL('typedoc.json', import.meta.url)) })
  const project = await app.convert()
  if (project !== undefined) {
    app.validate(project)
    await app.generateOutputs(project)
  }
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc has found faults in the comments, see above')
}
