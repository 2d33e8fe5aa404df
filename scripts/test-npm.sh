#!/usr/bin/env bash
# Build the npm packages and run their tests: under this Node, under a current one, and in Chromium and Firefox without a display.
# What a machine lacks is said by name; with PHOCA_REQUIRE_PEERS set, that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

# A program of a Debian package, which root gets installed.
install_browser() {
    command -v "$1" >/dev/null && return
    [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null || return 0
    { apt-get update && apt-get install -y --no-install-recommends "$1"; } >/dev/null 2>&1 || true
}

# node-seal 7, and so its comparison, needs a Node of today.
current_node() {
    local node
    for node in .peers/node22 node; do
        if command -v "$node" >/dev/null && "$node" -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)'; then
            realpath "$(command -v "$node")"
            return
        fi
    done
}

bench/peers/setup.sh
scripts/build-npm.sh
install_browser chromium
install_browser firefox-esr

status=0
cd bindings/npm
for node in node "$(cd ../.. && current_node)"; do
    if [[ -z $node ]]; then
        echo "SKIPPED npm packages under a current Node: none of version 22 or newer"
        [[ -z ${PHOCA_REQUIRE_PEERS:-} ]] || status=1
        continue
    fi
    echo "== the npm packages under Node $("$node" --version)"
    "$node" --test --test-reporter=spec ./*/test/*.test.mjs || status=1
done
echo "== the reference of the npm package"
npm run --silent docs || status=1
echo "== the npm packages in browsers"
node --test --test-reporter=spec test/*.test.mjs || status=1
exit "$status"
