// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The network loop with plain CAF brokers. The other side uses plain sockets.

#include "compat/io/multiplexer.hpp"

#include "catch.hpp"
#include "files_in.hpp"
#include "system_as_process.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/system_messages.hpp>
#include <caf/scoped_actor.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace multiplexer_test {

namespace io = caf::io;
using namespace std::chrono_literals;

namespace {

/// A limit against hangs.
constexpr auto limit = 600s;

/// More than the buffers of two sockets of the loopback device.
constexpr std::size_t large = 32 * 1024 * 1024;

/// A blocking socket with a timeout.
class client {
public:
  explicit client(std::uint16_t port)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval patience{60, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address))
        != 0)
      throw std::system_error(errno, std::generic_category(), "connect");
  }

  client(client&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
    // nop
  }

  client& operator=(client&&) = delete;

  ~client() {
    if (fd_ >= 0)
      close(fd_);
  }

  bool send(const std::string& x) {
    return ::send(fd_, x.data(), x.size(), MSG_NOSIGNAL)
           == static_cast<ssize_t>(x.size());
  }

  /// Reads `n` bytes; fewer if the other side closes, or no data arrives.
  std::string receive(std::size_t n) {
    std::string result(n, '\0');
    std::size_t size = 0;
    while (size < n) {
      auto got = recv(fd_, result.data() + size, n - size, 0);
      if (got <= 0)
        break;
      size += static_cast<std::size_t>(got);
    }
    result.resize(size);
    return result;
  }

  /// Resets the connection: data of the other side is refused.
  void reset() {
    linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(std::exchange(fd_, -1));
  }

private:
  int fd_;
};

/// The action of a connection's broker after reading: writes `answer`, and
/// closes if `last` is set.
struct reply {
  std::string answer;
  bool last = false;
};

using service = std::function<reply(const std::string&)>;

/// Reports each closed connection and its written data to `observer`.
caf::behavior serve(io::broker* self, service answers, caf::actor observer) {
  return {
    [=](const io::new_connection_msg& x) {
      self->configure_read(x.handle, io::receive_policy::at_most(1024));
      self->ack_writes(x.handle, true);
    },
    [=](const io::new_data_msg& x) {
      std::string text;
      for (auto byte : x.buf)
        text += static_cast<char>(byte);
      auto [answer, last] = answers(text);
      self->write(x.handle, answer.size(), answer.data());
      self->flush(x.handle);
      if (last) {
        self->close(x.handle);
        self->send(observer, caf::leave_atom_v);
      }
    },
    [=](const io::data_transferred_msg& x) {
      self->send(observer, caf::ok_atom_v, x.written, x.remaining);
    },
    [=](const io::connection_closed_msg&) {
      self->send(observer, caf::leave_atom_v);
    },
    [=](const io::acceptor_closed_msg&) {},
  };
}

/// A system with a broker that serves connections.
struct served {
  explicit served(service answers)
    : self(sys),
      server(*sys.middleman().spawn_server(
        serve, port, std::move(answers), caf::actor{self})) {
    // nop
  }

  ~served() {
    self->send_exit(server, caf::exit_reason::user_shutdown);
  }

  /// Waits for the end of `n` connections. @returns false after a timeout.
  bool await_ends(int n) {
    auto in_time = true;
    while (n > 0 && in_time)
      self->receive(
        [&](caf::leave_atom) { --n; },
        [&](caf::ok_atom, std::uint64_t bytes, std::uint64_t) {
          transferred += bytes;
        },
        caf::after(limit) >> [&] { in_time = false; });
    return in_time;
  }

  test::process_config cfg;
  caf::actor_system sys{cfg};
  caf::scoped_actor self;
  std::uint16_t port = 0;
  caf::actor server;
  std::uint64_t transferred = 0;
};

using flag = std::shared_ptr<std::atomic<bool>>;

/// Sends itself messages until it may end.
caf::behavior busy_broker(io::broker* self, flag go_on) {
  self->send(self, caf::tick_atom_v);
  return {[=](caf::tick_atom) {
    if (*go_on)
      self->send(self, caf::tick_atom_v);
    else
      self->quit();
  }};
}

service echo() {
  return [](const std::string& x) { return reply{x}; };
}

/// Creates a loop separate from the middleman's. The type depends on CAF.
template <class Loop>
std::unique_ptr<Loop> make_loop(caf::actor_system& sys) {
  if constexpr (std::is_constructible_v<Loop, caf::actor_system&>)
    return std::make_unique<Loop>(sys);
  else
    return std::make_unique<Loop>(&sys);
}

} // namespace

TEST_CASE("data written by a broker arrives") {
  served x{echo()};
  client peer{x.port};
  for (auto i = 0; i < 1000; ++i) {
    auto sent = "message " + std::to_string(i);
    REQUIRE(peer.send(sent));
    REQUIRE(peer.receive(sent.size()) == sent);
  }
  peer.reset();
  REQUIRE(x.await_ends(1));
}

TEST_CASE(
  "data that a socket does not accept at once arrives later, and in order") {
  std::string content(large, '\0');
  for (std::size_t i = 0; i < large; ++i)
    content[i] = static_cast<char>(i * 31 >> 3);
  served x{[&](const std::string&) { return reply{content}; }};
  client peer{x.port};
  REQUIRE(peer.send("go"));
  CHECK(peer.receive(large) == content);
  // The connection still works.
  REQUIRE(peer.send("go"));
  CHECK(peer.receive(large) == content);
  peer.reset();
  REQUIRE(x.await_ends(1));
  CHECK(x.transferred == 2 * large);
}

