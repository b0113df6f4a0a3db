// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_message.hpp"

#include "catch.hpp"
#include "compat/io/wire_frames.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/config_value.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace frame_message_test {

using namespace caf::rosia::detail;
using namespace std::string_literals;
using namespace test::wire;

namespace {

constexpr std::string_view unreadable = "it sent a message that cannot be read";

message_origin from_somebody(caf::actor_system* sys = nullptr) {
  static const auto self = node('s');
  return {caf::message_id{async}, true, self, sys};
}

message_origin from_nobody(caf::actor_system* sys = nullptr) {
  auto result = from_somebody(sys);
  result.has_sender = false;
  return result;
}

frame_message read(const std::string& bytes) {
  frame_message result;
  REQUIRE(read_message(bytes, result) == "");
  return result;
}

template <class T>
std::string written(const T& x) {
  caf::byte_buffer bytes;
  caf::binary_serializer sink{bytes};
  REQUIRE(sink.apply(x));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// CAF can write a message that it could not read safely.
caf::message nested_message(std::size_t depth) {
  auto result = caf::make_message(1);
  for (std::size_t i = 0; i < depth; ++i)
    result = caf::make_message(std::move(result));
  return result;
}

caf::error nested_error(std::size_t depth) {
  caf::error result{caf::sec::runtime_error};
  for (std::size_t i = 0; i < depth; ++i)
    result = caf::make_error(caf::sec::runtime_error, std::move(result));
  return result;
}

caf::config_value nested_list(std::size_t depth) {
  caf::config_value result;
  for (std::size_t i = 0; i < depth; ++i) {
    caf::config_value::list outer;
    outer.push_back(std::move(result));
    result = caf::config_value{std::move(outer)};
  }
  return result;
}

} // namespace

TEST_CASE("a message has the names of its types", "[frames]") {
  auto bytes = message("i32+str+some::type", "...");
  auto x = read(bytes);
  CHECK(x.types == "int32_t+std::string+type 60000");
  CHECK(x.content == "...");
  CHECK(x.whole == bytes);
  CHECK(read(message("")).types.empty());
}

TEST_CASE("bytes that are not a message are refused", "[frames]") {
  frame_message none;
  for (auto& bytes : {""s, "\3"s, "\2\0\1"s, std::string(20, '\xff')})
    CHECK(read_message(bytes, none) != "");
  CHECK(read_message(size(100'000) + "...", none).find("100000 values")
        != std::string::npos);
}

TEST_CASE("actors of this process cannot be linked by another process",
          "[frames]") {
  auto take = [&](const std::string& content) {
    auto bytes = message("link+actor", content);
    return check_trusted(read(bytes), from_somebody());
  };
  CHECK(take(actor(3, node('s'))) == links_own_actors);
  CHECK(take("...") == links_own_actors);
  CHECK(take(actor(3, node('p'))) == "");
}

TEST_CASE("messages within messages within messages are refused", "[frames]") {
  auto take = [](const caf::message& x) {
    auto bytes = written(x);
    return check_values(read(bytes), from_somebody());
  };
  CHECK(take(nested_message(100)) == "");
  CHECK(take(nested_message(1000)) == nested_too_deep);
  CHECK(take(caf::make_message(nested_error(100))) == "");
  CHECK(take(caf::make_message(nested_error(1000))) == nested_too_deep);
  CHECK(check_error(written(nested_error(100)), nullptr) == "");
  CHECK(check_error(written(nested_error(1000)), nullptr) == nested_too_deep);
  // Independent of the values before it.
  CHECK(
    take(caf::make_message(1, "x"s, nested_message(1000))) == nested_too_deep);
}

TEST_CASE("values within values within values are refused", "[frames]") {
  auto take = [](const caf::config_value& x) {
    auto bytes = written(caf::make_message(x));
    return check_values(read(bytes), from_somebody());
  };
  CHECK(take(nested_list(100)) == "");
  CHECK(take(nested_list(2'000)) == nested_too_deep);
}

TEST_CASE("a message without a sender can be read", "[frames]") {
  // CAF replies to the sender that it cannot read a message.
  auto unknown = message("some::type", "...");
  CHECK(check_values(read(unknown), from_somebody()) == "");
  CHECK(check_values(read(unknown), from_nobody()) == unreadable);
  auto cut_off = message("i32+str", "...");
  CHECK(check_values(read(cut_off), from_somebody()) == "");
  CHECK(check_values(read(cut_off), from_nobody()) == unreadable);
  auto whole = written(caf::make_message(1, "text"s));
  CHECK(check_values(read(whole), from_nobody()) == "");
}

TEST_CASE("handles of actors can be read with a system", "[frames]") {
  caf::actor_system_config cfg;
  cfg.load<caf::io::middleman>();
  caf::actor_system sys{cfg};
  auto someone = sys.spawn([](caf::event_based_actor*) {});
  auto bytes = written(caf::make_message(caf::make_message(someone)));
  CHECK(check_values(read(bytes), from_nobody(&sys)) == "");
  CHECK(check_values(read(bytes), from_nobody()) == unreadable);
}

} // namespace frame_message_test
