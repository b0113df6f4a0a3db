// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Valid frames are read back; invalid frames are refused with a reason. The
// bytes may be changed, or arbitrary. ROSIA_FUZZ_VARIANTS is the number of
// variants, ROSIA_FUZZ_SEED the seed.

#include "distributed/frame_codec.hpp"

#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "compat/spawn_detached.hpp"
#include "distributed/packing.hpp"
#include "distributed/process_messages.hpp"
#include "nodes/node_access.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "forger.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/message.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frame_codec_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;
using Catch::Matchers::ContainsSubstring;
using engine::envelope;
using engine::envelope_kind;

namespace {

struct source : node {
  output_port<std::string> texts{this, "texts"};
  output_port<int> numbers{this, "numbers"};
  output_port<caf::message> messages{this, "messages"};
  output_port<std::vector<double>> reals{this, "reals"};
};

struct sink : node {
  sink() {
    node_access::complete(*this, node_type_of<sink>(), nullptr);
    node_access::name(*this, "sink");
  }

  input_port<std::string> texts{this, "texts"};
  input_port<int> numbers{this, "numbers"};
  input_port<caf::message> messages{this, "messages"};
  input_port<std::vector<double>> reals{this, "reals"};
  reaction on_all{this, "on_all", {texts, numbers, messages, reals}, [] {}};
};

struct named_source : source {
  named_source() {
    node_access::complete(*this, node_type_of<named_source>(), nullptr);
    node_access::name(*this, "source");
  }
};

/// Returns a frame as sent.
std::string bytes_of(const value_frame& frame) {
  std::string result;
  frame_pieces pieces{frame};
  for (auto x : pieces.all())
    result += x;
  return result;
}

/// A source in the coordinator's process, and a sink in the process "right".
struct two_processes {
  two_processes() {
    ::test::set_caf_option(cfg, "scheduler.max-threads", 1);
    add_process_messages(cfg);
  }

  /// Returns a frame from source to sink, as received.
  value_frame write(const std::vector<envelope>& batch,
                    const frame_news& news = {}) {
    value_frame result;
    CHECK(there.begin(result, {7, 0, 1}, 1, batch) == "");
    frame_codec::finish(result, news, 3);
    return result;
  }

  std::string read(std::string_view bytes, frame_content& into) {
    return here.read(
      arrived_frame::of(bytes), *caf::rosia::detail::launcher_of(system), into);
  }

  std::string problem_of(std::string_view bytes) {
    frame_content ignored;
    return read(bytes, ignored);
  }

  std::string problem_of(const value_frame& frame) {
    return problem_of(bytes_of(frame));
  }

  caf::actor_system_config cfg;
  caf::actor_system system{cfg};
  named_source from;
  sink to;
  std::vector<std::string> names{"coordinator", "right"};
  node_directory sending{
    {&from, nullptr}, {describe(from), describe(to)}, {0, 1}, names, 0};
  node_directory receiving{
    {nullptr, &to}, {describe(from), describe(to)}, {0, 1}, names, 1};
  engine::topology graph{
    {false, false},
    {{0, 0, 1, 0, {}}, {0, 1, 1, 1, {}}, {0, 2, 1, 2, {}}, {0, 3, 1, 3, {}}},
    [](auto...) { return std::string{}; }};
  frame_codec there{system, sending, graph};
  frame_codec here{system, receiving, graph};
};

template <class T>
envelope value_of(std::uint32_t connection, std::int64_t ns, T x) {
  return {.tag = {ns, 0},
          .connection = connection,
          .content = engine::make_value<T>(std::move(x))};
}

template <class T>
const T& content_of(const envelope& x) {
  REQUIRE(x.content.type() == typeid(T));
  return x.content.get<T>();
}

std::string long_text() {
  return std::string(value_frame::long_text, 'y');
}

/// Returns values of all types, and messages without value.
std::vector<envelope> some_batch() {
  std::vector<envelope> result;
  result.push_back(value_of(0, 10, std::string{"first"}));
  result.push_back(value_of(0, 20, std::string(300, 'x')));
  result.push_back(value_of(1, 20, 7));
  result.back().promise = {30, 2};
  result.push_back({.kind = envelope_kind::done, .connection = 2});
  result.push_back(
    value_of(2, 50, caf::make_message(1, caf::make_message("in it"))));
  result.back().ack_request = true;
  result.push_back(value_of(0, 50, long_text()));
  result.push_back({.kind = envelope_kind::no_more, .connection = 1});
  return result;
}

frame_news some_news() {
  frame_news result;
  result.loop = 2;
  result.view = {{1, 9, {{5, 1}, forever}, {4}, {2, 3}, {{0, {8, 0}}}}};
  result.acks = {{2, 100, false}, {0, 5, true}};
  result.promises = {{0, 1000, {40, 1}}, {1001, 1, forever}};
  result.requests = {{3, 2, {7, 0}}};
  return result;
}

} // namespace

