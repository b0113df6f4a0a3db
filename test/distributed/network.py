# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Hosts of a network that exists only while a test runs.

Each host is a network namespace with a separate address. The hosts, their names,
all processes and temporary files are in namespaces (network, mounts, processes)
that `enter` creates. The kernel removes them with their first process, however
it ends, so nothing of them is visible outside.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

# CTest treats this status as "skipped".
SKIPPED = 77

INSIDE = "ROSIA_NETWORK_INSIDE"
SUBNET = "10.77.0"

# From <linux/if_tun.h> and <sys/prctl.h>.
TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
PR_SET_PDEATHSIG = 1


class Unavailable(Exception):
    """Thrown if the machine does not permit it, with the reason."""


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as e:
        raise Unavailable(f"{command[0]}: {e.strerror}") from e
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {done.stderr.strip()}")


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


# -- the namespaces -----------------------------------------------------------


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def enter():
    """Runs the script again as the first process of new namespaces, and ends
    with its status. Returns only there. Skips the test if namespaces are not
    available.
    """
    if os.environ.get(INSIDE):
        # `ip netns` stores its names here, and the tests their files.
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        tempfile.tempdir = "/run/tmp"
        os.mkdir(tempfile.tempdir)
        return
    unshare = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc"]
    if os.geteuid() != 0:
        unshare += ["--map-root-user"]
    try:
        run(*unshare, "sh", "-c", "mount -t tmpfs tmpfs /run && ip netns add x")
    except Unavailable as e:
        skip(f"no network namespaces here: {e}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with subprocess.Popen(
        [*unshare, "--kill-child", sys.executable, "-B", *sys.argv],
        env=os.environ | {INSIDE: "1"},
        preexec_fn=die_with_parent,
    ) as child:
        try:
            status = child.wait()
        finally:
            child.kill()
    sys.exit(status)


# -- networks -----------------------------------------------------------------


