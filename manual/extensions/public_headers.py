# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""The directive `header`: what a public header declares, with its comments.

    .. header:: logical_time.hpp

Doxygen reads the headers when the manual is built, and Breathe renders what it
has read. Names that are added to a header are in the manual by themselves.
"""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.nodes import nested_parse_with_titles

PROJECT = "caf_rosia"
NAMESPACE = "caf::rosia"
HEADERS = Path(__file__).parents[2] / "libcaf_rosia" / "caf" / "rosia"

SETTINGS = """
PROJECT_NAME = libcaf_rosia
INPUT = {headers} {headers}/shutdown {headers}/test
FILE_PATTERNS = *.hpp
STRIP_FROM_PATH = {headers}
OUTPUT_DIRECTORY = {output}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
EXCLUDE_SYMBOLS = caf::rosia::detail* caf::rosia::engine* caf::io* std
EXTRACT_ALL = NO
HIDE_FRIEND_COMPOUNDS = YES
JAVADOC_AUTOBRIEF = YES
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
INPUT_FILTER = "sed '/has_text</d; /^template <>$/d'"
EXCLUDE = {headers}/format.hpp
"""

# Those that declare nothing of their own, or nothing that Doxygen can read.
WITHOUT_NAMES = {"all.hpp", "format.hpp", "fwd.hpp", "shutdown.hpp"}


def read_headers(app):
    """Lets Doxygen read the headers, before the chapters are read."""
    if shutil.which("doxygen") is None:
        raise ExtensionError(
            "the API reference needs doxygen (Debian: doxygen, python3-breathe)"
        )
    output = Path(app.doctreedir).parent / ".doxygen"
    # Doxygen keeps the files about removed classes.
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    settings = output / "Doxyfile"
    settings.write_text(SETTINGS.format(headers=HEADERS, output=output))
    result = subprocess.run(
        ["doxygen", settings], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise ExtensionError("doxygen: " + result.stderr)
    app.config.breathe_projects[PROJECT] = str(output / "xml")


def declared_in(header, xml):
    """Yields (line, directive, name) of what is declared in a header."""
    for file in xml.glob("*.xml"):
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None:
            continue
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        is_nested = name.count("::") > NAMESPACE.count("::") + 1 + (
            header.startswith("test/")
        )
        place = compound.find("location")
        if kind in ("class", "struct") and not is_nested:
            if place.get("file") == header and compound.get("prot") == "public":
                yield int(place.get("line")), f"doxygen{kind}", name
        if kind != "namespace":
            continue
        for member in compound.iter("memberdef"):
            place = member.find("location")
            if place.get("file") != header or not is_described(member):
                continue
            full = f"{name}::{member.findtext('name')}"
            if member.get("kind") == "function":
                full += member.findtext("argsstring").split(" noexcept")[0]
            yield (
                int(place.get("line")),
                "doxygen" + member.get("kind"),
                full,
            )


def is_described(member):
    return any(
        "".join(part.itertext()).strip()
        for tag in ("briefdescription", "detaileddescription")
        for part in member.findall(tag)
    )


def shown_headers(environment):
    """The headers that each document shows."""
    if not hasattr(environment, "rosia_headers"):
        environment.rosia_headers = {}
    return environment.rosia_headers


def check_all_shown(app, environment):
    """Warns of headers that no document shows."""
    shown = set().union(*shown_headers(environment).values())
    there = {x.name for x in HEADERS.glob("*.hpp")}
    for header in sorted(there - shown - WITHOUT_NAMES):
        logging.getLogger(__name__).warning(
            "no document has '.. header:: %s'", header
        )


def forget(app, environment, document):
    shown_headers(environment).pop(document, None)


def merge(app, environment, documents, other):
    shown_headers(environment).update(
        {x: y for x, y in shown_headers(other).items() if x in documents}
    )


class Header(Directive):
    """Renders what a header declares, in the header's order."""

    required_arguments = 1

    def run(self):
        header = self.arguments[0]
        environment = self.state.document.settings.env
        environment.note_dependency(str(HEADERS / header))
        shown_headers(environment).setdefault(environment.docname, set()).add(
            header
        )
        xml = Path(environment.config.breathe_projects[PROJECT])
        found = sorted(declared_in(header, xml))
        if not found:
            raise self.error(f"{header} declares nothing that is described")
        lines = []
        for _, directive, name in found:
            lines += ["", f".. {directive}:: {name}"]
            if directive in ("doxygenclass", "doxygenstruct"):
                lines += ["   :members:"]
            if directive == "doxygenstruct":
                # The names of members often say it all.
                lines += ["   :undoc-members:"]
        result = nodes.container()
        nested_parse_with_titles(
            self.state, StringList(lines, source=header), result
        )
        return result.children


def setup(app):
    app.setup_extension("breathe")
    app.config.breathe_default_project = PROJECT
    app.connect("builder-inited", read_headers, priority=100)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("env-check-consistency", check_all_shown)
    app.add_directive("header", Header)
    return {"parallel_read_safe": True}
