# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Checks that tools/layers finds wrong includes, and none in this checkout.

usage: layers_test.py <tools/layers>
"""

import runpy
import unittest
from pathlib import Path

from checkout import TOOL, Checkout, run


class Layers(Checkout):
    def write(self, path, *includes):
        super().write(
            path, "#pragma once\n\n" + "".join(f"#include {x}\n" for x in includes))

    def test_this_checkout_keeps_the_rules(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_an_include_goes_down(self):
        self.write("libcaf_rosia/src/runtime/a.cpp", '"engine/a.hpp"', '"runtime/b.hpp"')
        self.write("libcaf_rosia/src/engine/a.hpp", '"caf/rosia/logical_time.hpp"', "<map>")
        self.expect()

    def test_an_include_that_goes_up_is_named_with_its_rule(self):
        self.write("libcaf_rosia/src/engine/a.hpp", "<map>", '"runtime/runtime.hpp"')
        self.write("libcaf_rosia/src/shutdown/a.cpp", '"caf/rosia/application.hpp"')
        self.expect(
            "libcaf_rosia/src/engine/a.hpp:4: the layer 'engine' does not include"
            " 'runtime': runtime/runtime.hpp",
            "libcaf_rosia/src/shutdown/a.cpp:3: the layer 'shutdown' does not include"
            " 'application': caf/rosia/application.hpp",
        )

    def test_what_is_installed_includes_what_is_installed(self):
        self.write("libcaf_rosia/caf/rosia/node.hpp", '"nodes/inbox.hpp"')
        self.expect(
            "libcaf_rosia/caf/rosia/node.hpp:3: what is installed includes only what is"
            " installed, too: nodes/inbox.hpp"
        )

    def test_a_source_includes_its_own_header_first(self):
        self.write("libcaf_rosia/src/nodes/a.hpp")
        self.write("libcaf_rosia/src/nodes/a.cpp", '"nodes/a.hpp"', '"base/b.hpp"')
        self.write("libcaf_rosia/src/nodes/b.hpp")
        self.write("libcaf_rosia/src/nodes/b.cpp", "<map>", '"nodes/b.hpp"')
        self.expect(
            "libcaf_rosia/src/nodes/b.cpp:3: a source includes its own header first"
        )

    def test_each_file_is_in_a_layer(self):
        self.write("libcaf_rosia/src/misc/a.cpp")
        self.write("libcaf_rosia/caf/rosia/new.hpp")
        self.write("libcaf_rosia/src/nodes/a.cpp", '"caf/rosia/new.hpp"')
        self.expect(
            "libcaf_rosia/src/misc/a.cpp:1: the file is in no layer: see tools/layers",
            "libcaf_rosia/src/nodes/a.cpp:3: the header is in no layer; INSTALLED in"
            " tools/layers names them: caf/rosia/new.hpp",
            "libcaf_rosia/caf/rosia/new.hpp:1: the file is in no layer: see tools/layers",
        )

    def test_only_the_folders_of_versions_ask_for_the_version_of_caf(self):
        allowed = (
            "libcaf_rosia/caf0/src/compat/a.cpp",
            "libcaf_rosia/caf1/caf/rosia/detail/compat.hpp",
            "test/caf1/a.cpp",
            "examples/caf0/a.hpp",
        )
        refused = (
            "libcaf_rosia/src/compat/a.cpp",
            "libcaf_rosia/src/compat/io/a.cpp",
            "libcaf_rosia/src/nodes/a.cpp",
            "libcaf_rosia/caf/rosia/node.hpp",
            "tools/a.cpp",
            "examples/a.cpp",
            "test/a.cpp",
        )
        for path in allowed + refused:
            self.write(path)
            with (self.root / path).open("a") as file:
                file.write("#if CAF_VERSION >= 1800\n#elif CAF_MAJOR_VERSION > 0\n")
        self.expect(*(
            f"{path}:{line}: only caf0 and caf1 ask for the version of CAF"
            for path in refused
            for line in (3, 4)
        ))

    def test_a_folder_of_a_version_has_only_files_of_compat(self):
        self.write("libcaf_rosia/caf0/src/compat/io/a.cpp")
        self.write("libcaf_rosia/caf0/src/nodes/a.cpp")
        self.write("libcaf_rosia/caf1/caf/rosia/node.hpp")
        reason = "only compat and shutdown depend on the version of CAF"
        self.expect(
            f"libcaf_rosia/caf0/src/nodes/a.cpp:1: {reason}",
            f"libcaf_rosia/caf1/caf/rosia/node.hpp:1: {reason}",
        )

    def test_a_header_that_other_code_includes_is_there_for_each_version(self):
        for version in ("caf0", "caf1"):
            self.write(f"libcaf_rosia/{version}/src/compat/both.hpp")
            self.write(f"test/{version}/names.hpp")
        self.write("libcaf_rosia/caf1/src/compat/one.hpp")
        self.write("test/caf0/old.hpp")
        for path in ("libcaf_rosia/caf1/src/compat/a.cpp", "libcaf_rosia/src/compat/b.cpp"):
            self.write(path, '"compat/both.hpp"', '"compat/one.hpp"')
        self.write("test/a.cpp", '"names.hpp"', '"old.hpp"')
        self.expect(
            "libcaf_rosia/src/compat/b.cpp:4: only caf1 has the header: compat/one.hpp",
            "test/a.cpp:4: only caf0 has the header: old.hpp",
        )

    def test_a_source_for_a_version_includes_its_own_header_first(self):
        self.write("libcaf_rosia/src/compat/a.hpp")
        self.write("libcaf_rosia/caf0/src/compat/a.cpp", '"base/b.hpp"', '"compat/a.hpp"')
        self.expect(
            "libcaf_rosia/caf0/src/compat/a.cpp:3: a source includes its own header first"
        )

    def test_other_libraries_are_known_to_some_layers_only(self):
        self.write("libcaf_rosia/src/engine/a.cpp", "<caf/actor.hpp>")
        self.write("libcaf_rosia/src/runtime/a.cpp", "<caf/actor.hpp>", "<openssl/ssl.h>")
        self.write("libcaf_rosia/src/compat/a.cpp", "<caf/detail/type_traits.hpp>")
        self.expect(
            "libcaf_rosia/src/engine/a.cpp:3: the layer 'engine' includes nothing of"
            " <caf/...>: caf/actor.hpp",
            "libcaf_rosia/src/runtime/a.cpp:4: the layer 'runtime' includes nothing of"
            " <openssl/...>: openssl/ssl.h",
        )

    def test_tools_and_examples_use_what_is_public(self):
        self.write("tools/t/a.cpp", '"caf/rosia/all.hpp"', '"base/text.hpp"', '"t/b.hpp"')
        self.write("tools/t/b.cpp", '"engine/node.hpp"')
        self.write("examples/a.cpp", '"caf/rosia/detail/value.hpp"', '"base/text.hpp"')
        self.expect(
            "tools/t/b.cpp:3: tools include public headers and base, time, security, run_file, not"
            " 'engine': engine/node.hpp",
            "examples/a.cpp:3: examples include public headers, not detail:"
            " caf/rosia/detail/value.hpp",
            "examples/a.cpp:4: examples include public headers, not 'base': base/text.hpp",
        )

    def test_the_manual_draws_and_describes_all_layers(self):
        layers = runpy.run_path(TOOL)["LAYERS"]
        manual = Path(TOOL).parent.parent / "manual"
        chapter = (manual / "code.rst").read_text()
        picture = (manual / "images/layers.svg").read_text()
        for layer in layers:
            self.assertIn(f"``{layer}/``", chapter)
            self.assertIn(f">{layer}</text>", picture)

    def test_a_layer_includes_only_layers_before_it(self):
        before = set()
        for layer, below in runpy.run_path(TOOL)["LAYERS"].items():
            self.assertLessEqual(set(below.split()), before)
            before.add(layer)

    def test_what_it_does_not_know_is_refused(self):
        self.assertEqual(run("--all").returncode, 2)
        self.assertIn("no checkout", run("/nowhere").stderr)


unittest.main()
