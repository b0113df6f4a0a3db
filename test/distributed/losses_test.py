# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests processes that vanish, stop, or hang: the other processes notice, and
end. No test leaves files in the folder for temporary files, see launch.Case."""

import os
import random
import signal
import time
import unittest

import launch

# The loss of a stopped process is detected soon.
WATCHFUL = ["--rosia.network.heartbeat=200ms", "--rosia.network.connection_timeout=1s"]

# The nodes of each process by launch.PLACEMENT. A neighbour may be the first to
# notice, and is not to blame.
NODES = {
    "left": r"process 'left'.*nodes 'source', 'mirror'",
    "right": r"process 'right'.*nodes 'relay', 'sink'",
}

# Seconds: connection_timeout and grace_period, plus a margin for a busy
# machine.
SOON = 5 + 5 + 10


class Losses(launch.Hosts):
    def check_time_since(self, begin):
        self.assertLess(time.monotonic() - begin, SOON)

    def test_a_killed_worker_is_named_with_its_nodes(self):
        chance = random.Random(1)
        for name in ("left", "right", "left"):
            with self.subTest(name):
                run = self.start_endless()
                time.sleep(chance.uniform(0, 0.2))  # any time will do
                begin = time.monotonic()
                os.kill(self.worker(name), signal.SIGKILL)
                self.check_end(run, 1, NODES[name], "is aborted")
                self.check_time_since(begin)

    def test_a_worker_that_is_killed_before_the_start_is_named(self):
        run, _ = self.start_held("--rosia.grace_period=1s")
        os.kill(self.worker("right"), signal.SIGKILL)
        self.check_end(run, 1, "process 'right' (ended with status 137|was lost)")

    def test_a_worker_that_ends_by_itself_is_named(self):
        run = self.start_local(
            "--test.rounds=0",
            f"--rosia.placement={launch.PLACEMENT}",
            "--test.fault=exit",
            "--test.culprit=relay",
        )
        self.check_end(run, 1, NODES["right"])

    def test_a_stopped_worker_is_noticed_named_and_killed(self):
        run = self.start_endless("--rosia.grace_period=1s", *WATCHFUL)
        begin = time.monotonic()
        launch.stop(self.worker("right"))
        self.check_end(run, 1, NODES["right"])
        self.check_time_since(begin)

    def test_workers_end_when_their_coordinator_is_killed(self):
        run = self.start_endless()
        workers = set(self.pids()) - {run.pid}
        self.assertEqual(len(workers), 2)
        begin = time.monotonic()
        run.signal(signal.SIGKILL)
        run.end()
        self.assertTrue(launch.until(lambda: not self.pids(), SOON))
        self.check_time_since(begin)

    def test_workers_end_when_their_coordinator_is_stopped(self):
        run = self.start_endless("--rosia.grace_period=1s", *WATCHFUL)
        launch.stop(run.pid)
        self.assertTrue(launch.until(lambda: self.pids() == [run.pid], SOON))
        run.signal(signal.SIGKILL)
        run.end()

    def test_a_worker_that_hangs_does_not_prevent_the_end(self):
        for way, status in ((signal.SIGTERM, 129), (signal.SIGKILL, -9)):
            with self.subTest(way):
                run = self.start_local(
                    "--test.rounds=0",
                    f"--rosia.placement={launch.PLACEMENT}",
                    "--rosia.grace_period=500ms",
                    "--rosia.negotiation_timeout=500ms",
                    "--test.fault=hang",
                    "--test.culprit=relay",
                )
                run.wait_for("relay hangs")
                run.signal(way)
                self.check_end(run, status)
                if way == signal.SIGTERM:
                    self.check_end(run, status, "node 'relay'.*process 'right'")
                self.assertTrue(launch.until(lambda: not self.pids()))

    def test_over_hosts_a_killed_worker_ends_the_other_processes(self):
        coordinator, left, right = self.start_all("--test.rounds=0")
        right.wait_for("sink: the first items")
        begin = time.monotonic()
        right.signal(signal.SIGKILL)
        self.check_end(coordinator, 1, NODES["right"])
        self.check_end(left, 1)
        self.check_end(right, -9)
        self.check_time_since(begin)

    def test_over_hosts_only_the_killed_worker_is_blamed(self):
        for _ in range(int(os.environ.get("ROSIA_LOSS_ROUNDS", "10"))):
            coordinator, left, right = self.start_all("--test.rounds=0")
            right.wait_for("sink: the first items")
            right.signal(signal.SIGKILL)
            self.check_end(
                coordinator,
                1,
                NODES["right"] + " are lost: the application is aborted",
                "'relay' in process 'right': lost with its process",
            )
            self.assertNotRegex(coordinator.text, "lost its connection")
            self.assertNotRegex(coordinator.text, "'(relay|sink)'.*: busy")
            # The other processes report the reason as well.
            self.check_end(left, 1, NODES["right"] + " are lost: this process aborts")

    def test_over_hosts_all_report_which_process_got_the_signal(self):
        for name, number in (("coordinator", 0), ("left", 1)):
            with self.subTest(name):
                runs = self.start_all("--test.rounds=0")
                runs[2].wait_for("sink: the first items")
                runs[number].signal(signal.SIGTERM)
                where = "" if number == 0 else f" to process '{name}'"
                for run in runs:
                    self.check_end(
                        run, 0, f"signal 15{where}: the application ends"
                    )

    def test_over_hosts_all_report_a_status_and_an_exception(self):
        runs = self.start_all("--test.status=3")
        for run in runs[1:]:
            self.check_end(run, 3, "the application ended with status 3")
        self.check_end(runs[0], 3)
        runs = self.start_all(
            "--test.rounds=0", "--test.fault=throw", "--test.culprit=relay"
        )
        reason = r"node 'relay' .*made to fail \(in process 'right'\)"
        self.check_end(runs[0], 1, reason)
        for run in runs[1:]:
            self.check_end(run, 1, reason + ": this process aborts")

    def test_over_hosts_a_killed_coordinator_ends_the_other_processes(self):
        coordinator, left, right = self.start_all("--test.rounds=0")
        right.wait_for("sink: the first items")
        begin = time.monotonic()
        coordinator.signal(signal.SIGKILL)
        self.check_end(left, 1, "the coordinator was lost")
        self.check_end(right, 1, "the coordinator was lost")
        self.check_end(coordinator, -9)
        self.check_time_since(begin)

    def test_over_hosts_a_second_signal_ends_a_worker_without_the_coordinator(self):
        runs = self.start_all("--test.rounds=0", "--rosia.network.connection_timeout=10min")
        runs[2].wait_for("sink: the first items")
        launch.stop(runs[0].pid)
        for run in runs[1:]:
            run.signal_until(signal.SIGTERM, run.has_ended)
        for run in runs[1:]:
            self.check_end(
                run,
                128,
                "the coordinator did not end the application within 2s of a second "
                "signal: this process aborts",
            )
        runs[0].signal(signal.SIGCONT)
        # Depends on the message that arrives first: of a lost process, or of a
        # second signal. On a busy machine, a deadline may pass before both.
        self.assertIn(runs[0].end(), (1, 128, 129))

    def test_processes_that_were_stopped_together_continue(self):
        run = self.start_endless(*WATCHFUL)
        for pid in self.pids():
            launch.stop(pid)
        time.sleep(3)  # longer than connection_timeout, while all are stopped
        for pid in self.pids():
            os.kill(pid, signal.SIGCONT)
        time.sleep(2)  # time for consequences
        self.check_terminated(run)

    def test_over_hosts_a_stopped_worker_is_noticed(self):
        coordinator, left, right = self.start_all(
            "--test.rounds=0", "--rosia.grace_period=1s", *WATCHFUL
        )
        right.wait_for("sink: the first items")
        launch.stop(right.pid)
        self.check_end(coordinator, 1, NODES["right"])
        self.check_end(left, 1)
        # It detects the loss when it continues, or was asked to end before.
        right.signal(signal.SIGCONT)
        self.check_end(right, 1)


if __name__ == "__main__":
    unittest.main()
