#!/usr/bin/env bash
# Run the tests of the kernels for other processors: 64-bit Arm under QEMU, WebAssembly under Node. They hold every kernel
# to the portable one. What a machine lacks is said by name; with PHOCA_REQUIRE_TARGETS set, that is a failure.
#
# Usage: scripts/test-targets.sh [neon|wasm]...
set -euo pipefail
cd "$(dirname "$0")/.."

skipped=0

skip() {
    echo "SKIPPED $1: $2"
    skipped=1
}

# The standard library for a target, from rustup.
has_target() {
    [[ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]] || rustup target add "$1" >/dev/null 2>&1
}

# A program of a Debian package, which root gets installed.
has_program() {
    command -v "$1" >/dev/null && return
    [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null || return 1
    { apt-get update && apt-get install -y --no-install-recommends "$2"; } >/dev/null 2>&1 && command -v "$1" >/dev/null
}

run_tests() {
    cargo test --locked -p phoca-ring --lib --target "$1" -- arch:: fourier::
}

# The musl target needs no C compiler and no library of the other processor.
test_neon() {
    local target=aarch64-unknown-linux-musl
    has_target $target || { skip neon "no standard library: rustup target add $target"; return; }
    has_program qemu-aarch64 qemu-user || { skip neon "no qemu-aarch64 (on Debian: apt-get install qemu-user)"; return; }
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64 run_tests $target
}

# The first Node that has relaxed vectors: the peers' or the system's.
node_22() {
    local node
    for node in .peers/node22 node; do
        if command -v "$node" >/dev/null && "$node" -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)'; then
            realpath "$(command -v "$node")"
            return
        fi
    done
    return 1
}

# One program with relaxed vectors has the other kernels too. Without fast calls, because Node 22 may collect garbage in one of
# WASI's, where it cannot walk the stack.
test_wasm() {
    local target=wasm32-wasip1 node features=+simd128
    has_target $target || { skip wasm "no standard library: rustup target add $target"; return; }
    if node=$(node_22); then
        features+=,+relaxed-simd
    elif node=$(command -v node); then
        skip "wasm, relaxed" "no Node of version 22 or newer"
    else
        skip wasm "no Node"
        return
    fi
    CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="-C target-feature=$features" \
        CARGO_TARGET_WASM32_WASIP1_RUNNER="$node --no-warnings --no-turbo-fast-api-calls $PWD/scripts/wasi.mjs" run_tests $target
}

[[ $# -gt 0 ]] || set -- neon wasm
for name in "$@"; do
    case $name in
        neon | wasm) "test_$name" ;;
        *) echo "usage: $0 [neon|wasm]..." >&2; exit 2 ;;
    esac
done
if [[ $skipped -ne 0 && -n ${PHOCA_REQUIRE_TARGETS:-} ]]; then
    echo "error: PHOCA_REQUIRE_TARGETS is set, and a target was skipped" >&2
    exit 1
fi
