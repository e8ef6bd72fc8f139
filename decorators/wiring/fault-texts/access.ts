/** The texts of the faults of access rules. */
import { at, list, type Sharing, sharing } from './text.js'

/** The place and the title of a route in the texts of faults. */
export interface NamedRoute {
  /** The path of the route: `App > Api > Users.find`. */
  readonly place: string
  /** The methods and the URL of the route: `GET /users/:id`. */
  readonly title: string
}

/** Returns the place and the title of a route. The place of a programmatic route contains the title already. */
const labelOf = ({ place, title }: NamedRoute): string => (place.endsWith(` > ${title}`) ? place : `${place} (${title})`)

const PATTERNS = " A pattern is a path as the route declares it, below the prefix of the plugin: '/users/:id', 'POST /login', '/admin/**'."

export const accessFaults = {
  ACCESS_HOOK_MISSING: (
    route: NamedRoute,
    hook: { readonly name: string; readonly stage: string },
    by: string,
    plugin: string,
    elsewhere: readonly string[],
    how: Sharing | undefined,
  ) => {
    const problem = `${labelOf(route)} does not run ${hook.name}, as ${by} demands.`
    const except = 'A route that needs none is named in except(…) of the rule.'
    if (elsewhere.length > 0)
      return at(
        route.place,
        `${problem} ${hook.name} runs in ${list(elsewhere)}, whose hooks do not reach the route.`,
        `List it in hooks of ${plugin} or of an ancestor, or ${sharing(how)} ${except}`,
      )
    const above = `@Hook('${hook.stage}', ${hook.name})`
    return at(
      route.place,
      problem,
      `List it in hooks: { ${hook.stage}: ${hook.name} } of ${plugin} or of an ancestor, or write ${above} above the route. ${except}`,
    )
  },
  ACCESS_HOOKS_UNORDERED: (route: NamedRoute, late: string, early: string, by: string) =>
    at(
      route.place,
      `${labelOf(route)} runs ${late} before ${early}, but ${by} demands them in the other order.`,
      `List ${early} before ${late}, or in an earlier stage (onRequest, preParsing, preValidation, preHandler, around).`,
    ),
  ACCESS_PUBLIC_UNLISTED: (route: NamedRoute, entry: string, by: string) =>
    at(
      route.place,
      `${labelOf(route)} is public, but ${by} does not name it: no guard that it runs requires anything.`,
      `Run a guard there that declares what it requires (static security = { … }), or add '${entry}' to exactly.`,
    ),
  ACCESS_PUBLIC_GUARDED: (route: NamedRoute, requires: string, by: string) =>
    at(
      route.place,
      `${labelOf(route)} requires ${requires}, but ${by} names it as public.`,
      'Take it out of exactly, or take the guard away from the route.',
    ),
  ACCESS_ROUTE_REFUSED: (route: NamedRoute, problem: string, by: string) =>
    at(
      route.place,
      `${labelOf(route)} breaks ${by}: ${problem}.`,
      'Change the route, or leave it out of the rule: routes(…).except(…).every(…).',
    ),
  ACCESS_PROVIDER_SEEN: (path: string, token: string, from: string, alias: string | undefined, by: string) =>
    at(
      path,
      `${path} sees ${token} of ${from}${alias === undefined ? '' : ` as ${alias}`}, which ${by} forbids.`,
      `Provide it only in the plugins that need it, or list ${alias ?? 'it'} in private of ${from}.`,
    ),
  ACCESS_RULE_IDLE: (place: string, what: string, by: string, unknown: readonly string[]) =>
    at(
      place,
      `${by.replace(/^the/, 'The')} names ${what}, so it would prove nothing.`,
      unknown.length === 0
        ? `Correct it, or take it out.${/\broutes?$/.test(what) ? PATTERNS : ''}`
        : `Correct it, or take it out. If ${list(unknown)} adds it at boot, judge the server that boots: access(server).`,
    ),
} as const
