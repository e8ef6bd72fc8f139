#!/usr/bin/env bash
# The slow part of the checks: the conformance suite against its floor, every toolchain, the page in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run conformance -- --quiet --floor tests/conformance/floor.json

npm run test:toolchains

# The browser is no npm package: CI installs it, elsewhere the test says that it is missing.
if ! command -v chromium >/dev/null && [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
fi
npm run test:browser