class Network:
    """The hosts of a network, each known by its name."""

    def __init__(self, *names):
        self.addresses = {
            name: f"{SUBNET}.{i}" for i, name in enumerate(names, start=1)
        }
        try:
            for name in names:
                run("ip", "netns", "add", name)
                self.inside(name, "ip", "link", "set", "lo", "up")
                self.attach(name)
        except BaseException:
            self.close()
            raise

    def attach(self, name):
        """Connects a host to the network, by eth0."""
        raise NotImplementedError

    def close(self):
        for name in self.addresses:
            self.remove(name)

    @staticmethod
    def remove(name):
        """Removes a namespace, if it exists."""
        subprocess.run(
            ["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False
        )

    @staticmethod
    def prefix(name):
        """Returns the prefix of a command that runs on this host."""
        return ["nsenter", f"--net=/run/netns/{name}"]

    def inside(self, name, *command):
        run(*self.prefix(name), *command)

    def address_link(self, name):
        """Assigns a host its address."""
        self.inside(
            name, "ip", "address", "add", f"{self.addresses[name]}/24", "dev", "eth0"
        )
        self.inside(name, "ip", "link", "set", "eth0", "up")

    def cut(self, name):
        """Simulates a pulled cable."""
        self.inside(name, "ip", "link", "set", "eth0", "down")

    def cut_between(self, one, other):
        """Drops all packets between the two hosts."""
        for here, there in ((one, other), (other, one)):
            self.inside(
                here, "ip", "route", "add", "blackhole", f"{self.addresses[there]}/32"
            )

    def received(self, name):
        """Returns the number of bytes received by a host."""
        done = subprocess.run(
            [*self.prefix(name), "cat", "/proc/net/dev"],
            capture_output=True,
            text=True,
            check=True,
        )
        for line in done.stdout.splitlines():
            device, _, numbers = line.partition(":")
            if device.strip() == "eth0":
                return int(numbers.split()[0])
        raise AssertionError(f"{name} has no eth0")


class Switched(Network):
    """Hosts at a switch, which is a bridge in a separate namespace."""

    SWITCH = "switch"

    def __init__(self, *names):
        run("ip", "netns", "add", self.SWITCH)
        try:
            self.inside(self.SWITCH, "ip", "link", "add", "bridge", "type", "bridge")
            self.inside(self.SWITCH, "ip", "link", "set", "bridge", "up")
            super().__init__(*names)
        except BaseException:
            self.close()
            raise

    def attach(self, name):
        run(
            "ip", "link", "add", "eth0", "netns", name, "type", "veth",
            "peer", "name", name, "netns", self.SWITCH,
        )  # fmt: skip
        self.inside(self.SWITCH, "ip", "link", "set", name, "master", "bridge")
        self.inside(self.SWITCH, "ip", "link", "set", name, "up")
        self.address_link(name)

    def close(self):
        super().close()
        self.remove(self.SWITCH)


class Weather:
    """The disturbances of packets. In seconds, or as a share."""

    def __init__(self, delay, jitter, loss):
        self.delay = delay
        self.jitter = jitter
        self.loss = loss


class Netem(Switched):
    """Hosts at a switch, with links that the kernel makes slow and lossy."""

    def __init__(self, weather, *names):
        self.weather = weather
        super().__init__(*names)

    def attach(self, name):
        super().attach(name)
        self.inside(
            name, "tc", "qdisc", "add", "dev", "eth0", "root", "netem",
            "delay", f"{self.weather.delay * 1e3}ms", f"{self.weather.jitter * 1e3}ms",
            "loss", f"{self.weather.loss * 100}%",
        )  # fmt: skip


class Relayed(Network):
    """Hosts at a switch without the kernel's netem: each host has a device
    whose packets a thread of this process forwards or drops.
    """

    def __init__(self, weather, *names):
        self.weather = weather
        self.chance = random.Random(1)
        self.devices = {}  # by address, as in a packet
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.relay)
        super().__init__(*names)
        self.thread.start()

    def attach(self, name):
        try:
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        except OSError as e:
            raise Unavailable(f"/dev/net/tun: {e.strerror}") from e
        address = bytes(int(x) for x in self.addresses[name].split("."))
        self.devices[address] = device
        try:
            fcntl.ioctl(
                device, TUNSETIFF, struct.pack("16sH", b"tun0", IFF_TUN | IFF_NO_PI)
            )
        except OSError as e:
            raise Unavailable(f"a device of /dev/net/tun: {e.strerror}") from e
        run("ip", "link", "set", "tun0", "netns", name, "name", "eth0")
        self.address_link(name)

    def relay(self):
        under_way = []  # time, number, receiver, packet
        count = 0
        devices = list(self.devices.values())
        while not self.over.is_set():
            now = time.monotonic()
            while under_way and under_way[0][0] <= now:
                _, _, device, packet = heapq.heappop(under_way)
                try:
                    os.write(device, packet)
                except OSError:
                    pass  # The link is down, or its queue full: the packet is lost.
            patience = min(under_way[0][0] - now, 0.1) if under_way else 0.1
            for device in select.select(devices, [], [], max(patience, 0))[0]:
                try:
                    packet = os.read(device, 65536)
                except OSError:
                    continue
                to = self.devices.get(packet[16:20])
                if to is None or self.chance.random() < self.weather.loss:
                    continue
                delay = self.chance.gauss(self.weather.delay, self.weather.jitter)
                count += 1
                heapq.heappush(
                    under_way, (time.monotonic() + max(delay, 0), count, to, packet)
                )

    def close(self):
        self.over.set()
        if self.thread.is_alive():
            self.thread.join()
        super().close()
        for device in self.devices.values():
            os.close(device)


def disturbed(weather, *names):
    """Returns a disturbed network, in the best way that this machine supports."""
    try:
        return Netem(weather, *names)
    except Unavailable as netem:
        try:
            return Relayed(weather, *names)
        except Unavailable as relay:
            raise Unavailable(f"{netem}; {relay}") from relay
