# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests the end of applications over processes that the coordinator starts."""

import os
import re
import signal
import unittest

import launch


class Ending(launch.Case):
    def result_of(self, run):
        """Returns the count of the sink, without the name of its process."""
        return re.search(r"sink: \d+ items, digest \w+", run.text)[0]

    def test_two_processes_give_the_result_of_one(self):
        alone = self.start()
        together = self.start_local(processes=2)
        self.check_end(alone, 0)
        self.check_end(together, 0, r"(?m)^\[p[12]\] sink: \d+ items")
        self.assertEqual(self.result_of(alone), self.result_of(together))

    def test_every_line_of_a_process_begins_with_its_name(self):
        run = self.start_local(f"--rosia.placement={launch.PLACEMENT}")
        self.check_end(run, 0, r"(?m)^\[right\] sink: \d+ items")

    def test_their_connections_leave_nothing_on_the_disk(self):
        run = self.start_endless()
        self.assertEqual(os.listdir(self.temporary), [])
        run.signal(signal.SIGTERM)
        self.check_end(run, 0)

    def test_auto_starts_a_process_for_each_processor(self):
        run = self.start_local("--test.rounds=0", processes="auto")
        run.wait_for("sink: the first items")
        self.assertEqual(len(self.pids()), 1 + os.cpu_count())
        run.signal(signal.SIGTERM)
        self.check_end(run, 0)

    def test_auto_starts_the_processes_of_the_placement(self):
        run = self.start_local(
            "--rosia.placement=sink=here, *=there", processes="auto"
        )
        self.check_end(run, 0, r"(?m)^\[here\] sink: \d+ items")

    def test_coordinator_ends_with_the_status_of_the_request(self):
        run = self.start_local("--test.status=3", processes=2)
        self.check_end(run, 3)

    def test_one_sigterm_ends_all_in_order(self):
        run = self.start_endless()
        run.signal(signal.SIGTERM)
        self.check_end(run, 0, r"signal 15", r"sink: \d+ items")

    def test_one_sigint_ends_all_in_order(self):
        run = self.start_endless()
        run.signal(signal.SIGINT)
        self.check_end(run, 0, r"signal 2", r"sink: \d+ items")

    def test_sigterm_to_a_worker_ends_all_in_order(self):
        run = self.start_endless()
        os.kill(self.worker("left"), signal.SIGTERM)
        self.check_end(run, 0, r"signal 15", r"sink: \d+ items")

    def test_a_program_that_a_worker_starts_has_its_own_application(self):
        run = self.start_local(
            f"--rosia.placement={launch.PLACEMENT}",
            "--test.fault=start",
            "--test.culprit=sink",
        )
        self.check_end(run, 0, "another program: status 0")

    def test_a_second_sigterm_aborts(self):
        gate = os.path.join(self.folder, "gate")
        run = self.start_local(
            "--test.rounds=0",
            "--test.fault=wait",
            "--test.culprit=mirror",
            f"--test.gate={gate}",
        )
        run.wait_for("mirror waits")
        run.signal(signal.SIGTERM)
        run.wait_for("signal 15: the application ends")
        again = "signal 15 again: the application is aborted"
        run.signal_until(signal.SIGTERM, lambda: run.has_printed(again))
        open(gate, "w").close()
        self.check_end(run, 128)

    def test_an_exception_in_a_worker_ends_all_with_1(self):
        for culprit in ("relay", "sink"):
            with self.subTest(culprit):
                run = self.start_local(
                    "--test.rounds=0",
                    "--test.fault=throw",
                    f"--test.culprit={culprit}",
                    processes=3,
                )
                self.check_end(run, 1, f"{culprit}.*made to fail")

    def test_timeout_ends_all_with_129(self):
        run = self.start_local("--test.rounds=0", "--rosia.timeout=300ms")
        self.check_end(run, 129, "within its timeout")

    def test_stop_after_holds_for_all(self):
        alone = self.start("--test.rounds=0", "--rosia.stop_after=50ms")
        together = self.start_local("--test.rounds=0", "--rosia.stop_after=50ms")
        self.check_end(alone, 0)
        self.check_end(together, 0)
        self.assertEqual(self.result_of(alone), self.result_of(together))

    def test_two_processes_of_one_name_are_refused(self):
        self.check_refused(
            2, "--rosia.processes=left,left", says=r"rosia\.processes: .*different names"
        )

    def test_an_unknown_process_is_refused(self):
        run = self.start_local("--rosia.placement=sink=middle")
        self.check_end(
            run,
            1,
            r"node 'sink' is placed in process 'middle', which does not exist; "
            r"there is 'coordinator', 'left' and 'right'",
        )


if __name__ == "__main__":
    unittest.main()
