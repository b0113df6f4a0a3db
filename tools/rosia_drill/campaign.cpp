// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/campaign.hpp"

#include "rosia_certs/certificate_authority.hpp"
#include "rosia_drill/program_look.hpp"
#include "rosia_drill/progress.hpp"
#include "rosia_drill/runner.hpp"
#include "rosia_drill/started_process.hpp"
#include "rosia_drill/trace_look.hpp"
#include "rosia_drill/verdict.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>

#include <poll.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;

/// The number of successful rounds per drill that the report shows in full. Of
/// further ones, it shows only processes and faults, because a night may have
/// ten thousand rounds.
constexpr std::uint64_t rounds_in_full = 10;

bool is_program(const fs::path& x) {
  std::error_code ignored;
  return fs::is_regular_file(x, ignored) && ::access(x.c_str(), X_OK) == 0;
}

std::vector<fs::path> folders_of_shell() {
  std::vector<fs::path> result;
  auto* path = std::getenv("PATH");
  std::string text = path == nullptr ? "" : path;
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(':', at), text.size());
    result.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// A folder that the destructor removes.
class temporary_folder {
public:
  temporary_folder() {
    auto name = (fs::temp_directory_path() / "rosia-drill-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(
        errno, std::generic_category(), "cannot make a temporary folder");
    path_ = name;
  }

  temporary_folder(const temporary_folder&) = delete;

  temporary_folder& operator=(const temporary_folder&) = delete;

  ~temporary_folder() {
    std::error_code ignored;
    if (!kept_)
      fs::remove_all(path_, ignored);
  }

  const fs::path& path() const {
    return path_;
  }

  void keep() {
    kept_ = true;
  }

private:
  fs::path path_;
  bool kept_ = false;
};

/// Removes a folder if it is empty.
void remove_if_empty(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_empty(folder, ignored))
    fs::remove(folder, ignored);
}

/// Runs a shell command.
/// @returns the error; empty on success.
std::string run_shell(const std::string& command, const fs::path& folder) {
  process_command process;
  process.arguments = {"/bin/sh", "-c", command};
  process.folder = folder;
  process.log = folder / "logs" / "spoil.log";
  started_process shell{process};
  pollfd ended{shell.handle(), POLLIN, 0};
  while (::poll(&ended, 1, -1) < 0)
    ;
  auto status = shell.reap();
  return status == 0 ? std::string{}
                     : "its status is " + std::to_string(status);
}

class campaign {
public:
  campaign(std::vector<drill> drills, const campaign_options& options,
           const std::atomic<bool>& stop)
    : options_{options}, stop_{stop},
      base_{options.output.empty() ? temporary_.path()
                                   : fs::absolute(options.output)},
      shown_{drills.size()} {
    for (auto& x : drills) {
      if (options.rounds)
        x.rounds = *options.rounds;
      if (options.seed)
        x.seed = *options.seed;
      x.arguments.insert(
        x.arguments.end(), options.arguments.begin(), options.arguments.end());
      auto program = find_program(x.program, options.program_folders);
      for (std::uint64_t i = 0; i < x.rounds; ++i)
        queue_.push_back({result_.drills.size(), i});
      auto resumed
        = x.resume_program.empty()
            ? program
            : find_program(x.resume_program, options.program_folders);
      result_.drills.push_back(
        {std::move(x), std::move(program), {}, std::move(resumed)});
      references_.push_back(std::make_unique<reference>());
    }
    if (std::any_of(result_.drills.begin(), result_.drills.end(), [](auto& x) {
          return x.definition.certificates;
        }))
      make_certificates();
  }

  campaign_result run() {
    check_drills();
    auto begin = std::chrono::steady_clock::now();
    result_.started
      = std::chrono::duration_cast<std::chrono::seconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count();
    shown_.begin(queue_.size());
    {
      std::vector<std::jthread> workers;
      auto count = std::min<std::size_t>(options_.jobs, queue_.size());
      for (std::size_t i = 0; i < count; ++i)
        workers.emplace_back([this] { work(); });
    }
    shown_.finish();
    if (error_)
      std::rethrow_exception(error_);
    for (auto& x : result_.drills) {
      std::sort(x.rounds.begin(), x.rounds.end(), [](auto& a, auto& b) {
        return a.number < b.number;
      });
      clean_up(base_ / x.definition.name);
    }
    result_.seconds
      = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
    result_.not_run += queue_.size();
    result_.folder = base_;
    if (options_.output.empty() && fs::exists(base_) && !fs::is_empty(base_))
      temporary_.keep();
    return std::move(result_);
  }

private:
  struct task {
    std::size_t drill;
    std::uint64_t index; // index of the round, from 0
  };

