// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_checker.hpp"

#include "catch.hpp"

#include <caf/atom.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

using caf::rosia::detail::frame_checker;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t process = 7; // the actor of this one
constexpr std::uint64_t other_actor = 8;
constexpr std::uint64_t async = 1ull << 60;
constexpr std::uint64_t response = 1ull << 63 | async | 5;

// Operations
constexpr std::uint8_t answer = 0;
constexpr std::uint8_t handshake = 1;
constexpr std::uint8_t direct = 2;
constexpr std::uint8_t routed = 3;
constexpr std::uint8_t monitor = 4;
constexpr std::uint8_t down = 5;
constexpr std::uint8_t heartbeat = 6;

template <class T>
std::string number(T x) {
  std::string result;
  for (auto i = sizeof(T); i-- > 0;)
    result += static_cast<char>(x >> (8 * i));
  return result;
}

std::string node(char name) {
  return number(static_cast<std::uint64_t>(caf::atom("default")))
         + std::string(24, name);
}

std::string text(std::string_view x) {
  std::string result;
  auto size = x.size();
  for (; size > 0x7f; size >>= 7)
    result += static_cast<char>(size | 0x80);
  return result + static_cast<char>(size) + std::string{x};
}

std::string message(std::string_view types, std::string_view content = "") {
  return number(std::uint16_t{0}) + text("@<>+" + std::string{types})
         + std::string{content};
}

struct frame {
  std::uint8_t what;
  std::string payload;
  std::uint64_t data = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint8_t flags = 0;

  std::string header(std::uint32_t size) const {
    return number(what) + std::string(2, '\0') + number(flags) + number(size)
           + number(data) + number(source) + number(target);
  }
};

frame to_process(std::string_view types, std::string_view content = "") {
  return {direct, '\0' + message(types, content), async, 3, process};
}

frame to_other(std::string_view types, std::string_view content = "") {
  return {direct, '\0' + message(types, content), async, 3, other_actor};
}

/// One connection of process 's' with process 'p'; 'k' is known, too.
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

  /// A frame of Rosia's.
  std::string announce(std::size_t size) const {
    return checker_.check_frame(size);
  }

private:
  frame_checker checker_;
};

bool refuses(const frame& x, std::string_view why, bool accepted = true) {
  connection c{accepted};
  auto problem = c.take(x);
  INFO(problem);
  CHECK(problem.find(why) != std::string::npos);
  return !problem.empty();
}

} // namespace

TEST_CASE("frames of processes go through", "[frames]") {
  connection x{true};
  // With the flag that selects this connection.
  CHECK(x.take({handshake, node('p'), 0, 0, 0, 2}) == "");
  CHECK(x.take({heartbeat, ""}) == "");
  CHECK(x.take(to_process("rosia::hello", "...")) == "");
  CHECK(x.take(to_process("@u32+rosia::shutdown_message", "...")) == "");
  auto reply = to_process("rosia::join_reply", "...");
  reply.data = response;
  CHECK(x.take(reply) == "");
  CHECK(x.take({monitor, node('p') + node('s'), 0, 0, process}) == "");
  CHECK(x.take({down, node('p') + node('s') + "...", 0, 9, 0}) == "");
}

TEST_CASE("messages of programs go through", "[frames]") {
  connection x{true};
  CHECK(x.take(to_other("@i32+@str", "...")) == "");
  CHECK(
    x.take(to_other("@message", message("@message", message("@i32")))) == "");
  CHECK(x.take({direct, '\0' + message("@atom+@atom+@str"), 0, 3,
                static_cast<std::uint64_t>(caf::atom("SpawnServ")), 1})
        == "");
  auto stages = '\1' + number(std::uint64_t{4}) + node('p') + message("@i32");
  CHECK(x.take({direct, stages, async, 3, other_actor}) == "");
  CHECK(x.take(to_other(
          "@atom+@strong_actor_ptr",
          number(std::uint64_t{1}) + number(std::uint64_t{3}) + node('p')))
        == "");
  // Programs may have processes of their own behind that one.
  CHECK(x.take({routed, node('q') + node('s') + '\0' + message("@i32"), async,
                3, other_actor})
        == "");
  CHECK(x.take({monitor, node('q') + node('s'), 0, 0, other_actor}) == "");
}

