#!/usr/bin/env bash
# Build the WebAssembly modules of the npm packages into bindings/npm/phoca/wasm: one for each set of instructions, since a
# module with instructions that an engine does not know does not load at all.
#
#   baseline         nothing beyond WebAssembly 1.0 with what every engine of today has
#   simd             128-bit vectors
#   relaxed          relaxed vectors: fused multiply-add where the processor has it
#   threads          128-bit vectors, shared memory
#   threads-relaxed  relaxed vectors, shared memory
#
# Usage: scripts/build-wasm.sh [VARIANT]...
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BINDGEN_VERSION=0.2.130
readonly BINARYEN_VERSION=132.0.0
readonly TARGET=wasm32-unknown-unknown
readonly TOOLS=$PWD/.tools
readonly OUT=$PWD/bindings/npm/phoca/wasm
readonly THREAD_ARGS=(--shared-memory --max-memory=4294967296 --import-memory
    --export=__wasm_init_tls --export=__tls_size --export=__tls_align --export=__tls_base)

# Whether there are Debian's compiler, its cargo, and the source of its standard library.
has_debian_toolchain() {
    [[ -x /usr/bin/rustc && -x /usr/bin/cargo ]] && [[ -d $(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/std ]]
}

# cargo with everything that the target needs: rustup's standard library; where rustup has none, Debian's compiler with its
# library's source. Sets CARGO, and BUILD_STD to the argument that builds the standard library, if that is needed.
find_toolchain() {
    CARGO=(cargo) BUILD_STD=()
    local sysroot
    sysroot=$(rustc --print sysroot)
    if [[ -d $sysroot/lib/rustlib/$TARGET/lib ]] || rustup target add $TARGET >/dev/null 2>&1; then
        return
    fi
    echo "rustup has no standard library for $TARGET; using Debian's compiler" >&2
    if ! has_debian_toolchain; then
        [[ $EUID -eq 0 ]] || { echo "error: install rustc-web cargo-web rust-web-src, or a rustup with $TARGET" >&2; exit 1; }
        { apt-get update && apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src; } >/dev/null
        has_debian_toolchain || { echo "error: /usr/bin/rustc has no source of its standard library, not even with rust-web-src" >&2; exit 1; }
    fi
    # Debian's own linker is too old; rustup's toolchain has one.
    PATH=$sysroot/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin:$PATH
    command -v rust-lld >/dev/null || { echo "error: the toolchain in $sysroot has no rust-lld" >&2; exit 1; }
    CARGO=(env RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo) BUILD_STD=(-Z build-std=std,panic_abort)
}

# Threads need a standard library that was built for shared memory.
use_build_std() {
    [[ ${#BUILD_STD[@]} -eq 0 ]] || return 0
    local source
    source=$(rustc --print sysroot)/lib/rustlib/src/rust/library
    [[ -d $source ]] || rustup component add rust-src >/dev/null
    CARGO=(env RUSTC_BOOTSTRAP=1 cargo) BUILD_STD=(-Z build-std=std,panic_abort)
}

install_tools() {
    local stamp=$TOOLS/wasm-bindgen-$BINDGEN_VERSION
    if [[ ! -e $stamp ]]; then
        # Without --locked: the lock file of this version names a crate that was withdrawn.
        cargo install --root "$TOOLS" --force --no-default-features --version $BINDGEN_VERSION wasm-bindgen-cli
        touch "$stamp"
    fi
    if [[ ! -e $TOOLS/binaryen-$BINARYEN_VERSION/bin/wasm-opt ]]; then
        npm install --silent --no-save --no-package-lock --prefix "$TOOLS/npm" "binaryen@$BINARYEN_VERSION"
        mkdir -p "$TOOLS/binaryen-$BINARYEN_VERSION/bin"
        ln -sf "$TOOLS/npm/node_modules/.bin/wasm-opt" "$TOOLS/binaryen-$BINARYEN_VERSION/bin/wasm-opt"
    fi
}

build() {
    local variant=$1 features target_dir=target/wasm flags cargo_args=()
    case $variant in
        baseline) features= ;;
        simd) features=+simd128 ;;
        relaxed) features=+simd128,+relaxed-simd ;;
        threads) features=+simd128,+atomics,+bulk-memory,+mutable-globals ;;
        threads-relaxed) features=+simd128,+relaxed-simd,+atomics,+bulk-memory,+mutable-globals ;;
        *) echo "error: no variant $variant" >&2; exit 2 ;;
    esac
    flags="-C target-feature=$features"
    [[ -n $features ]] || flags=
    local wasm_opt=(--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals
        --enable-reference-types --enable-multivalue)
    [[ $features != *simd128* ]] || wasm_opt+=(--enable-simd)
    [[ $features != *relaxed* ]] || wasm_opt+=(--enable-relaxed-simd)
    find_toolchain
    if [[ $variant == threads* ]]; then
        use_build_std
        wasm_opt+=(--enable-threads)
        cargo_args+=(--features threads)
        flags+=$(printf -- ' -C link-arg=%s' "${THREAD_ARGS[@]}")
    fi
    [[ ${#BUILD_STD[@]} -eq 0 ]] || target_dir=target/wasm-std
    echo "== $variant"
    RUSTFLAGS=$flags "${CARGO[@]}" build --quiet --locked --profile wasm --target $TARGET --target-dir $target_dir \
        "${BUILD_STD[@]}" -p phoca-wasm "${cargo_args[@]}"
    rm -rf "${OUT:?}/$variant"
    "$TOOLS/bin/wasm-bindgen" --target web --omit-default-module-path --out-dir "$OUT/$variant" --out-name phoca \
        "$target_dir/$TARGET/wasm/phoca_wasm.wasm"
    local module=$OUT/$variant/phoca_bg.wasm
    "$TOOLS/binaryen-$BINARYEN_VERSION/bin/wasm-opt" -O3 "${wasm_opt[@]}" "$module" -o "$module.optimized"
    mv "$module.optimized" "$module"
    echo "   $(wc -c <"$module") bytes, $(gzip -9c "$module" | wc -c) with gzip"
}

install_tools
[[ $# -gt 0 ]] || set -- baseline simd relaxed threads threads-relaxed
for variant in "$@"; do
    build "$variant"
done
