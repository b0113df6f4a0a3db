// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/test/check_resume.hpp"

#include "application/application_access.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <stdlib.h>

namespace caf::rosia::test {

namespace {

/// An event of a node.
struct step {
  std::string line; // as in a trace
  logical_time tag;
  bool is_input = false;

  friend bool operator==(const step& x, const step& y) {
    return x.line == y.line;
  }
};

/// The events of a node, in order.
using history = std::vector<step>;

/// The events of all nodes, by name.
struct outcome {
  std::map<std::string, history> nodes;
  std::set<logical_time> tags; // that were executed
};

/// A temporary folder, which is removed with its content.
class scratch_folder {
public:
  scratch_folder()
    : path_(
      (std::filesystem::temp_directory_path() / "rosia-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), path_);
  }

  scratch_folder(const scratch_folder&) = delete;

  scratch_folder& operator=(const scratch_folder&) = delete;

  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const char* name) const {
    return (std::filesystem::path{path_} / name).string();
  }

private:
  std::string path_;
};

/// Returns whether the event does not depend on the schedule.
bool is_determined(std::string_view event) {
  constexpr std::string_view kinds[]
    = {"input", "action", "reaction", "send", "schedule"};
  return std::find(std::begin(kinds), std::end(kinds), event)
         != std::end(kinds);
}

void take(outcome& into, std::string_view line) {
  rapidjson::Document parsed;
  parsed.Parse(line.data(), line.size());
  if (parsed.HasParseError() || !parsed.HasMember("node")
      || !parsed["node"].IsString())
    return;
  std::string_view event = parsed["event"].GetString();
  if (event != "execute" && !is_determined(event))
    return;
  auto& numbers = parsed["tag"];
  logical_time tag{numbers[0].GetInt64(), numbers[1].GetUint()};
  if (event == "execute")
    into.tags.insert(tag);
  else
    into.nodes[parsed["node"].GetString()].push_back(
      {std::string{line}, tag, event == "input"});
}

outcome run(caf::actor_system& sys,
            const std::function<void(application&)>& build, logical_time until,
            const std::string& checkpoint, const std::string& resume) {
  options opts;
  opts.realtime = false;
  opts.warn_unconnected = false;
  opts.signals = signal_behavior::none;
  opts.log_level = "warning";
  opts.stop_after = until;
  opts.checkpoint.file = checkpoint;
  opts.resume.file = resume;
  outcome result;
  application app{sys, opts};
  detail::application_access::trace(app, [&](std::string_view lines) {
    while (!lines.empty()) {
      auto end = lines.find('\n');
      take(result, lines.substr(0, end));
      lines.remove_prefix(std::min(end, lines.size() - 1) + 1);
    }
  });
  build(app);
  // Physical time differs from run to run.
  detail::application_access::assume_deadlines(app);
  if (auto status = app.run(); status != 0)
    throw std::runtime_error(
      "check_resume: the application ends with status " + std::to_string(status)
      + "; the log tells why");
  return result;
}

/// Returns some of the tags, evenly distributed.
std::vector<logical_time> choose(
  const std::set<logical_time>& tags, logical_time until, std::size_t count) {
  std::vector<logical_time> all{logical_time{}};
  for (auto tag : tags)
    if (tag > all.back() && tag < until)
      all.push_back(tag);
  std::vector<logical_time> result;
  for (std::size_t i = 0; i < std::min(count, all.size()); ++i)
    result.push_back(all[i * all.size() / std::min(count, all.size())]);
  return result;
}

/// A difference between the events of a node and the expected ones.
struct difference {
  std::string node;
  std::optional<step> expected; // none if the node should have ended
  std::optional<step> done;     // none if the node has ended

  /// Ranks differences: the earliest is the cause. At one tag, an event that is
  /// not an input is more likely the cause.
  auto rank() const {
    auto& x = expected ? *expected : *done;
    auto& y = done ? *done : *expected;
    return std::make_tuple(std::min(x.tag, y.tag), x.is_input || y.is_input);
  }
};

/// Returns the difference with the lowest rank.
std::optional<difference> find_difference(
  const outcome& expected, const outcome& before, const outcome& after,
  logical_time checkpoint) {
  std::optional<difference> result;
  for (auto& [node, steps] : expected.nodes) {
    history joined;
    for (auto* part : {&before, &after})
      if (auto i = part->nodes.find(node); i != part->nodes.end())
        for (auto& x : i->second)
          // Not the last tag of the run that was stopped [10.6.5].
          if (part == &after || x.tag <= checkpoint)
            joined.push_back(x);
    auto [x, y]
      = std::mismatch(steps.begin(), steps.end(), joined.begin(), joined.end());
    if (x == steps.end() && y == joined.end())
      continue;
    difference found{node, {}, {}};
    if (x != steps.end())
      found.expected = *x;
    if (y != joined.end())
      found.done = *y;
    if (!result || found.rank() < result->rank())
      result = std::move(found);
  }
  return result;
}

void compare(const outcome& expected, const outcome& before,
             const outcome& after, logical_time checkpoint) {
  auto found = find_difference(expected, before, after, checkpoint);
  if (!found)
    return;
  auto text = [](auto& x) { return x ? x->line : std::string{"nothing"}; };
  throw std::runtime_error(
    "check_resume: node '" + found->node
    + "' does not continue from the checkpoint at tag " + to_string(checkpoint)
    + " as it was: it does\n  " + text(found->done) + "\ninstead of\n  "
    + text(found->expected)
    + "\nIs there a member variable of it, or of a node before it, that "
      "should be a rosia::state?");
}

} // namespace

void check_resume(
  caf::actor_system& sys, const std::function<void(application&)>& build,
  optional_tag until, std::size_t checkpoints) {
  if (!until)
    throw std::invalid_argument(
      "check_resume: until is missing: the tag at which the application ends");
  auto expected = run(sys, build, *until, {}, {});
  for (auto tag : choose(expected.tags, *until, checkpoints)) {
    scratch_folder folder;
    auto file = folder.file("run.db");
    auto before = run(sys, build, tag, file, {});
    auto after = run(sys, build, *until, {}, file);
    compare(expected, before, after, tag);
  }
}

} // namespace caf::rosia::test
