# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests a program whose output is not read. It still ends within its deadlines,
and loses no output if it is read in time."""

import array
import fcntl
import os
import re
import signal
import subprocess
import termios
import unittest

import launch

# The minimum number of bytes in a full pipe.
FULL = 30000


def waiting(fd):
    """Returns the number of bytes that can be read."""
    result = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, result)
    return result[0]


class Noise(launch.Case):
    def start_noise(self, noise, *arguments):
        """Starts a program whose output is not read, and which is blocked by
        that.
        """
        environment = {
            key: value for key, value in os.environ.items() if key[:6] != "ROSIA_"
        } | {"TMPDIR": self.temporary}
        process = subprocess.Popen(
            [
                launch.PROGRAM,
                self.marker,
                "--rosia.processes=left,right",
                f"--rosia.placement={launch.PLACEMENT}",
                f"--test.noise={noise}",
                "--rosia.grace_period=1s",
                "--rosia.negotiation_timeout=1s",
                *arguments,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        stream = process.stdout if noise == "out" else process.stderr
        sizes = []

        def is_full():
            sizes.append(waiting(stream.fileno()))
            return sizes[-1] > FULL and sizes[-20:] == 20 * [sizes[-1]]

        self.assertTrue(launch.until(is_full), sizes[-1:])
        return process

    def check_killed(self, noise, statuses):
        process = self.start_noise(noise, "--test.rounds=0")
        os.kill(self.worker("right"), signal.SIGKILL)
        self.assertIn(process.wait(launch.GUARD), statuses)
        self.assertTrue(launch.until(lambda: not self.pids()))
        return process

    def test_a_worker_is_killed_and_standard_output_is_not_read(self):
        process = self.check_killed("out", (1,))
        text = process.stderr.read().decode()
        self.assertRegex(text, "process 'right' (was lost|ended with status 137)")
        self.assertRegex(
            text,
            r"\d+ lines that the other processes printed are lost: nothing read "
            r"standard output within grace_period \(1s\)",
        )

    def test_a_worker_is_killed_and_standard_error_is_not_read(self):
        for noise in ("err", "log"):
            with self.subTest(noise):
                self.check_killed(noise, (1, 129))

    def test_all_end_without_a_reader(self):
        for noise in ("out", "err", "log"):
            with self.subTest(noise):
                process = self.start_noise(noise, "--test.rounds=0")
                process.terminate()
                process.wait(launch.GUARD)
                self.assertTrue(launch.until(lambda: not self.pids()))

    def test_the_reason_of_an_end_is_not_read(self):
        joins = ("--rosia.network.join=127.0.0.1:1", "--rosia.network.process=left")
        for status, arguments in (
            (2, ("--rosia.nonsense=1",)),
            (1, (*joins, "--rosia.network.insecure", "--rosia.network.join_timeout=100ms")),
        ):
            with self.subTest(status):
                reader, writer = os.pipe()
                self.addCleanup(os.close, reader)
                os.set_blocking(writer, False)
                for size in (4096, 1):
                    try:
                        while os.write(writer, size * b"x"):
                            pass
                    except BlockingIOError:
                        pass
                os.set_blocking(writer, True)
                process = subprocess.Popen(
                    [launch.PROGRAM, self.marker, *arguments],
                    stdin=subprocess.DEVNULL,
                    stderr=writer,
                )
                os.close(writer)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
                self.assertEqual(process.wait(launch.GUARD), status)

    def test_nothing_is_lost_if_the_output_is_read_in_time(self):
        process = self.start_noise(
            "out", "--test.rounds=400", "--rosia.grace_period=1min"
        )
        out, _ = process.communicate(timeout=launch.GUARD)
        self.assertEqual(process.returncode, 0)
        numbers = [int(x) for x in re.findall(r"\[right\] noise (\d+) x", out.decode())]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertGreater(len(numbers), FULL / 1000)


if __name__ == "__main__":
    unittest.main()
