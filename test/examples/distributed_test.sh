#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# same <title>: checks that the output of the last run, without the processes'
# names and in any order, equals the output of one process, with nothing on
# stderr.
same() {
  sed 's/^\[[a-z]*\] //' out | sort > sorted
  diff -u one sorted || fail "$1 printed something else"
  diff -u /dev/null err || fail "$1 printed something on stderr"
}

run 0 distributed --rosia.realtime=false
sort out > one
says one "detector: 440ms: picture 12: seen at 29, motor at 35"
says one "motor: 0s: to 10"
says one "lamp: 80ms: on"
[ "$(wc -l < one)" = 27 ] || fail "not 27 lines in one process"

# Each node runs in its configured process.
over_processes() {
  run 0 distributed --rosia.processes=vision,motion "$@"
  same "three processes $*"
  grep -v -e '^\[vision\] detector' -e '^\[motion\] motor' \
    -e '^\[motion\] lamp' out && fail "a node runs elsewhere"
}

over_processes
over_processes --rosia.network.insecure
for threads in 1 4; do
  over_processes --rosia.realtime=false --${caf}scheduler.max-threads=$threads
done
over_processes --rosia.realtime=false --rosia.max_in_flight=1

# The merged traces of all processes equal the trace of one process.
run 0 distributed --rosia.realtime=false --rosia.trace=one.jsonl
over_processes --rosia.realtime=false --rosia.trace=trace.jsonl
rosia_trace() {
  "$tools/rosia-trace" "$@" > said 2>&1 || {
    fail "rosia-trace $*"
    cat said
  }
}
rosia_trace merge trace.jsonl.coordinator trace.jsonl.vision \
  trace.jsonl.motion -o merged.jsonl
rosia_trace check merged.jsonl
rosia_trace diff one.jsonl merged.jsonl

# So do the recordings of all processes, which are in one folder.
record=(--rosia.realtime=false --rosia.record.ports='*.*')
run 0 distributed "${record[@]}" --rosia.record.file=one.db
over_processes "${record[@]}" --rosia.record.file=run.db
printf '%s\n' run.db.coordinator run.db.motion run.db.vision > expected
ls run.db* | diff -u expected - || fail "other files were recorded"
for port in camera.output detector.turn detector.light motor.position lamp.light; do
  rosia_trace values one.db "$port"
  mv said values
  rosia_trace values run.db "$port"
  diff -u values said || fail "other values of $port were recorded"
done
rosia_trace export one.db -o one.csv
rosia_trace export run.db -o run.csv
diff -u <(cut -d , -f 2- one.csv | sort) <(cut -d , -f 2- run.csv | sort) ||
  fail "other tables were recorded"
rosia_trace verify run.db
says said "4 nodes"
over_processes --rosia.realtime=false --rosia.replay=one.db
run 0 distributed --rosia.realtime=false --rosia.replay=run.db
same "a replay of three processes in one"
mv run.db.motion motion
run 1 distributed --rosia.replay=run.db
says err "the recording of process 'motion' is missing: copy its file"

# Every process is started separately, with certificates.
pids=()
if [ -x "$tools/rosia-certs" ]; then
  "$tools/rosia-certs" ca --directory=certs > /dev/null || fail "no CA"
  "$tools/rosia-certs" host alpha beta --directory=certs > /dev/null ||
    fail "no certificates"
  tls() {
    echo "--rosia.tls.certificate=certs/$1/certificate.pem" \
      "--rosia.tls.key=certs/$1/key.pem --rosia.tls.ca=certs/$1/ca.pem"
  }
  port=$(python3 "$(dirname -- "${BASH_SOURCE[0]}")/../distributed/free_port.py")
  # shellcheck disable=SC2046
  for name in vision motion; do
    timeout 60 "$examples/distributed" --rosia.realtime=false \
      --rosia.network.join="127.0.0.1:$port" --rosia.network.process=$name $(tls beta) \
      > "$name.out" 2> "$name.err" < /dev/null &
    pids[${#pids[@]}]=$!
  done
  # shellcheck disable=SC2046
  run 0 distributed --rosia.realtime=false --rosia.network.listen="127.0.0.1:$port" \
    --rosia.network.expect=vision,motion $(tls alpha)
  says err "waiting for vision,motion at 127.0.0.1:$port"
  for pid in "${pids[@]}"; do
    wait "$pid" || fail "a process ended with status $?"
  done
  cat vision.out motion.out > out
  cat vision.err motion.err > err
  same "processes with certificates"
fi

finish
