# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests signals before the start of an application, while its processes connect
or wait. All processes end in order, at once, and log that."""

import contextlib
import glob
import os
import random
import re
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

import forgery_test
import launch

EARLY = "the application ends before it started: signal {}"

# Seconds: no process waits for join_timeout, which is much longer.
SOON = 9
PATIENT = "--rosia.network.join_timeout=10min"

INSECURE = ["--rosia.network.insecure"]

# CAF 1 numbers types in the order of their declaration: here, after the only type
# of values, rosia::logical_time.
MESSAGE_IDS = os.path.join(
    os.path.dirname(__file__), "../../libcaf_rosia/caf1/src/compat/message_ids.hpp"
)


def type_of_message(name):
    """Returns CAF's serialised form of a message's type."""
    if not os.environ["ROSIA_CAF_GROUP"]:
        return name.encode()
    with open(MESSAGE_IDS, encoding="utf-8") as file:
        names = re.findall(r'^CAF_ADD_TYPE_ID\(.*"(.*)"\)$', file.read(), re.MULTILINE)
    number = int(os.environ["ROSIA_FIRST_TYPE_ID"]) + 1 + names.index(name)
    return struct.pack(">BH", 1, number)  # one type


class LaterStart:
    """Makes a coordinator set the start to a distant, but valid time."""

    DELAY = 9_500_000_000  # nanoseconds

    def __init__(self):
        self.type = type_of_message("rosia::start_reply")

    def change(self, header, payload):
        if self.type in payload:
            start = struct.unpack(">q", payload[-8:])[0] + self.DELAY
            payload = payload[:-8] + struct.pack(">q", start)
        return forgery_test.HEADER.pack(*header) + payload


class Early(launch.Hosts):
    def check_ends(self, *runs, says):
        self.check_all_end(runs, 0, says)

    def check_all_end(self, runs, status, says):
        begin = time.monotonic()
        for run in runs:
            self.check_end(run, status, says)
        self.assertLess(time.monotonic() - begin, SOON)

    def start_waiting(self):
        """Returns a coordinator and one of its two workers, which has joined."""
        coordinator = self.start_coordinator(PATIENT, "--rosia.log_level=debug")
        worker = self.start_worker("left", self.port_of(coordinator), PATIENT)
        coordinator.wait_for("'left' joined")
        return coordinator, worker

    def test_a_coordinator_that_waits_alone(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                run = self.start_coordinator(PATIENT)
                self.port_of(run)
                run.signal(number)
                self.check_ends(run, says=EARLY.format(int(number)))

    def test_a_coordinator_that_would_take_checkpoints_says_that_it_took_none(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.db")
            run = self.start_coordinator(PATIENT, f"--rosia.checkpoint.file={file}")
            self.port_of(run)
            run.signal(signal.SIGTERM)
            says = EARLY.format(15) + "; nothing has run, so no checkpoint is taken"
            self.check_ends(run, says=says)
            self.assertEqual(os.listdir(folder), [])

    def test_a_worker_that_looks_for_its_coordinator(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                run = self.start_worker(
                    "left", launch.free_port(), PATIENT, "--rosia.log_level=debug"
                )
                run.wait_for("no answer yet")
                run.signal(number)
                self.check_ends(run, says=EARLY.format(int(number)))

    def test_a_coordinator_ends_processes_that_have_joined(self):
        coordinator, worker = self.start_waiting()
        coordinator.signal(signal.SIGTERM)
        self.check_ends(coordinator, worker, says=EARLY.format(15))

    def test_a_worker_that_has_joined_ends_all(self):
        coordinator, worker = self.start_waiting()
        worker.signal(signal.SIGTERM)
        self.check_ends(coordinator, worker, says=EARLY.format(15))
        self.check_end(coordinator, 0, "signal 15 to process 'left'")

    def test_processes_of_one_command(self):
        for process in ("coordinator", "right"):
            with self.subTest(process):
                run, trace = self.start_held(PATIENT)
                pid = run.pid if process == "coordinator" else self.worker(process)
                os.kill(pid, signal.SIGTERM)
                run.wait_for(r"^[^\[].*" + EARLY.format(15))  # of the coordinator
                with open(trace, encoding="utf-8") as pipe:
                    pipe.read()
                self.check_ends(run, says=EARLY.format(15))
                os.remove(trace)

    def test_a_process_of_one_command_that_cannot_handle_signals_yet(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                run = self.start_local(
                    PATIENT,
                    "--test.fault=signal",
                    "--test.culprit=left",
                    f"--test.signal={int(number)}",
                )
                self.check_ends(run, says=EARLY.format(f"{int(number)} to process 'left'"))

    def test_a_run_that_has_not_started_is_not_recorded(self):
        file = os.path.join(self.folder, "run.db")
        run, trace = self.start_held(PATIENT, f"--rosia.record.file={file}")
        run.signal(signal.SIGTERM)
        run.wait_for(r"^[^\[].*" + EARLY.format(15))
        with open(trace, encoding="utf-8") as pipe:
            pipe.read()
        self.check_ends(run, says=EARLY.format(15))
        for process in ("coordinator", "right"):
            with contextlib.closing(sqlite3.connect(f"{file}.{process}")) as database:
                runs = database.execute("SELECT how FROM run").fetchall()
                self.assertEqual(runs, [], process)

    def test_nodes_may_take_their_time_to_end(self):
        gate = os.path.join(self.folder, "gate")
        run, trace = self.start_held(
            PATIENT,
            "--test.fault=linger",
            "--test.culprit=sink",
            f"--test.gate={gate}",
        )
        run.signal(signal.SIGTERM)
        run.wait_for("sink lingers")
        run.wait_for(r"^[^\[].*" + EARLY.format(15))
        open(gate, "w").close()
        with open(trace, encoding="utf-8") as pipe:
            text = pipe.read()
        self.check_ends(run, says=EARLY.format(15))
        os.remove(trace)
        with open(trace, "w", encoding="utf-8") as file:
            file.write(text)
        self.check_traces(trace.removesuffix(".left"))

    def test_a_distant_start_is_not_waited_for(self):
        coordinator = self.start_coordinator("--test.rounds=0", tls=INSECURE)
        between = forgery_test.Between(self.port_of(coordinator), LaterStart())
        self.addCleanup(between.close)
        left = self.start_worker(
            "left", between.port, "--rosia.log_level=debug", tls=INSECURE
        )
        right = self.start_worker("right", self.port_of(coordinator), tls=INSECURE)
        left.wait_for("the application starts in 9")
        left.signal(signal.SIGTERM)
        says = "signal 15 to process 'left': the application ends"
        self.check_ends(coordinator, left, right, says=says)

    def test_a_start_without_a_coordinator_is_not_waited_for(self):
        coordinator = self.start_coordinator("--test.rounds=0", tls=INSECURE)
        between = forgery_test.Between(self.port_of(coordinator), LaterStart())
        self.addCleanup(between.close)
        workers = [
            self.start_worker(
                name, between.port, "--rosia.log_level=debug", tls=INSECURE
            )
            for name in ("left", "right")
        ]
        for worker in workers:
            worker.wait_for("the application starts in 9")
        coordinator.signal(signal.SIGKILL)
        self.check_all_end(workers, 1, "the coordinator was lost")
        coordinator.end()

    def test_a_coordinator_that_is_killed_ends_processes_that_it_has_started(self):
        # They have not reached it yet.
        run = self.start(
            PATIENT, ROSIA_JOIN="@rosia-gone", ROSIA_PROCESS="left", ROSIA_TOKEN="x"
        )
        self.check_all_end([run], 1, "the coordinator ended while this process")

    def test_a_coordinator_that_is_killed_ends_processes_that_have_joined(self):
        coordinator, worker = self.start_waiting()
        coordinator.signal(signal.SIGKILL)
        self.check_all_end([worker], 1, "process 'coordinator' was lost before")
        coordinator.end()

    def test_a_coordinator_may_be_killed_at_any_time_of_the_start(self):
        chance = random.Random(int(os.environ.get("ROSIA_EARLY_SEED", "1")))
        for _ in range(int(os.environ.get("ROSIA_EARLY_ROUNDS", "20"))):
            run = self.start_local(PATIENT, "--test.rounds=0")
            time.sleep(chance.uniform(0, 0.1))  # any time will do
            run.signal(signal.SIGKILL)
            self.assertTrue(launch.until(lambda: not self.pids(), SOON))

    def test_a_process_that_hangs_is_killed(self):
        run, _ = self.start_held(PATIENT, "--rosia.grace_period=1s")
        run.signal(signal.SIGTERM)
        self.check_end(run, 1, EARLY.format(15), "process 'left' did not end within")

    def test_a_second_signal_aborts_the_process(self):
        # A silent server: connecting cannot be interrupted.
        with launch.socket.create_server(("127.0.0.1", 0)) as server:
            run = self.start_worker("left", server.getsockname()[1], PATIENT)
            connection = server.accept()[0]
            with connection:
                run.signal(signal.SIGTERM)
                run.wait_for("signal 15: the application will not start")
                run.signal_until(signal.SIGTERM, run.has_ended)
                self.check_end(run, 128, "signal 15 again")

    def test_signals_at_any_time_of_the_start(self):
        chance = random.Random(int(os.environ.get("ROSIA_EARLY_SEED", "1")))
        for i in range(int(os.environ.get("ROSIA_EARLY_ROUNDS", "20"))):
            trace = os.path.join(self.folder, f"trace{i}")
            run = self.start_local("--test.rounds=0", f"--rosia.trace={trace}")
            run.wait_until_handles(signal.SIGTERM)
            time.sleep(chance.uniform(0, 0.1))  # any time will do
            run.signal(signal.SIGTERM)
            self.check_end(run, 0, "signal 15")
            self.check_traces(trace)

    def check_traces(self, name):
        """Checks that the traces, if any, show an orderly end."""
        parts = glob.glob(f"{glob.escape(name)}.*")
        # A process that was ended before its start has no trace.
        if not parts:
            return
        merged = subprocess.run(
            [launch.TRACE, "merge", *parts], capture_output=True, text=True, check=False
        )
        self.assertEqual(merged.returncode, 0, merged.stderr)
        with open(name, "w", encoding="utf-8") as file:
            file.write(merged.stdout)
        checked = subprocess.run(
            [launch.TRACE, "check", name], capture_output=True, text=True, check=False
        )
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
