// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/deferred_scribe.hpp"
#include "compat/io/loop_buffer.hpp"

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/native_socket.hpp>
#include <caf/io/network/stream_impl.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace caf::rosia::detail {

/// A broker's connection over a socket: CAF's stream, which waits for the
/// socket only if that does not accept all data. In CAF's loop, it writes as
/// CAF does. For the thread that runs the loop. Tests:
/// test/compat/io/process_network_test.cpp.
class late_scribe : public deferred_scribe {
public:
  late_scribe(caf::io::network::default_multiplexer& home,
              caf::io::network::native_socket fd);

  void flush() final;

  void graceful_shutdown() final;

  void write() final;

  void written() final;

protected:
  /// Removes the stream from the loop for reading.
  void stop_reading();

  virtual caf::io::network::stream& stream() = 0;

private:
  bool waits_for_socket();
};

/// A complete `late_scribe`, with its stream. Tests:
/// test/compat/io/process_network_test.cpp.
/// @tparam Policy reads and writes, as `caf::policy::tcp` does.
template <class Policy>
class stream_scribe : public late_scribe {
public:
  /// @param xs arguments of `Policy`.
  template <class... Ts>
  stream_scribe(caf::io::network::default_multiplexer& home,
                caf::io::network::native_socket fd, Ts&&... xs)
    : late_scribe(home, fd), stream_(home, fd, std::forward<Ts>(xs)...) {
    // nop
  }

  void configure_read(caf::io::receive_policy::config config) override {
    stream_.configure_read(config);
    if (!std::exchange(launched_, true))
      stream_.start(this);
  }

  void ack_writes(bool enable) override {
    stream_.ack_writes(enable);
  }

  loop_buffer& wr_buf() override {
    return stream_.wr_buf();
  }

  loop_buffer& rd_buf() override {
    return stream_.rd_buf();
  }

  std::string addr() const override {
    auto x = caf::io::network::remote_addr_of_fd(stream_.fd());
    return x ? *x : std::string{};
  }

  std::uint16_t port() const override {
    auto x = caf::io::network::remote_port_of_fd(stream_.fd());
    return x ? *x : std::uint16_t{0};
  }

  void add_to_loop() override {
    stream_.activate(this);
  }

  void remove_from_loop() override {
    stop_reading();
  }

protected:
  caf::io::network::stream& stream() override {
    return stream_;
  }

private:
  caf::io::network::stream_impl<Policy> stream_;
  bool launched_ = false;
};

} // namespace caf::rosia::detail
