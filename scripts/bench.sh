#!/usr/bin/env bash
# Measures every suite with every set of kernels that this processor has (or those named: scripts/bench.sh ifma), next to
# the real peer, and keeps tables, rows and charts in bench/results. A suite that is done for this commit is not measured
# again, so an interrupted run can be continued; FRESH=1 starts over. THREADS=2 gives Phoca two threads, and measures of
# suite seal the rows that are to gain from them. With HOSTS=native,node,chromium,firefox,webkit, suite seal is measured in those
# hosts instead, next to node-seal.
set -euo pipefail
cd "$(dirname "$0")/.."

bench/peers/setup.sh
cargo build --release --locked -p phoca-cli
phoca="${CARGO_TARGET_DIR:-target}/release/phoca"
threads="${THREADS:-1}"
results=bench/results
# Products of BFV, and what switches keys.
gaining=bfv/evaluatemulct,bfv/evaluatesquare,evaluaterelin,evaluaterotate,evaluateconjugate
commit=$(git rev-parse --short HEAD)
# Results of code that is not committed are never taken for done.
git diff --quiet HEAD -- . ":!$results" || commit="$commit-changed-$$"
done_dir="${CARGO_TARGET_DIR:-target}/bench/$commit"
[[ -z ${FRESH:-} ]] || rm -rf "$done_dir"
mkdir -p "$done_dir" "$results"

if [[ $# -gt 0 ]]; then
  kernels=("$@")
else
  mapfile -t kernels < <("$phoca" doctor --json | node -e '
    const report = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const set of report.instruction_sets) if (set.available) console.log(set.name);')
fi

record() { # name, arguments of phoca bench
  local new="$done_dir/$1"
  if [[ -e $new.done ]]; then
    echo "bench: $1 is done for this commit" >&2
    return
  fi
  echo "bench: $1" >&2
  "$phoca" bench "${@:2}" --svg "$new.svg" --json "$new.json" >"$new.md"
  cp "$new.md" "$new.json" "$new.svg" "$results/"
  touch "$new.done"
}

if [[ -n ${HOSTS:-} ]]; then
  scripts/build-npm.sh
  record seal-hosts seal --hosts "$HOSTS"
  exit
fi

measure() { # suite, kernels
  local name="$1-$2"
  [[ $threads == 1 ]] || name="$name-$threads-threads"
  local rows=()
  [[ $threads == 1 || $1 != seal ]] || rows=(--degrees 16384,32768 --filter "$gaining")
  record "$name" "$1" --arch "$2" --threads "$threads" "${rows[@]}"
}

started=$SECONDS
suites=(seal h33 he-benchmark)
[[ $threads == 1 ]] || suites=(seal)
for kernel in "${kernels[@]}"; do
  for suite in "${suites[@]}"; do
    measure "$suite" "$kernel"
  done
done
echo "bench: all done after $(((SECONDS - started) / 60)) min; see $results" >&2
