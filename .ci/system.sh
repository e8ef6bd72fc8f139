#!/usr/bin/env bash
# The slow part of the checks: the JSON Schema draft 7 suite, generated replies, the conformance suite against the floor that
# it must not fall below, plugins of the ecosystem, every toolchain and the page in
# a browser, each installed for this alone.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run build
node tests/system/draft7.mjs
node tests/system/serialization.mjs
node tests/system/type-budget.mjs
npm run conformance -- --quiet --floor tests/conformance/floor.json
npm run test:ecosystem
npm --prefix samples/websocket ci && npm --prefix samples/websocket test
npm run test:toolchains

# The browser is no npm package: CI installs it, elsewhere the test says that it is missing.
if ! command -v chromium >/dev/null && [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
fi
npm run test:browser
