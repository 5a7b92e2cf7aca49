#!/usr/bin/env bash
# Starts a Ray cluster on this machine, for a try: a head that only manages, and two nodes with one CPU each.
# Ctrl-C ends it. In another terminal: spades tournament random heuristic --on ray:127.0.0.1:6380
set -euo pipefail

PORT=${PORT:-6380}
export RAY_USAGE_STATS_ENABLED=0 # Ray sends usage statistics otherwise
export OMP_NUM_THREADS=1         # each CPU runs one call; more threads would compete for it
# Processes that connect need this file, and on other machines a copy of it.
export RAY_AUTH_MODE=token
[ -f ~/.ray/auth_token ] || ray get-auth-token --generate >/dev/null

trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
start() { ray start --block --disable-usage-stats --object-store-memory 100000000 "$@" & }
start --head --port "$PORT" --num-cpus 0 --include-dashboard=false
until ray health-check --address "127.0.0.1:$PORT" >/dev/null 2>&1; do sleep 1; done
for node in 1 2; do
    start --address "127.0.0.1:$PORT" --num-cpus 1 --node-name "node$node"
done
wait
