/** Two commits in one run: the requests of this folder on the alcove of the working copy and on that of another commit. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { link } from '../prepare.mjs'
import { here } from '../processes.mjs'
import { spread, table } from '../report/format.mjs'
import { measureSlices } from '../slices.mjs'

const project = join(here, '..')

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

function sameFile(name, first, second) {
  return readFileSync(join(first, name), 'utf8') === readFileSync(join(second, name), 'utf8')
}

/** Builds a commit in a directory of its own, with a copy of this folder that imports it. */
export function checkOut(commit) {
  const directory = mkdtempSync(join(tmpdir(), 'alcove-against-'))
  const tree = join(directory, 'alcove')
  run('git', ['worktree', 'add', '--detach', '--force', tree, commit], project)
  // Not npm ci, if the same packages are here already.
  if (sameFile('package-lock.json', tree, project)) symlinkSync(join(project, 'node_modules'), join(tree, 'node_modules'), 'junction')
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], tree)
  run('npm', ['run', 'build'], tree)
  const bench = join(directory, 'bench')
  // Its servers need no other package than alcove, and the sample of another commit is not measured.
  const left = new Set(['node_modules', 'conduit', join('dist', 'builds')].map((name) => join(here, name)))
  cpSync(here, bench, { recursive: true, filter: (from) => !left.has(from) })
  mkdirSync(join(bench, 'node_modules'))
  link(bench, tree)
  return {
    bench,
    remove() {
      run('git', ['worktree', 'remove', '--force', tree], project)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Prints the ratios of this working copy to the commit; above 1, this one is slower. */
export async function compareWith(commit, { only, names, runs, quick }) {
  const foreign = names.filter((name) => name !== 'alcove' && name !== 'classes')
  if (foreign.length > 0) throw new Error(`--against compares alcove and classes, not ${foreign.join(', ')}.`)
  console.error(`building ${commit}`)
  const other = checkOut(commit)
  try {
    const rows = []
    for (const workload of only.filter((name) => name !== 'floor')) {
      for (const name of names) {
        console.error(`  ${workload}, ${name}`)
        // Many processes: each keeps the decisions of its compiler, which differ by more than most changes do.
        const servers = [
          { key: 'before', name, directory: other.bench },
          { key: 'after', name },
        ]
        const { before, after } = await measureSlices(workload, servers, { runs: runs ?? (quick ? 1 : 8), quick })
        rows.push([workload, name, spread(after.ratio, 3), before.cpu.median.toFixed(2), after.cpu.median.toFixed(2)])
      }
    }
    console.log(table(['workload', 'server', `ratio to ${commit} (lowest–highest of the processes)`, 'before, µs', 'after, µs'], rows))
  } finally {
    other.remove()
  }
}
