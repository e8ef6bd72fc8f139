/** The application as `alcove build` boots it on Node: with a provider in place of the binding, and the same routes. */
import { Plugin } from 'alcove'
import { NotesPlugin, STORE, type Store } from './app.js'

const store: Store = { get: async () => null, put: async () => {} }

@Plugin({ providers: [{ provide: STORE, useValue: store }], imports: [NotesPlugin] })
export class App {}
