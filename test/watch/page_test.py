#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests the live page in a real browser.

    page_test.py <watched_program>

Runs the program, opens its page in Chromium, and checks the page: while the
program runs, while a node does not return, during a shutdown that hangs, and
when the program dies.
"""

import re
import socket
import subprocess
import sys
import threading
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import browser  # noqa: E402


class Program:
    """A run of the program, controlled by its standard input."""

    def __init__(self, *arguments, watch="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments, f"--rosia.watch.address={watch}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        for line in self.process.stdout:
            if found := re.search(r"the live page is at (http://\S+)", line):
                self.url = found[1]
                break
        else:
            raise RuntimeError("there is no page")
        # A full pipe would block it.
        self.reader = threading.Thread(target=self.process.stdout.read)
        self.reader.start()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.wait()

    def wait(self):
        self.process.stdin.close()
        status = self.process.wait(browser.GUARD)
        self.reader.join()
        self.process.stdout.close()
        return status


class LivePageTest(browser.Case):
    def run_program(self, *arguments, **options):
        result = Program(*arguments, **options)
        self.addCleanup(lambda: result.process.returncode is None and result.kill())
        self.url = result.url
        self.browser.get(result.url)
        self.until(lambda: self.text("#link") == "live")
        return result

    def row(self, name):
        """Returns the cells of a node in the table."""
        return self.script(
            "return [...document.querySelectorAll('#rows tbody tr')]"
            ".find(x => x.cells[0].innerText === arguments[0])?.innerText ?? ''", name)

    def fact(self, name):
        return self.script(
            "return [...document.querySelectorAll('.fact')]"
            ".find(x => x.children[0].innerText.toLowerCase() === arguments[0])"
            "?.children[1].innerText ?? ''", name)

    def check(self):
        self.check_quiet(within=(self.url, self.url.replace("http", "ws")))

    # -- nodes ----------------------------------------------------------------

    def test_a_run_is_shown_as_it_happens(self):
        program = self.run_program()
        self.until(lambda: len(self.all("#rows tbody tr")) == 3)
        self.assertEqual(len(self.texts("#canvas g.n")), 3)
        self.assertEqual(len(self.all("#canvas g.e")), 2)
        first = self.row("sink")
        self.until(lambda: self.row("sink") != first)
        self.until(lambda: float(self.fact("reactions per second") or 0) > 0)
        self.until(lambda: "max" in self.fact("lag, last minute"))
        self.until(lambda: float(self.fact("processors in code") or -1) >= 0)
        self.until(lambda: len(self.all(".spark polyline")) == 2)
        title = f"watched_program on {socket.gethostname()}: "
        self.assertTrue(self.browser.title.startswith(title), self.browser.title)
        self.assertEqual(self.text("#program"), "watched_program")
        self.assertIn(f"pid {program.process.pid}", self.text("#place"))
        program.tell("end")
        self.until(lambda: self.fact("stage") not in ("", "running"))
        self.assertEqual(program.wait(), 0)
        self.check()

    def test_late_tags_are_counted_if_lag_warn_says_what_is_late(self):
        program = self.run_program("--rosia.lag_warn=1us")
        self.until(lambda: int(self.fact("late tags") or 0) > 0)
        program.tell("end")
        self.assertEqual(program.wait(), 0)

    def test_a_click_shows_a_node_and_buttons_zoom(self):
        self.run_program()
        self.until(lambda: self.all("#canvas g.n"))
        self.press("#canvas g.n")
        self.until(lambda: "clock" in self.text("#node"))
        self.assertIn("logical time", self.text("#node").lower())
        view = lambda: self.one("#canvas svg").get_dom_attribute("viewBox")
        whole = view()
        self.press("#closer")
        self.until(lambda: view() != whole)
        closer = view()
        self.press("#whole")
        self.until(lambda: view() != closer)
        self.check()

    def test_a_click_folds_a_composite(self):
        self.run_program("--composite")
        names = lambda: sorted(self.texts("#canvas g.n text.name"))
        self.until(lambda: names() == ["clock", "middle", "sink"])
        self.assertEqual(self.texts("#canvas g.frame text"), ["pair"])
        self.assertEqual(len(self.all("#canvas g.e")), 2)
        self.press("#canvas g.frame")
        self.until(lambda: names() == ["clock", "pair"])
        self.until(lambda: "2 nodes" in self.texts("#canvas g.n text.small"))
        self.assertEqual(len(self.all("#canvas g.e")), 1)
        self.assertEqual(self.all("#canvas g.frame"), [])
        self.press("#canvas g.n.composite")
        self.until(lambda: names() == ["clock", "middle", "sink"])
        self.check()

    def test_the_log_is_filtered(self):
        program = self.run_program()
        program.tell("warn")
        self.until(lambda: "this is a warning" in self.text("#log"))
        self.assertIn("live page", self.text("#log"))
        self.one("#filter").send_keys("a WARNING")
        self.until(lambda: "live page" not in self.text("#log"))
        self.assertIn("this is a warning", self.text("#log"))
        self.one("#filter").clear()
        self.one("#filter").send_keys("no such text")
        self.until(lambda: self.text("#log") == "")
        self.check()

    def test_a_node_that_does_not_return_is_named(self):
        program = self.run_program()
        program.tell("hold")
        self.until(lambda: "middle" in self.text("#chain"))
        self.until(lambda: "on_in" in self.row("middle"))
        self.until(lambda: self.all("#canvas g.n.stuck"))
        self.assertIn("middle", self.row("sink"))
        # The requested end also hangs; the page continues to work.
        program.tell("end")
        self.until(lambda: self.fact("stage") not in ("", "running"))
        self.assertIn("middle", self.text("#chain"))
        program.tell("go")
        self.assertEqual(program.wait(), 0)
        self.check()

    # -- a shutdown without nodes ---------------------------------------------

    def test_a_shutdown_that_hangs_names_the_blocking_actor(self):
        program = self.run_program("--plain")
        self.assertFalse(self.one("#graph").is_displayed())
        self.until(lambda: "keeper" in self.row("keeper"))
        program.tell("hold")
        program.tell("end")
        self.until(lambda: self.one("#phases").is_displayed())
        self.until(lambda: "keeper" in self.text("#chain"))
        self.assertEqual(self.fact("participants left"), "1")
        since = self.fact("since it began")
        self.until(lambda: self.fact("since it began") != since)
        program.tell("go")
        self.assertEqual(program.wait(), 0)
        self.check()

    # -- after its end --------------------------------------------------------

    def test_a_program_that_dies_and_starts_again(self):
        program = self.run_program()
        self.until(lambda: len(self.all("#rows tbody tr")) == 3)
        program.kill()
        self.until(lambda: self.text("#link").startswith("no connection since"))
        self.assertEqual(len(self.all("#rows tbody tr")), 3)
        self.assertEqual(len(self.all("main.stale")), 1)
        again = Program(watch=program.url.split("/")[2])
        self.addCleanup(lambda: again.process.returncode is None and again.kill())
        self.until(lambda: self.text("#link") == "live")
        self.assertEqual(self.all("main.stale"), [])

    # -- appearance -----------------------------------------------------------

    def test_it_is_readable_light_and_dark_on_a_phone_and_wide(self):
        program = self.run_program("--rosia.watch.control=true")
        program.tell("hold")
        for width in (390, 1300):
            backs = set()
            for scheme in ("light", "dark"):
                self.size(width, 844, mobile=width < 500)
                self.look(scheme)
                self.browser.get(self.url)
                self.until(lambda: "middle" in self.text("#chain"))
                self.assertEqual(self.script(browser.PALE), [])
                self.check_fits(width)
                # No column is cut off.
                self.assertEqual(self.script(
                    "return [...document.querySelectorAll('.scroll')].map("
                    "x => x.scrollWidth - x.clientWidth)"), [0])
                backs.add(self.script(
                    "return getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(len(backs), 2)
        self.assertTrue(self.one("#control").is_displayed())
        self.check()


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
