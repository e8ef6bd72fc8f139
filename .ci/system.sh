#!/usr/bin/env bash
# The slow part of the checks: the conformance suite, against the floor that it must not fall below.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run conformance -- --quiet --floor tests/conformance/floor.json
