#!/bin/bash
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# Starts the program, reads its page, and ends it there.
python3 - "$examples/live_page" <<'EOF' || fail "the page, or its end"
import json, re, subprocess, sys, time, urllib.request

program = subprocess.Popen(
    [sys.argv[1], "--rosia.watch.address=127.0.0.1:0", "--rosia.watch.control=true"],
    stderr=subprocess.PIPE, text=True)
try:
    url = None
    for line in program.stderr:
        if found := re.search(r"the live page is at (\S+)", line):
            url = found.group(1)
            break

    def ask(path, data=None):
        with urllib.request.urlopen(url + path, data) as answer:
            return answer.read().decode()

    assert "<title>Rosia</title>" in ask("")
    # The page may be ready before the program's participants are registered.
    source = None
    end = time.monotonic() + 60
    while time.monotonic() < end:
        source = next(iter(json.loads(ask("state.json"))["sources"]), None)
        names = {x["name"] for x in source["parts"]} if source else set()
        if names == {"store", "save the store"}:
            break
    assert names == {"store", "save the store"}, source
    assert source["stage"] == "running", source
    assert 'rosia_shutdown_stage{shutdown="1",stage="running"} 1' in ask("metrics")
    ask("control/end", b"")
    rest = program.stderr.read()
    assert program.wait() == 0, rest
    assert "a request by the live page: the system shuts down" in rest, rest
finally:
    program.kill()
EOF

finish
