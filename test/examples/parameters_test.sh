#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

prints parameters << 'END'
0s: 20.00 20.00
10ms: 20.00 20.00
20ms: 25.00 22.00
30ms: 27.50 23.60
40ms: 28.75 24.88
END

prints parameters --set='filter[*].gain=0.9' --set 'filter[1].gain=0' << 'END'
0s: 20.00 20.00
10ms: 20.00 20.00
20ms: 29.00 20.00
30ms: 29.90 20.00
40ms: 29.99 20.00
END

# The processes that it starts have the same parameters.
prints parameters --set=sensor.period=20ms --rosia.processes=left \
  --rosia.placement='display=coordinator, *=left' --rosia.log_level=error << 'END'
0s: 20.00 20.00
20ms: 25.00 22.00
40ms: 27.50 23.60
END

prints parameters --set=help << 'END'
Parameters of nodes, with their values in the code:
  --set=sensor.period=10ms  a multiple of 1ms, such as 20ms
  --set=filter[*].gain=0.5  a number
  --set=filter[*].gain=0.2  a number
END

finish
