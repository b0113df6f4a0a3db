#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests the report of rosia-drill in a real browser.

    page_test.py [-v] [<report.html>]...

Fills the page with page_report.json, and with reports made here, opens it in
Chromium, and uses it as a reader does. With arguments, it opens these reports of
rosia-drill instead; report.json is beside each. Without arguments,
ROSIA_DRILL_PAGE names the page made by the build. Needs the Debian packages
chromium, chromium-driver and python3-selenium.
"""

import base64
import hashlib
import http.server
import json
import os
import re
import sys
import threading
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import browser  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

# The page as joined by the build.
TEMPLATE = Path(os.environ.get("ROSIA_DRILL_PAGE", ""))
FIXTURE = HERE / "page_report.json"
MARKER = "/*ROSIA_DRILL_REPORT*/"

MS = 10**6

REPORTS = []

# Finds pairs of texts in one drawing that overlap.
OVERLAPS = """
  const found = [];
  for (const drawing of document.querySelectorAll('.timeline svg')) {
    const texts = [...drawing.querySelectorAll('text')].map(
      x => [x.textContent, x.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => {
      for (const [b, q] of texts.slice(i + 1))
        if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
            && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4)
          found.push(a + ' | ' + b);
    });
  }
  return found;
"""


def policy_hash(text):
    """Returns the hash of the page's script for its policy."""
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def fill(report):
    """Returns the page with a report, as rosia-drill writes it."""
    text = json.dumps(report, ensure_ascii=False).replace("<", "\\u003c")
    return TEMPLATE.read_text(encoding="utf-8").replace(MARKER, text)


def round_of(number=1, **others):
    return {
        "number": number, "seed": number, "held": True, "seconds": 0.5,
        "folder": "", "failures": [], "processes": [], "nodes": [], "events": [],
        "report": None,
    } | others


def drill_of(name, rounds, **others):
    return {
        "name": name, "file": "", "purpose": "", "program": [], "faults": [],
        "expectations": [], "rounds": rounds,
        "held": all(x["held"] for x in rounds),
    } | others


def report_of(*drills):
    return {
        "format": 1, "tool": "rosia-drill", "started": "2024-05-17T14:03:21Z",
        "seconds": 1.5, "held": all(x["held"] for x in drills),
        "drills": list(drills),
    }


def busy_round(nodes, steps, logs):
    """Returns a round with many nodes in four processes that execute many tags."""
    processes = ["a", "b", "c", "d"]
    return round_of(
        processes=[
            {"name": x, "status": "0", "started": MS, "ended": steps * 10 * MS}
            for x in processes
        ],
        nodes=[
            {
                "name": f"node {i}", "process": processes[i % 4], "ended": "done",
                "steps": [
                    [(k * 10 + (i * 7 + k * 3) % 9) * MS, k * 10 * MS, k % 2]
                    for k in range(steps)
                ],
            }
            for i in range(nodes)
        ],
        events=[
            {
                "at": i * MS, "kind": "fault" if i % 40 == 0 else "log",
                "process": processes[i % 4], "node": "", "text": f"line {i}",
                "tag": None,
            }
            for i in range(logs)
        ],
    )


class Case(browser.Case):
    # -- opening --------------------------------------------------------------

    def open(self, text, fragment=""):
        file = self.folder / "report.html"
        file.write_text(text, encoding="utf-8")
        self.open_file(file, fragment)

    def open_fixture(self, fragment=""):
        self.report = json.loads(FIXTURE.read_text(encoding="utf-8"))
        self.open(fill(self.report), fragment)

    def range(self):
        return self.text(".zoom [role=status]")

    def ticks(self):
        return self.texts(".timeline .head text")

    # -- checking -------------------------------------------------------------

    def check_round(self, cell):
        """Opens the round with a click; its timeline is drawn, and zooms."""
        cell.click()
        # Another round may still be open.
        self.until(lambda: cell.get_attribute("aria-expanded") == "true")
        self.until(lambda: self.all(".round h3"))
        if not self.all(".timeline"):
            self.assertIn("Nothing was recorded", self.one(".round").text)
            return
        before = self.ticks()
        whole = self.range()
        self.one(".zoom .button:first-child").click()
        self.until(lambda: self.range() != whole)
        self.drawn()
        self.assertNotEqual(self.ticks(), before)
        self.one(".zoom .button[title='Show the whole round']").click()
        self.until(lambda: self.range() == whole)
        self.assertEqual(self.ticks(), before)


