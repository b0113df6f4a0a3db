// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/simulated_time.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <queue>
#include <utility>
#include <vector>

#include <semaphore.h>

namespace simulated_workers {

/// The clocks of simulated workers. Each worker is a thread, so that it has the
/// thread-local data of the library. One thread at a time has the turn: the
/// worker whose clock is the earliest, or the thread that runs the application.
/// Nothing depends on the speed of the machine.
class worker_clocks final : public caf::rosia::detail::simulated_time {
public:
  using nanoseconds = std::int64_t;

  explicit worker_clocks(std::size_t workers);

  // -- for a worker, with the turn --------------------------------------------

  /// Waits for the first turn of a worker, whose thread calls this.
  void begin(std::size_t number);

  /// Works: advances the clock of the worker on this thread. Other workers may
  /// see what it did.
  /// @pre The thread holds no lock.
  void work(nanoseconds duration);

  /// Advances the clock for what is not work, but keeps the turn. Has no effect
  /// on a thread that is not a worker.
  void charge(nanoseconds duration) noexcept;

  /// Passes the turn if the thread of the application was notified, or if
  /// another clock is earlier.
  void pass();

  /// Waits, without the turn, until another thread wakes the worker.
  void sleep();

  /// Gives up the last turn.
  void leave();

  // -- for any thread ---------------------------------------------------------

  /// Lets a worker continue at the caller's time, or `latency` later.
  void wake(std::size_t number, nanoseconds latency);

  /// Runs workers until all of them sleep. Called after the application ended.
  void run_all();

  /// Returns the sum of all charges and latencies.
  nanoseconds overhead() const noexcept {
    return overhead_;
  }

  // -- overridden functions of simulated_time ---------------------------------

  nanoseconds now() noexcept override;

  caf::rosia::detail::thread_usage usage() noexcept override;

  void wait(const caf::rosia::detail::event_descriptor& notified,
            std::chrono::nanoseconds limit) override;

private:
  static constexpr auto forever = std::numeric_limits<nanoseconds>::max();

  /// The turn of a thread. A `std::binary_semaphore` would yield the processor
  /// before it waits, which takes long if other programs are busy.
  class turn {
  public:
    turn() {
      ::sem_init(&semaphore_, 0, 0);
    }

    turn(const turn&) = delete;

    turn& operator=(const turn&) = delete;

    ~turn() {
      ::sem_destroy(&semaphore_);
    }

    void give() {
      ::sem_post(&semaphore_);
    }

    void wait_for() {
      while (::sem_wait(&semaphore_) != 0)
        ; // a signal arrived
    }

  private:
    sem_t semaphore_;
  };

  struct worker {
    std::atomic<nanoseconds> clock{0};
    turn own_turn;
  };

  /// A worker that waits for its turn, by its clock.
  using entry = std::pair<nanoseconds, std::size_t>;

  /// Returns the worker of the calling thread; null if it has none.
  worker* own() noexcept;

  /// Passes the turn if another thread is earlier.
  /// @param notified whether the thread of the application was notified.
  void pass_if(bool notified);

  /// Returns the turn of the thread of the application if it was notified, or
  /// if no worker is before its deadline, and that of the earliest worker
  /// otherwise. @pre `mutex_` is locked. The caller unlocks it, and gives the
  /// turn.
  turn& next(bool notified);

  /// Returns whether the descriptor of the last `wait` is notified.
  bool is_notified() const noexcept;

  /// Waits until the thread of the application was notified, or a worker was
  /// woken, by a thread that is not simulated.
  void wait_for_other_threads();

  std::deque<worker> workers_;
  std::atomic<nanoseconds> overhead_{0};
  std::mutex mutex_; // protects the members below
  std::priority_queue<entry, std::vector<entry>, std::greater<>> awake_;
  std::atomic<nanoseconds> clock_{0}; // of the thread of the application
  nanoseconds deadline_ = 0;
  int notified_ = -1;
  turn turn_; // of the thread of the application
  caf::rosia::detail::event_descriptor woken_;
};

} // namespace simulated_workers
