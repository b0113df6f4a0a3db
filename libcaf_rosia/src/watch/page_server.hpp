// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "watch/page_config.hpp"
#include "watch/page_content.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

/// Serves the live page by HTTP and WebSocket, on a separate thread. Whatever
/// clients do, they take only a limited amount of memory and descriptors, and
/// never delay the end.
///
/// Boost's code is only in the file of this class, and hidden there, because a
/// program may use another version of it.
class [[gnu::visibility("default")]] page_server {
public:
  /// The maximal number of connections. When it is reached, the oldest
  /// connection that is not a viewer's is closed for the next one.
  static constexpr std::size_t max_connections = 64;

  /// The maximal size of the head of a request, in bytes.
  static constexpr std::size_t max_head = 8192;

  /// Starts to serve.
  /// @param content must outlive this.
  /// @throws std::invalid_argument if OpenSSL does not accept the files.
  /// @throws std::system_error if the address is in use, or if no thread can be
  /// started.
  page_server(const page_config& config, page_content& content);

  page_server(const page_server&) = delete;

  page_server& operator=(const page_server&) = delete;

  /// Closes all connections, without waiting for clients that do not read.
  ~page_server();

  /// Returns an address such as `http://127.0.0.1:8080/`.
  const std::string& url() const noexcept {
    return url_;
  }

  /// Sends `text` to all viewers that have read the previous one. Any thread
  /// may call this.
  void push(std::shared_ptr<const std::string> text);

  /// Ends the server. Sends a last text to viewers that can receive it at once.
  void stop(std::string last);

private:
  struct impl;

  std::unique_ptr<impl> impl_;
  std::string url_;
};

} // namespace caf::rosia::detail
