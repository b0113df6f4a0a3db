#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" --rosia.realtime=false "--${caf}scheduler.max-threads=1"; do
  # shellcheck disable=SC2086
  prints feedback $options << 'END'
an eager reaction:
  15.0 degrees, power 2.5 at 0s+1
  17.5 degrees, power 1.2 at 10ms+1
  18.8 degrees, power 0.6 at 20ms+1
  19.4 degrees, power 0.3 at 30ms+1
  19.7 degrees, power 0.2 at 40ms+1
a microstep on a connection:
  15.0 degrees, power 2.5 at 0s+1
  17.5 degrees, power 1.2 at 10ms+1
  18.8 degrees, power 0.6 at 20ms+1
  19.4 degrees, power 0.3 at 30ms+1
  19.7 degrees, power 0.2 at 40ms+1
END
done

traces feedback --rosia.realtime=false

finish
