/**
 * alcove beside bare node:http, Fastify and NestJS: each server in a process of its own, the servers in turn, so that what else the
 * machine does falls on all. Without options it measures everything, records the results and writes the pages that have them.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'
import { conditionsOf, describeConditions } from './report/conditions.mjs'
import { readResults, record, tables } from './report/pages.mjs'
import { printProfile } from './report/profile.mjs'
import { serverNames } from './servers.mjs'
import { compareWith } from './suites/against.mjs'
import { guard, measureHistory } from './suites/guard.mjs'
import { measureLines } from './suites/lines.mjs'
import { measureFetch } from './suites/fetch.mjs'
import { measureApplication } from './suites/application.mjs'
import { measureBoot } from './suites/boot.mjs'
import { measureLoad } from './suites/load.mjs'
import { measureRecovery } from './suites/overload.mjs'
import { measureParts } from './suites/parts.mjs'
import { measureRequests, measureSockets } from './suites/requests.mjs'
import { measureSizes } from './suites/sizes.mjs'
import { measureProfiles, profileOf } from './suites/profiles.mjs'
import { measureStartup } from './suites/startup.mjs'
import { measureWiring } from './suites/wiring.mjs'
import { workloads } from './workloads.mjs'

/** In this order. */
const suites = {
  requests: measureRequests,
  sockets: measureSockets,
  lines: measureLines,
  parts: measureParts,
  boot: measureBoot,
  sizes: measureSizes,
  load: measureLoad,
  overload: measureRecovery,
  application: measureApplication,
  profile: measureProfiles,
  startup: measureStartup,
  wiring: measureWiring,
  fetch: measureFetch,
}

/** The line of Node that users install today. */
const LTS = '24'

const usage = `npm run bench -- [options]
  ${Object.keys(suites)
    .map((name) => `--${name}`)
    .join(' ')}
                             only these parts; each is recorded for itself
  --only hello,body          workloads; of ${Object.keys(workloads).join(', ')}
  --servers alcove,fastify   of ${serverNames.join(', ')}
  --runs N                   processes for each server and workload
  --quick                    short runs, to try the measurement itself
  --write, --no-write        records the results in results.json and in the pages, or does not; by default, if none of the three options
                             above is given
  --against <commit>         the ratios of this working copy to a commit, without a network; --servers is alcove by default
  --guard                    the same for three workloads and the last commit of the history, with the noise, in one minute; CI runs it
  --history 3718fdc,HEAD     three workloads at these commits beside Fastify; adds them to the history in results.json and its page
  --node 20                  on another line of Node, or with "own" on that of this command; default: the current LTS line, ${LTS}
  --show hello               where the CPU time of one workload goes, by function, for the first of --servers; default alcove`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    ...Object.fromEntries(Object.keys(suites).map((name) => [name, { type: 'boolean' }])),
    only: { type: 'string' },
    servers: { type: 'string' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean' },
    against: { type: 'string' },
    guard: { type: 'boolean', default: false },
    history: { type: 'string' },
    show: { type: 'string' },
    node: { type: 'string', default: LTS },
    help: { type: 'boolean', default: false },
  },
})

function choose(given, known) {
  const chosen = given?.split(',') ?? known
  const unknown = chosen.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}; there are ${known.join(', ')}.`)
  return chosen
}

const { quick } = values
const isPartial = quick || values.only !== undefined || values.servers !== undefined || values.runs !== undefined
const options = {
  only: choose(values.only, Object.keys(workloads)),
  names: choose(values.servers, serverNames),
  runs: values.runs === undefined ? undefined : Number(values.runs),
  quick,
}

async function measure() {
  const chosen = Object.keys(suites).filter((name) => values[name])
  for (const name of chosen.length > 0 ? chosen : Object.keys(suites)) {
    console.error(name)
    const results = { conditions: conditionsOf(isPartial), ...(await suites[name](options)) }
    console.log(
      `\n## ${name}\n\n${describeConditions(results.conditions)}\n\n${tables[name]?.(results) ?? JSON.stringify(results, undefined, 1)}`,
    )
    // After each part: a later one that fails takes nothing with it.
    if (values.write ?? !isPartial) record({ [name]: results })
  }
}

/** Adds commits to the history. Those that it has already are replaced. */
async function addHistory(commits) {
  const entries = await measureHistory(commits, options)
  const before = (readResults().history?.commits ?? []).filter(({ commit }) => !entries.some((entry) => entry.commit === commit))
  const history = {
    conditions: conditionsOf(isPartial),
    commits: [...before, ...entries].toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date)),
  }
  console.log(tables.history(history))
  if (values.write ?? !isPartial) record({ history })
}

/** Runs this command on another line of Node, and ends with its exit code. */
function runOn(line) {
  const { status } = spawnSync('npx', ['-y', '-p', `node@${line}`, 'node', ...process.argv.slice(1)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

if (values.help) console.log(usage)
else if (values.node !== 'own' && !process.version.startsWith(`v${values.node}.`)) runOn(values.node)
else {
  prepare()
  if (values.show !== undefined) {
    choose(values.show, Object.keys(workloads))
    printProfile(await profileOf(values.servers === undefined ? 'alcove' : options.names[0], values.show))
  } else if (values.against !== undefined) {
    await compareWith(values.against, { ...options, names: values.servers === undefined ? ['alcove'] : options.names })
  } else if (values.guard) process.exitCode = (await guard(readResults().history)) ? 0 : 1
  else if (values.history !== undefined) await addHistory(values.history.split(','))
  else await measure()
}
