#!/usr/bin/env python3
# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

"""A model of the loop time table between executors. Explores every order of the
steps of small random loops, divided in every way, and compares what the nodes
execute with a sequential program. Then leaves out one rule after the other. Each
of these variants must fail, in the way that is named below, or the script fails.

Usage: loop_time_table.py [FIRST_SEED LAST_SEED]

A loop of nodes is divided into parts. An executor runs each part, and is one
member of the loop time table. Its entry is the least tag that is queued for a
node of the part, promised to one from outside of the loop, or in transit to one
[4.13]. The bound of a part is the least of the tags in transit to it and, over
all parts, of the entry plus the least delay of a path from that part [4.14].
Messages within a part need no table.

The model describes what engine/group.cpp, engine/loop_time_table.cpp and
engine/loop_division.cpp do with a divided loop. Its steps are:

execute   One node executes a tag. Messages to other parts wait to be sent.
take in   The messages in the inbox of a node move into its queue, without a
          lock.
exchange  Under the lock of the table: if all inboxes of the part are empty,
          nothing is in transit to it. It sends its messages, and updates its
          entry and its bound (group::exchange_with_parts).
arrive    A message arrives from outside of the loop, with a promise.

A part may exchange at any time, so the model has no waits and wake-ups. It also
leaves out back-pressure, failures, physical time and processes. The library cuts
no connection without delay (loop_division::find). The model makes every division
that the theory allows: each loop of parts has a delay. It is not enough that no
path without delay leaves a part and returns to it.
"""

import itertools
import random
import sys

FOREVER = (1 << 60, 0)
NOW = (0, 0)  # no delay

# Instead of a connection: the node itself, and the source outside of the loop.
EVENT, OUTSIDE = -2, -1

EARLY = "before a message that it must wait for"
STUCK = "all nodes wait"

# Per variant: what is wrong, and the failure that it causes.
VARIANTS = {
    "not convex": ("a path without delay may leave a part and return", STUCK),
    "loop of parts": ("convex parts may form a loop without delay", STUCK),
    "direct": ("only connections are distances, not longer paths", EARLY),
    "first": ("a distance is that of one path, not of the shortest", EARLY),
    "no return": ("a part's own entry does not bound it", EARLY),
    "entrances": ("a bound holds only where other parts send to", EARLY),
    "no transit": ("the table does not know what is in transit", EARLY),
    "inbox": ("what is in an inbox is no longer in transit", EARLY),
    "entry first": ("the entry is updated before the messages are sent", EARLY),
    "outside": ("the entry leaves out what is promised from outside", EARLY),
}

# The variants that accept more divisions, and otherwise keep all rules.
DIVISIONS = ("not convex", "loop of parts")


class Failure(Exception):
    """The nodes do not execute the same as in the sequential program."""


# -- tags -----------------------------------------------------------------------


def after(tag, delay):
    """Returns the tag that a delay leads to, or the sum of two delays."""
    if tag >= FOREVER:
        return FOREVER
    if delay[0] > 0:
        return (tag[0] + delay[0], delay[1])
    return (tag[0], tag[1] + delay[1])


def text(tag):
    """Returns the text of a tag or a delay."""
    if tag >= FOREVER:
        return "forever"
    return f"{tag[0]}+{tag[1]}" if tag[1] else f"{tag[0]}"


# -- graphs ---------------------------------------------------------------------


