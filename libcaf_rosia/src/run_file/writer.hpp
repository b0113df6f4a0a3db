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

/// The limits of a writer.
struct writer_limits {
  /// More than this is not kept for a disk that is too slow.
  std::size_t pending_bytes = std::size_t{256} << 20;

  /// A transaction is committed when it has this many jobs,
  std::size_t batch = std::size_t{1} << 16;

  /// or when its first job has waited for so long.
  std::chrono::milliseconds batch_time{200};
};

/// Writes a run file, with a thread of its own. Whoever posts work never waits
/// for the disk, and never gets its errors: what could not be written is
/// counted, and the log told, once each time that the disk begins to fail.
class writer {
public:
  /// Runs on the writer's thread, in a transaction.
  using job = std::function<void(database&)>;

  /// Takes what is to be said about the disk. Called on the writer's thread.
  using log = std::function<void(const std::string& text)>;

  /// Opens or creates the file.
  /// @throws std::runtime_error
  explicit writer(std::string path, log warn = {}, writer_limits limits = {});

  writer(const writer&) = delete;

  writer& operator=(const writer&) = delete;

  /// Writes all that was posted.
  ~writer();

  /// Writes all that was posted, and closes the file. Nothing may be posted any
  /// more. @returns false if the disk has not done so within `patience`: the
  /// destructor would wait for it, without end if it does not respond.
  bool close(std::chrono::nanoseconds patience);

  /// Has `work` done. From any thread.
  /// @param bytes about how much memory the work holds until it is done.
  /// @param undone called on the writer's thread, if it is not empty, if `work`
  ///        failed or was undone because its transaction failed.
  /// @returns false if too much is pending: the job is dropped, and counted.
  bool post(std::size_t bytes, job work, std::function<void()> undone = {});

  /// Has `work` done in a transaction of its own, after everything that was
  /// posted before, and calls `done` on the writer's thread once the disk has
  /// confirmed it: with an empty text, or with why it failed. Nothing of the
  /// work is in the file then. Never dropped; from any thread.
  void post_durable(job work, std::function<void(const std::string&)> done);

  /// Waits until everything that was posted before was written, or lost. Not
  /// from within a job.
  void flush();

  /// The jobs that were dropped, or failed.
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

  /// Waits for the next entries. @returns none at the end.
  entries next();

  void write(entries& batch);

  void commit(durability how, const std::function<void()>& work);

  void write_some(entries::iterator first, entries::iterator last);

  void write_durable(entry& x);

  void give_up(entries::iterator first, entries::iterator last,
               const std::string& why);

  /// Closes the file.
  void finish();

  std::string path_;
  std::optional<database> file_; // used by the thread only, once there is one
  log warn_;
  writer_limits limits_;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable news_;
  entries pending_;               // guarded by mutex_
  std::size_t pending_bytes_ = 0; // also what is being written
  bool urgent_ = false;           // do not wait for a batch
  bool ending_ = false;
  bool closed_ = false; // the file
  std::condition_variable over_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::thread thread_;
};

} // namespace caf::rosia::run_file
