# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests how processes that are started separately find each other, and the
errors that prevent that."""

import os
import re
import signal
import subprocess
import time
import unittest

import launch

# Processes that wait without success give up soon.
IMPATIENT = "--rosia.network.join_timeout=2s"


class Finding(launch.Hosts):
    def check_result(self, coordinator, left, right):
        self.check_end(coordinator, 0)
        self.check_end(left, 0)
        self.check_end(right, 0, r"(?m)^sink: \d+ items")

    def test_the_coordinator_starts_first(self):
        self.check_result(*self.start_all())

    def test_a_worker_starts_first_and_tries_again(self):
        port = launch.free_port()
        right = self.start_worker("right", port, "--rosia.log_level=debug")
        left = self.start_worker("left", port)
        launch.until(lambda: len(self.pids()) == 2)
        coordinator = self.start_coordinator(listen=port)
        self.port_of(coordinator)
        self.check_result(coordinator, left, right)

    def test_many_processes_join(self):
        names = ["left", "right", *(f"p{i}" for i in range(46))]
        coordinator = self.start_coordinator(expect=",".join(names))
        port = self.port_of(coordinator)
        for run in [self.start_worker(name, port) for name in names]:
            self.check_end(run, 0)
        self.check_end(coordinator, 0)

    def test_all_have_the_same_token(self):
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write("open sesame\n")
        coordinator = self.start_coordinator("--rosia.network.token=open sesame")
        port = self.port_of(coordinator)
        self.check_result(
            coordinator,
            self.start_worker("left", port, f"--rosia.network.token_file={token}"),
            self.start_worker("right", port, "--rosia.network.token=open sesame"),
        )

    def test_without_tls_on_the_loopback_device(self):
        self.check_result(*self.start_all(tls=["--rosia.network.insecure"]))

    def test_another_build_is_warned_of(self):
        with open(launch.PROGRAM, "rb") as file:
            program = file.read()
        mark = program.index(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
        other = os.path.join(self.folder, "other")
        with open(other, "wb") as file:
            file.write(program[:mark] + bytes(20) + program[mark + 20 :])
        os.chmod(other, 0o755)
        coordinator = self.start_coordinator()
        port = self.port_of(coordinator)
        left = self.start_worker("left", port)
        prefix = ("sh", "-c", f'shift; exec {other} "$@"', "sh")
        right = self.start_worker("right", port, prefix=prefix)
        self.check_result(coordinator, left, right)
        builds = re.findall("process '(.*)' runs another build", coordinator.text)
        self.assertEqual(builds, ["right"])

    def test_the_status_of_the_request_is_that_of_all(self):
        for run in self.start_all("--test.status=3"):
            self.check_end(run, 3)

    def test_sigterm_to_any_process_ends_all_in_order(self):
        for i in range(3):
            with self.subTest(i):
                runs = self.start_all("--test.rounds=0")
                runs[2].wait_for("sink: the first items")
                runs[i].signal(signal.SIGTERM)
                self.check_result(*runs)


class Certificates(launch.Hosts):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_self_signed()
        cls.make_expired()

    @classmethod
    def make_self_signed(cls):
        folder = f"{cls.certificates}/self-signed"
        os.mkdir(folder)
        cls.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "10",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem",
        )  # fmt: skip

    @classmethod
    def make_expired(cls):
        """Makes a certificate of the right CA that was valid for a day, long
        ago.
        """
        folder = f"{cls.certificates}/expired"
        os.mkdir(folder)
        cls.openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
            "-keyout", f"{folder}/key.pem", "-out", f"{folder}/request.pem",
        )  # fmt: skip
        with open(f"{folder}/ca.conf", "w", encoding="utf-8") as file:
            file.write(
                f"[ca]\ndefault_ca=it\n[it]\ndatabase={folder}/index\n"
                f"new_certs_dir={folder}\nrand_serial=yes\ndefault_md=sha256\n"
                "policy=any\nx509_extensions=host\n"
                "[any]\ncommonName=supplied\n"
                "[host]\nsubjectAltName=IP:127.0.0.1\n"
            )
        open(f"{folder}/index", "w", encoding="utf-8").close()
        cls.openssl(
            "ca", "-batch", "-notext", "-config", f"{folder}/ca.conf",
            "-startdate", "20200101000000Z", "-enddate", "20200102000000Z",
            "-cert", f"{cls.certificates}/one/ca.pem",
            "-keyfile", f"{cls.certificates}/one/ca-key.pem",
            "-in", f"{folder}/request.pem", "-out", f"{folder}/certificate.pem",
        )  # fmt: skip

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    def files(self, name):
        """Returns the options for a certificate of that name, and the right CA."""
        folder = f"{self.certificates}/{name}"
        return launch.tls_options(folder, ca=f"{self.certificates}/one/ca.pem")

    def check_stranger(self, tls):
        """Checks that the coordinator refuses the worker, and continues to
        wait.
        """
        coordinator = self.start_coordinator("--rosia.network.join_timeout=20s")
        port = self.port_of(coordinator)
        stranger = self.start_worker("left", port, IMPATIENT, tls=tls)
        self.check_end(stranger, 1, "cannot reach the coordinator|no answer from the")
        runs = [self.start_worker(name, port) for name in ("left", "right")]
        for run in (coordinator, *runs):
            self.check_end(run, 0)

    def test_a_worker_of_another_ca_is_refused(self):
        self.check_stranger(self.tls("other"))

    def test_a_worker_without_tls_is_refused(self):
        self.check_stranger(["--rosia.network.insecure"])

    def test_a_worker_with_a_self_signed_certificate_is_refused(self):
        folder = f"{self.certificates}/self-signed"
        self.check_stranger(
            launch.tls_options(folder, ca=f"{folder}/certificate.pem")
        )

    def test_a_worker_refuses_a_coordinator_of_another_ca(self):
        coordinator = self.start_coordinator(IMPATIENT, tls=self.tls("other"))
        port = self.port_of(coordinator)
        worker = self.start_worker("left", port, IMPATIENT)
        self.check_end(worker, 1, "cannot reach the coordinator|no answer from the")
        self.check_end(coordinator, 1, "no message from 'left', 'right'")

    def check_files(self, tls, says):
        """Checks that the process itself reports the error before it connects."""
        run = self.start_worker("left", launch.free_port(), tls=tls)
        self.check_end(run, 2, says)

    def test_an_expired_certificate_is_refused_by_its_own_process(self):
        self.check_files(self.files("expired"), r"rosia\.tls\.certificate: .*/expired/.* expired at 2020")

    def test_a_certificate_of_another_ca_is_refused_by_its_own_process(self):
        self.check_files(self.files("self-signed"), r"was not issued by a CA in .*/one/ca\.pem")

    def test_missing_files_are_named(self):
        for option in ("certificate", "key", "ca"):
            folder = f"{self.certificates}/one/127.0.0.1"
            missing = launch.tls_options(folder, **{option: "/nowhere/x.pem"})
            with self.subTest(option):
                self.check_files(
                    missing, rf"rosia\.tls\.{option}: /nowhere/x\.pem: cannot be read"
                )

    def test_files_with_other_content_are_named(self):
        bad = os.path.join(self.folder, "bad.pem")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("-----BEGIN CERTIFICATE-----\nnothing\n")
        os.chmod(bad, 0o600)
        for option in ("certificate", "key", "ca"):
            folder = f"{self.certificates}/one/127.0.0.1"
            with self.subTest(option):
                self.check_files(
                    launch.tls_options(folder, **{option: bad}),
                    rf"rosia\.tls\.{option}: .*/bad\.pem: ",
                )

    def test_missing_options_for_files_are_refused(self):
        self.check_files([], r"rosia\.tls\.certificate")

    def test_a_key_of_another_certificate_is_refused(self):
        one = f"{self.certificates}/one/127.0.0.1"
        other = f"{self.certificates}/other/127.0.0.1"
        self.check_files(
            launch.tls_options(one, key=f"{other}/key.pem"),
            r"rosia\.tls\.key: .* is not the key of the certificate",
        )


class Joining(launch.Hosts):
    def check_refused_everywhere(self, coordinator, *workers, says):
        self.check_end(coordinator, 1, says)
        for worker in workers:
            self.check_end(worker, 1, says)

    def test_a_wrong_token_is_refused(self):
        coordinator = self.start_coordinator("--rosia.network.token=one")
        port = self.port_of(coordinator)
        for token in ("other", "on", "one!", None):
            options = [] if token is None else [f"--rosia.network.token={token}"]
            worker = self.start_worker("left", port, *options)
            self.check_end(worker, 1, "the tokens differ")
        self.check_terminated(coordinator)

    def test_an_unexpected_name_is_refused(self):
        coordinator = self.start_coordinator()
        worker = self.start_worker("middle", self.port_of(coordinator))
        self.check_end(
            worker, 1, "does not expect a process 'middle', but: 'left', 'right'"
        )
        coordinator.wait_for(
            "process 'middle' is refused: expected are 'left', 'right'"
        )
        self.check_terminated(coordinator)

    def test_the_coordinators_own_name_is_refused(self):
        coordinator = self.start_coordinator()
        worker = self.start_worker("coordinator", self.port_of(coordinator))
        self.check_end(worker, 1, "does not expect a process 'coordinator'")
        self.check_terminated(coordinator)

    def test_a_second_process_of_a_name_is_refused_and_the_first_runs(self):
        coordinator = self.start_coordinator("--rosia.network.join_timeout=20s")
        port = self.port_of(coordinator)
        twins = [self.start_worker("left", port) for _ in range(2)]
        refused = launch.until(
            lambda: [x for x in twins if x.process.poll() is not None]
        )
        self.assertEqual(len(refused), 1)
        self.check_end(refused[0], 1, "another process 'left' joined already")
        twins.remove(refused[0])
        right = self.start_worker("right", port)
        for run in (coordinator, twins[0], right):
            self.check_end(run, 0)

    def test_a_process_that_is_too_late_says_so(self):
        runs = self.start_all("--test.rounds=0")
        runs[0].wait_for("all processes joined")
        port = next(iter(self.ports))
        late = self.start_worker("left", port, "--rosia.network.join_timeout=1s")
        late.wait_for(
            f"the application of the coordinator at 127.0.0.1:{port} started already"
        )
        self.check_end(late, 1, r"within network.join_timeout \(1s\)")
        self.check_terminated(*runs)

    def test_a_worker_that_never_joins_is_named(self):
        coordinator = self.start_coordinator(IMPATIENT)
        worker = self.start_worker("right", self.port_of(coordinator), IMPATIENT)
        self.check_refused_everywhere(
            coordinator, worker, says=r"no message from 'left' within network.join_timeout \(2s\)"
        )

    def test_a_worker_does_not_wait_forever_for_its_coordinator(self):
        port = launch.free_port()
        worker = self.start_worker("left", port, IMPATIENT)
        self.check_end(
            worker,
            1,
            f"cannot reach the coordinator at 127.0.0.1:{port} within network.join_timeout",
        )

    def test_a_silent_port_is_not_waited_for_longer(self):
        with launch.socket.create_server(("127.0.0.1", 0)) as server:
            worker = self.start_worker(
                "left", server.getsockname()[1], "--rosia.network.join_timeout=100ms"
            )
            self.check_end(worker, 1, r"within network.join_timeout \(100ms\)")
        # A single attempt may otherwise take 5 s.
        self.assertLess(time.monotonic() - worker.begin, 5)

    def test_graphs_that_differ_are_refused_everywhere(self):
        self.check_refused_everywhere(
            *self.start_all("--test.fault=graph", "--test.culprit=right"),
            says="do not declare the same graph: process 'right' has "
            "node 'extra'.*where process 'coordinator' has",
        )

    def test_a_payload_that_cannot_be_sent_is_refused_everywhere(self):
        placement = f"--rosia.placement={launch.PLACEMENT}, carrier=left, keeper=right"
        self.check_refused_everywhere(
            *self.start_all("--test.fault=payload", placement),
            says=r"output 'carrier\.out' leads to input 'keeper\.in' in another "
            r"process, but a value of type .*secret.* cannot travel",
        )

    def test_a_payload_that_cannot_be_sent_may_stay_in_a_process(self):
        placement = f"--rosia.placement={launch.PLACEMENT}, carrier=left, keeper=left"
        for run in self.start_all("--test.fault=payload", placement):
            self.check_end(run, 0)

    def test_the_coordinators_placement_applies_to_all(self):
        for placement in (launch.PLACEMENT, "s*=right, *=left"):
            with self.subTest(placement):
                coordinator = self.start_coordinator(f"--rosia.placement={placement}")
                port = self.port_of(coordinator)
                workers = [
                    self.start_worker(name, port, placement=None)
                    for name in ("left", "right")
                ]
                for run in (coordinator, *workers):
                    self.check_end(run, 0)
                self.assertRegex(workers[1].text, r"sink: \d+ items")

    def test_placements_that_differ_are_refused_everywhere(self):
        coordinator = self.start_coordinator()
        port = self.port_of(coordinator)
        left = self.start_worker("left", port)
        right = self.start_worker("right", port, placement="sink=left")
        for run in (coordinator, left, right):
            self.check_end(
                run,
                1,
                "place the nodes differently: process 'right' has node "
                r"'relay' \(.*\) in process 'left' where process 'coordinator' has "
                r"node 'relay' \(.*\) in process 'right'; rosia.placement is 'sink=left' "
                f"in process 'right' and '{launch.PLACEMENT}' in process "
                "'coordinator': give it to process 'coordinator' alone, or the same "
                "to all",
            )

    def test_a_placement_of_an_unknown_node_is_refused(self):
        for placement, says in (
            ("sikn=left", r"'sikn', .* process 'left'; did you mean 'sink'\?"),
            ("*=left, x=right", "'x', .* process 'right'; there is 'source', 'relay'"),
        ):
            self.check_refused(
                1,
                "--rosia.processes=left,right",
                f"--rosia.placement={placement}",
                says="rosia.placement: there is no node " + says,
            )
        # Without such a node, the option may be intended for a later one.
        run = self.start_local("--rosia.placement=camera?=left")
        self.check_end(run, 0, r"there is no node 'camera\?'")
        self.assertEqual(run.text.count("there is no node"), 1)
        # The process with the option reports it.
        coordinator = self.start_coordinator()
        port = self.port_of(coordinator)
        left = self.start_worker(
            "left", port, placement=f"{launch.PLACEMENT}, camera?=left"
        )
        right = self.start_worker("right", port)
        self.check_end(left, 0, r"there is no node 'camera\?'")
        for run in (coordinator, right):
            self.check_end(run, 0)
            self.assertNotIn("there is no node", run.text)

    def test_a_placement_in_an_unknown_process_is_refused(self):
        coordinator = self.start_coordinator("--rosia.placement=sink=middle")
        self.check_end(
            coordinator,
            1,
            r"node 'sink' is placed in process 'middle', which does not exist; "
            r"there is 'coordinator', 'left' and 'right'",
        )


class CommandLine(launch.Hosts):
    def test_listen_needs_expect(self):
        self.check_refused(
            2, "--rosia.network.listen=127.0.0.1:0", says=r"rosia\.network\.listen: .*set rosia\.network\.expect"
        )

    def test_expect_needs_listen(self):
        self.check_refused(
            2, "--rosia.network.expect=left", says=r"rosia\.network\.expect: .*set rosia\.network\.listen"
        )

    def test_join_needs_a_name(self):
        self.check_refused(
            2, "--rosia.network.join=127.0.0.1:1", says=r"rosia\.network\.join: .*set rosia\.network\.process"
        )

    def test_roles_exclude_each_other(self):
        for one, other in (
            ("processes=2", "network.join=127.0.0.1:1"),
            ("processes=2", "network.listen=127.0.0.1:0"),
            ("processes=2", "network.expect=left"),
            ("network.join=127.0.0.1:1", "network.expect=left"),
        ):
            names = [f"rosia.{x.split('=')[0]}" for x in (one, other)]
            with self.subTest(names):
                self.check_refused(
                    2,
                    f"--rosia.{one}",
                    f"--rosia.{other}",
                    says=rf"{names[0]} and {names[1]} exclude each other",
                )

    def test_without_tls_only_the_loopback_device_is_allowed(self):
        for address in ("0.0.0.0:0", "192.0.2.1:4242", "[::]:0", "example.org:1"):
            with self.subTest(address):
                self.check_refused(
                    2,
                    "--rosia.network.insecure",
                    f"--rosia.network.listen={address}",
                    "--rosia.network.expect=left",
                    says=r"rosia\.network\.insecure: .* is not an address of the loopback",
                )

    def test_a_token_is_given_once(self):
        self.check_refused(
            2,
            "--rosia.processes=2",
            "--rosia.network.token=x",
            "--rosia.network.token_file=y",
            says=r"rosia\.network\.token and rosia\.network\.token_file exclude each other",
        )

    def test_an_empty_token_file_is_refused(self):
        empty = os.path.join(self.folder, "token")
        with open(empty, "w", encoding="utf-8"):
            pass
        self.check_refused(
            1,
            "--rosia.processes=2",
            f"--rosia.network.token_file={empty}",
            says="cannot read a token from .*: its first line is empty",
        )

    def test_a_name_without_a_coordinator_is_refused(self):
        self.check_refused(
            2, "--rosia.network.process=left", says=r"rosia\.network\.process: .*set rosia\.network\.join"
        )

    def test_invalid_values_are_refused(self):
        for option, value in (
            ("processes", "0"),
            ("processes", "257"),
            ("processes", "a b"),
            ("processes", "left,"),
            ("network.listen", "127.0.0.1"),
            ("network.listen", "127.0.0.1:65536"),
            ("network.join", ":1"),
            ("network.expect", "a.b"),
            ("network.process", "a/b"),
            ("placement", "sink"),
            ("placement", "sink=a b"),
            ("network.join_timeout", "0s"),
            ("network.heartbeat", "0s"),
            ("network.connection_timeout", "-1s"),
        ):
            with self.subTest(option=option, value=value):
                self.check_refused(
                    2, f"--rosia.{option}={value}", says=re.escape(f"rosia.{option}")
                )

    def test_a_port_that_is_in_use_is_named(self):
        coordinator = self.start_coordinator()
        port = self.port_of(coordinator)
        other = self.start_coordinator(listen=port)
        self.check_end(other, 1, f"cannot open the port 127.0.0.1:{port}")
        for name in ("left", "right"):
            self.start_worker(name, port)
        self.check_end(coordinator, 0)


if __name__ == "__main__":
    unittest.main()
