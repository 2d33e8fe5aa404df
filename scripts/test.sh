#!/usr/bin/env bash
# Install the real peers (Microsoft SEAL, node-seal, TenSEAL), run every test of the workspace, those of the kernels for other
# processors and those of the npm packages, and close with the totals.
set -euo pipefail
cd "$(dirname "$0")/.."

bench/peers/setup.sh
# The benchmarks' tests run the packages, too.
scripts/build-npm.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
PHOCA_REQUIRE_PEERS=1 cargo test --workspace --release --locked --no-fail-fast 2>&1 | tee "$log" || status=$?
scripts/test-targets.sh 2>&1 | tee -a "$log" || status=$?
PHOCA_REQUIRE_PEERS=1 scripts/test-npm.sh 2>&1 | tee -a "$log" || status=$?

# cargo prints one "test result: ok. 12 passed; 0 failed; 1 ignored; ..." for each test program, Node "ℹ pass 12" and the like.
read -r programs passed failed ignored < <(awk '
    /^test result: / { programs++; passed += $4; failed += $6; ignored += $8 }
    / pass [0-9]+$/ { programs++; passed += $NF }
    / (fail|cancelled) [0-9]+$/ { failed += $NF }
    / skipped [0-9]+$/ { ignored += $NF }
    END { print programs + 0, passed + 0, failed + 0, ignored + 0 }' "$log")

echo
echo "Phoca: $programs test programs ran, $ignored tests ignored"
grep "^SKIPPED " "$log" || true
if [[ $status -ne 0 && $failed -eq 0 ]]; then
    echo "cargo test stopped with exit code $status before any test failed: see the message above"
fi
if [[ $status -eq 0 && $passed -eq 0 ]]; then
    echo "no test ran"
    status=1
fi
echo "$passed passed, $failed failed"
exit "$status"
