/** What `alcove explain --json` says of a step, without what the pictures of the pages do not show. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The steps that have pictures, and the route that the pictures are about. */
export const drawnSteps = {
  '01-a-route': 'GET /books/:id',
  '02-providers': 'GET /books/:id',
  '03-contexts': 'GET /authors',
  '08-a-guard': 'POST /books',
  '09-users': 'PATCH /books/:id',
  '13-a-container': 'PATCH /books/:id',
}

/**
 * @param folder of the step, which has been built
 * @param drawn the route that the pictures are about
 */
export function explain(folder, drawn, hasVariables) {
  const file = hasVariables ? ['--env', '.env.test'] : []
  const command = join(folder, 'node_modules/.bin/alcove')
  const output = execFileSync(command, ['explain', 'dist/app.js', '--json', ...file], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 24 })
  const { root, routes, plugins } = JSON.parse(output)
  const isShown = ({ isAutomatic, place }) => !isAutomatic && place.startsWith('App')
  return {
    root: contextOf(root, isShown),
    routes: routes.filter(isShown).map(({ methods, url, place, context, hooks }) => ({ methods, url, place, context, hooks })),
    drawn: routes.filter(({ methods, url }) => `${methods.join()} ${url}` === drawn).map(routeOf)[0],
    plugins: plugins.map(({ path, context, providers, classes }) => ({
      path,
      context,
      providers: providers.map(({ name }) => name),
      classes: classes.map(({ name, needs }) => ({ name, needs: needs.map((need) => need.name) })),
    })),
  }
}

function routeOf({ methods, url, place, context, status, hooks, engines, responses, visible }) {
  const replies = Object.entries(responses).map(([code, { from }]) => ({ status: Number(code), from }))
  return { methods, url, place, context, status, hooks, validated: Object.keys(engines), replies, visible }
}

function contextOf({ name, path, requestDecorators, routes, children }, isShown) {
  const own = routes.filter(isShown).map(({ methods, url, place, isAutomatic }) => ({ methods, url, place, isAutomatic }))
  // The page of the documentation is a plugin of alcove.
  const below = children.filter((child) => child.name !== 'docsPlugin').map((child) => contextOf(child, isShown))
  return { name, path, requestDecorators, routes: own, children: below }
}
