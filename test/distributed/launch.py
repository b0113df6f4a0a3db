# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Starts the program of these tests, and supervises its processes.

No test waits by sleeping for a fixed time: it waits for a line of output, or for
an end. The deadlines are guards against hangs.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

from free_port import free_port

PROGRAM = os.environ["ROSIA_PROGRAM"]
CERTS = os.environ["ROSIA_CERTS"]
TRACE = os.environ["ROSIA_TRACE"]

# Seconds: much longer than any step takes, even on a busy machine.
GUARD = 30

# The nodes of the program that are placed in the processes of most tests.
PLACEMENT = "source=left, relay=right, mirror=left, sink=right"


def until(condition, seconds=GUARD):
    """Polls a condition. Returns its last result."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result or time.monotonic() > end:
            return result
        time.sleep(0.01)


def listens(port):
    """Returns whether a process listens on a port of this machine."""
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def sockets_of(pid):
    """Returns the numbers of a process's sockets in /proc/net."""
    result = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
            if target.startswith("socket:["):
                result.add(target[8:-1])
    except OSError:
        pass  # just ended, or closed
    return result


def ports_of(pid):
    """Returns all TCP ports on which a process listens."""
    sockets = sockets_of(pid)
    result = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}", encoding="utf-8") as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in sockets:
                    result.append(int(fields[1].split(":")[1], 16))
    return result


def local_sockets():
    """Returns the names of all local sockets of this machine that are not
    files.
    """
    with open("/proc/net/unix", encoding="utf-8") as lines:
        return {x for line in lines for x in line.split()[7:] if x[0] == "@"}


