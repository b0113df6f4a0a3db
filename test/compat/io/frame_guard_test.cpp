// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_guard.hpp"

#include "catch.hpp"
#include "compat/io/wire_frames.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/middleman.hpp>
#include <caf/message.hpp>
#include <caf/node_id.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace frame_guard_test {

using caf::io::basp::header;
using caf::io::basp::message_type;
using caf::rosia::detail::frame_guard;
using caf::rosia::detail::frame_rules;
using caf::rosia::detail::make_frame_guards;
using caf::rosia::detail::stream_guard;
using test::wire::delivered;
using test::wire::type_name;
using test::wire::written;

namespace {

struct io_config : caf::actor_system_config {
  io_config() {
    load<caf::io::middleman>();
  }
};

struct system_of_its_own {
  io_config config;
  caf::actor_system system{config};
};

std::string check(stream_guard& x, const std::string& bytes) {
  return x.check(std::as_bytes(std::span{bytes}));
}

/// @param peer the system whose handshake is written.
std::string greet(stream_guard& x, caf::actor_system& peer) {
  auto payload = written(peer, peer.node());
  header head{
    message_type::client_handshake,
    0,
    static_cast<std::uint32_t>(payload.size()),
    0,
    0,
    0};
  auto problem = check(x, written(peer, head));
  return problem.empty() ? check(x, payload) : problem;
}

} // namespace

TEST_CASE("a guard accepts what CAF writes", "[frames]") {
  system_of_its_own here;
  system_of_its_own there;
  auto rules = std::make_shared<frame_rules>(here.system, 1000);
  auto guard = make_frame_guards(rules)();
  CHECK(greet(*guard, there.system) == "");
  header heartbeat{message_type::heartbeat, 0, 0, 0, 0, 0};
  CHECK(check(*guard, written(there.system, heartbeat)) == "");
  auto message = delivered(written(there.system, caf::make_message(7)));
  header head{
    message_type::direct_message,
    0,
    static_cast<std::uint32_t>(message.size()),
    caf::make_message_id().integer_value(),
    3,
    4};
  CHECK(check(*guard, written(there.system, head)) == "");
  CHECK(check(*guard, message) == "");
  rules->actor(4);
  CHECK(check(*guard, written(there.system, head)) == "");
  CHECK(check(*guard, message).find(type_name("i32")) != std::string::npos);
}

TEST_CASE("a name belongs to one connection as long as the connection exists",
          "[frames]") {
  system_of_its_own here;
  system_of_its_own there;
  auto rules = std::make_shared<frame_rules>(here.system, 1000);
  auto factory = make_frame_guards(rules);
  auto first = factory();
  CHECK(greet(*first, there.system) == "");
  // CAF sends it twice.
  CHECK(greet(*first, there.system) == "");
  CHECK(greet(*factory(), there.system) != "");
  CHECK(greet(*factory(), here.system) != "");
  first = nullptr;
  CHECK(greet(*factory(), there.system) == "");
}

} // namespace frame_guard_test
