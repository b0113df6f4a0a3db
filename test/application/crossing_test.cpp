// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Coincidences of two ways to end an application. The tests do not depend on
// the speed of the machine: steps of other nodes are awaited in the trace, and
// short deadlines are set only where the test waits for them.

#include "support.hpp"

#include "application/application_access.hpp"
#include "base/signal_watch.hpp"
#include "distinct_signals.hpp"

#include <memory>

#include <sys/eventfd.h>

namespace crossing_test {

using rosia::after;
using rosia::task;

namespace {

/// A node that observes the progress of the end. Created last: the coordinator
/// informs nodes in the order of creation, so when the witness has a message,
/// it is in every other mailbox.
class witness {
public:
  explicit witness(rosia::application& app)
    : seen_(std::make_shared<state>()),
      bell_(app.create<doorbell>(seen_->name)) {
    rosia::detail::application_access::trace(
      app, [seen = seen_](std::string_view x) { seen->read(x); });
  }

  doorbell& bell() const {
    return *bell_;
  }

  // -- waiting ----------------------------------------------------------------

  /// Waits until it was asked this number of times.
  bool asked(int times = 1) const {
    return eventually([&] { return seen_->asked >= times; });
  }

  /// Waits until it received this number of final tags.
  bool told_final(int times = 1) const {
    return eventually([&] { return seen_->told >= times; });
  }

  bool has_shut_down() const {
    return eventually([&] { return seen_->shut_down.load(); });
  }

  // -- after the run ----------------------------------------------------------

  /// Returns the final tags in the order in which they were fixed.
  std::vector<logical_time> finals() const {
    std::vector<logical_time> result;
    auto& text = seen_->trace;
    auto prefix = std::string{R"("event":"final","tag":[)"};
    for (auto i = text.find(prefix); i != text.npos;
         i = text.find(prefix, i + 1)) {
      char* end = nullptr;
      auto ns = std::strtoll(text.c_str() + i + prefix.size(), &end, 10);
      auto step = std::strtoul(end + 1, nullptr, 10);
      result.push_back({ns, static_cast<std::uint32_t>(step)});
    }
    return result;
  }

  /// Returns how node `name` ended: done, final or aborted; empty if it did
  /// not.
  std::string ending_of(const std::string& name) const {
    auto& text = seen_->trace;
    auto line = text.find(R"("event":"shutdown","node":")" + name + R"(")");
    if (line == std::string::npos)
      return {};
    auto begin = text.find(R"("how":")", line) + 7;
    return text.substr(begin, text.find('"', begin) - begin);
  }

private:
  struct state {
    /// Longer than the trace's buffer, so that the witness's events are written
    /// at once.
    std::string name = std::string(100'000, 'w');

    void read(std::string_view x) {
      auto count = [&](const char* event) {
        auto prefix = R"("event":")" + std::string{event} + R"(","node":"ww)";
        auto result = 0;
        for (auto i = x.find(prefix); i != x.npos; i = x.find(prefix, i + 1))
          ++result;
        return result;
      };
      trace += x;
      asked += count("asked");
      told += count("final_taken");
      if (count("shutdown") > 0)
        shut_down = true;
    }

    std::string trace;
    std::atomic<int> asked = 0;
    std::atomic<int> told = 0;
    std::atomic<bool> shut_down = false;
  };

  std::shared_ptr<state> seen_;
  rosia::node_ref<doorbell> bell_;
};

/// Pointers to nodes that are created later.
struct view {
  std::unique_ptr<witness> see;
};

/// Runs a function as its `start()`, and counts its `shutdown()`.
struct player : rosia::node {
  explicit player(std::function<task(player&)> fun) : code(std::move(fun)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  task start() {
    return code(*this);
  }

  void shutdown() {
    ++shutdowns;
    at_shutdown = now();
  }

  std::function<task(player&)> code;
  int shutdowns = 0;
  logical_time at_shutdown = rosia::never;
};

/// A thread that the destructor joins.
class helper {
public:
  template <class Fun>
  explicit helper(Fun fun) : thread_(std::move(fun)) {
    // nop
  }

