/** Writes the lock of an application as text: a block for each plugin, with one line for each fact, so that a change affects few lines. */
import { pluginLines, routeLines } from './lines.js'
import type { Lock, LockedPlugin, LockedRoute } from './lock-types.js'
import { writeName, writePath } from './text.js'

/** The first line of each lock. The number is the version of the format. */
export const firstLine = 'alcove lock 1'

const note = '# Written by "alcove lock": the plugins, routes, hooks and providers of the application. Read its changes as you read code.'

export function writeLock({ plugins }: Lock): string {
  return (
    [firstLine, note, ...plugins.map((plugin) => writePlugin(plugin).join('\n'))].join('\n').replaceAll('\nplugin ', '\n\nplugin ') + '\n'
  )
}

function writePlugin(plugin: LockedPlugin): string[] {
  return [`plugin ${writePath(plugin.path)}`, ...linesOf(plugin, pluginLines, '  '), ...plugin.routes.flatMap(writeRoute)]
}

function writeRoute(route: LockedRoute): string[] {
  return [`  route ${route.methods.map(writeName).join(' ')} ${writeName(route.url)}`, ...linesOf(route, routeLines, '    ')]
}

function linesOf<T>(data: T, lines: Readonly<Record<string, { write(data: T): readonly string[] }>>, indent: string): string[] {
  return Object.entries(lines).flatMap(([keyword, line]) => line.write(data).map((text) => `${indent}${keyword} ${text}`.trimEnd()))
}
