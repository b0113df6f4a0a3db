// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/program_look.hpp"

#include "rosia_drill/control.hpp"
#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/launch_command.hpp"
#include "rosia_drill/round_process.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;

/// Interval of checks for an interruption of the tool, in nanoseconds.
constexpr std::int64_t pause_between_checks = 50'000'000;

/// Returns the name of an option: "rosia.groups" of "--rosia.groups=off".
/// Returns an empty text for other arguments.
std::string option_name(const std::string& argument) {
  auto begin = argument.find_first_not_of('-');
  if (begin == 0 || begin == std::string::npos)
    return {};
  return argument.substr(begin, argument.find('=') - begin);
}

/// Starts the program, and reads what it says.
class looker {
public:
  looker(const drill& definition, const round_settings& settings)
    : stop_{settings.stop}, process_{"coordinator",
                                     settings.folder / "look.log"},
      hub_{loop_, settings.socket.string(),
           control::events{
             [](auto, auto&, auto) { return std::vector<std::string>{}; },
             [this](auto, auto& names) {
               result_.nodes.insert(names.begin(), names.end());
             },
             [](auto, auto) {}, [](auto, auto&) {}}} {
    // No port is opened.
    auto command = launch_command(definition, settings, 0, {1, 1});
    command.arguments.insert(
      command.arguments.begin() + 1,
      "--rosia.diagram=" + (settings.folder / "graph.dot").string());
    fs::create_directories(command.folder);
    fs::create_directories(settings.folder / "tmp");
    end_ = monotonic_now() + definition.limit.count();
    process_.start(std::move(command));
  }

  program_look run() {
    loop_.read(process_.handle(), [this] {
      loop_.forget(process_.handle());
      result_.status = process_.end(take_line_);
    });
    loop_.read(process_.output(), [this] {
      if (!process_.read_output(take_line_))
        loop_.forget(process_.output());
    });
    watch();
    loop_.run([this] { return !process_.is_running(); });
    return std::move(result_);
  }

private:
  void watch() {
    if (monotonic_now() > end_ || (stop_ != nullptr && *stop_))
      process_.kill_group();
    loop_.call_at(monotonic_now() + pause_between_checks, [this] { watch(); });
  }

  program_look result_;
  round_process::line_function take_line_{[this](auto& line) {
    result_.lines.push_back(line);
  }};
  const std::atomic<bool>* stop_;
  std::int64_t end_ = 0;
  event_loop loop_;
  round_process process_;
  control hub_;
};

} // namespace

program_look look_at_program(
  const drill& definition, const round_settings& settings) {
  fs::create_directories(settings.folder);
  return looker{definition, settings}.run();
}

void check_arguments(const drill& definition, const std::string& key,
                     const program_look& seen) {
  if (seen.status == 0 || !seen.nodes.empty())
    return;
  auto& words = key == "resume" ? definition.resume : definition.arguments;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (auto name = option_name(words[i]); !name.empty())
      for (auto& line : seen.lines)
        if (line.find(name) != std::string::npos)
          throw mistake{definition.place_of(key, i) + ": the program refuses '"
                        + words[i] + "': " + line};
}

void check_names(const drill& definition, const program_look& seen) {
  if (seen.nodes.empty())
    return;
  std::vector<std::string> nodes{seen.nodes.begin(), seen.nodes.end()};
  auto all = definition.process_names();
  all.insert(all.end(), nodes.begin(), nodes.end());
  auto require =
    [&](const char* key, std::size_t index, const char* kind,
        const std::string& name, const std::vector<std::string>& known) {
      if (std::none_of(known.begin(), known.end(), [&](auto& x) {
            return x == name || (key == std::string{"place"} && fits(name, x));
          }))
        throw mistake{
          definition.place_of(key, index) + ": " + unknown(kind, name, known)};
    };
  for (std::size_t i = 0; i < definition.placement.size(); ++i)
    require("place", i, "node", definition.placement[i].first, nodes);
  for (std::size_t i = 0; i < definition.faults.size(); ++i) {
    auto& x = definition.faults[i];
    auto where = describe(x.kind).where;
    if (where == fault_place::node)
      require("fault", i, "node", x.target, nodes);
    else if (!x.target.empty())
      require("fault", i, "process or node", x.target, all);
    if (!x.when.node.empty())
      require("fault", i, "node", x.when.node, nodes);
  }
  for (std::size_t i = 0; i < definition.expectations.size(); ++i)
    // A program may have started processes that the drill does not know.
    if (auto& x = definition.expectations[i];
        x.kind == expectation_kind::named && !definition.processes.empty())
      require("expect", i, "process or node", x.words, all);
}

} // namespace rosia_drill
