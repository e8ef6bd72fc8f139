const { readdirSync } = require('node:fs')
const { join } = require('node:path')

// The rooms of the sources, from the ground up. A file imports from its own room or from those before it, never from a later one
// and never in a circle; `import type` counts too. A new file needs no entry here, a new room does.
const rooms = {
  lib: ['util', 'errors', 'build', 'types', 'http', 'schema', 'context', 'route', 'lifecycle', 'server', 'internal', 'index'],
  decorators: ['declare', 'wiring', 'run', 'tools', 'index', 'cli'],
}

// One file wraps one library: package → the only files (as a pattern) that import it.
const wrappers = {
  ajv: 'lib/schema/ajv/[^/]*',
  'fast-uri': 'lib/schema/ajv/[^/]*',
  'fast-json-stringify': 'lib/schema/serialize-response',
  'find-my-way': 'lib/route/router',
  'fast-content-type-parse': 'lib/http/media-type',
  '@fastify/proxy-addr': 'lib/lifecycle/request',
  'secure-json-parse': 'lib/context/body-parsers',
  semver: 'lib/server/plugin-metadata',
  avvio: 'lib/server/plugin-loader',
  pino: 'lib/context/logger',
  'light-my-request': 'lib/server/inject',
  tsyringe: 'decorators/run/scope',
  'reflect-metadata': 'decorators/declare/metadata',
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const files = (folder, names) => `^${folder}/(?:${names.join('|')})(?:/|[.]ts$)`

const roomRules = Object.entries(rooms).flatMap(([folder, order]) => {
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
    { path: '^(?:lib|decorators)/', pathNot: `^${owner}[.]ts$` },
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
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
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
