/** The order of the end that docs/how-to/shut-down.md shows, of a process that gets a signal while it answers. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readText } from '../../tests/fixtures/project.js'

const main = fileURLToPath(new URL('./main.js'.replace('.js', extname(import.meta.url)), import.meta.url))
const args = main.endsWith('.ts') ? ['--import', import.meta.resolve('@oxc-node/core/register'), main] : [main]

test('a process that gets SIGTERM answers what has arrived, and ends its parts in the order of the page', async () => {
  const child = spawn(process.execPath, args, { env: { ...process.env, PORT: '0', SHUTDOWN_DELAY: '300' } })
  try {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    while (!printed.includes('\n')) await once(child.stdout, 'data')
    const [origin] = printed.split('\n')
    const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status
    assert.equal(await statusOf('/ready'), 200)

    child.kill('SIGTERM')
    while ((await statusOf('/ready')) === 200) await wait(5)
    assert.equal(await statusOf('/ready'), 503)
    // It arrives before the port is closed, and takes longer than that.
    assert.equal(await statusOf('/orders'), 200)
    assert.deepEqual(await once(child, 'exit'), [0, null])
    const [, ...lines] = printed.trimEnd().split('\n')
    assert.equal(lines.join('\n'), readText('samples/shutdown/order.txt').trimEnd())
  } finally {
    child.kill('SIGKILL')
  }
})
