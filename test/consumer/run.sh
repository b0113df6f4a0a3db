#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Installs a build into a temporary prefix. Then builds and runs a project
# against it, and one that uses only the shutdown: with CMake's package and with
# pkg-config. Finally a project that rosia-new creates.
#
# The environment variable ROSIA_CAF_GROUP is not empty with CAF 1 or later.
#
# usage: run.sh <build folder> <cmake> <c++ compiler> <folder of CAF's
# libraries>

set -euo pipefail
build=$1
cmake=$2
cxx=$3
caf_libdir=$4
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$cmake" --install "$build" --prefix "$tmp/prefix"
pc=$(find "$tmp/prefix" -name caf_rosia.pc)
libdir=$(dirname "$(dirname "$pc")")

echo "== CMake's package"
"$cmake" -S "$here/project" -B "$tmp/build" -G Ninja \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$tmp/prefix"
"$cmake" --build "$tmp/build"
"$tmp/build/consumer"
# With CAF 1 an actor is listed when it runs, not when it is spawned.
if [ -z "$ROSIA_CAF_GROUP" ]; then
  "$tmp/build/names"
fi

echo "== the component 'shutdown' alone"
"$cmake" -S "$here/shutdown" -B "$tmp/shutdown" -G Ninja \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$tmp/prefix"
"$cmake" --build "$tmp/shutdown"
"$tmp/shutdown/stopper"
# The program and its library need only CAF's core.
for file in "$tmp/shutdown/stopper" "$libdir/libcaf_rosia_shutdown.so"; do
  needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  echo "$file needs" $needed
  if grep -E 'caf_rosia\.|caf_io|caf_openssl|libssl|libcrypto' <<< "$needed"; then
    echo "the shutdown alone is not to need these" >&2
    exit 1
  fi
done

echo "== pkg-config"
export PKG_CONFIG_PATH=$(dirname "$pc")
read -ra flags <<< "$(pkg-config --cflags --libs caf_rosia)"
"$cxx" -std=c++20 "$here/project/main.cpp" -o "$tmp/consumer" "${flags[@]}"
LD_LIBRARY_PATH=$libdir:$caf_libdir "$tmp/consumer"
if [ -z "$ROSIA_CAF_GROUP" ]; then
  "$cxx" -std=c++20 -DCAF_ENABLE_ACTOR_PROFILER "$here/project/names.cpp" \
    -o "$tmp/names" "${flags[@]}"
  LD_LIBRARY_PATH=$libdir:$caf_libdir "$tmp/names"
fi

read -ra flags <<< "$(pkg-config --cflags --libs caf_rosia_shutdown)"
"$cxx" -std=c++20 "$here/shutdown/main.cpp" -o "$tmp/stopper" "${flags[@]}"
LD_LIBRARY_PATH=$libdir:$caf_libdir "$tmp/stopper"

for tool in rosia-trace rosia-drill; do
  if [ -e "$tmp/prefix/bin/$tool" ]; then
    echo "== $tool"
    "$tmp/prefix/bin/$tool" --help
  fi
done

if [ -e "$tmp/prefix/bin/rosia-new" ]; then
  echo "== rosia-new"
  bash "$here/rosia_new.sh" "$tmp/prefix" "$cmake" "$cxx"
fi
