// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_message.hpp"

#include "catch.hpp"
#include "compat/io/wire_frames.hpp"

#include <caf/message_id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace frame_message_test {

using namespace caf::rosia::detail;
using namespace std::string_literals;
using namespace test::wire;

namespace {

message_origin from_somebody(std::uint64_t id = async) {
  static const auto self = node('s');
  return {caf::message_id{id}, true, self};
}

frame_message read(const std::string& bytes) {
  frame_message result;
  REQUIRE(read_message(bytes, result) == "");
  return result;
}

std::string refusal_of(const std::string& bytes) {
  frame_message none;
  return read_message(bytes, none);
}

std::string check_values(std::string_view types, const std::string& content) {
  auto bytes = delivered(message(types, content));
  return caf::rosia::detail::check_values(read(bytes), from_somebody());
}

} // namespace

TEST_CASE("a message may be forwarded", "[frames]") {
  auto bytes = '\1' + actor(4, node('p')) + message("i32+some::type", "...");
  auto x = read(bytes);
  CHECK(x.types == "@i32+some::type");
  CHECK(x.content == "...");
  CHECK(x.has_stages);
  auto unstaged = delivered(message("i32"));
  CHECK_FALSE(read(unstaged).has_stages);
  auto many = std::string(2, '\xff') + '\x7f';
  CHECK(refusal_of(many + "...").find("forwarded by") != std::string::npos);
}

TEST_CASE("bytes that are not a message are refused", "[frames]") {
  for (auto& bytes : {std::string(20, '\xff'), "\0\0\1@<>"s,
                      "\0\0\0"s + text("@i32"), "\0\0\0\xff\xff"s})
    CHECK(refusal_of(bytes) == not_a_message);
}

TEST_CASE("a message is not part of a stream unless it says so", "[frames]") {
  auto bytes = delivered(message("i32"));
  for (auto category : {2ull, 3ull})
    CHECK(check_trusted(read(bytes), from_somebody(category << 60))
            .find("one of a stream")
          != std::string::npos);
  CHECK(check_trusted(read(bytes), from_somebody()) == "");
}

TEST_CASE("actors of this process cannot be linked by another process",
          "[frames]") {
  auto atom = number(std::uint64_t{1});
  auto take = [&](const std::string& content) {
    auto bytes = delivered(message("link+actor", content));
    return check_trusted(read(bytes), from_somebody());
  };
  CHECK(take(atom + actor(3, node('s'))) == links_own_actors);
  CHECK(take("...") == links_own_actors);
  CHECK(take(atom + actor(3, node('p'))) == "");
}

TEST_CASE("messages within messages within messages are refused", "[frames]") {
  auto nested = [](std::string_view type, std::size_t depth) {
    std::string result;
    for (std::size_t i = 0; i < depth; ++i)
      result += message(type);
    return result;
  };
  CHECK(check_values("message", nested("message", 100)) == "");
  for (auto type : {"message", "i32+message", "some::type", "error"})
    CHECK(check_values(type, nested(type, 1000)) == nested_too_deep);
  // A message with many messages that contain none is valid.
  CHECK(check_values("some::list", nested("i32+str", 1000)) == "");
  CHECK(check_values("str", nested("message", 1000)) == "");
  // The types before the nested ones may be long, or have unusual names.
  std::string plain = "@u8";
  while (plain.size() < 5000)
    plain += "+unit";
  for (auto& type : {plain + "+message", "@u8+\xc3\xb6"s})
    CHECK(check_values("some::list", nested(type, 1000)) == nested_too_deep);
  CHECK(check_error(nested("error", 100), nullptr) == "");
  CHECK(check_error(nested("error", 1000), nullptr) == nested_too_deep);
}

} // namespace frame_message_test
