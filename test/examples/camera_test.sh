#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# Which deadlines are missed depends on the machine. A replay repeats them.
run 0 camera --rosia.record.file=run.db
cp out recorded
[ "$(grep -c "^frame" recorded)" = 26 ] || fail "other frames"
for threads in 1 4; do
  run 0 camera --rosia.replay=run.db --rosia.realtime=false \
    --${caf}scheduler.max-threads="$threads"
  diff -u <(grep '^frame' recorded) <(grep '^frame' out) \
    || fail "the replay differs"
done

traces camera

finish
