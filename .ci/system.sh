#!/usr/bin/env bash
# The slow part of the checks: the JSON Schema draft 7 suite, generated replies, and the conformance suite, against the
# floor that it must not fall below.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run build
node tests/system/draft7.mjs
node tests/system/serialization.mjs
npm run conformance -- --quiet --floor tests/conformance/floor.json
