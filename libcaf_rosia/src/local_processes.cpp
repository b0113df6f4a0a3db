// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "local_processes.hpp"

#include "caf/rosia/detail/child_processes.hpp"
#include "caf/rosia/detail/parse_time.hpp"
#include "role.hpp"

#include <spdlog/fmt/fmt.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail::local_processes {

namespace {

class group {
public:
  group(std::vector<std::string> names, std::chrono::nanoseconds patience,
        ended_function owner)
    : names_(std::move(names)), patience_(patience), owner_(std::move(owner)),
      statuses_(names_.size()),
      children_(
        {[this](auto child, auto line, auto error) {
           (error ? std::cerr : std::cout)
             << fmt::format("[{}] {}\n", names_[child], line) << std::flush;
         },
         [this](auto child, auto status) {
           std::lock_guard guard{mutex_};
           statuses_[child] = status;
           if (owner_)
             owner_(child, status);
         }}) {
    // nop
  }

  void start(const inheritance_function& inherited) {
    auto arguments = own_arguments();
    for (auto& name : names_) {
      auto x = inherited(name);
      children_.start(arguments, x.environment, x.descriptors);
    }
  }

  void forget_owner() {
    std::lock_guard guard{mutex_};
    owner_ = nullptr;
  }

  void kill_all() {
    killed_ = true;
    children_.kill_all();
  }

  void dismiss() {
    dismissed_ = true;
    for (std::size_t i = 0; i < children_.size(); ++i)
      children_.signal(i, SIGTERM);
  }

  bool finish(bool names_failed) {
    if (children_.wait(std::chrono::steady_clock::now() + patience_))
      return all_well(names_failed);
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (children_.running(i))
        std::cerr << fmt::format(
          "process '{}' did not end within grace_period ({}): it is killed\n",
          names_[i], time_text(patience_));
    children_.kill_all();
    return false;
  }

private:
  bool all_well(bool names_failed) {
    if (dismissed_)
      return true;
    std::lock_guard guard{mutex_};
    auto result = true;
    for (std::size_t i = 0; i < statuses_.size(); ++i)
      if (statuses_[i] != 0) {
        result = false;
        if (names_failed && !killed_)
          std::cerr << fmt::format(
            "process '{}' ended with status {}\n", names_[i], statuses_[i]);
      }
    return result;
  }

  std::vector<std::string> names_;
  std::chrono::nanoseconds patience_;
  std::mutex mutex_;
  ended_function owner_;      // protected by `mutex_`, as what follows
  std::vector<int> statuses_; // of those that have ended
  std::atomic<bool> killed_{false};
  std::atomic<bool> dismissed_{false};
  child_processes children_; // last: ends first
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
        "this program has started other processes for an application already");
    the_holder().processes = processes;
  }
  processes->start(inherited);
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
