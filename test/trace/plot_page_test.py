#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests the page of `rosia-trace plot` in a real browser.

    plot_page_test.py <folder of the examples> <rosia-trace>

Runs examples, plots their traces, opens the pages in Chromium, and uses them as
a reader does.
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import browser  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

# The distinct colors of the picture's points.
COLORS = """
  const canvas = document.getElementById(arguments[0]);
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(pixels.data.buffer)).size;
"""


class PlotPageTest(browser.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = {name: cls.plot(name) for name in ("localization", "timer")}

    @classmethod
    def plot(cls, example):
        trace = cls.folder / f"{example}.trace"
        page = cls.folder / f"{example}.html"
        run = lambda *words: subprocess.run(
            words, cwd=cls.folder, stdout=subprocess.DEVNULL, check=True,
            timeout=browser.GUARD)
        run(EXAMPLES / example, f"--rosia.trace={trace}")
        run(TOOL, "plot", trace, "--output", page)
        return page

    def open_plot(self, example):
        self.open_file(self.pages[example])

    def click(self, selector):
        self.one(selector).click()

    def test_each_page_opens_and_draws(self):
        for example in self.pages:
            self.open_plot(example)
            for chart in ("latency", "rate", "busy"):
                self.assertGreater(self.script(COLORS, chart), 3, chart)
            self.check_quiet()

    def test_the_rate_of_a_steady_timer_is_flat(self):
        # 240 parts of 3 s are 12.5 ms each: some have one tag, some have two.
        lines = [
            {"event": "application", "format": 3, "version": "1", "realtime": True},
            {"event": "node", "node": "clock", "inputs": [], "outputs": [],
             "reactions": [{"name": "on_time", "triggers": [],
                            "eager": False}]},
            {"event": "start", "node": "clock", "elapsed": 0},
        ]
        for k in range(301):
            at = k * 10**7
            lines += [
                {"event": "execute", "node": "clock", "tag": [at, 0],
                 "stat": "forever", "elapsed": at},
                {"event": "reaction", "node": "clock", "tag": [at, 0],
                 "reaction": "on_time"},
                {"event": "ran", "node": "clock", "tag": [at, 0],
                 "reaction": "on_time", "began": at, "ended": at + 4 * 10**6},
            ]
        trace = self.folder / "steady.jsonl"
        trace.write_text("".join(json.dumps(x) + "\n" for x in lines))
        page = self.folder / "steady.html"
        subprocess.run([TOOL, "plot", "-o", page, trace], check=True,
                       timeout=browser.GUARD)
        self.open_file(page)
        for plotted, expected in (("tag_rates", 100), ("busy_shares", 0.4)):
            values = self.script(
                f"return {plotted}(nodes[0]).map(([t, y]) => y)")
            self.assertGreater(len(values), 230)
            for value in values[:-1]:
                self.assertAlmostEqual(value, expected, delta=expected * 0.01)
        self.check_quiet()

    def test_lag_is_plotted_if_there_is_any(self):
        self.open_plot("timer")
        self.assertTrue(self.one("#lag_card").is_displayed())
        self.assertGreater(self.script(COLORS, "lag"), 3)
        self.check_quiet()
        self.open_plot("localization")
        self.assertFalse(self.one("#lag_card").is_displayed())
        self.assertIn("did not wait for physical time", self.text("#note"))
        self.check_quiet()

    def test_the_sums_are_those_of_the_summary(self):
        summary = subprocess.run(
            [TOOL, "summary", self.folder / "localization.trace"],
            capture_output=True, text=True, check=True, timeout=browser.GUARD).stdout
        self.open_plot("localization")
        rows = self.all("#nodes tbody tr")
        self.assertEqual(len(rows), 5)
        for row in rows:
            name, tags, reactions = (x.text for x in self.all("td", row)[:3])
            words = next(x for x in summary.splitlines() if x.split()[:1] == [name]).split()
            self.assertIn(tags, words, name)
            self.assertIn(reactions, words, name)

    def test_buttons_and_the_pointer_zoom(self):
        self.open_plot("localization")
        whole = self.text("#range")
        self.click("#closer")
        self.assertNotEqual(self.text("#range"), whole)
        self.click("#farther")
        self.assertEqual(self.text("#range"), whole)
        chart = self.one("#rate")
        ActionChains(self.browser).move_to_element(chart).click_and_hold().move_by_offset(
            90, 0).release().perform()
        self.until(lambda: self.text("#range") != whole)
        self.click("#whole")
        self.assertEqual(self.text("#range"), whole)
        self.check_quiet()

    def test_the_pointer_reads_a_value(self):
        self.open_plot("localization")
        ActionChains(self.browser).move_to_element(self.one("#rate")).perform()
        self.until(lambda: " at " in self.texts(".value")[2])

    def test_latency_is_between_the_selected_ports(self):
        self.open_plot("localization")
        before = self.text("#quantiles")
        self.assertRegex(before, r"^2\d+ tags; half of them within ")
        Select(self.one("#from")).select_by_visible_text("ekf.estimate")
        self.until(lambda: self.text("#quantiles") != before)
        self.assertRegex(self.text("#quantiles"), r"^\d+ tags; half of them within ")
        self.check_quiet()

    def test_nodes_can_be_selected(self):
        self.open_plot("localization")
        before = self.script(COLORS, "busy")
        for box in self.all("#nodes input")[1:]:
            box.click()
        self.drawn()
        self.assertLess(self.script(COLORS, "busy"), before)
        self.check_quiet()

    def test_it_is_readable_light_and_dark_on_a_phone_and_wide(self):
        for width in (390, 1300):
            backs = set()
            for scheme in ("light", "dark"):
                self.size(width, 844, mobile=width < 500)
                self.look(scheme)
                self.open_plot("localization")
                self.assertEqual(self.script(browser.PALE), [])
                self.check_fits(width)
                backs.add(self.script(
                    "return getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(len(backs), 2)
        self.check_quiet()


if __name__ == "__main__":
    EXAMPLES, TOOL = (Path(x).resolve() for x in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
