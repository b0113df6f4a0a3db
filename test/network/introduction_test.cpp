// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The handshake before CAF's protocol on a new connection, over a pair of
// sockets.

#include "network/introduction.hpp"

#include "catch.hpp"
#include "network/sockets.hpp"
#include "rosia_certs/certificate_authority.hpp"
#include "temporary_folder.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <sys/socket.h>

namespace introduction_test {

using namespace caf::rosia::detail;

using side = admission::side;
using step = introduction::step;

namespace {

/// Certificates of a CA for a process.
class certificates {
public:
  certificates() {
    auto ca = rosia_certs::certificate_authority::create(
      "Test CA", std::chrono::hours{24});
    files_ = {folder_.file("certificate.pem"), folder_.file("key.pem"),
              folder_.file("ca.pem")};
    ca.issue({"test", {"localhost"}, std::chrono::hours{24}}, files_);
    context_ = make_tls_context(files_);
  }

  SSL_CTX* context() const {
    return context_.get();
  }

private:
  test::temporary_folder folder_;
  tls_files files_;
  ssl_context_ptr context_;
};

struct ends {
  ends() {
    int fds[2];
    REQUIRE(
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds)
      == 0);
    host = descriptor{fds[0]};
    guest = descriptor{fds[1]};
  }

  introduction make(side self, const std::string& token,
                    const certificates* tls = nullptr) const {
    auto fd = (self == side::accepts ? host : guest).get();
    auto way
      = tls == nullptr
          ? channel{fd}
          : channel{fd, tls->context(), self == side::accepts};
    return {std::move(way), self, token};
  }

  descriptor host;
  descriptor guest;
};

bool is_over(step x) {
  return x == step::done || x == step::failed;
}

/// Continues both until neither can proceed.
std::pair<step, step> bring_together(introduction& x, introduction& y) {
  auto result = std::pair{step::read, step::read};
  for (auto i = 0; i < 20; ++i) {
    if (!is_over(result.first))
      result.first = x.go_on();
    if (!is_over(result.second))
      result.second = y.go_on();
  }
  return result;
}

/// Calls `fun` with the accepting side, without and with TLS. @param fun gets
/// no certificates in the first case.
template <class Fun>
void for_both_ways(Fun fun) {
  certificates tls;
  for (auto* files : {static_cast<const certificates*>(nullptr),
                      static_cast<const certificates*>(&tls)}) {
    ends x;
    auto host = x.make(side::accepts, "token", files);
    fun(x, host, files);
  }
}

} // namespace

TEST_CASE("two processes with one token identify each other",
          "[introduction]") {
  for_both_ways([](ends& x, introduction& host, const certificates* tls) {
    auto guest = x.make(side::connects, "token", tls);
    CHECK(bring_together(host, guest) == std::pair{step::done, step::done});
    // Data after the introduction belongs to the connection's user and is not
    // read.
    std::size_t n = 0;
    CHECK(guest.way().write("frame", 5, n) == channel::state::done);
    std::string text(10, '\0');
    CHECK(host.way().read(text.data(), text.size(), n) == channel::state::done);
    CHECK(text.substr(0, n) == "frame");
    CHECK(host.way().binding() == guest.way().binding());
    CHECK(host.way().binding().empty() == (tls == nullptr));
  });
}

TEST_CASE("a different token is refused on both sides", "[introduction]") {
  certificates tls;
  ends x;
  auto host = x.make(side::accepts, "token", &tls);
  auto guest = x.make(side::connects, "other", &tls);
  CHECK(bring_together(host, guest) == std::pair{step::failed, step::failed});
  CHECK(host.other_token());
  CHECK(guest.other_token());
}

TEST_CASE("a certificate of another CA is refused", "[introduction]") {
  certificates tls;
  certificates other;
  ends x;
  auto host = x.make(side::accepts, "token", &tls);
  auto guest = x.make(side::connects, "token", &other);
  CHECK(bring_together(host, guest) == std::pair{step::failed, step::failed});
  CHECK_FALSE(host.other_token());
  CHECK(guest.problem().find("TLS: ") == 0);
}

TEST_CASE("TLS on only one side is reported as such", "[introduction]") {
  certificates tls;
  ends x;
  SECTION("at the end that accepts") {
    auto host = x.make(side::accepts, "token", &tls);
    auto guest = x.make(side::connects, "token", nullptr);
    bring_together(host, guest);
    CHECK(host.problem()
          == "it does not use TLS, as this process does (rosia.tls)");
  }
  SECTION("at the end that connects") {
    auto host = x.make(side::accepts, "token", nullptr);
    auto guest = x.make(side::connects, "token", &tls);
    bring_together(host, guest);
    CHECK(
      host.problem() == "it uses TLS, and this process does not (rosia.tls)");
    CHECK(guest.problem()
          == "it does not use TLS, as this process does (rosia.tls)");
  }
}

TEST_CASE("a silent peer is waited for, without polling the socket for writing",
          "[introduction]") {
  for_both_ways([](ends& x, introduction& host, const certificates* tls) {
    for (auto i = 0; i < 3; ++i)
      CHECK(host.go_on() == step::read);
    // So is a peer that sent a part.
    std::string half{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};
    if (tls == nullptr)
      half = "rosia/1\n";
    REQUIRE(send(x.guest.get(), half.data(), half.size(), 0) > 0);
    for (auto i = 0; i < 3; ++i)
      CHECK(host.go_on() == step::read);
  });
}

TEST_CASE("a peer that closes the connection is given up", "[introduction]") {
  for_both_ways([](ends& x, introduction& host, const certificates*) {
    CHECK(host.go_on() == step::read);
    x.guest = descriptor{};
    CHECK(host.go_on() == step::failed);
    CHECK_FALSE(host.problem().empty());
  });
}

TEST_CASE("a local socket is found by its name, and only by its user",
          "[introduction]") {
  auto [listener, name] = listen_locally();
  CHECK(is_local_name(name));
  dial_problem problem;
  auto later = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  auto guest = dial(name, 0, later, problem);
  REQUIRE(guest);
  descriptor host{accept(listener.get(), nullptr, nullptr)};
  REQUIRE(host);
  CHECK(same_user(host.get()));
  CHECK(same_user(guest.get()));
  CHECK_FALSE(dial(name + 'x', 0, later, problem));
  CHECK(problem.text == "Connection refused");
  CHECK(problem.refused);
}

} // namespace introduction_test
