# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests that an application ends in time after a reaction has closed a descriptor
of CAF or of the library. Tries each descriptor alone.
"""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import launch

# Short, because CAF hangs without some of its descriptors.
DEADLINES = ("--rosia.grace_period=1s", "--rosia.negotiation_timeout=2s")

FILES = {"trace": "trace", "record": "record.file"}

# The reasons that a program gives for a status other than 0.
REASONS = (
    r"closed (descriptors|the file)|is not complete|Bad file descriptor"
    r"|is aborted|did not (stop|end) within"
)


class Descriptors(launch.Case):
    def start_with_files(self, *arguments):
        folder = tempfile.mkdtemp(dir=self.folder)
        run = self.start(
            "--rosia.watch.address=127.0.0.1:0",
            *(f"--rosia.{option}={folder}/{name}" for name, option in FILES.items()),
            *DEADLINES,
            *arguments,
        )
        return folder, run

    def descriptors(self, culprit, arguments):
        """Returns the descriptors of the process that has a node."""
        _, run = self.start_with_files(
            "--test.rounds=0",
            "--test.fault=close",
            f"--test.culprit={culprit}",
            *arguments,
        )
        pid = run.pid
        if prefix := run.wait_for(rf"^(?:\[(\w+)\] )?{culprit} closed it")[1]:
            pid = self.worker(prefix)
        result = {}
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                result[int(fd)] = os.readlink(f"/proc/{pid}/fd/{fd}")
            except OSError:
                pass  # not the process's own
        self.check_terminated(run)
        return {fd: target for fd, target in result.items() if fd in range(3, 41)}

    def check_files(self, folder, run):
        """Checks that a run that claims success has lost nothing."""
        if not run.has_printed(r"sink: \d+ items, digest"):
            run.fail("the sink did not end in order")

        def tool(*arguments):
            command = [launch.TRACE, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                run.fail(f"{' '.join(command)}: {done.stdout} {done.stderr}")
            return done.stdout

        trace = os.path.join(folder, "trace")
        if not os.path.exists(trace):
            parts = map(str, pathlib.Path(folder).glob("trace.*"))
            merged = tool("merge", *parts)
            pathlib.Path(trace).write_text(merged, encoding="utf-8")
        tool("check", trace)
        tool("verify", os.path.join(folder, "record"))

    def try_one(self, fd, target, ends, culprit, arguments):
        folder, run = self.start_with_files(
            "--test.fault=close",
            f"--test.culprit={culprit}",
            f"--test.descriptor={fd}",
            *arguments,
            *(["--rosia.stop_after=300ms"] if ends else []),
            "--test.rounds=0",
        )
        run.name = f"after descriptor {fd} ({target}) was closed, the program"
        # Another thread may notice it, and end the process, before the node says so.
        run.wait_for(rf"^(\[\w+\] )?{culprit} closed it|{REASONS}")
        if not ends:
            run.signal(signal.SIGTERM)
        status = run.end()
        if status == 0:
            self.check_files(folder, run)
        elif not run.has_printed(REASONS):
            run.fail(f"{run.name} has not said why its status is {status}")

    def try_all(self, culprit, *arguments):
        all_open = self.descriptors(culprit, arguments)
        self.assertGreater(len(all_open), 8)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tries = [
                pool.submit(self.try_one, fd, target, ends, culprit, arguments)
                for fd, target in sorted(all_open.items())
                for ends in (False, True)
            ]
        for x in tries:
            with self.subTest():
                x.result()

    def test_of_one_process(self):
        self.try_all("sink")

    def test_of_a_worker(self):
        self.try_all(
            "sink",
            "--rosia.processes=left,right",
            "--rosia.placement=sink=left, *=right",
        )

    def test_of_a_coordinator(self):
        self.try_all(
            "sink",
            "--rosia.processes=right",
            "--rosia.placement=sink=coordinator, *=right",
        )


if __name__ == "__main__":
    unittest.main()