TEST_CASE("data written before a connection is closed arrives") {
  for (auto size : {std::size_t{1}, large}) {
    served x{[=](const std::string&) {
      return reply{std::string(size, 'x'), true};
    }};
    client peer{x.port};
    REQUIRE(peer.send("go"));
    CHECK(peer.receive(2 * size).size() == size);
    REQUIRE(x.await_ends(1));
  }
}

TEST_CASE("brokers of several connections take turns") {
  served x{echo()};
  std::vector<client> peers;
  for (auto i = 0; i < 20; ++i)
    peers.emplace_back(x.port);
  for (auto i = 0; i < 50; ++i) {
    for (auto& peer : peers)
      REQUIRE(peer.send("a message"));
    for (auto& peer : peers)
      REQUIRE(peer.receive(9) == "a message");
  }
  for (auto& peer : peers)
    peer.reset();
  REQUIRE(x.await_ends(20));
}

TEST_CASE("a connection that breaks while it is written to ends, once") {
  std::string content(large, 'x');
  served x{[&](const std::string&) { return reply{content}; }};
  for (auto i = 0; i < 20; ++i) {
    client peer{x.port};
    REQUIRE(peer.send("go"));
    // The peer reads nothing, or a part.
    CHECK(peer.receive(static_cast<std::size_t>(i % 4) * 100).size()
          == static_cast<std::size_t>(i % 4) * 100);
    peer.reset();
  }
  REQUIRE(x.await_ends(20));
  auto more = false;
  x.self->receive(
    [&](caf::leave_atom) { more = true; },
    [&](caf::ok_atom, std::uint64_t, std::uint64_t) {},
    caf::after(0s) >> [] {});
  CHECK_FALSE(more);
}

TEST_CASE("closed connections leave no resources behind") {
  auto before = test::files_in("/proc/self/fd");
  {
    served x{echo()};
    auto at_start = test::files_in("/proc/self/fd");
    for (auto i = 0; i < 50; ++i) {
      client peer{x.port};
      REQUIRE(peer.send("a message"));
      REQUIRE(peer.receive(9) == "a message");
    }
    REQUIRE(x.await_ends(50));
    // The loop may still hold the last ones.
    auto in_loop = [&] {
      std::promise<std::size_t> now;
      x.sys.middleman().backend().post([&] {
        now.set_value(test::files_in("/proc/self/fd"));
      });
      return now.get_future().get();
    };
    auto end = std::chrono::steady_clock::now() + limit;
    while (in_loop() > at_start + 1 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    CHECK(in_loop() <= at_start + 1);
  }
  CHECK(test::files_in("/proc/self/fd") == before);
}

TEST_CASE("brokers that are always busy do not block sockets") {
  served x{echo()};
  auto go_on = std::make_shared<std::atomic<bool>>(true);
  x.sys.middleman().spawn_broker(busy_broker, go_on);
  // Functions do not block them either.
  auto& loop = x.sys.middleman().backend();
  auto again = std::make_shared<std::function<void()>>();
  *again = [=, &loop] {
    if (*go_on)
      loop.post(*again);
  };
  loop.post(*again);
  client peer{x.port};
  for (auto i = 0; i < 20; ++i) {
    REQUIRE(peer.send("a message"));
    REQUIRE(peer.receive(9) == "a message");
  }
  *go_on = false;
  peer.reset();
  REQUIRE(x.await_ends(1));
  std::promise<void> over;
  loop.post([&] {
    *again = nullptr;
    over.set_value();
  });
  over.get_future().wait();
}

TEST_CASE("data written before a slow operation does not wait for it, if "
          "another thread continues the loop") {
  test::process_config cfg;
  caf::actor_system sys{cfg};
  auto& loop = dynamic_cast<io::network::default_multiplexer&>(
    sys.middleman().backend());
  for (auto own : {true, false}) {
    auto fd = io::network::new_tcp_acceptor_impl(0, "127.0.0.1", false);
    REQUIRE(fd);
    client peer{*io::network::local_port_of_fd(*fd)};
    auto accepted = accept4(*fd, nullptr, nullptr, SOCK_CLOEXEC);
    REQUIRE(accepted >= 0);
    std::promise<void> over;
    loop.post([&] {
      // The second as in CAF's OpenSSL module.
      auto scribe = own ? loop.new_scribe(accepted)
                        : loop.default_multiplexer::new_scribe(accepted);
      auto& buffer = scribe->wr_buf();
      using unit = std::decay_t<decltype(buffer)>::value_type;
      buffer = {unit{'x'}, unit{'y'}};
      scribe->flush();
      auto self = std::this_thread::get_id();
      std::thread other{[&] {
        loop.thread_id(std::this_thread::get_id());
        loop.run_once();
        loop.thread_id({});
      }};
      other.join();
      loop.thread_id(self);
      over.set_value();
    });
    CHECK(peer.receive(2) == "xy");
    loop.post([] {
      // Wakes the waiting thread.
    });
    over.get_future().wait();
    close(*fd);
  }
}

TEST_CASE("a loop without a thread runs by hand") {
  test::process_config cfg;
  caf::actor_system sys{cfg};
  auto own = make_loop<caf::rosia::detail::multiplexer>(sys);
  caf::io::network::multiplexer& loop = *own;
  loop.thread_id(std::this_thread::get_id());
  auto count = 0;
  loop.post([&] {
    ++count;
    loop.post([&] { ++count; });
  });
  loop.run_once();
  CHECK(count == 2);
  CHECK_FALSE(loop.try_run_once());
  std::thread other{[&] { loop.post([&] { ++count; }); }};
  loop.run_once();
  other.join();
  CHECK(count == 3);
}

} // namespace multiplexer_test