  ~helper() {
    thread_.join();
  }

private:
  std::thread thread_;
};

rosia::options patient() {
  auto result = fast();
  result.grace_period = 10min;
  result.negotiation_timeout = 10min;
  return result;
}

} // namespace

// -- ends by itself -----------------------------------------------------------

TEST_CASE(
  "a node that ends by itself during the negotiation counts as answered",
  "[crossing]") {
  // The question is still in the mailbox, or the node has answered already.
  auto unread = GENERATE(true, false);
  test_system sys{GENERATE(2u, 4u)};
  rosia::application app{sys, patient()};
  view all;
  std::atomic<bool> inside = false;
  auto leaver = app.create<player>("leaver", [&](player&) -> task {
    if (unread)
      co_await after(1ns);
    inside = true;
    all.see->asked();
  });
  auto other = app.create<recorder<int>>("other");
  all.see = std::make_unique<witness>(app);
  auto& bell = all.see->bell();
  app.connect(leaver, &player::out, other, &recorder<int>::in);
  {
    helper requester{[&] {
      eventually([&] { return inside.load(); });
      bell.ring.schedule(-1);
    }};
    CHECK(app.run() == 0);
  }
  // After its answer, the node may receive the final tag first.
  auto outcome = all.see->ending_of("leaver");
  CHECK((outcome == "done" || (!unread && outcome == "final")));
  CHECK(leaver->shutdowns == 1);
  CHECK(other->shutdowns == 1);
  CHECK(bell.shutdowns == 1);
}

TEST_CASE("all nodes end by themselves while they are asked", "[crossing]") {
  test_system sys{GENERATE(2u, 4u)};
  for (auto i = 0; i < 50; ++i) {
    rosia::application app{sys, patient()};
    std::vector<rosia::node_ref<player>> nodes;
    for (auto k = 0; k < 8; ++k)
      nodes.push_back(
        app.create<player>("n" + std::to_string(k), [k](player& self) -> task {
          self.request_shutdown(k * 1ns, k);
          co_return;
        }));
    auto status = app.run();
    CHECK(status >= 1);
    CHECK(status < 8);
    for (auto& x : nodes)
      CHECK(x->shutdowns == 1);
  }
}

// -- a second request ---------------------------------------------------------

namespace {

struct two_requests {
  std::chrono::nanoseconds first;
  int first_status;
  std::chrono::nanoseconds second;
  int second_status;
  std::vector<logical_time> finals;
  int status;
};

/// Makes the second request while the first one is negotiated.
std::string run_two(std::size_t workers, const two_requests& x) {
  error_capture capture;
  {
    test_system sys{workers};
    rosia::application app{sys, with_log(patient())};
    view all;
    std::atomic<bool> made = false;
    auto requester = app.create<player>("requester", [&](player& self) -> task {
      self.request_shutdown(x.first, x.first_status);
      self.request_shutdown(x.second, x.second_status);
      made = true;
      co_return;
    });
    auto holder = app.create<player>("holder", [&](player&) -> task {
      // The question is in its mailbox when start() ends, so its answer is the
      // first proposal.
      eventually([&] { return made.load(); });
      all.see->asked();
      co_await after(10ms);
      // In the second round the question is here.
      all.see->asked(static_cast<int>(x.finals.size()));
      co_await after(1h);
    });
    all.see = std::make_unique<witness>(app);
    CHECK(app.run() == x.status);
    CHECK(all.see->finals() == x.finals);
    CHECK(holder->at_shutdown == at(10ms));
    CHECK(holder->shutdowns == 1);
    CHECK(requester->shutdowns == 1);
    CHECK(all.see->ending_of("holder") == "final");
  }
  return capture.text();
}

constexpr auto changes_nothing
  = "a request to end at tag 20ms changes nothing: the application ends at tag "
    "10ms already";

} // namespace

TEST_CASE("a second request during the negotiation for an earlier tag lowers "
          "the final tag",
          "[crossing]") {
  auto workers = GENERATE(2u, 4u);
  auto log = run_two(workers, {20ms, 0, 10ms, 0, {at(20ms), at(10ms)}, 0});
  CHECK_THAT(log, !ContainsSubstring("changes nothing"));
}

TEST_CASE(
  "a second request during the negotiation for a later tag has no effect",
  "[crossing]") {
  auto workers = GENERATE(2u, 4u);
  auto log = run_two(workers, {10ms, 0, 20ms, 0, {at(10ms)}, 0});
  CHECK_THAT(log, ContainsSubstring(changes_nothing));
}

TEST_CASE(
  "a second request during the negotiation for the same tag has no effect",
  "[crossing]") {
  auto workers = GENERATE(2u, 4u);
  auto log = run_two(workers, {10ms, 0, 10ms, 0, {at(10ms)}, 0});
  CHECK_THAT(log, ContainsSubstring("a request to end at tag 10ms changes "
                                    "nothing"));
}

TEST_CASE("the first status other than 0 wins, whichever request lowers the "
          "final tag",
          "[crossing]") {
  auto workers = GENERATE(2u, 4u);
  run_two(workers, {20ms, 4, 10ms, 5, {at(20ms), at(10ms)}, 4});
  run_two(workers, {20ms, 0, 10ms, 5, {at(20ms), at(10ms)}, 5});
  run_two(workers, {20ms, 4, 10ms, 0, {at(20ms), at(10ms)}, 4});
  auto log = run_two(workers, {10ms, 0, 20ms, 6, {at(10ms)}, 6});
  CHECK_THAT(log, ContainsSubstring(changes_nothing));
}

// -- the origin of a request --------------------------------------------------

TEST_CASE("a request from start() ends the application, but not before every "
          "start() and all values at (0, 0)",
          "[crossing]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, patient()};
  auto starts = std::atomic<int>{0};
  for (auto i = 0; i < 3; ++i)
    app.create<player>("n" + std::to_string(i), [&](player& self) -> task {
      self.request_shutdown(0s, 3);
      self.out(1);
      ++starts;
      for (;;)
        co_await after(1h);
    });
  auto to = app.create<recorder<int>>("to");
  for (auto i = 0; i < 3; ++i)
    app.connect("n" + std::to_string(i) + ".out", "to.in");
  CHECK(app.run() == 3);
  CHECK(starts == 3);
  REQUIRE(to->got.size() >= 3);
  for (auto i = 0u; i < 3; ++i)
    CHECK(to->got[i].tag == at(0s));
}

TEST_CASE("a request from a physical action that another thread calls ends the "
          "application at the tag of the call, or after it",
          "[crossing]") {
  struct stoppable : rosia::node {
    rosia::physical_action<int> stop{this, "stop"};
    rosia::reaction on_stop{
      this, "on_stop", {stop}, [this] {
        asked_at = now();
        request_shutdown(0s, *stop);
      }};
    void start() {
      started = true;
    }
    void shutdown() {
      at_shutdown = now();
    }
    std::atomic<bool> started = false;
    logical_time asked_at;
    logical_time at_shutdown;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = patient();
  opts.realtime = GENERATE(true, false);
  rosia::application app{sys, opts};
  auto node = app.create<stoppable>("node");
  auto other = app.create<recorder<int>>("other");
  auto taken = false;
  {
    helper caller{[&] {
      eventually([&] { return node->started.load(); });
      taken = node->stop.schedule(9);
    }};
    CHECK(app.run() == 9);
  }
  CHECK(taken);
  CHECK(node->asked_at > at(0s));
  CHECK(node->at_shutdown >= node->asked_at);
  CHECK(other->shutdowns == 1);
}

TEST_CASE("a request from a coroutine that is resumed at the final tag changes "
          "only the status",
          "[crossing]") {
  error_capture capture;
  auto known_before = GENERATE(true, false);
  auto resumed = 0;
  {
    test_system sys{GENERATE(2u, 4u)};
    auto opts = with_log(patient());
    if (known_before)
      opts.stop_after = at(10ms);
    rosia::application app{sys, opts};
    view all;
    auto node = app.create<player>("node", [&](player& self) -> task {
      if (!known_before) {
        // The question is in its mailbox when start() ends.
        self.request_shutdown(10ms);
        all.see->asked();
      }
      co_await after(10ms);
      ++resumed;
      self.request_shutdown(10ms, 6);
      co_await after(1ns);
      ++resumed;
    });
    all.see = std::make_unique<witness>(app);
    CHECK(app.run() == 6);
    CHECK(all.see->finals() == std::vector<logical_time>{at(10ms)});
    CHECK(node->at_shutdown == at(10ms));
    CHECK(node->shutdowns == 1);
  }
  CHECK(resumed == 1);
  CHECK_THAT(capture.text(), ContainsSubstring(changes_nothing));
}

TEST_CASE("a request from shutdown() is only an error that is logged",
          "[crossing]") {
  struct late : rosia::node {
    rosia::output_port<int> out{this, "out"};
    void shutdown() {
      ++shutdowns;
      request_shutdown(1s, 77);
    }
    int shutdowns = 0;
  };
  auto ending = GENERATE(0, 1, 2);
  error_capture capture;
  {
    test_system sys{GENERATE(1u, 2u, 4u)};
    rosia::application app{sys, patient()};
    auto a = app.create<late>("a");
    auto b = app.create<late>("b");
    auto bell = app.create<recorder<int>>("c");
    app.connect(a, &late::out, bell, &recorder<int>::in);
    if (ending == 1)
      app.create<script>("x", [](script& x) { x.request_shutdown(0s, 5); });
    if (ending == 2)
      app.create<script>("x", [](script&) { throw std::runtime_error("x"); });
    CHECK(app.run() == (ending == 0 ? 0 : ending == 1 ? 5 : 1));
    CHECK(a->shutdowns == 1);
    CHECK(b->shutdowns == 1);
    CHECK(bell->shutdowns == 1);
  }
  CHECK(count_of(capture.text(),
                 "request_shutdown() in shutdown(): the node is ending already")
        == 2);
}

// -- nothing left to do -------------------------------------------------------

TEST_CASE("a request in an idle application ends waiting nodes", "[crossing]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = patient();
  opts.realtime = GENERATE(true, false);
  rosia::application app{sys, opts};
  std::vector<rosia::node_ref<doorbell>> bells;
  for (auto i = 0; i < 5; ++i)
    bells.push_back(app.create<doorbell>("bell" + std::to_string(i)));
  auto gone = app.create<source<int>>("gone", one_seven);
  auto to = app.create<recorder<int>>("to");
  app.connect(gone, &source<int>::out, to, &recorder<int>::in);
  {
    helper caller{[&] {
      for (auto& x : bells)
        eventually([&] { return x->started.load(); });
      bells[2]->ring.schedule(-1);
    }};
    CHECK(app.run() == 0);
  }
  for (auto& x : bells)
    CHECK(x->shutdowns == 1);
  CHECK(to->got == record<int>{{0s, 7}});
}

TEST_CASE("a request for a far future tag, for which only a node with a "
          "physical action waits, is lowered by an earlier request",
          "[crossing]") {
  auto by_stop_after = GENERATE(true, false);
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = patient();
  opts.realtime = GENERATE(true, false);
  if (by_stop_after)
    opts.stop_after = at(1h);
  rosia::application app{sys, opts};
  auto far = app.create<script>("far", [&](script& self) {
    if (!by_stop_after)
      self.request_shutdown(1h, 2);
  });
  auto from = app.create<source<int>>("from", one_seven);
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in);
  witness see{app};
  {
    helper caller{[&] {
      if (by_stop_after)
        eventually([&] { return see.bell().started.load(); });
      else
        see.told_final();
      see.bell().ring.schedule(-1);
    }};
    // Its timeout of a minute would give 129.
    CHECK(app.run() == (by_stop_after ? 0 : 2));
  }
  CHECK(far->shutdowns == 1);
  CHECK(from->shutdowns == 1);
  CHECK(to->got == record<int>{{0s, 7}});
  CHECK(see.bell().shutdowns == 1);
  CHECK(see.bell().got.size() == 1);
}

// -- failures -----------------------------------------------------------------

TEST_CASE(
  "a node that fails between the question and its answer is not waited for",
  "[crossing]") {
  // start() fails, yielded code fails, or the actor is ended from outside.
  auto failure = GENERATE(0, 1, 2);
  error_capture capture;
  {
    test_system sys{GENERATE(2u, 4u)};
    rosia::application app{sys, patient()};
    view all;
    std::atomic<bool> inside = false;
    auto failing = app.create<player>("failing", [&](player& self) -> task {
      if (failure > 0)
        co_await after(1ns);
      inside = true;
      all.see->asked();
      if (failure < 2)
        throw std::runtime_error("at the worst moment");
      caf::anon_send_exit(self.self()->address(), caf::exit_reason::kill);
      for (;;)
        co_await after(1ns);
    });
    auto other = app.create<recorder<int>>("other");
    app.connect(failing, &player::out, other, &recorder<int>::in);
    all.see = std::make_unique<witness>(app);
    {
      helper requester{[&] {
        eventually([&] { return inside.load(); });
        all.see->bell().ring.schedule(-1);
      }};
      CHECK(app.run() == 1);
    }
    CHECK(failing->shutdowns == (failure == 2 ? 0 : 1));
    CHECK(other->shutdowns == 1);
    CHECK(all.see->bell().shutdowns == 1);
    CHECK(all.see->ending_of("other") == "aborted");
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      failure == 2 ? "node 'failing' vanished" : "at the worst moment"));
}

TEST_CASE("a failure during an abort has no effect", "[crossing]") {
  // Aborted by two signals, or by the failure of another node.
  auto by_signals = GENERATE(true, false);
  error_capture capture;
  {
    test_system sys{GENERATE(2u, 4u)};
    auto opts = patient();
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    view all;
    std::atomic<bool> inside = false;
    test::distinct_signals distinct;
    auto late = app.create<player>("late", [&](player& self) -> task {
      self.request_shutdown(1h, 5);
      inside = true;
      if (all.see->has_shut_down())
        throw std::runtime_error("too late to matter");
      co_return;
    });
    auto other = app.create<script>("other", [&](script&) {
      eventually([&] { return inside.load(); });
      if (!by_signals)
        throw std::runtime_error("the first");
    });
    all.see = std::make_unique<witness>(app);
    auto before = handler_of(SIGTERM);
    {
      helper sender{[&] {
        if (!by_signals)
          return;
        eventually([&] { return inside && handler_of(SIGTERM) != before; });
        ::kill(::getpid(), SIGINT);
        ::kill(::getpid(), SIGTERM);
      }};
      CHECK(app.run() == (by_signals ? 128 : 1));
    }
    CHECK(late->shutdowns == 1);
    CHECK(other->shutdowns == 1);
    CHECK(all.see->bell().shutdowns == 1);
    CHECK(all.see->ending_of("late") == "aborted");
  }
  CHECK_THAT(capture.text(), ContainsSubstring("too late to matter"));
}

// -- cleanup ------------------------------------------------------------------

namespace {

/// Records whether a node's shutdown() has run, for the nodes downstream.
struct cleaner : rosia::node {
  cleaner(std::vector<std::unique_ptr<std::atomic<int>>>& xs, std::size_t i)
    : all(&xs), index(i) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};

