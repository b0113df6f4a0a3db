#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# Which scans are tardy depends on the machine. A replay repeats them.
run 0 lidar --rosia.record.file=run.db
cp out recorded
[ "$(grep -c "m/s$" recorded)" = 11 ] || fail "other steps"
for threads in 1 4; do
  run 0 lidar --rosia.replay=run.db --rosia.realtime=false \
    --${caf}scheduler.max-threads="$threads"
  # Two nodes print, in any order.
  diff -u <(sort recorded) <(sort out) || fail "the replay differs"
done

traces lidar

finish
