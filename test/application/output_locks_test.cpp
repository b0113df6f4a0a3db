// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Two runs that would write the same file.

#include "run_file/checkpoints.hpp"

#include "observing.hpp"
#include "support.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace output_locks_test {

namespace {

namespace run_file = rosia::run_file;

/// Counts, and waits in its first reaction until released.
struct waiting : rosia::node {
  waiting(std::promise<void>& x, std::shared_future<void> y)
    : runs(x), let_go(std::move(y)) {
    // nop
  }

  rosia::state<int> count{this, "count", 0};
  rosia::action<void> next{this, "next"};
  rosia::reaction on_next{
    this, "on_next", {next}, [this] {
      ++count;
      if (!std::exchange(waited, true)) {
        runs.set_value();
        let_go.wait();
      }
      next.schedule(1ms);
    }};

  void start() {
    next.schedule(1ms);
  }

  std::promise<void>& runs;
  std::shared_future<void> let_go;
  bool waited = false;
};

struct counter : rosia::node {
  rosia::state<int> count{this, "count", 0};
  rosia::action<void> next{this, "next"};
  rosia::reaction on_next{
    this, "on_next", {next}, [this] {
      ++count;
      next.schedule(1ms);
    }};

  void start() {
    next.schedule(1ms);
  }
};

int run(const rosia::options& opts) {
  test_system sys;
  rosia::application app{sys, opts};
  app.create<counter>("node");
  return app.run();
}

/// A run that continues until it is destroyed.
class first_run {
public:
  explicit first_run(rosia::options opts)
    : thread_([this, opts = std::move(opts)] {
        test_system sys;
        rosia::application app{sys, opts};
        app.create<waiting>("node", runs_, let_go_.get_future().share());
        CHECK(app.run() == 0);
      }) {
    runs_.get_future().wait();
  }

  ~first_run() {
    let_go_.set_value();
    thread_.join();
  }

private:
  std::promise<void> runs_;
  std::promise<void> let_go_;
  std::thread thread_;
};

struct output {
  const char* option;
  std::function<void(rosia::options&, const std::string& file)> set;
};

const output outputs[] = {
  {"trace", [](auto& x, auto& file) { x.trace = file; }},
  {"report", [](auto& x, auto& file) { x.report = file; }},
  {"record.file", [](auto& x, auto& file) { x.record.file = file; }},
  {"checkpoint.file", [](auto& x, auto& file) { x.checkpoint.file = file; }},
  {"checkpoint.backup",
   [](auto& x, auto& file) {
     x.checkpoint.file = file + ".source";
     x.checkpoint.backup = file;
   }},
};

std::string problem(const rosia::options& opts) {
  return error_of<std::exception>([&] { run(opts); });
}

} // namespace

TEST_CASE("a file that a run writes is refused to another run", "[files]") {
  for (auto& x : outputs) {
    INFO(x.option);
    test::temporary_folder folder;
    auto opts = fast_until(20ms);
    x.set(opts, folder.file("file"));
    {
      first_run first{opts};
      auto other = fast_until(30ms);
      x.set(other, folder.file("file"));
      if (!other.checkpoint.backup.empty())
        other.checkpoint.file += "2";
      CHECK_THAT(
        problem(other),
        ContainsSubstring(
          "rosia." + std::string{x.option} + ": '" + folder.file("file")
          + "' is being written by this process"));
    }
    // The file is available after the end of the first run.
    if (x.option == std::string{"checkpoint.file"})
      opts.resume.file = opts.checkpoint.file;
    if (x.option == std::string{"checkpoint.backup"})
      opts.checkpoint.file = folder.file("third");
    CHECK(run(opts) == 0);
    CHECK_FALSE(std::filesystem::exists(folder.file(".file.lock")));
  }
}

TEST_CASE("a file with hard links is refused, unless it is replaced",
          "[files]") {
  for (auto& x : outputs) {
    INFO(x.option);
    test::temporary_folder folder;
    auto opts = fast_until(20ms);
    x.set(opts, folder.file("file"));
    REQUIRE(run(opts) == 0);
    std::ofstream{folder.file("file"), std::ios::app}; // there is no report
    std::filesystem::create_hard_link(folder.file("file"), folder.file("link"));
    x.set(opts, folder.file("link"));
    auto is_replaced
      = x.option == std::string{"report"}
        || x.option == std::string{"checkpoint.backup"};
    auto refusal = "rosia." + std::string{x.option} + ": '"
                   + folder.file("link") + "' has 2 names (hard links)";
    CHECK_THAT(
      problem(opts), ContainsSubstring(is_replaced ? "no exception" : refusal));
  }
}

