# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Sourced by the tests of the small examples, whose arguments are the folder of
# the examples' programs and the folder of the tools.

set -u
export LC_ALL=C.UTF-8

examples=$(realpath -- "$1")
tools=$(realpath -- "$2")

# The prefix of CAF's options: "caf." since CAF 1.
caf=${ROSIA_CAF_GROUP:-}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# run <status> <example> <argument>...: runs an example, which must exit with
# the status; its output is in out and err.
run() {
  local expected=$1 name=$2 status
  shift 2
  timeout 60 "$examples/$name" "$@" > out 2> err < /dev/null
  status=$?
  if [ "$status" != "$expected" ]; then
    fail "$name $* ended with $status instead of $expected"
    cat out err
  fi
}

# prints <example> <argument>...: runs an example, whose output must equal
# stdin, with nothing on stderr.
prints() {
  cat > expected
  run 0 "$@"
  diff -u expected out || fail "$* printed something else"
  diff -u /dev/null err || fail "$* printed something on stderr"
}

# traces <example> <argument>...: checks that a run breaks no rule of logical
# time.
traces() {
  run 0 "$@" --rosia.trace=trace.jsonl
  "$tools/rosia-trace" check trace.jsonl > check 2>&1 || {
    fail "the trace of $* breaks a rule"
    cat check
  }
}

# says <file> <text>
says() {
  grep -qF -- "$2" "$1" || {
    fail "no '$2' in $1:"
    cat -- "$1"
  }
}

finish() {
  if [ "$failures" = 0 ]; then
    echo "passed"
  fi
  exit "$((failures != 0))"
}
