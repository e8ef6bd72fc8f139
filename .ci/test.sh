#!/usr/bin/env bash
# The second half of `npm test`: checks of the compiler, the linters and the package beside the tests, which wait for sockets and timers for a
# part of their time. What the checks print comes last, and only if one of them fails.
set -uo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
npm run checks >"$output" 2>&1 &
checks=$!
# The shell of a script keeps Ctrl+C from processes in the background.
trap 'rm -f "$output"; kill "$checks" 2>/dev/null' EXIT
npm run test:only
tests=$?
if ! wait "$checks"; then
  cat "$output"
  echo 'A check has failed; the lines above are its own. `npm run checks` runs the checks alone.'
  exit 1
fi
exit "$tests"
