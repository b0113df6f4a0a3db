// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/database.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace caf::rosia::run_file {

/// Limits of a writer's memory, and of its transactions. Tests:
/// test/run_file/writer_test.cpp.
struct writer_limits {
  /// The maximal size of pending jobs. Further jobs are dropped.
  std::size_t pending_bytes = std::size_t{256} << 20;

  /// The number of jobs after which a transaction is committed.
  std::size_t batch = std::size_t{1} << 16;

  /// The time that the first job of a transaction waits at most.
  std::chrono::milliseconds batch_time{200};
};

/// Writes a run file on a separate thread. Threads that post work neither wait
/// for the disk nor receive its errors: jobs that failed are counted, and the
/// log gets one message each time that the disk starts to fail. Tests:
/// test/run_file/writer_test.cpp.
class writer {
public:
  /// Runs on the writer's thread, in a transaction.
  using job = std::function<void(database&)>;

  /// Receives messages about the disk. Called on the writer's thread.
  using log = std::function<void(const std::string& text)>;

  /// Opens or creates the file.
  /// @throws std::runtime_error
  explicit writer(std::string path, log warn = {}, writer_limits limits = {});

  writer(const writer&) = delete;

  writer& operator=(const writer&) = delete;

  /// Writes everything that was posted.
  ~writer();

  /// Writes everything that was posted, and closes the file. Nothing may be
  /// posted afterwards.
  /// @returns false if this takes longer than `patience`. The destructor would
  ///   wait for the disk, forever if it does not respond.
  bool close(std::chrono::nanoseconds patience);

  /// Schedules `work`. Any thread may call this.
  /// @param bytes the approximate memory that the work uses until it is done.
  /// @param undone called on the writer's thread, if it is not empty, when
  ///   `work` failed or was rolled back with its transaction.
  /// @returns false if too much is pending. The job is then dropped and
  ///   counted.
  bool post(std::size_t bytes, job work, std::function<void()> undone = {});

  /// Schedules `work` in a separate transaction, after everything that was
  /// posted before. Calls `done` on the writer's thread once the disk has
  /// confirmed it, with an empty text, or with the reason of a failure. After a
  /// failure, nothing of the work is in the file. Never dropped. Any thread may
  /// call this.
  void post_durable(job work, std::function<void(const std::string&)> done);

  /// Waits until everything that was posted before was written or lost. Must
  /// not be called within a job.
  void flush();

  /// Returns the number of jobs that were dropped or failed.
  std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

  const std::string& path() const noexcept {
    return path_;
  }

private:
  struct entry {
    std::size_t bytes = 0;
    job work;
    std::function<void()> undone;
    std::function<void(const std::string&)> done; // of durable work
  };

  using entries = std::vector<entry>;

  void run();

  /// Waits for the next entries.
  /// @returns none at the end.
  entries next();

  void write(entries& batch);

  void commit(durability level, const std::function<void()>& work);

  void write_some(entries::iterator first, entries::iterator last);

  void write_durable(entry& x);

  void give_up(entries::iterator first, entries::iterator last,
               const std::string& reason);

  /// Closes the file.
  void finish();

  std::string path_;
  std::optional<database> file_; // used only by the thread, once that runs
  log warn_;
  writer_limits limits_;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable news_;
  entries pending_;               // guarded by mutex_
  std::size_t pending_bytes_ = 0; // includes jobs that are being written
  bool urgent_ = false;           // do not wait for a batch
  bool ending_ = false;
  bool closed_ = false; // whether the file is closed
  std::condition_variable over_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::thread thread_;
};

} // namespace caf::rosia::run_file
