// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/rule.hpp"

namespace rosia_trace {

namespace {

constexpr std::array<rule_description, rule_count> descriptions{{
  {"readable", "[the trace itself]",
   "the trace can be read, and every line is one JSON object"},
  {"format", "[trace format 3]",
   "known events with the right members; the application first, `end` last; "
   "every node started once, unless it was aborted before; nothing "
   "undeclared, nothing of a node before its start or after its exit"},
  {"graph", "[2.1, 2.2, 2.4, 2.5, 2.6, 10.1.2, 10.1.3]",
   "names are unique, connected ports have one type, are connected once, no "
   "delay is negative, and no reaction depends on itself at one tag"},
  {"tag-order", "[3.1]", "the tags that a node executes strictly increase"},
  {"stat", "[3.1, 4.1]",
   "a node executes a tag below its STAT only, and nothing that is sent later "
   "arrives below that STAT"},
  {"no-late-message", "[7.2]",
   "no node receives a tag at or below one that it executed"},
  {"arrival-tags", "[1.5, 2.7]",
   "a message arrives at its tag plus the connection's delay, or one microstep "
   "after the connection's previous message if that is later"},
  {"promises", "[4.3, 4.5, 4.12]",
   "nothing arrives below what was promised, and promises do not decrease"},
  {"inputs", "[2.3, 3.4, 3.15, 10.1.5]",
   "exactly the messages that arrive at a tag are set there, unchanged, in the "
   "order of the connections, before any reaction, or in a loop without delay "
   "before each reaction that may read them; a node takes at most one physical "
   "value at a tag"},
  {"actions", "[3.4, 3.10, 3.11, 3.12, 10.4.1, 10.4.2, 10.5.2]",
   "exactly what a node scheduled for a tag is present there, unchanged, "
   "in the order of scheduling, before any reaction; nothing is scheduled for "
   "a tag that is not later; a tick is scheduled for its times, and for no "
   "other "
   "tag; the events of an action with a spacing keep it, and only its last "
   "one that is pending is withdrawn"},
  {"reactions", "[3.3, 3.5, 3.7, 3.9, 10.1.1, 10.1.10]",
   "every startup runs once, after start(); at a tag that has an event, what "
   "had yielded resumes first; then every reaction with a trigger present runs "
   "once, in declaration order, and no other reaction; of the instances of one "
   "reaction one resumes at a tag; a reaction that declares its ports writes "
   "only these; only a node in a loop without delay continues a tag"},
  {"deadlines", "[10.3.1]",
   "a reaction that misses its deadline has one, is about to run, and ends "
   "after it; a reaction with a constant deadline that it does not miss begins "
   "before it; in a replay, the times are not checked"},
  {"modes", "[10.7.1, 10.7.2, 10.7.3, 10.7.4, 10.7.6]",
   "the reactions of a mode run only while it is active, and its actions are "
   "scheduled only then; a mode is entered at the microstep after the last "
   "call, before all else, and is present there; the events of a mode that is "
   "left occur as far from where it is entered with its history"},
  {"watchdogs", "[10.8.1, 10.8.2, 10.8.3]",
   "a watchdog that code started expires once elapsed time is its expiry, "
   "which is its timeout after the tag or later; it is present once, at or "
   "after its expiry and after what its node executed; no node is done "
   "while one runs; in a replay, elapsed time is not checked"},
  {"max-waits", "[10.10.1, 10.10.2]",
   "a value of a connection with a maximal wait is set at its arrival, or is "
   "tardy: it is then set once at a tag that is more than the wait later, or "
   "dropped; its receiver does not end before all of them are known"},
  {"one-write", "[2.3, 3.6]",
   "an output is written once at a tag, and goes to all its connections"},
  {"nothing-lost", "[7.3]",
   "every message that arrives at or before the final tag is set before its "
   "receiver shuts down"},
  {"natural-end", "[5.1, 5.2, 5.3]",
   "a node is done once it has nothing to do, has no physical action, and all "
   "upstream of it has ended or is in one loop with it"},
  {"agreement", "[5.5, 5.6, 5.7, 5.8, 5.10, 7.4]",
   "all nodes stop at the same final tag: the greatest of their answers, at or "
   "after the request; none executes beyond its answer before it knows the "
   "final tag, beyond the final tag then, or beyond what it requested "
   "itself before that is decided"},
  {"cleanup", "[5.15]",
   "every node shuts down once, then exits once, and does nothing else then"},
  {"last-tag", "[10.6.1, 10.6.2, 10.6.4, 10.6.5]",
   "a node executes the last tag once, as its last one: the microstep after "
   "the final tag, when all that send to it without delay ended; the "
   "reactions to it run, and everything that they cause without delay; an end "
   "that was not requested is at the greatest tag that was executed"},
  {"termination", "[5.11, 5.17, 6.5, 7.5]",
   "the application ends, with the status that its requests or errors give"},
}};

} // namespace

const rule_description& describe(rule x) {
  return descriptions[static_cast<std::size_t>(x)];
}

std::string_view to_string(rule x) {
  return describe(x).name;
}

std::string to_string(const violation& x, std::string_view file) {
  std::string result{file};
  if (x.line > 0) {
    result += ':';
    result += std::to_string(x.line);
  }
  result += ": ";
  if (x.broken != rule::readable) {
    result += describe(x.broken).name;
    result += ' ';
    result += describe(x.broken).source;
    result += ": ";
  }
  return result += x.text;
}

} // namespace rosia_trace
