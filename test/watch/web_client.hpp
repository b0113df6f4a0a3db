// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <memory>
#include <string>

namespace test {

using headers = std::map<std::string, std::string>;

struct web_answer {
  int status = 0;
  test::headers headers = {};
  std::string body = {};
};

/// Sends a request over a separate connection, and waits for the answer.
/// @param url such as `http://127.0.0.1:8080/`; with `https`, any certificate
/// is accepted.
/// @throws std::exception if there is none.
web_answer request(const std::string& url, const std::string& path,
                   const headers& more = {}, const std::string& method = "GET");

/// Receives the updates of the page over a WebSocket.
class viewer {
public:
  /// @throws std::exception if that is refused.
  explicit viewer(const std::string& url, const headers& more = {});

  viewer(viewer&&) noexcept;

  ~viewer();

  /// Returns the next text; empty after the connection is closed.
  std::string next();

private:
  struct state;

  std::unique_ptr<state> state_;
};

/// A TCP connection on which any bytes may be sent.
class raw_connection {
public:
  explicit raw_connection(const std::string& url);

  raw_connection(raw_connection&&) noexcept;

  ~raw_connection();

  /// Ignores that the other end may have closed.
  void send(const std::string& bytes);

  /// Returns everything until the other end closes.
  std::string read_all();

private:
  struct state;

  std::unique_ptr<state> state_;
};

} // namespace test
