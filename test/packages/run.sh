#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Checks packages with lintian, and installs them in a fresh Debian, where it
# builds and runs programs with them. After their removal, no file may remain.
# Needs root; the surrounding system does not change.
#
# usage: run.sh <folder with packages>

set -euo pipefail
folder=$(cd -- "$1" && pwd)
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
umask 022

if [ "$(id -u)" != 0 ]; then
  echo "The packages are installed in a root of their own, which needs root" >&2
  exit 1
fi

# sources: prints the Debian sources of this machine, in the format of
# sources.list.
sources() {
  # shellcheck disable=SC2016 # apt replaces these names itself.
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u
}

work=$(mktemp -d "$folder/test.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
release=$(. /etc/os-release && echo "$VERSION_CODENAME")

sources > "$work/sources.list"
if ! [ -s "$work/sources.list" ]; then
  apt-get -qq update < /dev/null
  sources > "$work/sources.list"
fi
if ! [ -s "$work/sources.list" ]; then
  echo "apt's sources on this machine name no Debian to install from:" \
    "see apt-get indextargets" >&2
  exit 1
fi
# The settings with which apt reaches them.
apt-config dump | grep '^Acquire::https\?::' > "$work/apt.conf" || true

# The packages' dependencies are not named here, so that a missing dependency is
# detected. Meanwhile lintian runs.
mmdebstrap --quiet --mode=root --variant=minbase --skip=cleanup/apt/lists \
  --include=cmake,g++,man-db,ninja-build,pkg-config \
  --dpkgopt=force-unsafe-io --aptopt="$work/apt.conf" \
  "$release" "$root" "$work/sources.list" > "$work/root.log" 2>&1 < /dev/null &
fresh=$!

packages=("$folder"/*.deb)
for package in "${packages[@]}"; do
  echo "== $(basename "$package")"
  dpkg-deb --field "$package" Depends Suggests
done
echo "== lintian"
# Authors of published packages set DEBFULLNAME and DEBEMAIL.
whose_address=bogus-mail-host,bogus-mail-host-in-debian-changelog
lintian --allow-root --suppress-tags=$whose_address \
  --fail-on=error,warning "${packages[@]}"

wait $fresh || {
  cat "$work/root.log"
  echo "mmdebstrap has not made a fresh Debian" >&2
  exit 1
}
cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/rosia"
cp "${packages[@]}" "$here/inside.sh" "$root/rosia"
cp -r "$here/../consumer/project" "$here/../consumer/shutdown" \
  "$here/../../examples/hello.cpp" "$root/rosia"

in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@" < /dev/null
}

# files: lists all files, without those that apt and dpkg create for any
# package.
files() {
  find "$root" -mindepth 1 \( -path "$root/rosia" -o -path "$root/tmp" \
    -o -path "$root/proc" -o -path "$root/sys" -o -path "$root/dev" \
    -o -path "$root/var/cache" -o -path "$root/var/log" \
    -o -path "$root/var/lib/apt" -o -path "$root/var/lib/dpkg/*-old" \) -prune \
    -o -printf '%M %u:%g %P -> %l\n' | LC_ALL=C sort
}

# apt_get <argument>...: prints nothing unless it fails.
apt_get() {
  in_root apt-get -qq -y "$@" > "$work/apt.log" 2>&1 || {
    cat "$work/apt.log"
    return 1
  }
}

files > "$work/before"
echo "== installed, and used"
apt_get install --no-install-recommends \
  "${packages[@]/#*\///rosia/}"
in_root bash /rosia/inside.sh
echo "== removed"
apt_get purge --autoremove libcaf-rosia0
files > "$work/after"
if ! diff -u "$work/before" "$work/after"; then
  echo "These files remained, or changed, after the packages were removed" >&2
  exit 1
fi
echo "Nothing remains"
