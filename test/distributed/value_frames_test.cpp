// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What nodes send to another process, little or much at once. The processes are
// actor systems of this one that share nothing.

#include "support.hpp"

#include "free_port.hpp"
#include "system_as_process.hpp"

#include "caf/rosia/actor/node_actor.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/deserializer.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/save_callback.hpp>
#include <caf/send.hpp>
#include <caf/serializer.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <stdexcept>

namespace value_frames_test {

/// A payload that cannot always be written, or read.
struct moody {
  enum class mood : int { good, refuses, throws };

  int number = 0;
  mood written = mood::good;
  mood read = mood::good;
};

inline caf::error give_vent_to(moody::mood x) {
  if (x == moody::mood::throws)
    throw std::runtime_error("in a bad mood");
  if (x == moody::mood::refuses)
    return caf::sec::invalid_argument;
  return caf::none;
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, moody& x) {
  return f(x.number, x.read,
           caf::meta::save_callback([&] { return give_vent_to(x.written); }),
           caf::meta::load_callback([&] { return give_vent_to(x.read); }));
}

/// A payload with messages in it, each in the one before.
struct nested {
  int depth = 0;
  std::string innermost = "@<>"; // the types that it is said to have
  caf::message content;
};

/// Writes them as CAF does, but for the calls within calls.
inline caf::error inspect(caf::serializer& to, nested& x) {
  std::uint16_t none = 0;
  for (auto i = 1; i <= x.depth; ++i) {
    std::string types = i < x.depth ? "@<>+@message" : x.innermost;
    if (auto err = to.begin_object(none, types))
      return err;
  }
  return caf::none;
}

inline caf::error inspect(caf::deserializer& from, nested& x) {
  return from(x.content);
}

/// @returns how deep it is.
inline int depth_of(const caf::message& x) {
  return x.empty() ? 1 : 1 + depth_of(x.get_as<caf::message>(0));
}

} // namespace value_frames_test

namespace {

using namespace std::string_literals;
using value_frames_test::moody;
using value_frames_test::nested;

/// Runs an application over two processes, "left" and "right".
/// @returns their statuses.
std::pair<int, int> run_both(
  const std::function<void(rosia::application&)>& build) {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "left", "right", address);
    rosia::application app{sys, opts};
    build(app);
    return app.run();
  };
  auto right = std::async(std::launch::async, run, "right");
  auto left = run("left");
  return {left, right.get()};
}

/// Some are so long that frames share them with nodes.
std::string text_of(int i) {
  auto size = i % 100 == 0 ? 20'000 + i : i * 37 % 500;
  return std::string(
    static_cast<std::size_t>(size), static_cast<char>('a' + i % 26));
}

/// Sends values of three types, several thousand in a row, or one at a time.
struct mixed_source : rosia::node {
  static constexpr int length = 5'000;

  rosia::output_port<int> numbers{this, "numbers"};
  rosia::output_port<std::string> texts{this, "texts"};
  rosia::output_port<std::vector<std::string>> lists{this, "lists"};

  rosia::task start() {
    for (auto i = 0; i < length; ++i) {
      numbers(i);
      if (i % 2 == 0)
        texts(text_of(i));
      if (i % 7 == 0)
        lists(std::vector<std::string>(
          static_cast<std::size_t>(i % 5), text_of(i)));
      co_await rosia::after(1us);
    }
  }
};

struct mixed_sink : rosia::node {
  explicit mixed_sink(int& x) : right(x) {
    // nop
  }

  rosia::input_port<int> numbers{this, "numbers"};
  rosia::input_port<std::string> texts{this, "texts"};
  rosia::input_port<std::vector<std::string>> lists{this, "lists"};

  rosia::reaction on_all{
    this, "on_all", {numbers, texts, lists}, [this] {
      auto ok = *numbers == next && texts.is_present() == (next % 2 == 0)
                && lists.is_present() == (next % 7 == 0);
      ok = ok && (!texts.is_present() || *texts == text_of(next));
      ok = ok
           && (!lists.is_present()
               || *lists
                    == std::vector<std::string>(
                      static_cast<std::size_t>(next % 5), text_of(next)));
      right += ok;
      ++next;
    }};

  int& right;
  int next = 0;
};

/// Sends good values, and one other.
struct moody_source : rosia::node {
  explicit moody_source(const moody& x) : other(x) {
    // nop
  }

  rosia::output_port<moody> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < 1'000; ++i) {
      out(i == other.number ? other : moody{i});
      co_await rosia::after(1us);
    }
  }

  moody other;
};

struct moody_sink : rosia::node {
  rosia::input_port<moody> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

/// Sends one message.
struct message_source : rosia::node {
  explicit message_source(caf::message x) : content(std::move(x)) {
    // nop
  }

  rosia::output_port<caf::message> out{this, "out"};

  rosia::task start() {
    out(content);
    co_await rosia::after(1us);
    out(caf::make_message(1));
  }

  caf::message content;
};

struct message_sink : rosia::node {
  explicit message_sink(std::vector<std::string>& xs) : texts(xs) {
    // nop
  }

