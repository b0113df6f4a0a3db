// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/thread_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace caf::rosia::detail {

bool thread_list::start(std::shared_ptr<const void> owner,
                        std::function<void()> code) {
  // The code is destroyed without the lock in any case.
  auto shared = std::make_shared<std::function<void()>>(std::move(code));
  auto held = state_.acquire();
  if (closed_)
    return false;
  auto done = std::make_shared<std::atomic<bool>>(false);
  std::thread thread{
    [&state = state_, owner = std::move(owner), done, shared]() mutable {
      (*shared)();
      shared.reset();
      done->store(true);
      state.notify();
    }};
  auto ended = take_done();
  threads_.push_back({std::move(thread), done});
  held.unlock();
  for (auto& x : ended)
    x.thread.join();
  return true;
}

std::string thread_list::try_start(
  const char* role, const std::string& name, std::shared_ptr<const void> owner,
  std::function<void()> code) {
  return state_.run(role, name, [&] {
    start(std::move(owner), std::move(code));
  });
}

bool thread_list::all_done() const {
  return std::all_of(threads_.begin(), threads_.end(), [](auto& x) {
    return x.done->load();
  });
}

void thread_list::close(shutdown_state::lock& held) {
  auto threads = std::exchange(threads_, {});
  closed_ = true;
  held.unlock();
  for (auto& x : threads)
    if (*x.done)
      x.thread.join();
    else
      x.thread.detach();
  held.lock();
}

std::vector<thread_list::record> thread_list::take_done() {
  auto first = std::partition(threads_.begin(), threads_.end(), [](auto& x) {
    return !*x.done;
  });
  std::vector<record> result{
    std::make_move_iterator(first), std::make_move_iterator(threads_.end())};
  threads_.erase(first, threads_.end());
  return result;
}

} // namespace caf::rosia::detail
