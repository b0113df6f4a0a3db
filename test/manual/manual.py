#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Keeps README.md and the manual true.

A mark is a comment before a code block. In reStructuredText:

    .. example: hello     the next block belongs to the program `hello`
    .. fragment           the next C++ block is not compiled
    .. prelude: begin     the omitted beginning of the text's programs
    .. prelude: end       the omitted end
    .. file: name         the next block is a file for later sessions
    .. session            the next block is run, line by line, in a shell; all
                          sessions of a text share a folder
    .. session: times vary   ... and durations are not compared
    .. session: CAF 0.17     ... only with this version, or a different one; the
                          environment's ROSIA_CAF_GROUP is "caf." since CAF 1
    .. message: key       the next block is a message of the library, see
                          messages.cpp and rejected.cpp
    .. diagram: name      the next picture, diagrams/name.dot, is the graph of
                          the program `name`; its arguments may follow, or
                          `from config file` if it has no such option

In Markdown, marks are within <!-- and -->. Every C++ block needs a mark.

Commands:

    programs <folder> <file>...      writes each program to <folder>, as
                                     <name>.cpp, and prints the names
    sessions <programs> <tools> <file>
                                     runs the sessions of one file
    messages <program> <file>...     compares the messages with the output of a
                                     program: "== key", and the message
    diagrams <programs> <examples> <file>...
                                     compares the diagrams beside the texts with
                                     those of the programs; replaces them if
                                     ROSIA_UPDATE_DIAGRAMS is set
    rejected <file>... -- <command>  runs a compiler, which must fail, and
                                     searches for the messages "rejected ..."
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import namedtuple
from pathlib import Path

Block = namedtuple("Block", "file line mark key language text")

MARKS = ("example", "file", "fragment", "message", "prelude", "session")

# Maximum time for the commands of one session, in seconds.
SESSION_TIMEOUT = 60

# The time of a log line.
STAMP = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} ", re.MULTILINE)

DURATION = re.compile(r"\b\d+(\.\d+)? ?(ns|us|ms|s)\b")

# The name of a session's folder in the texts.
HOME = "/home/you"


# The CAF version that the programs are built with.
IS_CAF_1 = os.environ.get("ROSIA_CAF_GROUP", "") != ""


def fail(message):
    sys.exit(f"manual.py: {message}")


# -- reading ------------------------------------------------------------------


def parse_mark(text):
    """Returns a mark and its key, or None for any other comment."""
    match = re.fullmatch(r"(\w+)(?:: (\S.*))?", text.strip())
    if match and match[1] in MARKS:
        return match[1], match[2] or ""
    return None


def blocks_of_rst(file, lines):
    mark = (None, None)
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        comment = re.fullmatch(r" *(?:- )?\.\. ([^:]+(?:: .*)?)", line)
        if comment:
            mark = parse_mark(comment[1]) or mark
            continue
        start = re.match(r"( *)\.\. code-block:: *(\S*)", line)
        if not start:
            if line.strip():
                mark = (None, None)
            continue
        indent, body = len(start[1]), []
        while i < len(lines) and (
            not lines[i].strip()
            or len(lines[i]) - len(lines[i].lstrip()) > indent
        ):
            body.append(lines[i])
            i += 1
        number = i - len(body) + 1
        while body and (not body[0].strip() or re.match(r" *:\w+:", body[0])):
            number += 1
            body.pop(0)
        text = textwrap.dedent("\n".join(body)).rstrip("\n") + "\n"
        yield Block(file, number, *mark, start[2], text)
        mark = (None, None)


def blocks_of_markdown(file, lines):
    mark = (None, None)
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        comment = re.fullmatch(r"<!-- (.*) -->", line)
        if comment:
            mark = parse_mark(comment[1]) or mark
            continue
        if not line.startswith("```"):
            if line.strip():
                mark = (None, None)
            continue
        number, body = i + 1, []
        while lines[i] != "```":
            body.append(lines[i])
            i += 1
        i += 1
        yield Block(file, number, *mark, line[3:], "\n".join(body) + "\n")
        mark = (None, None)


