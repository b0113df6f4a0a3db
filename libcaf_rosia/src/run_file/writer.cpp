// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/writer.hpp"

#include "run_file/size_limit.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <iterator>
#include <utility>

namespace caf::rosia::run_file {

// -- constructors, destructors ------------------------------------------------

writer::writer(std::string path, log warn, writer_limits limits)
  : path_(std::move(path)),
    file_(std::in_place, path_, database::access::write),
    warn_(std::move(warn)), limits_(limits), thread_([this] { run(); }) {
  // nop
}

writer::~writer() {
  {
    std::lock_guard guard{mutex_};
    ending_ = true;
  }
  news_.notify_one();
  thread_.join();
}

bool writer::close(std::chrono::nanoseconds patience) {
  std::unique_lock guard{mutex_};
  ending_ = true;
  news_.notify_one();
  return over_.wait_for(guard, patience, [this] { return closed_; });
}

// -- from any thread ----------------------------------------------------------

bool writer::post(std::size_t bytes, job work, std::function<void()> undone) {
  bytes += sizeof(entry);
  {
    std::lock_guard guard{mutex_};
    if (pending_bytes_ + bytes > limits_.pending_bytes) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    pending_bytes_ += bytes;
    pending_.push_back({bytes, std::move(work), std::move(undone), {}});
    // At other sizes, the thread already waits for the batch's time.
    if (pending_.size() != 1 && pending_.size() != limits_.batch)
      return true;
  }
  news_.notify_one();
  return true;
}

void writer::post_durable(job work,
                          std::function<void(const std::string&)> done) {
  {
    std::lock_guard guard{mutex_};
    pending_.push_back({0, std::move(work), {}, std::move(done)});
    urgent_ = true;
  }
  news_.notify_one();
}

void writer::flush() {
  std::promise<void> reached;
  post_durable(
    [](database&) {}, [&](const std::string&) { reached.set_value(); });
  reached.get_future().wait();
}

// -- the thread ---------------------------------------------------------------

void writer::run() {
  size_limit_is_error limit;
  for (auto batch = next(); !batch.empty(); batch = next()) {
    write(batch);
    std::size_t bytes = 0;
    for (auto& x : batch)
      bytes += x.bytes;
    batch.clear(); // destroys the jobs without the lock
    std::lock_guard guard{mutex_};
    pending_bytes_ -= bytes;
  }
  finish();
}

void writer::finish() {
  // Leave a single file, which can be copied and read anywhere.
  try {
    file_->execute("close it", "PRAGMA journal_mode = DELETE");
  } catch (const std::exception&) {
    // Another process reads it. The log beside it stays, and is part of it.
  }
  file_.reset();
  std::lock_guard guard{mutex_};
  closed_ = true;
  over_.notify_all();
}

writer::entries writer::next() {
  std::unique_lock guard{mutex_};
  news_.wait(guard, [this] { return ending_ || !pending_.empty(); });
  news_.wait_for(guard, limits_.batch_time, [this] {
    return ending_ || urgent_ || pending_.size() >= limits_.batch;
  });
  urgent_ = false;
  return std::exchange(pending_, {});
}

void writer::write(entries& batch) {
  auto first = batch.begin();
  while (first != batch.end()) {
    auto end
      = first
        + std::min<std::ptrdiff_t>(
          std::distance(first, batch.end()),
          static_cast<std::ptrdiff_t>(limits_.batch));
    auto durable
      = std::find_if(first, end, [](auto& x) { return x.done != nullptr; });
    if (durable != first)
      write_some(first, durable);
    if (durable != end)
      write_durable(*durable++);
    first = durable;
  }
}

void writer::commit(durability level, const std::function<void()>& work) {
  auto before = file_->changes();
  transaction unit{*file_, level};
  work();
  unit.commit();
  // A transaction without changes does not show that the disk works.
  if (file_->changes() != before)
    failing_ = false;
}

void writer::write_some(entries::iterator first, entries::iterator last) {
  try {
    commit(durability::process, [&] {
      for (auto i = first; i != last; ++i)
        i->work(*file_);
    });
  } catch (const std::exception& problem) {
    give_up(first, last, problem.what());
  }
}

void writer::write_durable(entry& x) {
  std::string reason;
  try {
    commit(durability::machine, [&] { x.work(*file_); });
    file_->require_in_place();
  } catch (const std::exception& problem) {
    reason = problem.what();
  }
  x.done(reason);
}

void writer::give_up(entries::iterator first, entries::iterator last,
                     const std::string& reason) {
  lost_.fetch_add(
    static_cast<std::uint64_t>(last - first), std::memory_order_relaxed);
  for (auto i = first; i != last; ++i)
    if (i->undone)
      i->undone();
  if (!std::exchange(failing_, true) && warn_)
    warn_(reason + "; the run continues, and lost records are counted");
}

} // namespace caf::rosia::run_file
