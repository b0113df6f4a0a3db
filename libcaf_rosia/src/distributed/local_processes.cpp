// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/local_processes.hpp"

#include "base/duration.hpp"
#include "base/limit_advice.hpp"
#include "base/line_writer.hpp"
#include "base/text.hpp"
#include "distributed/child_processes.hpp"
#include "distributed/role.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail::local_processes {

namespace {

/// Time to wait for a reader of the other processes' output, if this process
/// must exit soon.
constexpr std::chrono::seconds patience_with_readers{1};

bool same_file(int x, int y) noexcept {
  struct stat one = {};
  struct stat other = {};
  return ::fstat(x, &one) == 0 && ::fstat(y, &other) == 0
         && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Returns advice about an error at the start of a process.
std::string advice(const std::error_code& error) {
  switch (error.value()) {
    case ENOENT:
      return "; was the program deleted, or replaced, while it ran? Start it "
             "anew";
    case EAGAIN:
      return "; raise the limit for processes (ulimit -u, or pids.max of the "
             "control group)";
    default:
      return std::string{limit_advice(error)};
  }
}

class group {
public:
  group(std::vector<std::string> names, std::chrono::nanoseconds patience,
        ended_function owner)
    : names_(std::move(names)), patience_(patience), owner_(std::move(owner)),
      statuses_(names_.size()),
      out_(STDOUT_FILENO, [this] { children_.look_again(); }),
      children_(
        {[this](auto child, auto line, auto error) {
           writer(error).write(fmt::format("[{}] {}\n", names_[child], line));
         },
         [this](auto child, auto status) {
           std::lock_guard guard{mutex_};
           statuses_[child] = status;
           if (owner_)
             owner_(child, status);
         },
         [this](auto error) { return writer(error).has_room(); }}) {
    // If both are the same file, the order of lines matters.
    if (!same_file(STDOUT_FILENO, STDERR_FILENO))
      err_.emplace(STDERR_FILENO, [this] { children_.look_again(); });
    // This process's own output goes first.
    std::cout.flush();
  }

  ~group() {
    writer(false).forget_listener();
    writer(true).forget_listener();
  }

  void start(const inheritance_function& inherited) {
    auto arguments = own_arguments();
    for (auto& name : names_)
      try {
        auto x = inherited(name);
        children_.start(arguments, x.environment, x.blocked);
      } catch (const std::system_error& e) {
        throw std::runtime_error(
          "process '" + name + "' could not be started: " + e.what()
          + advice(e.code()));
      }
  }

  void forget_owner() {
    std::lock_guard guard{mutex_};
    owner_ = nullptr;
  }

  void kill_all() {
    killed_ = true;
    children_.kill_all();
    // The process may exit right after this.
    auto soon = line_writer::clock::now() + patience_with_readers;
    writer(false).finish(soon);
    writer(true).finish(soon);
  }

  void dismiss() {
    dismissed_ = true;
    for (std::size_t i = 0; i < children_.size(); ++i)
      children_.signal(i, SIGTERM);
  }

  bool finish(bool names_failed) {
    auto result = end_all(names_failed);
    print_all();
    return result;
  }

private:
  line_writer& writer(bool error) {
    return error && err_ ? *err_ : out_;
  }

  bool end_all(bool names_failed) {
    if (children_.wait(std::chrono::steady_clock::now() + patience_))
      return all_well(names_failed);
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (children_.running(i))
        writer(true).write(fmt::format(
          "process '{}' did not end within grace_period ({}): it is killed\n",
          names_[i], time_text(patience_)));
    children_.kill_all();
    children_.wait(std::chrono::steady_clock::now() + patience_);
    return false;
  }

  /// Gives the reader of the output some time, and reports lines that are lost.
  void print_all() {
    auto end = line_writer::clock::now() + patience_;
    auto lost = writer(false).finish(end);
    if (lost > 0)
      writer(true).write(fmt::format(
        "{} that the other processes printed {} lost: nothing read "
        "standard output within grace_period ({})\n",
        plural(lost, "line", "lines"), lost == 1 ? "is" : "are",
        time_text(patience_)));
    writer(true).finish(
      std::max(end, line_writer::clock::now() + patience_with_readers));
  }

  bool all_well(bool names_failed) {
    if (dismissed_)
      return true;
    std::lock_guard guard{mutex_};
    auto result = true;
    for (std::size_t i = 0; i < statuses_.size(); ++i)
      if (statuses_[i] != 0) {
        result = false;
        if (names_failed && !killed_)
          writer(true).write(fmt::format(
            "process '{}' ended with status {}\n", names_[i], statuses_[i]));
      }
    return result;
  }

  std::vector<std::string> names_;
  std::chrono::nanoseconds patience_;
  std::mutex mutex_;
  ended_function owner_;      // protected by `mutex_`, like the next one
  std::vector<int> statuses_; // of those that ended
  std::atomic<bool> killed_{false};
  std::atomic<bool> dismissed_{false};
  line_writer out_;
  std::optional<line_writer> err_; // none if both are the same file
  child_processes children_;       // last: destroyed first
};

struct holder {
  ~holder() {
    if (processes)
      processes->finish(false);
  }

  std::mutex mutex;
  std::shared_ptr<group> processes;
};

holder& the_holder() {
  static holder result;
  return result;
}

std::shared_ptr<group> current() {
  std::lock_guard guard{the_holder().mutex};
  return the_holder().processes;
}

} // namespace

void start(std::vector<std::string> names, std::chrono::nanoseconds patience,
           ended_function owner, const inheritance_function& inherited) {
  auto processes
    = std::make_shared<group>(std::move(names), patience, std::move(owner));
  {
    std::lock_guard guard{the_holder().mutex};
    if (the_holder().processes)
      throw std::runtime_error(
        "this program started other processes for an application already");
    the_holder().processes = processes;
  }
  try {
    processes->start(inherited);
  } catch (...) {
    // The processes started already end with the group.
    processes->forget_owner();
    std::lock_guard guard{the_holder().mutex};
    the_holder().processes = nullptr;
    throw;
  }
}

void forget_owner() {
  if (auto x = current())
    x->forget_owner();
}

void kill_all() noexcept {
  if (auto x = current())
    x->kill_all();
}

void dismiss() {
  if (auto x = current())
    x->dismiss();
}

bool finish(bool names_failed) {
  auto x = current();
  auto result = !x || x->finish(names_failed);
  std::lock_guard guard{the_holder().mutex};
  the_holder().processes = nullptr;
  return result;
}

} // namespace caf::rosia::detail::local_processes