class Graph:
    """Nodes that form a loop, and a source outside of it.

    Connections are (from, to, delay). Those without delay lead to higher numbers.
    A message carries a number of hops. At each tag, a node takes the greatest
    number that arrived, and sends one less over all of its connections, unless
    that is 0. The source sends to one of the nodes.
    """

    def __init__(self, rng):
        self.size = rng.choice([2, 3, 3, 4])
        self.connections = self.random_connections(rng)
        while not self.is_loop():
            self.connections = self.random_connections(rng)
        self.events = [
            ((rng.choice([0, 1, 2, 4]), 0), node, rng.choice([1, 2, 3]))
            for node in range(self.size)
            if rng.random() < 0.6
        ]
        self.target = rng.randrange(self.size)
        self.outside = [
            ((tag, 0), rng.choice([1, 2]))
            for tag in sorted(rng.sample(range(6), rng.choice([0, 0, 1, 2])))
        ]
        self.distances = self.find_distances()
        self.expected = self.run()

    def random_connections(self, rng):
        return [
            (a, b, rng.choice([NOW, NOW, (0, 1), (1, 0), (3, 0)] if a < b
                              else [(0, 1), (1, 0), (2, 0), (3, 0)]))
            for a in range(self.size)
            for b in range(self.size)
            if a != b and rng.random() < 0.5
        ]

    def is_loop(self):
        edges = {(a, b) for a, b, _ in self.connections}
        return all(
            len(reach(edges, node)) == self.size for node in range(self.size)
        )

    def find_distances(self):
        """Returns the least delay of a path between each two nodes."""
        result = [[None] * self.size for _ in range(self.size)]
        for node in range(self.size):
            result[node][node] = NOW
        for _ in range(self.size):
            for a, b, delay in self.connections:
                for start in range(self.size):
                    if result[start][a] is not None:
                        result[start][b] = least(
                            result[start][b], after(result[start][a], delay)
                        )
        return result

    def run(self):
        """Returns, per node, what it executes and sends: in a sequential program
        that always executes the earliest tag, in the order of the graph."""
        queues = [
            {(tag, EVENT, hops) for tag, at, hops in self.events if at == node}
            for node in range(self.size)
        ]
        queues[self.target] |= {(tag, OUTSIDE, hops) for tag, hops in self.outside}
        last = [(-1, 0)] * len(self.connections)
        result = [[] for _ in range(self.size)]
        while any(queues):
            tag = min(x[0] for queue in queues for x in queue)
            for node, queue in enumerate(queues):
                due = {x for x in queue if x[0] == tag}
                if not due:
                    continue
                queue -= due
                hops = max(x[2] for x in due) - 1
                sent = []
                for number, (a, b, delay) in enumerate(self.connections):
                    if a == node and hops > 0:
                        # Arrivals on one connection increase.
                        last[number] = max(
                            after(tag, delay), after(last[number], (0, 1))
                        )
                        sent.append((b, (last[number], number, hops)))
                        queues[b].add(sent[-1][1])
                result[node].append((tag, frozenset(due), tuple(sent)))
        return result


def least(x, y):
    return y if x is None or y < x else x


def reach(edges, start):
    """Returns the vertices that edges lead to, and the start."""
    result, todo = {start}, [start]
    while todo:
        here = todo.pop()
        new = {b for a, b in edges if a == here} - result
        result |= new
        todo += new
    return result


# -- divisions ------------------------------------------------------------------


def divisions(size):
    """Yields the part of each node, for each way to make at least two parts."""
    for parts in itertools.product(range(size), repeat=size):
        # Parts are numbered in the order of their first nodes.
        if len(set(parts)) > 1 and all(
            part <= max(parts[:node], default=-1) + 1
            for node, part in enumerate(parts)
        ):
            yield parts


def fault(graph, parts):
    """Returns the variant that accepts a division; empty if it is right."""
    instant = {(a, b) for a, b, delay in graph.connections if delay == NOW}
    for a, b in instant:
        if parts[a] != parts[b] and any(
            parts[node] == parts[a] for node in reach(instant, b)
        ):
            return "not convex"
    edges = {(parts[a], parts[b]) for a, b in instant if parts[a] != parts[b]}
    if any(a in reach(edges, b) for a, b in edges):
        return "loop of parts"
    return ""


class Division:
    """The delays between parts, and from other parts to the nodes of a part."""

    def __init__(self, graph, parts, variant):
        self.parts = parts
        self.count = max(parts) + 1
        self.nodes = [
            [node for node, part in enumerate(parts) if part == one]
            for one in range(self.count)
        ]
        cut = [x for x in graph.connections if parts[x[0]] != parts[x[1]]]
        # By receiver and sender: the least delay of a path that begins with a
        # connection to a different part.
        self.distances = [[None] * self.count for _ in range(self.count)]
        for a, b, delay in cut:
            for node in range(graph.size):
                if variant == "direct" and node != b:
                    continue
                self.lower(
                    parts[a], parts[node],
                    after(delay, graph.distances[b][node]), variant,
                )
        # For each node: the least delay of paths within its part, from where
        # other parts send to, and from each node.
        self.entrance = [None] * graph.size
        for _, b, _ in cut:
            self.entrance[b] = NOW
        inner = [x for x in graph.connections if parts[x[0]] == parts[x[1]]]
        self.inner = [{} for _ in range(graph.size)]
        for a, b, delay in inner:
            self.inner[b][a] = least(self.inner[b].get(a), delay)
        for _ in range(graph.size):
            for a, b, delay in inner:
                if self.entrance[a] is not None and variant != "entrances":
                    self.entrance[b] = least(
                        self.entrance[b], after(self.entrance[a], delay)
                    )
                for start, distance in self.inner[a].items():
                    self.inner[b][start] = least(
                        self.inner[b].get(start), after(distance, delay)
                    )

    def lower(self, sender, receiver, delay, variant):
        if variant == "no return" and sender == receiver:
            return
        row = self.distances[receiver]
        if row[sender] is None or (delay < row[sender] and variant != "first"):
            row[sender] = delay