  void start() {
    if (index == 0)
      out(1);
  }

  void shutdown() {
    ++*(*all)[index];
    // Outputs are closed after it, so a node that is done by itself follows
    // later.
    in_order = index == 0 || *(*all)[index - 1] == 1;
    log().error("bye from {}", index);
    throw std::runtime_error("shutdown failed");
  }

  std::vector<std::unique_ptr<std::atomic<int>>>* all;
  std::size_t index;
  bool in_order = false;
};

} // namespace

TEST_CASE("a shutdown() that throws runs once and does not prevent other "
          "cleanup, in all ways to end",
          "[crossing]") {
  // By itself, by request, by stop_after, by an error, by a timeout.
  auto ending = GENERATE(0, 1, 2, 3, 4);
  constexpr std::size_t length = 6;
  std::vector<std::unique_ptr<std::atomic<int>>> counts;
  for (std::size_t i = 0; i < length; ++i)
    counts.push_back(std::make_unique<std::atomic<int>>(0));
  error_capture capture;
  {
    test_system sys{GENERATE(1u, 2u, 4u)};
    auto opts = patient();
    if (ending == 2)
      opts.stop_after = at(1ms);
    if (ending == 4)
      opts.timeout = 1ms;
    rosia::application app{sys, opts};
    std::vector<rosia::node_ref<cleaner>> nodes;
    for (std::size_t i = 0; i < length; ++i)
      nodes.push_back(app.create<cleaner>("n" + std::to_string(i), counts, i));
    for (std::size_t i = 1; i < length; ++i)
      app.connect(nodes[i - 1], &cleaner::out, nodes[i], &cleaner::in);
    if (ending == 1)
      app.create<script>("x", [](script& x) { x.request_shutdown(1ms, 3); });
    if (ending == 3)
      app.create<script>("x", [](script&) { throw std::runtime_error("x"); });
    if (ending == 4)
      app.create<doorbell>("x");
    auto expected = ending == 1 ? 3 : ending == 3 ? 1 : ending == 4 ? 129 : 0;
    CHECK(app.run() == expected);
    if (ending == 0)
      for (auto& x : nodes)
        CHECK(x->in_order);
  }
  for (auto& x : counts)
    CHECK(*x == 1);
  // The loggers were flushed before the end of the run.
  auto log = capture.text();
  CHECK(count_of(log, "bye from") == int{length});
  CHECK(count_of(log, "error in 'shutdown'") == int{length});
}

