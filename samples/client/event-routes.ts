// The routes of App, written by `alcove client`. Do not change them: write them again.
import type { ClassRoutes } from 'alcove/client'

interface Routes {
  readonly GetTicks: ClassRoutes
}

export const routes: Routes = {
  GetTicks: {
    handle: { method: 'GET', path: ['/ticks'], headers: { accept: 'text/event-stream' } },
  },
}