# -- runs -----------------------------------------------------------------------

# A state is a tuple of:
# - for each node: the number of executed tags, its queue, its inbox, and its
#   messages to other parts that were not sent;
# - for each part: its entry without what is in transit, the least tag that is in
#   transit to it, and its bound;
# - the numbers of messages from outside that arrived and that were taken in.


class Model:
    def __init__(self, graph, parts, variant):
        self.graph = graph
        self.division = Division(graph, parts, variant)
        self.variant = variant

    def start(self):
        nodes = tuple(
            (0, frozenset((tag, EVENT, hops) for tag, at, hops in
                          self.graph.events if at == node), (), ())
            for node in range(self.graph.size)
        )
        return (nodes, ((NOW, FOREVER, NOW),) * self.division.count, 0, 0)

    def promise(self, count):
        """Returns what the source promises with its `count`th message."""
        outside = self.graph.outside
        return outside[count][0] if count < len(outside) else FOREVER

    def low(self, nodes, node):
        return min((x[0] for x in nodes[node][1]), default=FOREVER)

    def least_tag(self, nodes, taken, part):
        """Returns the entry of a part, without what is in transit."""
        result = min(self.low(nodes, node) for node in self.division.nodes[part])
        if self.graph.target in self.division.nodes[part]:
            if self.variant != "outside":
                result = min(result, self.promise(taken))
        return result

    def limit(self, nodes, bound, taken, node):
        """Returns the tag below which a node may execute."""
        entrance = self.division.entrance[node]
        result = FOREVER if entrance is None else after(bound, entrance)
        if node == self.graph.target:
            result = min(result, self.promise(taken))
        for sender, delay in self.division.inner[node].items():
            low = self.low(nodes, sender)
            if sender == self.graph.target:
                low = min(low, self.promise(taken))
            result = min(result, after(low, delay))
        return result

    def bound(self, table, part):
        """Returns the tag below which nothing arrives from other parts."""
        result = FOREVER if self.variant == "no transit" else table[part][1]
        for sender, delay in enumerate(self.division.distances[part]):
            if delay is not None:
                entry, transit, _ = table[sender]
                if self.variant != "no transit":
                    entry = min(entry, transit)
                result = min(result, after(entry, delay))
        return result

    def steps(self, state):
        """Yields each possible step, as a text, and the state after it."""
        nodes, _, arrived, _ = state
        for part in range(self.division.count):
            node = self.first_ready(state, part)
            if node is not None:
                yield self.execute(state, node)
            yield from self.exchange(state, part)
        for node, (_, _, inbox, _) in enumerate(nodes):
            if inbox:
                yield self.take_in(state, node)
        if arrived < len(self.graph.outside):
            yield self.arrive(state)

    def first_ready(self, state, part):
        """Returns the node that a part executes next, in the order of tags and of
        the graph; none if all of its nodes must wait."""
        nodes, table, _, taken = state
        ready = [
            (low, node)
            for node in self.division.nodes[part]
            if (low := self.low(nodes, node)) < FOREVER
            and low < self.limit(nodes, table[part][2], taken, node)
        ]
        return min(ready)[1] if ready else None

    def execute(self, state, node):
        nodes, table, arrived, taken = state
        count, queue, inbox, unsent = nodes[node]
        tag = self.low(nodes, node)
        due = frozenset(x for x in queue if x[0] == tag)
        step = f"{node} executes {text(tag)}"
        if self.graph.expected[node][count][:2] != (tag, due):
            raise Failure(f"{step} {EARLY}")
        changed = list(nodes)
        changed[node] = (count + 1, queue - due, inbox, unsent)
        for to, message in self.graph.expected[node][count][2]:
            if self.division.parts[to] == self.division.parts[node]:
                changed[to] = (
                    changed[to][0], changed[to][1] | {message}, *changed[to][2:]
                )
            else:
                changed[node] = (
                    *changed[node][:3], changed[node][3] + ((to, message),)
                )
        return step, (tuple(changed), table, arrived, taken)

    def take_in(self, state, node):
        nodes, table, arrived, taken = state
        count, queue, inbox, unsent = nodes[node]
        changed = list(nodes)
        changed[node] = (count, queue | frozenset(inbox), (), unsent)
        if node == self.graph.target:
            taken = arrived
        return f"{node} takes in", (tuple(changed), table, arrived, taken)

    def arrive(self, state):
        nodes, table, arrived, taken = state
        tag, hops = self.graph.outside[arrived]
        changed = list(nodes)
        put_into_inbox(changed, self.graph.target, (tag, OUTSIDE, hops))
        step = f"{text(tag)} arrives at {self.graph.target}"
        return step, (tuple(changed), table, arrived + 1, taken)

    def exchange(self, state, part):
        nodes, table, arrived, taken = state
        table = list(table)
        if self.variant == "entry first" and any(
            nodes[node][3] for node in self.division.nodes[part]
        ):
            # Other parts may lock the table before the messages are sent.
            entry = self.least_tag(nodes, taken, part)
            if table[part][0] != entry:
                table[part] = (entry, *table[part][1:])
                yield f"part {part} enters {text(entry)}", (
                    nodes, tuple(table), arrived, taken)
        own = self.division.nodes[part]
        has_mail = any(nodes[node][2] for node in own)
        if not has_mail or self.variant == "inbox":
            table[part] = (table[part][0], FOREVER, table[part][2])
        changed = list(nodes)
        for node in own:
            for to, message in changed[node][3]:
                put_into_inbox(changed, to, message)
                entry, transit, bound = table[self.division.parts[to]]
                table[self.division.parts[to]] = (
                    entry, min(transit, message[0]), bound
                )
            changed[node] = (*changed[node][:3], ())
        nodes = tuple(changed)
        entry = self.least_tag(nodes, taken, part)
        table[part] = (entry, *table[part][1:])
        # A bound never decreases. The formula may, because an entry does not show
        # which node of its part it is from.
        bound = max(table[part][2], self.bound(table, part))
        table[part] = (*table[part][:2], bound)
        step = f"part {part} exchanges, bound {text(bound)}"
        yield step, (nodes, tuple(table), arrived, taken)

    def explore(self):
        """Visits all states, in the order of their number of steps. Returns their
        number."""
        start = self.start()
        previous = {start: None}
        todo = [start]
        for state in todo:
            goes_on = False
            try:
                for step, following in self.steps(state):
                    if following not in previous:
                        previous[following] = (state, step)
                        todo.append(following)
                    goes_on = goes_on or following != state
                if not goes_on:
                    self.check_end(state)
            except Failure as e:
                raise Failure(f"{e}, after: {'; '.join(path(previous, state))}")
        return len(todo)

    def check_end(self, state):
        for node, (count, *_) in enumerate(state[0]):
            if count < len(self.graph.expected[node]):
                tag = text(self.graph.expected[node][count][0])
                raise Failure(f"{STUCK}, {node} to execute {tag}")


