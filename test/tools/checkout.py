# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""A made-up checkout, for the tests of tools that check the sources.

A test that imports this takes the tool as its first argument.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-B", TOOL, *arguments],
        capture_output=True, text=True, check=False)


class Checkout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "libcaf_rosia/src").mkdir(parents=True)

    def write(self, path, content):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def expect(self, *lines):
        result = run(str(self.root))
        self.assertEqual(result.stdout.splitlines(), list(lines))
        self.assertEqual(result.returncode, 1 if lines else 0, result.stderr)
