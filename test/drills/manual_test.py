#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Checks that the tables of the manual's chapter on drills are complete.

rosia-drill, whose path is ROSIA_DRILL_TOOL, lists the expected content.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["ROSIA_DRILL_TOOL"]
CHAPTER = Path(__file__).resolve().parent.parent.parent / "manual/drills.rst"


def run(*arguments):
    return subprocess.run(
        [TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False, text=True, timeout=60)


def explained(title):
    """Returns the entries of a section of `rosia-drill explain`."""
    parts = re.split(r"^(\w+).*:$", run("explain").stdout, flags=re.MULTILINE)
    entries = re.findall(r"^  (\S.*)$", parts[parts.index(title) + 1], re.MULTILINE)
    assert entries, title
    return entries


def table(header):
    """Returns the cells of a table's first column, without its header."""
    text = CHAPTER.read_text(encoding="utf-8")
    below = text.split(f"   * - {header}\n")[1]
    below = re.split(r"^\S", below, flags=re.MULTILINE)[0]
    rows = re.split(r"^   \* - ", below, flags=re.MULTILINE)[1:]
    return [re.split(r"^     - ", row, flags=re.MULTILINE) for row in rows]


def literals(text):
    return re.findall(r"``(.+?)``", text)


def words(form):
    """Returns the literal words of a form."""
    form = re.sub(r"\[.*?\]", "", form)
    return " ".join(x for x in form.split() if not x.isupper())


class ManualTest(unittest.TestCase):
    def test_faults_with_their_words(self):
        described = {
            literals(cells[0])[0]: set(literals(cells[1].replace("no ``when``", "")))
            for cells in table("Kind")
        }
        actual = {}
        for entry in explained("Faults"):
            kind, *others = entry.split()
            keys = {re.match(r"\[?(\w+)", x)[1] for x in others}
            actual[kind] = keys - {"when", "optional"}
        self.assertEqual(described, actual)

    def test_injection_points(self):
        described = {literals(cells[0])[0] for cells in table("Step")}
        described |= {
            re.split("[:, ]", x)[0]
            for cells in table("Injection point")
            for x in literals(cells[0])[:1]
            if x[0].islower()
        }
        actual = {re.match(r"\w+", x)[0] for x in explained("Injection")}
        self.assertEqual(described, actual - {"RANGE"})

    def test_expectations(self):
        described = {words(literals(cells[0])[0]) for cells in table("Expectation")}
        self.assertEqual(described, {words(x) for x in explained("Expectations")})

    def test_keys(self):
        described = {x for cells in table("Key") for x in literals(cells[0])}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "wrong.ini")
            file.write_text("[drill]\nwrong = x\n", encoding="utf-8")
            message = run("explain", str(file)).stdout
        names = re.search(r"unknown key 'wrong'; known are ([^;\n]*)", message)[1]
        self.assertEqual(described, {x.strip("'") for x in names.split(", ")})


if __name__ == "__main__":
    unittest.main()
