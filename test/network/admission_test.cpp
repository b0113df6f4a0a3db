// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network/admission.hpp"

#include "catch.hpp"

#include <cstddef>
#include <random>
#include <string>

namespace admission_test {

using caf::rosia::detail::admission;

using side = admission::side;
using state = admission::state;

namespace {

/// Passes one side's data to the other.
void pass(std::string& words, admission& to) {
  while (to.current() == state::open && words.size() >= to.wanted()) {
    auto next = words.substr(0, to.wanted());
    words.erase(0, next.size());
    to.take(next);
  }
}

void talk(admission& x, admission& y) {
  std::string to_x;
  std::string to_y;
  for (auto i = 0; i < 4; ++i) {
    to_y += x.output();
    to_x += y.output();
    pass(to_y, y);
    pass(to_x, x);
  }
}

} // namespace

TEST_CASE("two processes with the same token admit each other", "[admission]") {
  for (std::string token : {"", "secret", "\0with a zero"}) {
    admission server{side::accepts, token};
    admission client{side::connects, token};
    talk(server, client);
    CHECK(server.current() == state::admitted);
    CHECK(client.current() == state::admitted);
    CHECK(server.wanted() == 0);
    CHECK(server.problem().empty());
  }
}

TEST_CASE(
  "a process with a different token is not admitted, and gets the reason",
  "[admission]") {
  for (std::string other : {"", "Secret", "secret ", "secre"}) {
    admission server{side::accepts, "secret"};
    admission client{side::connects, other};
    talk(server, client);
    CHECK(server.current() == state::refused);
    CHECK(client.current() == state::refused);
    CHECK(server.problem() == "the tokens differ (rosia.network.token)");
    CHECK(client.problem() == server.problem());
    CHECK(server.other_token());
    CHECK(client.other_token());
  }
}

TEST_CASE("a process does not admit a peer that only claims to agree",
          "[admission]") {
  admission client{side::connects, "secret"};
  admission other{side::accepts, "unknown"};
  auto first = other.output();
  CHECK(client.take(first) == state::open);
  CHECK(
    client.take('y' + std::string(client.wanted() - 1, 'x')) == state::refused);
}

TEST_CASE("replaying data of an earlier admission fails", "[admission]") {
  admission server{side::accepts, "secret"};
  auto first = server.output();
  CHECK(server.take(first) == state::refused);
  // Data sent to a different process fails as well.
  admission old_server{side::accepts, "secret"};
  admission client{side::connects, "secret"};
  auto hello = client.output();
  old_server.take(hello);
  client.take(old_server.output());
  auto proof = client.output();
  CHECK(old_server.take(proof) == state::admitted);
  admission new_server{side::accepts, "secret"};
  CHECK(new_server.take(hello) == state::open);
  CHECK(new_server.take(proof) == state::refused);
}

TEST_CASE("a token proven on one connection proves nothing on another",
          "[admission]") {
  admission server{side::accepts, "secret", "one connection"};
  admission client{side::connects, "secret", "another connection"};
  talk(server, client);
  CHECK(server.current() == state::refused);
  CHECK(client.current() == state::refused);
}

TEST_CASE("a peer with a different protocol is recognized", "[admission]") {
  admission server{side::accepts, "secret"};
  CHECK(server.take(std::string(server.wanted(), '\0')) == state::refused);
  CHECK(server.problem().find("this version") != std::string::npos);
  CHECK_FALSE(server.other_token());
  CHECK(server.take("more") == state::refused);
}

TEST_CASE("a single wrong bit anywhere prevents the admission", "[admission]") {
  std::mt19937 random{7};
  for (auto i = 0; i < 200; ++i) {
    admission server{side::accepts, "secret"};
    admission client{side::connects, "secret"};
    auto damage = [&](std::string x) {
      x[random() % x.size()] ^= static_cast<char>(1 << random() % 8);
      return x;
    };
    client.take(server.output());
    auto words = client.output();
    auto wrong = damage(words);
    pass(wrong, server);
    CHECK(server.current() == state::refused);
  }
}

} // namespace admission_test
