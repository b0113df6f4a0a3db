#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" --rosia.realtime=false --rosia.groups=off \
  "--${caf}scheduler.max-threads=1"; do
  # shellcheck disable=SC2086
  prints cruise_control $options << 'END'
100ms: speed 0.00, force 50.00 at 100ms
200ms: speed 5.00, force 25.00 at 200ms
300ms: speed 7.50, force 12.50 at 300ms
400ms: speed 8.75, force 6.25 at 400ms
500ms: speed 9.38, force 3.12 at 500ms
END
done

traces cruise_control --rosia.realtime=false

finish
