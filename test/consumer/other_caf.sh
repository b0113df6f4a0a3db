#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# CMake refuses a CAF that is between those that are supported, and says which
# these are.
#
# usage: other_caf.sh <source folder> <cmake> <c++ compiler>

set -euo pipefail
source=$1
cmake=$2
cxx=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Of CAF itself no more than what tells its version.
mkdir -p "$tmp/caf/include/caf/detail" "$tmp/caf/include/caf/io" "$tmp/caf/lib"
touch "$tmp/caf/include/caf/"{config,all,io/all}.hpp \
  "$tmp/caf/lib/libcaf_"{core,io}.so
for version in 0.18.7 0.19.6 1.0.2; do
  echo "#define CAF_VERSION_STR \"$version\"" \
    > "$tmp/caf/include/caf/detail/build_config.hpp"
  rm -rf "$tmp/build"
  status=0
  "$cmake" -S "$source" -B "$tmp/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" \
    -DCAF_ROOT="$tmp/caf" > "$tmp/log" 2>&1 || status=$?
  text=$(tr -s ' \n' ' ' < "$tmp/log")
  if [ $status = 0 ] || ! grep -qF "This is CAF $version. Supported are CAF 0.17.6, and 1.1 or later" <<< "$text"; then
    cat "$tmp/log"
    echo "CAF $version is to be refused" >&2
    exit 1
  fi
  echo "CAF $version is refused"
done
