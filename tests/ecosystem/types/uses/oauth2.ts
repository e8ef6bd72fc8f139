import { fastifyOauth2 as oauth2, type OAuth2Namespace } from '@fastify/oauth2'
import { createServer } from 'under-test'

declare module 'fastify' {
  interface FastifyInstance {
    google: OAuth2Namespace
  }
}

const server = createServer()
server.register(oauth2, {
  name: 'google',
  credentials: { client: { id: 'id', secret: 'secret' }, auth: oauth2.GOOGLE_CONFIGURATION },
  startRedirectPath: '/login',
  callbackUri: (request) => `https://${request.hostname}/callback`,
})
server.get('/callback', async (request) => (await server.google.getAccessTokenFromAuthorizationCodeFlow(request)).token.access_token)
// @ts-expect-error credentials are missing
server.register(oauth2, { name: 'google', callbackUri: '' })
