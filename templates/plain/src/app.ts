import { Plugin } from 'alcove'
import { Greet, Greeter } from './greet.ts'
import { Notes, NotesController } from './notes.ts'

export class App {
  static {
    Plugin({ providers: [Greeter, Notes], routes: [Greet, NotesController] })(this)
  }
}
