// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The references between a shutdown and its participants, for any order of
// their ends.

#include "shutdown_support.hpp"

#include <caf/exit_reason.hpp>

#include <optional>
#include <thread>

namespace adoption_test {

namespace {

/// Returns options to give up soon, without waiting for the remaining actors.
shutdown_options impatient() {
  auto result = quiet();
  result.deadline = 10ms;
  result.grace_period = 10ms;
  result.await_system = false;
  return result;
}

/// Adopts an actor, and counts how often it ends.
void adopt(rosia::shutdown& x, const caf::actor& actor,
           std::atomic<int>& ends) {
  rosia::part_options opts;
  opts.post_stop = [&ends] { ++ends; };
  x.adopt(actor, "actor", opts);
}

/// Records the end of an actor.
void note_end(const caf::actor& actor, notebook& notes, std::string name) {
  actor->attach_functor([&notes, name = std::move(name)](const caf::error&) {
    notes.add(name);
  });
}

} // namespace

TEST_CASE("shutdown: an actor may outlive the shutdowns that asked it to end, "
          "in order and aborted",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> ends = 0;
  notebook notes;
  auto hidden = GENERATE(false, true);
  CAPTURE(hidden);
  {
    test_system sys;
    auto actor = sys.get().spawn<stuck_actor>(let_go, is_in);
    caf::anon_send(actor, 1);
    CHECK(eventually([&] { return is_in.load(); }));
    for (auto i = 0; i < 3; ++i) {
      rosia::shutdown x{sys, impatient()};
      x.on_dead_letter([&](const rosia::dead_letter& letter) {
        notes.add(to_string(letter.content));
      });
      if (hidden)
        // Without a notification at its end.
        x.adopt(actor, "actor");
      else
        adopt(x, actor, ends);
      x.begin();
      CHECK(x.wait_for_shutdown() == 129);
    }
    // The pending notification is still delivered.
    caf::anon_send(actor, 2);
    CHECK(ends == 0);
    let_go = true;
  }
  CHECK(ends == (hidden ? 0 : 3));
  // Only the first exit is handled.
  CHECK(notes.lines() == strings{to_string(caf::make_message(2))});
}

TEST_CASE("shutdown: an actor may be adopted several times, also by several "
          "shutdowns that end at the same time",
          "[shutdown]") {
  constexpr auto actors = 200;
  constexpr auto messages = 10;
  std::atomic<int> count = 0;
  std::atomic<int> ends = 0;
  {
    test_system sys;
    rosia::shutdown x{sys, quiet()};
    rosia::shutdown y{sys, quiet()};
    for (auto i = 0; i < actors; ++i) {
      auto actor = sys.get().spawn<counter>(count);
      adopt(x, actor, ends);
      adopt(y, actor, ends);
      adopt(x, actor, ends);
      for (auto j = 0; j < messages; ++j)
        caf::anon_send(actor, j);
    }
    x.begin();
    y.begin();
    CHECK(x.wait_for_shutdown() == 0);
    CHECK(y.wait_for_shutdown() == 0);
    CHECK(x.status().parts.empty());
    CHECK(y.status().parts.empty());
  }
  CHECK(count == actors * messages);
  CHECK(ends == actors * 3);
}

TEST_CASE(
  "shutdown: an actor has ended after all its attached functions have run",
  "[shutdown]") {
  std::atomic<int> count = 0;
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto actor = sys.get().spawn<counter>(count);
  rosia::part_options opts;
  opts.post_stop = [&] { notes.add("ended"); };
  note_end(actor, notes, "1");
  x.adopt(actor, "first", opts);
  note_end(actor, notes, "2");
  note_end(actor, notes, "3");
  x.adopt(actor, "second", opts);
  note_end(actor, notes, "4");
  actor = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  // CAF calls them in the reverse order.
  CHECK(notes.lines() == strings{"4", "3", "2", "1", "ended", "ended"});
}

TEST_CASE("shutdown: an actor may be adopted without a limit", "[shutdown]") {
  constexpr auto times = 100'000;
  std::atomic<int> count = 0;
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto actor = sys.get().spawn<counter>(count);
  note_end(actor, notes, "first");
  for (auto i = 0; i < times; ++i)
    x.adopt(actor, "actor");
  note_end(actor, notes, "last");
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  actor = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"last", "first"});
}

