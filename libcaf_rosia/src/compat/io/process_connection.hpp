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

  std::shared_ptr<process_links> links;

  std::shared_ptr<refusals> refused;

  /// Makes the guard that checks what an admitted process sends.
  stream_guard_factory make_guard;

  /// Takes the frames that are not of CAF's protocol.
  std::shared_ptr<frame_receiver> frames;

  /// A channel with what these terms ask for.
  channel make_channel(int fd, bool accepts) const;
};

using connection_terms_ptr = std::shared_ptr<const connection_terms>;

/// A connection with another process that was admitted: for CAF's protocol, and
/// for the frames in between. CAF sees what the guard lets through. For the
/// thread that runs the loop.
class process_connection : public deferred_scribe {
public:
  process_connection(caf::io::network::default_multiplexer& home,
                     const connection_terms& terms, channel way);

  ~process_connection() override;

  const process_link_ptr& link() const noexcept {
    return link_;
  }

  /// Lets CAF go on waiting for the other process, as if it had just been
  /// heard. Once, until it is heard.
  void excuse_silence();

  /// The link cannot go on by itself.
  void go_on(process_link::rest x);

  // -- overridden functions of CAF --------------------------------------------

  /// The broker of CAF's protocol always wants an exact number of bytes.
  void configure_read(caf::io::receive_policy::config config) override;

  /// That broker does not ask for it.
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

  /// Reads what there is, but not for ever.
  void read();

  /// Reads later what the loop does not know of, because it is not in the
  /// socket any more.
  void read_rest();

  /// Takes what was read, as far as it is complete. @returns false if nothing
  /// more is to be read.
  bool take_input();

  /// What came of an attempt to take what comes next.
  enum class taken { all, part, over };

  /// Takes a frame of Rosia's.
  taken take_frame();

  /// Takes what CAF waits for.
  taken take_for_caf();

  /// @returns why the guard refuses what CAF waits for; empty if it does not.
  std::string check(std::string_view piece);

  /// Whether a frame of Rosia's comes next, or a part of it.
  bool is_frame_next() const;

  void hand_over(std::string_view frame);

  /// Learns the other process's name, once it has said it.
  void know_peer();

  /// CAF takes a process for dead that it has not heard for long, and does not
  /// see frames. @returns false if nothing more is to be read.
  bool show_life();

  void refuse(const std::string& why);

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
  std::size_t needed_ = 0; // to go on, of what comes
  bool launched_ = false;
  bool excused_ = false; // its silence, since it was heard
  caf::node_id peer_;
  clock::time_point shown_{}; // the last time that CAF has heard the peer
};

} // namespace caf::rosia::detail
