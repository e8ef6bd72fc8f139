/** Compares the plugins of two locks, with their providers and dependencies. */
import { change, type LockChange, type LockChangeKind, pairUp } from './change.js'
import type { Lock, LockedJob, LockedNeed, LockedPlugin, LockedProvider } from './lock-types.js'

type Changed = (kind: LockChangeKind, what: string) => LockChange

export function comparePlugins(old: Lock, now: Lock): LockChange[] {
  const { kept, lost, gained } = pairUp(
    old.plugins,
    now.plugins,
    ({ path }) => path,
    (one, other) => one.prefix === other.prefix,
  )
  return [
    ...lost.map(({ path }) => change('plugin-removed', path, path, 'is no longer a plugin of the application')),
    ...gained.map((plugin) => change('plugin-added', plugin.path, plugin.path, `is a new plugin${givenBy(plugin)}`)),
    ...kept.flatMap(([before, after]) => comparePlugin(before, after)),
  ]
}

function givenBy({ gives, isShared }: LockedPlugin): string {
  const names = gives.filter(({ isPrivate }) => !isPrivate).map(({ name }) => name)
  if (names.length === 0) return ''
  return ` that gives ${names.join(', ')} to ${isShared ? 'the plugin that shares it, and to all below' : 'the plugins below it'}`
}

function comparePlugin(old: LockedPlugin, now: LockedPlugin): LockChange[] {
  const { path } = now
  const changed = (kind: LockChangeKind, what: string): LockChange => change(kind, path, path, what)
  const named = (value: string | undefined): string => (value === undefined || value === '' ? 'none' : value)
  const runs = pairUp(old.runs, now.runs, (name) => name)
  return [
    ...(old.prefix === now.prefix
      ? []
      : [changed('prefix-changed', `has the prefix ${named(now.prefix)} instead of ${named(old.prefix)}`)]),
    ...(old.isShared === now.isShared
      ? []
      : [
          changed(
            'sharing-changed',
            now.isShared
              ? 'declares in the context of the plugin that imports it'
              : 'declares in a context of its own, and no longer in that of the plugin that imports it',
          ),
        ]),
    ...compareProviders(old.gives, now.gives, changed),
    ...compareNeeds(old.needs, now.needs, changed),
    ...compareJobs(old.jobs, now.jobs, changed),
    ...runs.lost.map((name) => changed('boot-code-removed', `no longer runs ${name} at boot`)),
    ...runs.gained.map((name) => changed('boot-code-added', `runs ${name} at boot now, which may add routes and hooks`)),
    ...(old.notFound === now.notFound
      ? []
      : [changed('not-found-handler-changed', `answers unknown paths by ${named(now.notFound)} instead of ${named(old.notFound)}`)]),
  ]
}

function compareJobs(old: readonly LockedJob[], now: readonly LockedJob[], changed: Changed): LockChange[] {
  const timeOf = ({ kind, when }: LockedJob): string => `${kind} ${when}`
  const { kept, lost, gained } = pairUp(
    old,
    now,
    ({ name }) => name,
    (one, other) => timeOf(one) === timeOf(other),
  )
  return [
    ...lost.map((job) => changed('job-removed', `no longer has the job ${job.name} (${timeOf(job)})`)),
    ...gained.map((job) => changed('job-added', `has the job ${job.name} (${timeOf(job)}) now`)),
    ...kept.flatMap(([before, after]) => [
      ...(timeOf(before) === timeOf(after)
        ? []
        : [changed('job-changed', `does the job ${after.name} by ${timeOf(after)} instead of ${timeOf(before)}`)]),
      ...(before.lifetime === after.lifetime
        ? []
        : [
            changed(
              'job-changed',
              `has ${after.lifetime}-scoped instances of the job ${after.name} instead of ${before.lifetime}-scoped ones`,
            ),
          ]),
      ...(before.input === after.input ? [] : [changed('job-changed', `has another schema for the input of the job ${after.name}`)]),
    ]),
  ]
}

function compareProviders(old: readonly LockedProvider[], now: readonly LockedProvider[], changed: Changed): LockChange[] {
  const isEqual = (one: LockedProvider, other: LockedProvider): boolean =>
    one.lifetime === other.lifetime && one.isPrivate === other.isPrivate
  const { kept, lost, gained } = pairUp(old, now, ({ name }) => name, isEqual)
  return [
    ...lost.map(({ name }) => changed('provider-removed', `no longer gives ${name}`)),
    ...gained.map(({ name, lifetime, isPrivate }) =>
      changed('provider-added', `gives ${name}${isPrivate ? ' (private)' : ''} now, with the lifetime ${lifetime}`),
    ),
    ...kept.flatMap(([before, { name, lifetime, isPrivate }]) => [
      ...(before.lifetime === lifetime
        ? []
        : [changed('provider-lifetime-changed', `gives ${name} with the lifetime ${lifetime} instead of ${before.lifetime}`)]),
      ...(before.isPrivate === isPrivate
        ? []
        : [
            changed(
              'provider-visibility-changed',
              isPrivate ? `keeps ${name} private now` : `shows ${name} to other plugins, which was private`,
            ),
          ]),
    ]),
  ]
}

function compareNeeds(old: readonly LockedNeed[], now: readonly LockedNeed[], changed: Changed): LockChange[] {
  const textOf = ({ provider }: LockedNeed): string => (provider === undefined ? 'nothing' : `${provider.from} (${provider.lifetime})`)
  const { kept, lost, gained } = pairUp(
    old,
    now,
    ({ name }) => name,
    (one, other) => textOf(one) === textOf(other),
  )
  return [
    ...lost.map(({ name }) => changed('need-removed', `no longer needs ${name}`)),
    ...gained.map((need) => changed('need-added', `needs ${need.name} of ${textOf(need)} now`)),
    ...kept
      .filter(([before, after]) => textOf(before) !== textOf(after))
      .map(([before, after]) => changed('need-changed', `gets ${after.name} of ${textOf(after)} instead of ${textOf(before)}`)),
  ]
}
