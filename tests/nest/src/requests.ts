/** The requests that both servers are asked. */
import type { OutgoingHttpHeaders } from 'node:http'

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

const json = { 'content-type': 'application/json' }

export const requests: readonly Asked[] = [
  { path: '/cats' },
  { path: '/cats?limit=2&limit=3&a[b]=1' },
  { path: '/cats/5' },
  { path: '/cats/x' },
  { path: '/cats/404' },
  { path: '/cats/lost' },
  { path: '/cats/broken' },
  { path: '/cats/guarded' },
  { path: '/cats/guarded', headers: { authorization: 'none' } },
  { path: '/cats/guarded', headers: { authorization: 'secret' } },
  { path: '/cats/wrapped' },
  { method: 'POST', path: '/cats', headers: json, body: '{"name":"Tom","age":3,"more":1}' },
  { method: 'POST', path: '/cats', headers: json, body: '{"name":5,"age":-1}' },
  { method: 'POST', path: '/cats', headers: json, body: '{"name":' },
  { method: 'POST', path: '/cats', headers: json, body: '' },
  { method: 'POST', path: '/cats', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'name=Tom&age=3' },
  { method: 'POST', path: '/cats', headers: { 'content-type': 'text/xml' }, body: '<cat/>' },
  { method: 'POST', path: '/cats', headers: json, body: `{"name":"${'x'.repeat(1_100_000)}"}` },
  { method: 'PUT', path: '/cats/1', headers: json, body: '[1,2]' },
  { method: 'PATCH', path: '/cats/1', headers: json, body: '{"name":"Tim"}' },
  { method: 'DELETE', path: '/cats/1' },
  { method: 'DELETE', path: '/cats/1', headers: json, body: '{"why":"gone"}' },
  { method: 'OPTIONS', path: '/cats/choices' },
  { method: 'OPTIONS', path: '/text', headers: { origin: 'http://allowed.test', 'access-control-request-method': 'GET' } },
  { method: 'HEAD', path: '/text' },
  { method: 'HEAD', path: '/cats/head' },
  { path: '/text', headers: { origin: 'http://allowed.test' } },
  { path: '/nothing' },
  { path: '/null' },
  { path: '/old' },
  { path: '/file' },
  { path: '/stream' },
  { path: '/events' },
  { path: '/page' },
  { path: '/assets/page.hbs' },
  { path: '/assets/none.txt' },
  { path: '/own' },
  { path: '/seen', headers: { 'x-asked': 'for' } },
  { method: 'POST', path: '/bad' },
  { path: '/versioned', headers: { 'x-version': '2' } },
  { path: '/versioned' },
  { path: '/tenant', headers: { host: 'acme.example.com' } },
  { path: '/missing' },
  { method: 'POST', path: '/text' },
  { path: '/%zz' },
]