TEST_CASE(
  "shutdown: monitoring and linked actors are notified of an actor's end",
  "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<int> downs = 0;
  std::atomic<int> exits = 0;
  {
    test_system sys;
    rosia::shutdown x{sys, quiet()};
    auto before = sys.get().spawn<counter>(count);
    auto after = sys.get().spawn<counter>(count);
    x.adopt(after, "after");
    auto watcher = sys.get().spawn<scripted>([&](scripted* self) {
      self->set_down_handler([&](caf::down_msg&) { ++downs; });
      self->set_exit_handler([&](caf::exit_msg&) { ++exits; });
      for (auto& actor : {before, after}) {
        self->monitor(actor);
        self->link_to(actor);
      }
      return caf::behavior{[&](int) { ++count; }};
    });
    caf::anon_send(watcher, 1);
    CHECK(eventually([&] { return count == 1; }));
    x.adopt(before, "before");
    before = after = nullptr;
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
    CHECK(eventually([&] { return downs == 2 && exits == 2; }));
    caf::anon_send_exit(watcher, caf::exit_reason::kill);
  }
}

TEST_CASE("shutdown: actors may end by themselves, or without a handle, while "
          "they are asked to",
          "[shutdown]") {
  constexpr auto actors = 2000;
  std::atomic<int> count = 0;
  std::atomic<int> ends = 0;
  test_system sys;
  std::optional<rosia::shutdown> x;
  x.emplace(sys, quiet());
  std::vector<caf::actor> handles;
  for (auto i = 0; i < actors; ++i) {
    handles.push_back(sys.get().spawn<counter>(count));
    if (i % 4 == 0)
      x->adopt(handles.back(), "actor");
    else
      adopt(*x, handles.back(), ends);
  }
  std::thread other{[&] {
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (i % 3 == 0)
        caf::anon_send_exit(handles[i], caf::exit_reason::user_shutdown);
      else if (i % 3 == 1)
        caf::anon_send(handles[i], 1);
      handles[i] = nullptr;
    }
  }};
  x->begin();
  CHECK(x->wait_for_shutdown() == 0);
  x.reset();
  CHECK(ends == actors - actors / 4);
  other.join();
}

TEST_CASE("shutdown: the timeline has actors that ended before it, unless they "
          "ended in order",
          "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<int> ends = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  // CAF destroys it, because it has no handle.
  adopt(x, sys.get().spawn<counter>(count), ends);
  CHECK(eventually([&] { return ends == 1; }));
  auto quitter = sys.get().spawn<counter>(count);
  rosia::part_options opts;
  opts.post_stop = [&ends] { ++ends; };
  x.adopt(quitter, "in order", opts);
  caf::anon_send_exit(quitter, caf::exit_reason::user_shutdown);
  CHECK(eventually([&] { return ends == 2; }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  std::vector<rosia::timeline_entry> actors;
  for (auto& entry : x.timeline())
    if (entry.kind == "actor")
      actors.push_back(entry);
  REQUIRE(actors.size() == 1);
  CHECK(actors[0].name == "actor");
  CHECK(actors[0].phase == "actors");
  CHECK(actors[0].begin == 0ns);
  CHECK(actors[0].end == 0ns);
  CHECK(actors[0].over);
  CHECK_FALSE(actors[0].aborted);
  CHECK_THAT(actors[0].reason, ContainsSubstring("unreachable"));
  CHECK_THAT(to_json(x.timeline()), ContainsSubstring("unreachable"));
  CHECK_THAT(to_svg(x.timeline()), ContainsSubstring("unreachable"));
}

TEST_CASE("shutdown: a parent is asked again after each wait", "[shutdown]") {
  constexpr auto generations = 20;
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto root = sys.get().spawn<counter>(count);
  x.adopt(root, "0");
  std::vector<caf::actor> line{root};
  for (auto i = 1; i < generations; ++i) {
    auto parent = line.back();
    auto child = sys.get().spawn<scripted>([parent, &count](scripted* self) {
      self->attach_functor([parent](const caf::error&) {
        caf::anon_send(parent, 1);
      });
      return caf::behavior{[&count](int) { ++count; }};
    });
    rosia::part_options opts;
    opts.parent = std::to_string(i - 1);
    x.adopt(child, std::to_string(i), opts);
    caf::anon_send(child, 1);
    line.push_back(std::move(child));
  }
  root = nullptr;
  line.clear();
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(x.status().dead_letters == 0);
  // Each child received one message, and sent its parent one.
  CHECK(count == 2 * (generations - 1));
}

} // namespace adoption_test