// -- signals ------------------------------------------------------------------

TEST_CASE("any two signals abort", "[crossing]") {
  auto first = GENERATE(SIGINT, SIGTERM);
  auto second = GENERATE(SIGINT, SIGTERM);
  test::distinct_signals distinct;
  error_capture capture;
  test_system sys{2};
  auto opts = patient();
  opts.signals = rosia::signal_behavior::handle;
  rosia::application app{sys, opts};
  view all;
  auto slow = app.create<player>("slow", [&](player&) -> task {
    // Does not answer before all nodes are informed of the abort.
    all.see->has_shut_down();
    co_return;
  });
  all.see = std::make_unique<witness>(app);
  auto before = handler_of(first);
  {
    helper sender{[&] {
      eventually([&] { return handler_of(first) != before; });
      ::kill(::getpid(), first);
      // Two signals of a kind at the same time count as one.
      all.see->asked();
      ::kill(::getpid(), second);
    }};
    CHECK(app.run() == 128);
  }
  CHECK(slow->shutdowns == 1);
  CHECK(all.see->bell().shutdowns == 1);
  CHECK(all.see->ending_of("slow") == "aborted");
}

TEST_CASE("a signal ends an application that only waits and whose far final "
          "tag is known",
          "[crossing]") {
  auto signal = GENERATE(SIGINT, SIGTERM);
  test_system sys{GENERATE(1u, 2u)};
  auto opts = patient();
  opts.signals = rosia::signal_behavior::handle;
  opts.stop_after = at(1h);
  rosia::application app{sys, opts};
  witness see{app};
  auto before = handler_of(signal);
  {
    helper sender{[&] {
      eventually([&] { return handler_of(signal) != before; });
      ::kill(::getpid(), signal);
    }};
    CHECK(app.run() == 0);
  }
  CHECK(see.bell().shutdowns == 1);
}

