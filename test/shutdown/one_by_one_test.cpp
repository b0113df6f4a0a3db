// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Functions of a phase that run one after the other, as destructors do.

#include "shutdown_support.hpp"

#include <memory>

namespace one_by_one_test {

namespace {

rosia::phase_options one_by_one(std::chrono::nanoseconds timeout = 60s) {
  rosia::phase_options result;
  result.after = {"actors"};
  result.timeout = timeout;
  result.one_by_one = true;
  return result;
}

} // namespace

TEST_CASE(
  "shutdown: functions run one by one, in the reverse order of their addition",
  "[shutdown]") {
  notebook notes;
  std::atomic<int> at_once = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto add = [&](const std::string& name) {
    return x.on("final", name, [&notes, &at_once, name](auto&) {
      CHECK(++at_once == 1);
      notes.add(name);
      --at_once;
    });
  };
  add("open");
  auto removed = add("removed");
  x.phase("final", one_by_one());
  add("connect");
  add("log in");
  CHECK(x.remove(removed));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"log in", "connect", "open"});
  auto times = x.timeline();
  strings names;
  for (auto& entry : times)
    if (entry.kind == "action")
      names.push_back(entry.name);
  CHECK(names == strings{"open", "connect", "log in"});
  CHECK(times.back().begin <= times[times.size() - 2].begin);
}

TEST_CASE("shutdown: one by one, a failure does not prevent the next function",
          "[shutdown]") {
  auto recover = GENERATE(true, false);
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto opts = one_by_one();
  opts.recover = recover;
  x.phase("final", opts);
  opts = {};
  opts.after = {"final"};
  x.phase("later", opts);
  x.on("later", "later", [&](auto&) { notes.add("later"); });
  x.on("final", "first", [&](auto&) { notes.add("first"); });
  x.on("final", "second", [](auto&) { throw std::runtime_error("no"); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 1);
  CHECK(
    notes.lines() == (recover ? strings{"first", "later"} : strings{"first"}));
}

TEST_CASE("shutdown: one by one, the report names the function for which the "
          "rest waits",
          "[shutdown]") {
  std::atomic<bool> is_in = false;
  std::atomic<bool> let_go = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.phase("final", one_by_one());
  x.on("final", "first", [](auto&) {});
  x.on("final", "second", [&](auto&) {
    is_in = true;
    eventually([&] { return let_go.load(); });
  });
  CHECK(to_string(x.status().parts.at(0))
        == "action 'first': comes in phase 'final'");
  x.begin();
  CHECK(eventually([&] { return is_in.load(); }));
  auto report = x.status();
  REQUIRE(report.parts.size() == 2);
  CHECK_THAT(to_string(report.parts[0]),
             ContainsSubstring("action 'first': waits for 'second' since "));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: one by one, no more functions begin after a timeout or an "
          "abort",
          "[shutdown]") {
  auto aborted = GENERATE(true, false);
  error_capture capture;
  notebook notes;
  std::atomic<bool> is_in = false;
  std::atomic<bool> let_go = false;
  auto held = std::make_shared<int>(1);
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "error";
    rosia::shutdown x{sys, opts};
    x.phase("final", one_by_one(aborted ? 60'000ms : 10ms));
    auto later = one_by_one();
    later.after = {"final"};
    x.phase("later", later);
    x.on("final", "first", [&notes, held](auto&) { notes.add("first"); });
    x.on("final", "second", [&](auto&) {
      is_in = true;
      eventually([&] { return let_go.load(); });
    });
    x.on("later", "let go", [&](auto&) { let_go = true; });
    x.begin();
    if (aborted) {
      CHECK(eventually([&] { return is_in.load(); }));
      x.abort(3);
      CHECK(eventually([&] { return x.status().stage == "aborted"; }));
      let_go = true;
    }
    CHECK(x.wait_for_shutdown() == (aborted ? 3 : 129));
    auto report = x.status();
    REQUIRE(report.parts.size() == 1);
    CHECK_THAT(
      to_string(report.parts[0]),
      ContainsSubstring("action 'first': failed: it was not called, because "));
  }
  CHECK(notes.lines().empty());
  CHECK(held.use_count() == 1);
  if (!aborted)
    CHECK_THAT(capture.text(),
               ContainsSubstring("action 'second': was asked to end")
                 && ContainsSubstring("action 'first': waits for 'second'"));
}

TEST_CASE("shutdown: one by one, a function may add functions to later phases",
          "[shutdown]") {
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.phase("final", one_by_one());
  auto later = one_by_one();
  later.after = {"final"};
  x.phase("later", later);
  for (std::string name : {"a", "b"})
    x.on("final", name, [&, name](auto&) {
      CHECK_THROWS_AS(x.on("final", "late", {}), std::logic_error);
      x.on("later", name, [&notes, name](auto&) { notes.add(name); });
    });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"a", "b"});
}

} // namespace one_by_one_test
