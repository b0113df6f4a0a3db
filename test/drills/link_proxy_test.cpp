// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/link_proxy.hpp"

#include <chrono>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace link_proxy_test {

using namespace rosia_drill;
using namespace std::chrono_literals;

namespace {

/// Longer than any step takes.
constexpr std::int64_t guard = 20'000'000'000;

/// Both ends of a connection through a proxy, in one loop.
struct fixture {
  fixture() : fixture(listen_on_loopback()) {
    // nop
  }

  explicit fixture(std::pair<descriptor, std::uint16_t> where)
    : listener{std::move(where.first)}, proxy{loop, where.second} {
    loop.read(listener.get(), [this] {
      far = descriptor{::accept(listener.get(), nullptr, nullptr)};
      receive(far, at_far, far_ended);
    });
    connect();
  }

  void connect() {
    if (near)
      loop.forget(near.get());
    near = connect_to_loopback(proxy.port());
    near_ended = false;
    receive(near, at_near, near_ended);
  }

  void receive(descriptor& from, std::string& into, bool& ended) {
    loop.read(from.get(), [this, &from, &into, &ended] {
      char block[4096];
      auto count = ::recv(from.get(), block, sizeof block, MSG_DONTWAIT);
      if (count > 0)
        into.append(block, static_cast<std::size_t>(count));
      else {
        ended = true;
        loop.forget(from.get());
      }
    });
  }

  static void send(const descriptor& to, const std::string& text) {
    REQUIRE(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(text.size()));
  }

  template <class Condition>
  bool until(Condition&& condition) {
    auto end = monotonic_now() + guard;
    loop.run([&] { return condition() || monotonic_now() > end; });
    return condition();
  }

  void run_for(std::chrono::nanoseconds time) {
    auto over = false;
    loop.call_at(monotonic_now() + time.count(), [&] { over = true; });
    loop.run([&] { return over; });
  }

  bool connected() {
    return until([this] { return bool{far}; });
  }

  event_loop loop;
  descriptor listener;
  link_proxy proxy;
  descriptor near;
  descriptor far;
  std::string at_near;
  std::string at_far;
  bool near_ended = false;
  bool far_ended = false;
};

} // namespace

TEST_CASE("a proxy forwards all bytes and the end in both directions") {
  fixture x;
  REQUIRE(x.connected());
  std::string much(100'000, 'm');
  x.send(x.near, much);
  x.send(x.far, "back");
  CHECK(x.until([&] { return x.at_far == much && x.at_near == "back"; }));
  CHECK(x.proxy.passed() == much.size() + 4);
  ::shutdown(x.near.get(), SHUT_WR);
  CHECK(x.until([&] { return x.far_ended; }));
  CHECK_FALSE(x.near_ended);
}

TEST_CASE("a connection that is cut ends at both sides, until it is restored") {
  fixture x;
  REQUIRE(x.connected());
  x.proxy.cut();
  CHECK(x.until([&] { return x.near_ended && x.far_ended; }));
  x.connect();
  CHECK(x.until([&] { return x.near_ended; }));
  x.proxy.restore();
  x.far.close();
  x.connect();
  REQUIRE(x.connected());
  x.send(x.near, "again");
  CHECK(x.until([&] { return x.at_far == "again"; }));
}

TEST_CASE("held data arrives when the connection is restored") {
  fixture x;
  REQUIRE(x.connected());
  x.proxy.hold();
  x.send(x.near, "later");
  x.run_for(30ms);
  CHECK(x.at_far.empty());
  CHECK_FALSE(x.far_ended);
  x.proxy.restore();
  CHECK(x.until([&] { return x.at_far == "later"; }));
}

TEST_CASE("delayed data arrives in order, and not early") {
  fixture x;
  REQUIRE(x.connected());
  x.proxy.delay(50ms);
  auto begin = monotonic_now();
  x.send(x.near, "one ");
  x.send(x.near, "two");
  CHECK(x.until([&] { return x.at_far == "one two"; }));
  CHECK(monotonic_now() - begin >= 50'000'000);
}

TEST_CASE("a throttled connection carries no more than its rate") {
  fixture x;
  REQUIRE(x.connected());
  x.proxy.throttle(100'000);
  auto begin = monotonic_now();
  std::string much(10'000, 'm');
  x.send(x.near, much);
  CHECK(x.until([&] { return x.at_far == much; }));
  CHECK(monotonic_now() - begin >= 95'000'000);
}

TEST_CASE("a missing server behind a proxy looks like a closed port") {
  event_loop loop;
  reserved_port nobody;
  link_proxy proxy{loop, nobody.number()};
  auto near = connect_to_loopback(proxy.port());
  auto ended = false;
  loop.read(near.get(), [&] { ended = true; });
  auto end = monotonic_now() + guard;
  loop.run([&] { return ended || monotonic_now() > end; });
  CHECK(ended);
  loop.forget(near.get());
}

TEST_CASE("a reserved port is in use while another process listens on it") {
  reserved_port free;
  CHECK_FALSE(free.is_in_use());
  reserved_port taken;
  int on = 1;
  descriptor other{::socket(AF_INET, SOCK_STREAM, 0)};
  REQUIRE(
    ::setsockopt(other.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(taken.number());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(
    ::bind(other.get(), reinterpret_cast<sockaddr*>(&address), sizeof address)
    == 0);
  REQUIRE(::listen(other.get(), 1) == 0);
  CHECK(taken.is_in_use());
}

} // namespace link_proxy_test
