# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Usage: integrity.py FILE: checks a database with SQLite's own functions."""

import sqlite3
import sys

result = sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()
if result != ("ok",):
    sys.exit(f"{sys.argv[1]}: {result}")
