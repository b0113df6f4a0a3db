// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/write_lock.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace write_lock_test {

namespace {

namespace fs = std::filesystem;

using rosia_lock = caf::rosia::detail::write_lock;
using caf::rosia::detail::writer_of;
using Catch::Matchers::ContainsSubstring;

/// Returns the error of locking this file; empty on success.
std::string problem(const std::string& file) {
  try {
    rosia_lock lock{file};
    return {};
  } catch (const std::runtime_error& x) {
    return x.what();
  }
}

/// A process that holds the lock of a file.
class holder {
public:
  explicit holder(const std::string& file) {
    int locked[2];
    REQUIRE(pipe(locked) == 0);
    id_ = fork();
    if (id_ == 0) {
      rosia_lock lock{file};
      if (write(locked[1], "x", 1) != 1)
        _exit(1);
      for (;;)
        pause();
    }
    close(locked[1]);
    char ignored;
    CHECK(read(locked[0], &ignored, 1) == 1);
    close(locked[0]);
  }

  holder(const holder&) = delete;

  holder& operator=(const holder&) = delete;

  ~holder() {
    kill();
  }

  void kill() {
    if (id_ <= 0)
      return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = 0;
  }

  pid_t id() const {
    return id_;
  }

private:
  pid_t id_ = 0;
};

} // namespace

TEST_CASE("a file has one writer, and an error names its process and host") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  CHECK(writer_of(file).empty());
  holder other{file};
  auto name = "process " + std::to_string(other.id()) + " (";
  CHECK_THAT(
    problem(file),
    ContainsSubstring("'" + file + "' is being written by " + name)
      && ContainsSubstring(") on host '")
      && ContainsSubstring("wait for its end, or name "
                           "another file"));
  CHECK_THAT(writer_of(file), ContainsSubstring(name));
  CHECK(problem(folder.file("other.db")).empty());
}

TEST_CASE("a killed process no longer has a lock") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  holder other{file};
  CHECK_FALSE(problem(file).empty());
  other.kill();
  CHECK(writer_of(file).empty());
  CHECK(problem(file).empty());
  CHECK(folder.files() == 0);
}

TEST_CASE("a forked process does not keep the lock of a killed parent") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  int forked[2];
  REQUIRE(pipe(forked) == 0);
  auto parent = fork();
  if (parent == 0) {
    rosia_lock lock{file};
    if (fork() == 0) {
      auto self = getpid();
      if (write(forked[1], &self, sizeof(self)) != sizeof(self))
        _exit(1);
    }
    for (;;)
      pause();
  }
  pid_t child = 0;
  CHECK(read(forked[0], &child, sizeof(child)) == sizeof(child));
  CHECK_FALSE(problem(file).empty());
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(problem(file).empty());
  if (child > 0)
    ::kill(child, SIGKILL);
  close(forked[0]);
  close(forked[1]);
}

TEST_CASE("a lock file that cannot be opened is an error") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto name = rosia_lock::name_beside(file);
  fs::create_directory(name);
  CHECK_THAT(
    problem(file),
    ContainsSubstring("'" + file + "' cannot be locked: '" + name + "': ")
      && ContainsSubstring("; remove the lock file if no process writes "
                           "the file"));
}

TEST_CASE(
  "a process holds a lock once, and a forked process does not remove it") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  {
    rosia_lock lock{file};
    CHECK_THAT(problem(file), ContainsSubstring("by this process itself"));
    auto child = fork();
    if (child == 0) {
      { auto copy = std::move(lock); }
      _exit(0);
    }
    ::waitpid(child, nullptr, 0);
    CHECK(fs::exists(lock.name()));
    CHECK_FALSE(problem(file).empty());
  }
  CHECK(folder.files() == 0);
  CHECK(problem(file).empty());
}

TEST_CASE("all names of a file have one lock") {
  test::temporary_folder folder;
  auto file = folder.write("run.db", "");
  fs::create_directory(folder.file("sub"));
  fs::create_symlink(file, folder.file("link"));
  fs::create_directory_symlink(folder.path(), folder.file("sub/up"));
  rosia_lock lock{file};
  for (auto name : {"./run.db", "sub/../run.db", "link", "sub/up/run.db"}) {
    INFO(name);
    CHECK_FALSE(problem(folder.path() + '/' + name).empty());
  }
}

TEST_CASE("links to a file that does not exist yet have its lock") {
  test::temporary_folder folder;
  fs::create_directory(folder.file("sub"));
  fs::create_symlink("run.db", folder.file("link"));
  fs::create_symlink("../link", folder.file("sub/far"));
  auto loop = folder.file("loop");
  fs::create_symlink("loop", loop);
  {
    rosia_lock lock{folder.file("sub/far")};
    for (auto name : {"run.db", "link", "sub/far"}) {
      INFO(name);
      CHECK_FALSE(problem(folder.file(name)).empty());
    }
  }
  CHECK(problem(loop).empty());
}

TEST_CASE("files with names of any length have locks") {
  test::temporary_folder folder;
  for (auto size : {248, 249, 250, 255}) {
    INFO(size);
    std::string name(static_cast<std::size_t>(size), 'x');
    rosia_lock lock{folder.file(name)};
    CHECK_FALSE(problem(folder.file(name)).empty());
    name.back() = 'y';
    CHECK(problem(folder.file(name)).empty());
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("a path that is not a file, or cannot be created, has no lock") {
  test::temporary_folder folder;
  auto pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (auto& name :
       {std::string{"/dev/null"}, pipe, folder.file("none/run.db")}) {
    INFO(name);
    rosia_lock one{name};
    rosia_lock two{name};
    CHECK(one.name().empty());
    CHECK(writer_of(name).empty());
  }
}

TEST_CASE(
  "if the program closed a lock's descriptor, other files are not harmed") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto next = dup(0);
  close(next);
  std::optional<rosia_lock> lock{file};
  REQUIRE(close(next) == 0);
  auto other = open(folder.file("other").c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(other == next);
  lock.reset();
  CHECK(fcntl(other, F_GETFD) >= 0);
  close(other);
}

} // namespace write_lock_test
