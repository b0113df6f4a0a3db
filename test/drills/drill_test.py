# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Runs rosia-drill as a user does, and checks its output, its files and its
status. Also checks that programs take part only when permitted.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

TOOL = os.environ["ROSIA_DRILL_TOOL"]
EXAMPLES = os.environ["ROSIA_EXAMPLES"]
SCRIPTS = os.environ["ROSIA_SCRIPTS"]

# Seconds: much longer than any step takes, even on a busy machine.
GUARD = 120

DISTRIBUTED = f"""# Tries something.
[drill]
program = {EXAMPLES}/distributed
processes = vision, motion
"""


class Drill(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def write(self, name, text):
        file = self.folder / (name + ".ini")
        file.write_text(text)
        return str(file)

    def run_tool(self, *arguments):
        return subprocess.run(
            [TOOL, *arguments], cwd=self.folder, capture_output=True, text=True,
            timeout=GUARD)

    def report(self):
        return json.loads((self.folder / "out" / "report.json").read_text())

    def test_a_drill_that_holds(self):
        file = self.write("good", DISTRIBUTED + """
fault = hold link=coordinator-motion when=node_asked for=1500ms
fault = terminate when=logical:100ms@camera
fault = terminate when=node_asked times=2 every=700ms
expect = status 128
expect = all rules
expect = same
""")
        result = self.run_tool("run", file, "--rounds=2", "--output=out")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("1 of 1 drill held, 2 of 2 rounds", result.stdout)
        drill = self.report()["drills"][0]
        self.assertEqual(drill["purpose"], "Tries something.")
        for round_ in drill["rounds"]:
            self.assertTrue(round_["held"])
            nodes = {x["name"]: x for x in round_["nodes"]}
            self.assertEqual(set(nodes), {"camera", "detector", "lamp", "motor"})
            self.assertEqual(nodes["motor"]["process"], "motion")
            self.assertGreater(len(nodes["camera"]["steps"]), 1)
            self.assertEqual(
                nodes["camera"]["tags"], nodes["camera"]["steps"][-1][3])
            self.assertEqual(round_["report"]["status"], 128)
            texts = [x["text"] for x in round_["events"] if x["kind"] == "step"]
            self.assertIn("node_asked", texts)
        self.assertIn("Tries something.",
                      (self.folder / "out" / "report.html").read_text())
        self.assertIn("<testsuite",
                      (self.folder / "out" / "report.xml").read_text())

    def test_each_expectation_fails_when_it_should(self):
        expectations = [
            "status 5", "status 5 of vision", "ends within 1ms",
            "ends within 0ms after faults", "report names camera", "no report",
            "report contains \"no such text\"", "log contains \"no such text\"",
            "log lacks \"the application is aborted\"",
            "status signal 9 of vision"]
        file = self.write("bad", DISTRIBUTED + """
fault = kill target=motion when=logical:100ms@motor
""" + "".join(f"expect = {x}\n" for x in expectations))
        result = self.run_tool("run", file, "--output=out")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        round_ = self.report()["drills"][0]["rounds"][0]
        failed = {x["expectation"] for x in round_["failures"]}
        self.assertEqual(failed, set(expectations))
        folder = pathlib.Path(round_["folder"])
        self.assertTrue((folder / "logs" / "vision.log").exists())
        self.assertTrue((folder / "traces" / "trace.jsonl.motion").exists())
        self.assertTrue((folder / "report.json").exists())

    def test_unknown_names_are_refused_before_anything_runs(self):
        for line, says in (
                ("fault = terminate target=moter when=20s",
                 "fault: unknown process or node 'moter'; known are 'coordinator', "
                 "'vision', 'motion', 'camera', 'detector', 'lamp', 'motor'; did you "
                 "mean 'motor'?"),
                ("fault = throw target=lmp when=20s",
                 "fault: unknown node 'lmp'; known are "),
                ("fault = terminate when=left:1@camra",
                 "fault: unknown node 'camra'; known are 'camera', 'detector', "
                 "'lamp', 'motor'; did you mean 'camera'?"),
                ("place = camra:vision", "place: unknown node 'camra'; known are "),
                ("expect = report names motoin",
                 "expect: unknown process or node 'motoin'; known are ")):
            with self.subTest(line):
                # The drill before it would run first.
                good = self.write("good", DISTRIBUTED
                                  + "fault = terminate\nexpect = status 0\n")
                file = self.write("nobody", DISTRIBUTED + "\nrounds = 2\n" + line
                                  + "\nexpect = status 0\n")
                result = self.run_tool("run", good, file, "--output=out")
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(f"{file}:7: {says}", result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(list((self.folder / "out").iterdir()), [])

    def test_arguments_that_the_program_refuses_are_named_with_their_line(self):
        for line, says in (
                ("arguments = --rosia.realtime=false --rosia.timout=9s",
                 "arguments: the program refuses '--rosia.timout=9s': "),
                ("resume = --rosia.resmue=x",
                 "resume: the program refuses '--rosia.resmue=x': ")):
            with self.subTest(line):
                file = self.write("wrong", DISTRIBUTED + "arguments = "
                                  "--rosia.log_level=off\n" + line
                                  + "\nexpect = status 0\n")
                result = self.run_tool("run", file, "--output=out")
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(f"{file}:6: {says}", result.stderr)
                self.assertIn("did you mean --rosia.", result.stderr)
                self.assertEqual(list((self.folder / "out").iterdir()), [])

    def test_replay(self):
        file = self.write("random", DISTRIBUTED + """
fault = kill target=motion when=logical:40ms..400ms@motor
expect = status 0
""")
        result = self.run_tool("run", file, "--rounds=3", "--seed=70",
                               "--output=out")
        self.assertEqual(result.returncode, 1)
        before = self.report()["drills"][0]["rounds"][2]
        self.assertEqual(before["seed"], 72)
        result = self.run_tool("replay", "out/report.json", "random:3",
                               "--output=again")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        report = json.loads((self.folder / "again" / "report.json").read_text())
        after = report["drills"][0]["rounds"][0]
        self.assertEqual(after["seed"], 72)
        self.assertEqual(after["number"], 3)

        def last_step(round_):
            return [x["steps"][-1][1:] for x in round_["nodes"]
                    if x["name"] == "motor"]
        # Killed at the same logical time.
        self.assertEqual(last_step(before), last_step(after))

    def test_ctrl_c_ends_with_the_results_so_far(self):
        script = self.folder / "program"
        script.write_text("#!/bin/sh\n[ $1 = 1 ] && exit 0\necho up\nsleep 100\n")
        script.chmod(0o755)
        file = self.write("slow", f"[drill]\nprogram = {script}\nnodes = no\n"
                          "arguments = {round}\nrounds = 5\nlimit = 100s\n"
                          "expect = status 0\n")
        with subprocess.Popen(
                [TOOL, "run", file, "--jobs=1", "--output=out", "--keep"],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True) as tool:
            guard = threading.Timer(GUARD, tool.kill)
            guard.start()
            log = self.folder / "out" / "slow" / "2" / "logs" / "coordinator.log"
            # Wait until the process of the second round starts.
            while tool.poll() is None and not log.exists():
                pass
            # A second run must not mix its results with those of the first.
            second = self.run_tool("run", file, "--output=out")
            # One request, as relayed by a launcher.
            tool.send_signal(signal.SIGINT)
            tool.send_signal(signal.SIGTERM)
            out, err = tool.communicate()
            guard.cancel()
        self.assertEqual(second.returncode, 2)
        self.assertIn("out/report.html' is being written by process "
                      f"{tool.pid} (rosia-drill)", second.stderr)
        self.assertEqual(tool.returncode, 1, out + err)
        self.assertIn("interrupted: 4 rounds not run to the end", out)
        self.assertEqual(len(self.report()["drills"][0]["rounds"]), 1)

    def test_mistakes(self):
        for arguments, message in [
                ([], "a command is missing"),
                (["rnu"], "unknown command 'rnu'; known are 'explain', 'list', "
                           "'replay', 'run'; did you mean 'run'? Try rosia-drill --help"),
                (["run"], "expected at least one drill file"),
                (["run", "missing.ini"], "missing.ini: cannot be read"),
                (["run", "/dev/zero"], "/dev/zero: cannot be read: it is "),
                (["run", "--rounds=none", "x.ini"], "--rounds: 'none'"),
                (["replay", "x"], "expected a report and a round"),
                (["run", "--whatever"], "unknown option '--whatever'; try "),
                (["run", "--ouptut=x", "y.ini"],
                 "unknown option '--ouptut'; did you mean '--output'?")]:
            result = self.run_tool(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.stderr)
        file = self.write("wrong", "[drill]\nprogram = x\nexpct = status 0\n")
        result = self.run_tool("run", file)
        self.assertEqual(result.returncode, 2)
        self.assertIn("wrong.ini:3: unknown key 'expct'; ", result.stderr)
        file = self.write("absent", "[drill]\nprogram = not-there-at-all\n"
                          "expect = status 0\n")
        result = self.run_tool("run", file)
        self.assertEqual(result.returncode, 2)
        self.assertIn("not-there-at-all", result.stderr)

    def test_a_program_that_does_not_use_the_library(self):
        file = self.write("foreign", "[drill]\nprogram = true\n"
                          "expect = status 0\n")
        result = self.run_tool("run", file)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no process told the tool", result.stdout)

    def test_one_host(self):
        environment = {**os.environ, "ROSIA_DRILL_TOOL": TOOL,
                       "ROSIA_DRILL_ROUNDS": "1", "ROSIA_DRILL_LATEST": "200ms"}
        result = subprocess.run(
            [SCRIPTS + "/drill-one-host", EXAMPLES + "/distributed",
             "vision,motion"], env=environment, cwd=self.folder,
            capture_output=True, text=True, timeout=GUARD)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("14 of 14 drills held", result.stdout)
        self.assertTrue(
            (self.folder / "drill-one-host" / "report" / "report.html").exists())

    def test_list_and_explain(self):
        self.write("one", DISTRIBUTED + "fault = kill when=node_asked\n"
                   "expect = status signal 9\n")
        self.assertEqual(self.run_tool("list").stdout,
                         "one\n    Tries something.\n")
        text = self.run_tool("explain", "one.ini").stdout
        self.assertIn("fault: kill when=node_asked", text)
        self.assertIn("SIGKILL", text)
        text = self.run_tool("explain").stdout
        for word in ["throttle", "node_asked", "nothing late"]:
            self.assertIn(word, text)

    def test_a_program_takes_part_only_if_permitted(self):
        path = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as tool:
            tool.bind(str(path))
            tool.listen()
            tool.settimeout(0.0)
            environment = {**os.environ, "ROSIA_DRILL": str(path)}
            result = subprocess.run(
                [EXAMPLES + "/timer", "--rosia.realtime=false"],
                env=environment, capture_output=True, text=True, timeout=GUARD)
            self.assertEqual(result.returncode, 0)
            self.assertIn("drills are not allowed here (rosia.drills)",
                          result.stdout + result.stderr)
            with self.assertRaises(BlockingIOError):
                tool.accept()
        result = subprocess.run(
            [EXAMPLES + "/timer", "--rosia.drills=allow"],
            env=environment, capture_output=True, text=True, timeout=GUARD)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the drill's socket", result.stdout + result.stderr)

    def test_a_program_continues_without_the_tool(self):
        path = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as tool:
            tool.bind(str(path))
            tool.listen()
            with subprocess.Popen(
                    [EXAMPLES + "/timer", "--rosia.realtime=false",
                     "--rosia.drills=allow"],
                    env={**os.environ, "ROSIA_DRILL": str(path)},
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
                guard = threading.Timer(GUARD, program.kill)
                guard.start()
                peer, _ = tool.accept()
                peer.sendall(b"watch\tnode_started\t*\nready\n")
                # It waits at that step for a peer that disconnects.
                while b"node_started" not in peer.recv(4096):
                    pass
                peer.close()
                program.communicate()
                guard.cancel()
        self.assertEqual(program.returncode, 0)


if __name__ == "__main__":
    unittest.main()
