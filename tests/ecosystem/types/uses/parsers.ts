import { createServer } from 'under-test'

const server = createServer()
server.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, text, done) => done(null, String(text).split(',')))
server.addContentTypeParser('application/x', async (request: { headers: object }) => Object.keys(request.headers))
server.addContentTypeParser('application/json', { parseAs: 'string' }, server.getDefaultJsonParser('ignore', 'ignore'))
server.removeContentTypeParser(['text/csv'])
