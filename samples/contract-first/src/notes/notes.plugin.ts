import { Plugin } from 'alcove'
import { NotesController } from './notes.controller.js'

@Plugin({ routes: [NotesController] })
export class NotesPlugin {}
