#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# ended <signal> <text>: runs the example, and sends it a signal after it has
# printed the text.
ended() {
  local line
  coproc program { exec "$examples/orderly_end" 2> err; }
  # shellcheck disable=SC2154
  local pid=$program_PID output=${program[0]}
  exec {copy}<&"$output"
  : > out
  while read -r line <&"$copy"; do
    echo "$line" >> out
    [ "$line" != "$2" ] || kill -s "$1" "$pid"
  done
  wait "$pid" || fail "orderly_end ended with status $? after SIG$1"
  exec {copy}<&-
  grep -qx "nothing was lost" out || fail "orderly_end lost something: $(cat out)"
  grep -q "the system shuts down" err || fail "orderly_end did not say why"
}

ended TERM "ready"
ended INT "counted 300"

# Ends by itself, after all numbers.
run 0 orderly_end
grep -qx "sent 2000, counted 2000" out || fail "orderly_end: $(cat out)"

finish