// -- code that never returns --------------------------------------------------

namespace {

enum class place { start, reaction, resumed, action, shutdown };

[[noreturn]] void never_return() {
  for (;;)
    std::this_thread::sleep_for(1h);
}

/// Hangs at some point.
struct stuck_node : rosia::node {
  explicit stuck_node(place x) : where(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{
    this, "on_in", {in}, [this] { maybe(place::reaction); }};

  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] { maybe(place::action); }};

  task start() {
    if (where == place::action)
      ring.schedule(1);
    if (where == place::shutdown)
      is_stuck = true;
    maybe(place::start);
    co_await after(1ns);
    maybe(place::resumed);
  }

  void shutdown() {
    maybe(place::shutdown);
  }

  void maybe(place x) {
    if (x != where)
      return;
    is_stuck = true;
    never_return();
  }

  place where;
  std::atomic<bool> is_stuck = false;
};

/// The status of a child whose deadline passed before its node hung, because
/// the machine was busy.
constexpr int too_early = 70;

/// The status of a child that continued although its node hung.
constexpr int went_on = 71;

struct stuck_run {
  int status;
  std::string log;
  std::chrono::nanoseconds grace_period;
};

/// Runs an application with a node that hangs, in a separate process, with
/// deadlines that leave it the time to hang.
/// @param ask ends it, once the node hangs.
stuck_run run_stuck(std::size_t workers, place where, rosia::options opts,
                    const std::function<void(doorbell&)>& ask) {
  for (;;) {
    error_capture capture;
    auto status = status_in_child([&] {
      test_system sys{workers};
      rosia::application app{sys, opts};
      auto from = app.create<source<int>>("from", one_seven);
      auto fine = app.create<doorbell>("fine");
      auto node = app.create<stuck_node>("stuck", where);
      app.connect(from, &source<int>::out, node, &stuck_node::in);
      std::atomic<bool> over = false;
      helper asker{[&] {
        eventually([&] { return over || node->is_stuck; });
        if (node->is_stuck)
          ask(*fine);
      }};
      app.run();
      over = true;
      return node->is_stuck ? went_on : too_early;
    });
    if (status != too_early)
      return {status, capture.text(), opts.grace_period};
    opts.grace_period *= 2;
    if (opts.timeout)
      *opts.timeout *= 2;
  }
}

