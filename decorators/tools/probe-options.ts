/** Checks the options of `probe`, because a misspelt option would leave routes without requests, or requests without credentials. */
import { isObject, suggestName } from '../../lib/internal.js'
import { describeValue } from '../wiring/value-names.js'
import type { ProbeOptions, ProbeSettings } from './probe/types.js'

type OptionName = keyof ProbeOptions

const settings: Readonly<Record<keyof ProbeSettings, readonly [isRight: (value: any) => boolean, cure: string]>> = {
  requests: [isCount, 'Write a whole number from 1 on.'],
  seed: [(value) => Number.isSafeInteger(value), 'Write a whole number.'],
  routes: [
    (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
    "Write a list of patterns: routes: ['/admin/**'].",
  ],
  slowerThan: [isTime, 'Write a number of milliseconds.'],
  timeout: [isTime, 'Write a number of milliseconds.'],
  headers: [
    (value) => isObject(value) && Object.values(value).every((each) => typeof each === 'string'),
    "Write an object of texts: headers: { authorization: '…' }.",
  ],
  authenticate: [(value) => typeof value === 'function', 'Write a function that returns headers.'],
  accept: [(value) => typeof value === 'function', 'Write a function that returns true for a finding that is on purpose.'],
}
/** The options of `probe` that are passed on to `testServer`, which checks them. */
const mounting: readonly Exclude<OptionName, keyof ProbeSettings>[] = ['provide', 'override', 'throws', 'schemas', 'prefix', 'server']

/** Checks the options of `probe`. @param isMounted whether the probe makes test servers itself @throws TypeError for the first fault */
export function assertProbeOptions(options: object, isMounted: boolean): void {
  const names = Object.keys(settings)
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (Object.hasOwn(settings, name)) {
      const [isRight, cure] = settings[name as keyof ProbeSettings]
      if (!isRight(value)) throw new TypeError(`probe has ${describeValue(value)} as ${name}. ${cure}`)
      continue
    }
    const isOfServer = (mounting as readonly string[]).includes(name)
    if (!isOfServer)
      throw new TypeError(
        `probe has no option '${name}'. ${suggestName(name, [...names, ...mounting], 'Options of the server are written as server: { … }.')}`,
      )
    if (!isMounted)
      throw new TypeError(`probe has the option '${name}', but probes a test server. Write ${name} in the options of testServer.`)
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 2 ** 31
}
