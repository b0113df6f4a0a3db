// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The program, ended under load: its database is always exact, and its status
// is right.

#include "catch.hpp"
#include "lines_of.hpp"
#include "temporary_folder.hpp"

#include <rapidjson/document.h>
#include <sqlite3.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <iterator>
#include <memory>
#include <poll.h>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace program_test {

using Catch::Matchers::ContainsSubstring;

namespace {

using strings = std::vector<std::string>;

/// The program with its output. It is killed if it prints nothing for a minute.
class program {
public:
  explicit program(strings arguments) {
    arguments.insert(arguments.begin(), EXISTING_SERVICE);
    std::vector<char*> argv;
    for (auto& x : arguments)
      argv.push_back(x.data());
    argv.push_back(nullptr);
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const auto error
      = posix_spawn(&id_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    REQUIRE(error == 0);
  }

  program(const program&) = delete;

  program& operator=(const program&) = delete;

  ~program() {
    if (id_ > 0) {
      send(SIGKILL);
      waitpid(id_, nullptr, 0);
    }
    close(output_);
  }

  void send(int signal) {
    kill(id_, signal);
  }

  /// Waits until the program prints a text.
  void wait_for(const std::string& text) {
    while (said_.find(text) == std::string::npos)
      if (!read_some())
        FAIL("instead of '" << text << "' it said: " << said_);
  }

  /// Sends a signal repeatedly until the program prints a text. Signals
  /// that soon follow the first one are the same request.
  void send_until(int signal, const std::string& text) {
    while (said_.find(text) == std::string::npos) {
      send(signal);
      pollfd readable{output_, POLLIN, 0};
      if (poll(&readable, 1, 10) == 1 && !read_some())
        FAIL("instead of '" << text << "' it said: " << said_);
    }
  }

  /// Waits for its end.
  /// @returns its status, or a negative signal.
  int join() {
    while (read_some())
      ;
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string& said() const noexcept {
    return said_;
  }

private:
  bool read_some() {
    constexpr auto patience_ms = 60'000;
    pollfd readable{output_, POLLIN, 0};
    if (poll(&readable, 1, patience_ms) != 1) {
      send(SIGKILL);
      return false;
    }
    char buffer[4096];
    const auto n = read(output_, buffer, sizeof(buffer));
    if (n <= 0)
      return false;
    said_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  pid_t id_ = 0;
  int output_ = -1;
  std::string said_;
};

/// Returns the keys in a database, in order. Independent of the service's code.
strings keys_in(const std::string& file) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  strings result;
  const auto note = [](void* to, int, char** columns, char**) {
    static_cast<strings*>(to)->push_back(columns[0]);
    return 0;
  };
  const auto code = sqlite3_exec(
    handle,
    "SELECT key FROM entries WHERE value = 'what belongs to ' || key "
    "ORDER BY key",
    note, &result, nullptr);
  sqlite3_close(handle);
  REQUIRE(code == SQLITE_OK);
  return result;
}

/// The shared files of several runs.
struct common_files {
  test::temporary_folder folder;
  std::string database = folder.file("db");
  std::string report = folder.file("report");
  std::string keys = folder.file("keys");

  /// The keys acknowledged by any run.
  strings acknowledged;
};

/// A run of the program, after earlier ones.
struct run {
  /// Sends SIGTERM when this number of requests is acknowledged.
  run(common_files& common, std::uint64_t requests, strings arguments)
    : files(common), service(with_files(requests, std::move(arguments))) {
    service.wait_for("requests are acknowledged\n");
    service.send(SIGTERM);
  }

  /// Checks the results of the run.
  void check(int status) {
    const auto actual = service.join();
    CAPTURE(service.said());
    REQUIRE(actual == status);
    report.Parse(text_of(files.report).c_str());
    REQUIRE_FALSE(report.HasParseError());
    REQUIRE(report["status"].GetInt() == status);
    REQUIRE(report["reason"].GetString() == std::string{"signal 15"});
    REQUIRE(report["exact"].GetBool());
    const auto keys = lines_of(files.keys);
    REQUIRE(keys.size() == number("acknowledged"));
    auto& all = files.acknowledged;
    all.insert(all.end(), keys.begin(), keys.end());
    std::sort(all.begin(), all.end());
    REQUIRE((all == keys_in(files.database))); // not printed by Catch
    REQUIRE(keys.size() == number("stored"));
    const auto refused = number("refused_at_the_door") + number("turned_back");
    REQUIRE(number("sent") == keys.size() + refused);
    REQUIRE(number("accepted") >= keys.size());
    REQUIRE(
      number("accepted") <= number("sent") - number("refused_at_the_door"));
  }

  std::uint64_t number(const char* name) {
    return report[name].GetUint64();
  }

  common_files& files;
  program service;
  rapidjson::Document report;

private:
  strings with_files(std::uint64_t requests, strings arguments) {
    arguments.insert(
      arguments.end(),
      {"--announce", std::to_string(requests), "--database", files.database,
       "--report", files.report, "--keys", files.keys});
    return arguments;
  }

  static std::string text_of(const std::string& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

/// Random numbers from a seed that is printed.
class dice {
public:
  dice() : seed_(std::random_device{}()), engine_(seed_) {
    // nop
  }

  std::uint64_t operator()(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution{least, most}(engine_);
  }

  std::string text(std::uint64_t least, std::uint64_t most) {
    return std::to_string((*this)(least, most));
  }

  std::uint64_t seed() const noexcept {
    return seed_;
  }

private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

constexpr auto runs = 100;

} // namespace

TEST_CASE("program: ended in time under load, it is exact, and answers all "
          "accepted requests") {
  dice roll;
  common_files files;
  for (auto i = 0; i < runs; ++i) {
    CAPTURE(roll.seed(), i);
    run one{files,
            roll(1, 200),
            {"--clients", roll.text(1, 4), "--workers", roll.text(1, 4),
             "--in-flight", roll.text(1, 64)}};
    one.check(0);
    REQUIRE(one.number("accepted") == one.number("acknowledged"));
  }
}

TEST_CASE(
  "program: aborted by its deadline, it is exact, and answers all clients") {
  dice roll;
  common_files files;
  for (auto i = 0; i < runs; ++i) {
    CAPTURE(roll.seed(), i);
    // The store would need 0.8 s for the backlog; the deadline is 4 ms.
    run one{files,
            roll(1, 4),
            {"--slow", "4ms", "--deadline", roll.text(0, 4) + "ms", "--clients",
             "2", "--workers", roll.text(1, 4), "--in-flight", "100"}};
    one.check(129);
    REQUIRE(one.number("turned_back") > 0);
  }
}

TEST_CASE("program: aborted by a second signal, it is exact as well") {
  dice roll;
  common_files files;
  for (auto i = 0; i < 10; ++i) {
    CAPTURE(roll.seed(), i);
    run one{files,
            roll(1, 4),
            {"--slow", "20ms", "--clients", "2", "--in-flight", "100"}};
    one.service.wait_for("the system shuts down");
    one.service.send_until(SIGINT, "signal 2 again");
    one.check(128);
  }
}

TEST_CASE("program: it ends by itself after a number of requests, or a time") {
  test::temporary_folder folder;
  const auto file = folder.file("db");
  program first{{"--database", file, "--requests", "50"}};
  CHECK(first.join() == 0);
  CHECK_THAT(first.said(), ContainsSubstring("stored        50\nexact"));
  // Earlier entries do not count.
  program second{{"--database", file, "--duration", "10ms", "--timeline",
                  folder.file("times.svg")}};
  CHECK(second.join() == 0);
  CHECK_THAT(second.said(),
             ContainsSubstring("the end of its time")
               && ContainsSubstring("the service ended in order"));
  CHECK_THAT(
    lines_of(folder.file("times.svg")).front(), ContainsSubstring("<svg"));
  program third{{"--verify", file}};
  CHECK(third.join() == 0);
  CHECK_THAT(
    third.said(),
    ContainsSubstring(
      std::to_string(keys_in(file).size()) + " entries, 0 of them damaged"));
}

TEST_CASE("program: it resumes where it was, however it ended") {
  dice roll;
  test::temporary_folder folder;
  const auto file = folder.file("db");
  const auto start = [&](strings more) {
    more.insert(
      more.end(), {"--database", file, "--requests", "2000", "--resume",
                   "--announce", "1", "--clients", roll.text(1, 4)});
    return more;
  };
  std::size_t stored = 0;
  for (auto signal : {SIGTERM, SIGKILL, SIGTERM, SIGKILL}) {
    CAPTURE(roll.seed(), signal);
    program service{start({"--slow", "1ms"})};
    service.wait_for(
      "it continues: " + std::to_string(stored) + " requests are stored");
    service.wait_for("requests are acknowledged\n");
    service.send(signal);
    REQUIRE(service.join() == (signal == SIGTERM ? 0 : -SIGKILL));
    stored = keys_in(file).size();
    REQUIRE(stored > 0);
    REQUIRE(stored < 2000);
  }
  program last{start({})};
  CHECK(last.join() == 0);
  CHECK_THAT(last.said(), ContainsSubstring("exact: "));
  strings all;
  for (auto i = 1; i <= 2000; ++i)
    all.push_back(std::to_string(i));
  std::sort(all.begin(), all.end());
  CHECK((keys_in(file) == all));
  program idle{start({})};
  CHECK(idle.join() == 0);
  CHECK_THAT(idle.said(), ContainsSubstring("it continues: 2000 requests")
                            && ContainsSubstring("sent          0"));
}

TEST_CASE("program: it reports errors of the user") {
  test::temporary_folder folder;
  const auto says
    = [](int status, const strings& arguments, const std::string& text) {
        program x{arguments};
        CHECK(x.join() == status);
        CHECK_THAT(
          x.said(),
          ContainsSubstring("existing_service: ") && ContainsSubstring(text));
      };
  says(2, {"--wrokers", "3"}, "'--wrokers' (see --help)");
  says(1, {"--database", folder.file("none/db")}, "none/db");
  says(1, {"--database", folder.file("db"), "--report", folder.file("none/r")},
       "none/r: it cannot be created");
  says(1, {"--verify", folder.file("db")}, "exist");
  says(1, {"--database", folder.write("text", "no database at all, but text")},
       "file is not a database");
}

} // namespace program_test
