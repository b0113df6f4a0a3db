#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

cat >expected <<'END'
0s: pumps
15ms: pumps
30ms: pumps
45ms: probe 1
50ms: probe 2
55ms: probe 3
60ms: pumps
75ms: pumps
85ms: probe 1
90ms: probe 2
95ms: probe 3
105ms: pumps
120ms: pumps
END

for threads in 1 4; do
  run 0 pump --rosia.realtime=false --${caf}scheduler.max-threads="$threads"
  diff -u expected <(grep ': p' out) || fail "another sequence"
done

# A run that resumes continues in the mode of the checkpoint.
run 0 pump --rosia.realtime=false --rosia.stop_after=87ms \
  --rosia.checkpoint.file=saved.db --rosia.checkpoint.every=1h
run 0 pump --rosia.realtime=false --rosia.resume.file=saved.db
diff -u <(tail -n 4 expected) <(grep ': p' out) || fail "another sequence"

traces pump

finish