auto some_place() {
  return GENERATE(place::start, place::reaction, place::resumed, place::action,
                  place::shutdown);
}

rosia::options hasty() {
  auto result = fast();
  result.grace_period = 20ms;
  return result;
}

std::string text_of(std::chrono::nanoseconds x) {
  return to_string(logical_time{x.count(), 0});
}

/// Checks that the process was ended for the right reason.
void check_named(const stuck_run& x) {
  CHECK(x.status == 129);
  CHECK_THAT(x.log, ContainsSubstring("node 'stuck' did not end within "
                                      "grace_period ("
                                      + text_of(x.grace_period) + ")"));
}

void check_did_not_get_on(const stuck_run& x) {
  CHECK_THAT(
    x.log,
    ContainsSubstring(
      "node 'stuck' did not reach the final tag 20ms, "
      "and no node made progress for grace_period ("
      + text_of(x.grace_period) + ")"));
  check_named(x);
}

} // namespace

TEST_CASE("the timeout ends a process in which code never returns, also on one "
          "worker",
          "[crossing]") {
  auto where = some_place();
  auto workers = GENERATE(1u, 2u);
  auto opts = hasty();
  opts.timeout = 20ms;
  check_named(run_stuck(workers, where, opts, [](auto&) {}));
}

TEST_CASE("two signals end a process in which code never returns, also on one "
          "worker",
          "[crossing]") {
  auto where = some_place();
  auto workers = GENERATE(1u, 2u);
  auto opts = hasty();
  opts.signals = rosia::signal_behavior::handle;
  auto before = handler_of(SIGTERM);
  test::distinct_signals distinct;
  check_named(run_stuck(workers, where, opts, [&](auto&) {
    eventually([&] { return handler_of(SIGTERM) != before; });
    ::kill(::getpid(), SIGINT);
    ::kill(::getpid(), SIGTERM);
  }));
}