TEST_CASE("a frame is read as it was written", "[frame_codec]") {
  two_processes both;
  auto batch = some_batch();
  auto news = some_news();
  auto frame = bytes_of(both.write(batch, news));
  auto address = frame_codec::address_of(arrived_frame::of(frame));
  REQUIRE(address);
  CHECK(address->session == 7);
  CHECK(address->from == 0);
  CHECK(address->to == 1);
  frame_content content;
  REQUIRE(both.read(frame, content) == "");
  CHECK(content.number == 3);
  CHECK(content.node == 1);
  REQUIRE(content.batch.size() == batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    CAPTURE(i);
    CHECK(content.batch[i].kind == batch[i].kind);
    CHECK(content.batch[i].connection == batch[i].connection);
    CHECK(content.batch[i].tag == batch[i].tag);
    CHECK(content.batch[i].promise == batch[i].promise);
    CHECK(content.batch[i].ack_request == batch[i].ack_request);
    CHECK(bool{content.batch[i].content} == bool{batch[i].content});
  }
  CHECK(content_of<std::string>(content.batch[1]) == std::string(300, 'x'));
  CHECK(content_of<int>(content.batch[2]) == 7);
  CHECK(to_string(content_of<caf::message>(content.batch[4]))
        == to_string(content_of<caf::message>(batch[4])));
  CHECK(content_of<std::string>(content.batch[5]) == long_text());
  CHECK(content.news.loop == 2);
  REQUIRE(content.news.view.size() == 1);
  CHECK(content.news.view[0].lows == news.view[0].lows);
  CHECK(content.news.view[0].received == news.view[0].received);
  REQUIRE(content.news.acks.size() == 2);
  CHECK(content.news.acks[0].executed == 100);
  CHECK(content.news.acks[1].gone);
  REQUIRE(content.news.promises.size() == 2);
  CHECK(content.news.promises[0].first == 0);
  CHECK(content.news.promises[0].count == 1000);
  CHECK(content.news.promises[0].bound == logical_time{40, 1});
  CHECK(content.news.promises[1].bound == forever);
  REQUIRE(content.news.requests.size() == 1);
  CHECK(content.news.requests[0].count == 2);
}

TEST_CASE("bounds are not in batches", "[frame_codec]") {
  two_processes both;
  auto kind = GENERATE(envelope_kind::promise, envelope_kind::bound_request);
  CHECK(both.problem_of(both.write({{.kind = kind}}))
        == "a message of a kind that does not travel");
}

TEST_CASE("a frame arrives as it was sent", "[frame_codec]") {
  two_processes both;
  auto frame = both.write(some_batch());
  auto bytes = bytes_of(frame);
  auto arrived = arrived_frame::of(bytes);
  CHECK(arrived.heads == frame.heads);
  CHECK(arrived.contents == frame.contents);
  REQUIRE(arrived.texts.size() == 1);
  CHECK(arrived.texts.front() == long_text());
  CHECK(both.problem_of(frame) == "");
}

TEST_CASE("real numbers arrive as they were sent", "[frame_codec]") {
  using limits = std::numeric_limits<double>;
  std::vector<double> all{
    limits::infinity(),   -limits::infinity(), limits::quiet_NaN(), -0.0,
    limits::denorm_min(), limits::min() / 3,   limits::max(),       0.1};
  two_processes both;
  frame_content content;
  REQUIRE(
    both.read(bytes_of(both.write({value_of(3, 10, all)})), content) == "");
  REQUIRE(content.batch.size() == 1);
  auto& got = content_of<std::vector<double>>(content.batch[0]);
  REQUIRE(got.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i]);
    CHECK(std::bit_cast<std::uint64_t>(got[i])
          == std::bit_cast<std::uint64_t>(all[i]));
  }
}

TEST_CASE("a frame that is truncated or too long has no address",
          "[frame_codec]") {
  two_processes both;
  for (auto& text : {std::string{"text"}, long_text()}) {
    auto bytes = bytes_of(both.write({value_of(0, 1, text)}));
    for (std::size_t n = 0; n < bytes.size(); ++n)
      if (frame_codec::address_of(
            arrived_frame::of(std::string_view{bytes}.substr(0, n))))
        FAIL_CHECK(n);
    bytes += 'x';
    CHECK_FALSE(frame_codec::address_of(arrived_frame::of(bytes)));
  }
}

