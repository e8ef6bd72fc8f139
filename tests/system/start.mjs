/** The commands that start the sample, `npm start` of the README and `npm run dev`, in a folder in which nothing is built. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('../../', import.meta.url))

for (const command of [['start'], ['run', 'dev']]) {
  execFileSync('npm', ['run', 'clean'], { cwd, stdio: 'ignore' })
  const started = performance.now()
  // A group of its own, so that the server ends with npm.
  const child = spawn('npm', command, { cwd, detached: true, env: { ...process.env, PORT: '0' } })
  try {
    const origin = await firstAddress(child)
    assert.equal((await fetch(`${origin}/two`)).status, 200)
    console.log(`npm ${command.join(' ')}: serves after ${Math.round(performance.now() - started)} ms, with nothing built before`)
  } finally {
    process.kill(-Number(child.pid), 'SIGKILL')
  }
}

/** The address that the sample prints. */
async function firstAddress(child) {
  let printed = ''
  child.stderr.on('data', (text) => (printed += text))
  for await (const text of child.stdout) {
    printed += text
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`it has ended: ${printed}`)
}
