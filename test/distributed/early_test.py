# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Signals that come before an application has started: while its processes look
for each other, or wait. All end in order, at once, and say so."""

import os
import random
import signal
import time
import unittest

import launch

EARLY = "the application ends before it has started: signal {}"

# Seconds: nobody waits until join_timeout, which is much longer, is over.
SOON = 10
PATIENT = "--rosia.join_timeout=10min"


class Early(launch.Hosts):
    def check_ends(self, *runs, says):
        begin = time.monotonic()
        for run in runs:
            self.check_end(run, 0, says)
        self.assertLess(time.monotonic() - begin, SOON)

    def start_waiting(self):
        """A coordinator and one of its two workers, which has joined."""
        coordinator = self.start_coordinator(PATIENT, "--rosia.log_level=debug")
        worker = self.start_worker("left", self.port_of(coordinator), PATIENT)
        coordinator.wait_for("'left' has joined")
        return coordinator, worker

    def test_a_coordinator_that_waits_alone(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                run = self.start_coordinator(PATIENT)
                self.port_of(run)
                run.signal(number)
                self.check_ends(run, says=EARLY.format(int(number)))

    def test_a_worker_that_looks_for_its_coordinator(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                run = self.start_worker(
                    "left", launch.free_port(), PATIENT, "--rosia.log_level=debug"
                )
                run.wait_for("no answer yet")
                run.signal(number)
                self.check_ends(run, says=EARLY.format(int(number)))

    def test_a_coordinator_ends_those_that_have_joined(self):
        coordinator, worker = self.start_waiting()
        coordinator.signal(signal.SIGTERM)
        self.check_ends(coordinator, worker, says=EARLY.format(15))

    def test_a_worker_that_has_joined_ends_all(self):
        coordinator, worker = self.start_waiting()
        worker.signal(signal.SIGTERM)
        self.check_ends(coordinator, worker, says=EARLY.format(15))
        self.check_end(coordinator, 0, "signal 15 to process 'left'")

    def test_processes_of_one_command(self):
        # One of them is stopped, so that all others wait for it.
        for whom in ("coordinator", "left"):
            with self.subTest(whom):
                run = self.start_local(
                    PATIENT, "--rosia.log_level=debug", "--rosia.grace_period=1s"
                )
                os.kill(self.worker("right"), signal.SIGSTOP)
                run.wait_for("'left' has joined")
                pid = run.pid if whom == "coordinator" else self.worker(whom)
                os.kill(pid, signal.SIGTERM)
                os.kill(self.worker("right"), signal.SIGCONT)
                self.check_ends(run, says=EARLY.format(15))

    def test_a_process_that_hangs_is_killed(self):
        run = self.start_local(
            PATIENT, "--rosia.log_level=debug", "--rosia.grace_period=1s"
        )
        os.kill(self.worker("right"), signal.SIGSTOP)
        run.wait_for("'left' has joined")
        run.signal(signal.SIGTERM)
        self.check_end(run, 1, EARLY.format(15), "process 'right' did not end within")

    def test_a_second_signal_ends_the_process_by_force(self):
        # A server that says nothing: connecting cannot be broken off.
        with launch.socket.create_server(("127.0.0.1", 0)) as server:
            run = self.start_worker("left", server.getsockname()[1], PATIENT)
            connection = server.accept()[0]
            with connection:
                run.signal(signal.SIGTERM)
                run.wait_for("signal 15: the application will not start")
                run.signal(signal.SIGTERM)
                self.check_end(run, 128, "signal 15 again")

    def test_signals_at_any_moment_of_the_start(self):
        chance = random.Random(int(os.environ.get("ROSIA_EARLY_SEED", "1")))
        for _ in range(int(os.environ.get("ROSIA_EARLY_ROUNDS", "20"))):
            run = self.start_local("--test.rounds=0")
            run.wait_until_handles(signal.SIGTERM)
            time.sleep(chance.uniform(0, 0.1))  # any moment will do
            run.signal(signal.SIGTERM)
            self.check_end(run, 0, "signal 15")


if __name__ == "__main__":
    unittest.main()
