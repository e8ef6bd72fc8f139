#!/usr/bin/env bash
# The slow part of the checks: the exported names and types against the report of them, the licences, weight and audit of what is installed,
# the tests once more with Node's own classes of requests and responses, a part of them on Node 26, the JSON Schema draft 7 suite, also with
# its schemas rewritten for OpenAPI, generated replies, the work that types are for the compiler, the applications that `alcove new` writes,
# the conformance suite against the floor that it must not fall below, plugins of the ecosystem, schema libraries, a NestJS application, the
# samples with packages of their own (Conduit on PGlite, on a PostgreSQL server, as replicas behind nginx and in a browser), OpenAPI
# documents and clients under validators, a linter, the compiler and generated requests, a short run of the fuzzer, every toolchain, and
# the pages of `explain` and `docsPage` and the clients in a browser; each installed for this alone.
set -euo pipefail
cd "$(dirname "$0")/.."

# What is no npm package CI installs; elsewhere the tests that need it say that it is missing.
if [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  missing=()
  [ -d /usr/share/json-schema-test-suite ] || missing+=(json-schema-test-suite)
  command -v chromium >/dev/null || missing+=(chromium)
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
  command -v nginx >/dev/null || missing+=(nginx-light)
  command -v redis-server >/dev/null || missing+=(redis-server)
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  fi
fi

npm run build
npm run api -- --check
npm run dependencies
npm run test:plain-http
# The parts that depend on how Node works inside, on the latest line; `npm run test:nodes` runs everything on all lines.
npx -y -p node@26 node --test --test-timeout=180000 --test-reporter=dot $(find dist/tests/lib/http dist/tests/security -name '*.test.js')
node tests/system/draft7.mjs
node tests/system/draft2020.mjs
node tests/system/serialization.mjs
node tests/system/type-budget.mjs
node tests/system/new-app.mjs
bash samples/conduit/tests/with-postgres.sh node tests/system/new-api.mjs
# 4.26.2's suite against createServer, 5.12.8's against alcove/fastify. The third face, createServer-5, is a command: see CONTRIBUTING.md.
for face in createServer alcove/fastify; do
  npm run conformance -- --face "$face" --quiet --floor tests/conformance/floor.json
done
node tests/conformance/plugins.mjs
npm run test:ecosystem
npm run test:libraries
npm run test:nest
for sample in websocket vitest plugins conduit; do
  npm --prefix "samples/$sample" ci
  npm --prefix "samples/$sample" test
done
npm run test:contract
npm --prefix samples/conduit run test:postgres
npm --prefix samples/conduit run test:replicas
npm --prefix samples/conduit run test:browser
npm run fuzz
npm run test:toolchains
npm run test:browser
