/**
 * The questions of users, from the first look to the operation, each with the places that answer it: the path of the page from docs, with
 * the anchor of a heading. Without an anchor it is the whole page.
 */
export const journeys: Readonly<Record<string, readonly string[]>> = {
  'What is this, and is it for me?': ['start/what-is-alcove.md#when-it-fits-and-when-it-does-not', '../README.md#why-not-'],
  'How do I install it, in a new project and in one that I have?': [
    'start/quick-start.md#create-an-application',
    'start/add-to-a-project.md#install',
    'start/add-to-a-project.md#with-constructor-types',
    'start/add-to-a-project.md#with-standard-decorators',
  ],
  'How do I write my first route?': ['start/quick-start.md#write-two-routes'],
  'How do I validate body, query and parameters?': [
    'guide/routes.md#schemas',
    'how-to/validate.md#zod',
    'how-to/validate.md#do-not-coerce-bodies-report-all-faults',
    'reference/validation.md#what-a-400-looks-like',
  ],
  'How do I choose the format of error replies?': [
    'how-to/error-responses.md#problem-details',
    'how-to/error-responses.md#a-format-of-your-own',
  ],
  'How do I guard routes by a token (JWT), with login and verification?': [
    'how-to/authenticate.md#by-a-token',
    'how-to/authenticate.md#log-in',
  ],
  'How do I allow roles, for a route and for a whole module?': [
    'how-to/authorize.md#by-roles',
    'how-to/authorize.md#a-role-for-a-whole-plugin',
    'how-to/authorize.md#permissions',
  ],
  'How do I connect a database, with a transaction for a request?': [
    'how-to/connect-a-database.md#a-provider-that-opens-and-closes',
    'how-to/connect-a-database.md#a-transaction-for-a-request',
  ],
  'How do I read and check environment variables?': ['guide/configuration.md'],
  'How do I log, with the id of the request?': ['how-to/logging.md#options', 'how-to/logging.md#lines-of-a-request'],
  'How do I replace a part of the application in a test?': ['how-to/test.md#one-plugin-with-a-fake', 'guide/tests.md#replacing-parts'],
  'How do I test over the network?': ['how-to/test.md#over-the-network'],
  'How do I publish an OpenAPI document and a page for it?': ['how-to/contract.md#the-page', 'how-to/contract.md#the-document-in-a-file'],
  'How does a React front end call the API with its types?': [
    'how-to/react.md#the-client',
    'how-to/react.md#a-component',
    'how-to/react.md#another-origin',
    'how-to/client.md#in-a-browser',
  ],
  'How do I take uploads, to a disk and to S3?': [
    'how-to/files-and-streams.md#a-file-as-the-body',
    'how-to/files-and-streams.md#a-form-with-files',
    'how-to/object-storage.md#presigned-urls',
    'how-to/object-storage.md#through-the-server',
  ],
  'How do I stream, or send server-sent events?': ['guide/streams.md', 'how-to/files-and-streams.md#downloads'],
  'How do I serve a WebSocket?': ['how-to/websocket.md#who-may-connect'],
  'How do I run jobs: at intervals, at times of the day, from a queue, in a worker?': [
    'how-to/schedule-and-queue.md#a-queue',
    'how-to/schedule-and-queue.md#at-times',
    'how-to/schedule-and-queue.md#keep-jobs-in-postgresql',
  ],
  'How do I cache?': [
    'how-to/cache.md#headers-who-may-keep-a-reply',
    'how-to/cache.md#etag-304-instead-of-the-reply',
    'how-to/cache.md#in-memory',
    'how-to/cache.md#in-redis',
  ],
  'How do I add CORS, security headers and rate limits?': [
    'how-to/protect.md#cors',
    'how-to/protect.md#security-headers',
    'how-to/protect.md#rate-limits',
    'how-to/protect.md#limit-logins',
  ],
  'How do I have two versions of an API?': ['how-to/versions-of-an-api.md#in-the-path', 'how-to/versions-of-an-api.md#in-a-header'],
  'How do I deprecate a route?': ['how-to/deprecation.md#a-plugin-and-exceptions', 'how-to/deprecation.md#after-the-sunset'],
  'How do I deploy: container, Kubernetes, health, shutdown?': [
    'how-to/deploy.md#docker',
    'how-to/deploy.md#kubernetes',
    'how-to/trace-and-measure.md#health',
    'how-to/shut-down.md#the-order',
  ],
  'How do I get metrics and traces?': ['how-to/trace-and-measure.md#metrics', 'how-to/trace-and-measure.md#traces'],
  'My server is slow. What do I do?': [
    'how-to/tune.md#1-does-it-compute-or-does-it-wait',
    'how-to/tune.md#2-a-profile',
    'how-to/building.md',
  ],
  'How do I run an application with plain `node`, without a compiler?': [
    'how-to/without-tools.md#classes',
    'how-to/without-tools.md#methods',
  ],
  'How do I move a module of NestJS here?': [
    'how-to/coming-from-nest.md#in-steps',
    'how-to/coming-from-nest.md#modules-providers-requests',
  ],
  'How do I move a plugin or an application of Fastify here?': [
    'how-to/coming-from-fastify.md#in-steps',
    'how-to/use-a-fastify-plugin.md#in-classes-and-without',
  ],
  'How do I serve GraphQL?': ['how-to/graphql.md#graphql', 'how-to/graphql.md#a-guard'],
  'How do several applications share modules, and exchange messages?': [
    'how-to/monorepo.md#the-package',
    'guide/contexts.md#modules-that-several-plugins-need',
    'how-to/schedule-and-queue.md#messages-between-applications',
    'how-to/schedule-and-queue.md#microservice-transports',
  ],
  'Does it run in Lambda, Workers, Bun and Deno?': [
    'how-to/serverless.md#the-handler',
    'how-to/bun-and-deno.md#bun',
    'how-to/bun-and-deno.md#deno',
    'how-to/workers.md#the-worker',
  ],
}
