#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Tests rosia-certs from end to end. The argument is the folder of the tools, in
# place of the examples.

source "$(dirname -- "${BASH_SOURCE[0]}")/../examples/common.sh" "$1" "$1"

# one_line: checks that stderr has one line, and stdout is empty.
one_line() {
  [ "$(wc -l < err)" = 1 ] || fail "$(wc -l < err) lines on stderr"
  [ -s out ] && fail "something on stdout"
}

# has_mode <mode> <file>
has_mode() {
  [ "$(stat -c %a -- "$2")" = "$1" ] || fail "$2 has mode $(stat -c %a -- "$2")"
}

check_host() {
  run 0 rosia-certs check --certificate="$1/certificate.pem" \
    --key="$1/key.pem" --ca="$1/ca.pem"
  says out "The files are good."
}

# A CA, and hosts.
run 0 rosia-certs ca --directory=certs --name="Test CA" --days=100
says out "Wrote certs/ca.pem, valid until "
says out "Wrote certs/ca-key.pem. Keep it secret"
has_mode 700 certs
has_mode 600 certs/ca-key.pem
run 0 rosia-certs host alpha 10.0.0.1 --directory=certs --hosts=localhost,::1
for host in alpha 10.0.0.1; do
  says out "Wrote certs/$host, valid until "
  says out "Copy it to $host, and start each process there with"
done
for option in certificate key ca; do
  says out "  --rosia.tls.$option=FOLDER/$option.pem"
done
for host in alpha 10.0.0.1; do
  has_mode 700 "certs/$host"
  has_mode 600 "certs/$host/key.pem"
  check_host "certs/$host"
  says out "certificate: CN=$host, issued by CN=Test CA, valid from "
  says out "ca: CN=Test CA, issued by CN=Test CA, valid from "
  cmp certs/ca.pem "certs/$host/ca.pem" || fail "another CA for $host"
done
[ -e certs/alpha/ca-key.pem ] && fail "the CA's key is for the CA only"

# Nothing is overwritten by default.
cp -r certs before
run 1 rosia-certs ca --directory=certs
one_line
says err "rosia-certs: cannot write 'certs/ca.pem': File exists"
run 1 rosia-certs host alpha --directory=certs
one_line
says err "cannot write 'certs/alpha/certificate.pem': File exists; --force replaces the files"
diff -r before certs || fail "something was overwritten"
run 0 rosia-certs host alpha --directory=certs --force
check_host certs/alpha
cmp -s before/alpha/key.pem certs/alpha/key.pem && fail "the key is still there"
run 0 rosia-certs ca --directory=certs --force
run 1 rosia-certs check --certificate=certs/alpha/certificate.pem \
  --key=certs/alpha/key.pem --ca=certs/ca.pem
one_line
says err "rosia-certs: rosia.tls.certificate: certs/alpha/certificate.pem: "
says err "was not issued by a CA in certs/ca.pem, but by CN=Test CA; "

# A failed command leaves no files.
run 1 rosia-certs host gamma --hosts='a b' --directory=certs
one_line
says err "'a b' is neither a host name nor an IP address"
[ -e certs/gamma ] && fail "certs/gamma is there"
run 1 rosia-certs host ../outside --directory=certs
one_line
[ -e outside ] && fail "it wrote outside of its folder"
run 1 rosia-certs host alpha --directory=nowhere
one_line
says err "rosia-certs: nowhere/ca.pem: cannot be read: No such file or directory"
run 1 rosia-certs ca --directory=no/where
one_line
says err "cannot make the folder 'no/where': No such file or directory"

# The command line.
for command in "" nothing "ca --what" "ca rest" host "ca --days=0" \
  "ca --days=x" "host alpha --days=36501" check \
  "check --certificate=a --key=b --ca=c rest"; do
  # shellcheck disable=SC2086
  run 2 rosia-certs $command
  one_line
  says err "; try rosia-certs --help"
done
run 2 rosia-certs nothing
says err "rosia-certs: unknown command 'nothing'; known are 'ca', 'check', 'host'; "
for command in "" ca host check; do
  # shellcheck disable=SC2086
  run 0 rosia-certs $command --help
  says out "Usage: rosia-certs $command"
done
run 0 rosia-certs --version
says out "rosia-certs "

# Without standard streams, output is dropped.
"$tools/rosia-certs" ca --directory=closed <&- >&- 2>&- \
  || fail "rosia-certs failed without standard streams"
run 0 rosia-certs host beta --directory=closed

finish
