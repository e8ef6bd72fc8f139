/**
 * Describes the plugins of an application for `explain`: their providers and constructed classes, and the sources of their dependencies.
 */
import { tokenName } from '../declare/tokens.js'
import type { Application } from '../run/bootstrap.js'
import { allPlugins, contextPathOf, timeOfJob } from '../wiring/nodes.js'
import { consumerOf, type Dependency, lifetimeOf, type ProviderRecord } from '../wiring/provider-record.js'
import { nameOf } from '../wiring/value-names.js'
import type { ConstructedExplanation, NeedExplanation, PluginExplanation } from './explanation.js'

/** Returns the descriptions of all plugin classes of an application, each before the plugins that it imports. */
export function explainPlugins({ root, wiring }: Application): PluginExplanation[] {
  return allPlugins(root).map((plugin) => {
    const shown = wiring.providers.get(plugin.contextOwner)?.values() ?? []
    const hidden = wiring.privateProviders.get(plugin)?.values() ?? []
    const options = plugin.imports.flatMap((entry) => wiring.importOptions.get(entry) ?? [])
    const constructed = [wiring.plugins.get(plugin)!, ...(wiring.constructedClasses.get(plugin)?.values() ?? []), ...options]
    return {
      path: plugin.path,
      context: contextPathOf(plugin.contextOwner),
      prefix: plugin.prefix,
      isShared: plugin.isShared,
      providers: [
        ...[...shown].filter((record) => record.plugin === plugin).map((record) => ({ ...describe(record), isPrivate: false })),
        ...[...hidden].map((record) => ({ ...describe(record), isPrivate: true })),
      ],
      classes: constructed.map((record) => ({ ...describe(record), name: consumerOf(record).name })),
      jobs: plugin.jobs.map((job) => {
        const { kind, text } = timeOfJob(job)
        return { name: nameOf(job.Class), kind, when: text }
      }),
    }
  })
}

function describe(record: ProviderRecord): ConstructedExplanation {
  return { name: tokenName(record.token), lifetime: lifetimeOf(record), needs: record.dependencies.map(describeNeed) }
}

function describeNeed(dependency: Dependency): NeedExplanation {
  const name = tokenName(dependency.token)
  if (!('provider' in dependency)) return { name }
  const { token, plugin } = dependency.provider
  return { name: tokenName(token), from: plugin.path }
}
