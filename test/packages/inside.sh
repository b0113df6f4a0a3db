#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Runs the installed tools, and builds and runs the projects beside it, which
# find the library by CMake and by pkg-config. run.sh executes it in the root
# where the packages are installed.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

echo "= CMake's package"
for project in project shutdown; do
  cmake -S $project -B build/$project -G Ninja > cmake.log || {
    cat cmake.log
    exit 1
  }
  ninja -C build/$project --quiet
done
build/project/consumer
build/project/names
build/shutdown/stopper

echo "= pkg-config"
read -ra flags <<< "$(pkg-config --cflags --libs caf_rosia)"
g++ -std=c++20 hello.cpp -o hello "${flags[@]}"
./hello --rosia.realtime=false --rosia.trace=hello.trace
read -ra flags <<< "$(pkg-config --cflags --libs caf_rosia_shutdown)"
g++ -std=c++20 shutdown/main.cpp -o stopper "${flags[@]}"
./stopper

echo "= a new project"
rosia-new robot
robot/ci > ci.log || {
  cat ci.log
  exit 1
}
cmake --install robot/build/ci --prefix installed
installed/bin/robot --rosia.realtime=false --rosia.stop_after=1s

echo "= the tools"
rosia-trace check --quiet hello.trace
rosia-trace summary hello.trace
rosia-trace plot hello.trace --output=plot.html
rosia-certs ca
rosia-certs host localhost
rosia-certs check --certificate=localhost/certificate.pem \
  --key=localhost/key.pem --ca=localhost/ca.pem
rosia-drill explain > drills.txt

# Each tool and each of its commands has a page.
for tool in rosia-certs rosia-drill rosia-new rosia-trace; do
  commands=$("$tool" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
  for command in "" $commands; do
    page=$tool${command:+-$command}
    man "$page" > page.txt
    grep -q "^${page^^}(1)" page.txt
    whatis "$page"
  done
done