  /// The run of a drill without faults.
  struct reference {
    std::mutex mutex;
    bool made = false;
    undisturbed_run run;
  };

  /// Checks that the programs know the arguments, nodes and processes of their
  /// drills. Asks a program once for all drills that start it in the same way.
  void check_drills() {
    using strings = std::vector<std::string>;
    using places = std::vector<std::pair<std::string, std::string>>;
    std::map<std::tuple<fs::path, strings, strings, strings, places>,
             program_look>
      seen;
    auto look = [&](const drill_result& of, bool resumes) -> program_look& {
      auto& x = of.definition;
      auto settings = settings_of(of, 0, x.seed, "look", false);
      if (resumes) {
        settings.program = of.program_resumed;
        settings.continued = settings.folder;
      }
      auto [entry, is_new] = seen.try_emplace(
        {settings.program, x.arguments, resumes ? x.resume : strings{},
         x.processes, x.placement});
      if (is_new)
        entry->second = look_at_program(x, settings);
      std::error_code ignored;
      fs::remove_all(settings.folder, ignored);
      remove_if_empty(settings.folder.parent_path());
      return entry->second;
    };
    for (auto& of : result_.drills) {
      if (!of.definition.nodes)
        continue;
      auto& first = look(of, false);
      check_arguments(of.definition, "arguments", first);
      check_names(of.definition, first);
      if (of.definition.resumes())
        check_arguments(of.definition, "resume", look(of, true));
      if (stop_)
        return;
    }
  }

  /// Makes certificates for all processes of all rounds, which run on one
  /// machine.
  void make_certificates() {
    constexpr std::chrono::seconds lifetime = std::chrono::hours{24 * 30};
    auto file
      = [this](const char* name) { return (sockets_.path() / name).string(); };
    certificates_ = {file("certificate.pem"), file("key.pem"), file("ca.pem")};
    rosia_certs::certificate_authority::create("rosia-drill", lifetime)
      .issue({"rosia-drill", {"127.0.0.1"}, lifetime}, certificates_);
  }

  void clean_up(const fs::path& folder) {
    std::error_code ignored;
    if (!options_.keep)
      fs::remove_all(folder / "undisturbed", ignored);
    remove_if_empty(folder);
  }

  void work() {
    for (;;) {
      task next{};
      {
        std::lock_guard guard{mutex_};
        if (queue_.empty() || stop_ || error_)
          return;
        next = queue_.front();
        queue_.pop_front();
      }
      try {
        run(next);
      } catch (...) {
        std::lock_guard guard{mutex_};
        error_ = std::current_exception();
      }
    }
  }

  void run(const task& x) {
    auto& of = result_.drills[x.drill];
    auto number = options_.first_round + x.index;
    auto settings = settings_of(
      of, number, of.definition.seed + x.index, std::to_string(number), true);
    auto round = runner{of.definition, settings}.run();
    if (!round.interrupted)
      round.failures
        = judge(of.definition, round, reference_of(x.drill), settings);
    if (of.definition.resumes() && !round.interrupted && !stop_)
      go_on(x.drill, settings, round);
    if (round.interrupted || stop_) {
      std::lock_guard guard{mutex_};
      ++result_.not_run;
      remove(round);
      return;
    }
    if (round.held() && !options_.keep)
      remove(round);
    if (round.held() && x.index >= rounds_in_full)
      shorten(round);
    std::lock_guard guard{mutex_};
    shown_.round_is_over(of.definition.name, round);
    of.rounds.push_back(std::move(round));
    if (of.rounds.size() == of.definition.rounds)
      shown_.drill_is_over(of.definition.name, of.rounds.size(), of.failed());
  }

