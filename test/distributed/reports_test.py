# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests that any process reports on the whole application, or on what is
missing.
"""

import json
import os
import re
import signal
import unittest

import launch

NODES = ["source", "relay", "mirror", "sink"]


class Reports(launch.Case):
    def setUp(self):
        super().setUp()
        self.report = os.path.join(self.folder, "report")

    def ask(self, run, name, says):
        """Sends SIGUSR1 to a process until its output matches, because a slow
        process may not answer in time.
        """
        number = len(run.text)
        pid = run.pid if name == "coordinator" else self.worker(name)

        def tells():
            os.kill(pid, signal.SIGUSR1)
            return launch.until(lambda: re.search(says, run.text[number:]), 3)

        if not launch.until(tells):
            run.fail(f"{name} did not tell /{says}/")

    def read_complete(self, run, name, file):
        """Returns the report of a process after all have answered."""

        def read():
            self.ask(run, name, "process 'right': ")
            if not os.path.exists(file):
                return None
            with open(file, encoding="utf-8") as text:
                report = json.load(text)
            whole = not any(x["problem"] for x in report["processes"])
            return report if whole else None

        return launch.until(read) or run.fail(f"{name} did not report of all")

    def check_all(self, report):
        self.assertEqual([x["name"] for x in report["nodes"]], NODES)
        self.assertTrue(all(x["complete"] or x["code"] for x in report["nodes"]))
        processes = {x["name"]: x for x in report["processes"]}
        self.assertEqual(list(processes), ["coordinator", "left", "right"])
        for name in ("left", "right"):
            self.assertGreater(processes[name]["messages"], 0)
            self.assertGreater(processes[name]["frames"], 0)

    def test_every_process_reports_on_all(self):
        run = self.start_endless(f"--rosia.report={self.report}")
        for name in ("coordinator", "left", "right"):
            with self.subTest(name):
                prefix = "" if name == "coordinator" else rf"\[{name}\]"
                self.ask(run, name, rf"(?m)^{prefix} +process 'right': sent \d+ messages of")
                file = self.report + ("" if name == "coordinator" else f".{name}")
                self.check_all(self.read_complete(run, name, file))
        self.check_terminated(run)

    def test_a_process_that_does_not_answer_is_named(self):
        run = self.start_endless()
        stopped = self.worker("right")
        launch.stop(stopped)
        for name in ("coordinator", "left"):
            self.ask(run, name, "process 'right': did not answer within 400ms")
        os.kill(stopped, signal.SIGCONT)
        self.ask(run, "left", r"process 'right': sent \d+ messages")
        self.check_terminated(run)

    def test_the_report_of_a_loss_has_the_counts_of_the_other_processes(self):
        run = self.start_endless("--rosia.verbose_end")
        os.kill(self.worker("right"), signal.SIGKILL)
        self.check_end(
            run, 1, r"process 'left': sent \d+ messages", "process 'right': was lost"
        )


class ReportsUnderWay(launch.Case):
    """Reports that wait for a process which is stopped, and then killed."""

    # Logged by the coordinator, which the other processes ask.
    UNDER_WAY = "the other processes are asked for a report"

    def start_and_stop(self, asked, *arguments):
        """Returns the run, the process that is asked, and one that is stopped."""
        # The processes of an earlier run have the same names.
        self.assertTrue(launch.until(lambda: not self.pids()))
        run = self.start_endless("--rosia.log_level=debug", *arguments)
        pid = run.pid if asked == "coordinator" else self.worker(asked)
        stopped = self.worker("right")
        launch.stop(stopped)
        return run, pid, stopped

    def check_killed(self, run, stopped):
        os.kill(stopped, signal.SIGKILL)
        self.check_end(run, 1, "process 'right'.*is aborted")

    def check_under_way(self, run, asked, stopped):
        os.kill(asked, signal.SIGUSR1)
        run.wait_for(self.UNDER_WAY)
        self.check_killed(run, stopped)

    def test_while_the_application_runs(self):
        for process in ("coordinator", "left"):
            with self.subTest(process):
                self.check_under_way(*self.start_and_stop(process))

    def test_while_the_end_is_negotiated(self):
        for process in ("coordinator", "left"):
            with self.subTest(process):
                run, asked, stopped = self.start_and_stop(process)
                run.signal(signal.SIGTERM)
                run.wait_for("signal 15: the application ends")
                self.check_under_way(run, asked, stopped)

    def test_while_a_thread_asks_all_the_time(self):
        for process in ("coordinator", "left"):
            for stops in (False, True):
                with self.subTest(process, stops=stops):
                    run = self.start_endless(f"--test.watcher={process}")
                    victim = self.worker("right")
                    if stops:
                        launch.stop(victim)
                        # The thread asks again.
                        run.wait_for("watcher: process 'right' does not answer")
                    self.check_killed(run, victim)

    def test_while_all_ends_in_order(self):
        for process in ("coordinator", "left"):
            with self.subTest(process):
                run = self.start_endless(f"--test.watcher={process}")
                self.check_terminated(run)


class ReportsOverHosts(launch.Hosts):
    def test_a_coordinator_that_does_not_answer_is_named(self):
        runs = self.start_all("--test.rounds=0")
        runs[2].wait_for("sink: the first items")
        launch.stop(runs[0].pid)
        runs[1].signal(signal.SIGUSR1)
        runs[1].wait_for("process 'coordinator': did not answer within 2s")
        runs[1].wait_for("process 'right': only the coordinator knows its state")
        runs[0].signal(signal.SIGCONT)
        self.check_terminated(*runs)


if __name__ == "__main__":
    unittest.main()
