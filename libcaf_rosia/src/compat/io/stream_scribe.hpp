// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/io/connection_handle.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/native_socket.hpp>
#include <caf/io/network/operation.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

class multiplexer;

namespace detail {

/// A broker's connection over a socket. In Rosia's loop it writes when the loop
/// tells it to; in CAF's loop it writes as CAF does. For the thread that runs
/// the loop.
class late_scribe : public caf::io::scribe {
public:
  late_scribe(caf::io::network::default_multiplexer& home,
              caf::io::network::native_socket fd);

  void flush() final;

  void graceful_shutdown() final;

  // -- for the loop -----------------------------------------------------------

  /// Writes what the socket takes, unless it is being waited for.
  void write();

  /// The loop knows now whether there is more to write.
  void written();

protected:
  /// Sends what is to be sent, and no more after that: then the other side
  /// reads the end of the stream.
  void end_output();

  /// Leaves the loop as far as reading is concerned.
  void stop_reading();

  virtual caf::io::network::stream& stream() = 0;

  /// Nothing is left to write, or cannot be written. Called by the loop.
  virtual void output_drained() noexcept {
    // nop
  }

private:
  bool waits_for_socket();

  multiplexer* home_;    // null if the loop is another one
  bool pending_ = false; // is among what is unwritten
};

/// The same, complete.
/// @tparam Policy reads and writes, as `caf::policy::tcp` does.
template <class Policy>
class stream_scribe : public late_scribe {
public:
  /// @param xs for `Policy`.
  template <class... Ts>
  stream_scribe(caf::io::network::default_multiplexer& home,
                caf::io::network::native_socket fd, Ts&&... xs)
    : late_scribe(home, fd), stream_(*this, home, fd, std::forward<Ts>(xs)...) {
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

  std::vector<char>& wr_buf() override {
    return stream_.wr_buf();
  }

  std::vector<char>& rd_buf() override {
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

  /// Whether there is something to write.
  bool writing() const noexcept {
    return stream_.writing();
  }

private:
  class stream_type : public caf::io::network::stream_impl<Policy> {
  public:
    using super = caf::io::network::stream_impl<Policy>;

    template <class... Ts>
    explicit stream_type(stream_scribe& owner, Ts&&... xs)
      : super(std::forward<Ts>(xs)...), owner_(owner) {
      // nop
    }

    bool writing() const noexcept {
      return this->state_.writing;
    }

    void removed_from_loop(caf::io::network::operation event) override {
      // First, as the owner may be gone after what follows.
      if (event == caf::io::network::operation::write)
        owner_.output_drained();
      super::removed_from_loop(event);
    }

  private:
    stream_scribe& owner_;
  };

  stream_type stream_;
  bool launched_ = false;
};

} // namespace detail

} // namespace caf::rosia
