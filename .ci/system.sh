#!/usr/bin/env bash
# The slow part of the checks: the conformance suite, against the floor that it must not fall below, and plugins of the
# ecosystem, installed for this alone.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run conformance -- --quiet --floor tests/conformance/floor.json
npm run test:ecosystem
