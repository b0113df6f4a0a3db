#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Checks that tools/check prints its usage, and refuses unknown arguments, before
# it installs or builds anything.
#
# usage: check_test.sh <tools/check>

set -uo pipefail
check=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fail() {
  echo "$1, and prints:"
  cat "$output"
  exit 1
}

# expect <status> <text> <argument>...
expect() {
  local wanted=$1 text=$2 status
  shift 2
  timeout 60 bash "$check" "$@" > "$output" 2>&1
  status=$?
  [ $status = "$wanted" ] || fail "'check $*' ends with status $status"
  grep -qF -- "$text" "$output" || fail "'check $*' does not say '$text'"
  ! grep -q '^== \|^Building\|^Checking\|^Installing' "$output" \
    || fail "'check $*' does more"
}

expect 0 "Usage: tools/check [--all]" --help
expect 0 "minutes on two processors" -h
expect 2 "tools/check: unknown argument '--al'" --al
expect 2 "Usage: tools/check [--all]" all
expect 2 "tools/check: unknown argument 'more'" --all more
expect 2 "tools/check: unknown argument ''" --all ""
