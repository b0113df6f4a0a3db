// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Messages that only a program for CAF 0.17 can send.

#include "distributed/two_systems.hpp"

#include <caf/message.hpp>
#include <caf/serializer.hpp>

#include <functional>

namespace value_frames_test {

/// An empty message, and invalid bytes that CAF reads as a message.
struct no_message {
  caf::message empty;
  caf::message content;
};

inline caf::error inspect(caf::serializer& to, no_message&) {
  std::uint16_t none = 0;
  std::string empty = "@<>";
  if (auto err = to.begin_object(none, empty))
    return err;
  std::string types = "message";
  return to.begin_object(none, types);
}

inline caf::error inspect(caf::deserializer& from, no_message& x) {
  return from(x.empty, x.content);
}

} // namespace value_frames_test

namespace caf0_nested_messages_test {

namespace {

/// A type that CAF does not know.
struct unregistered {
  int number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, unregistered& x) {
  return caf::rosia::inspect_members(f, x, x.number);
}

struct source_of_none : rosia::node {
  rosia::output_port<value_frames_test::no_message> out{this, "out"};

  rosia::task start() {
    out(value_frames_test::no_message{});
    co_await rosia::after(1us);
  }
};

struct sink_of_none : rosia::node {
  rosia::input_port<value_frames_test::no_message> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {
                          // nop
                        }};
};

} // namespace

TEST_CASE("bytes that are not a message abort the application", "[frames]") {
  error_capture capture;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<source_of_none>("source");
    auto to = app.create<sink_of_none>("sink");
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &source_of_none::out, to, &sink_of_none::in);
  });
  CHECK(left_status == 1);
  CHECK(right_status == 1);
  CHECK_THAT(capture.text(), ContainsSubstring("no message"));
}

TEST_CASE("a message with a type unknown to CAF is not treated as an empty one",
          "[frames]") {
  error_capture capture;
  std::vector<std::string> texts;
  auto content = caf::make_message(unregistered{7});
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<message_source>("source", content);
    auto to = app.create<message_sink>("sink", std::ref(texts));
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &message_source::out, to, &message_sink::in);
  });
  CHECK(left_status == 1);
  CHECK(right_status == 1);
  CHECK(texts.empty());
  CHECK_THAT(capture.text(),
             ContainsSubstring("process 'left' cannot write a value for the "
                               "connection from 'source.out' to 'sink.in'"));
}

} // namespace caf0_nested_messages_test