def blocks_of(files):
    for file in files:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        parse = blocks_of_markdown if file.endswith(".md") else blocks_of_rst
        for block in parse(file, lines):
            if block.language == "cpp" and block.mark is None:
                fail(
                    f"{file}:{block.line}: a C++ block without a mark "
                    "(example, fragment or prelude)"
                )
            yield block


# -- programs -----------------------------------------------------------------


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def programs(folder, *files):
    prelude = {"begin": "", "end": ""}
    parts = {}
    for block in blocks_of(files):
        if block.mark == "prelude":
            prelude[block.key] += block.text
        elif block.mark == "example":
            # The compiler then names the line of the text.
            text = f'#line {block.line} "{block.file}"\n{block.text}\n'
            parts[block.key] = parts.get(block.key, "") + text
    if not parts:
        fail("there are no programs")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in parts.items():
        if "caf/rosia/all.hpp" not in text:
            text = prelude["begin"] + text
        if "int main(" not in text:
            text += prelude["end"]
        write_if_changed(Path(folder) / f"{name}.cpp", text)
    print(";".join(sorted(parts)))


# -- sessions -----------------------------------------------------------------


def prepare(folder, programs_folder):
    for program in Path(programs_folder).iterdir():
        if program.is_file() and os.access(program, os.X_OK):
            (Path(folder) / program.name).symlink_to(program)


def is_of_other_caf(key):
    """Returns whether a session is for a different CAF than that of the
    programs.
    """
    return key == ("CAF 0.17" if IS_CAF_1 else "CAF 1")


def write_config(folder, text):
    """Writes the default config file of programs, given in the syntax of CAF
    0.17.
    """
    name = "caf-application.ini"
    if IS_CAF_1:
        name = "caf-application.conf"
        text = re.sub(r"^\[(scheduler|middleman)\]", r"[caf.\1]", text, flags=re.MULTILINE)
        text = re.sub(r"^\[(.*)\]\n([^[]*)", r"\1 {\n\2}\n", text, flags=re.MULTILINE)
    (Path(folder) / name).write_text(text, encoding="utf-8")


def run_session(commands, folder, tools_folder):
    """Returns the terminal output."""
    script = "status=0\nagain() { return $status; }\n"
    for command in commands:
        shown = "'" + ("$ " + command).replace("'", "'\\''") + "'"
        script += f"printf '%s\\n' {shown}\nagain\n{command}\nstatus=$?\n"
    environment = dict(os.environ)
    environment["PATH"] = f"{tools_folder}:{environment['PATH']}"
    environment["LC_ALL"] = "C.UTF-8"
    result = subprocess.run(
        ["stdbuf", "-oL", "bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SESSION_TIMEOUT,
        check=False,
    )
    return result.stdout.decode("utf-8").replace(folder, HOME)


def commands_of(text):
    result = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append(line[2:])
        elif result and result[-1].endswith("\\"):
            result[-1] += "\n" + line
    return result


def visible(text, times_vary):
    """Returns the lines of a session without the parts that always differ."""
    text = STAMP.sub("", text)
    if times_vary:
        text = DURATION.sub("TIME", text)
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def sessions(programs_folder, tools_folder, file):
    count = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, programs_folder)
        for block in blocks_of([file]):
            if block.mark == "file" and block.key == "caf-application.ini":
                write_config(folder, block.text)
            elif block.mark == "file":
                (Path(folder) / block.key).write_text(block.text)
            if block.mark != "session" or is_of_other_caf(block.key):
                continue
            count += 1
            commands = commands_of(block.text)
            actual = run_session(commands, folder, tools_folder)
            if IS_CAF_1:
                actual = actual.replace(" int32_t\n", " int32\n")
            lines = [
                visible(text, block.key == "times vary")
                for text in (block.text, actual)
            ]
            if lines[0] != lines[1]:
                failures += 1
                print(f"{file}:{block.line}:")
                for line in difflib.unified_diff(
                    *lines, "the text says", "but it is", n=99, lineterm=""
                ):
                    print(line)
    if count == 0:
        fail(f"{file}: there is no session")
    print(f"{count} sessions, {failures} failed")
    return failures


