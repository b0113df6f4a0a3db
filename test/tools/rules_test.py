# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Checks that tools/rules finds rules without code, test or check of traces.

usage: rules_test.py <tools/rules>
"""

import unittest

from checkout import Checkout, run

SEMANTICS = """
- **[1.1]** A tag is a time.
- **[1.2] Saturation.** Sums saturate.

   * - Rules
     - Why it does not check them
   * - 1.2
     - They say how to compute.
"""


class Rules(Checkout):
    def setUp(self):
        super().setUp()
        self.write("manual/semantics.rst", SEMANTICS)
        self.write("libcaf_rosia/src/a.hpp", "/// Adds [1.1, 1.2].\n")
        self.write("test/a.cpp", 'TEST_CASE("1.1 a tag", "[a]") {}\n'
                                 'TEST_CASE(\n  "1.2 a sum", "[a]") {}\n')
        self.write("tools/rosia_trace/rule.cpp", '  {"tags", "[1.1]"},\n')

    def test_this_checkout_keeps_the_rules(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_rule_has_code_a_test_and_a_check_or_a_reason(self):
        self.expect()

    def test_a_rule_without_code_is_named(self):
        self.write("libcaf_rosia/src/a.hpp", "/// Adds [1.1]. See 1.2.\n")
        self.expect("rule 1.2: no code cites it, as [1.2]")

    def test_a_rule_without_a_test_is_named(self):
        self.write("test/a.cpp", 'TEST_CASE("1.1 a tag") {}\n// 1.2 a sum\n')
        self.expect('rule 1.2: no test is named after it, as "1.2 ..."')

    def test_a_rule_without_a_check_and_without_a_reason_is_named(self):
        self.write("tools/rosia_trace/rule.cpp", "")
        self.expect(
            "rule 1.1: no check of rosia-trace cites it, and manual/semantics.rst has no"
            " reason why a trace cannot show it")

    def test_a_reason_beside_a_check_is_named(self):
        self.write("tools/rosia_trace/rule.cpp", '"[1.1, 1.2]"\n')
        self.expect(
            "rule 1.2: tools/rosia_trace/rule.cpp:1 checks it, but manual/semantics.rst"
            " has a reason why a trace cannot show it")

    def test_a_number_that_no_rule_has_is_named(self):
        self.write("examples/b.cpp", "\n// Adds [1.3], and [0.5, 1.0] are numbers.\n")
        # Not as text, which the check of this checkout would find.
        with_three_parts = ".".join("142")
        self.write("test/b.cpp", f'TEST_CASE("{with_three_parts} a product") {{}}\n')
        self.expect("examples/b.cpp:2: there is no rule 1.3",
                    f"test/b.cpp:1: there is no rule {with_three_parts}")

    def test_a_wrong_call_explains_the_use(self):
        for arguments in (["--what"], ["a", "b"], [str(self.root / "none")]):
            with self.subTest(arguments):
                result = run(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertTrue(result.stderr)


if __name__ == "__main__":
    unittest.main()
