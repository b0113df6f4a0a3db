# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Sourced by the scripts in tools/: packages, folders and time.

set -euo pipefail
export LC_ALL=C.UTF-8

source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${ROSIA_JOBS:-$(nproc)}

# Packages for building the library, the examples and rosia-trace.
build_packages=(
  clang cmake libboost-dev libboost-program-options-dev libcaf-dev libspdlog-dev
  libsqlite3-dev libssl-dev ninja-build prometheus-cpp-dev rapidjson-dev
)
# Additional packages for the tests.
test_packages=(
  catch2 chromium chromium-driver gcc graphviz iproute2 openssl pkg-config
  prometheus python3 python3-selenium spin
)
# Packages for making packages, in addition to build_packages.
package_packages=(dpkg-dev file help2man)
# Additional packages for tools/check --all.
check_packages=(
  clang-format doxygen furo g++ libbenchmark-dev libclang-rt-14-dev
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

# install_packages <package>...: installs missing packages.
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
  # One of several sources may be unreachable; the packages may still be
  # available.
  as_root "${apt[@]}" update < /dev/null \
    || echo "apt-get update failed; continuing with the lists at hand" >&2
  as_root "${apt[@]}" install --no-install-recommends -y "${missing[@]}" \
    < /dev/null > /dev/null
}

# configure <build folder> <option>...: configures from scratch, because the
# folder may have different options, or the checkout may have been moved. Uses
# the CAF with the prefix ROSIA_CAF, if set.
configure() {
  mkdir -p "$1"
  cmake --fresh -S "$source_dir" -B "$1" -G Ninja \
    ${ROSIA_CAF:+"-DCAF_ROOT=$ROSIA_CAF"} "${@:2}" > "$1.log" 2>&1 || {
    cat "$1.log"
    return 1
  }
}

# build <build folder> <target>...: continues after an error, to show all
# errors.
build() {
  NINJA_STATUS=$'\x01%f %t ' ninja -C "$1" -j "$jobs" -k 0 "${@:2}" \
    | show_progress "$@"
}

# work_of_steps <build folder> <target>...: prints the work and the output of
# each step. The unit of work is a byte of source code: compilers take about as
# long for each, and other steps take little.
work_of_steps() {
  ninja -C "$1" -t commands "${@:2}" | awk '
    function size(file,    line, sum, part) {
      while ((getline line < file) > 0) {
        sum += length(line) + 1
        if (file ~ /\/Unity\// && split(line, part, "\"") == 3)
          sum += size(part[2])
      }
      close(file)
      return sum
    }
    $(NF - 1) != "-c" { print 1500, "-"; next }
    { print $(NF - 2) ~ /[.]pch$/ ? 25000 : 8000 + size($NF), $(NF - 2) }'
}

# show_progress <build folder> <target>...: replaces ninja's status lines, in
# the form set by build(), by the progress: on a terminal in one line, otherwise
# in a line for each tenth. Prints errors and warnings unchanged.
show_progress() {
  local -A work=()
  local output bytes line finished total tenth=0 start=$SECONDS seconds text
  local all=0 ready=0 left
  while read -r bytes output; do
    # An interrupted build has done it.
    if [ -e "$1/$output" ]; then
      bytes=0
    fi
    work[$output]=$bytes
    all=$((all + bytes))
  done < <(work_of_steps "$@")
  while IFS= read -r line; do
    if ! [[ $line =~ ^$'\x01'([0-9]+)\ ([0-9]+)\ (.*\ )?(.*)$ ]]; then
      [[ $line == "ninja: Entering directory"* ]] || printf '%s\n' "$line"
      continue
    fi
    finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    output=${BASH_REMATCH[4]:--}
    bytes=${work[$output]:-${work[-]:-0}}
    ready=$((ready + bytes))
    # It is done again, and which others will be is unknown.
    if ((bytes == 0)); then
      all=0
    fi
    seconds=$((SECONDS - start))
    text="  $finished of $total steps, $seconds s"
    left=$((all - ready))
    if ((finished < total && ready > 0 && left > 0)); then
      text+=", about $((seconds * left / ready)) s left"
    fi
    if [ -t 1 ]; then
      printf '\r\033[K%s' "$text"
    elif ((finished * 10 / total > tenth)); then
      tenth=$((finished * 10 / total))
      echo "$text"
    fi
  done
  if [ -t 1 ]; then
    echo
  fi
}
