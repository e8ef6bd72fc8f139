#!/usr/bin/env bash
# Runs a command with its own PostgreSQL server in a temporary directory; TEST_DATABASE_URL is the URL of that server. If PostgreSQL is
# not installed, it says so, and fails in CI.
set -euo pipefail

if [ -n "${TEST_DATABASE_URL:-}" ]; then exec "$@"; fi

# Debian keeps the server's programs out of PATH.
PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)"
if ! command -v initdb >/dev/null; then
  echo >&2
  echo '!!! SKIPPED: there is no PostgreSQL here; install it (Debian: postgresql) or name a server in TEST_DATABASE_URL.' >&2
  echo >&2
  exit "$([ -n "${CI:-}" ] && echo 1 || echo 0)"
fi

directory=$(mktemp -d)
# PostgreSQL refuses to run as root.
as_server() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$directory"
  as_server() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi
stop() {
  as_server pg_ctl --pgdata="$directory/data" --mode=immediate --silent stop || true
  rm -rf "$directory"
}
trap stop EXIT

port=$(node -e "const server = net.createServer().listen(0, '127.0.0.1', () => server.close(console.log(server.address().port)))")
cd "$directory"
as_server initdb --pgdata=data --auth=trust --username=conduit --encoding=UTF8 --no-sync >/dev/null
as_server pg_ctl --pgdata=data --silent --wait --log=log \
  --options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c fsync=off -c max_connections=200" start
cd - >/dev/null
TEST_DATABASE_URL="postgresql://conduit@127.0.0.1:$port/postgres" "$@"
