import { answers, type Behaviour } from '../client.js'

const invalid = (message: string) => ({ status: 400, has: { statusCode: 400, error: 'Bad Request', message } })

export const validation: readonly Behaviour[] = [
  answers('params are coerced by their schema', '/users/7', { json: { id: 7 } }),
  answers('params that do not match are refused', '/users/x', invalid('params/id should be integer')),
  answers('params below their minimum are refused', '/users/0', invalid('params/id should be >= 1')),
  answers('the query string is validated', '/routing/limited?n=5', { json: { n: 5 } }),
  answers('a query string that does not match is refused', '/routing/limited?n=6', invalid('querystring/n should be <= 5')),
  answers('a body gets its defaults, and the reply only what its schema has', 'POST /users', { status: 201, json: { name: 'Ada', age: 18 } }, { json: { name: 'Ada' } }), // prettier-ignore
  answers('a member that is missing is named', 'POST /users', invalid("body should have required property 'name'"), { json: {} }),
  answers('a member that does not match is named', 'POST /users', invalid('body/name should NOT have fewer than 2 characters'), { json: { name: 'A' } }), // prettier-ignore
  answers('values of a body are coerced', 'POST /users', { status: 201, json: { name: 'Ada', age: 30 } }, { json: { name: 'Ada', age: '30' } }), // prettier-ignore
  answers('a missing body is refused', 'POST /users', { status: 400 }),
  answers('a body of another media type does not pass the schema', 'POST /users', { status: 415 }, { body: 'name=Ada', headers: { 'content-type': 'application/x-www-form-urlencoded' } }), // prettier-ignore
  answers('a body of text does not pass the schema', 'POST /users', { status: 415 }, { body: '{"name":"Ada"}', headers: { 'content-type': 'text/plain' } }), // prettier-ignore
  answers(
    'a schema of Zod takes what it allows',
    'POST /users/zod',
    { json: { name: 'Ada', tags: ['x'] } },
    { json: { name: 'Ada', tags: ['x'] } },
  ),
  answers('a schema of Zod refuses what is too short', 'POST /users/zod', { status: 400 }, { json: { name: 'A', tags: ['x'] } }),
  answers('a repeated content type is refused', 'POST /users', { status: 415 }, { body: '{"name":"Ada"}', headers: [['content-type', 'application/json'], ['content-type', 'text/plain']] }), // prettier-ignore
]
