#!/usr/bin/env bash
# Starts one driver: run.sh seal | tenseal | node-seal6 | node-seal7 | tfhe-rs. It speaks JSON lines on stdin and stdout.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
peers="$(cd "$here/../.." && pwd)/.peers"
if [ "${1:-}" = tfhe-rs ]; then
  driver="$peers/tfhe-rs/release/tfhe-rs-driver"
  [ -x "$driver" ] || {
    echo "peers: error: run $here/setup.sh tfhe-rs first" >&2
    exit 1
  }
  exec "$driver"
fi
[ -f "$peers/stamp" ] || {
  echo "peers: error: run $here/setup.sh first" >&2
  exit 1
}
case "${1:-}" in
  seal) exec "$peers/venv/bin/python" "$here/seal_driver.py" ;;
  tenseal) exec "$peers/venv/bin/python" "$here/tenseal_driver.py" ;;
  node-seal6) exec node "$here/node_seal_driver.mjs" 6 ;;
  node-seal7) exec "$peers/node22" "$here/node_seal_driver.mjs" 7 ;;
  *)
    echo "usage: $0 seal|tenseal|node-seal6|node-seal7|tfhe-rs" >&2
    exit 2
    ;;
esac
