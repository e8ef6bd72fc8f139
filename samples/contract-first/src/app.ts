import { Plugin, type ServerOptions } from 'alcove'
import type { OpenApiOptions } from 'alcove/contract'
import { schemas } from './models.js'
import { NotesPlugin } from './notes/notes.plugin.js'

/** What the document of the application says beside its routes. `alcove openapi dist/app.js` finds it by its name. */
export const document = { info: { title: 'Notes', version: '1.0.0' } } satisfies OpenApiOptions

/** The options of the server. The commands of alcove find them by their name. */
export const options = {} satisfies ServerOptions

@Plugin({ schemas, imports: [NotesPlugin] })
export class App {}
