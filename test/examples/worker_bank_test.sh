#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for threads in 1 2 4; do
  prints worker_bank --${caf}scheduler.max-threads="$threads" << 'END'
168 primes at 0s
303 primes at 10ms
430 primes at 20ms
550 primes at 30ms
669 primes at 40ms
783 primes at 50ms
END
done

traces worker_bank --rosia.realtime=false

finish
