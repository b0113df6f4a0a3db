# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests joined processes that send invalid data: a proxy between them changes
their frames. All of them always end by themselves.

ROSIA_FUZZ_VARIANTS is the amount: one run of the application for each 100, and
at least five. A run changes many frames. ROSIA_FUZZ_SEED is the seed of the
first run; each run prints its seed when it fails.
"""

import concurrent.futures
import os
import random
import re
import socket
import struct
import threading
import unittest

import launch

SEED = int(os.environ.get("ROSIA_FUZZ_SEED", "1"))
RUNS = max(int(os.environ.get("ROSIA_FUZZ_VARIANTS", "300")) // 100, 5)

# Valid statuses of an end: in order, with an error, or late.
STATUSES = (0, 1, 128, 129)

# Values pass through the coordinator, where they can be changed.
PLACEMENT = "source=left, relay=coordinator, mirror=left, sink=right"

LIMITS = [
    "--rosia.network.insecure",
    f"--rosia.placement={PLACEMENT}",
    "--rosia.network.join_timeout=3s",
    "--rosia.timeout=4s",
    "--rosia.grace_period=1s",
    "--rosia.negotiation_timeout=2s",
    "--rosia.network.heartbeat=200ms",
    "--rosia.network.connection_timeout=2s",
]

# CAF's protocol: operation, padding, flags, length of the payload, operation
# data, two actors.
HEADER = struct.Struct(">BHBIQQQ")

# Frames of values: a mark, length of the payload.
FRAME = struct.Struct(">BI")
MARK = 0x80

# The introduction of Rosia's own connections: greeting and number, then the
# proof, which the accepting side precedes by an answer.
GREETING = b"rosia/1\n"
INTRODUCTION = {True: 40 + 32, False: 40 + 33}  # by whether it has connected


def kind_of(header):
    """Returns how a header is packed, and which of its fields is the length."""
    return (FRAME, 1) if len(header) == 2 else (HEADER, 3)


def read_header(stream, first):
    """Returns the fields of the next header, whose first bytes were already
    read; None at the end.
    """
    first = first or stream.read(1)
    kind = FRAME if first[:1] == bytes([MARK]) else HEADER
    data = first + stream.read(kind.size - len(first))
    return kind.unpack(data) if len(data) == kind.size else None


class Forger:
    """Changes some of the frames. Equal seeds make equal decisions."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rate = self.random.choice([0.02, 0.1, 0.3])
        self.lock = threading.Lock()
        self.changes = [
            self.bits,
            self.extreme,
            self.shorter,
            self.longer,
            self.header,
            self.nothing,
            self.twice,
        ]

    def change(self, header, payload):
        """Returns the bytes to send in place of a frame."""
        with self.lock:
            if self.random.random() >= self.rate:
                return self.frame(header, payload)
            return self.random.choice(self.changes)(list(header), bytearray(payload))

    @staticmethod
    def frame(header, payload):
        header = list(header)
        kind, length = kind_of(header)
        header[length] = len(payload)
        return kind.pack(*header) + bytes(payload)

    def position(self, payload):
        # The fields of a message follow its type.
        first = max(payload.rfind(b"rosia::"), 0)
        return self.random.randrange(first, len(payload))

    def bits(self, header, payload):
        for _ in range(self.random.randrange(1, 4) if payload else 0):
            payload[self.position(payload)] ^= 1 << self.random.randrange(8)
        return self.frame(header, payload)

    def extreme(self, header, payload):
        if payload:
            size = self.random.choice([1, 4, 8])
            at = self.position(payload)
            value = self.random.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * size
            payload[at : at + size] = value[: len(payload) - at]
        return self.frame(header, payload)

    def shorter(self, header, payload):
        return self.frame(header, payload[: self.random.randrange(len(payload) + 1)])

    def longer(self, header, payload):
        return self.frame(header, payload + self.random.randbytes(100))

    def header(self, header, payload):
        kind, length = kind_of(header)
        fields = [(0, 8), (2, 256), (4, 1 << 64), (5, 1 << 64), (6, 100)]
        field, limit = self.random.choice(fields if kind is HEADER else [(0, 256)])
        header[field] = self.random.randrange(limit)
        if self.random.random() < 0.2:
            header[length] = self.random.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
            return kind.pack(*header) + bytes(payload)
        return self.frame(header, payload)

    def nothing(self, header, payload):
        return b""

    def twice(self, header, payload):
        return 2 * self.frame(header, payload)


class Between:
    """A port in front of the coordinator's."""

    def __init__(self, port, forger):
        self.target = port
        self.forger = forger
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.sockets = []
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                here, _ = self.server.accept()
            except OSError:
                return
            self.sockets.append(here)
            try:
                there = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.sockets.append(there)
            for ends in ((here, there, True), (there, here, False)):
                thread = threading.Thread(target=self.pass_on, args=ends)
                self.threads.append(thread)
                thread.start()

    def pass_on(self, source, target, connected):
        try:
            with source.makefile("rb") as stream:
                first = stream.read(len(GREETING))
                if first == GREETING:
                    rest = INTRODUCTION[connected] - len(first)
                    # Forwarded in parts, because each side waits for the other.
                    target.sendall(first + stream.read(40 - len(first)))
                    target.sendall(stream.read(rest - 40 + len(first)))
                    first = b""
                while header := read_header(stream, first):
                    first = b""
                    payload = stream.read(header[kind_of(header)[1]])
                    target.sendall(self.forger.change(header, payload))
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self.threads:
            thread.join()
        for end in self.sockets:
            end.close()


class Forgery(launch.Hosts):
    def run_once(self, seed):
        coordinator = self.start(
            "--rosia.network.listen=127.0.0.1:0",
            "--rosia.network.expect=left,right",
            *LIMITS,
            "--test.rounds=200",
            name=f"the coordinator (ROSIA_FUZZ_SEED={seed})",
        )
        between = Between(self.port_of(coordinator), Forger(seed))
        try:
            workers = [
                self.start(
                    f"--rosia.network.join=127.0.0.1:{between.port}",
                    f"--rosia.network.process={name}",
                    *LIMITS,
                    "--test.rounds=200",
                    name=f"process {name} (ROSIA_FUZZ_SEED={seed})",
                )
                for name in ("left", "right")
            ]
            statuses = [run.end() for run in (coordinator, *workers)]
        finally:
            between.close()
        for run, status in zip((coordinator, *workers), statuses):
            if status not in STATUSES or "Sanitizer" in run.text:
                run.fail(f"{run.name} ended with status {status}")
        if statuses[0] != 0 and not re.search("error|critical|distributed_program: ", coordinator.text):
            coordinator.fail("the coordinator did not say why it ended")

    def test_all_processes_end_whatever_other_processes_send(self):
        # They usually wait.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = {
                seed: pool.submit(self.run_once, seed)
                for seed in range(SEED, SEED + RUNS)
            }
        for seed, run in runs.items():
            with self.subTest(seed=seed):
                run.result()


if __name__ == "__main__":
    unittest.main()
