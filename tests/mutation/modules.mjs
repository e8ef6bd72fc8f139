/**
 * The modules whose tests are put to the proof, each with the test files that concern it, quick ones first: a mutant is
 * tried on one after the other until one fails. A file that a mutant does not reach is left out by itself.
 */
export const modules = {
  'media-type': {
    source: 'lib/http/media-type.ts',
    tests: ['lib/http/media-type', 'rules/engines', 'rules/serialization', 'security/bodies', 'rules/route-schema'],
  },
  failure: {
    source: 'lib/lifecycle/send-error.ts',
    tests: ['lib/errors', 'lib/reply', 'rules/errors'],
  },
  scope: {
    source: 'decorators/run/scope.ts',
    tests: [
      'decorators/run/scope',
      'decorators/declare/injectable',
      'decorators/declare/tokens',
      'decorators/run/lifetimes',
      'decorators/run/request-scopes',
      'security/providers',
      'decorators/run/bootstrap',
    ],
  },
  'request-scopes': {
    source: 'decorators/run/request-scopes.ts',
    tests: ['decorators/run/request-scopes', 'security/providers', 'decorators/declare/injectable', 'decorators/declare/hook'],
  },
  lifetimes: {
    source: 'decorators/run/lifetimes.ts',
    tests: ['decorators/run/lifetimes', 'decorators/run/request-scopes', 'security/providers', 'decorators/run/bootstrap'],
  },
  router: {
    source: 'lib/route/router.ts',
    tests: [
      'lib/router',
      'lib/server',
      'lib/route',
      'rules/limits-and-versions',
      'security/urls',
      'rules/encapsulation',
      'lib/build/prebuilt',
    ],
  },
  body: {
    source: 'lib/context/body-parsers.ts',
    tests: [
      'lib/body',
      'lib/options',
      'rules/limits-and-versions',
      'lib/http/incoming-message',
      'security/bodies',
      'security/connections',
      'lib/http2',
    ],
  },
  validation: {
    source: 'lib/schema/validate-request.ts',
    tests: ['lib/schema/validate-request', 'rules/compilers', 'rules/validation-behavior', 'rules/engines', 'rules/route-schema'],
  },
  'validation-engine': {
    source: 'lib/schema/ajv/engine.ts',
    tests: [
      'lib/schema/ajv/engine',
      'lib/schema/ajv/multi-pass',
      'lib/schema/ajv/equality',
      'lib/schema/ajv/keywords',
      'lib/schema/validate-request',
      'lib/schema/lazy/cache',
      'lib/schema/header-names',
      'rules/compilers',
      'rules/shared-schemas',
      'security/values',
      'rules/engines',
      'rules/validation-behavior',
      'rules/route-schema',
      'lib/build/prebuilt',
    ],
  },
  respond: {
    source: 'lib/lifecycle/send.ts',
    tests: [
      'lib/respond',
      'lib/replies',
      'lib/reply',
      'security/replies',
      'rules/errors',
      'security/hooks',
      'rules/serialization',
      'security/errors',
      'lib/http/deadline',
    ],
  },
  write: {
    source: 'lib/lifecycle/transmit.ts',
    tests: ['lib/write', 'lib/http2', 'lib/respond', 'lib/replies', 'lib/reply', 'lib/http/server-response', 'security/replies'],
  },
}