class PageTest(Case):
    def test_the_policy_names_the_hash_of_the_script(self):
        text = TEMPLATE.read_text(encoding="utf-8")
        self.assertEqual(text.count(MARKER), 1)
        policy = re.search(r"script-src '([^']*)'", text)[1]
        self.assertEqual(policy, policy_hash(text))

    def test_the_policy_permits_no_network_access(self):
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(204)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        attempt = """
          const [url, done] = arguments;
          const loads = element => new Promise(then => {
            element.onload = () => then('loaded');
            element.onerror = () => then('refused');
            element.src = url + element.tagName;
            document.body.append(element);
          });
          Promise.all([
            fetch(url + 'fetch').then(() => 'loaded', () => 'refused'),
            loads(document.createElement('img')),
            loads(document.createElement('script')),
          ]).then(done);
        """
        url = f"http://127.0.0.1:{server.server_port}/"
        # The server is reachable; only the policy prevents access.
        self.browser.get(url)
        self.assertEqual(asked[0], "/")
        self.open_fixture()
        asked.clear()
        results = self.browser.execute_async_script(attempt, url)
        self.assertEqual(results, ["refused"] * 3)
        self.assertEqual(asked, [])

    def test_every_drill_is_shown_failed_ones_first(self):
        self.open_fixture()
        drills = self.report["drills"]
        expected = [x["name"] for x in sorted(drills, key=lambda x: x["held"])]
        self.assertEqual(self.texts(".drill h2"), expected)
        self.assertEqual(self.one("h1").text, "✗\n1 of 3 drills did not hold")
        self.assertEqual(self.browser.title, "1 of 3 drills did not hold")
        first = self.all(".drill")[0]
        for text in (
            drills[1]["purpose"], "did not hold", "2 of 3 rounds held",
            *drills[1]["faults"], *drills[1]["expectations"], "in round 2",
            drills[1]["rounds"][1]["failures"][0]["what"],
        ):
            self.assertIn(text, first.text)
        for drill in drills:
            shown = next(x for x in self.all(".drill") if drill["name"] in x.text)
            self.assertEqual(len(self.all(".cell", shown)), len(drill["rounds"]))
        self.assertEqual(len(self.all(".cell.failed")), 1)
        self.check_quiet()

    def test_a_click_opens_a_round_and_another_closes_it(self):
        self.open_fixture()
        self.check_round(self.one(".cell.failed"))
        expected = self.report["drills"][1]["rounds"][1]
        section = self.one(".round")
        for failure in expected["failures"]:
            self.assertIn(failure["expectation"] + ": " + failure["what"], section.text)
        for text in (str(expected["seed"]), expected["folder"]):
            self.assertIn(text, section.text)
        lanes = self.texts(".timeline .bars text")
        for lane in expected["processes"] + expected["nodes"]:
            self.assertIn(lane["name"], lanes)
        for text in ("status 129", "signal 9", "aborted", "lost", "node_asked", "700ms"):
            self.assertIn(text, lanes)
        faults = [x for x in expected["events"] if x["kind"] == "fault"]
        self.assertEqual(len(self.all(".timeline .head .k-fault")), len(faults))
        for fault in faults:
            self.assertIn(fault["text"], self.texts(".timeline .head text"))
        # Tags 0 to 1.1s on the axis of logical time.
        self.assertIn("1.0s", self.texts(".timeline .chart text"))
        self.one(".cell.failed").click()
        self.until(lambda: not self.all(".round"))
        self.check_quiet()

    def test_the_report_names_the_nodes_that_held_it_up(self):
        self.open_fixture("#round/kill%20while%20asking/2")
        rows = self.all("[aria-label='The nodes at the abort'] tbody tr")
        self.assertEqual(len(rows), 4)
        self.assertEqual(
            [x.text for x in self.all("th, td", rows[0])],
            # Busy or lost nodes report nothing: their traces have a logical
            # time.
            ["▸ detector", "asked", "700ms", "–", "–", "its code is still running",
             "inbox 9", "'on_image' at 700ms, is still running after 1.448s"],
        )
        lamp = next(x for x in rows if x.text.startswith("lamp"))
        self.assertIn("at 'on': waits for 'detector.found'", lamp.text)
        self.assertIn("process 'motion' was lost", self.one(".round").text)

    def test_the_report_of_a_service_without_nodes_is_shown(self):
        self.open_fixture("#round/existing_service%3A%20SIGTERM%20under%20load/1")
        text = self.one(".round").text
        for part in ("phase 'actors' waits for actor 'store'", "draining", "not started"):
            self.assertIn(part, text + " ".join(self.texts(".timeline text")))
        self.assertEqual(self.all(".timeline .chart"), [])
        self.check_quiet()

    def test_events_are_listed_and_found_in_the_timeline(self):
        self.open_fixture("#round/kill%20while%20asking/2")
        rows = "[aria-label=Events] tbody tr"
        events = self.report["drills"][1]["rounds"][1]["events"]
        self.assertEqual(len(self.all(rows)), len(events))
        self.all(".checks input")[0].click()
        faults = [x for x in events if x["kind"] == "fault"]
        self.assertEqual(len(self.all(rows)), len(events) - len(faults))
        # When zoomed to the left, the last event is out of view; selecting it
        # scrolls back.
        self.one(".zoom .button:first-child").click()
        self.one(".zoom .button[title='Move to the left']").click()
        self.drawn()
        before = self.range()
        self.all(rows + " .link")[-1].click()
        self.until(lambda: self.range() != before)
        self.until(lambda: self.all(".timeline .picked"))
        self.assertIn("status 129", self.one(".picked-row").text)
        # A click on a mark selects the row.
        self.one(".zoom .button[title='Show the whole round']").click()
        self.drawn()
        fault = self.all(".timeline .head .k-fault")[-1]
        ActionChains(self.browser).move_to_element(fault).perform()
        self.assertIn("kill target=motion", self.one(".tip").text)
        ActionChains(self.browser).move_to_element(fault).click().perform()
        self.until(lambda: "kill target=motion" in self.text(".picked-row"))
        self.check_quiet()

    def test_the_wheel_and_dragging_zoom(self):
        self.open_fixture("#round/kill%20while%20asking/2")
        whole = self.range()
        bars = self.one(".timeline .bars")
        self.script("arguments[0].scrollIntoView({block: 'center'})", bars)
        wheel = """
          const box = arguments[0].getBoundingClientRect();
          return !arguments[0].dispatchEvent(new WheelEvent('wheel', {
            deltaY: arguments[1], deltaX: arguments[2], bubbles: true,
            cancelable: true, clientX: box.x + box.width / 2, clientY: box.y + 20}));
        """
        # The timeline is already zoomed out, so the page scrolls.
        self.assertFalse(self.script(wheel, bars, 100, 0))
        self.assertTrue(self.script(wheel, bars, -100, 0))
        self.until(lambda: self.range() != whole)
        zoomed = self.range()
        self.assertTrue(self.script(wheel, bars, 0, 100))
        self.until(lambda: self.range() != zoomed)
        ActionChains(self.browser).double_click(bars).perform()
        self.until(lambda: self.range() == whole)
        drag = ActionChains(self.browser)
        drag.move_to_element_with_offset(bars, -100, 5).click_and_hold()
        drag.move_by_offset(200, 0).release().perform()
        self.until(lambda: self.range() != whole)
        zoomed = self.range()
        drag = ActionChains(self.browser).key_down(Keys.SHIFT)
        drag.move_to_element_with_offset(bars, 0, 5).click_and_hold()
        drag.move_by_offset(-80, 0).release().key_up(Keys.SHIFT).perform()
        self.until(lambda: self.range() != zoomed)
        self.check_quiet()

    def test_a_button_shows_the_end(self):
        self.open_fixture("#round/kill%20while%20asking/1")
        faults = [
            x for x in self.report["drills"][1]["rounds"][0]["events"]
            if x["kind"] == "fault"
        ]
        whole = self.range()
        self.one("[title='Show it from the first fault on']").click()
        self.until(lambda: self.range() != whole)
        self.drawn()
        self.assertEqual(len(self.all(".timeline .head .k-fault")), len(faults))
        self.assertNotIn("0", self.ticks())
        self.check_quiet()

    def test_the_curves_show_the_last_of_steps_that_are_too_close(self):
        steps = [[k, k * MS, 0] for k in range(100)] + [[2000 * MS, 200 * MS, 0]]
        nodes = [{"name": "n", "process": "p", "steps": steps, "ended": "done"}]
        self.open(fill(report_of(drill_of("dense", [round_of(nodes=nodes)]))))
        self.check_round(self.one(".cell"))
        # Half of all logical time passes at once; then nothing for two seconds.
        path = self.script(
            "const path = document.querySelector('.chart path[stroke-linejoin]');"
            "const box = path.getBBox();"
            "const middle = path.getPointAtLength(path.getTotalLength() / 2);"
            "return (box.y + box.height - middle.y) / box.height"
        )
        self.assertAlmostEqual(path, 0.5, delta=0.05)

    def test_figures_include_events_omitted_in_the_report(self):
        steps = [[0, 0, 0, 0]] + [
            [k * 10 * MS, k * 10 * MS, 0, k] for k in range(1, 302, 100)]
        nodes = [
            {"name": name, "process": "p", "steps": steps, "tags": 301, "ended": ended}
            for name, ended in (("n", "done"), ("gone", "lost"))
        ]
        events = [
            {"at": k * MS, "kind": "log", "process": "p", "node": "", "text": "x",
             "tag": None} for k in range(4)
        ]
        report = {"stage": "aborted", "elapsed_ns": 2500 * MS, "final": None, "nodes": [
            {"name": "gone", "stage": "lost", "complete": False, "text": "lost"}]}
        self.open(fill(report_of(drill_of("many", [round_of(
            nodes=nodes, events=events, log_lines=812, began=0, report=report)]))),
            "#round/many/1")
        rows = self.all("[aria-label='Processes and nodes'] tbody tr")
        self.assertEqual(
            [[x.text for x in self.all("td", row)][3:] for row in rows[1:]],
            [["301", "3.01s", "done"], ["301", "3.01s", "lost"]])
        self.assertEqual(self.text(".checks label"), "log lines (4 of 812)")
        self.assertIn("of nodes with many, some of these", self.text(".legend"))
        # At the time of the report, not at the end.
        lost = self.all("[aria-label='The nodes at the abort'] tbody tr")
        self.assertEqual([x.text for x in self.all("td", lost[0])][1], "2.01s")
        # Other steps are between two steps of the report.
        bars = self.one(".timeline .bars")
        self.script("arguments[0].scrollIntoView({block: 'center'})", bars)
        ActionChains(self.browser).move_to_element_with_offset(bars, 0, 12).perform()
        self.until(lambda: "tag 101 to 200 of 301" in self.text(".tip"))
        self.assertIn("logical time from 1.01s on, before 2.01s", self.text(".tip"))
        self.check_quiet()

    def test_the_keyboard_is_sufficient(self):
        self.open_fixture()
        active = lambda: self.browser.switch_to.active_element
        press = lambda *keys: ActionChains(self.browser).send_keys(*keys).perform()
        for _ in range(30):
            press(Keys.TAB)
            if "cell" in (active().get_attribute("class") or ""):
                break
        # The failed round is first; the arrow keys move to other rounds.
        self.assertEqual(active().text, "✗ 2")
        press(Keys.ARROW_LEFT)
        self.assertEqual(active().text, "1")
        press(Keys.END)
        self.assertEqual(active().text, "3")
        press(Keys.ARROW_LEFT, Keys.ENTER)
        self.until(lambda: self.all(".round h3"))
        self.assertEqual(active().tag_name, "h3")
        for _ in range(30):
            press(Keys.TAB)
            if active().get_attribute("class") == "timeline":
                break
        whole = self.range()
        press("+")
        self.until(lambda: self.range() != whole)
        zoomed = self.range()
        press(Keys.ARROW_RIGHT)
        self.until(lambda: self.range() != zoomed)
        press("0")
        self.until(lambda: self.range() == whole)
        press(Keys.ESCAPE)
        self.until(lambda: not self.all(".round"))
        self.assertEqual(active().text, "✗ 2")
        self.check_quiet()

    def test_a_round_has_an_address(self):
        self.open_fixture("#round/kill%20while%20asking/3")
        self.assertIn("Round 3 of kill while asking held", self.one("h3").text)
        self.one("[title='The next round that did not hold']").click()
        self.until(lambda: "Round 2" in self.text("h3"))
        self.assertTrue(self.browser.current_url.endswith("asking/2"))
        self.browser.back()
        self.until(lambda: "Round 3" in self.text("h3"))
        for unknown in ("#round/none/1", "#round/%E0%A4/1", "#round", "#x"):
            self.open_fixture(unknown)
            self.assertEqual(len(self.all(".drill")), 3)
            self.assertEqual(self.all(".round"), [])
        self.check_quiet()

    def test_drills_are_found_by_words_and_by_their_result(self):
        self.open_fixture()
        shown = lambda: [x.text for x in self.all(".drill h2") if x.is_displayed()]
        choices = {x.get_attribute("data-only"): x for x in self.all(".choice .button")}
        choices["failed"].click()
        self.assertEqual(shown(), ["kill while asking"])
        choices["held"].click()
        self.assertEqual(len(shown()), 2)
        self.one("input[type=search]").send_keys("sigterm SERVICE")
        self.assertEqual(shown(), ["existing_service: SIGTERM under load"])
        choices["failed"].click()
        self.assertEqual(shown(), [])
        self.assertIn("No drill fits", self.one("main").text)
        # A link still shows its drill.
        self.script("location.hash = '#round/kill%20while%20asking/2'")
        self.until(lambda: self.all(".round"))
        self.assertEqual(len(shown()), 3)
        self.check_quiet()

    def test_names_stay_text(self):
        bad = (
            "</script><script>document.title='broken'</script>"
            "<img src=x onerror=\"document.title='broken'\">&amp;'\"\u202e${1+1}"
        )
        event = {"at": MS, "kind": "fault", "process": bad, "node": bad, "text": bad,
                 "tag": [0, 0]}
        drill = drill_of(
            bad, [round_of(
                held=False, seed=bad, folder=bad,
                failures=[{"expectation": bad, "what": bad}],
                processes=[{"name": bad, "status": bad, "started": 0, "ended": MS}],
                nodes=[{"name": bad, "process": bad, "steps": [[0, 0, 0]], "ended": bad}],
                events=[event, event | {"kind": "step"}, event | {"kind": "end"},
                        event | {"kind": bad}],
                report={"stage": bad, "reason": bad, "final": None, "nodes": [
                    {"name": bad, "stage": bad, "code": {"name": bad, "tag": [0, 0]},
                     "complete": True, "queues": {bad: 1}, "text": bad,
                     "held_back": {"by": bad, "port": bad, "waits_for": bad}}]},
            )],
            file=bad, purpose=bad, program=[bad], faults=[bad], expectations=[bad],
        )
        self.open(fill(report_of(drill) | {"tool": bad, "started": bad}))
        self.assertEqual(self.one(".drill h2").get_attribute("textContent"), bad)
        self.check_round(self.one(".cell"))
        for selector in (".purpose", ".terms dd", ".round .why strong", ".round tbody th"):
            self.assertIn(bad, " ".join(self.texts(selector)))
        self.assertEqual(self.all("img"), [])
        self.assertEqual(len(self.all("script")), 2)
        self.assertEqual(self.browser.title, "1 of 1 drill did not hold")
        self.check_quiet()

    def test_minimal_and_large_reports_are_shown(self):
        self.open(fill(report_of()))
        self.assertEqual(self.one("h1").text, "–\nNo drill was run")
        self.check_quiet()
        self.open(fill(report_of(drill_of("empty", [round_of()]))))
        self.assertEqual(self.one("h1").text, "✓\nThe drill held")
        self.check_round(self.one(".cell"))
        self.check_quiet()
        # Only mandatory fields, with unknown times.
        processes = [{"name": "p", "status": "", "started": None, "ended": None}]
        nodes = [{"name": "n", "process": "q", "steps": [], "ended": ""}]
        few = {"name": "few", "held": True, "rounds": [
            {"number": 1, "held": True, "processes": processes, "nodes": nodes},
            {"number": 2, "held": True, "processes": processes, "events": [
                {"at": 0, "kind": "end", "text": "x"}]}]}
        self.open(fill({"format": 1, "drills": [few]}))
        for cell in self.all(".cell"):
            self.check_round(cell)
        self.check_quiet()

    def test_a_drill_that_was_not_run_does_not_count_as_held(self):
        report = report_of(drill_of("run", [round_of()]), drill_of("not run", []))
        self.open(fill(report | {"held": False, "not_run": 3}))
        self.assertEqual(
            self.one("h1").text, "–\nInterrupted: what was run has held")
        self.assertIn("3 rounds not run to their end", self.one(".facts").text)
        self.assertIn("1 of 2 drills held", self.one(".facts").text)
        self.assertIn("No round was run", self.all(".drill")[0].text)
        self.assertIn("was not run", self.all(".drill header")[0].text)
        self.check_quiet()

    def test_reasons_that_differ_only_in_numbers_are_merged(self):
        rounds = [
            round_of(i, held=False, failures=[{
                "expectation": "ends within 1s",
                "what": ("it did not end" if i > 11
                         else "it took 1.5s" if i == 1 else f"it took {i}00ms")}])
            for i in range(1, 15)
        ]
        self.open(fill(report_of(drill_of("slow", rounds))))
        self.assertEqual(
            [x.text for x in self.all(".why li")],
            ["✗ ends within 1s: for instance it took 1.5s in rounds 1, 2, 3, 4, 5, 6, "
             "7, 8 and 3 more",
             "✗ ends within 1s: it did not end in rounds 12, 13, 14"])
        self.check_quiet()

    def test_a_round_shows_how_to_run_it_again(self):
        # Exceeds the exact range of JavaScript's numbers.
        seed = 2**64 - 1
        self.open(fill(report_of(
            drill_of("a", [round_of(seed=seed)]), drill_of("it's", [round_of(2)]))))
        self.all(".cell")[0].click()
        self.until(lambda: f"Seed {seed}" in self.text(".round"))
        self.assertIn("rosia-drill replay report.json a:1", self.one(".round").text)
        self.all(".cell")[1].click()
        self.until(lambda: r"report.json 'it'\''s:2'" in self.text(".round"))
        self.check_quiet()

    def test_a_page_without_a_report_shows_a_message(self):
        for text, says in (
            (TEMPLATE.read_text(encoding="utf-8"), "There is no report in this page"),
            (fill({"format": 2}), "The report has format 2"),
        ):
            self.open(text)
            self.assertIn(says, self.one("[role=alert]").text)
            self.check_quiet()

    def test_a_large_report_is_drawn_with_few_elements(self):
        self.open(fill(report_of(drill_of("busy", [busy_round(50, 200, 2000)]))))
        self.check_round(self.one(".cell"))
        lanes = self.texts(".timeline .bars text")
        self.assertTrue({f"node {i}" for i in range(50)} <= set(lanes))
        self.assertLess(len(self.all(".timeline svg *")), 2500)
        self.assertLess(len(self.all("[aria-label=Events] tr")), 400)
        self.assertEqual(self.script(OVERLAPS), [])
        self.check_quiet()

    def test_hundreds_of_drills_have_a_cell_for_each_round(self):
        rounds = [round_of(i + 1, held=i != 77) for i in range(100)]
        drills = [drill_of(f"drill {i}", rounds) for i in range(300)]
        self.open(fill(report_of(*drills)))
        self.assertEqual(self.script("return document.querySelectorAll('.cell').length"), 30000)
        cell = self.all(".drill:last-of-type .cell.failed")[-1]
        self.check_round(cell)
        self.check_quiet()

    def test_it_is_readable_light_and_dark(self):
        backs = set()
        for scheme in ("light", "dark"):
            self.look(scheme)
            self.open_fixture("#round/kill%20while%20asking/2")
            self.assertEqual(self.script(browser.PALE), [])
            backs.add(self.script("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(backs), 2)

    def test_labels_do_not_overlap_and_the_page_fits_any_width(self):
        for width in (320, 420, 700, 1000, 1900):
            self.size(width, 900)
            self.open_fixture("#round/kill%20while%20asking/2")
            self.drawn()
            for _ in range(4):
                self.assertEqual(self.script(OVERLAPS), [], f"{width} pixels")
                marks = [x for x in self.ticks() if re.fullmatch(r"0|[\d.]+(ns|us|ms|s)", x)]
                self.assertGreaterEqual(len(marks), 2, f"{width} pixels: {marks}")
                self.one(".zoom .button:first-child").click()
                self.drawn()
            wide = self.script("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width)
        self.check_quiet()

    def test_a_phone_shows_the_events_and_how_to_zoom_without_a_wheel(self):
        self.size(390, 844, mobile=True)
        self.browser.execute_cdp_cmd(
            "Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.addCleanup(
            self.browser.execute_cdp_cmd,
            "Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.open_fixture("#round/kill%20while%20asking/2")
        self.drawn()
        hint = self.range()
        self.assertIn("+ and − zoom", hint)
        self.assertNotIn("heel", hint)
        # Each cell is within the table, and the table within the page.
        cut = self.script("""
          const table = document.querySelector('.events');
          const edge = table.closest('.scroll').getBoundingClientRect();
          return [...table.querySelectorAll('tbody td')].filter(x => {
            const box = x.getBoundingClientRect();
            return box.width < 8 || box.left < edge.left - 1
              || box.right > Math.min(edge.right, innerWidth) + 1;
          }).map(x => x.textContent);
        """)
        self.assertEqual(cut, [])
        narrow = self.script(
            "return Math.min(...[...document.querySelectorAll('.events td.wide')]"
            ".map(x => x.getBoundingClientRect().width))")
        self.assertGreater(narrow, 250)
        wide = self.script("return document.documentElement.scrollWidth")
        self.assertLessEqual(wide, 390)
        self.check_quiet()

    def test_it_can_be_printed(self):
        self.open_fixture("#round/kill%20while%20asking/2")
        pdf = self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
        self.assertTrue(base64.b64decode(pdf["data"]).startswith(b"%PDF"))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.addCleanup(
            self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
        self.assertFalse(self.one(".tools").is_displayed())
        self.assertTrue(self.one(".timeline").is_displayed())
        self.check_quiet()


class ReportTest(Case):
    """Opens reports written by rosia-drill."""

    def test_each_report_opens(self):
        for file in REPORTS:
            with self.subTest(report=file):
                beside = Path(file).with_suffix(".json")
                report = json.loads(beside.read_text(encoding="utf-8"))
                self.open_file(Path(file).resolve())
                shown = self.script(
                    "return document.getElementById('report').textContent")
                self.assertEqual(json.loads(shown), report)
                self.assertEqual(
                    sorted(self.texts(".drill h2")),
                    sorted(x["name"] for x in report["drills"]))
                self.assertEqual(
                    len(self.all(".cell")),
                    sum(len(x["rounds"]) for x in report["drills"]))
                # The first round of each drill, and all failed ones.
                for drill in self.all(".drill"):
                    cells = self.all(".cell", drill)
                    failed = self.all(".cell.failed", drill)
                    for cell in [x for x in cells[:1] if x not in failed] + failed:
                        self.check_round(cell)
                        self.assertEqual(self.script(OVERLAPS), [])
                self.check_quiet()


if __name__ == "__main__":
    REPORTS = [x for x in sys.argv[1:] if not x.startswith("-")]
    # Inapplicable tests are removed instead of skipped.
    if REPORTS:
        del PageTest
    else:
        del ReportTest
    unittest.main(argv=[x for x in sys.argv if x not in REPORTS])
