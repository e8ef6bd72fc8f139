#!/usr/bin/env bash
# The slow part of the checks: the JSON Schema draft 7 suite, generated replies, the conformance suite, against the floor
# that it must not fall below, and plugins of the ecosystem, installed for this alone.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run build
node tests/system/draft7.mjs
node tests/system/serialization.mjs
npm run conformance -- --quiet --floor tests/conformance/floor.json
npm run test:ecosystem
