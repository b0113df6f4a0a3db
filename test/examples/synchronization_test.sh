#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" --rosia.realtime=false "--${caf}scheduler.max-threads=1"; do
  # shellcheck disable=SC2086
  prints synchronization $options << 'END'
picture 1 and echo 1 at 20ms
picture 2 and echo 2 at 40ms
picture 3 and echo 3 at 60ms
picture 4 and echo 4 at 80ms
picture 5 and echo 5 at 100ms
END
done

traces synchronization --rosia.realtime=false

finish
