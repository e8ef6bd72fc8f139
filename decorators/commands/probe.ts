/** The command `alcove probe`: sends an application many unusual requests, and prints the findings, each with the source of a test. */
import type { Class } from '../declare/metadata.js'
import { probe, ProbeError } from '../tools/probe.js'
import type { ProbeOptions } from '../tools/probe/types.js'
import { loadExportedOptions, loadOptions } from './application.js'
import { UsageError } from './modules.js'

export interface ProbeArguments {
  readonly requests?: string | undefined
  readonly seed?: string | undefined
  /** The patterns of the routes to probe. */
  readonly route?: readonly string[] | undefined
  readonly slower?: string | undefined
  readonly timeout?: string | undefined
  /** The headers to send, in the form `name: value`. */
  readonly header?: readonly string[] | undefined
  /** The name of the export that contains the options of the probe. */
  readonly probe?: string | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** Probes an application, and prints the report. @returns whether there are no findings */
export async function probeApplication(file: string, App: Class, given: ProbeArguments): Promise<boolean> {
  const base: ProbeOptions = (await loadExportedOptions(file, 'probe', given.probe)) ?? {}
  const server = await loadOptions(file, given.options)
  const headers = { ...base.headers, ...readHeaders(given.header ?? []) }
  const options: ProbeOptions = {
    ...base,
    ...readNumbers(given),
    ...(given.route !== undefined && { routes: given.route }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(base.server === undefined && Object.keys(server).length > 0 && { server: withoutLogger(server) }),
  }
  try {
    console.log(String(await probe(App, options)))
    return true
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith('probe ')) throw new UsageError(error.message)
    if (!(error instanceof ProbeError)) throw error
    console.log(error.message)
    return false
  }
}

/** Returns the options of a server without the logger, which would log each request. */
function withoutLogger({ logger: _logger, ...options }: NonNullable<ProbeOptions['server']>): NonNullable<ProbeOptions['server']> {
  return options
}

function readNumbers(given: ProbeArguments): Pick<ProbeOptions, 'requests' | 'seed' | 'slowerThan' | 'timeout'> {
  const names = { requests: 'requests', seed: 'seed', slower: 'slowerThan', timeout: 'timeout' } as const
  return Object.fromEntries(
    Object.entries(names).flatMap(([flag, name]) => {
      const text = given[flag as keyof typeof names]
      if (text === undefined) return []
      if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${flag} is a whole number, not ${text}.`)
      return [[name, Number(text)]]
    }),
  )
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/s.exec(line) ?? []
      if (name === undefined) throw new UsageError(`--header is written as 'name: value', not ${line}.`)
      return [name.toLowerCase(), value!]
    }),
  )
}
