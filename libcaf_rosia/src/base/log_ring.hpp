// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"

#include <spdlog/sinks/base_sink.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Keeps the last lines of a log for the live page. Any thread may call all
/// members. Tests: test/watch/live_page_test.cpp.
class log_ring final : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// The number of lines that it keeps, and the size of each in bytes.
  static constexpr std::size_t capacity = 500;
  static constexpr std::size_t longest_line = 4000;

  struct line {
    /// Counts from 1.
    std::uint64_t number = 0;

    /// The time since 1970, in milliseconds.
    std::int64_t time = 0;

    std::string level = {};
    std::string logger = {};
    std::string text = {};

    template <class Inspector>
    friend auto inspect(Inspector& f, line& x) {
      return inspect_members(f, x, x.number, x.time, x.level, x.logger, x.text);
    }
  };

  /// Returns the kept lines with a greater number.
  std::vector<line> since(std::uint64_t number);

  /// Adds a line of another process, and gives it a new number.
  void add(line x);

protected:
  void sink_it_(const spdlog::details::log_msg& x) override;

  void flush_() override {
    // nop
  }

private:
  /// @pre The mutex is locked.
  void keep(line x);

  std::uint64_t count_ = 0;
  std::deque<line> lines_;
};

} // namespace caf::rosia::detail
