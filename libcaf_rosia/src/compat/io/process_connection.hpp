// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/deferred_scribe.hpp"
#include "compat/io/frame_receiver.hpp"
#include "compat/io/input_buffer.hpp"
#include "compat/io/loop_buffer.hpp"
#include "compat/io/process_link.hpp"
#include "compat/io/stream_guard.hpp"
#include "security/channel.hpp"

#include <caf/io/network/operation.hpp>

#include <openssl/ssl.h>
#include <spdlog/logger.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Logs refused connections, with the reasons. The rate is limited, because
/// strangers could fill the log otherwise. From any thread. Tests:
/// test/compat/io/process_network_test.cpp.
class refusals {
public:
  explicit refusals(std::shared_ptr<spdlog::logger> log);

  /// @param peer the address, or another description.
  void note(const std::string& peer, const std::string& problem);

  /// Logs that there is no descriptor for a new connection, which is not
  /// refused.
  void note_waiting(const std::string& problem);

private:
  using clock = std::chrono::steady_clock;

  /// @returns the number of lines omitted since the last one; nothing if this
  ///          one must be omitted as well.
  std::optional<std::size_t> may_say();

  std::shared_ptr<spdlog::logger> log_;
  std::mutex mutex_;
  std::optional<clock::time_point> last_;
  std::size_t unsaid_ = 0;
};

/// The terms of all connections of this process with other processes. Tests:
/// test/compat/io/process_network_test.cpp.
struct connection_terms {
  /// The secret that a process must know to be admitted.
  std::string token;

  /// Null for connections without TLS.
  std::shared_ptr<SSL_CTX> tls;

  /// Time limit of a new connection to authenticate.
  std::chrono::nanoseconds patience{};

  /// Maximum number of connections that did not authenticate yet.
  std::size_t most_strangers = 0;

  std::shared_ptr<process_links> links;

  std::shared_ptr<refusals> refused;

  /// Makes the guard that checks the data of an admitted process.
  stream_guard_factory make_guard;

  /// Receives the frames that are not part of CAF's protocol.
  std::shared_ptr<frame_receiver> frames;

  /// Makes a channel according to these terms.
  channel make_channel(int fd, bool accepts) const;
};

using connection_terms_ptr = std::shared_ptr<const connection_terms>;

/// A connection with an admitted process, for CAF's protocol and for the frames
/// between its frames. CAF receives only data that the guard accepts. For the
/// thread that runs the loop. Tests: test/compat/io/process_network_test.cpp.
class process_connection : public deferred_scribe {
public:
  process_connection(caf::io::network::default_multiplexer& home,
                     const connection_terms& terms, channel way);

  ~process_connection() override;

  const process_link_ptr& link() const noexcept {
    return link_;
  }

  /// Shows a sign of life to CAF, so that CAF continues to wait for the other
  /// process. Does so once until the process sends something.
  void excuse_silence();

  /// Continues after the link could not write everything.
  void go_on(process_link::rest x);

  // -- overridden functions of CAF --------------------------------------------

  /// The broker of CAF's protocol always requests an exact number of bytes.
  void configure_read(caf::io::receive_policy::config config) override;

  /// The broker of CAF's protocol does not request acks.
  void ack_writes(bool enable) override;

  loop_buffer& wr_buf() override;

  loop_buffer& rd_buf() override;

  void flush() override;

  void graceful_shutdown() override;

  std::string addr() const override;

  std::uint16_t port() const override;

  void add_to_loop() override;

  void remove_from_loop() override;

  // -- overridden functions of deferred_scribe --------------------------------

  void write() override;

  void written() override;

private:
  using clock = std::chrono::steady_clock;

  class socket_events;

  /// Reads available data, a limited number of times.
  void read();

  /// Schedules reading of data that is no longer in the socket, so that the
  /// loop does not know about it.
  void read_rest();

  /// Consumes complete frames and pieces of the input.
  /// @returns false if nothing more must be read.
  bool take_input();

  /// The result of an attempt to consume a frame or a piece.
  enum class taken { all, part, over };

  /// Consumes a frame of Rosia's protocol.
  taken take_frame();

  /// Consumes the piece that CAF waits for.
  taken take_for_caf();

  /// @returns why the guard rejects the piece; empty if it accepts it.
  std::string check(std::string_view piece);

  /// Returns whether the next bytes are a frame of Rosia's protocol, or a part
  /// of it.
  bool is_frame_next() const;

  void hand_over(std::string_view frame);

  /// Stores the other process's name, after its handshake.
  void know_peer();

  /// Shows a sign of life to CAF, which would close a connection without one,
  /// and does not see frames of Rosia's protocol.
  /// @returns false if nothing more must be read.
  bool simulate_heartbeat();

  void refuse(const std::string& problem);

  caf::io::network::default_multiplexer& loop_;
  std::shared_ptr<refusals> refused_;
  std::shared_ptr<frame_receiver> frames_; // may be null
  std::unique_ptr<stream_guard> guard_;    // may be null
  process_link_ptr link_;
  std::unique_ptr<socket_events> events_;
  input_buffer input_;
  loop_buffer rd_buf_;
  loop_buffer wr_buf_;
  std::size_t wanted_ = 0; // by CAF
  std::size_t needed_ = 0; // by the next frame or piece
  bool launched_ = false;
  bool excused_ = false; // CAF has got a sign of life since the last data
  caf::node_id peer_;
  clock::time_point shown_{}; // time of the last sign of life for CAF
};

} // namespace caf::rosia::detail