TEST_CASE("a link remains, and leads to the written file", "[files]") {
  for (auto& x : outputs) {
    INFO(x.option);
    test::temporary_folder folder;
    auto link = folder.file("link");
    std::filesystem::create_symlink("file", link);
    auto opts = fast_until(20ms);
    x.set(opts, link);
    if (x.option == std::string{"report"}) {
      // There is no report of an orderly end.
      opts.realtime = true;
      opts.stop_after = 1h;
      opts.timeout = 0s;
    }
    for (auto i = 0; i < 2; ++i) {
      run(opts);
      CHECK(std::filesystem::is_symlink(link));
      std::error_code missing;
      CHECK(std::filesystem::file_size(folder.file("file"), missing) > 0);
      CHECK_FALSE(missing);
      if (!opts.checkpoint.file.empty())
        opts.resume.file = opts.checkpoint.file;
    }
  }
}

TEST_CASE("a run that is refused leaves the links to its files", "[files]") {
  for (auto& x : outputs) {
    INFO(x.option);
    test::temporary_folder folder;
    auto link = folder.file("link");
    std::filesystem::create_symlink("file", link);
    auto opts = fast_until(20ms);
    x.set(opts, link);
    if (opts.checkpoint.file.empty())
      opts.checkpoint.file = folder.file("other.db");
    // It is checked after the other files were created.
    opts.checkpoint.backup = folder.write("no_folder", "") + "/copy.db";
    CHECK_THAT(problem(opts), ContainsSubstring("rosia.checkpoint.backup: "));
    CHECK(std::filesystem::is_symlink(link));
    CHECK_FALSE(std::filesystem::exists(link));
  }
}

TEST_CASE("the file to which the program's output goes is refused", "[files]") {
  for (auto& x : outputs)
    for (auto stream : {STDOUT_FILENO, STDERR_FILENO}) {
      INFO(x.option << ", " << stream);
      test::temporary_folder folder;
      auto log = folder.write("log", "");
      auto opts = fast_until(20ms);
      x.set(opts, log);
      auto status = status_in_child([&] {
        auto fd = ::open(log.c_str(), O_WRONLY);
        ::dup2(fd, stream);
        return problem(opts).find("program's own output") == std::string::npos;
      });
      CHECK(status == 0);
      CHECK(folder.files() == 1);
    }
}

TEST_CASE("a link that leads to itself is refused, and remains", "[files]") {
  for (auto& x : outputs) {
    INFO(x.option);
    test::temporary_folder folder;
    auto link = folder.file("link");
    std::filesystem::create_symlink("link", link);
    auto opts = fast_until(20ms);
    x.set(opts, link);
    if (opts.checkpoint.file.empty())
      opts.checkpoint.file = folder.file("other.db");
    CHECK_THAT(problem(opts), ContainsSubstring(link));
    CHECK(std::filesystem::is_symlink(link));
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("8.6 a run does not resume from a file that another run writes",
          "[files]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = fast_until(20ms);
  opts.checkpoint.file = file;
  REQUIRE(run(opts) == 0);
  opts.stop_after = at(40ms);
  opts.resume.file = file;
  {
    first_run first{opts};
    auto other = fast_until(60ms);
    other.resume.file = file;
    CHECK_THAT(
      problem(other),
      ContainsSubstring(
        "rosia.resume.file: '" + file + "' is being written by this process"));
    other.checkpoint.file = file;
    CHECK_THAT(problem(other), ContainsSubstring("rosia.checkpoint.file: '"));
  }
  run_file::database opened{file, run_file::database::access::read};
  auto all = run_file::checkpoints_of(opened);
  REQUIRE(all.size() == 2);
  CHECK(all.back().tag == at(40ms));
}

TEST_CASE("a run may write one file for two options", "[files]") {
  test::temporary_folder folder;
  auto opts = fast_until(20ms);
  opts.record.file = opts.checkpoint.file = folder.file("run.db");
  CHECK(run(opts) == 0);
  opts.stop_after = at(30ms);
  opts.resume.file = opts.checkpoint.file;
  CHECK(run(opts) == 0);
  CHECK(folder.files() == 1);
}

TEST_CASE("a run that is refused leaves no lock", "[files]") {
  test::temporary_folder folder;
  auto opts = fast_until(20ms);
  opts.checkpoint.file = folder.file("run.db");
  opts.trace = folder.write("text", "This is no trace.\n");
  CHECK_THAT(problem(opts), ContainsSubstring("that is no trace"));
  CHECK(folder.files() == 1);
  opts.trace.clear();
  CHECK(run(opts) == 0);
}

TEST_CASE("a run that is refused leaves no file that it created", "[files]") {
  test::temporary_folder folder;
  auto opts = fast_until(20ms);
  opts.trace = folder.file("trace.jsonl");
  opts.record.file = folder.file("run.db");
  opts.checkpoint.file = folder.write("state.db", "This is no database.\n");
  CHECK_THAT(problem(opts), ContainsSubstring("no database of SQLite"));
  CHECK(folder.files() == 1);
  opts.checkpoint.file = folder.file("other.db");
  opts.checkpoint.backup = folder.write("no_folder", "") + "/copy.db";
  CHECK_THAT(problem(opts), ContainsSubstring("rosia.checkpoint.backup: "));
  CHECK(folder.files() == 2);
  opts.checkpoint.backup.clear();
  CHECK(run(opts) == 0);
  CHECK(folder.files() == 5);
}

} // namespace output_locks_test
