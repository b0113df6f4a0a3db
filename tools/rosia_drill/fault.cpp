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
  throw mistake{"there is no fault '" + name + "': " + choices(names)
                + suggestion(name, names)};
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
  const std::string& text, const std::string& what) {
  auto result = to_time(text, what);
  if (result.count() <= 0)
    throw mistake{what + ": '" + text + "' has to be more than nothing"};
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
    x.by = x.what == fault_kind::clock
             ? to_time(value, key)
             : positive(value, key);
  else if (key == "with")
    x.storm.actions = parse_storm_actions(value);
  else if (key == "times" && x.what == fault_kind::storm)
    x.storm.times = to_number_range(value, key);
  else if (key == "every" && x.what == fault_kind::storm)
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
      throw mistake{"what: '" + value + "' is not files or all"};
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
     "SIGUSR1: it tells how the application is"},
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
     "of "
     "every=RANGE. In the end everybody goes on, and the coordinator gets "
     "SIGTERM, if it has not had one"},
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
     "the connection is closed, and none comes about; with for=TIME, for that "
     "time"},
    {hold,
     "hold",
     link,
     {},
     {"for"},
     false,
     "nothing gets through, as if a cable was pulled; with for=TIME, it comes "
     "after that time"},
    {delay,
     "delay",
     link,
     {"by"},
     {"for"},
     false,
     "everything comes that much later"},
    {throttle,
     "throttle",
     link,
     {"rate"},
     {"for"},
     false,
     "no more bytes a second than that come through"},
    {garbage,
     "garbage",
     process,
     {},
     {"size", "times", "every"},
     false,
     "somebody connects to its port, and sends bytes that mean nothing"},
    {full,
     "full",
     process,
     {},
     {"for", "what"},
     false,
     "no file grows any more, as on a full disk; with what=all, the log "
     "neither"},
    {clock,
     "clock",
     process,
     {"by"},
     {},
     true,
     "its clocks are ahead by that time; behind, if it is negative"},
    {late, "late", process, {"by"}, {}, true, "it starts that much later"},
    {never, "never", process, {}, {}, true, "it does not start"},
  };
  return result;
}

const fault_description& describe(fault_kind x) {
  return all_faults()[static_cast<std::size_t>(x)];
}

fault parse_fault(const std::string& text) {
  auto words = split_words(text);
  if (words.empty())
    throw mistake{"a fault is missing"};
  auto& kind = find_kind(words.front());
  fault result;
  result.what = kind.what;
  result.text = text;
  result.when.text = "start";
  auto allowed = words_of(kind);
  std::map<std::string, std::string> given;
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto equals = words[i].find('=');
    auto key = words[i].substr(0, equals);
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      throw mistake{"'" + std::string{kind.name} + "' has no '" + key
                    + "': " + choices(allowed) + suggestion(key, allowed)};
    if ((key == "optional") != (equals == std::string::npos))
      throw mistake{
        key == "optional"
          ? "'optional' takes no value"
          : "'" + key + "' needs a value: " + key + "=..."};
    auto value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (!given.emplace(key, value).second)
      throw mistake{"'" + key + "' is there twice"};
    if (key == "optional")
      result.optional = true;
    else
      set_word(result, key, value);
  }
  strings needed{kind.needed.begin(), kind.needed.end()};
  if (kind.where == fault_place::link)
    needed.emplace_back("link");
  if (kind.where == fault_place::node || kind.from_the_beginning)
    needed.emplace_back("target");
  for (auto& x : needed)
    if (!given.contains(x))
      throw mistake{"'" + std::string{kind.name} + "' needs '" + x + "=...'"};
  return result;
}

} // namespace rosia_drill
