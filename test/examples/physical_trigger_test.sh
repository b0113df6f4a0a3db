#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" --rosia.realtime=false "--scheduler.max-threads=1"; do
  # shellcheck disable=SC2086
  prints physical_trigger $options << 'END'
sample 1, average 1.0
sample 2, average 1.5
sample 3, average 2.0
sample 4, average 2.5
sample 5, average 3.0
END
done

traces physical_trigger

finish
