#!/usr/bin/env bash
# Build the npm packages in bindings/npm: the WebAssembly modules, unless they are newer than their sources, and the bundles.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=bindings/npm/phoca/wasm
mkdir -p "$modules"
newest=$(find "$modules" -name phoca_bg.wasm -printf '%T@\n' | sort -n | sed -n 1p)
count=$(find "$modules" -name phoca_bg.wasm | wc -l)
if [[ $count -lt 5 ]] || [[ -n $(find crates/phoca/src crates/phoca-r*/src bindings/wasm Cargo.toml Cargo.lock scripts/build-wasm.sh -newermt "@$newest" -type f -print -quit) ]]; then
    scripts/build-wasm.sh
fi
cd bindings/npm
if [[ ! -d node_modules ]] || [[ package-lock.json -nt node_modules ]]; then
    npm ci --loglevel=error --no-audit --no-fund || {
        echo "error: npm could not install the pins of bindings/npm/package-lock.json" >&2
        exit 1
    }
fi
node build.mjs
