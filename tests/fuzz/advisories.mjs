/**
 * Advisories of the field: the same probe must get through in the version that an advisory was published for, and must not
 * here. A probe that no longer gets through there proves nothing here.
 */
import { createServer } from '../../dist/lib/index.js'

const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
const byType = { content: { 'application/json': { schema } } }

/** Whether a body that no schema allows reaches the handler under a content type. */
function reaches(body, contentType, prepare = () => {}) {
  return async (server) => {
    let isReached = false
    prepare(server)
    server.post('/', { schema: { body } }, () => {
      isReached = true
      return 'reached'
    })
    await server.inject({ method: 'POST', url: '/', headers: { 'content-type': contentType }, payload: '{"n":"x"}' })
    return isReached
  }
}

const advisories = [
  {
    id: 'CVE-2025-32442',
    title: 'another case than in the schema passes validation',
    peer: 'fastify-5.3.0',
    probe: reaches(byType, 'application/JSON'),
  },
  {
    id: 'CVE-2025-32442',
    title: 'a space before the semicolon passes validation',
    peer: 'fastify-5.3.0',
    probe: reaches(byType, 'application/json ; charset=utf-8'),
  },
  {
    id: 'CVE-2026-25223',
    title: 'a tab in the content type passes validation',
    peer: 'fastify-5.7.1',
    probe: reaches(byType, 'application/json\ta'),
  },
  {
    id: 'CVE-2026-33806',
    title: 'a leading space in the content type passes validation',
    peer: 'fastify-5.8.4',
    probe: reaches(byType, ' application/json'),
  },
  {
    id: 'CVE-2026-3419',
    title: 'garbage after the subtype reaches a parser',
    peer: 'fastify-5.8.0',
    probe: async (server) => {
      let isReached = false
      server.addContentTypeParser(/^application\/.*garbage$/, { parseAs: 'string' }, (_request, _body, done) => {
        isReached = true
        done(null, {})
      })
      server.post('/', () => 'reached')
      await server.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json garbage' }, payload: '{}' })
      return isReached
    },
  },
  {
    id: 'CVE-2026-3635',
    title: 'a forwarded host is believed from an untrusted peer',
    peer: 'fastify-5.8.0',
    probe: async (server) => {
      let host
      server.get('/', (request) => {
        host = request.host
        return 'ok'
      })
      await server.inject({ url: '/', remoteAddress: '10.0.0.1', headers: { host: 'a.example', 'x-forwarded-host': 'evil.example' } })
      return host === 'evil.example'
    },
    options: { trustProxy: '127.0.0.1' },
  },
]

/** @returns what was found, one line each */
export async function proveAdvisories(note) {
  const findings = []
  for (const { id, title, peer, probe, options = {} } of advisories) {
    const { default: fastify } = await import(peer)
    const there = fastify(options)
    const here = createServer(options)
    const [isVulnerable, isOurs] = [await probe(there), await probe(here)]
    await Promise.all([there.close(), here.close()])
    note(`${id}: ${title}: ${peer} ${isVulnerable ? 'is vulnerable' : 'is not'}, alcove ${isOurs ? 'IS VULNERABLE' : 'is not'}`)
    if (!isVulnerable) findings.push(`${id}: the probe does not get through in ${peer}: ${title}`)
    if (isOurs) findings.push(`${id}: ${title}`)
  }
  return findings
}
