// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/channel.hpp"

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/node_id.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

class process_connection;

/// One connection with another process, which CAF owns, as far as others use
/// it: what is sent over it, and whether it is there. From any thread, unless
/// said otherwise. Owns the socket.
///
/// Who has something to send adds it, and flushes: then it is sent at once, by
/// this thread or by one that is sending already. No thread waits for the
/// socket: what that does not take is sent by the loop, once it does. Bytes are
/// sent in the order in which they were added, because one thread at a time
/// sends (`sending_`), and none as long as the loop waits for the socket
/// (`blocked_`).
class process_link : public std::enable_shared_from_this<process_link> {
public:
  using clock = std::chrono::steady_clock;

  /// @param home outlives it.
  process_link(caf::io::network::default_multiplexer& home, channel way);

  process_link(const process_link&) = delete;

  process_link& operator=(const process_link&) = delete;

  ~process_link();

  // -- sending ----------------------------------------------------------------

  /// Adds a frame of Rosia's, in pieces. Together they have less than 4 GiB.
  void add_frame(std::span<const std::string_view> pieces);

  /// Adds frames of CAF's protocol, each as a whole.
  void add(std::string_view bytes);

  /// Sends what was added.
  void flush();

  /// Sends what was added, and no more after that: then the other side reads
  /// the end of the stream.
  void end_output();

  /// Waits until that is sent, or the connection is over.
  /// @returns false if the deadline came first.
  bool wait_for_output(clock::time_point deadline);

  // -- the other process ------------------------------------------------------

  /// Ends the connection, if it has not ended yet.
  void hang_up() noexcept;

  bool over() const noexcept;

  /// Whether the other end has spoken in CAF's protocol.
  std::atomic<bool> heard{false};

  /// Its name in CAF's protocol, once it has said it.
  caf::node_id peer() const;

  void peer(caf::node_id name);

  // -- for the connection, in the thread of the loop --------------------------

  int fd() const noexcept {
    return way_.fd();
  }

  /// @param x is told when the socket has to be waited for.
  void attach(process_connection& x);

  /// CAF has no connection any more.
  void detach();

  /// See `process_connection`.
  void excuse_silence();

  /// @param n how much was read, if done: one byte at least.
  channel::state read(void* to, std::size_t size, std::size_t& n);

  /// Whether there may be more to read, though the socket has nothing.
  bool pending() const;

  /// What is left to do after some was sent.
  enum class rest { none, blocked, failed };

  /// Goes on, as the socket can be written.
  rest resume();

private:
  using lock = std::unique_lock<std::mutex>;

  /// @pre Nobody sends. @param guard is open while the system is called.
  rest send(lock& guard);

  channel::state write(std::size_t& n);

  /// Whether the socket is to be told that nothing follows.
  void end_if_sent();

  void fail();

  /// Lets the connection know what is left to do.
  void tell(rest x);

  void tell_here(rest x);

  /// Returns null if CAF no longer has the connection. @pre This is the thread
  /// of the loop.
  process_connection* connection_here() const;

  caf::io::network::default_multiplexer& home_;
  channel way_;
  std::unique_ptr<std::mutex> session_; // of TLS, which one uses at a time

  mutable std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  process_connection* connection_ = nullptr;
  caf::node_id peer_;
  std::vector<char> added_;
  bool sending_ = false; // then the next two belong to who does
  std::vector<char> output_;
  std::size_t sent_ = 0; // of these
  bool blocked_ = false; // the loop waits for the socket
  bool ending_ = false;
  bool over_ = false; // nothing is sent any more
};

using process_link_ptr = std::shared_ptr<process_link>;

/// All connections of a process with the others. From any thread.
class process_links {
public:
  void add(process_link_ptr x);

  /// Those that are not over.
  std::vector<process_link_ptr> all();

  /// @returns null if there is none with that process.
  process_link_ptr find(const caf::node_id& peer);

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<process_link>> all_;
};

} // namespace caf::rosia::detail
