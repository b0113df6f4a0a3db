# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests that the merged traces of several processes equal that of one, and how
tools print what is in files."""

import contextlib
import os
import sqlite3
import subprocess
import unittest

import launch


class Traces(launch.Case):
    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, *arguments):
        done = subprocess.run(
            [launch.TRACE, *arguments], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, f"{arguments}: {done}")
        return done.stdout

    def compare(self, seed, *arguments):
        arguments = [f"--test.seed={seed}", *arguments]
        one = self.path(f"one.{seed}")
        three = self.path(f"three.{seed}")
        merged = self.path(f"merged.{seed}")
        names = ["coordinator", "p1", "p2", "p3"]
        runs = [
            self.start(f"--rosia.trace={one}", *arguments),
            self.start_local(f"--rosia.trace={three}", *arguments, processes=3),
        ]
        for run in runs:
            self.check_end(run, 0)
        with open(merged, "w", encoding="utf-8") as file:
            file.write(self.tool("merge", *(f"{three}.{name}" for name in names)))
        self.tool("check", merged)
        self.tool("diff", one, merged)

    def test_ten_seeds_as_fast_as_possible(self):
        for seed in range(1, 11):
            with self.subTest(seed):
                self.compare(seed, "--rosia.realtime=false", "--test.rounds=50")

    def test_two_seeds_in_real_time(self):
        for seed in (11, 12):
            with self.subTest(seed):
                self.compare(seed, "--test.rounds=50")

    def test_names_in_files_cannot_control_a_terminal(self):
        file = self.path("run")
        self.check_end(
            self.start(f"--rosia.record.file={file}", "--rosia.realtime=false"), 0
        )
        with contextlib.closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE node SET name = char(27) || '[2J' || name")
            database.execute("UPDATE run SET process = char(27) || '[2J'")
        listing = self.tool("info", file)
        self.assertIn("\\x1b[2J", listing)
        self.assertNotIn("\x1b", listing)
        refused = subprocess.run(
            [launch.TRACE, "info", self.path("\x1b[2J")], capture_output=True, check=False
        )
        self.assertIn(b"\\x1b[2J", refused.stderr)
        self.assertNotIn(b"\x1b", refused.stderr)


if __name__ == "__main__":
    unittest.main()
