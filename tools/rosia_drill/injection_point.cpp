// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/injection_point.hpp"

#include <algorithm>
#include <cctype>

namespace rosia_drill {

namespace {

const step_description* find_step(std::string_view name) {
  for (auto& x : all_steps())
    if (x.name == name)
      return &x;
  return nullptr;
}

[[noreturn]] void refuse(const std::string& text, const std::string& word) {
  std::vector<std::string> names{"launch", "start", "logical", "log"};
  for (auto& x : all_steps())
    names.emplace_back(x.name);
  throw mistake{
    "when: '" + text
    + "' is no injection point: a time such as 200ms, a range such as "
      "50ms..400ms, "
    + choices(names) + suggestion(word, names)};
}

injection_point step_point(injection_point result, const std::string& number) {
  result.what = injection_point::kind::step;
  result.where = number.empty() ? range{1, 1} : to_number_range(number, "when");
  return result;
}

} // namespace

const std::vector<step_description>& all_steps() {
  static const std::vector<step_description> result{
    {"requested", true, "the coordinator learns that somebody wants an end"},
    {"node_asked", true, "the coordinator has asked a node for its tag"},
    {"answered", true, "a node's answer has come, and is not looked at yet"},
    {"final_tag_sent", true, "the coordinator has sent a node the final tag"},
    {"left", true, "the coordinator learns that a node has left"},
    {"forced", true, "the application is aborted; no node knows it yet"},
    {"over", true, "all nodes have left; other processes do not know it yet"},
    {"node_started", false, "a node is about to run start()"},
    {"node_answers", false, "a node is about to answer the question"},
    {"node_final", false, "a node learns the final tag"},
    {"shutdown_begun", false, "a node is about to run shutdown()"},
    {"shutdown_ended", false, "a node's shutdown() has returned"},
    {"node_forced", false, "a node is aborted"},
  };
  return result;
}

injection_point parse_injection_point(const std::string& text) {
  injection_point result;
  result.text = text;
  if (text.starts_with("log:")) {
    result.what = injection_point::kind::log;
    result.words = text.substr(4);
    if (result.words.empty())
      throw mistake{"when: log: needs the text that the line has"};
    return result;
  }
  auto rest = text;
  if (auto at = rest.find('@'); at != std::string::npos) {
    result.node = rest.substr(at + 1);
    rest.resize(at);
    if (result.node.empty())
      throw mistake{"when: the node is missing behind the @ of '" + text + "'"};
  }
  auto colon = rest.find(':');
  auto name = rest.substr(0, colon);
  auto number
    = colon == std::string::npos ? std::string{} : rest.substr(colon + 1);
  result.step = name;
  if (name == "logical") {
    result.what = injection_point::kind::logical;
    if (result.node.empty())
      throw mistake{
        "when: logical time is a node's: write '" + text + "@NODE'"};
    result.where = to_time_range(number, "when");
    return result;
  }
  if (find_step(name) != nullptr)
    return step_point(std::move(result), number);
  if (colon != std::string::npos || !result.node.empty() || text.empty())
    refuse(text, name);
  if (text == "launch" || text == "start") {
    result.what
      = text == "start"
          ? injection_point::kind::start
          : injection_point::kind::launch;
    return result;
  }
  if (std::isdigit(static_cast<unsigned char>(text.front())) == 0)
    refuse(text, name);
  result.what = injection_point::kind::time;
  result.where = to_time_range(text, "when");
  return result;
}

} // namespace rosia_drill
