# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Checks that compilers report mistakes with the library's messages.

usage: rejected.py <file of mistakes> <compiler> -- <options of the compiler>

In the file, a comment "//: text" has the message about the mistake below it.
All of them are compiled at once, by this compiler, and by g++ and clang++ if
installed. Each message must be reported, and no other error. So a user who makes
a single mistake sees it first."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ERROR = re.compile(
    r"\berror: (?:static assertion failed(?: due to requirement '.*')?: "
    r"|static_assert failed due to requirement '.*' )(.*)$",
    re.MULTILINE,
)
ANY_ERROR = re.compile(r"^.*\berror: .*$", re.MULTILINE)


def compilers(first):
    seen = set()
    for name in (first, "g++", "clang++"):
        path = shutil.which(name)
        # `c++` is one of these compilers.
        if path and Path(path).resolve() not in seen:
            seen.add(Path(path).resolve())
            yield path


def check(compiler, file, options, expected):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", *options, file]
    if "clang" in Path(compiler).resolve().name:
        command.insert(1, "-ferror-limit=0")
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = result.stdout.decode("utf-8")
    said = Counter(x.strip('"') for x in ERROR.findall(output))
    wanted = Counter(expected)
    problems = [f"does not say: {x}" for x in (wanted - said).elements()]
    problems += [f"says: {x}" for x in (said - wanted).elements()]
    problems += [
        f"says: {x}" for x in ANY_ERROR.findall(output) if not ERROR.search(x)
    ]
    print(f"{compiler}: {len(expected)} mistakes, {len(problems)} problems")
    for x in problems:
        print("  " + x)
    if problems:
        print(output)
    return not problems


def main():
    split = sys.argv.index("--")
    file, first = sys.argv[1:split]
    text = Path(file).read_text(encoding="utf-8")
    # A long text continues on the next line.
    text = re.sub(r"\n//:  +", " ", text)
    expected = re.findall(r"^//: (.*)$", text, re.M)
    if not expected:
        sys.exit("there are no mistakes")
    results = [
        check(x, file, sys.argv[split + 1 :], expected)
        for x in compilers(first)
    ]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
