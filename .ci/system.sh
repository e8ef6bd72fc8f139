#!/usr/bin/env bash
# The slow part of the checks: the first command of the README, the exported names and types against the report of them, the licences,
# weight and audit of what is installed, the tests of the command, a part of the tests with Node's own classes of requests and responses, and on Node 26, the
# package as npm packs it, the JSON Schema draft 7 suite, also with its schemas rewritten for OpenAPI, generated replies, the work that
# types are for the compiler, the applications that `alcove new` writes, the conformance suite against the floor that it must not fall
# below, plugins of the ecosystem, schema libraries, a NestJS application, the samples with packages of their own (Conduit on PGlite, on a
# PostgreSQL server, as replicas behind nginx and in a browser), OpenAPI documents and clients under validators, a linter, the compiler,
# other generators and generated requests, a short run of the fuzzer, every toolchain, and the pages of `explain` and `docsPage`, the
# clients and the site of the documents in a browser; each installed for this alone.
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

# Runs a step, and says how long it took, how much CPU time that was, and what its last lines were: together the steps must stay below 25
# minutes on two cores. A step that fails does not keep the others from running; its output is printed when all have ended. Node's test
# runner waits for a file whose process does not end, so that the step ends it.
logs=$(mktemp -d)
step() {
  local start=$SECONDS name="$*" log status=0
  log=$(mktemp -p "$logs")
  local TIMEFORMAT='%U + %S'
  { time timeout --verbose 15m "$@" >"$log" 2>&1; } 2>"$log.cpu" || status=$?
  local line="--- $((SECONDS - start)) s ($(cat "$log.cpu") s of CPU): ${name:0:100}"
  if [ "$status" = 0 ]; then
    tail -n 8 "$log"
    echo "$line"
  else
    echo "$line failed with $status" | tee -a "$log"
    mv "$log" "$log.failed"
  fi
}

# Ends the run if a step has failed.
report() {
  local failed log
  failed=$(find "$logs" -name '*.failed')
  for log in $failed; do
    echo
    echo "=== The last lines of a step that failed:"
    tail -n 150 "$log"
  done
  if [ -n "$failed" ]; then
    echo
    echo "=== These steps failed:"
    for log in $failed; do
      tail -n 1 "$log"
      # The failed tests again: they may have been far from the last lines.
      grep -E -A 14 '^ *not ok|^✖' "$log" | head -n 60 || true
    done
    exit 1
  fi
}

step node tests/system/start.mjs
# The steps after this one use this build, whatever they build when they are run alone.
step npm run build:all
report
export ALCOVE_BUILT=1
# The speed of requests beside the last commit of the history. It fails only if a loss is certain, and seen three times.
step npm run bench -- --guard

# Most steps keep one core busy, so that two lanes of them run at a time, beside one that waits.
packages() {
  step npm run api -- --check
  step npm run dependencies
  # A part of the tests; `npm run test:plain-http` without folders runs all of them.
  FOLDERS='dist/tests/lib/http dist/tests/lib/lifecycle dist/tests/lib/server dist/tests/security' step npm run test:plain-http
  # The parts that depend on how Node works inside, on the latest line; `npm run test:nodes` runs everything on all lines.
  step npx -y -p node@26 node --test --test-concurrency=4 --test-timeout=600000 --test-reporter=dot $(node tests/groups.mjs dist/tests/lib/http dist/tests/security)
  # Each of these tests starts processes of the command.
  step node --test --test-reporter=dot --test-concurrency=2 dist/tests/decorators/cli.test.js $(find dist/tests/decorators/commands -name '*.test.js')
  step node --test --test-reporter=dot dist/tests/system/package.test.js dist/tests/system/bundles.test.js
  step node tests/system/draft7.mjs
  step node tests/system/draft2020.mjs
  step node tests/system/serialization.mjs --pairs 30000
  step node tests/system/type-budget.mjs
  # With the samples that the other lanes have built by now, and a third of the generated requests.
  SEEDS=20 step npm run test:contract
  step npm run test:generators
  step npm run test:libraries
  step npm run test:toolchains
  step npm run test:browser
  # All documents, and a tenth of the pages of the API and of the sources; `npm run test:site` builds all pages.
  SITE_SAMPLE=1 step npm run test:site
}

applications() {
  for sample in websocket vitest plugins graphql monorepo react s3 telemetry; do
    step npm --prefix "samples/$sample" ci
    step npm --prefix "samples/$sample" test
  done
  step node tests/system/new-app.mjs
  step node tests/system/new-plain.mjs
  step bash samples/conduit/tests/with-postgres.sh node tests/system/new-api.mjs
  step node tests/system/tutorial-image.mjs
  # 4.26.2's suite against createServer, 5.12.8's against alcove/fastify. The third face, createServer-5, is a command: see CONTRIBUTING.md.
  for face in createServer alcove/fastify; do
    step npm run conformance -- --face "$face" --quiet --jobs 4 --floor tests/conformance/floor.json
  done
  step node tests/conformance/plugins.mjs
  step npm run test:ecosystem
  step npm run test:nest
  # The sample of workers has the packages that the suite of behaviours needs for workerd. Miniflare needs Node 22.
  step npm --prefix samples/workers ci
  step npx -y -p node@22 npm --prefix samples/workers test
  # Of the lines of Node, only one beside the own; without names, all of them.
  step npm run test:runtimes -- bun workerd deno node24
  # One file of an application and its build, on each runtime.
  step node tests/runtimes/bundles.mjs --check
  step npm run fuzz
}

# A part of their time passes in waiting: for databases, for the times of jobs, and for processes that were killed.
databases() {
  for sample in conduit tutorial; do
    step npm --prefix "samples/$sample" ci
    step npm --prefix "samples/$sample" test
    step npm --prefix "samples/$sample" run test:postgres
  done
  step node tests/system/new-from.mjs
  step npm run test:jobs
  step npm run test:stores
  step npm --prefix samples/conduit run test:replicas
  step npm --prefix samples/conduit run test:browser
}

lanes=()
for lane in packages applications databases; do
  "$lane" &
  lanes+=($!)
done
ended=0
for lane in "${lanes[@]}"; do
  wait "$lane" || ended=$?
done
report
# A lane may also end because of a mistake between its steps.
[ "$ended" = 0 ]
rm -r "$logs"