  /// Starts the program again, which resumes.
  void go_on(std::size_t drill, const round_settings& before, outcome& round) {
    auto& of = result_.drills[drill];
    auto add = [&round](std::vector<failed_expectation> xs) {
      for (auto& y : xs)
        round.failures.push_back(std::move(y));
    };
    if (auto& command = of.definition.spoil; !command.empty())
      if (auto wrong = run_shell(command, before.folder); !wrong.empty())
        add({{"spoil " + command, wrong}});
    auto settings = settings_of(
      of, before.number, before.seed,
      std::to_string(before.number) + "/resumed", false);
    settings.program = of.program_resumed;
    settings.continued = before.folder;
    auto second = runner{of.definition, settings}.run();
    join_traces(round, second, before.folder / "joined.jsonl");
    round.interrupted = second.interrupted;
    if (!round.interrupted)
      add(judge(of.definition, second, reference_of(drill), settings));
  }

  /// Keeps only what a list of rounds shows.
  static void shorten(outcome& x) {
    x.nodes.clear();
    std::erase_if(x.events, [](auto& y) {
      return y.kind == round_event_kind::log
             || y.kind == round_event_kind::step;
    });
  }

  static void remove(outcome& x) {
    std::error_code ignored;
    std::filesystem::remove_all(x.folder, ignored);
    x.folder.clear();
  }

  round_settings settings_of(
    const drill_result& of, std::uint64_t number, std::uint64_t seed,
    const std::string& folder, bool disturbed) {
    round_settings result;
    result.program = of.program;
    result.number = number;
    result.seed = seed;
    result.folder = base_ / of.definition.name / folder;
    std::error_code ignored;
    fs::remove_all(result.folder, ignored);
    result.socket
      = sockets_.path() / std::to_string(sockets_made_.fetch_add(1));
    result.certificates = certificates_;
    result.disturbed = disturbed;
    result.stop = &stop_;
    return result;
  }

  const undisturbed_run& reference_of(std::size_t i) {
    auto& of = result_.drills[i];
    auto& x = *references_[i];
    std::lock_guard guard{x.mutex};
    auto needed = std::any_of(
      of.definition.expectations.begin(), of.definition.expectations.end(),
      [](auto& e) { return e.kind == expectation_kind::same; });
    if (std::exchange(x.made, true) || !needed)
      return x.run;
    auto settings
      = settings_of(of, 0, of.definition.seed, "undisturbed", false);
    auto round = runner{of.definition, settings}.run();
    x.run.trace = round.trace;
    x.run.problem = round.no_trace;
    for (auto& problem : round.problems) {
      x.run.trace.clear();
      x.run.problem = problem.actual;
    }
    return x.run;
  }

  const campaign_options& options_;
  const std::atomic<bool>& stop_;
  temporary_folder temporary_;
  temporary_folder sockets_; // for sockets and certificates
  std::atomic<std::uint64_t> sockets_made_{0};
  fs::path base_;
  caf::rosia::detail::tls_files certificates_;
  std::vector<std::unique_ptr<reference>> references_;
  std::mutex mutex_; // protects the members below
  std::deque<task> queue_;
  campaign_result result_;
  std::exception_ptr error_;
  progress shown_;
};

} // namespace

bool drill_result::held() const {
  return failed() == 0;
}

std::size_t drill_result::failed() const {
  return static_cast<std::size_t>(std::count_if(
    rounds.begin(), rounds.end(), [](auto& x) { return !x.held(); }));
}

bool campaign_result::held() const {
  return not_run == 0 && std::all_of(drills.begin(), drills.end(), [](auto& x) {
           return x.held();
         });
}

fs::path find_program(const std::string& name,
                      const std::vector<fs::path>& folders) {
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (!fs::exists(name, ignored))
      throw mistake{"program '" + name + "' does not exist"};
    if (!is_program(name))
      throw mistake{"program '" + name + "' is not an executable file"};
    return fs::absolute(name);
  }
  auto own = fs::read_symlink("/proc/self/exe").parent_path();
  auto places = folders;
  places.push_back(own);
  places.push_back(own.parent_path() / "examples");
  for (auto& x : folders_of_shell())
    places.push_back(x);
  for (auto& x : places)
    if (is_program(x / name))
      return fs::absolute(x / name);
  throw mistake{
    "program '" + name
    + "' was not found beside rosia-drill, among the examples of its build, or "
      "in the PATH; give its path, or --programs=FOLDER"};
}

campaign_result run_campaign(
  std::vector<drill> drills, const campaign_options& options,
  const std::atomic<bool>& stop) {
  return campaign{std::move(drills), options, stop}.run();
}

} // namespace rosia_drill
