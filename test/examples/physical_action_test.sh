#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" --rosia.realtime=false "--${caf}scheduler.max-threads=1"; do
  # shellcheck disable=SC2086
  prints physical_action $options << 'END'
sample 1, average 1.0
sample 2, average 1.5
sample 3, average 2.0
sample 4, average 2.5
sample 5, average 3.0
END
done

traces physical_action

# The samples of a recorded run are repeated at the same tags.
run 0 physical_action --rosia.record.file=run.db --rosia.record.ports='*.*' \
  --rosia.trace=first.jsonl
grep average out > samples
run 0 physical_action --rosia.replay=run.db --rosia.realtime=false \
  --rosia.trace=again.jsonl
grep average out | diff -u samples - || fail "the replay printed something else"
"$tools/rosia-trace" diff first.jsonl again.jsonl > diff || fail "$(cat diff)"
"$tools/rosia-trace" values run.db averager.sample | cut -f 2 > values
printf '%s\n' 1 2 3 4 5 | diff -u - values || fail "other values were recorded"
"$tools/rosia-trace" verify run.db > verify || fail "$(cat verify)"
says verify "5 external events"

finish
