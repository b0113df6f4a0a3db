# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Strangers at the port of a process: the application does not care."""

import os
import random
import signal
import socket
import ssl
import struct
import unittest

import launch

SEED = int(os.environ.get("ROSIA_GARBAGE_SEED", "1"))
VARIANTS = int(os.environ.get("ROSIA_GARBAGE_VARIANTS", "10000"))
IDLE = 200

# MiB that a process may gain from all of it.
MOST_MEMORY = 64

# What CAF's protocol begins with when there is no TLS: operation, padding,
# flags, length of the payload, operation data, two actors.
BASP = struct.Struct(">BHBIQQQ")


def client_hello():
    """The first bytes that a client of TLS sends."""
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
    """Makes up what strangers send. The same seed gives the same bytes."""

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
        """One connection: says something, perhaps listens, and goes."""
        with self.connect(port) as s:
            way = strangers.random.randrange(16)
            try:
                s.sendall(strangers.make())
                if way == 0:
                    s.shutdown(socket.SHUT_WR)
                    s.recv(1)
                elif way < 4:
                    # With a reset instead of an orderly end.
                    linger = struct.pack("ii", 1, 0)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            except TimeoutError:
                raise
            except OSError:
                pass  # it has gone: that is the answer

    def ports_of(self, pid):
        """All ports that a process listens at."""
        inodes = set()
        for fd in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        result = []
        with open("/proc/net/tcp", encoding="utf-8") as table:
            for line in list(table)[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    result.append(int(fields[1].split(":")[1], 16))
        return result

    def start_noted(self):
        """An endless application, and the ports of all its processes."""
        runs = self.start_all("--test.rounds=0", "--test.pause=5000")
        runs[2].wait_for("sink: the first items")
        ports = [port for run in runs for port in self.ports_of(run.pid)]
        self.assertEqual(len(ports), 3)
        self.ports.update(ports)
        return runs, ports

    def check_alive(self, runs, before):
        for run, memory in zip(runs, before):
            if run.process.poll() is not None:
                run.fail(f"{run.name} ended")
            self.assertLess(launch.memory(run.pid), memory + MOST_MEMORY)

    def test_an_application_runs_on_whatever_strangers_send(self):
        runs, ports = self.start_noted()
        before = [launch.memory(run.pid) for run in runs]
        strangers = Strangers(SEED)
        for i in range(VARIANTS):
            self.disturb(strangers.random.choice(ports), strangers)
            if i % 100 == 0:
                self.check_alive(runs, before)
        self.check_alive(runs, before)
        runs[0].signal(signal.SIGTERM)
        for run in runs:
            self.check_end(run, 0)

    def test_strangers_that_say_nothing_do_not_keep_it_from_ending(self):
        runs, ports = self.start_noted()
        before = [launch.memory(run.pid) for run in runs]
        idle = [self.connect(ports[i % 3]) for i in range(IDLE)]
        try:
            # All of them have been let in when this one is.
            strangers = Strangers(SEED + 1)
            for port in ports:
                self.disturb(port, strangers)
            self.check_alive(runs, before)
            runs[0].signal(signal.SIGTERM)
            for run in runs:
                self.check_end(run, 0)
        finally:
            for s in idle:
                s.close()

    def test_an_application_starts_while_strangers_are_at_the_port(self):
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


if __name__ == "__main__":
    unittest.main()
