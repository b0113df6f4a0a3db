# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests a coordinator that cannot start the other processes. It ends with a
message that names the process, the reason and a remedy. No process remains, see
launch.Case."""

import os
import shutil
import signal
import subprocess
import unittest

import launch

# Refuses threads to a program, see failing_threads.cpp. Missing with
# sanitizers.
FAILING_THREADS = os.environ.get("ROSIA_FAILING_THREADS")

# More than the threads of the coordinator, or of a worker, with this option.
ENOUGH = 17
FEW_THREADS = f"--{os.environ['ROSIA_CAF_GROUP']}scheduler.max-threads=2"

# Other possible errors. OpenSSL does not report the reason.
ENDS_WITHOUT_MEMORY = "memory|Resource|alloc|OpenSSL failed|ended with status 1"


class Starting(launch.Case):
    def test_a_node_whose_constructor_throws_is_named(self):
        says = "node 'relay': its constructor threw an exception: made to fail"
        fault = ("--test.fault=constructor", "--test.culprit=relay")
        self.check_refused(1, *fault, says=says)
        run = self.start_local(*fault, f"--rosia.placement={launch.PLACEMENT}")
        self.check_end(run, 1, r"\[right\].*" + says)

    def test_a_program_that_was_deleted(self):
        path = os.path.join(self.folder, "program")
        shutil.copy(launch.PROGRAM, path)
        with open(path, "rb") as file:
            os.unlink(path)
            # A shell starts a program without a name.
            nameless = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            run = self.start(
                "--rosia.processes=left,right",
                prefix=("sh", "-c", f'shift; exec {nameless} "$@"', "sh"),
            )
            self.check_end(
                run,
                1,
                r"process 'left' could not be started: cannot start the program '"
                + path
                + r".*': No such file or directory; was the program deleted",
            )

    @unittest.skipUnless(FAILING_THREADS, "sanitizers need descriptors, too")
    def test_without_descriptors(self):
        failed = 0
        for limit in range(14, 32):
            with self.subTest(limit):
                run = self.start(
                    "--rosia.processes=left,right",
                    prefix=("prlimit", f"--nofile={limit}"),
                )
                if run.end() == 0:
                    continue
                self.check_end(run, 1, "Too many open files")
                if "could not be started" in run.text:
                    failed += 1
                    self.check_end(run, 1, "process '(left|right)' could", "ulimit -n")
        self.assertGreater(failed, 0)

    def start_without(self, threads, process, *arguments):
        return self.start(
            "--rosia.processes=left,right",
            f"--rosia.placement={launch.PLACEMENT}",
            FEW_THREADS,
            *arguments,
            LD_PRELOAD=FAILING_THREADS,
            FAILING_THREADS=threads,
            FAILING_PROCESS=process,
        )

    @unittest.skipUnless(FAILING_THREADS, "sanitizers start threads, too")
    def test_without_threads(self):
        """Refuses one thread, or that one and all following. Each process ends,
        with an error."""
        for process in ("", "left"):
            refused = 0
            for first in range(1, ENOUGH):
                for threads in (f"{first}", f"{first}-{first}"):
                    with self.subTest(process=process, threads=threads):
                        refused += self.start_without(threads, process).end() != 0
            # CAF's scheduler, its clock, printer, network, two middlemen, ...
            self.assertGreater(refused, 2 * 7)
            self.assertLess(refused, 2 * (ENOUGH - 1))

    @unittest.skipUnless(FAILING_THREADS, "sanitizers start threads, too")
    def test_without_threads_during_an_abort(self):
        """The abort must not depend on a new thread."""
        fault = (
            "--test.fault=hang",
            "--test.culprit=relay",
            "--rosia.negotiation_timeout=100ms",
            "--rosia.grace_period=100ms",
        )
        aborted = 0
        for first in range(1, ENOUGH):
            with self.subTest(first):
                run = self.start_without(f"{first}", "", *fault)
                if run.end() in (1, -signal.SIGABRT):
                    continue
                aborted += 1
                self.check_end(run, 129, "the process ends with status 129")
        self.assertGreater(aborted, 0)

    @unittest.skipUnless(FAILING_THREADS, "sanitizers take all addresses there are")
    def test_with_little_memory(self):
        """The failure depends on chance, but the process ends."""
        for mebibytes in (*range(60, 400, 8), *range(400, 900, 80)):
            for processes in ((), ("--rosia.processes=left,right",)):
                with self.subTest(mebibytes=mebibytes, processes=processes):
                    run = self.start(
                        *processes,
                        FEW_THREADS,
                        # For workers whose coordinator may have exited before.
                        "--rosia.network.join_timeout=3s",
                        prefix=("prlimit", f"--as={mebibytes << 20}"),
                    )
                    status = run.end()
                    if status in (0, -signal.SIGABRT):
                        continue
                    self.check_end(run, 1, ENDS_WITHOUT_MEMORY)


if __name__ == "__main__":
    unittest.main()
