# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Checks that tools/prose counts phrases in comments, literals and texts, and nowhere
else.

usage: prose_test.py <tools/prose>
"""

import unittest

from checkout import Checkout, run

# One phrase with a limit of 0, and one without a limit. In two parts, because
# tools/prose counts literals.
PHRASES = "No" + "body reads it, too."


class Prose(Checkout):
    def run_tool(self, *arguments):
        return run(*arguments, str(self.root))

    def test_phrases_are_found_in_each_kind_of_file(self):
        for path, content in {
            "libcaf_rosia/src/a.cpp": f"int a; // {PHRASES}\n",
            "libcaf_rosia/src/b.hpp": f"/// Returns b.\n/// {PHRASES}\nint b();\n",
            "libcaf_rosia/src/d.cpp": f'auto d = "a text: "\n  "{PHRASES}";\n',
            "libcaf_rosia/src/e.cpp": f'auto e = R"(\n{PHRASES})";\n',
            "libcaf_rosia/src/watch/page/f.js": f"const f = `${{x}} {PHRASES}`;\n",
            "tools/c": f"# {PHRASES}\n",
            "tools/g": f"#!/bin/bash\necho '{PHRASES}'\n",
            "test/h.py": f"h = (f'{{x}} '\n     '{PHRASES}')\n",
            "test/d.py": f'"""{PHRASES}"""\n',
            "test/CMakeLists.txt": f"# {PHRASES}\n",
            "manual/e.rst": f"Title\n=====\n\nA text. {PHRASES}\n",
            "examples/f/README.md": f"- {PHRASES}\n",
        }.items():
            self.write(path, content)
            with self.subTest(path):
                result = self.run_tool("--list", "nobody")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(path + ":", result.stdout)
                result = self.run_tool()
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertRegex(result.stdout, "nobody +1 .*EXCEEDED")
            (self.root / path).unlink()

    def test_adjacent_literals_are_one_text(self):
        last = '"body"'
        self.write("libcaf_rosia/src/a.cpp", f'auto a = "a text for no"\n  {last};\n')
        self.assertEqual(self.run_tool().returncode, 1)
        self.write("libcaf_rosia/src/a.cpp", f'auto a = "a text for no", b = {last};\n')
        self.assertEqual(self.run_tool().returncode, 0)

    def test_code_keys_and_examples_are_not_counted(self):
        self.write("libcaf_rosia/src/a.cpp", 'auto Nobody = "nobody"; // Fine.\n')
        self.write("tools/d.ini", f"x = '{PHRASES}'\n")
        self.write("manual/e.rst", f"A text::\n\n   {PHRASES}\n\n``{PHRASES}`` is quoted.\n")
        result = self.run_tool()
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_phrase_without_a_limit_is_counted_only(self):
        self.write("tools/c", "# It reads it, too.\n")
        result = self.run_tool()
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, "too +1 ")

    def test_mistakes(self):
        for arguments in (["--list", "nothing"], ["--unknown"]):
            self.assertEqual(self.run_tool(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
