# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests applications over several hosts, each a network namespace with a separate
address. The argument selects one of the classes below: Hosts, Links or Weather.
If the machine does not permit it, the status is 77: skipped."""

import re
import sys
import time
import unittest

import launch
import network

NAMES = ("alpha", "beta", "gamma")  # the coordinator, left, right
PORT = 7000

# The loss of a host is detected soon. In seconds:
CONNECTION_TIMEOUT = 1
GRACE_PERIOD = 1
WATCHFUL = [
    "--rosia.network.heartbeat=200ms",
    f"--rosia.network.connection_timeout={CONNECTION_TIMEOUT}s",
    f"--rosia.grace_period={GRACE_PERIOD}s",
]
# A margin for a busy machine.
ALLOWANCE = 8

DIGEST = r"sink: \d+ items, digest \w+"


class Application(launch.Hosts):
    """Runs the coordinator on the first host, its workers on the rest."""

    HOSTS = tuple(f"{network.SUBNET}.{i}" for i in range(1, 1 + len(NAMES)))

    def make_network(self):
        return network.Switched(*NAMES)

    def setUp(self):
        super().setUp()
        self.network = self.make_network()
        # Before the base's cleanup, which checks for remaining processes.
        self.addCleanup(self.network.close)
        self.addCleanup(self.kill_all)

    def kill_all(self):
        """Kills processes left by a failed test, because they would keep a
        host.
        """
        for run in self.runs:
            run.process.kill()

    def start_on(self, host, *arguments, ca="one", name):
        address = self.network.addresses[host]
        return self.start(
            f"--rosia.placement={launch.PLACEMENT}",
            *launch.tls_options(f"{self.certificates}/{ca}/{address}"),
            *arguments,
            name=name,
            prefix=self.network.prefix(host),
        )

    def start_first(self, *arguments):
        run = self.start_on(
            "alpha",
            f"--rosia.network.listen={self.network.addresses['alpha']}:{PORT}",
            "--rosia.network.expect=left,right",
            *arguments,
            name="the coordinator",
        )
        run.wait_for("waiting for left,right at 10")
        return run

    def join_from(self, host, name, *arguments, **options):
        return self.start_on(
            host,
            f"--rosia.network.join={self.network.addresses['alpha']}:{PORT}",
            f"--rosia.network.process={name}",
            *arguments,
            name=f"process {name}",
            **options,
        )

    def start_everywhere(self, *arguments):
        return (
            self.start_first(*arguments),
            self.join_from("beta", "left", *arguments),
            self.join_from("gamma", "right", *arguments),
        )

    def check_result(self, *arguments):
        """Checks that the result equals that of a single process."""
        alone = self.start(*arguments)
        runs = self.start_everywhere(*arguments)
        self.check_end(alone, 0)
        for run in runs:
            self.check_end(run, 0)
        self.assertEqual(
            re.search(DIGEST, alone.text)[0], re.search(DIGEST, runs[2].text)[0]
        )


class Hosts(Application):
    def test_the_result_over_hosts_is_that_of_one_process(self):
        self.check_result("--test.rounds=200")

    def test_values_do_not_pass_through_the_coordinator(self):
        before = self.network.received("alpha"), self.network.received("gamma")
        runs = self.start_everywhere("--test.rounds=8000", "--rosia.realtime=false")
        for run in runs:
            self.check_end(run, 0)
        alpha, gamma = (
            self.network.received(name) - was
            for name, was in zip(("alpha", "gamma"), before)
        )
        self.assertGreater(gamma, 10 * alpha, (alpha, gamma))

    def test_a_host_with_a_certificate_of_another_ca_is_refused(self):
        first = self.start_first("--rosia.network.join_timeout=20s")
        stranger = self.join_from(
            "beta", "left", "--rosia.network.join_timeout=2s", ca="other"
        )
        self.check_end(stranger, 1, "cannot reach the coordinator|no answer from the")
        for run in (
            first,
            self.join_from("beta", "left"),
            self.join_from("gamma", "right"),
        ):
            self.check_end(run, 0)

    def test_connections_without_tls_are_refused(self):
        run = self.start(
            f"--rosia.network.join={self.HOSTS[0]}:{PORT}",
            "--rosia.network.process=left",
            "--rosia.network.insecure",
            prefix=self.network.prefix("beta"),
        )
        self.check_end(run, 2, r"rosia\.network\.insecure: .* is not an address of the loopback")


class Links(Application):
    def start_endless_everywhere(self):
        runs = self.start_everywhere("--test.rounds=0", *WATCHFUL)
        runs[2].wait_for("sink: the first items")
        return runs

    def check_ends(self, runs, *patterns):
        """Checks that all processes end with status 1, soon, and report the
        reason.
        """
        begin = time.monotonic()
        for run, pattern in zip(runs, patterns):
            self.check_end(run, 1, pattern)
        self.assertLess(
            time.monotonic() - begin, CONNECTION_TIMEOUT + GRACE_PERIOD + ALLOWANCE
        )

    def test_a_worker_that_is_cut_off_is_named_with_its_nodes(self):
        runs = self.start_endless_everywhere()
        self.network.cut("gamma")
        # Its neighbour may be the first to notice.
        self.check_ends(
            runs,
            r"process 'right'.*nodes 'relay', 'sink'",
            "",
            "the coordinator was lost",
        )

    def test_a_coordinator_that_is_cut_off_ends_all(self):
        runs = self.start_endless_everywhere()
        self.network.cut("alpha")
        self.check_ends(
            runs,
            r"process '(left|right)' was lost",
            "the coordinator was lost",
            "the coordinator was lost",
        )

    def test_two_workers_that_lose_each_other_end_all(self):
        runs = self.start_endless_everywhere()
        self.network.cut_between("beta", "gamma")
        self.check_ends(
            runs,
            r"process '(left|right)' lost its connection to process '(left|right)'",
            "",
            "",
        )

    def test_the_loss_of_a_worker_before_the_start_is_detected(self):
        first = self.start_first("--rosia.network.join_timeout=3s", *WATCHFUL)
        self.network.cut("gamma")
        runs = (
            first,
            self.join_from("beta", "left", *WATCHFUL),
            self.join_from("gamma", "right", "--rosia.network.join_timeout=1s", *WATCHFUL),
        )
        self.check_end(runs[0], 1, "no message from 'right' within network.join_timeout")
        self.check_end(runs[1], 1, "no message from 'right' within network.join_timeout")
        self.check_end(runs[2], 1, "cannot reach the coordinator at .*unreachable")


class Weather(Application):
    """Latency, jitter and loss."""

    WEATHER = network.Weather(delay=0.02, jitter=0.005, loss=0.01)

    def make_network(self):
        return network.disturbed(self.WEATHER, *NAMES)

    def test_a_slow_and_lossy_network_does_not_change_the_result(self):
        self.check_result("--test.rounds=40")

    def test_an_end_by_request_is_in_order_on_a_slow_and_lossy_network(self):
        # Slow enough for the loop between the two hosts.
        runs = self.start_everywhere("--test.rounds=0", "--test.pause=200000")
        runs[2].wait_for("sink: the first items")
        runs[1].signal(launch.signal.SIGTERM)
        for run in runs:
            self.check_end(run, 0)


if __name__ == "__main__":
    network.enter()
    if "Weather" in sys.argv[1:]:
        try:
            made = network.disturbed(Weather.WEATHER, *NAMES)
        except network.Unavailable as e:
            network.skip(f"nothing here makes a network slow and lossy: {e}")
        print(f"by {type(made).__name__}", flush=True)
        made.close()
    unittest.main()
