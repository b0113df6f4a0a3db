#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

prints hello --rosia.realtime=false << 'END'
hello at 0s
world at 1s
bye
END
traces hello --rosia.realtime=false

# Perfetto shows as many reactions as the summary counts.
"$tools/rosia-trace" perfetto trace.jsonl > run.json 2> err || fail "no time line"
diff -u /dev/null err
shown=$(grep -c '"cat":"reaction"' run.json)
counted=$("$tools/rosia-trace" summary trace.jsonl | awk '$1 == "total" { print $3 }')
[ "$shown" = "$counted" ] || fail "$shown slices for $counted reactions"

# Nothing has a tag below 0s.
"$tools/rosia-trace" diff --up-to=-1s trace.jsonl trace.jsonl > out 2> err
[ $? = 2 ] || fail "a negative tag is compared"
says err "--up-to: '-1s' is not a tag"

# In real time the second word is printed after a second.
begin=${EPOCHREALTIME/[.,]/}
prints hello << 'END'
hello at 0s
world at 1s
bye
END
took=$((${EPOCHREALTIME/[.,]/} - begin))
[ "$took" -ge 1000000 ] || fail "in real time it took $took us"

# Options of all programs.
prints hello --rosia.realtime=false --rosia.stop_after=999ms << 'END'
hello at 0s
bye
END
run 129 hello --rosia.timeout=0s
says err "the application did not end within its timeout"
run 2 hello --rosia.realtme=false
says err "did you mean --rosia.realtime?"
run 0 hello --help
says out "--rosia.stop_after"

finish