TEST_CASE("the negotiation's deadline ends a process in which code never "
          "returns, also on one worker",
          "[crossing]") {
  auto where
    = GENERATE(place::start, place::reaction, place::resumed, place::action);
  auto workers = GENERATE(1u, 2u);
  auto opts = hasty();
  opts.signals = rosia::signal_behavior::handle;
  opts.negotiation_timeout = 20ms;
  auto before = handler_of(SIGTERM);
  auto x = run_stuck(workers, where, opts, [&](auto&) {
    eventually([&] { return handler_of(SIGTERM) != before; });
    ::kill(::getpid(), SIGTERM);
  });
  CHECK_THAT(
    x.log, ContainsSubstring(
             "node 'stuck' did not answer within negotiation_timeout (20ms)"));
  check_named(x);
}

TEST_CASE("a request ends a process in which another node's code never returns",
          "[crossing]") {
  auto where
    = GENERATE(place::start, place::reaction, place::resumed, place::action);
  auto opts = hasty();
  opts.negotiation_timeout = 20ms;
  check_named(
    run_stuck(2, where, opts, [](doorbell& fine) { fine.ring.schedule(-1); }));
}

TEST_CASE(
  "one signal ends a process in which shutdown() never returns, also on "
  "one worker",
  "[crossing]") {
  auto workers = GENERATE(1u, 2u);
  auto opts = hasty();
  opts.signals = rosia::signal_behavior::handle;
  auto before = handler_of(SIGTERM);
  check_named(run_stuck(workers, place::shutdown, opts, [&](auto&) {
    eventually([&] { return handler_of(SIGTERM) != before; });
    ::kill(::getpid(), SIGTERM);
  }));
}

TEST_CASE("an error ends a process in which another node's code never returns",
          "[crossing]") {
  auto where = GENERATE(place::start, place::reaction, place::shutdown);
  error_capture capture;
  auto status = status_in_child([&] {
    test_system sys{2};
    rosia::application app{sys, hasty()};
    auto from = app.create<source<int>>("from", one_seven);
    auto node = app.create<stuck_node>("stuck", where);
    app.connect(from, &source<int>::out, node, &stuck_node::in);
    auto& is_stuck = node->is_stuck;
    app.create<script>("failing", [&](script&) {
      eventually([&] { return is_stuck.load(); });
      throw std::runtime_error("x");
    });
    app.run();
    return went_on;
  });
  check_named({status, capture.text(), hasty().grace_period});
}

// -- up to the final tag ------------------------------------------------------

