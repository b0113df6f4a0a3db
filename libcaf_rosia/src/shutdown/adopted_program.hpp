// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <string>

namespace caf::rosia::detail {

/// A participant of a shutdown that is an application, and no actor. It may be
/// destroyed at any time after its adoption. Its members may be called from any
/// thread. After its destruction, they do nothing. Tests:
/// test/shutdown/adoption_test.cpp.
class adopted_program {
public:
  struct outcome {
    int status = 0;
    std::string error = {}; // the problem; empty if none
  };

  virtual ~adopted_program();

  /// Sets a function that is called on the program's thread when it starts;
  /// never if it was started before. Called during the adoption.
  virtual void on_start(std::function<void()> fun) = 0;

  /// Sets a function that is called once, at the program's end; at once if it
  /// ended before. Called during the adoption.
  virtual void on_over(std::function<void(const outcome&)> fun) = 0;

  /// Requests its end. @returns false if it was not started; then it never
  /// starts.
  virtual bool request_end() = 0;

  /// Aborts it. @returns false if it was not started; then it never starts.
  virtual bool abort(int status) = 0;

  /// Returns what delays its end; empty if unknown.
  virtual std::string blocker() = 0;
};

} // namespace caf::rosia::detail
