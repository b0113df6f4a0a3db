// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A run that takes checkpoints and is recorded and copied at its end. It is
// killed at each of its operations on files, or each operation fails once. Each
// run is a process, and another process resumes from its files. Environment:
//   ROSIA_CRASH_ROUNDS  number of tries of each operation, the second time with
//                       the other fault (1)

#include "failing_files.hpp"
#include "recorded_run.hpp"

#include "run_file/checkpoints.hpp"
#include "run_file/recording.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
namespace run_file = rosia::run_file;

using recording::fault;
using test::temporary_folder;

/// Adds up numbers, ten per millisecond.
struct adder : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::state<int> sum{this, "sum", 0};
  rosia::action<int> next{this, "next"};
  rosia::physical_action<int> key{this, "key"};
  rosia::reaction on_next{
    this, "on_next", {next}, [this] {
      sum += *next;
      out(*sum);
      next.schedule(100us, *next + 1);
    }};

  void start() {
    next.schedule(100us, 1);
  }
};

constexpr int sum_after(std::chrono::microseconds time) {
  auto count = static_cast<int>(time / 100us);
  return count * (count + 1) / 2;
}

constexpr auto first_end = 2000us;
constexpr auto second_end = 4000us;
constexpr auto third_end = 6000us;

constexpr auto wrong_sum = 201;
constexpr auto refused = 200;

/// The files of a folder.
struct files {
  explicit files(const std::string& folder)
    : checkpoints(folder + "/run.db"), recording(folder + "/rec.db"),
      copy(folder + "/copy.db") {
    // nop
  }

  std::string checkpoints;
  std::string recording;
  std::string copy;
};

/// Runs up to this time, from the last checkpoint. @returns the status.
int run(const files& x, std::chrono::microseconds until) {
  auto opts = with_log(fast_until(until), "debug");
  opts.checkpoint.file = opts.resume.file = x.checkpoints;
  opts.checkpoint.every = 1ms;
  opts.checkpoint.keep = 2;
  opts.checkpoint.backup = x.copy;
  opts.record.file = x.recording;
  opts.record.ports = "*.*";
  test_system sys{1};
  rosia::application app{sys, opts};
  auto node = app.create<adder>("adder");
  for (auto i = 0; i < 10; ++i)
    node->key.schedule(i);
  auto status = app.run();
  return status == 0 && *node->sum != sum_after(until) ? wrong_sum : status;
}

struct outcome {
  int status = 0;
  std::string log;
};

/// Runs the application in a separate process. @param watch called there
/// before.
outcome run_alone(
  const files& x, std::chrono::microseconds until,
  const std::function<void()>& watch = [] {}) {
  temporary_folder beside;
  auto said = beside.file("said");
  outcome result;
  result.status = status_in_child([&] {
    ::dup2(::open(said.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), 2);
    watch();
    try {
      return run(x, until);
    } catch (const std::exception& e) {
      std::fputs(e.what(), stderr);
      return refused;
    }
  });
  std::ostringstream text;
  text << std::ifstream{said}.rdbuf();
  result.log = text.str();
  return result;
}

/// Returns the last time that follows a text in a log; 0 if there is none.
std::chrono::microseconds last_time(
  const std::string& log, const std::string& text) {
  auto found = log.rfind(text);
  if (found == std::string::npos)
    return 0us;
  auto* begin = log.c_str() + found + text.size();
  char* end = nullptr;
  auto number = std::strtod(begin, &end);
  auto us = end[0] == 'u' ? number : number * 1000;
  return std::chrono::microseconds{std::lround(us)};
}

/// Returns the last checkpoint that was reported as complete.
std::chrono::microseconds last_complete(const std::string& log) {
  return std::max(last_time(log, "the checkpoint at tag "),
                  last_time(log, "the checkpoint at the end, tag "));
}

bool is_there(const std::string& file) {
  return fs::exists(file) && fs::file_size(file) > 0;
}

void require_sound(const std::string& file) {
  if (is_there(file))
    CHECK(recording::ask(file, "PRAGMA integrity_check") == "ok");
}