TEST_CASE("a frame without what its kind needs is refused", "[frames]") {
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

TEST_CASE("nothing is read of a message that is too large", "[frames]") {
  connection x{true};
  CHECK(x.announce(to_process("rosia::hello"), 1000) == "");
  auto problem = x.announce(to_process("rosia::hello"), 1001);
  CHECK(problem.find("1001 bytes") != std::string::npos);
  CHECK(
    problem.find("the limit is 1000 (rosia.max_message)") != std::string::npos);
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

TEST_CASE("a handshake comes from who has to send it, once", "[frames]") {
  CHECK(refuses(connection::server(), "at the wrong time", true));
  CHECK(refuses(connection::server(), "at the wrong time", false));
  CHECK(refuses({handshake, node('p')}, "at the wrong time", false));
  CHECK(refuses({handshake, node('p'), 0, 1}, "at the wrong time"));
  CHECK(refuses({handshake, node('p'), 0, 0, 1}, "at the wrong time"));
}

TEST_CASE("a process has one name of its own", "[frames]") {
  connection x{true, false};
  CHECK(x.take({handshake, node('s')}).find("of this process")
        != std::string::npos);
  CHECK(x.take({handshake, node('k')}).find("another connected process")
        != std::string::npos);
  auto nobody = number(static_cast<std::uint64_t>(caf::atom("")));
  CHECK(x.take({handshake, nobody}).find("no valid name") != std::string::npos);
  CHECK(x.take({handshake, std::string(32, 'x')}) != "");
  CHECK(x.take({handshake, node('p').substr(1)}) != "");
  CHECK(x.take({handshake, node('p') + 'x'}) != "");
  CHECK(refuses({handshake, node('q')}, "different names"));
  CHECK(refuses({handshake, std::string(10'000, 'x')}, "10000 bytes"));
  auto half = connection::server();
  half.payload.resize(45);
  connection y{false, false};
  CHECK(y.take(half) != "");
}

TEST_CASE("a process speaks for itself", "[frames]") {
  for (auto name : {'s', 'k'}) {
    auto names = node(name) + node('s');
    CHECK(refuses({monitor, names, 0, 0, process}, "in the name"));
    CHECK(refuses({down, names + "...", 0, 9, 0}, "in the name"));
    CHECK(refuses(
      {routed, names + '\0' + message("@i32"), async, 3, other_actor},
      "in the name"));
  }
  CHECK(refuses({monitor, node('p'), 0, 0, process}, "names neither"));
  CHECK(refuses({down, "...", 0, 9, 0}, "names neither"));
  CHECK(refuses({routed, "...", async, 3, other_actor}, "names neither"));
}

TEST_CASE("nobody passes on what processes send each other", "[frames]") {
  CHECK(refuses({routed, node('q') + node('s') + '\0' + message("rosia::hello"),
                 async, 3, process},
                "forwarded"));
}

TEST_CASE("a process hears what processes send each other", "[frames]") {
  for (auto type :
       {"@exit", "@down", "@atom", "@str", "rosia::join_reply",
        "rosia::hello+rosia::hello", "", "+rosia::hello", "rosia::frame",
        "caf::rosia::child_ended"})
    CHECK(refuses(to_process(type), "do not send each other"));
  auto reply = to_process("rosia::over_message");
  reply.data = response;
  CHECK(refuses(reply, "do not send each other"));
  for (auto category : {2ull, 3ull}) {
    auto stream = to_process("rosia::over_message");
    stream.data = category << 60;
    CHECK(refuses(stream, "do not send each other"));
  }
  auto by_others = to_process("rosia::hello");
  by_others.payload
    = '\1' + number(std::uint64_t{4}) + node('p') + by_others.payload.substr(1);
  CHECK(refuses(by_others, "do not send each other"));
}

TEST_CASE("what CAF would take for something else is refused", "[frames]") {
  for (auto category : {2ull, 3ull}) {
    auto stream = to_other("@i32");
    stream.data = category << 60;
    CHECK(refuses(stream, "one of a stream"));
  }
  auto self = number(std::uint64_t{1}) + number(std::uint64_t{3}) + node('s');
  CHECK(refuses(to_other("@atom+@strong_actor_ptr", self), "link"));
  CHECK(refuses(to_other("@atom+@strong_actor_ptr", "..."), "link"));
  auto many = std::string(2, '\xff') + '\x7f';
  CHECK(refuses({direct, many + "...", async, 3, other_actor}, "forwarded by"));
  CHECK(refuses(
    {direct, std::string(20, '\xff'), async, 3, other_actor}, "not a message"));
  CHECK(
    refuses({direct, "\0\0\1@<>"s, async, 3, other_actor}, "not a message"));
  CHECK(refuses({direct, "\0\0\0"s + text("@i32"), async, 3, other_actor},
                "not a message"));
  CHECK(refuses(
    {direct, "\0\0\0\xff\xff"s, async, 3, other_actor}, "not a message"));
}

TEST_CASE("messages within messages within messages are refused", "[frames]") {
  auto nested = [](std::string_view type, std::size_t depth) {
    std::string result;
    for (std::size_t i = 0; i < depth; ++i)
      result += message(type);
    return result;
  };
  frame_checker checker{
    {1 << 24, node('s'), [] { return process; }, [](auto) { return true; },
     [](auto) { return false; }}};
  auto take = [&](const frame& x) {
    REQUIRE(checker.check_header(
              x.header(static_cast<std::uint32_t>(x.payload.size())))
            == "");
    return checker.check_payload(x.payload);
  };
  CHECK(take({handshake, node('p')}) == "");
  CHECK(take(to_other("@message", nested("@message", 100))) == "");
  for (auto type : {"@message", "@i32+@message", "some::type", "@error"})
    CHECK(take(to_other(type, nested(type, 1000))).find("nested")
          != std::string::npos);
  // Many that contain none are no danger.
  CHECK(take(to_other("some::list", nested("@i32+@str", 1000))) == "");
  CHECK(take(to_other("@str", nested("@message", 1000))) == "");
  // What is in front of the others may be long, or have an unusual name.
  std::string plain = "@u8";
  while (plain.size() < 5000)
    plain += "+@unit";
  for (auto& type : {plain + "+@message", "@u8+\xc3\xb6"s})
    CHECK(take(to_other("some::list", nested(type, 1000))).find("nested")
          != std::string::npos);
  // An error that is a reply has a message in it.
  auto reply = to_process("@error", nested("@error", 100));
  reply.data = response;
  CHECK(take(reply) == "");
  reply = to_process("@error", nested("@error", 1000));
  reply.data = response;
  CHECK(take(reply).find("nested") != std::string::npos);
}

TEST_CASE("whatever comes, a frame is judged", "[frames]") {
  std::mt19937_64 random{11};
  auto whole = frame{
    routed,
    node('q') + node('s') + '\0' + message("@message", message("@i32+@str")),
    async, 3, other_actor};
  for (auto i = 0; i < 20'000; ++i) {
    connection x{random() % 2 == 0, random() % 4 != 0};
    auto y = whole;
    y.what = static_cast<std::uint8_t>(random() % 8);
    for (auto n = random() % 6; n > 0; --n)
      y.payload[random() % y.payload.size()] = static_cast<char>(random());
    y.payload.resize(random() % (y.payload.size() + 1));
    if (random() % 2 == 0)
      y.data = random();
    static_cast<void>(x.take(y));
  }
}
