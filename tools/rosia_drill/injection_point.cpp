// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/injection_point.hpp"

#include "base/text.hpp"

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
    "when: unknown injection point '" + text
    + "'; known are times such as 200ms, ranges such as 50ms..400ms, "
    + caf::rosia::detail::quoted_list(names) + suggestion(word, names)};
}

injection_point step_point(injection_point result, const std::string& number) {
  result.kind = injection_point_kind::step;
  result.where = number.empty() ? range{1, 1} : to_number_range(number, "when");
  return result;
}

} // namespace

const std::vector<step_description>& all_steps() {
  static const std::vector<step_description> result{
    {"requested", "the coordinator learns of a request to end"},
    {"node_asked", "the coordinator asked a node for its tag"},
    {"answered", "an answer arrived, and is not handled yet"},
    {"final_tag_sent", "the coordinator sent a node the final tag"},
    {"left", "the coordinator learns that a node left"},
    {"aborted", "the application is aborted, and no node knows it yet"},
    {"over", "all nodes left, and the other processes do not know it yet"},
    {"checkpoint_asked",
     "a process is about to be asked where a checkpoint can be taken"},
    {"checkpoint_agreed",
     "a process is about to learn the tag of a checkpoint"},
    {"checkpoint_marked",
     "all parts of a checkpoint are on the disk, and it is not noted yet that "
     "it is complete"},
    {"checkpoint_complete",
     "a checkpoint is complete, and a process is about to learn that"},
    {"node_started", "a node is about to run start()"},
    {"node_answers", "a node is about to answer"},
    {"node_final", "a node learns the final tag"},
    {"shutdown_begun", "a node is about to run shutdown()"},
    {"shutdown_ended", "shutdown() of a node returned"},
    {"node_aborted", "a node is told to end at once"},
    {"node_saves",
     "a node passed the tag of a checkpoint, and is about to save"},
    {"part_written",
     "a process wrote its part of a checkpoint, which is not on the disk "
     "yet"},
    {"part_durable",
     "the part of a process is on the disk, and the coordinator does not know "
     "it yet"},
  };
  return result;
}

injection_point parse_injection_point(const std::string& text) {
  injection_point result;
  result.text = text;
  if (text.starts_with("log:")) {
    result.kind = injection_point_kind::log;
    result.words = text.substr(4);
    if (result.words.empty())
      throw mistake{"when: log: needs a text, such as log:ready"};
    return result;
  }
  auto rest = text;
  if (auto at = rest.find('@'); at != std::string::npos) {
    result.node = rest.substr(at + 1);
    rest.resize(at);
    if (result.node.empty())
      throw mistake{
        "when: '" + text + "' needs the name of a node after the @"};
  }
  auto colon = rest.find(':');
  auto name = rest.substr(0, colon);
  auto number
    = colon == std::string::npos ? std::string{} : rest.substr(colon + 1);
  result.step = name;
  if (name == "logical") {
    result.kind = injection_point_kind::logical;
    if (result.node.empty())
      throw mistake{
        "when: '" + text + "' needs a node: write '" + text + "@NODE'"};
    result.where = to_time_range(number, "when");
    return result;
  }
  if (find_step(name) != nullptr)
    return step_point(std::move(result), number);
  if (colon != std::string::npos || !result.node.empty() || text.empty())
    refuse(text, name);
  if (text == "launch" || text == "start") {
    result.kind
      = text == "start"
          ? injection_point_kind::start
          : injection_point_kind::launch;
    return result;
  }
  if (std::isdigit(static_cast<unsigned char>(text.front())) == 0)
    refuse(text, name);
  result.kind = injection_point_kind::time;
  result.where = to_time_range(text, "when");
  return result;
}

} // namespace rosia_drill