  rosia::input_port<caf::message> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { texts.push_back(to_string(*in)); }};

  std::vector<std::string>& texts;
};

/// An actor that takes numbers.
struct listener : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int) {}};
  }
};

/// Sends the handle of an actor of its process, alone and often in a row.
struct handle_source : rosia::node {
  static constexpr int length = 100;

  rosia::output_port<caf::actor> out{this, "out"};

  ~handle_source() override {
    caf::anon_send_exit(home, caf::exit_reason::kill);
  }

  rosia::task start() {
    home = self()->system().spawn<listener>();
    out(home);
    co_await rosia::after(1ms);
    for (auto i = 1; i < length; ++i) {
      out(home);
      co_await rosia::after(1us);
    }
  }

  caf::actor home;
};

struct handle_sink : rosia::node {
  explicit handle_sink(int& x) : right(x) {
    // nop
  }

  rosia::input_port<caf::actor> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          right += *in && in->node() != self()->system().node();
                        }};

  int& right;
};

/// Of which CAF knows nothing.
struct unregistered {
  int number = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, unregistered& x) {
  return f(x.number);
}

/// Sends messages within messages, so deep, and what is harmless before.
struct nested_source : rosia::node {
  explicit nested_source(nested x) : last(std::move(x)) {
    // nop
  }

  rosia::output_port<nested> out{this, "out"};

  rosia::task start() {
    for (auto i = 1; i <= 20; ++i) {
      out(i < 20 ? nested{15, "@<>", {}} : last);
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

TEST_CASE("much that is sent at once to another process arrives as it was sent",
          "[frames]") {
  int right = 0;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<mixed_source>("source");
    auto to = app.create<mixed_sink>("sink", std::ref(right));
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &mixed_source::numbers, to, &mixed_sink::numbers);
    app.connect(from, &mixed_source::texts, to, &mixed_sink::texts);
    app.connect(from, &mixed_source::lists, to, &mixed_sink::lists);
  });
  CHECK(left_status == 0);
  CHECK(right_status == 0);
  CHECK(right == mixed_source::length);
}

TEST_CASE("a value that cannot be written, or read, ends the application by "
          "force",
          "[frames]") {
  auto how = GENERATE(moody::mood::refuses, moody::mood::throws);
  auto number = GENERATE(0, 500, 999);
  auto writing = GENERATE(true, false);
  CAPTURE(static_cast<int>(how), number, writing);
  moody bad{number};
  (writing ? bad.written : bad.read) = how;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<moody_source>("source", bad);
    auto to = app.create<moody_sink>("sink");
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &moody_source::out, to, &moody_sink::in);
  });
  CHECK(left_status == 1);
  CHECK(right_status == 1);
}

TEST_CASE("messages that cannot be read abort the application, and say "
          "where they came from",
          "[frames]") {
  // As deep within each other as may be, deeper, and what would take all of a
  // stack; of an unknown type; with less in them than they say.
  auto example = GENERATE(
    std::pair{nested{200, "@<>", {}}, ""s},
    std::pair{nested{202, "@<>", {}}, "more than 200 deep"s},
    std::pair{nested{200'000, "@<>", {}}, "more than 200 deep"s},
    std::pair{nested{1, "@<>+@i32+secret", {}}, "type 'secret'"s},
    std::pair{nested{3, "@<>+secret", {}}, "type 'secret'"s},
    std::pair{nested{1, "message", {}}, "no message"s},
    std::pair{nested{1, "@<>+@i32", {}}, "end_of_stream"s},
    std::pair{nested{3, "@<>+@message", {}}, "end_of_stream"s});
  auto& last = example.first;
  auto& why = example.second;
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
  CHECK(left_status == (why.empty() ? 0 : 1));
  CHECK(right_status == (why.empty() ? 0 : 1));
  if (why.empty())
    CHECK(deepest == last.depth);
  else
    CHECK_THAT(
      capture.text(),
      ContainsSubstring(
        "process 'left' sent a value that cannot be read, for "
        "the connection from 'source.out' to 'sink.in' of type "
        "value_frames_test::nested")
        && ContainsSubstring(why));
}

TEST_CASE("messages are values as others are", "[frames]") {
  std::vector<std::string> texts;
  auto content = caf::make_message(
    7, caf::make_message("x", caf::message{}), std::vector<std::string>{"y"});
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<message_source>("source", content);
    auto to = app.create<message_sink>("sink", std::ref(texts));
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &message_source::out, to, &message_sink::in);
  });
  CHECK(left_status == 0);
  CHECK(right_status == 0);
  CHECK(texts == std::vector{to_string(content), "(1)"s});
}

TEST_CASE("handles of actors are values as others are", "[frames]") {
  int right = 0;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<handle_source>("source");
    auto to = app.create<handle_sink>("sink", std::ref(right));
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &handle_source::out, to, &handle_sink::in);
  });
  CHECK(left_status == 0);
  CHECK(right_status == 0);
  CHECK(right == handle_source::length);
}

TEST_CASE("a message of a type that CAF does not know is not taken for an "
          "empty one",
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
