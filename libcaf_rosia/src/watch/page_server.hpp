// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "watch/page_config.hpp"
#include "watch/page_content.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

/// Serves the live page by HTTP and WebSocket, on a thread of its own. Whatever
/// clients do or omit, they take no more than a limited amount of memory and of
/// descriptors, and they never delay the end.
///
/// Boost's code is in the file of this class only, and hidden there: a program
/// may use another version of it.
class [[gnu::visibility("default")]] page_server {
public:
  /// How many connections there may be. Beyond that the oldest one that does
  /// not watch is closed for the next.
  static constexpr std::size_t max_connections = 64;

  /// The most bytes that the head of a request may have.
  static constexpr std::size_t max_head = 8192;

  /// Begins to serve. @param content outlives it.
  /// @throws std::invalid_argument if OpenSSL does not take the files.
  /// @throws std::system_error if the address is in use, or if there are no
  ///         threads left.
  page_server(const page_config& config, page_content& content);

  page_server(const page_server&) = delete;

  page_server& operator=(const page_server&) = delete;

  /// Closes all connections, without waiting for those who do not read.
  ~page_server();

  /// Such as `http://127.0.0.1:8080/`.
  const std::string& url() const noexcept {
    return url_;
  }

  /// Sends text to all who watch, except for those who have not read the one
  /// before. From any thread.
  void push(std::shared_ptr<const std::string> text);

  /// Ends the server: sends a last text to those who can take it at once.
  void stop(std::string last);

private:
  struct impl;

  std::unique_ptr<impl> impl_;
  std::string url_;
};

} // namespace caf::rosia::detail
