#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

for options in "" "--${caf}scheduler.max-threads=1" "--${caf}scheduler.policy=stealing"; do
  # shellcheck disable=SC2086
  prints existing_system $options << 'END'
guest: one diavolo, please
waiter: here is your hot pizza diavolo
guest: thanks for the hot pizza diavolo
guest: one margherita, please
waiter: here is your hot pizza margherita
guest: thanks for the hot pizza margherita
guest: one funghi, please
waiter: here is your hot pizza funghi
guest: thanks for the hot pizza funghi
guest: that was all
closed
END
done

# This is CAF's command line, which rejects Rosia's options.
run 0 existing_system --help
run 2 existing_system --rosia.realtime=false

# Both use the config file. Each version of CAF reads one of these.
printf '[rosia]\ntrace = "trace.jsonl"\n' > caf-application.ini
printf 'rosia {\n  trace = "trace.jsonl"\n}\n' > caf-application.conf
run 0 existing_system
"$tools/rosia-trace" check trace.jsonl > check 2>&1 || {
  fail "the trace breaks a rule"
  cat check
}

finish
