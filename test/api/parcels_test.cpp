// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What nodes send to another process, little or much at once. The processes are
// actor systems of this one that share nothing.

#include "support.hpp"

#include "free_port.hpp"
#include "system_as_process.hpp"

#include <caf/meta/load_callback.hpp>
#include <caf/meta/save_callback.hpp>

#include <functional>
#include <future>
#include <stdexcept>

namespace parcels_test {

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

} // namespace parcels_test

namespace {

using parcels_test::moody;

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

std::string text_of(int i) {
  return std::string(
    static_cast<std::size_t>(i * 37 % 500), static_cast<char>('a' + i % 26));
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

} // namespace

TEST_CASE("much that is sent at once to another process arrives as it was sent",
          "[parcels]") {
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
          "[parcels]") {
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
