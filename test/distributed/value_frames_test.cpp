// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Values sent to another process, a few or many at once. The processes are
// actor systems of this process that share nothing.

#include "distributed/two_systems.hpp"

#include "caf_wire.hpp"

#include "caf/rosia/actor/node_actor.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <stdexcept>

TEST_MESSAGES_BEGIN(value_frames_test)
TEST_MESSAGE(value_frames_test, (std::vector<std::string>))
TEST_MESSAGES_END(value_frames_test)

namespace value_frames_test {

/// A payload that sometimes cannot be written, or read.
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
auto inspect(Inspector& f, moody& x) {
  return test::inspect_calling(
    f, x, [&] { return give_vent_to(x.written); },
    [&] { return give_vent_to(x.read); }, x.number, x.read);
}

struct nothing {};

template <class Inspector>
auto inspect(Inspector& f, nothing& x) {
  return caf::rosia::inspect_members(f, x);
}

} // namespace value_frames_test

namespace {

using namespace std::string_literals;
using value_frames_test::moody;
using value_frames_test::nothing;

/// Returns a text. Some are so long that frames share them with nodes.
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

/// Sends valid values, and one given value.
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

/// Sends a list that is too long, because its elements have no bytes.
struct list_source : rosia::node {
  rosia::output_port<std::vector<nothing>> out{this, "out"};

  rosia::task start() {
    out(std::vector<nothing>(std::size_t{1} << 20));
    co_await rosia::after(1us);
    out(std::vector<nothing>((std::size_t{1} << 20) + 1));
  }
};

struct list_sink : rosia::node {
  rosia::input_port<std::vector<nothing>> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

/// An actor that receives numbers.
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

} // namespace

TEST_CASE("many values sent at once to another process arrive unchanged",
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

TEST_CASE("a value that cannot be written, or read, aborts the application",
          "[frames]") {
  auto mood = GENERATE(moody::mood::refuses, moody::mood::throws);
  auto number = GENERATE(0, 500, 999);
  auto writing = GENERATE(true, false);
  CAPTURE(static_cast<int>(mood), number, writing);
  moody bad{number};
  (writing ? bad.written : bad.read) = mood;
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

TEST_CASE("a value that could not be read is an error of its connection",
          "[frames]") {
  error_capture capture;
  auto [left_status, right_status] = run_both([&](rosia::application& app) {
    auto from = app.create<list_source>("source");
    auto to = app.create<list_sink>("sink");
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &list_source::out, to, &list_sink::in);
  });
  CHECK(left_status == 1);
  CHECK(right_status == 1);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("cannot write a value for the connection from "
                      "'source.out' to 'sink.in'")
      && ContainsSubstring("more than 1048576 elements without bytes"));
}

TEST_CASE("messages can be values", "[frames]") {
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
  auto last = to_string(caf::make_message(1));
  CHECK(texts == std::vector{to_string(content), last});
}

TEST_CASE("handles of actors can be values", "[frames]") {
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
