// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/stream_guard.hpp"
#include "compat/io/stream_scribe.hpp"
#include "security/channel.hpp"

#include <caf/io/network/native_socket.hpp>
#include <caf/io/network/rw_state.hpp>

#include <openssl/ssl.h>
#include <spdlog/logger.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class process_connection;

/// What others may know of a connection, which CAF owns. From any thread.
class connection_watch {
public:
  using clock = std::chrono::steady_clock;

  /// Ends the connection, if it has not ended yet.
  void hang_up() noexcept;

  /// Lets the connection send what it has to send, and no more. From the
  /// thread of the loop.
  void end_output();

  /// Waits until that is sent, or the connection is over.
  /// @returns false if the deadline came first.
  bool wait_for_output(clock::time_point deadline);

  /// Whether the other end has spoken in CAF's protocol.
  std::atomic<bool> heard{false};

  bool over() const noexcept;

private:
  friend class process_connection;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  process_connection* connection_ = nullptr; // null if it is over
  std::atomic<bool> drains_ = false; // sends what it has to send, and no more
};

using connection_watch_ptr = std::shared_ptr<connection_watch>;

/// All connections of a process with the others. From any thread.
class process_connections {
public:
  void add(connection_watch_ptr x);

  /// Those that are not over.
  std::vector<connection_watch_ptr> all();

private:
  std::mutex mutex_;
  std::vector<connection_watch_ptr> all_;
};

/// Logs which connections were refused, and why. The rate is limited, because
/// strangers could fill the log otherwise. From any thread.
class refusals {
public:
  explicit refusals(std::shared_ptr<spdlog::logger> log);

  /// @param who its address, or what else there is to say.
  void note(const std::string& who, const std::string& why);

  /// Nobody was refused, but there is no descriptor for a new connection.
  void note_waiting(const std::string& why);

private:
  using clock = std::chrono::steady_clock;

  /// @returns how many lines have been left out since the last one; nothing if
  /// this one has to be, too.
  std::optional<std::size_t> may_say();

  std::shared_ptr<spdlog::logger> log_;
  std::mutex mutex_;
  std::optional<clock::time_point> last_;
  std::size_t unsaid_ = 0;
};

/// What holds for all connections of this process with others.
struct connection_terms {
  /// What a process has to know to be admitted.
  std::string token;

  /// Null for connections without TLS.
  std::shared_ptr<SSL_CTX> tls;

  /// The time that a new connection has to authenticate.
  std::chrono::nanoseconds patience{};

  /// How many may do so at once.
  std::size_t most_strangers = 0;

  std::shared_ptr<process_connections> connections;

  std::shared_ptr<refusals> refused;

  /// Makes the guard that checks what an admitted process sends.
  stream_guard_factory make_guard;

  /// A channel with what these terms ask for.
  channel make_channel(int fd, bool accepts) const;
};

using connection_terms_ptr = std::shared_ptr<const connection_terms>;

/// Lets a stream of CAF's read and write through a channel.
class channel_policy {
public:
  explicit channel_policy(channel way) : way_(std::move(way)) {
    // nop
  }

  caf::io::network::rw_state read_some(
    std::size_t& n, caf::io::network::native_socket, void* to,
    std::size_t size);

  caf::io::network::rw_state write_some(
    std::size_t& n, caf::io::network::native_socket, const void* from,
    std::size_t size);

  bool must_read_more(caf::io::network::native_socket,
                      std::size_t threshold) const noexcept {
    return way_.pending() >= threshold;
  }

private:
  channel way_;
};

/// A connection with another process that was admitted, for CAF's protocol: CAF
/// sees what the guard lets through. Closes the socket in the end.
class process_connection : public stream_scribe<channel_policy> {
public:
  using super = stream_scribe<channel_policy>;

  process_connection(caf::io::network::default_multiplexer& home,
                     const connection_terms& terms, channel way);

  ~process_connection() override;

  bool consume(caf::execution_unit* ctx, const void* data,
               std::size_t size) override;

  const connection_watch_ptr& watch() const noexcept {
    return watch_;
  }

protected:
  void output_drained() noexcept override;

private:
  friend class connection_watch;

  void refuse(caf::execution_unit* ctx, const std::string& why);

  std::shared_ptr<refusals> refused_;
  std::unique_ptr<stream_guard> guard_; // may be null
  connection_watch_ptr watch_;
};

} // namespace caf::rosia::detail
