# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Sourced by tools/demo and tools/check: packages, folders and time.

set -euo pipefail
export LC_ALL=C.UTF-8

source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${ROSIA_JOBS:-$(nproc)}

# What the library, the examples and rosia-trace are built with.
build_packages=(
  cmake g++ libboost-dev libboost-program-options-dev libcaf-dev libspdlog-dev
  libsqlite3-dev libssl-dev ninja-build prometheus-cpp-dev rapidjson-dev
)
# What the tests need in addition.
test_packages=(
  catch2 chromium chromium-driver graphviz iproute2 openssl pkg-config
  prometheus python3 python3-selenium spin
)
# What packages are made with, in addition to build_packages.
package_packages=(dpkg-dev file help2man)
# What tools/check --all needs in addition to these.
check_packages=(
  clang clang-format doxygen furo libbenchmark-dev libclang-rt-14-dev
  python3-breathe python3-sphinx
  "${package_packages[@]}" lintian mmdebstrap
)

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "This needs root, or sudo, to run: $*" >&2
    return 1
  fi
}

# install_packages <package>...: installs those that are missing.
install_packages() {
  local missing=() package
  for package; do
    if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null \
        | grep -qx installed; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then
    return
  fi
  echo "Installing ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq
             -o DPkg::Lock::Timeout=300)
  # One source of several may be out of reach; the packages may be there.
  as_root "${apt[@]}" update < /dev/null \
    || echo "apt-get update failed; going on with the lists at hand" >&2
  as_root "${apt[@]}" install --no-install-recommends -y "${missing[@]}" \
    < /dev/null > /dev/null
}

# configure <build folder> <option>...: anew, as the folder may have been
# configured with other options, or before the checkout was moved. With the CAF
# whose prefix ROSIA_CAF is, if it is set.
configure() {
  mkdir -p "$1"
  cmake --fresh -S "$source_dir" -B "$1" -G Ninja \
    ${ROSIA_CAF:+"-DCAF_ROOT=$ROSIA_CAF"} "${@:2}" > "$1.log" 2>&1 || {
    cat "$1.log"
    return 1
  }
}

# build <build folder> <target>...: goes on after an error, to show all of them.
build() {
  ninja -C "$1" -j "$jobs" -k 0 --quiet "${@:2}"
}
