// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_link.hpp"
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

/// The part of a connection with another process that other threads use: sends
/// data, and has the state of the connection. CAF owns the connection; this
/// object owns the socket. From any thread, unless said otherwise.
///
/// To send, call `add` and `flush`. The data is written by the calling thread,
/// or by one that is already writing. No thread waits for the socket: data that
/// it does not accept is written later by the loop. Bytes are sent in the order
/// in which they were added, because one thread at a time writes (`sending_`),
/// and none while the loop waits for the socket (`blocked_`). Tests:
/// test/compat/io/process_network_test.cpp.
class process_link final
  : public frame_link,
    public std::enable_shared_from_this<process_link> {
public:
  using clock = std::chrono::steady_clock;

  /// @param home must outlive this object.
  process_link(caf::io::network::default_multiplexer& home, channel way);

  process_link(const process_link&) = delete;

  process_link& operator=(const process_link&) = delete;

  ~process_link() override;

  // -- sending ----------------------------------------------------------------

  void add_frame(std::span<const std::string_view> pieces) override;

  /// Adds complete frames of CAF's protocol.
  void add(std::string_view bytes);

  void flush() override;

  /// Sends what was added, and then ends the stream. Nothing can be added
  /// afterwards.
  void end_output();

  /// Waits until everything was sent, or the connection ended.
  /// @returns false if the deadline passed.
  bool wait_for_output(clock::time_point deadline);

  // -- the other process ------------------------------------------------------

  /// Ends the connection, if it is not over.
  void hang_up() noexcept;

  bool over() const noexcept;

  /// Whether the other end has sent data of CAF's protocol.
  std::atomic<bool> has_received{false};

  caf::node_id peer() const override;

  void peer(caf::node_id name);

  // -- for the connection, in the thread of the loop --------------------------

  int fd() const noexcept {
    return way_.fd();
  }

  /// @param x notified when it must wait for the socket.
  void attach(process_connection& x);

  /// Notes that CAF no longer has the connection.
  void detach();

  /// See `process_connection`.
  void excuse_silence();

  /// @param n number of bytes read, at least one if done.
  channel::state read(void* to, std::size_t size, std::size_t& n);

  /// Returns whether there may be more to read, although the socket has
  /// nothing.
  bool pending() const;

  /// The work left after sending.
  enum class rest { none, blocked, failed };

  /// Continues when the socket is writable.
  rest resume();

private:
  using lock = std::unique_lock<std::mutex>;

  /// @pre No thread is sending. @param guard unlocked during system calls.
  rest send(lock& guard);

  channel::state write(std::size_t& n);

  /// Ends the stream if this was requested.
  void end_if_sent();

  void fail();

  /// Tells the connection about the work left.
  void tell(rest x);

  void tell_here(rest x);

  /// Returns null if CAF no longer has the connection. @pre This is the thread
  /// of the loop.
  process_connection* connection_here() const;

  caf::io::network::default_multiplexer& home_;
  channel way_;
  std::unique_ptr<std::mutex> session_; // for TLS: one thread at a time

  mutable std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  process_connection* connection_ = nullptr;
  caf::node_id peer_;
  std::vector<char> added_;
  bool sending_ = false; // the sending thread uses the next two
  std::vector<char> output_;
  std::size_t sent_ = 0; // part of `output_`
  bool blocked_ = false; // the loop waits for the socket
  bool ending_ = false;
  bool over_ = false; // nothing more is sent
};

using process_link_ptr = std::shared_ptr<process_link>;

/// All connections of a process with other processes. From any thread. Tests:
/// test/compat/io/process_network_test.cpp.
class process_links {
public:
  void add(process_link_ptr x);

  /// Returns the connections that are not over.
  std::vector<process_link_ptr> all();

  /// @returns null if there is none with this process.
  process_link_ptr find(const caf::node_id& peer);

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<process_link>> all_;
};

} // namespace caf::rosia::detail
