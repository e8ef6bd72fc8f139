// The routes of App, written by `alcove client`. Do not change them: write them again.
import type { ClassRoutes } from 'alcove/client'

interface Routes {
  readonly GreetingsController: ClassRoutes
}

export const routes: Routes = {
  GreetingsController: {
    add: { method: 'POST', path: ['/greetings'] },
    find: { method: 'GET', path: ['/greetings/', ':id'] },
  },
}
