# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""How Sphinx builds the manual: sphinx-build -W -b html manual build/manual"""

import re
from pathlib import Path

_header = (
    Path(__file__).parent.parent / "libcaf_rosia/caf/rosia/version.hpp"
)

project = "libcaf_rosia"
author = "the authors of libcaf_rosia"
copyright = author
release = re.search(r'version = "([\d.]+)"', _header.read_text())[1]
version = release

language = "en"
highlight_language = "cpp"
pygments_style = "sphinx"
exclude_patterns = ["_build"]

html_theme = "alabaster"
html_theme_options = {
    "description": "Logical time for the C++ Actor Framework",
    "fixed_sidebar": True,
    "page_width": "1100px",
    "sidebar_width": "240px",
    "font_size": "16px",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_copyright = False
