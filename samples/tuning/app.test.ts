/** The commands of docs/how-to/tune.md: each cause and its cure are measured, and the profile names the function that blocks. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readText } from '../../tests/fixtures/project.js'
import { load, measureAll, start, stop } from './measure.js'
import { topOf } from './top.js'

test('each cause and its cure can be measured, and the page has a row for each', { timeout: 60_000 }, async () => {
  const rows = await measureAll(30)
  const measured = readText('samples/tuning/measured.txt').split('\n')
  for (const { what, slow, fast } of rows) {
    assert.ok(slow > 0 && fast > 0, `${what}: ${slow}, ${fast}`)
    assert.ok(
      measured.some((line) => line.startsWith(`${what} `)),
      what,
    )
  }
})

test('a profile of the server names the function that blocks', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'alcove-profile-'))
  const { child, origin } = await start(['--cpu-prof', '--cpu-prof-dir', directory])
  await load(`${origin}/password/sync`, 2, 1000)
  await stop(child)
  const [file] = await readdir(directory)
  const [[, place]] = topOf(join(directory, file!), 1) as [[number, string]]
  const [, shown] = /^ *\d+ % (\w+) /.exec(readText('samples/tuning/profile.txt'))!
  assert.equal(place.split(' ')[0], shown)
})
