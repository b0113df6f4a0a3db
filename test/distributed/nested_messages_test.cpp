// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Values that are CAF messages from another process: nested, or of unknown
// types.

#include "distributed/two_systems.hpp"

#include "caf_wire.hpp"

#include <caf/deserializer.hpp>
#include <caf/message.hpp>
#include <caf/serializer.hpp>

#include <algorithm>
#include <functional>

namespace value_frames_test {

/// A payload with nested messages.
struct nested {
  int depth = 0;
  std::string innermost; // its alleged types
  caf::message content;
};

/// Writes them as the library does, except for the nested calls.
inline auto inspect(caf::serializer& to, nested& x) {
  return test::inspect_nested(to, x.depth, x.innermost, x.content);
}

inline auto inspect(caf::deserializer& from, nested& x) {
  return test::inspect_nested(from, x.depth, x.innermost, x.content);
}

/// @returns its depth.
inline int depth_of(const caf::message& x) {
  return x.empty() ? 1 : 1 + depth_of(x.get_as<caf::message>(0));
}

} // namespace value_frames_test

namespace nested_messages_test {

namespace {

using namespace std::string_literals;
using value_frames_test::nested;

/// Sends nested messages of a given depth, and harmless ones before.
struct nested_source : rosia::node {
  explicit nested_source(nested x) : last(std::move(x)) {
    // nop
  }

  rosia::output_port<nested> out{this, "out"};

  rosia::task start() {
    for (auto i = 1; i <= 20; ++i) {
      out(i < 20 ? nested{15, "", {}} : last);
      co_await rosia::after(1us);
    }
  }

  nested last;
};

struct nested_sink : rosia::node {
  explicit nested_sink(int& x) : deepest(x) {
    // nop
  }

  rosia::input_port<nested> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      deepest = std::max(deepest, value_frames_test::depth_of(in->content));
    }};

  int& deepest;
};

} // namespace

TEST_CASE("messages that cannot be read abort the application, and the error "
          "names their sender",
          "[frames]") {
  // As deeply nested as permitted, deeper, and deep enough to overflow the
  // stack; of an unknown type; with less content than stated.
  auto example = GENERATE(
    std::pair{nested{200, "", {}}, ""s},
    std::pair{nested{202, "", {}}, "more than 200 deep"s},
    std::pair{nested{200'000, "", {}}, "more than 200 deep"s},
    std::pair{nested{1, "i32+secret", {}}, test::unknown_type},
    std::pair{nested{3, "secret", {}}, test::unknown_type},
    std::pair{nested{1, "i32", {}}, "end_of_stream"s},
    std::pair{nested{3, "message", {}}, "end_of_stream"s});
  auto& last = example.first;
  auto& reason = example.second;
  CAPTURE(last.depth, last.innermost);
  error_capture capture;
  auto deepest = 0;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<nested_source>("source", last);
    auto to = app.create<nested_sink>("sink", std::ref(deepest));
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &nested_source::out, to, &nested_sink::in);
  });
  CHECK(left_status == (reason.empty() ? 0 : 1));
  CHECK(right_status == (reason.empty() ? 0 : 1));
  if (reason.empty())
    CHECK(deepest == last.depth);
  else
    CHECK_THAT(
      capture.text(),
      ContainsSubstring(
        "process 'left' sent a value that cannot be read, for "
        "the connection from 'source.out' to 'sink.in' of type "
        "value_frames_test::nested")
        && ContainsSubstring(reason));
}

} // namespace nested_messages_test
