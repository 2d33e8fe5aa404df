#!/usr/bin/env bash
# Installs the libraries that Phoca is checked against under `.peers/` at the root of the checkout.
# Idempotent: a stamp holds a hash of the pins, and a run with nothing to do ends at once.
# `setup.sh tfhe-rs` builds the driver of TFHE-rs in their place, which takes minutes and which suite `tfhe` alone needs.
# Needs Python 3.11 with venv and pip, and Node >= 20 with npm. Set PYTHON to name another interpreter.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
peers="$root/.peers"
stamp="$peers/stamp"

fail() {
  echo "peers: error: $*" >&2
  exit 1
}

# The root is part of it: a virtual environment does not survive a move.
pins_hash() {
  (
    cd "$here"
    echo "$root" | cat - setup.sh requirements.txt npm/package.json npm/package-lock.json npm/.npmrc
  ) | sha256sum | cut -d' ' -f1
}

find_python() {
  local candidate
  for candidate in "${PYTHON:-python3.11}" python3; do
    if command -v "$candidate" >/dev/null 2>&1 &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python >= 3.11 on PATH (on Debian: apt-get install python3 python3-venv); or set PYTHON"
}

require_tools() {
  local tool
  for tool in node npm sha256sum flock; do
    command -v "$tool" >/dev/null 2>&1 || fail "'$tool' is not on PATH"
  done
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' ||
    fail "Node >= 20 is needed, found $(node --version)"
}

install_python_peers() {
  local python="$1"
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python has no venv module (on Debian: apt-get install python3-venv)"
  "$python" -m venv --clear "$peers/venv" || fail "cannot create the virtual environment $peers/venv"
  "$peers/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    -r "$here/requirements.txt" || fail "pip could not install the pins of $here/requirements.txt"
}

install_node_peers() {
  rm -rf "$peers/node"
  mkdir -p "$peers/node"
  cp "$here/npm/package.json" "$here/npm/package-lock.json" "$here/npm/.npmrc" "$peers/node/"
  (cd "$peers/node" && npm ci --silent) || fail "npm could not install the pins of $here/npm/package-lock.json"
}

# node-seal 7 needs Node >= 22. Its binary is a pinned npm package; a new enough system Node is the fallback.
link_node22() {
  local binary
  for binary in "$peers"/node/node_modules/node-linux-{x64,arm64}/bin/node; do
    if [ -x "$binary" ]; then
      ln -sfn "$binary" "$peers/node22"
      return
    fi
  done
  if node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)'; then
    ln -sfn "$(command -v node)" "$peers/node22"
    return
  fi
  fail "no Node >= 22 for node-seal 7: the package node-linux-* has no build for this machine"
}

parts_exist() {
  [ -x "$peers/venv/bin/python" ] && [ -x "$peers/node22" ] &&
    [ -f "$peers/node/node_modules/node-seal6/package.json" ] &&
    [ -f "$peers/node/node_modules/node-seal7/package.json" ]
}

verify() {
  "$peers/venv/bin/python" -c 'import numpy, seal, tenseal.sealapi, zstandard' ||
    fail "the Python peers do not import"
  [ -f "$peers/node/node_modules/node-seal6/package.json" ] || fail "node-seal 6 is missing"
  [ -f "$peers/node/node_modules/node-seal7/package.json" ] || fail "node-seal 7 is missing"
  "$peers/node22" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' ||
    fail "$peers/node22 is not a working Node >= 22"
}

build_tfhe_rs() {
  command -v cargo >/dev/null 2>&1 || fail "'cargo' is not on PATH"
  mkdir -p "$peers"
  echo '*' >"$peers/.gitignore"
  cargo build --release --locked --manifest-path "$here/tfhe-rs/Cargo.toml" --target-dir "$peers/tfhe-rs" ||
    fail "the driver of TFHE-rs could not be built"
}

main() {
  case "${1:-}" in
    '') ;;
    tfhe-rs)
      build_tfhe_rs
      return
      ;;
    *) fail "there is no peer $1 to set up: nothing, or tfhe-rs" ;;
  esac
  require_tools
  local want python
  want="$(pins_hash)"
  mkdir -p "$peers"
  exec 9>"$peers/lock"
  flock 9 # test processes may call this at the same time
  if [ "$(cat "$stamp" 2>/dev/null || true)" = "$want" ] && parts_exist; then
    return
  fi
  rm -f "$stamp"
  echo '*' >"$peers/.gitignore"
  python="$(find_python)"
  echo "peers: installing into $peers" >&2
  install_python_peers "$python"
  install_node_peers
  link_node22
  verify
  echo "$want" >"$stamp"
  echo "peers: ready" >&2
}

main "$@"
