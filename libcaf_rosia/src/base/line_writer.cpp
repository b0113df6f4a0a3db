// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/line_writer.hpp"

#include "base/write_all.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace caf::rosia::detail {

struct line_writer::shared {
  int fd;
  mutable std::mutex mutex; // protects the members below
  mutable std::condition_variable changed;
  std::function<void()> on_room;
  std::deque<std::string> lines; // the first one may be being written
  std::size_t size = 0;          // of all lines, in bytes
  bool writing = false;
  bool closing = false;
  bool failed = false; // the output has no reader
};

line_writer::line_writer(int fd, std::function<void()> on_room)
  : shared_(std::make_shared<shared>()) {
  shared_->fd = fd;
  shared_->on_room = std::move(on_room);
  thread_ = std::thread{[x = shared_] { run(*x); }};
}

line_writer::~line_writer() {
  std::unique_lock guard{shared_->mutex};
  shared_->closing = true;
  shared_->on_room = nullptr;
  auto held_up = shared_->writing;
  shared_->changed.notify_all();
  guard.unlock();
  if (held_up)
    thread_.detach();
  else
    thread_.join();
}

void line_writer::write(std::string line) {
  auto& x = *shared_;
  std::lock_guard guard{x.mutex};
  if (x.failed)
    return;
  x.size += line.size();
  x.lines.push_back(std::move(line));
  x.changed.notify_all();
}

bool line_writer::has_room() const {
  std::lock_guard guard{shared_->mutex};
  return shared_->size < enough;
}

void line_writer::forget_listener() {
  std::lock_guard guard{shared_->mutex};
  shared_->on_room = nullptr;
}

std::size_t line_writer::finish(clock::time_point deadline) const {
  auto& x = *shared_;
  std::unique_lock guard{x.mutex};
  x.changed.wait_until(guard, deadline, [&] { return x.lines.empty(); });
  return x.lines.size();
}

void line_writer::run(shared& x) {
  std::unique_lock guard{x.mutex};
  for (;;) {
    x.changed.wait(guard, [&] { return x.closing || !x.lines.empty(); });
    if (x.closing)
      return;
    x.writing = true;
    auto& line = x.lines.front(); // stays valid when lines are added
    guard.unlock();
    auto ok = write_all(x.fd, line);
    guard.lock();
    x.writing = false;
    x.failed = !ok;
    auto had_room = x.size < enough;
    do {
      x.size -= x.lines.front().size();
      x.lines.pop_front();
    } while (x.failed && !x.lines.empty());
    if (!had_room && x.size < enough && x.on_room)
      x.on_room();
    x.changed.notify_all();
  }
}

} // namespace caf::rosia::detail