def read_proc(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def stop(pid):
    """Stops a process, and waits until all of its threads have stopped, which
    may take a while on a busy machine.
    """
    os.kill(pid, signal.SIGSTOP)

    def has_stopped():
        return all(
            re.search(rb"^State:\s+T", read_proc(f"{pid}/task/{thread}", "status"), re.M)
            for thread in os.listdir(f"/proc/{pid}/task")
        )

    if not until(has_stopped):
        raise AssertionError(f"process {pid} does not stop")


def memory(pid):
    """Returns the resident memory of a process in MiB."""
    found = re.search(rb"VmRSS:\s+(\d+) kB", read_proc(pid, "status"))
    return int(found[1]) / 1024


class Run:
    """A started process, and its output."""

    def __init__(self, name, command, environment):
        self.name = name
        self.command = command
        self.lines = []
        self.changed = threading.Condition()
        self.open = 2
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self.readers = [
            threading.Thread(target=self.read, args=(stream,), daemon=True)
            for stream in (self.process.stdout, self.process.stderr)
        ]
        for reader in self.readers:
            reader.start()

    def read(self, stream):
        with stream:
            for line in stream:
                with self.changed:
                    self.lines.append(line.decode(errors="replace").rstrip("\n"))
                    self.changed.notify_all()
        with self.changed:
            self.open -= 1
            self.changed.notify_all()

    @property
    def pid(self):
        return self.process.pid

    @property
    def text(self):
        with self.changed:
            return "\n".join(self.lines)

    def fail(self, text):
        raise AssertionError(
            f"{text}\n  command: {' '.join(self.command)}\n"
            f"  after {time.monotonic() - self.begin:.1f} s it had printed:\n"
            + "\n".join("    " + line for line in self.text.split("\n"))
        )

    def wait_for(self, pattern):
        """Waits for a line that matches the pattern; returns the match."""
        end = time.monotonic() + GUARD
        seen = 0
        with self.changed:
            while True:
                for line in self.lines[seen:]:
                    if found := re.search(pattern, line):
                        return found
                seen = len(self.lines)
                if self.open == 0 or not self.changed.wait(end - time.monotonic()):
                    break
        self.fail(f"{self.name} did not print /{pattern}/")

    def signal(self, number):
        self.process.send_signal(number)

    def signal_until(self, number, condition):
        """Sends a signal repeatedly, because signals that soon follow the first
        one are the same request.
        """
        if not until(lambda: condition() or self.signal(number)):
            self.fail(f"{self.name} does not take signal {number} for a second one")

    def has_printed(self, pattern):
        return re.search(pattern, self.text)

    def has_ended(self):
        return self.process.poll() is not None

    def signals(self, kind):
        """Returns one of the sets of signals that the system shows for the
        process.
        """
        found = re.search(rf"{kind}:\s+(\w+)".encode(), read_proc(self.pid, "status"))
        return int(found[1], 16) if found else 0

    def wait_until_handles(self, number):
        """Waits until the process handles a signal."""
        if not until(lambda: self.signals("SigCgt") >> (number - 1) & 1):
            self.fail(f"{self.name} does not handle signal {number}")

    def end(self):
        """Waits for the end, and for the whole output; returns the status."""
        try:
            status = self.process.wait(GUARD)
        except subprocess.TimeoutExpired:
            self.fail(f"{self.name} did not end")
        for reader in self.readers:
            reader.join(GUARD)
        return status


class Case(unittest.TestCase):
    """A test that starts processes and ends all of them."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="distributed-")
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)
        self.marker = "--test.marker=" + uuid.uuid4().hex
        self.runs = []
        self.ports = set()
        self.local = set()
        self.addCleanup(self.clean_up)

    def clean_up(self):
        left = until(lambda: not self.pids(), 10) or self.pids()
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        for run in self.runs:
            run.process.wait()
        folders = os.listdir(self.temporary)
        taken = [port for port in self.ports if listens(port)]
        taken += self.local & local_sockets()
        shutil.rmtree(self.folder)
        self.assertIs(left, True, "processes remain")
        self.assertEqual(folders, [], "temporary files remain")
        self.assertEqual(taken, [], "a socket is still in use")

    # -- processes ------------------------------------------------------------

    def start(self, *arguments, name="the program", prefix=(), **environment):
        variables = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("ROSIA_") and key != "XDG_RUNTIME_DIR"
        }
        variables |= {"TMPDIR": self.temporary} | environment
        run = Run(name, [*prefix, PROGRAM, self.marker, *arguments], variables)
        self.runs.append(run)
        return run

    def start_local(self, *arguments, processes="left,right"):
        """Starts a coordinator, which starts the other processes."""
        return self.start(
            f"--rosia.processes={processes}", *arguments, name="the coordinator"
        )

    def start_held(self, *arguments):
        """Starts a coordinator and its processes. All of them join, but the
        process 'left' is not ready before its trace is read. Returns the run and
        the trace when all other processes are ready."""
        trace = os.path.join(self.folder, "trace")
        os.mkfifo(f"{trace}.left")
        run = self.start_local(
            f"--rosia.placement={PLACEMENT}",
            f"--rosia.trace={trace}",
            "--rosia.log_level=debug",
            *arguments,
        )
        run.wait_for(r"^[^\[].* this process is ready")
        run.wait_for(r"^\[right\].* this process is ready")
        return run, f"{trace}.left"

    def start_endless(self, *arguments):
        """Starts a coordinator and its processes, which run until they are
        ended. Returns when the application runs."""
        run = self.start_local(
            "--test.rounds=0", f"--rosia.placement={PLACEMENT}", *arguments
        )
        run.wait_for("sink: the first items")
        self.note_sockets()
        return run

    def pids(self):
        """Returns the processes of this test that have not ended."""
        marker = self.marker.encode()
        return [
            int(pid)
            for pid in os.listdir("/proc")
            if pid.isdigit() and marker in read_proc(pid, "cmdline").split(b"\0")
        ]

    def variables(self, pid):
        return dict(
            entry.split("=", 1)
            for entry in read_proc(pid, "environ").decode().split("\0")
            if "=" in entry
        )

    def worker(self, name):
        """Returns the process with this name that a coordinator has started."""

        def find():
            for pid in self.pids():
                if self.variables(pid).get("ROSIA_PROCESS") == name:
                    return pid

        # It may not be started yet.
        return until(find) or self.fail(f"there is no process {name}")

    def note_sockets(self):
        """Records the sockets. The end of the test checks that they are unused."""
        for pid in self.pids():
            if name := self.variables(pid).get("ROSIA_JOIN"):
                self.local.add(name)
        self.assertTrue(self.local)

    # -- checking -------------------------------------------------------------

    def check_end(self, run, status, *patterns):
        """Checks that the process ends with this status, and has printed all
        patterns.
        """
        actual = run.end()
        if actual != status:
            run.fail(f"{run.name} ended with status {actual}, not {status}")
        for pattern in patterns:
            if not re.search(pattern, run.text):
                run.fail(f"{run.name} did not print /{pattern}/")

    def check_terminated(self, first, *others):
        """Checks that a signal to the first process ends all of them in order."""
        first.signal(signal.SIGTERM)
        for run in (first, *others):
            self.check_end(run, 0)

    def check_refused(self, status, *arguments, says):
        """Checks that the command line is refused, or cannot be executed."""
        self.check_end(self.start(*arguments), status, says)


class Hosts(Case):
    """A test whose processes are started separately, with certificates."""

    HOSTS = ("127.0.0.1",)  # with certificates

    @classmethod
    def setUpClass(cls):
        cls.certificates = tempfile.mkdtemp(prefix="distributed-certs-")
        cls.addClassCleanup(shutil.rmtree, cls.certificates)
        for ca in ("one", "other"):
            certs("ca", f"--directory={cls.certificates}/{ca}")
            certs("host", f"--directory={cls.certificates}/{ca}", *cls.HOSTS)

    @classmethod
    def tls(cls, ca="one"):
        return tls_options(f"{cls.certificates}/{ca}/127.0.0.1")

    def start_coordinator(self, *arguments, expect="left,right", listen=0, tls=None):
        return self.start(
            f"--rosia.network.listen=127.0.0.1:{listen}",
            f"--rosia.network.expect={expect}",
            f"--rosia.placement={PLACEMENT}",
            *(self.tls() if tls is None else tls),
            *arguments,
            name="the coordinator",
        )

    def port_of(self, coordinator):
        """Returns the port when it is open."""
        pattern = r"waiting for .* at 127\.0\.0\.1:(\d+)"
        port = int(coordinator.wait_for(pattern)[1])
        self.ports.add(port)
        return port

    def start_worker(
        self, name, port, *arguments, tls=None, placement=PLACEMENT, prefix=()
    ):
        return self.start(
            f"--rosia.network.join=127.0.0.1:{port}",
            f"--rosia.network.process={name}",
            *([f"--rosia.placement={placement}"] if placement else []),
            *(self.tls() if tls is None else tls),
            *arguments,
            name=f"process {name}",
            prefix=prefix,
        )

    def start_all(self, *arguments, tls=None):
        """Starts a coordinator and two workers; waits only for the port."""
        coordinator = self.start_coordinator(*arguments, tls=tls)
        port = self.port_of(coordinator)
        return coordinator, *(
            self.start_worker(name, port, *arguments, tls=tls)
            for name in ("left", "right")
        )


def certs(*arguments):
    subprocess.run([CERTS, *arguments], check=True, stdout=subprocess.DEVNULL)


def tls_options(folder, **others):
    files = {"certificate": "certificate.pem", "key": "key.pem", "ca": "ca.pem"}
    return [
        f"--rosia.tls.{option}={others.get(option, os.path.join(folder, file))}"
        for option, file in files.items()
    ]