def put_into_inbox(nodes, to, message):
    count, queue, inbox, unsent = nodes[to]
    nodes[to] = (count, queue, tuple(sorted((*inbox, message))), unsent)


def path(previous, state):
    """Returns the steps to a state."""
    steps = []
    while previous[state] is not None:
        state, step = previous[state]
        steps.append(step)
    return reversed(steps)


# -- main -----------------------------------------------------------------------


def find_failure(graphs, variant):
    """Returns the failure of the first division that fails; none if none does."""
    for graph in graphs:
        for parts in divisions(graph.size):
            if fault(graph, parts) != (variant if variant in DIVISIONS else ""):
                continue
            try:
                Model(graph, parts, variant).explore()
            except Failure as e:
                loop = ", ".join(
                    f"{a} -> {b} +{text(delay)}" for a, b, delay in graph.connections
                )
                return f"parts {parts} of {loop}: {e}"
    return None


def main():
    first, last = (int(x) for x in sys.argv[1:3] or ("0", "60"))
    graphs = [Graph(random.Random(seed)) for seed in range(first, last)]
    states = runs = 0
    for graph in graphs:
        for parts in divisions(graph.size):
            if not fault(graph, parts):
                states += Model(graph, parts, "").explore()
                runs += 1
    print(f"{len(graphs)} loops, {runs} divisions, {states} states: each as the "
          "sequential program")
    failed = False
    for variant, (rule, expected) in VARIANTS.items():
        found = find_failure(graphs, variant)
        if found is None or expected not in found:
            failed = True
            print(f"FAILED: {variant}: {rule}: {found or 'nothing fails'}")
        else:
            print(f"{variant}: {rule}: {found}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