TEST_CASE("a node that hangs after its answer, before the final tag, is named, "
          "and the application aborted",
          "[crossing]") {
  auto opts = hasty();
  for (auto status = too_early; status == too_early; opts.grace_period *= 2) {
    error_capture capture;
    status = status_in_child([&] {
      test_system sys{2};
      rosia::application app{sys, opts};
      view all;
      std::atomic<bool> is_stuck = false;
      app.create<player>("stuck", [&](player& self) -> task {
        // Its answer is the proposal: the question is in its mailbox.
        self.request_shutdown(20ms);
        all.see->asked();
        co_await after(10ms);
        is_stuck = true;
        never_return();
      });
      all.see = std::make_unique<witness>(app);
      app.run();
      return is_stuck ? went_on : too_early;
    });
    if (status == too_early)
      continue;
    stuck_run x{status, capture.text(), opts.grace_period};
    CHECK_THAT(x.log, !ContainsSubstring("did not answer"));
    check_did_not_get_on(x);
  }
}

TEST_CASE("a node that hangs before stop_after is named, and the application "
          "aborted, also on one worker",
          "[crossing]") {
  auto where = some_place();
  auto workers = GENERATE(1u, 2u);
  auto opts = hasty();
  opts.stop_after = at(20ms);
  check_did_not_get_on(run_stuck(workers, where, opts, [](auto&) {}));
}

TEST_CASE("an application that makes progress is not aborted, however long it "
          "takes to reach the final tag",
          "[crossing]") {
  test_system sys{2};
  auto opts = patient();
  opts.grace_period = 2s;
  rosia::application app{sys, opts};
  view all;
  auto begin = std::chrono::steady_clock::now();
  auto busy = app.create<player>("busy", [&](player& self) -> task {
    self.request_shutdown(300ms);
    all.see->asked();
    for (;;) {
      co_await after(1ms);
      std::this_thread::sleep_for(10ms); // work
    }
  });
  all.see = std::make_unique<witness>(app);
  CHECK(app.run() == 0);
  CHECK(all.see->finals() == std::vector<logical_time>{at(300ms)});
  CHECK(busy->at_shutdown == at(300ms));
  CHECK(std::chrono::steady_clock::now() - begin > opts.grace_period);
}

TEST_CASE("an application that waits for physical time is not aborted before "
          "that reached the final tag",
          "[crossing]") {
  auto run = [](bool realtime) {
    test_system sys{1};
    auto opts = patient();
    opts.realtime = realtime;
    opts.grace_period = 2s;
    opts.stop_after = at(2500ms);
    rosia::application app{sys, opts};
    app.create<player>("last", [&](player&) -> task {
      co_await after(2500ms);
    });
    if (!realtime) // it waits for calls of a physical action
      app.create<doorbell>("bell");
    return app.run();
  };
  auto status = -1;
  {
    helper another{[&] { status = run(false); }};
    CHECK(run(true) == 0);
  }
  CHECK(status == 0);
}

TEST_CASE("an application that cannot handle signals does not start, and "
          "leaves no resources behind",
          "[crossing]") {
  using rosia::detail::signal_watch;
  auto fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  REQUIRE(fd >= 0);
  {
    std::vector<std::unique_ptr<signal_watch>> all;
    while (all.size() < signal_watch::max_watches)
      all.push_back(
        std::make_unique<signal_watch>(rosia::signal_behavior::handle, fd));
    test_system sys{1}; // would not end while it has actors
    auto opts = patient();
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    CHECK_THAT(error_of<std::runtime_error>([&] { app.run(); }),
               ContainsSubstring("set their option signals to none"));
    CHECK_FALSE(bell->started);
  }
  ::close(fd);
}

TEST_CASE("signals at the end of an application use no foreign descriptors",
          "[crossing]") {
  using rosia::detail::signal_watch;
  // A descriptor that an application has closed is soon reused.
  auto fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  REQUIRE(fd >= 0);
  auto count = [&] {
    std::uint64_t result = 0;
    return ::read(fd, &result, sizeof(result)) == sizeof(result) ? result : 0;
  };
  struct sigaction ignore = {};
  struct sigaction before = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR1, &ignore, &before);
  constexpr auto runs = 20'000;
  auto noticed = 0;
  std::uint64_t too_late = 0;
  {
    std::atomic<bool> over = false;
    helper operator_{[&] {
      while (!over)
        ::raise(SIGUSR1);
    }};
    for (auto i = 0; i < runs; ++i) {
      {
        signal_watch watch{rosia::signal_behavior::handle, fd};
        ::raise(SIGUSR1);
        noticed += count() > 0;
      }
      count();
      for (auto j = 0; j < 20; ++j)
        too_late += count();
    }
    over = true;
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(fd);
  CHECK(noticed == runs);
  CHECK(too_late == 0);
}

} // namespace crossing_test
