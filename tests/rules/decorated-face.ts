/** The face of decorated classes: the same description becomes `@Plugin` and `@Route` classes. */
import { bootstrap, type Class, Hook, Plugin, type PluginImport, Route, Schema, type Server, shared, use } from 'alcove'
import { hookNames, type LifecycleHookName } from 'alcove/lib'
import type { ContextSpec, Face, RouteSpec } from './faces.js'

export const decorated: Face = {
  name: 'decorated',
  async build(spec, options) {
    try {
      return await bootstrap(toPlugin(spec), options)
    } catch (error) {
      return failed(error)
    }
  },
}

/** Stands for a server whose boot failed: the error comes with `ready`, like that of a programmatic server. */
function failed(error: unknown): Server {
  const fail = (): Promise<never> => Promise.reject(error)
  return { ready: fail, inject: fail, listen: fail, close: async () => {} } as unknown as Server
}

function toPlugin(spec: ContextSpec): Class {
  const { plugins = [], imports = [], routes = [], setup, contentTypeParsers = [], ...options } = spec
  class Context {
    setup(instance: Server): unknown {
      return setup?.(instance)
    }
  }
  Plugin({
    ...(options as object),
    contentTypeParsers: contentTypeParsers.map(({ type, options: parserOptions, parse }) => ({ type, ...parserOptions, parse })),
    imports: [
      ...plugins.map(([plugin, pluginOptions]) => use(plugin as any, (pluginOptions ?? {}) as any)),
      ...imports.map((child): PluginImport => (child.shared === true ? shared(toPlugin(child)) : toPlugin(child))),
    ],
    routes: routes.map(toRoute) as any,
  } as any)(Context)
  return Context
}

function toRoute({ method, path, handler, schema, ...options }: RouteSpec): Class {
  class Action {
    handle(request: any, reply: any): unknown {
      return handler.call(request.server, request, reply)
    }
  }
  const hooks = (hookNames as readonly LifecycleHookName[]).filter((name) => options[name] !== undefined)
  for (const name of hooks) for (const hook of [options[name]].flat().toReversed()) Hook(name, hook as never)(Action)
  const rest = Object.fromEntries(Object.entries(options).filter(([name]) => !hooks.includes(name as LifecycleHookName)))
  if (schema !== undefined) Schema(schema)(Action as any)
  Route({ ...rest, method, path } as any)(Action)
  return Action
}
