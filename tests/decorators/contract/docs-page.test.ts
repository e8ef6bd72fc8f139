/** The page itself is used in a browser: tests/browser/docs-page.mjs. Here its package is not installed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, createServer, Plugin } from 'alcove'
import { docsPage, docsPlugin } from 'alcove/contract'

const info = { title: 'Shop', version: '1.0.0' }

test('without the package of the page the boot fails, with the command that installs it', async () => {
  @Plugin({ imports: [docsPage({ path: '/docs', info })] })
  class App {}
  const failure = {
    code: 'ALC_ERR_PEER_MISSING',
    message: 'docsPage needs the package swagger-ui-dist, which is not installed. Run: npm install swagger-ui-dist',
  }
  await assert.rejects(bootstrap(App), failure)
  const server = createServer()
  server.register(docsPlugin, { info })
  await assert.rejects(async () => server.ready(), failure)
})

test('options that the document does not have are refused where the page is imported, all at once', () => {
  assert.throws(() => docsPage({ inf: info } as never), {
    name: 'TypeError',
    message: "docsPage: there is no option 'inf'. Did you mean 'info'?; write info: { title: '…', version: '1.0.0' }",
  })
})
