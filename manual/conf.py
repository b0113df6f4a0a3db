# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""How Sphinx builds the manual: sphinx-build -W -b html manual build/manual"""

import re
import sys
from pathlib import Path

_header = (
    Path(__file__).parent.parent / "libcaf_rosia/caf/rosia/version.hpp"
)

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
extensions = ["public_headers", "sphinx.ext.graphviz"]
graphviz_output_format = "svg"

project = "libcaf_rosia"
author = "the authors of libcaf_rosia"
copyright = author
release = re.search(r'version = "([\d.]+)"', _header.read_text())[1]
version = release

language = "en"
highlight_language = "cpp"
exclude_patterns = ["_build"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["narrow.css", "diagrams.css"]
html_copy_source = False
html_show_copyright = False
