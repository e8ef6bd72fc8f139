/** A server that says which methods a path has. */
import { createServer } from 'alcove'

// #region server
export const server = createServer({ answerOptions: true, methodNotAllowed: true })

server.get('/users', () => [])
// DELETE /users: 405, Allow: GET, HEAD, OPTIONS
// OPTIONS /users: 204, Allow: GET, HEAD, OPTIONS
// #endregion server
