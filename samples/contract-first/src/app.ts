import { Plugin, type ServerOptions } from 'alcove'
import { docsPage, type OpenApiOptions } from 'alcove/contract'
import { schemas } from './models.js'
import { NotesPlugin } from './notes/notes.plugin.js'

/** The parts of the OpenAPI document besides the routes, for the page at /docs. `alcove openapi dist/app.js` finds them by the name of this export. */
export const document = { info: { title: 'Notes', version: '1.0.0' } } satisfies OpenApiOptions

/** The options of the server. The commands of alcove find them by the name of this export. */
export const options = {} satisfies ServerOptions

@Plugin({ schemas, imports: [docsPage(document), NotesPlugin] })
export class App {}
