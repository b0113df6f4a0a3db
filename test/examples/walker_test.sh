#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for threads in 1 2 4; do
  prints walker --${caf}scheduler.max-threads="$threads" << 'END'
leg 0 is up at 5ms
leg 2 is up at 6ms
leg 4 is up at 6ms
leg 1 is up at 30ms
leg 3 is up at 32ms
leg 5 is up at 32ms
END
done

traces walker --rosia.realtime=false

# The names of ports in composites have dots and brackets.
run 0 walker --rosia.realtime=false --rosia.record.file=run.db \
  --rosia.record.ports='leg[0].*'
"$tools/rosia-trace" values run.db 'leg[0].drive.angle' > values 2>&1
diff -u - values << 'END' || fail "other values"
1ms	6
2ms	12
3ms	18
4ms	24
5ms	30
21ms	24
22ms	18
23ms	12
24ms	6
25ms	0
26ms	-6
27ms	-12
28ms	-18
29ms	-24
30ms	-30
END

finish
