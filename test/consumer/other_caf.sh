#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# CMake refuses a CAF between the supported versions, or a newer one, and lists
# the supported versions.
#
# usage: other_caf.sh <source folder> <cmake> <c++ compiler>

set -euo pipefail
source=$1
cmake=$2
cxx=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Only the part of CAF that tells its version.
mkdir -p "$tmp/caf/include/caf/detail" "$tmp/caf/include/caf/io" "$tmp/caf/lib"
touch "$tmp/caf/include/caf/"{config,all,io/all}.hpp \
  "$tmp/caf/lib/libcaf_"{core,io}.so

# expect <text>: checks that CMake ends with this text.
expect() {
  rm -rf "$tmp/build"
  local status=0 text
  "$cmake" -S "$source" -B "$tmp/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" \
    -DCAF_ROOT="$tmp/caf" > "$tmp/log" 2>&1 || status=$?
  text=$(tr -s ' \n' ' ' < "$tmp/log")
  if [ $status = 0 ] \
    || ! grep -qF "$1. Supported are CAF 0.17.6 and 1.1" <<< "$text"; then
    cat "$tmp/log"
    echo "CMake is to say: $1" >&2
    exit 1
  fi
  echo "CMake says: $1"
}

for version in 0.18.7 0.19.6 1.0.2; do
  echo "#define CAF_VERSION_STR \"$version\"" \
    > "$tmp/caf/include/caf/detail/build_config.hpp"
  expect "This is CAF $version"
done

# package <number of a type> <argument of schedule> [version]: creates the part
# of CAF 1 that CMake reads.
package() {
  mkdir -p "$tmp/caf/lib/cmake/CAF"
  cat > "$tmp/caf/lib/cmake/CAF/CAFConfigVersion.cmake" << END
set(PACKAGE_VERSION ${3:-1.1.0})
set(PACKAGE_VERSION_COMPATIBLE TRUE)
END
  cat > "$tmp/caf/lib/cmake/CAF/CAFConfig.cmake" << END
foreach(name IN ITEMS core io)
  add_library(CAF::\${name} INTERFACE IMPORTED)
  set_target_properties(CAF::\${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "$tmp/caf/include")
endforeach()
END
  echo "namespace caf { class resumable {}; }" \
    > "$tmp/caf/include/caf/resumable.hpp"
  echo "namespace caf { $1; }" > "$tmp/caf/include/caf/type_id.hpp"
  echo "namespace caf { class scheduler { public: void schedule($2); }; }" \
    > "$tmp/caf/include/caf/scheduler.hpp"
}

newer="This CAF calls itself 1.1.0, but is not as CAF 1.1.0 is: it schedules actors, or numbers types, in another way"
package "enum class type_id_t {}" "resumable*"
expect "$newer"
package "using type_id_t = unsigned short" "resumable*, int"
expect "$newer"
package "using type_id_t = unsigned short" "resumable*" 1.2.0
expect "This is CAF 1.2.0"
