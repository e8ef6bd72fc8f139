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
    tests: ['lib/errors', 'lib/lifecycle/reply', 'rules/errors'],
  },
  scope: {
    source: 'decorators/run/scope.ts',
    tests: ['decorators/scope', 'decorators/providers', 'security/providers', 'decorators/bootstrap'],
  },
  router: {
    source: 'lib/route/router.ts',
    tests: [
      'lib/route/router',
      'lib/server/instance',
      'lib/route/compile',
      'rules/limits-and-versions',
      'security/urls',
      'rules/encapsulation',
      'lib/build/prebuilt',
    ],
  },
  body: {
    source: 'lib/context/body-parsers.ts',
    tests: [
      'lib/context/body-parsers',
      'lib/server/options',
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
      'lib/lifecycle/send',
      'lib/lifecycle/default-error-handler',
      'lib/lifecycle/reply',
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
    tests: [
      'lib/lifecycle/transmit',
      'lib/http2',
      'lib/lifecycle/send',
      'lib/lifecycle/default-error-handler',
      'lib/lifecycle/reply',
      'lib/http/server-response',
      'security/replies',
    ],
  },
}
