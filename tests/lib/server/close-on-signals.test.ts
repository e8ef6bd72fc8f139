/** `closeOnSignals` in processes of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeOnSignals, createServer } from 'alcove/lib'
import { type Child, startProgram } from '../../fixtures/children.js'

async function start(...args: string[]): Promise<Child> {
  const child = startProgram('tests/fixtures/signals-app.js', args)
  // After the line of the log.
  await child.printed(/^listening/m)
  return child
}

test('a signal closes the server and ends the process with 0', async () => {
  const child = await start('')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 0)
})

test('a signal that closes two servers ends the process when both have closed', async () => {
  const child = await start('twice')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 0)
  assert.match(child.output.stdout, /second closed/)
})

test('a signal during the boot closes what was booted and ends the process with 0: listen does not return', async () => {
  const child = await start('early')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 0)
  assert.match(child.output.stdout, /booting closed/)
  assert.doesNotMatch(child.output.stdout, /after listen/)
})

test('a second signal ends the process at once, with 1', async () => {
  const child = await start('stuck')
  child.process.kill('SIGINT')
  await child.printed(/^closing/m)
  child.process.kill('SIGINT')
  assert.equal(await child.exited, 1)
})

test('closing that takes longer than the timeout ends the process with 1, also if nothing else keeps it alive', async () => {
  const child = await start('stuck', '50')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
})

for (const [kind, what] of Object.entries({
  stuck: "the onClose hook 'disconnect' of 'App'",
  provides: 'Connection (in App)',
  handles: 'handlers and hooks of GET /stuck',
})) {
  test(`what closing waits for at the timeout is named, and the code is 1: ${what}`, async () => {
    const child = await start(kind, '500')
    if (kind === 'handles') await child.printed(/handling/)
    child.process.kill('SIGTERM')
    assert.equal(await child.exited, 1)
    assert.ok(child.output.stdout.includes(`closing took more than 500 ms: it waits for ${what}`), child.output.stdout)
  })
}

test('a handler that closing has not waited for is named, and the code is 1', async () => {
  const child = await start('handles', '3000')
  await child.printed(/handling/)
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
  assert.match(child.output.stdout, /GET \/stuck: its handler or one of its hooks has not ended while the server closed/)
})

test('the time of preClose hooks counts for the time until connections are cut, so that onClose hooks have theirs', async () => {
  const child = await start('prepares', '4000')
  await child.printed(/handling/)
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
  assert.match(child.output.stdout, /the connections that are left are cut[^]*^closing$/m)
  assert.doesNotMatch(child.output.stdout, /closing took more than 4000 ms/)
})

test('an instance of a request that does not end leaves time for the onClose hooks, and the code is 1', async () => {
  const child = await start('visits', '4000')
  await child.printed(/handling/)
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
  assert.match(child.output.stdout, /the request scope of GET \/visit has not ended while the server closed[^]*^closing$/m)
})

test('a provider that fails to end is named, and the code is 1', async () => {
  const child = await start('throws')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
  assert.match(child.output.stdout, /Connection \(in App\) could not be closed/)
})

test('closing that fails ends the process with 1', async () => {
  const child = await start('fails')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
})

test('after the listeners were removed, a signal ends the process as usual', async () => {
  const child = await start('off')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 'SIGTERM')
})

test('the beforeClose function runs while requests are still answered, and the server closes also if it fails', async () => {
  const child = await start('asks')
  child.process.kill('SIGTERM')
  await child.printed(/SIGTERM answered[^]*^closing/m)
  assert.equal(await child.exited, 0)
})

test('the server closes also if beforeClose never ends', async () => {
  const child = await start('waits')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 0)
})

test('a reply that never ends is cut before the time for closing is over, and the process ends with 0', async () => {
  const child = await start('streams', '1000')
  child.process.kill('SIGTERM')
  await child.printed(/^closing/m)
  assert.equal(await child.exited, 0)
})

test('the returned function removes the listener of each signal', () => {
  const counts = (): number[] => (['SIGUSR2', 'SIGHUP'] as const).map((signal) => process.listenerCount(signal))
  const before = counts()
  const off = closeOnSignals(createServer(), { signals: ['SIGUSR2', 'SIGHUP'] })
  assert.deepEqual(
    counts(),
    before.map((count) => count + 1),
  )
  off()
  assert.deepEqual(counts(), before)
})

test('an option with an invalid value is refused, and adds no listener', () => {
  const count = process.listenerCount('SIGTERM')
  for (const [options, message] of [
    [{ timeout: Number.NaN }, /has NaN as timeout\. Write a number of ms/],
    [{ timeout: 0 }, /has 0 as timeout\. Write a number of ms from 1 to/],
    [{ timeout: 2 ** 31 }, /has 2147483648 as timeout/],
    [{ timeout: '20000' }, /has 20000 as timeout/],
    [{ beforeCloseTimeout: Infinity }, /has Infinity as beforeCloseTimeout/],
    [{ beforeClose: 5 }, /has a number as beforeClose\. Write a function/],
    [{ signals: ['SIGTERM', 'SIGTEM'] }, /has the signal SIGTEM, which does not exist here\. Did you mean 'SIGTERM'\?$/],
    [{ signals: 'SIGTERM' }, /has SIGTERM as signals\. Write a list/],
  ] as const)
    assert.throws(() => closeOnSignals(createServer(), options as object), { name: 'TypeError', message })
  assert.equal(process.listenerCount('SIGTERM'), count)
})
