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

finish
