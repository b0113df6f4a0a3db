# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests that strangers at the port of a process do not affect the application."""

import os
import random
import resource
import socket
import ssl
import struct
import subprocess
import sys
import unittest

import launch

SEED = int(os.environ.get("ROSIA_GARBAGE_SEED", "1"))
VARIANTS = int(os.environ.get("ROSIA_GARBAGE_VARIANTS", "10000"))
IDLE = 200

# Maximum growth of a process, in MiB.
MOST_MEMORY = 64

# The beginning of CAF's protocol without TLS: operation, padding, flags, length
# of the payload, operation data, two actors.
BASP = struct.Struct(">BHBIQQQ")


def client_hello():
    """Returns the first bytes of a TLS client."""
    outgoing = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    session = context.wrap_bio(ssl.MemoryBIO(), outgoing)
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class Strangers:
    """Generates data of strangers. Equal seeds give equal bytes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.hello = client_hello()
        self.kinds = [
            self.nothing,
            self.noise,
            self.half_a_hello,
            self.damaged_hello,
            self.hello_and_noise,
            self.record_of_any_length,
            self.http,
            self.basp,
        ]

    def make(self):
        return self.random.choice(self.kinds)()

    def nothing(self):
        return b""

    def noise(self):
        return self.random.randbytes(self.random.choice([1, 5, 100, 5000]))

    def half_a_hello(self):
        return self.hello[: self.random.randrange(1, len(self.hello))]

    def damaged_hello(self):
        result = bytearray(self.hello)
        for _ in range(self.random.randrange(1, 8)):
            result[self.random.randrange(len(result))] = self.random.randrange(256)
        return bytes(result)

    def hello_and_noise(self):
        return self.hello + self.random.randbytes(200)

    def record_of_any_length(self):
        kind = self.random.randrange(20, 25)
        length = self.random.choice([0, 1, 0x3FFF, 0x4800, 0xFFFF])
        return struct.pack(">BHH", kind, 0x0303, length) + self.noise()

    def http(self):
        return b"GET / HTTP/1.1\r\nHost: " + b"x" * self.random.randrange(500) + b"\r\n"

    def basp(self):
        length = self.random.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
        operation = self.random.randrange(8)
        return BASP.pack(operation, 0, 0, length, 4, 1, 1) + self.noise()


class Garbage(launch.Hosts):
    def connect(self, port):
        return socket.create_connection(("127.0.0.1", port), launch.GUARD)

    def disturb(self, port, strangers):
        """Opens a connection, sends data, perhaps reads, and closes."""
        with self.connect(port) as s:
            way = strangers.random.randrange(16)
            try:
                s.sendall(strangers.make())
                if way == 0:
                    s.shutdown(socket.SHUT_WR)
                    s.recv(1)
                elif way < 4:
                    # Closes with a reset.
                    linger = struct.pack("ii", 1, 0)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            except TimeoutError:
                raise
            except OSError:
                pass  # closed, which is a valid answer

    def start_noted(self, *arguments):
        """Starts an endless application, and returns the ports of all its
        processes.
        """
        runs = self.start_all("--test.rounds=0", "--test.pause=5000", *arguments)
        runs[2].wait_for("sink: the first items")
        ports = [port for run in runs for port in launch.ports_of(run.pid)]
        self.assertEqual(len(ports), 3)
        self.ports.update(ports)
        return runs, ports

    def check_alive(self, runs, before):
        for run, memory in zip(runs, before):
            if run.process.poll() is not None:
                run.fail(f"{run.name} ended")
            self.assertLess(launch.memory(run.pid), memory + MOST_MEMORY)

    def test_an_application_continues_whatever_strangers_send(self):
        runs, ports = self.start_noted()
        before = [launch.memory(run.pid) for run in runs]
        strangers = Strangers(SEED)
        for i in range(VARIANTS):
            self.disturb(strangers.random.choice(ports), strangers)
            if i % 100 == 0:
                self.check_alive(runs, before)
        self.check_alive(runs, before)
        self.check_terminated(*runs)

    def test_silent_strangers_do_not_prevent_the_end(self):
        runs, ports = self.start_noted()
        before = [launch.memory(run.pid) for run in runs]
        idle = [self.connect(ports[i % 3]) for i in range(IDLE)]
        try:
            # When this one was seen, all of them were.
            strangers = Strangers(SEED + 1)
            for port in ports:
                self.disturb(port, strangers)
            self.check_alive(runs, before)
            self.check_terminated(*runs)
        finally:
            for s in idle:
                s.close()

    def test_strangers_do_not_use_up_the_descriptors(self):
        runs, ports = self.start_noted()
        limit = 2 * len(os.listdir(f"/proc/{runs[0].pid}/fd")) + 200
        resource.prlimit(runs[0].pid, resource.RLIMIT_NOFILE, (limit, limit))
        port = launch.ports_of(runs[0].pid)[0]
        idle = [self.connect(port) for _ in range(limit)]
        try:
            # The first one was closed for the last one.
            self.assertEqual(self.last_word(idle[0]), b"")
            runs[0].wait_for("closed: too many connections")
            self.assertLess(len(os.listdir(f"/proc/{runs[0].pid}/fd")), limit // 2)
            self.check_terminated(*runs)
        finally:
            for s in idle:
                s.close()

    def test_a_silent_stranger_is_disconnected(self):
        runs, ports = self.start_noted(
            "--rosia.network.heartbeat=100ms", "--rosia.network.connection_timeout=2s"
        )
        for words in (b"", client_hello()[:9], client_hello()):
            with self.connect(ports[0]) as s:
                s.sendall(words)
                while self.last_word(s) != b"":
                    pass  # TLS may send something first
        runs[0].wait_for(r"127\.0\.0\.1:\d+ is closed: it has not shown within")
        self.check_terminated(*runs)

    @unittest.skipUnless(
        os.environ.get("ROSIA_FAILING_THREADS"), "sanitizers need descriptors, too"
    )
    def test_without_descriptors_clients_wait(self):
        runs, ports = self.start_noted()
        pid = runs[0].pid
        port = launch.ports_of(pid)[0]
        free = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        none = (3, free[1])
        resource.prlimit(pid, resource.RLIMIT_NOFILE, none)
        with self.connect(port) as s:
            runs[0].wait_for("new connections wait: Too many open files")
            resource.prlimit(pid, resource.RLIMIT_NOFILE, free)
            # Now it is accepted and answered.
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while self.last_word(s) != b"":
                pass
        self.check_terminated(*runs)

    def last_word(self, s):
        try:
            return s.recv(1000)
        except ConnectionError:
            return b""

    def test_an_application_starts_while_strangers_use_the_port(self):
        coordinator = self.start_coordinator()
        port = self.port_of(coordinator)
        strangers = Strangers(SEED + 2)
        workers = []
        for name in ("left", "right"):
            workers.append(self.start_worker(name, port))
            for _ in range(100):
                if coordinator.process.poll() is None:
                    self.try_to_disturb(port, strangers)
        for run in (coordinator, *workers):
            self.check_end(run, 0)

    def try_to_disturb(self, port, strangers):
        try:
            self.disturb(port, strangers)
        except ConnectionError:
            pass  # it has just ended


class OfOneCommand(launch.Case):
    """Processes of one command, which cannot be found from outside."""

    def test_they_listen_on_no_port(self):
        run = self.start_endless()
        self.assertEqual(len(self.pids()), 3)
        for pid in self.pids():
            self.assertEqual(launch.ports_of(pid), [])
        self.check_terminated(run)

    @unittest.skipIf(os.geteuid() != 0, "needs another user")
    def test_another_user_is_disconnected(self):
        run = self.start_endless()
        (name,) = self.local
        script = (
            "import os, socket; os.setuid(65534); s = socket.socket(socket.AF_UNIX);"
            f"s.settimeout({launch.GUARD}); s.connect('\\0{name[1:]}');"
            "print(s.recv(100))"
        )
        said = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        self.assertEqual(said.stdout, "b''\n")
        run.wait_for("of user 65534 is closed: it belongs to another user")
        self.check_terminated(run)

    def test_a_client_without_the_token_is_disconnected(self):
        run = self.start_endless()
        (name,) = self.local
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(launch.GUARD)
            s.connect("\0" + name[1:])
            self.assertEqual(s.recv(8), b"rosia/1\n")
            s.sendall(b"rosia/1\n" + bytes(32) + bytes(32))
            while s.recv(1000) != b"":
                pass
        run.wait_for("is closed: the tokens differ")
        self.check_terminated(run)


if __name__ == "__main__":
    unittest.main()
