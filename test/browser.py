# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Shared code of tests of pages in a real browser. Needs the Debian packages
chromium, chromium-driver and python3-selenium."""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError as error:
    sys.exit(f"{error}: the package python3-selenium is missing")

# Seconds: much more than anything takes, on a busy machine as well.
GUARD = 60
# Seconds between two looks at a page that is to change.
POLL = 0.02

# Finds texts whose contrast to the background is below 4.5, as defined by WCAG.
PALE = """
  const parse = x => x.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(x => x / 255)
    .map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
    .reduce((sum, x, i) => sum + x * [.2126, .7152, .0722][i], 0);
  const behind = x => {
    for (; x; x = x.parentElement) {
      const color = parse(getComputedStyle(x).backgroundColor);
      if (color[3] !== 0)
        return color;
    }
  };
  const found = [];
  const walker = document.createTreeWalker(
    document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const x = node.parentElement;
    if (!node.textContent.trim() || x.closest('svg, :disabled, [hidden]'))
      continue;
    const a = light(parse(getComputedStyle(x).color)), b = light(behind(x));
    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5)
      found.push(node.textContent);
  }
  return [...new Set(found)];
"""


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or sys.exit(
        "there is no chromium: the package chromium is missing"
    )
    driver = shutil.which("chromedriver") or sys.exit(
        "there is no chromedriver: the package chromium-driver is missing"
    )
    for argument in (
        "--headless=new",
        "--no-sandbox",  # root has no sandbox
        "--disable-dev-shm-usage",  # small in containers
        "--disable-background-networking",
        "--disable-gpu",
        "--no-first-run",
        "--window-size=1300,900",
    ):
        options.add_argument(argument)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    try:
        return webdriver.Chrome(options=options, service=Service(driver))
    except WebDriverException as error:
        sys.exit(f"Chromium does not start: {error}")


class Case(unittest.TestCase):
    """Shares one browser among all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="page-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.size(1300, 900)
        self.look("light")
        self.browser.get("about:blank")
        for kind in ("browser", "performance"):
            self.browser.get_log(kind)

    # -- opening --------------------------------------------------------------

    def open_file(self, file, fragment=""):
        self.url = file.as_uri()
        self.browser.get("about:blank")
        self.browser.get(self.url + fragment)
        # On a busy machine, get() may return while the old page is still there.
        self.until(
            lambda: self.script(
                "return document.readyState === 'complete'"
                " && document.URL.startsWith(arguments[0])",
                self.url,
            )
        )

    def size(self, width, height, mobile=False):
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )

    def look(self, scheme):
        self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    # -- looking --------------------------------------------------------------

    def all(self, selector, inside=None):
        return (inside or self.browser).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, inside=None):
        found = self.all(selector, inside)
        self.assertEqual(len(found), 1, selector)
        return found[0]

    def texts(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(x => x.textContent)",
            selector,
        )

    def until(self, condition):
        return WebDriverWait(self.browser, GUARD, POLL).until(lambda _: condition())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def press(self, selector):
        """Clicks the first such element of a page that may move it at any time. A
        click of the mouse would go to the place where it was."""
        self.script(
            "document.querySelector(arguments[0])"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            selector,
        )

    def text(self, selector):
        """Returns the text of an element; empty if there is none."""
        return self.script(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector
        )

    def drawn(self):
        """Waits until changes are drawn."""
        self.browser.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    # -- judging --------------------------------------------------------------

    def check_fits(self, width):
        wide = self.script("return document.documentElement.scrollWidth")
        self.assertLessEqual(wide, width)

    def check_quiet(self, within=()):
        """Checks that no error was logged, and that all requests went to the
        page's own server, or none at all."""
        errors = [
            x["message"]
            for x in self.browser.get_log("browser")
            if x["level"] == "SEVERE"
        ]
        self.assertEqual(errors, [])
        asked = [
            message["params"]["request"]["url"]
            for entry in self.browser.get_log("performance")
            for message in [json.loads(entry["message"])["message"]]
            if message["method"] == "Network.requestWillBeSent"
        ]
        self.assertIn(self.url, asked)
        others = [
            x
            for x in asked
            if x != self.url and not x.startswith(("data:", "about:", *within))
        ]
        self.assertEqual(others, [])
