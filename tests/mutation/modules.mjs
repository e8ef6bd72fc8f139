/**
 * The modules for mutation testing, each with the test files that cover it, fast ones first: a mutant is run against one after the other
 * until one fails. Files that do not reach a mutant are skipped automatically.
 */
export const modules = {
  'media-type': {
    source: 'lib/http/media-type.ts',
    tests: ['lib/http/media-type', 'rules/engines', 'rules/serialization', 'security/bodies', 'rules/route-schema'],
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
      'lib/route/router',
      'lib/server/route-table',
      'rules/limits-and-versions',
      'security/urls',
      'rules/encapsulation',
      'lib/build/prebuilt',
    ],
  },
  'body-parsers': {
    source: 'lib/context/body-parsers.ts',
    tests: ['lib/context/body-parsers', 'lib/route/check-options', 'lib/lifecycle/read-body', 'security/bodies', 'security/values'],
  },
  'json-parser': {
    source: 'lib/context/json-parser.ts',
    tests: ['lib/context/json-parser', 'security/values', 'security/bodies', 'rules/validation-behavior'],
  },
  'read-body': {
    source: 'lib/lifecycle/read-body.ts',
    tests: [
      'lib/lifecycle/read-body',
      'lib/route/methods',
      'lib/context/body-parsers',
      'rules/limits-and-versions',
      'lib/http/incoming-message',
      'security/bodies',
      'security/absent-bodies',
      'security/streamed-bodies',
      'security/connections',
      'lib/http2',
    ],
  },
  'run-hooks': {
    source: 'lib/lifecycle/run-hooks.ts',
    tests: [
      'lib/lifecycle/run-hooks',
      'lib/lifecycle/ending/waiting',
      'security/hooks',
      'security/rejections',
      'decorators/run/done-callback',
      'lib/lifecycle/async-context',
      'decorators/declare/hook',
      'decorators/run/request-scopes',
      'lib/lifecycle/read-body',
      'lib/lifecycle/failing/send-error',
    ],
  },
  'validate-request': {
    source: 'lib/schema/validate-request.ts',
    tests: [
      'lib/schema/validate-request',
      'lib/lifecycle/request',
      'rules/compilers',
      'rules/validation-behavior',
      'rules/engines',
      'rules/route-schema',
    ],
  },
  engine: {
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
  'multi-pass': {
    source: 'lib/schema/ajv/multi-pass.ts',
    tests: ['lib/schema/ajv/multi-pass', 'lib/schema/ajv/engine', 'lib/schema/lazy/cache', 'security/values'],
  },
  send: {
    source: 'lib/lifecycle/send.ts',
    tests: ['lib/lifecycle/send', 'lib/lifecycle/reply', 'rules/serialization', 'security/replies', 'security/errors', 'security/hooks'],
  },
  'send-error': {
    source: 'lib/lifecycle/failing/send-error.ts',
    tests: [
      'lib/lifecycle/failing/send-error',
      'lib/lifecycle/reply',
      'lib/lifecycle/failing/default-error-handler',
      'rules/compilers',
      'security/replies',
      'security/errors',
      'security/hooks',
      'lib/http/deadline',
    ],
  },
  'error-reply': {
    source: 'lib/lifecycle/failing/error-reply.ts',
    tests: [
      'lib/lifecycle/failing/error-reply',
      'lib/errors/http-error',
      'lib/lifecycle/failing/default-error-handler',
      'lib/lifecycle/failing/send-error',
      'rules/errors',
    ],
  },
  transmit: {
    source: 'lib/lifecycle/transmit.ts',
    tests: [
      'lib/lifecycle/transmit',
      'lib/http2',
      'lib/lifecycle/send',
      'lib/lifecycle/failing/send-error',
      'lib/lifecycle/reply',
      'lib/http/server-response',
      'security/replies',
      'security/fetched-replies',
      'security/framing',
      'security/pipelining',
      'security/gone',
    ],
  },
  'pending-work': {
    source: 'lib/lifecycle/ending/pending-work.ts',
    tests: [
      'lib/lifecycle/ending/pending-work',
      'lib/lifecycle/ending/request-end',
      'decorators/run/request-scopes',
      'decorators/run/scope-users',
      'security/shutdown',
    ],
  },
  sources: {
    source: 'lib/lifecycle/ending/sources.ts',
    tests: ['lib/lifecycle/ending/pending-work', 'decorators/run/scope-users', 'lib/lifecycle/transmit'],
  },
  'connection-states': {
    source: 'lib/http/connection-states.ts',
    tests: ['security/pipelining', 'security/connections', 'security/departures'],
  },
  deadline: { source: 'lib/http/deadline.ts', tests: ['lib/http/deadline', 'lib/lifecycle/failing/send-error', 'lib/util/linked-list'] },
  'linked-list': { source: 'lib/util/linked-list.ts', tests: ['lib/util/linked-list', 'lib/http/deadline'] },
  'node-verification': { source: 'lib/util/node-verification.ts', tests: ['lib/util/node-verification', 'security/node-internals'] },
  'request-end': {
    source: 'lib/lifecycle/ending/request-end.ts',
    tests: [
      'lib/lifecycle/ending/pending-work',
      'lib/lifecycle/ending/request-end',
      'lib/lifecycle/log-request',
      'lib/lifecycle/async-context',
      'decorators/run/request-scopes',
    ],
  },
  'async-context': {
    source: 'lib/lifecycle/async-context.ts',
    tests: ['lib/lifecycle/async-context', 'security/hooks'],
  },
  'close-limit': {
    source: 'lib/server/network/close-limit.ts',
    tests: ['security/shutdown', 'lib/server/network/listener'],
  },
  upgrades: {
    source: 'lib/server/network/upgrades.ts',
    tests: ['security/shutdown'],
  },
}
