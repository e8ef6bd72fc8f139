/** The same observable behaviour, before anything is measured: the probes of a workload are answered alike by all servers. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { workloadOf } from './workloads.mjs'

/** The answer to one request; a body of JSON as its value. */
export function fetchProbe(port, { method, url, headers, body }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      port,
      method,
      path: url,
      headers: body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    request.on('error', reject).on('response', (response) => {
      const chunks = []
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const type = response.headers['content-type']?.split(';')[0]
          resolve({ status: response.statusCode, type, body: type === 'application/json' ? JSON.parse(text) : text })
        })
    })
    request.end(body)
  })
}

/** @param {Record<string, number>} ports the port of each server */
export async function checkBehaviour(workload, ports) {
  const { good, refused } = workloadOf(workload)
  for (const probe of good) {
    let first
    for (const [name, port] of Object.entries(ports)) {
      const answer = await fetchProbe(port, probe)
      first ??= answer
      assert.deepEqual(answer, first, `${name} answers ${probe.method} ${probe.url} otherwise`)
      assert.ok(answer.status < 300, `${name} answers ${probe.method} ${probe.url} with ${answer.status}`)
    }
  }
  for (const [probe, status] of refused) {
    for (const [name, port] of Object.entries(ports)) {
      const answer = await fetchProbe(port, probe)
      assert.equal(answer.status, status, `${name} answers ${probe.method} ${probe.url} ${probe.body.slice(0, 60)} with ${answer.status}`)
    }
  }
}
