// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/fault.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace rosia_drill {

namespace {

using strings = std::vector<std::string>;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

const fault_description& find_kind(const std::string& name) {
  strings names;
  for (auto& x : all_faults()) {
    if (x.name == name)
      return x;
    names.emplace_back(x.name);
  }
  throw mistake{unknown("fault", name, names)};
}

strings words_of(const fault_description& x) {
  strings result{x.where == fault_place::link ? "link" : "target"};
  if (!x.from_the_beginning)
    result.emplace_back("when");
  result.insert(result.end(), x.needed.begin(), x.needed.end());
  result.insert(result.end(), x.allowed.begin(), x.allowed.end());
  result.emplace_back("optional");
  return result;
}

std::chrono::nanoseconds positive(
  const std::string& text, const std::string& key) {
  auto result = to_time(text, key);
  if (result.count() <= 0)
    throw mistake{key + ": '" + text + "' has to be more than zero"};
  return result;
}

std::pair<std::string, std::string> two_processes(const std::string& text) {
  auto dash = text.find('-');
  if (dash == 0 || dash == std::string::npos || dash + 1 == text.size())
    throw mistake{
      "link: '" + text + "' has to name two processes, such as left-right"};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

void set_word(fault& x, const std::string& key, const std::string& value) {
  if (key == "target")
    x.target = value;
  else if (key == "link")
    x.link = two_processes(value);
  else if (key == "when")
    x.when = parse_injection_point(value);
  else if (key == "for")
    x.duration = positive(value, key);
  else if (key == "by")
    x.by = x.kind == fault_kind::clock
             ? to_time(value, key)
             : positive(value, key);
  else if (key == "with")
    x.storm.actions = parse_storm_actions(value);
  else if (key == "times" && x.kind == fault_kind::storm)
    x.storm.times = to_number_range(value, key);
  else if (key == "every" && x.kind == fault_kind::storm)
    x.storm.pause = to_time_range(value, key);
  else if (key == "times")
    x.times = to_number(value, key, 1, 100);
  else if (key == "every")
    x.every = positive(value, key);
  else if (key == "rate")
    x.rate = to_number(value, key, 1, no_limit);
  else if (key == "size")
    x.size = to_number(value, key, 1, 100'000'000);
  else if (key == "status")
    x.status = to_number(value, key, 0, 255);
  else if (key == "what") {
    if (value != "files" && value != "all")
      throw mistake{"what: '" + value + "' is neither files nor all"};
    x.also_log = value == "all";
  }
}

} // namespace

const std::vector<fault_description>& all_faults() {
  using enum fault_kind;
  using enum fault_place;
  static const std::vector<fault_description> result{
    {interrupt,
     "interrupt",
     process,
     {},
     {"times", "every"},
     false,
     "SIGINT, as by Ctrl-C"},
    {terminate,
     "terminate",
     process,
     {},
     {"times", "every"},
     false,
     "SIGTERM, as by kill or systemd"},
    {report,
     "report",
     process,
     {},
     {"times", "every"},
     false,
     "SIGUSR1, on which a process reports on the application"},
    {checkpoint,
     "checkpoint",
     process,
     {},
     {"times", "every"},
     false,
     "SIGUSR2, on which a program with checkpoint.signal=USR2 takes a "
     "checkpoint"},
    {kill, "kill", process, {}, {}, false, "SIGKILL, as by kill -9"},
    {stop,
     "stop",
     process,
     {},
     {"for"},
     false,
     "SIGSTOP; with for=TIME, SIGCONT after that time"},
    {storm,
     "storm",
     process,
     {},
     {"with", "times", "every"},
     false,
     "signals at random, to one process or to all: kill, stop, continue and "
     "terminate, or those of with=NAME,...; times=RANGE of them, with pauses "
     "of every=RANGE. After the storm, all stopped processes are "
     "continued, and the coordinator gets SIGTERM, unless the storm sent "
     "it one"},
    {fail, "throw", node, {}, {}, false, "the next reaction throws"},
    {hang,
     "hang",
     node,
     {},
     {"for"},
     false,
     "the next reaction does not return; with for=TIME, not for that time"},
    {slow,
     "slow",
     node,
     {"by"},
     {"for"},
     false,
     "each reaction takes that much longer; with for=TIME, for that time"},
    {request,
     "request",
     node,
     {},
     {"status"},
     false,
     "the next reaction calls request_shutdown"},
    {cut,
     "cut",
     link,
     {},
     {"for"},
     false,
     "the connection is closed, and no new one can be opened; with for=TIME, "
     "for that time"},
    {hold,
     "hold",
     link,
     {},
     {"for"},
     false,
     "no data gets through, as if a cable was pulled; with for=TIME, it "
     "arrives after that time"},
    {delay,
     "delay",
     link,
     {"by"},
     {"for"},
     false,
     "all data arrives later by that time"},
    {throttle,
     "throttle",
     link,
     {"rate"},
     {"for"},
     false,
     "no more than that many bytes a second get through"},
    {garbage,
     "garbage",
     process,
     {},
     {"size", "times", "every"},
     false,
     "a stranger connects to the port of the process, and sends bytes that "
     "mean "
     "nothing"},
    {full,
     "full",
     process,
     {},
     {"for", "what"},
     false,
     "no file can grow, as on a full disk; with what=all, neither does "
     "the log"},
    {clock,
     "clock",
     process,
     {"by"},
     {},
     true,
     "the clocks of the process are ahead by that time, or behind, if it is "
     "negative"},
    {late,
     "late",
     process,
     {"by"},
     {},
     true,
     "the process is started later by that time"},
    {never, "never", process, {}, {}, true, "the process is not started"},
  };
  return result;
}

const fault_description& describe(fault_kind x) {
  return all_faults()[static_cast<std::size_t>(x)];
}

fault parse_fault(const std::string& text) {
  auto words = split_words(text);
  if (words.empty())
    throw mistake{"the fault is missing"};
  auto& description = find_kind(words.front());
  fault result;
  result.kind = description.kind;
  result.text = text;
  result.when.text = "start";
  auto allowed = words_of(description);
  std::map<std::string, std::string> given;
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto equals = words[i].find('=');
    auto key = words[i].substr(0, equals);
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      throw mistake{"'" + std::string{description.name}
                    + "': " + unknown("word", key, allowed)};
    if ((key == "optional") != (equals == std::string::npos))
      throw mistake{
        key == "optional"
          ? "'optional' takes no value"
          : "'" + key + "' needs a value: " + key + "=..."};
    auto value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (!given.emplace(key, value).second)
      throw mistake{"'" + key + "' is given twice"};
    if (key == "optional")
      result.optional = true;
    else
      set_word(result, key, value);
  }
  strings needed{description.needed.begin(), description.needed.end()};
  if (description.where == fault_place::link)
    needed.emplace_back("link");
  if (description.where == fault_place::node || description.from_the_beginning)
    needed.emplace_back("target");
  for (auto& x : needed)
    if (!given.contains(x))
      throw mistake{
        "'" + std::string{description.name} + "' needs '" + x + "=...'"};
  return result;
}

} // namespace rosia_drill
