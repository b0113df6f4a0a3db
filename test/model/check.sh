#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Explores every state of shutdown.pml with SPIN, in several settings, and
# prints their number; no property may fail. Then makes different mistakes in
# the protocol, each of which SPIN must find by the property named here.
# Otherwise the script fails.
#
# usage: check.sh [<C compiler>]
#
# ROSIA_JOBS: number of parallel verifiers (default: 2, with at most 0.9 GiB each).

set -uo pipefail
export LC_ALL=C.UTF-8
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
compiler=${1:-cc}
jobs=${ROSIA_JOBS:-2}

if ! command -v spin > /dev/null; then
  echo "spin is not installed"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# The settings are explained in shutdown.pml.
#
# <name>|<expected>|<verifier>|<setting>...
# expected: "holds", or the violation that must be found: a part of an assertion,
# an invalid end state (a process waits forever), or an acceptance cycle (a
# process continues forever). Safety comprises assertions and invalid end states,
# liveness the formula `terminates`, under weak fairness.
cat > runs << 'END'
chain, two requests|holds|safety|GRAPH=1 LAST=2 TIMERS=1 REQUESTS=3
chain, four tags, final tag lowered|holds|safety|GRAPH=1 LAST=4 TIMERS=1 STOP_AFTER=3 SIGNALS=1
loop, request|holds|safety|GRAPH=3 LAST=2 TIMERS=1 REQUESTS=1
chain, request of a receiver|holds|safety|GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
join, request and signal|holds|safety|GRAPH=2 LAST=1 TIMERS=3 REQUESTS=1 SIGNALS=1
chain, signal and failure|holds|safety|GRAPH=1 LAST=1 TIMERS=1 SIGNALS=1 FAULTS=1
loop, failure near the final tag|holds|safety|GRAPH=3 LAST=1 TIMERS=1 STOP_AFTER=1 FAULTS=1
chain, two failures|holds|safety|GRAPH=1 LAST=1 TIMERS=1 FAULTS=2
loop, ends by itself|holds|liveness|GRAPH=3 LAST=2 TIMERS=1
chain, failure, ends|holds|liveness|GRAPH=1 LAST=1 TIMERS=1 FAULTS=1
chain, action scheduled for ever, ends|holds|liveness|GRAPH=1 LAST=2 EXTERNAL=1 SIGNALS=1
loop, action scheduled for ever, ends|holds|liveness|GRAPH=3 LAST=1 EXTERNAL=1 REQUESTS=1
no barrier before the final tag|now<=agreed|safety|MUTATION=1 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
maximum over those asked, not those alive|invalid end state|safety|MUTATION=2 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
one that left is waited for|invalid end state|safety|MUTATION=3 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
the proposal is ignored|agreed>=proposal|safety|MUTATION=4 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
a second request overwrites the round|agreed==|safety|MUTATION=5 GRAPH=1 LAST=2 REQUESTS=3
cleanup twice when abort crosses the final tag|shutdowns[|safety|MUTATION=6 GRAPH=1 LAST=2 TIMERS=1 REQUESTS=1 FAULTS=1
the answer is the proposal|agreed>=floor|safety|MUTATION=7 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
leaves before messages at the final tag came|>final[target|safety|MUTATION=8 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=2
who left at an earlier final tag is forgotten|last[|safety|MUTATION=9 GRAPH=1 LAST=2 TIMERS=1 REQUESTS=3
takes calls for ever|acceptance cycle|liveness|MUTATION=10 GRAPH=1 LAST=2 EXTERNAL=1 SIGNALS=1
one that vanished is waited for|invalid end state|safety|MUTATION=11 GRAPH=1 LAST=1 TIMERS=1 FAULTS=1
the requester runs past its request|now<=asked_for|safety|MUTATION=13 GRAPH=1 LAST=3 TIMERS=1 REQUESTS=1
the requester holds for ever|invalid end state|safety|MUTATION=14 GRAPH=2 LAST=2 TIMERS=3 REQUESTS=1
only those asked are aborted|invalid end state|safety|MUTATION=12 GRAPH=1 LAST=2 TIMERS=1 FAULTS=1
END

spin -a "$here/shutdown.pml" > spin.out 2>&1 || {
  cat spin.out
  exit 1
}
# Exact: every state is stored, with lossless compression.
options=(-w -O1 -DCOLLAPSE -DMEMLIM=900)
"$compiler" "${options[@]}" -DSAFETY -DNOCLAIM -o safety pan.c &
first=$!
"$compiler" "${options[@]}" -DNFAIR=3 -o liveness pan.c && wait $first || {
  echo "the verifier was not compiled"
  exit 1
}

# verify <number> <name>|<expected>|<verifier>|<setting>...
verify() {
  local number=$1 name expected verifier settings found states
  IFS='|' read -r name expected verifier settings <<< "$2"
  mkdir "$number"
  cd "$number" || return 1
  read -ra settings <<< "$settings"
  local arguments=(-m20000)
  [ "$verifier" = safety ] || arguments+=(-a -f)
  env "${settings[@]}" "../$verifier" "${arguments[@]}" > out 2>&1
  states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' out)
  if grep -q 'errors: 0$' out && ! grep -qE 'max search depth|memory' \
      <(grep -E '^(error|pan)' out); then
    found=holds
  else
    found=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' out)
  fi
  if [[ -n $found && $found == *"$expected"* ]]; then
    printf '%-46s %8s states, %s: %s\n' "$name" "$states" "$verifier" \
      "${found:0:70}"
  else
    printf 'FAILED: %s (%s), %s, expected: %s, found: %s\n' "$name" \
      "${settings[*]}" "$verifier" "$expected" "${found:-nothing}"
    cat out
  fi | tee result
  ! grep -q '^FAILED' result
}
export -f verify

number=0
while IFS= read -r line; do
  number=$((number + 1))
  printf '%s\0%s\0' "$number" "$line"
done < runs > list

xargs -0 -n 2 -P "$jobs" bash -c 'verify "$@"' verify < list
status=$?

ran=$(grep -L '^FAILED' ./*/result | wc -l)
total=$(cat ./*/result | sed -n 's/.* \([0-9]*\) states, .*holds$/\1/p' \
  | awk '{ sum += $1 } END { print sum + 0 }')
echo "$total states explored in all; $ran of $number runs as expected"
[ $status = 0 ] && [ "$ran" = "$number" ]
