// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/signal_mask.hpp"
#include "base/signal_watch.hpp"
#include "base/write_lock.hpp"
#include "rosia_drill/campaign.hpp"
#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/explanation.hpp"
#include "rosia_drill/progress.hpp"
#include "rosia_drill/report_files.hpp"
#include "subcommands/command_line.hpp"
#include "subcommands/tool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace po = boost::program_options;
namespace rd = rosia_drill;

namespace {

using subcommands::arguments;
using subcommands::usage_error;

using caf::rosia::detail::signal_watch;
using caf::rosia::detail::unblock_signal;

constexpr const char* version = ROSIA_DRILL_VERSION;

constexpr const char* usage = R"(Usage: rosia-drill COMMAND [OPTION...] ...

Rehearses the failures that a program built on libcaf_rosia has to survive.

Commands:
  run FILE... [-- ARGUMENT...]  run the drills; the arguments go to the program
  list [FILE|FOLDER...]         print the purposes of drills
  explain FILE...               explain a drill, word by word
  explain                       list all faults, injection points and expectations
  replay REPORT DRILL:ROUND     run a round of a report.json again

Options:
  -h, --help                    help; after a command, help for that command
  --version                     the version

Exit status: 0 all drills held; 1 some did not, or the tool was interrupted;
2 a drill file or the command line is wrong, or a program cannot be started.
)";

constexpr int exit_held = 0;
constexpr int exit_not_held = 1;
constexpr int exit_trouble = 2;

// -- Ctrl-C -------------------------------------------------------------------

std::atomic<bool> stop{false};

/// Time of the first signal, in nanoseconds of the steady clock.
std::atomic<std::int64_t> stopped_at{0};

/// A second request ends the tool at once. Several signals within a short time
/// are one request.
extern "C" void on_signal(int signal) {
  using namespace std::chrono;
  std::int64_t first = 0;
  nanoseconds now = steady_clock::now().time_since_epoch();
  if (stopped_at.compare_exchange_strong(first, now.count())) {
    stop = true;
  } else if (now - nanoseconds{first} >= signal_watch::same_request_time) {
    ::signal(signal, SIG_DFL);
    ::raise(signal); // delivered when this function returns
  }
}

void take_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // The parent may have blocked these signals, or ignored SIGCHLD.
  for (auto signal : {SIGINT, SIGTERM})
    unblock_signal(signal);
  ::signal(SIGCHLD, SIG_DFL);
  // Programs inherit this. They get an error as for a full disk instead of the
  // signal.
  ::signal(SIGXFSZ, SIG_IGN);
}

// -- command lines ------------------------------------------------------------

/// The options of one command; abbreviations are not accepted.
class command_line : public subcommands::command_line {
public:
  command_line(const std::string& synopsis, std::string text)
    : subcommands::command_line{
      "rosia-drill " + synopsis, std::move(text),
      po::command_line_style::unix_style
        & ~po::command_line_style::allow_guessing} {
    // nop
  }
};

std::uint64_t number_option(
  const command_line& line, const char* name, std::uint64_t least) {
  return rd::to_number(line.get<std::string>(name), std::string{"--"} + name,
                       least, std::numeric_limits<std::uint64_t>::max());
}

/// Adds the options that `run` and `replay` share.
void add_output_options(command_line& line) {
  line.add()("output,o", po::value<std::string>()->value_name("FOLDER"),
             "write report.json, report.xml and report.html there, and keep "
             "the folders of rounds that did not hold");
  line.add()("keep", "keep the folders of all rounds");
  line.add()("programs", po::value<arguments>()->value_name("FOLDER"),
             "look for programs there, too");
}

rd::campaign_options output_options_of(const command_line& line) {
  rd::campaign_options result;
  if (line.has("output"))
    result.output = line.get<std::string>("output");
  result.keep = line.has("keep");
  if (line.has("programs"))
    for (auto& x : line.get<arguments>("programs"))
      result.program_folders.emplace_back(x);
  result.jobs = std::max(std::thread::hardware_concurrency(), 1u);
  return result;
}

/// Reads all named drill files, and those in named folders.
std::vector<rd::drill> read_drills(const arguments& names) {
  std::vector<rd::drill> result;
  for (auto& name : names) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(name)) {
      for (auto& x : std::filesystem::directory_iterator(name))
        if (x.path().extension() == ".ini")
          files.push_back(x.path());
      std::sort(files.begin(), files.end());
    } else {
      files.emplace_back(name);
    }
    for (auto& file : files) {
      result.push_back(rd::read_drill(file));
      for (std::size_t i = 0; i + 1 < result.size(); ++i)
        if (result[i].name == result.back().name)
          throw rd::mistake{
            file.string() + ": drill '" + result.back().name
            + "' exists already, in " + result[i].file.string()};
    }
  }
  return result;
}

