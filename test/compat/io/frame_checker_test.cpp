// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_checker.hpp"

#include "catch.hpp"
#include "compat/io/wire_frames.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace frame_checker_test {

using caf::rosia::detail::frame_checker;
using namespace std::string_literals;
using namespace test::wire;

namespace {

constexpr std::uint64_t process = 7; // the actor of this process
constexpr std::uint64_t other_actor = 8;

frame to_process(std::string_view types, std::string_view content = "") {
  return {direct, delivered(message(types, content)), async, 3, process};
}

frame to_other(std::string_view types, std::string_view content = "") {
  return {direct, delivered(message(types, content)), async, 3, other_actor};
}

/// A connection between process 's' and process 'p'; 'k' is also known.
class connection {
public:
  explicit connection(bool accepted, bool greeted = true)
    : checker_({1000, node('s'), [] { return process; },
                [](std::string_view x) { return x != node('k'); },
                [](std::string_view x) { return x == node('k'); }}) {
    if (greeted)
      REQUIRE(take(accepted ? frame{handshake, node('p')} : server()) == "");
  }

  static frame server() {
    return {
      answer,
      node('p') + '\1' + text("generic-caf-app") + number(process) + '\0', 4};
  }

  std::string take(const frame& x) {
    auto size = static_cast<std::uint32_t>(x.payload.size());
    auto problem = checker_.check_header(x.header(size));
    if (!problem.empty() || size == 0)
      return problem;
    CHECK(checker_.payload_size() == size);
    return checker_.check_payload(x.payload);
  }

  std::string announce(const frame& x, std::uint32_t size) {
    return checker_.check_header(x.header(size));
  }

  /// Announces a frame of Rosia.
  std::string announce(std::size_t size) const {
    return checker_.check_frame(size);
  }

private:
  frame_checker checker_;
};

bool refuses(const frame& x, std::string_view reason, bool accepted = true) {
  connection c{accepted};
  auto problem = c.take(x);
  INFO(problem);
  CHECK(problem.find(reason) != std::string::npos);
  return !problem.empty();
}

} // namespace

TEST_CASE("frames of processes are accepted", "[frames]") {
  connection x{true};
  // With the flag that selects this connection.
  CHECK(x.take({handshake, node('p'), 0, 0, 0, 2}) == "");
  CHECK(x.take({heartbeat, ""}) == "");
  CHECK(x.take(to_process("rosia::hello", "...")) == "");
  CHECK(x.take(to_process("u32+rosia::final_tag_message", "...")) == "");
  auto reply = to_process("rosia::join_reply", "...");
  reply.data = response;
  CHECK(x.take(reply) == "");
  CHECK(x.take({monitor, node('p') + node('s'), 0, 0, process}) == "");
  CHECK(x.take({down, node('p') + node('s') + "...", 0, 9, 0}) == "");
}

TEST_CASE("messages of programs are accepted", "[frames]") {
  connection x{true};
  CHECK(x.take(to_other("i32+str", "...")) == "");
  CHECK(x.take(to_other("message", message("message", message("i32")))) == "");
  // For one of CAF's actors, which has a name.
  CHECK(x.take({direct, delivered(message("str")), 0, 3, 2, 1}) == "");
  // Programs may have further processes behind the other process.
  CHECK(x.take({routed, node('q') + node('s') + delivered(message("i32")),
                async, 3, other_actor})
        == "");
  CHECK(x.take({monitor, node('q') + node('s'), 0, 0, other_actor}) == "");
}

TEST_CASE("a frame without the fields of its kind is refused", "[frames]") {
  for (std::uint8_t kind = 0; kind < heartbeat; ++kind)
    for (auto accepted : {true, false}) {
      connection x{accepted, false};
      CHECK(x.take({kind, "", 4, 1, 1}) != "");
      connection y{accepted};
      CHECK(y.take({kind, "", 4, 1, 1}) != "");
      CHECK(y.take({kind, "", 0, 0, process}) != "");
    }
  for (int kind = heartbeat + 1; kind < 256; ++kind)
    CHECK(refuses({static_cast<std::uint8_t>(kind), "x"}, "unknown kind"));
  CHECK(refuses({heartbeat, "x"}, "heartbeat with a payload"));
  CHECK(refuses({heartbeat, "", 1}, "heartbeat with a payload"));
  CHECK(refuses({heartbeat, "", 0, 1}, "heartbeat with a payload"));
  CHECK(refuses({heartbeat, "", 0, 0, 1}, "heartbeat with a payload"));
  CHECK(refuses({direct, "x"}, "without a receiver"));
  CHECK(refuses({routed, "x"}, "without a receiver"));
  CHECK(refuses({monitor, "x", 1, 0, 1}, "malformed"));
  CHECK(refuses({down, "x", 0, 0, 0}, "malformed"));
  CHECK(refuses({down, "x", 1, 1, 0}, "malformed"));
  CHECK(refuses({down, "x", 0, 1, 1}, "malformed"));
}