# -- messages -----------------------------------------------------------------


def squeeze(text):
    return " ".join(text.split())


def quoted_messages(files):
    result = {}
    for block in blocks_of(files):
        if block.mark == "message":
            if block.key in result:
                fail(f"{block.file}:{block.line}: '{block.key}' comes twice")
            result[block.key] = block
    return result


def messages(program, *files):
    result = subprocess.run(
        [program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SESSION_TIMEOUT,
        check=True,
    )
    text = "\n" + STAMP.sub("", result.stdout.decode("utf-8"))
    spoken = {}
    for part in text.split("\n== ")[1:]:
        key, message = part.split("\n", 1)
        spoken[key] = squeeze(message)
    quoted = {
        key: block
        for key, block in quoted_messages(files).items()
        if not key.startswith("rejected")
    }
    failures = 0
    for key in sorted(spoken.keys() | quoted.keys()):
        block = quoted.get(key)
        says = squeeze(block.text) if block else None
        if says != spoken.get(key):
            failures += 1
            print(f"{block.file}:{block.line}: {key}:" if block else f"{key}:")
            print(f"  the text says: {says}\n  but it is: {spoken.get(key)}")
    print(f"{len(spoken)} messages, {failures} failed")
    return failures or not spoken


def rejected(*arguments):
    split = arguments.index("--")
    files, command = arguments[:split], arguments[split + 1 :]
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = squeeze(result.stdout.decode("utf-8"))
    wanted = {
        key: squeeze(block.text)
        for key, block in quoted_messages(files).items()
        if key.startswith("rejected")
    }
    failures = [text for text in wanted.values() if text not in output]
    for text in failures:
        print(f"The compiler does not say: {text}")
    if result.returncode == 0:
        fail("the compiler accepts it")
    if failures:
        print(result.stdout.decode("utf-8"))
    print(f"{len(wanted)} messages, {len(failures)} failed")
    return failures or not wanted


# -- diagrams -----------------------------------------------------------------

DIAGRAM = re.compile(r"^\.\. diagram: (\S+)(.*)\n\n\.\. graphviz:: (\S+)$", re.MULTILINE)


def draw(folders, name, arguments):
    """Returns the diagram that a program draws of itself."""
    found = [x for x in (Path(y).absolute() / name for y in folders) if x.is_file()]
    if not found:
        fail(f"there is no program {name}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.dot"
        options = [f"--rosia.diagram={file}", *arguments.split()]
        if arguments.strip() == "from config file":
            write_config(folder, f'[rosia]\ndiagram="{file}"\n')
            options = []
        subprocess.run(
            [found[0], *options],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=SESSION_TIMEOUT,
            check=True,
        )
        return file.read_text(encoding="utf-8")


def diagrams(*arguments):
    folders, texts = arguments[:2], [Path(x) for x in arguments[2:]]
    failures = 0
    shown = set()
    for text in texts:
        for name, options, picture in DIAGRAM.findall(text.read_text("utf-8")):
            file = text.parent / picture
            if file.stem != name:
                fail(f"{text}: the diagram of {name} is in {picture}")
            shown.add(file)
            drawn = draw(folders, name, options)
            if os.environ.get("ROSIA_UPDATE_DIAGRAMS"):
                file.write_text(drawn, encoding="utf-8")
            before = file.read_text("utf-8") if file.exists() else ""
            if drawn != before:
                failures += 1
                names = (str(file), f"what {name} draws")
                lines = (before.splitlines(), drawn.splitlines())
                print("\n".join(difflib.unified_diff(*lines, *names, lineterm="")))
    for file in sorted({x for y in texts for x in y.parent.glob("diagrams/*")} - shown):
        failures += 1
        print(f"{file} is in no chapter")
    print(f"{len(shown)} diagrams, {failures} failed")
    if failures:
        print("With ROSIA_UPDATE_DIAGRAMS=1 this test replaces the diagrams.")
    return failures or not shown


COMMANDS = {
    x.__name__: x for x in (programs, sessions, messages, diagrams, rejected)
}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(1 if COMMANDS[sys.argv[1]](*sys.argv[2:]) else 0)
