const { readdirSync } = require('node:fs')
const { join } = require('node:path')

// The rooms of the sources, from the ground up, each with its purpose. A file imports from its own room or from those before it, never
// from a later one and never in a circle; `import type` counts too. A new file needs no entry here, a new room does.
const rooms = {
  lib: {
    util: 'small helpers that know nothing of HTTP',
    errors: 'every error code with its status and message, and HttpError',
    build: 'code compiled ahead of time: recorded, written and read back',
    types: 'the public types, by subject',
    http: 'connections, headers and messages, as Node has them',
    schema: 'JSON Schema: validation and serialization',
    context: 'declarations of a plugin: hooks, decorators, parsers, logger',
    route: 'from the options of a route to a compiled route',
    lifecycle: 'one request, from its route to its answer',
    server: 'the server: options, plugins, the route table, listening, closing',
    fastify: 'the exports of alcove/fastify: the server as Fastify 5 has it',
    internal: 'facts of lib that decorators needs besides the exports',
    index: 'the exports of alcove/lib',
  },
  decorators: {
    declare: 'the decorators, which note what a class declares',
    peer: 'finds packages that only some applications need',
    jobs: 'jobs and queues: what classes declare, and the drivers that keep jobs',
    client: 'calls of routes, from tests and in the files that alcove client writes',
    wiring: 'reads the plugins and proves that each dependency is provided',
    run: 'constructs the classes and binds them to a server',
    telemetry: 'the exports of alcove/telemetry: spans and metrics by OpenTelemetry',
    conditional: 'the exports of alcove/conditional: conditional requests on a version',
    idempotency: 'the exports of alcove/idempotency: requests that can be sent again',
    contract: 'the exports of alcove/contract: the interface of an application as data, and as OpenAPI',
    lock: 'what alcove.lock contains: made of an application, written, read and compared',
    tools: 'the test server, and explanations of an application',
    runtimes: 'the exports of alcove/bun, alcove/deno and alcove/lambda: applications on other runtimes',
    index: 'the exports of alcove',
    commands: 'the longer commands of alcove, and the modules that they work on',
    cli: 'the command alcove',
  },
}

// One file wraps one library: package → the only files (as a pattern) that import it.
const wrappers = {
  ajv: 'lib/schema/ajv/[^/]*',
  'fast-uri': 'lib/schema/ajv/[^/]*',
  'fast-json-stringify': 'lib/schema/fast-json',
  'find-my-way': 'lib/route/router',
  'fast-content-type-parse': 'lib/http/media-type',
  cookie: 'lib/schema/cookies',
  '@fastify/proxy-addr': 'lib/lifecycle/request',
  'secure-json-parse': 'lib/context/json-parser',
  semver: 'lib/server/plugins/plugin-metadata',
  avvio: 'lib/server/plugins/plugin-loader',
  pino: 'lib/context/logger',
  '@opentelemetry/api': 'decorators/telemetry',
  'light-my-request': 'lib/server/inject',
  tsyringe: 'decorators/run/scopes/scope',
  'reflect-metadata': 'decorators/declare/metadata',
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const files = (folder, names) => `^${folder}/(?:${names.join('|')})(?:/|[.]ts$)`

const roomRules = Object.entries(rooms).flatMap(([folder, purposes]) => {
  const order = Object.keys(purposes)
  const found = readdirSync(join(__dirname, folder)).map((name) => name.replace(/[.]ts$/, ''))
  const homeless = found.filter((name) => !order.includes(name))
  if (homeless.length > 0) {
    console.error(`Not in the order of rooms: ${homeless.join(', ')}. Add each to \`rooms\` in .dependency-cruiser.cjs.`)
    process.exit(1)
  }
  return order
    .slice(0, -1)
    .map((room, index) =>
      forbid(
        `${folder}-${room}-imports-upwards`,
        `${folder}/${room} imports from the rooms before it: ${order.slice(0, index).join(', ') || 'none'}.`,
        { path: files(folder, [room]) },
        { path: files(folder, order.slice(index + 1)) },
      ),
    )
})

const wrapperRules = Object.entries(wrappers).map(([library, owner]) =>
  forbid(
    `${library.replace('/', '-')}-has-one-importer`,
    `Only ${owner} imports ${library}.`,
    { path: '^(?:lib|decorators)/', pathNot: `^${owner}(?:/|[.]ts$)` },
    { path: `(?:^|/)node_modules/${library}/` },
  ),
)

module.exports = {
  forbidden: [
    // Within lib/types the entities refer to each other: a request has its server, a server its routes, a route's handler takes a request.
    forbid('no-circle', 'Imports go one way.', { pathNot: '^lib/types/' }, { circular: true }),
    forbid('no-unresolved', 'The imported file does not exist.', {}, { couldNotResolve: true }),
    forbid('lib-stands-alone', 'lib/ knows nothing above it.', { path: '^lib/' }, { path: '^(?:decorators|samples|tests|bench)/' }),
    forbid(
      'decorators-below-samples',
      'Sources do not import samples or tests.',
      { path: '^decorators/' },
      { path: '^(?:samples|tests|bench)/' },
    ),
    forbid(
      'public-face-of-lib',
      'decorators/ sees only lib/index.ts and lib/internal.ts.',
      { path: '^decorators/' },
      { path: '^lib/', pathNot: '^lib/(?:index|internal)[.]ts$' },
    ),
    forbid('no-import-by-own-name', 'Sources import each other by path.', { path: '^(?:lib|decorators)/' }, { path: '^dist/' }),
    forbid(
      'runtime-dependency',
      'What the sources import stands under "dependencies" in package.json.',
      { path: '^(?:lib|decorators)/' },
      // What an optional entry needs is an optional peer, and a devDependency for its tests.
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),
    ...roomRules,
    ...wrapperRules,
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['(?:^|/)node_modules/', '^dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}

// The picture of the rooms reads them here. Not enumerable, as dependency-cruiser refuses keys that it does not know.
Object.defineProperty(module.exports, 'rooms', { value: rooms })