TEST_CASE("a message that is too large is not read at all", "[frames]") {
  connection x{true};
  CHECK(x.announce(to_process("rosia::hello"), 1000) == "");
  auto problem = x.announce(to_process("rosia::hello"), 1001);
  CHECK(problem.find("1001 bytes") != std::string::npos);
  CHECK(problem.find("the limit is 1000 (rosia.network.max_message)")
        != std::string::npos);
  CHECK(x.announce(to_process("rosia::hello"), 0xffffffff) != "");
  CHECK(x.announce(1000) == "");
  CHECK(x.announce(1001) == problem);
  CHECK(x.announce(0xffffffff) != "");
}

TEST_CASE("a connection begins with a handshake", "[frames]") {
  for (auto accepted : {true, false}) {
    connection x{accepted, false};
    CHECK(x.take({heartbeat, ""}).find("before its handshake")
          != std::string::npos);
    CHECK(x.take(to_process("rosia::over_message")).find("before its handshake")
          != std::string::npos);
    CHECK(x.take({monitor, node('p') + node('s'), 0, 0, 1}) != "");
    CHECK(x.announce(1).find("before its handshake") != std::string::npos);
  }
}

TEST_CASE("a handshake is sent once, by the right side", "[frames]") {
  CHECK(refuses(connection::server(), "at the wrong time", true));
  CHECK(refuses(connection::server(), "at the wrong time", false));
  CHECK(refuses({handshake, node('p')}, "at the wrong time", false));
  CHECK(refuses({handshake, node('p'), 0, 1}, "at the wrong time"));
  CHECK(refuses({handshake, node('p'), 0, 0, 1}, "at the wrong time"));
}

TEST_CASE("a process has a unique name", "[frames]") {
  connection x{true, false};
  CHECK(x.take({handshake, node('s')}).find("of this process")
        != std::string::npos);
  CHECK(x.take({handshake, node('k')}).find("another connected process")
        != std::string::npos);
  CHECK(
    x.take({handshake, no_node()}).find("no valid name") != std::string::npos);
  CHECK(x.take({handshake, std::string(node_size, 'x')}) != "");
  CHECK(x.take({handshake, node('p').substr(1)}) != "");
  CHECK(x.take({handshake, node('p') + 'x'}) != "");
  CHECK(refuses({handshake, node('q')}, "different names"));
  CHECK(refuses({handshake, std::string(10'000, 'x')}, "10000 bytes"));
  auto half = connection::server();
  half.payload.resize(node_size + 13);
  connection y{false, false};
  CHECK(y.take(half) != "");
}

TEST_CASE("a process may only send in its own name", "[frames]") {
  for (auto name : {'s', 'k'}) {
    auto names = node(name) + node('s');
    CHECK(refuses({monitor, names, 0, 0, process}, "in the name"));
    CHECK(refuses({down, names + "...", 0, 9, 0}, "in the name"));
    CHECK(refuses(
      {routed, names + delivered(message("i32")), async, 3, other_actor},
      "in the name"));
  }
  CHECK(refuses({monitor, node('p'), 0, 0, process}, "names neither"));
  CHECK(refuses({down, "...", 0, 9, 0}, "names neither"));
  CHECK(refuses({routed, "...", async, 3, other_actor}, "names neither"));
}

TEST_CASE("messages between processes must not be forwarded", "[frames]") {
  CHECK(refuses(
    {routed, node('q') + node('s') + delivered(message("rosia::hello")), async,
     3, process},
    "forwarded"));
}

TEST_CASE("a process receives messages between processes", "[frames]") {
  for (auto type :
       {"exit", "down", "link", "str", "rosia::join_reply",
        "rosia::hello+rosia::hello", "u32+rosia::hello", "u32", "",
        "rosia::frame", "rosia::child_ended"})
    CHECK(refuses(to_process(type), "do not send each other"));
  auto reply = to_process("rosia::over_message");
  reply.data = response;
  CHECK(refuses(reply, "do not send each other"));
  for (auto category : {2ull, 3ull}) {
    auto stream = to_process("rosia::over_message");
    stream.data = category << 60;
    CHECK(refuses(stream, "do not send each other"));
  }
}

TEST_CASE("every frame gets a verdict, whatever it contains", "[frames]") {
  std::mt19937_64 random{11};
  auto whole = frame{
    routed,
    node('q') + node('s') + delivered(message("message", message("i32+str"))),
    async, 3, other_actor};
  for (auto i = 0; i < 20'000; ++i) {
    connection x{random() % 2 == 0, random() % 4 != 0};
    auto y = whole;
    y.operation = static_cast<std::uint8_t>(random() % 8);
    for (auto n = random() % 6; n > 0; --n)
      y.payload[random() % y.payload.size()] = static_cast<char>(random());
    y.payload.resize(random() % (y.payload.size() + 1));
    if (random() % 2 == 0)
      y.data = random();
    static_cast<void>(x.take(y));
  }
}

} // namespace frame_checker_test
