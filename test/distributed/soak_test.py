# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""Tests applications over three processes that are ended at a random time in a
random way: by themselves, by signals to any process, by killing any of them. In
addition, a reaction may throw at a random tag, before or during the end, and
the applications may have a last tag.

ROSIA_SOAK_ROUNDS  number of rounds (100)
ROSIA_SOAK_FIRST   the first seed (0)
"""

import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

import launch

ROUNDS = int(os.environ.get("ROSIA_SOAK_ROUNDS", "100"))
FIRST = int(os.environ.get("ROSIA_SOAK_FIRST", "0"))

TERM = signal.SIGTERM
INT = signal.SIGINT
KILL = signal.SIGKILL

# The actions on processes, and the permitted statuses of the coordinator.
WAYS = [
    ([], {0}),
    ([("coordinator", TERM)], {0}),
    ([("coordinator", INT)], {0}),
    ([("left", TERM)], {0}),
    ([("right", INT)], {0}),
    ([("left", TERM), ("right", TERM)], {0}),
    ([("coordinator", TERM), ("left", INT)], {0}),
    ([("coordinator", TERM), ("coordinator", TERM)], {0, 128}),
    ([("right", TERM), ("right", TERM)], {0, 128}),
    ([("left", KILL)], {0, 1}),
    ([("right", KILL)], {0, 1}),
    ([("left", TERM), ("right", KILL)], {0, 1}),
    ([("coordinator", KILL)], {0, -KILL}),
    ([("left", TERM), ("coordinator", KILL)], {0, -KILL}),
]


class Soak(launch.Case):
    def send(self, run, process, number):
        try:
            if process == "coordinator":
                run.signal(number)
                return
            for pid in self.pids():
                if self.variables(pid).get("ROSIA_PROCESS") == process:
                    os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has already ended

    def final_tags(self, traces):
        """Returns the last final tag of each node that ended at one."""
        last = {}
        result = set()
        for file in traces:
            with open(file, encoding="utf-8") as lines:
                for line in lines:
                    if not line.endswith("\n"):
                        break  # its process was killed
                    event = json.loads(line)
                    if event["event"] == "final_taken":
                        last[event["node"]] = tuple(event["tag"])
                    elif event["event"] == "shutdown" and event["how"] == "final":
                        result.add(last[event["node"]])
        return result

    def check_traces(self, run, traces, complete):
        if len(self.final_tags(traces)) > 1:
            run.fail("the processes did not end at one tag")
        if not complete:
            return
        merged = self.folder + "/merged"
        for command in (["merge", *traces, "-o", merged], ["check", merged]):
            done = subprocess.run(
                [launch.TRACE, *command], capture_output=True, text=True
            )
            if done.returncode != 0:
                run.fail(f"rosia-trace: {done.stdout}{done.stderr}")

    def choose_failure(self, chance):
        """Returns the options for a reaction that throws, if there is one."""
        if chance.random() < 0.6:
            return []
        return [
            "--test.fault=throw",
            f"--test.culprit={chance.choice(['relay', 'mirror', 'sink'])}",
            f"--test.fault_at={chance.randint(0, 40_000)}",
        ]

    def try_round(self, seed):
        chance = random.Random(seed)
        deeds, statuses = chance.choice(WAYS)
        failure = self.choose_failure(chance)
        if failure:
            statuses = statuses | {1}
        trace = f"{self.folder}/{seed}"
        run = self.start_local(
            f"--test.rounds={0 if deeds else chance.randint(1, 60)}",
            f"--test.seed={seed}",
            f"--rosia.placement={launch.PLACEMENT}",
            f"--rosia.trace={trace}",
            *failure,
            *(["--test.last_tag"] if chance.random() < 0.5 else []),
        )
        if deeds:
            run.wait_for("sink: the first items|made to fail")
            if not failure:  # it may have already ended
                self.note_sockets()
        for process, number in deeds:
            time.sleep(chance.uniform(0, 0.03))  # any time will do
            self.send(run, process, number)
        status = run.end()
        # A signal kills a process that has already completed the application.
        allowed = statuses | {-n for process, n in deeds if process == "coordinator"}
        if re.search("ended with status (130|143)", run.text):
            allowed |= {1}
        if status not in allowed:
            run.fail(f"the coordinator ended with status {status}")
        if not launch.until(lambda: not self.pids()):
            run.fail("processes remain")
        names = ["coordinator", "left", "right"]
        traces = [f"{trace}.{name}" for name in names]
        self.check_traces(
            run,
            [x for x in traces if os.path.exists(x) and os.path.getsize(x) > 0],
            status == 0 and all(number != KILL for _, number in deeds),
        )

    def test_processes_always_end_in_order_or_aborted(self):
        for seed in range(FIRST, FIRST + ROUNDS):
            with self.subTest(seed=seed):
                self.try_round(seed)
                # The output is no longer needed.
                self.runs.clear()


if __name__ == "__main__":
    unittest.main()