/// Returns the last complete checkpoint in a file; 0 if there is none.
std::chrono::microseconds last_checkpoint_in(const std::string& file) {
  auto result = 0us;
  if (!is_there(file))
    return result;
  run_file::database opened{file, run_file::database::access::read};
  for (auto& x : run_file::checkpoints_of(opened))
    if (x.complete)
      result = std::max(result, std::chrono::microseconds{x.tag.ns / 1000});
  return result;
}

/// Checks the files that a process left.
/// @param before the last checkpoint before the process.
/// @param go_on whether another process resumes, which takes longer.
void check_remains(const files& x, const outcome& of,
                   std::chrono::microseconds before, bool go_on) {
  auto begin = 0us;
  if (go_on) {
    auto next = run_alone(x, third_end);
    INFO("then: " << next.log);
    CHECK(next.status == 0);
    begin = last_time(next.log, "continues after tag ");
  } else {
    begin = last_checkpoint_in(x.checkpoints);
    // The copy is complete, or the previous copy still exists.
    CHECK((is_there(x.copy) || before == 0us));
    if (is_there(x.copy))
      CHECK(last_checkpoint_in(x.copy) > 0us);
    CHECK(last_checkpoint_in(x.copy) >= before);
    if (of.status == 0)
      CHECK(run_file::read_run(x.recording).final == at(second_end));
  }
  CHECK(begin >= std::max(before, last_complete(of.log)));
  if (of.status == 0)
    CHECK(begin == second_end);
  for (auto& file : {x.checkpoints, x.recording, x.copy})
    require_sound(file);
}

/// Tries a fault at each operation.
/// @param round selects the fault of the first operation, and the operations
/// after which another process resumes.
/// @returns the number of operations.
int try_each(const std::array<fault, 2>& faults, int round, bool continued) {
  auto* count = static_cast<int*>(::mmap(
    nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
    -1, 0));
  REQUIRE(count != MAP_FAILED);
  temporary_folder original;
  if (continued)
    REQUIRE(run_alone(files{original.path()}, first_end).status == 0);
  auto number = 0;
  do {
    auto kind = faults[static_cast<std::size_t>(round + number) % 2];
    ++number;
    *count = 0;
    temporary_folder folder;
    fs::copy(original.path(), folder.path());
    files x{folder.path()};
    auto result = run_alone(x, second_end, [&] {
      recording::watch_files(folder.path(), count, kind, number);
    });
    INFO("operation " << number << ": " << result.log);
    if (*count < number)
      CHECK(result.status == 0);
    else if (kind == fault::kill || kind == fault::cut_off)
      CHECK(result.status == 1000 + SIGKILL);
    else
      CHECK((result.status == 0 || result.status == 1
             || (result.status == refused
                 && result.log.find(folder.path()) != std::string::npos)));
    check_remains(
      x, result, continued ? first_end : 0us, (round + number) % 5 == 0);
  } while (*count >= number);
  ::munmap(count, sizeof(int));
  return number - 1;
}

void try_all(const std::array<fault, 2>& faults) {
  {
    // Initializes data that each process would otherwise look up, such as the
    // addresses of functions.
    temporary_folder folder;
    error_capture ignored;
    CHECK(run(files{folder.path()}, first_end) == 0);
  }
  auto* text = std::getenv("ROSIA_CRASH_ROUNDS");
  auto rounds = text == nullptr ? 1 : std::stoi(text);
  for (auto continued : {false, true})
    for (auto round = 0; round < rounds; ++round) {
      CAPTURE(continued, round);
      CHECK(try_each(faults, round, continued) > 50);
    }
}

} // namespace

TEST_CASE("8.5 a process that is killed at any operation on its files can "
          "resume from the last complete checkpoint",
          "[crash]") {
  try_all({fault::kill, fault::cut_off});
}

TEST_CASE("8.5 an operation on files that fails once damages no complete "
          "checkpoint",
          "[crash]") {
  try_all({fault::no_space, fault::io_error});
}
