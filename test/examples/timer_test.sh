#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

prints timer << 'END'
1 at 0s
2 at 100ms
3 at 200ms
4 at 300ms
5 at 400ms
6 at 500ms
END

for threads in 1 2 4; do
  prints timer --rosia.realtime=false --${caf}scheduler.max-threads="$threads" << 'END'
1 at 0s
2 at 100ms
3 at 200ms
4 at 300ms
5 at 400ms
6 at 500ms
END
done

prints timer --rosia.realtime=false --rosia.stop_after=250ms << 'END'
1 at 0s
2 at 100ms
3 at 200ms
END

traces timer --rosia.realtime=false

finish
