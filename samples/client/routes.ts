// The routes of App, written by `alcove client`. Do not change them: write them again.
export const routes = {
  GreetingsController: {
    add: { method: 'POST', path: ['/greetings'] },
    find: { method: 'GET', path: ['/greetings/', ':id'] },
  },
} as const