TEST_CASE("a frame of impossible sizes has no address", "[frame_codec]") {
  constexpr std::uint64_t sizes[]
    = {0, 1, 5, value_frame::long_text, 0xffffffff, 0x100000000, ~0ull};
  for (auto heads : sizes)
    for (auto contents : sizes)
      for (auto texts : sizes) {
        std::string bytes;
        packer to{bytes};
        to.put(heads);
        to.put(contents);
        to.put(texts);
        for (auto i = 0; i < 3; ++i)
          to.put(value_frame::long_text);
        CHECK_FALSE(frame_codec::address_of(arrived_frame::of(bytes)));
      }
}

TEST_CASE("a value that cannot be written is named by its connection",
          "[frame_codec]") {
  struct unknown {
    int number = 0;
  };
  two_processes both;
  value_frame frame;
  auto problem = both.there.begin(
    frame, {7, 0, 1}, 1,
    {value_of(1, 1, 2), {.tag = {}, .content = engine::make_value<unknown>()}});
  CHECK_THAT(
    problem, ContainsSubstring("cannot write a value for the connection from "
                               "'source.texts' to 'sink.texts' of type "));
}

TEST_CASE("bytes that belong to no value are refused", "[frame_codec]") {
  two_processes both;
  auto frame = both.write(some_batch());
  frame.contents += 'x';
  CHECK(both.problem_of(frame) == "bytes that belong to no value");
  frame = both.write({});
  frame.contents += 'x';
  CHECK(both.problem_of(frame) == "bytes that belong to no value");
  frame = both.write(some_batch());
  frame.heads += '\0';
  CHECK(both.problem_of(frame) == "something that cannot be read");
}

TEST_CASE("long texts are not copied for sending, and are not forged",
          "[frame_codec]") {
  two_processes both;
  std::vector<envelope> batch{value_of(0, 1, long_text())};
  auto frame = both.write(batch);
  CHECK(frame.contents.empty());
  REQUIRE(frame.texts.size() == 1);
  CHECK(&frame.texts.front().get<std::string>()
        == &batch.front().content.get<std::string>());
  // One too many, one too few, and one for a connection of a different type.
  frame.texts.push_back(frame.texts.front());
  CHECK(both.problem_of(frame) == "bytes that belong to no value");
  frame.texts.clear();
  CHECK(both.problem_of(frame) == "something that cannot be read");
  frame = both.write({value_of(1, 1, long_text())});
  CHECK(both.problem_of(frame) == "something that cannot be read");
  // Short texts, which could be too many.
  frame.texts = {engine::make_value<std::string>("short")};
  CHECK(arrived_frame::of(bytes_of(frame)).heads.empty());
}

TEST_CASE("a truncated value is named by its connection", "[frame_codec]") {
  two_processes both;
  auto frame
    = both.write({value_of(1, 1, 2), value_of(0, 2, std::string(9, 'x'))});
  frame.contents.pop_back();
  CHECK_THAT(
    both.problem_of(frame),
    ContainsSubstring("a value that cannot be read, for the connection from "
                      "'source.texts' to 'sink.texts' of type ")
      && ContainsSubstring("end_of_stream"));
}

TEST_CASE("a value of a different type is refused", "[frame_codec]") {
  two_processes both;
  // The sender's second connection starts at its first output.
  engine::topology other{
    {false, false}, {{0, 1, 1, 1, {}}, {0, 0, 1, 0, {}}}, [](auto...) {
      return std::string{};
    }};
  frame_codec wrong{both.system, both.sending, other};
  value_frame frame;
  REQUIRE(wrong.begin(frame, {7, 0, 1}, 1, {value_of(0, 1, 2)}) == "");
  frame_codec::finish(frame, {}, 1);
  CHECK_THAT(
    both.problem_of(frame),
    ContainsSubstring("a value of another type than that of the connection "
                      "from 'source.texts'"));
}

TEST_CASE("forged frames are read or refused", "[frame_codec]") {
  two_processes both;
  auto seed = ::test::fuzz_variable("ROSIA_FUZZ_SEED", 1);
  auto variants = ::test::fuzz_variable("ROSIA_FUZZ_VARIANTS", 300);
  INFO("ROSIA_FUZZ_SEED=" << seed);
  ::test::forger random{seed};
  auto good = both.write(some_batch(), some_news());
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < 10 * variants; ++i) {
    auto frame = good;
    auto& forged = i % 3 == 0 ? frame.heads : frame.contents;
    if (i % 3 != 2)
      forged = random.forge(std::move(forged));
    auto bytes = bytes_of(frame);
    if (i % 3 == 2)
      bytes = random.forge(std::move(bytes));
    frame_codec::address_of(arrived_frame::of(bytes));
    if (!both.problem_of(bytes).empty())
      ++refused;
  }
  CHECK(refused > 0);
}

} // namespace frame_codec_test
