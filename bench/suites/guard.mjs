/**
 * `guard` compares the working copy with the last commit of the history, so that CI shows a loss of speed. It compares that commit with itself
 * too, which shows the noise. `measureHistory` compares commits with Fastify.
 */
import { git } from '../report/conditions.mjs'
import { spread, table } from '../report/format.mjs'
import { measureSlices } from '../slices.mjs'
import { checkOut } from './against.mjs'

const workloads = ['hello', 'body', 'scope']
const PAIRS = 10
/** So many pairs are measured at least, to be shown. */
const LEAST_PAIRS = 4
/** A busy machine must not refuse work: only a loss that is certain, and seen in each of three tries, is a failure. */
const LIMIT = 1.1
const TRIES = 3

/** The commit of the history that is the latest one before the current commit; `undefined` if the repository has none of them. */
function lastMeasured(commits) {
  const before = commits.filter((commit) => {
    try {
      git('merge-base', '--is-ancestor', commit, 'HEAD')
      return git('rev-parse', commit) !== git('rev-parse', 'HEAD')
    } catch {
      return false
    }
  })
  return before.at(-1)
}

/** Whether a loss can no longer be certain: of ten pairs at most one may be without it. */
function isHarmless({ after: { ratio } }) {
  return ratio.length >= LEAST_PAIRS && ratio.filter((each) => each <= LIMIT).length >= 2
}

/** Prints the comparison. @param history the part `history` of the results @returns whether no workload has lost time in each try */
export async function guard(history) {
  const commit = lastMeasured(history.commits.map((entry) => entry.commit))
  if (commit === undefined) {
    console.log('SKIPPED: no commit of the history in bench/results.json is in this repository, so there is nothing to compare with.')
    return true
  }
  console.error(`building ${commit}`)
  const other = checkOut(commit)
  try {
    let left = workloads
    for (let attempt = 1; attempt <= TRIES && left.length > 0; attempt++) {
      const rows = []
      const lost = []
      for (const workload of left) {
        const servers = [
          { key: 'before', name: 'alcove', directory: other.bench },
          { key: 'again', name: 'alcove', directory: other.bench },
          { key: 'after', name: 'alcove' },
        ]
        const { again, after } = await measureSlices(workload, servers, { runs: PAIRS, quick: true, isEnough: isHarmless })
        const { surelyAbove } = after.ratio
        if (surelyAbove > LIMIT) lost.push(workload)
        rows.push([workload, spread(after.ratio, 2), surelyAbove?.toFixed(2) ?? '–', spread(again.ratio, 2)])
      }
      console.log(table(['workload', `CPU per request, ratio to ${commit}`, 'surely above', `noise: ${commit} beside itself`], rows))
      left = lost
      if (lost.length > 0) console.log(`Try ${attempt} of ${TRIES}: more than ${LIMIT} for ${lost.join(', ')}.`)
    }
    return left.length === 0
  } finally {
    other.remove()
  }
}

/** Measures commits beside Fastify, all in one run. */
export async function measureHistory(commits, { runs, quick }) {
  const built = commits.map((commit) => {
    console.error(`building ${commit}`)
    return { commit: git('rev-parse', '--short=10', commit), date: git('log', '-1', '--format=%cI', commit), ...checkOut(commit) }
  })
  try {
    const entries = built.map(({ commit, date }) => ({ commit, date, workloads: {} }))
    for (const workload of workloads) {
      console.error(`  ${workload}`)
      const servers = built.map(({ commit, bench }) => ({ key: commit, name: 'alcove', directory: bench }))
      const found = await measureSlices(workload, [{ key: 'fastify', name: 'fastify' }, ...servers], { runs: runs ?? 4, quick })
      for (const entry of entries) entry.workloads[workload] = found[entry.commit].ratio
    }
    return entries
  } finally {
    for (const { remove } of built) remove()
  }
}
