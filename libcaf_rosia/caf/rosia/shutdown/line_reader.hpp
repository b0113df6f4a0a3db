// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/event_descriptor.hpp"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

namespace caf::rosia {

/// Reads lines, for instance from standard input, until it is asked to stop. A
/// call such as `std::getline(std::cin, line)` cannot be interrupted: a signal
/// that begins a shutdown would have to wait for the next line.
///
/// ~~~
/// caf::rosia::line_reader input;
/// while (auto line = input.next(shutdown.token()))
///   handle(*line);
/// shutdown.begin({"the end of the input"});
/// return shutdown.wait_for_shutdown();
/// ~~~
///
/// It reads ahead, so no other code should read from the same descriptor, nor
/// `std::cin` from standard input. For one thread at a time.
class line_reader {
public:
  /// @param fd the descriptor of a terminal, a pipe, a socket or a file, by
  ///   default standard input. It may be non-blocking. It must stay open while
  ///   the reader is used, which does not close it. If standard input is
  ///   closed, the reader is at its end.
  /// @throws std::system_error if the process has no free descriptor.
  explicit line_reader(int fd = 0);

  /// Waits for a line.
  /// @returns the line without its terminator, which the last line may lack.
  ///   None at the end of the input, or if `token` was cancelled before or
  ///   during the call. A later call returns what was read ahead.
  /// @throws std::system_error if the descriptor cannot be read.
  std::optional<std::string> next(const std::stop_token& token);

  /// Returns whether all of the input was returned.
  bool at_end() const noexcept {
    return ended_ && buffer_.empty();
  }

private:
  /// Removes a line from what was read.
  std::optional<std::string> take_line();

  /// Waits until there is something to read.
  /// @returns false if a signal handler ran, or a token was cancelled.
  bool wait() const;

  void read_some();

  int fd_;
  bool ended_; // set before `wake_`, which could get the number of a closed
               // input
  std::string buffer_;
  std::size_t searched_ = 0; // no line ends before this position
  detail::event_descriptor wake_;
};

} // namespace caf::rosia
