/**
 * Makes the application that is planned from a contract in memory, without files. It has the same routes, schemas and guards as the
 * application that `alcove new --from` writes.
 */
import { type ErrorHandler, HttpError, type RouteHandler, type ServerOptions } from '../../../lib/index.js'
import { Hook } from '../../declare/hook.js'
import type { Class } from '../../declare/metadata.js'
import { Plugin, type PluginOptions } from '../../declare/plugin.js'
import { Action, Controller } from '../../declare/route.js'
import type { PlannedApplication, PlannedGroup } from './plan.js'
import type { PlannedAction } from './plan-action.js'
import { type ErrorMembers, plannedPayload } from './plan-errors.js'

export interface MadeApplication {
  readonly App: Class
  readonly options: ServerOptions
}

/** Returns the handler for the requests of an operation. Without this function, the application replies to every request with 501. */
export type HandlerOf = (action: PlannedAction) => RouteHandler

export function makeApplication(plan: PlannedApplication, handlerOf: HandlerOf = leftToWrite): MadeApplication {
  const guards = new Map(
    plan.guards.map(({ name, security }) => [
      name,
      withClassName(
        name,
        class {
          static readonly security = security
          onRequest(): void {}
        },
      ),
    ]),
  )
  const plugins = plan.groups.map((group) => {
    const plugin = withClassName(group.plugin, class {})
    // The compiler does not know what classes that are made here read.
    const options: PluginOptions = { routes: [makeControllerClass(group, guards, handlerOf)] }
    Plugin(options)(plugin)
    return plugin
  })
  const App = withClassName('App', class {})
  Plugin({
    ...(plan.prefix !== undefined && { prefix: plan.prefix }),
    ...(plan.hasProblems && { errorFormat: 'problem' as const }),
    ...(plan.errors !== undefined && { errorHandler: answerWith(plan.errors) }),
    schemas: plan.schemas.map(({ id, schema }) => ({ $id: id, ...schema })),
    imports: plugins,
  })(App)
  return { App, options: plan.validator === undefined ? {} : { jsv: { customOptions: plan.validator } } }
}

function makeControllerClass(
  { controller, prefix, tags, actions }: PlannedGroup,
  guards: ReadonlyMap<string, Class>,
  handlerOf: HandlerOf,
): Class {
  const made = withClassName(controller, class {})
  const { prototype } = made as { prototype: object }
  for (const action of actions) {
    const { method, path, member, status, docs, deprecated, schema, hasHeadRoute } = action
    const descriptor = { value: handlerOf(action), writable: true, configurable: true }
    Object.defineProperty(prototype, member, descriptor)
    const options = { path, docs, deprecated, ...(status !== undefined && { status }), ...(!hasHeadRoute && { exposeHeadRoute: false }) }
    // TypeScript applies the last decorator of a method first.
    for (const { name } of action.guards.toReversed()) Hook('onRequest', guards.get(name)!)(prototype, member, descriptor)
    const decorate: (...args: unknown[]) => void = Action(method as 'GET', options, schema)
    decorate(prototype, member, descriptor)
  }
  Controller(prefix, tags === undefined ? {} : { docs: { tags } })(made)
  return made
}

function answerWith(members: ErrorMembers): ErrorHandler {
  return (error, _request, reply) => {
    const { statusCode: status = 500, code, message } = error as Error & { readonly statusCode?: number; readonly code?: string }
    return reply.code(status).send(plannedPayload(members, status, message, code))
  }
}

function leftToWrite({ member }: PlannedAction): RouteHandler {
  return () => {
    throw new HttpError(501, `${member} is left to write`)
  }
}

function withClassName<C extends Class>(name: string, made: C): C {
  Object.defineProperty(made, 'name', { value: name })
  return made
}
