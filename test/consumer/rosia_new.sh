#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# rosia-new of an installation: refuses wrong names and existing folders, and
# makes a project that builds, passes its tests, and runs as its unit says.
#
# usage: rosia_new.sh <prefix> <cmake> <c++ compiler>

set -euo pipefail
prefix=$1
cmake=$2
export CXX=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
  echo "$*" >&2
  exit 1
}

# expect <status> <text> <argument>...: runs rosia-new, which must end with this
# status and print the text.
expect() {
  local wanted=$1 text=$2 status=0
  shift 2
  "$prefix/bin/rosia-new" "$@" > output 2>&1 || status=$?
  if [ $status != "$wanted" ] || ! grep -qF -- "$text" output; then
    cat output
    fail "'rosia-new $*' ends with status $status instead of $wanted," \
      "or does not say: $text"
  fi
}

echo "== wrong names and folders"
expect 0 "Usage: rosia-new [OPTION...] NAME" --help
expect 0 "Usage: rosia-new [OPTION...] NAME" -h
expect 0 "rosia-new " --version
expect 2 "the name of the project is missing; try rosia-new --help"
expect 2 "unknown option '--nam'" --nam
expect 2 "unexpected argument 'robot'" my robot
expect 2 "invalid name 'my robot': a name has" "my robot"
expect 2 "(such as 'my-robot')" "my robot"
expect 2 "(such as 'robot')" 1robot
for name in "" . .. robot_ röbot robot/.x 'a;b' "../a'b" -; do
  expect 2 "" "$name"
done
expect 2 "invalid name 'test': CMake reserves it" test
expect 2 "more than 64 characters" "$(printf 'x%.0s' {1..65})"
expect 1 "there is no folder 'missing'; make it first" missing/robot
mkdir full
touch full/file a_file
ln -s full a_link
for name in full a_file a_link; do
  expect 1 "'$name' exists, and is not an empty folder" $name
done
rm -r output full a_file a_link
[ -z "$(ls -A)" ] || fail "it left: $(ls -A)"

echo "== a new project"
mkdir "my projects" "my projects/Robo_arm-2"
expect 0 "Made the project 'Robo_arm-2'" "my projects/Robo_arm-2/"
project="$tmp/my projects/Robo_arm-2"
[ "$(ls -A "my projects")" = Robo_arm-2 ] || fail "it left more"
if grep -rn 'project.name\|project-tag' "$project" \
  || find "$project" | grep 'project-name'; then
  fail "the name is not filled in everywhere"
fi
grep -qF 'docker build --tag robo-arm-2 .' "$project/README.md"

# Without optimization, which takes less time.
ci() {
  PATH=$(dirname "$cmake"):$PATH CMAKE_PREFIX_PATH=$prefix "$project/ci" \
    -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_INSTALL_PREFIX="$tmp/usr"
}
ci
"$cmake" --install "$project/build/ci"
program=$tmp/usr/bin/Robo_arm-2

echo "== a test that fails"
cp "$project/CMakeLists.txt" saved
echo 'add_test(NAME broken COMMAND false)' >> "$project/CMakeLists.txt"
if ci > output; then
  cat output
  fail "ci succeeds although a test fails"
fi
grep -q 'broken.*Failed' output
mv saved "$project/CMakeLists.txt"

echo "== the service"
unit=$tmp/usr/lib/systemd/system/Robo_arm-2.service
if command -v systemd-analyze > /dev/null; then
  sed "s,^ExecStart=,&$tmp/usr/bin/," "$unit" > Robo_arm-2.service
  systemd-analyze verify --recursive-errors=no "$tmp/Robo_arm-2.service"
fi
# Its command, with the folder of its state.
mkdir -p state/Robo_arm-2
read -ra command <<< "$(sed -e ':next; /\\$/{N; s/\\\n//; b next}' "$unit" \
  | sed -n "s,%S,state,g; s/^ExecStart=Robo_arm-2 //p")"
# terminate: runs the program up to its first tick, whose line is then in `line`.
# SIGTERM must end it with status 0.
terminate() {
  local output status=0
  exec {output}< <(exec "$program" "${command[@]}" 2>&1)
  while read -r line <&"$output" && [[ $line != *"count: tick "* ]]; do
    echo "$line"
  done
  echo "$line"
  kill -TERM $!
  cat <&"$output"
  wait $! || status=$?
  [ $status = 0 ] || fail "SIGTERM ends it with status $status"
}
terminate
[[ $line == *"tick 1 at 0s" ]] || fail "it does not begin with tick 1"
terminate
[[ $line != *"tick 1 "* ]] || fail "it does not continue from the checkpoint"

echo "== the image"
mkdir "$project/packages"
touch "$project/packages/libcaf-rosia"{0,-dev}_1_amd64.deb
copied=0
while read -ra files; do
  for file in "${files[@]:0:${#files[@]}-1}"; do
    compgen -G "$project/$file" > /dev/null \
      || fail "the Dockerfile copies '$file', which does not exist"
    copied=$((copied + 1))
  done
done < <(sed -n '/--from/!s/^COPY //p' "$project/Dockerfile")
[ $copied = 3 ] || fail "the Dockerfile copies $copied files"
grep -qF 'COPY --from=build /installed/usr/local/bin/Robo_arm-2 ' \
  "$project/Dockerfile"
grep -qF 'ENTRYPOINT ["/usr/local/bin/Robo_arm-2"]' "$project/Dockerfile"
