// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <string>

namespace caf::rosia::detail {

/// A participant of a shutdown that is no actor, and ends in a way of its own:
/// an application. It may be destroyed at any time after its adoption. Its
/// members may be called from any thread, and do nothing then.
class adopted_program {
public:
  struct outcome {
    int status = 0;
    std::string error = {}; // why, if something was wrong
  };

  virtual ~adopted_program();

  /// Has `fun` called when it starts, on the thread that runs it; never if it
  /// has started. Called while it is adopted.
  virtual void on_start(std::function<void()> fun) = 0;

  /// Has `fun` called once, when it is over; at once if it is over already.
  /// Called while it is adopted, when it is there.
  virtual void on_over(std::function<void(const outcome&)> fun) = 0;

  /// Requests its end. @returns false if it was not started: then it never is.
  virtual bool request_end() = 0;

  /// Aborts it. @returns the same.
  virtual bool abort(int status) = 0;

  /// What holds up its end; empty if that is not known.
  virtual std::string blocker() = 0;
};

} // namespace caf::rosia::detail
