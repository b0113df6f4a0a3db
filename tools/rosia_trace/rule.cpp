// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/rule.hpp"

namespace rosia_trace {

namespace {

constexpr std::array<rule_description, rule_count> descriptions{{
  {"readable", "the trace itself",
   "the trace can be read, and every line is one JSON object"},
  {"format", "trace format 2",
   "known events with the right members; the application first, `end` last; "
   "every node started once, unless it was aborted before; nothing "
   "undeclared, nothing of a node before its start or after its exit"},
  {"graph", "section 2",
   "names are unique, connected ports have one type, are connected once, no "
   "delay is negative, and no loop has zero delay"},
  {"tag-order", "section 3", "the tags that a node executes strictly increase"},
  {"stat", "section 4, \"STAT\"",
   "a node executes a tag below its STAT only, and nothing that is sent later "
   "arrives below that STAT"},
  {"no-late-message", "section 7, \"No late message\"",
   "no node receives a tag at or below one that it has executed"},
  {"arrival-tags", "section 2",
   "a message arrives at its tag plus the connection's delay, or one microstep "
   "after the connection's previous message if that is later"},
  {"promises", "section 4, \"Promise of an output\"",
   "nothing arrives below what was promised, and promises do not decrease"},
  {"inputs", "section 3",
   "exactly the messages that arrive at a tag are set there, unchanged, in the "
   "order of the connections, before any reaction; a node takes at most one "
   "physical value at a tag"},
  {"actions", "section 3, \"Actions\"",
   "exactly what a node has scheduled for a tag is present there, unchanged, "
   "in the order of scheduling, before any reaction; nothing is scheduled for "
   "a tag that is not later"},
  {"reactions", "section 3",
   "every startup runs once, after start(); at a tag that has an event, what "
   "had yielded resumes first; then every reaction with a trigger present runs "
   "once, in declaration order, and no other one; of the instances of one "
   "reaction one resumes at a tag"},
  {"one-write", "section 3",
   "an output is written once at a tag, and goes to all its connections"},
  {"nothing-lost", "section 7, \"Nothing lost\"",
   "every message that arrives at or before the final tag is set before its "
   "receiver shuts down"},
  {"natural-end", "section 5, \"By itself\"",
   "a node is done once it has nothing to do, has no trigger, and all upstream "
   "of it has ended or is in one loop with it"},
  {"agreement", "section 7, \"Agreement\"",
   "all nodes stop at the same final tag: the greatest of their answers, at or "
   "after the request; none executes beyond its answer before it knows the "
   "final tag, beyond the final tag then, or beyond what it has requested "
   "itself before that is decided"},
  {"cleanup", "section 5, \"However it ends\"",
   "every node shuts down once, then exits once, and does nothing else then"},
  {"termination", "section 7, \"Termination\"",
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
    result += " (";
    result += describe(x.broken).source;
    result += "): ";
  }
  return result += x.what;
}

} // namespace rosia_trace
