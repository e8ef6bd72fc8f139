// The layers of the source. A new file is added by writing its name on a floor.
// A file imports from lower floors or from its own, never upwards and never in a circle; `import type` counts too.
const { readdirSync } = require('node:fs')
const { join } = require('node:path')

const floors = {
  lib: [
    ['contract', 'schema-types', 'errors', 'symbols', 'bounded-map', 'prebuilt', 'prototype'],
    [
      'hooks',
      'decorations',
      'schemas',
      'header-schema',
      'schema-names',
      'schema-check',
      'compiled-schemas',
      'router',
      'media-type',
      'host',
      'raw-headers',
      'incoming',
      'outgoing',
      'payload',
      'synchronous',
      'body',
      'deadline',
      'connections',
      'connection-end',
      'logger',
      'tracing',
    ],
    ['validation-equality', 'validation-keywords', 'validation-stages'],
    ['validation-engine', 'validation', 'serialization', 'engine-pool'],
    ['context', 'compiled-route'],
    ['request', 'reply', 'plugin'],
    ['route', 'failure', 'write'],
    ['respond'],
    ['pipeline'],
    ['boot', 'listener', 'inject', 'options', 'route-table', 'dispatch', 'inspect', 'shutdown', 'server'],
    ['index'],
  ],
  decorators: [
    ['errors', 'metadata', 'tokens'],
    ['providers', 'plugin', 'route', 'schema', 'hook'],
    ['module-tree', 'scope'],
    ['visibility', 'handlers'],
    ['bootstrap', 'explanation', 'explain-page', 'explain'],
    ['testing'],
    ['index'],
    ['cli'],
  ],
}

// One file wraps one library: package → the only files (as a pattern) that import it.
const wrappers = {
  ajv: 'lib/validation[^/]*',
  'fast-uri': 'lib/validation[^/]*',
  'fast-json-stringify': 'lib/serialization',
  'find-my-way': 'lib/router',
  'fast-content-type-parse': 'lib/media-type',
  '@fastify/proxy-addr': 'lib/request',
  'secure-json-parse': 'lib/body',
  semver: 'lib/plugin',
  avvio: 'lib/boot',
  pino: 'lib/logger',
  'light-my-request': 'lib/inject',
  tsyringe: 'decorators/scope',
  'reflect-metadata': 'decorators/metadata',
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const file = (folder, names) => `^${folder}/(?:${names.join('|')})[.]ts$`

const floorRules = Object.entries(floors).flatMap(([folder, storeys]) => {
  const placed = storeys.flat()
  const found = readdirSync(join(__dirname, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/').slice(0, -'.ts'.length))
  const homeless = found.filter((name) => !placed.includes(name)).map((name) => `${folder}/${name}.ts`)
  if (homeless.length > 0) {
    console.error(`On no floor: ${homeless.join(', ')}. Add each to a floor in .dependency-cruiser.cjs.`)
    process.exit(1)
  }
  return storeys
    .slice(0, -1)
    .map((names, floor) =>
      forbid(
        `${folder}-floor-${floor}-imports-upwards`,
        `Files of floor ${floor} of ${folder}/ import from floors 0 to ${floor}.`,
        { path: file(folder, names) },
        { path: file(folder, storeys.slice(floor + 1).flat()) },
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
    forbid('no-circle', 'Imports go one way.', {}, { circular: true }),
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
      'decorators/ sees only lib/index.ts.',
      { path: '^decorators/' },
      { path: '^lib/', pathNot: '^lib/index[.]ts$' },
    ),
    forbid('no-import-by-own-name', 'Sources import each other by path.', { path: '^(?:lib|decorators)/' }, { path: '^dist/' }),
    forbid(
      'runtime-dependency',
      'What the sources import stands under "dependencies" in package.json.',
      { path: '^(?:lib|decorators)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    ),
    ...floorRules,
    ...wrapperRules,
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['(?:^|/)node_modules/', '^dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
