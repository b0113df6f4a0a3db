#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Runs every example many times in a row: no run hangs, and all runs print
# the same. (Each example's own test checks the output.)
#
# ROSIA_EXAMPLE_RUNS: number of runs (default: 40).

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

runs=${ROSIA_EXAMPLE_RUNS:-40}

# repeat <example> <argument>...
repeat() {
  local i begin=$SECONDS
  for ((i = 1; i <= runs; ++i)); do
    run 0 "$@"
    cat err >> out
    if [ "$i" = 1 ]; then
      cp out first
    elif ! cmp -s first out; then
      diff -u first out
      fail "run $i of $* is not like the first"
    fi
    if [ "$failures" != 0 ]; then
      return
    fi
  done
  echo "$runs runs of $* in $((SECONDS - begin)) s"
}

repeat hello --rosia.realtime=false
repeat timer --rosia.realtime=false
repeat synchronization --rosia.realtime=false
repeat feedback --rosia.realtime=false
repeat physical_action
repeat existing_system

# localization_test.sh repeats the largest example.

finish