// -- commands -----------------------------------------------------------------

int run_drills(std::vector<rd::drill> drills,
               const rd::campaign_options& options) {
  take_signals();
  std::optional<caf::rosia::detail::write_lock> lock;
  if (!options.output.empty()) {
    std::filesystem::create_directories(options.output);
    lock.emplace((options.output / "report.html").string());
  }
  auto result = rd::run_campaign(std::move(drills), options, stop);
  if (!options.output.empty())
    rd::write_reports(result, options.output);
  std::cout << rd::summary(result);
  if (!options.output.empty())
    std::cout << "report: " << (options.output / "report.html").string()
              << '\n';
  return result.held() ? exit_held : exit_not_held;
}

int run(const arguments& all) {
  command_line line{
    "run [OPTION...] FILE|FOLDER... [-- ARGUMENT...]",
    R"(Runs drills, each as often as its file says, and tells which of them
held. A round that did not hold leaves its traces, logs and reports in
a folder, whose name is shown.
)"};
  line.add()("rounds,n", po::value<std::string>()->value_name("N"),
             "the number of rounds, in place of that in the files");
  line.add()(
    "seed,s", po::value<std::string>()->value_name("N"),
    "the seed of the first round; each further round has the next number");
  line.add()("jobs,j", po::value<std::string>()->value_name("N"),
             "rounds at once (default: as many as there are processors)");
  add_output_options(line);
  auto args = all;
  arguments behind;
  if (auto i = std::find(args.begin(), args.end(), "--"); i != args.end()) {
    behind.assign(i + 1, args.end());
    args.erase(i, args.end());
  }
  if (!line.parse(args))
    return exit_held;
  if (line.rest().empty())
    throw usage_error{"expected at least one drill file"};
  auto options = output_options_of(line);
  options.arguments = behind;
  if (line.has("rounds"))
    options.rounds = number_option(line, "rounds", 1);
  if (line.has("seed"))
    options.seed = number_option(line, "seed", 0);
  if (line.has("jobs"))
    options.jobs = number_option(line, "jobs", 1);
  auto drills = read_drills(line.rest());
  if (drills.empty())
    throw usage_error{"the folder has no drill file (*.ini)"};
  return run_drills(std::move(drills), options);
}

int replay(const arguments& args) {
  command_line line{
    "replay [OPTION...] REPORT DRILL:ROUND",
    R"(Runs a round of an earlier report.json again: the same drill, program and
seed. Its folder is kept.
)"};
  add_output_options(line);
  if (!line.parse(args))
    return exit_held;
  if (line.rest().size() != 2)
    throw usage_error{"expected a report and a round, such as "
                      "report.json crash:3"};
  auto past = rd::find_round(line.rest()[0], line.rest()[1]);
  auto drill = rd::read_drill(past.file);
  drill.program = past.program.string();
  drill.arguments = past.arguments;
  drill.rounds = 1;
  drill.seed = past.seed;
  auto options = output_options_of(line);
  options.first_round = past.number;
  options.keep = true;
  return run_drills({std::move(drill)}, options);
}

int list(const arguments& args) {
  command_line line{
    "list [FILE|FOLDER...]",
    R"(Prints the names and purposes of drills. Without a name, of those in the
current folder.
)"};
  if (!line.parse(args))
    return exit_held;
  auto names = line.rest();
  if (names.empty())
    names.emplace_back(".");
  for (auto& x : read_drills(names))
    std::cout
      << x.name << '\n'
      << rd::paragraph(x.purpose.empty() ? "(no purpose is given)" : x.purpose);
  return exit_held;
}

int explain(const arguments& args) {
  command_line line{
    "explain [FILE...]",
    R"(Explains drills. Without a file: all faults, injection points and expectations.
)"};
  if (!line.parse(args))
    return exit_held;
  if (line.rest().empty())
    std::cout << rd::explain_words();
  for (auto& x : read_drills(line.rest()))
    std::cout << rd::explain(x);
  return exit_held;
}

} // namespace

int main(int argc, char** argv) {
  return subcommands::run(
    {.name = "rosia-drill",
     .usage = usage,
     .version = std::string{"rosia-drill "} + version,
     .commands
     = {{"run", run}, {"list", list}, {"explain", explain}, {"replay", replay}},
     .failure = exit_trouble},
    argc, argv);
}
