// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The end of plain actors in a shutdown, during any activity, and its reports.

#include "shutdown_support.hpp"

#include "slow_pipe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

namespace draining_test {

namespace {

/// Sends each of its numbers to another actor, and counts the answers.
class asker : public caf::event_based_actor {
public:
  asker(caf::actor_config& cfg, caf::actor receiver, std::atomic<int>& answers,
        std::atomic<int>& errors)
    : caf::event_based_actor(cfg), receiver_(std::move(receiver)),
      answers_(answers), errors_(errors) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      request(receiver_, caf::infinite, x)
        .then([this](int) { ++answers_; },
              [this](const caf::error&) { ++errors_; });
    }};
  }

  void on_exit() override {
    receiver_ = nullptr;
  }

private:
  caf::actor receiver_;
  std::atomic<int>& answers_;
  std::atomic<int>& errors_;
};

/// Answers its messages, when permitted.
class answerer : public caf::event_based_actor {
public:
  answerer(caf::actor_config& cfg, std::atomic<bool>& may_answer)
    : caf::event_based_actor(cfg), may_answer_(may_answer) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      eventually([this] { return may_answer_.load(); });
      return x;
    }};
  }

private:
  std::atomic<bool>& may_answer_;
};

/// Never answers.
class silent : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](int) { promises_.push_back(make_response_promise()); }};
  }

  void on_exit() override {
    promises_.clear();
  }

private:
  std::vector<caf::response_promise> promises_;
};

/// Only waits for the answer of another actor.
class waiter : public caf::event_based_actor {
public:
  waiter(caf::actor_config& cfg, caf::actor receiver, std::atomic<bool>& waits,
         std::atomic<int>& answers, caf::error& error)
    : caf::event_based_actor(cfg), receiver_(std::move(receiver)),
      waits_(waits), answers_(answers), error_(error) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      request(receiver_, caf::infinite, x)
        .await([this](int) { ++answers_; },
               [this](const caf::error& error) { error_ = error; });
      waits_ = true;
    }};
  }

  void on_exit() override {
    receiver_ = nullptr;
  }

private:
  caf::actor receiver_;
  std::atomic<bool>& waits_;
  std::atomic<int>& answers_;
  caf::error& error_;
};

/// Spawns another child whenever one has ended.
class supervisor : public caf::event_based_actor {
public:
  supervisor(caf::actor_config& cfg, rosia::shutdown& all,
             std::atomic<int>& spawned, std::atomic<int>& count)
    : caf::event_based_actor(cfg), all_(all), spawned_(spawned), count_(count) {
    set_down_handler([this](caf::down_msg&) { spawn_child(); });
  }

  caf::behavior make_behavior() override {
    return {[this](int) { spawn_child(); }};
  }

  void on_exit() override {
    children_.clear();
  }

private:
  void spawn_child() {
    rosia::part_options opts;
    opts.parent = "supervisor";
    children_.push_back(spawn<counter, caf::monitored>(count_));
    all_.adopt(children_.back(), "child " + std::to_string(++spawned_), opts);
  }

  std::vector<caf::actor> children_;
  rosia::shutdown& all_;
  std::atomic<int>& spawned_;
  std::atomic<int>& count_;
};

/// Treats an exit as a normal message.
class survivor : public caf::event_based_actor {
public:
  survivor(caf::actor_config& cfg, std::atomic<int>& exits,
           std::atomic<int>& count)
    : caf::event_based_actor(cfg), count_(count) {
    set_exit_handler([&exits](caf::exit_msg&) { ++exits; });
  }

  caf::behavior make_behavior() override {
    return {[this](int) { ++count_; }};
  }

private:
  std::atomic<int>& count_;
};

rosia::phase_options actors_within(std::chrono::nanoseconds timeout) {
  rosia::phase_options result;
  result.after = {"threads"};
  result.timeout = timeout;
  return result;
}

} // namespace

// -- answers ------------------------------------------------------------------

TEST_CASE("shutdown: actors of one phase answer each other until all have "
          "handled their backlog",
          "[shutdown]") {
  std::atomic<int> answers = 0;
  std::atomic<int> errors = 0;
  std::atomic<bool> may_answer = false;
  auto workers = GENERATE(std::size_t{1}, std::size_t{4});
  test_system sys{workers};
  rosia::shutdown x{sys, quiet()};
  auto phase = actors_within(60s);
  phase.together = true;
  x.phase("actors", phase);
  auto last = sys.get().spawn<answerer, caf::detached>(may_answer);
  x.adopt(last, "answers");
  for (auto i = 0; i < 10; ++i) {
    auto actor = sys.get().spawn<asker>(last, answers, errors);
    x.adopt(actor, "asks " + std::to_string(i));
    for (auto j = 0; j < 100; ++j)
      caf::anon_send(actor, j);
  }
  last = nullptr;
  x.begin();
  // They only wait.
  CHECK(eventually([&] { return x.status().parts.size() == 11; }));
  may_answer = true;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(answers == 1000);
  CHECK(errors == 0);
  CHECK(x.status().dead_letters == 0);
}

TEST_CASE("shutdown: a report has the actors that wait for answers",
          "[shutdown]") {
  std::atomic<int> answers = 0;
  std::atomic<int> errors = 0;
  std::atomic<bool> may_answer = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto last = sys.get().spawn<answerer, caf::detached>(may_answer);
  auto actor = sys.get().spawn<asker>(last, answers, errors);
  x.adopt(actor, "asks");
  for (auto i = 0; i < 3; ++i)
    caf::anon_send(actor, i);
  actor = nullptr;
  x.begin();
  CHECK(eventually([&] {
    auto report = x.status();
    return !report.parts.empty() && report.parts[0].unanswered == 3;
  }));
  auto report = x.status();
  CHECK(report.parts[0].now == part_report::state::draining);
  CHECK_THAT(to_string(report),
             ContainsSubstring("actor 'asks': waits for 3 answers since"));
  CHECK_THAT(to_json(report), ContainsSubstring("\"unanswered\": 3"));
  may_answer = true;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(answers == 3);
  caf::anon_send_exit(last, caf::exit_reason::user_shutdown);
}

TEST_CASE("shutdown: actors that do not end together end one by one",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto busy = sys.get().spawn<stuck_actor, caf::detached>(let_go, is_in);
  x.adopt(busy, "busy");
  rosia::part_options opts;
  opts.post_stop = [&] { ++count; };
  x.adopt(sys.get().spawn<counter>(count), "idle", opts);
  caf::anon_send(busy, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  x.begin();
  CHECK(eventually([&] { return count == 1; }));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: an actor that cannot handle its backlog delays the rest "
          "by half of the time",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> ended = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto phase = actors_within(100ms);
  phase.together = true;
  x.phase("actors", phase);
  auto busy = sys.get().spawn<stuck_actor, caf::detached>(let_go, is_in);
  x.adopt(busy, "busy");
  rosia::part_options opts;
  opts.post_stop = [&] { ++ended; };
  x.adopt(sys.get().spawn<counter>(ended), "idle", opts);
  caf::anon_send(busy, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  x.on("final", "let go", [&](auto&) { let_go = true; });
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
  CHECK(ended == 1);
  for (auto& entry : x.timeline()) {
    CAPTURE(entry.name);
    if (entry.kind == "actor" && entry.name == "busy")
      CHECK(entry.aborted);
  }
}

// -- await --------------------------------------------------------------------

TEST_CASE("shutdown: an actor in await handles its backlog once it is answered",
          "[shutdown]") {
  std::atomic<bool> may_answer = false;
  std::atomic<bool> waits = false;
  std::atomic<int> answers = 0;
  caf::error error;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto last = sys.get().spawn<answerer, caf::detached>(may_answer);
  auto actor = sys.get().spawn<waiter>(last, waits, answers, error);
  x.adopt(actor, "waits");
  for (auto i = 0; i < 3; ++i)
    caf::anon_send(actor, i);
  actor = nullptr;
  CHECK(eventually([&] { return waits.load(); }));
  x.begin();
  // Known whenever it is idle.
  rosia::shutdown_report report;
  CHECK(eventually([&] {
    report = x.status();
    return !report.parts.empty() && report.parts[0].awaits_answer;
  }));
  CHECK_THAT(to_string(report),
             ContainsSubstring("actor 'waits': awaits an answer and handles "
                               "nothing else"));
  CHECK_THAT(to_json(report), ContainsSubstring("\"awaits_answer\": true"));
  may_answer = true;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(answers == 3);
  CHECK(!error);
  caf::anon_send_exit(last, caf::exit_reason::user_shutdown);
}

TEST_CASE("shutdown: an actor in await that gets no answer is ended by an "
          "error in the name of the receiver",
          "[shutdown]") {
  std::atomic<bool> waits = false;
  std::atomic<int> answers = 0;
  caf::error error;
  test_system sys;
  auto mute = sys.get().spawn<silent>();
  {
    auto opts = quiet();
    opts.await_system = false;
    rosia::shutdown x{sys, opts};
    x.phase("actors", actors_within(10ms));
    auto actor = sys.get().spawn<waiter>(mute, waits, answers, error);
    x.adopt(actor, "waits");
    caf::anon_send(actor, 1);
    caf::anon_send(actor, 2);
    actor = nullptr;
    CHECK(eventually([&] { return waits.load(); }));
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
    CHECK(x.status().parts.empty());
    CHECK(x.status().dead_letters == 1);
  }
  CHECK(answers == 0);
  CHECK(!error);
  caf::anon_send_exit(mute, caf::exit_reason::user_shutdown);
}

TEST_CASE("shutdown: an actor in await that constantly gets messages is "
          "stopped by an abort, even a detached one",
          "[shutdown]") {
  std::atomic<bool> waits = false;
  std::atomic<int> answers = 0;
  caf::error error;
  auto detached = GENERATE(false, true);
  test_system sys;
  auto mute = sys.get().spawn<silent>();
  std::atomic<bool> over = false;
  std::thread sender;
  {
    auto opts = quiet();
    opts.await_system = false;
    rosia::shutdown x{sys, opts};
    x.phase("actors", actors_within(10ms));
    auto actor
      = detached
          ? sys.get().spawn<waiter, caf::detached>(mute, waits, answers, error)
          : sys.get().spawn<waiter>(mute, waits, answers, error);
    x.adopt(actor, "waits");
    sender = std::thread{[&over, actor] {
      while (!over)
        caf::anon_send(actor, 1);
    }};
    CHECK(eventually([&] { return waits.load(); }));
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
    CHECK(x.status().parts.empty());
    over = true;
    sender.join();
  }
  caf::anon_send_exit(mute, caf::exit_reason::user_shutdown);
}

// -- exceptions to the order of the mailbox -----------------------------------

TEST_CASE("shutdown: an actor handles urgent messages before it ends",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> count = 0;
  auto together = GENERATE(false, true);
  test_system sys{1};
  rosia::shutdown x{sys, quiet()};
  auto phase = actors_within(60s);
  phase.together = together;
  x.phase("actors", phase);
  auto gate = sys.get().spawn<stuck_actor>(let_go, is_in);
  caf::anon_send(gate, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  auto actor = sys.get().spawn<counter>(count);
  x.adopt(actor, "actor");
  for (auto i = 0; i < 100; ++i)
    caf::anon_send<caf::message_priority::high>(actor, i);
  actor = nullptr;
  x.begin();
  CHECK(eventually([&] { return x.status().stage == "actors"; }));
  caf::anon_send_exit(gate, caf::exit_reason::user_shutdown);
  gate = nullptr;
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 100);
  CHECK(x.status().dead_letters == 0);
}

TEST_CASE("shutdown: an actor that waits for an answer gets its timeouts",
          "[shutdown]") {
  std::atomic<bool> may_answer = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto last = sys.get().spawn<answerer, caf::detached>(may_answer);
  auto actor = sys.get().spawn<scripted>([&may_answer, last](scripted* self) {
    return caf::behavior{
      [last, self](int i) {
        self->request(last, caf::infinite, i).then([](int) {});
      },
      caf::after(100ms) >> [&may_answer] { may_answer = true; }};
  });
  x.adopt(actor, "actor");
  caf::anon_send(actor, 1);
  actor = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(may_answer);
  caf::anon_send_exit(last, caf::exit_reason::user_shutdown);
}

// -- trees --------------------------------------------------------------------

TEST_CASE("shutdown: a parent that is linked to its children outlives them, "
          "and is notified of the end of each that it monitors",
          "[shutdown]") {
  std::atomic<int> downs = 0;
  std::atomic<int> sums = 0;
  std::atomic<int> count = 0;
  auto linked = GENERATE(false, true);
  auto together = GENERATE(false, true);
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto phase = actors_within(60s);
  phase.together = together;
  x.phase("actors", phase);
  std::vector<caf::actor> children;
  auto parent = sys.get().spawn<scripted>([&](scripted* self) {
    self->set_down_handler([&](caf::down_msg&) { ++downs; });
    for (auto i = 0; i < 10; ++i) {
      children.push_back(linked ? self->spawn<counter, caf::linked>(count)
                                : self->spawn<counter, caf::monitored>(count));
    }
    ++sums;
    return caf::behavior{[](int) {}};
  });
  CHECK(eventually([&] { return sums == 1; }));
  std::atomic<bool> parent_is_over = false;
  std::atomic<int> too_late = 0;
  rosia::part_options opts;
  opts.post_stop = [&] { parent_is_over = true; };
  x.adopt(parent, "parent", opts);
  for (auto& child : children) {
    opts.parent = "parent";
    opts.post_stop = [&] { too_late += parent_is_over; };
    x.adopt(child, "child", opts);
    for (auto i = 0; i < 100; ++i)
      caf::anon_send(child, i);
  }
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1000);
  CHECK(too_late == 0);
  CHECK(downs == (linked ? 0 : 10));
}

TEST_CASE("shutdown: a parent that spawns another child for each that ends, "
          "ends",
          "[shutdown]") {
  std::atomic<int> spawned = 0;
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto parent = sys.get().spawn<supervisor>(x, spawned, count);
  x.adopt(parent, "supervisor");
  for (auto i = 0; i < 3; ++i)
    caf::anon_send(parent, i);
  parent = nullptr;
  CHECK(eventually([&] { return spawned == 3; }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(spawned >= 3);
  CHECK(x.status().parts.empty());
}

TEST_CASE("shutdown: a parent waits for the children that it spawns while it "
          "handles its backlog",
          "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<bool> parent_ended = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  rosia::part_options opts;
  opts.post_stop = [&] { parent_ended = true; };
  notebook notes;
  // Blocks its worker until the shutdown has begun.
  auto parent = sys.get().spawn<scripted>([&](scripted* self) {
    return caf::behavior{[&, self](int) {
      eventually([&] { return x.status().stage == "actors"; });
      rosia::part_options child;
      child.parent = "parent";
      child.post_stop = [&] {
        notes.add(parent_ended ? "after its parent" : "before its parent");
      };
      x.adopt(self->spawn<counter>(count), "child", child);
    }};
  });
  x.adopt(parent, "parent", opts);
  caf::anon_send(parent, 1);
  parent = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"before its parent"});
}

// -- dead letters -------------------------------------------------------------

TEST_CASE("shutdown: unread messages of an actor are counted, and reported to "
          "subscribers",
          "[shutdown]") {
  error_capture capture;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  notebook notes;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "warning";
    rosia::shutdown x{sys, opts};
    x.phase("actors", actors_within(10ms));
    x.on_dead_letter([&](const rosia::dead_letter& letter) {
      notes.add(
        letter.part + ' ' + std::to_string(letter.content.get_as<int>(0))
        + (letter.sender ? " of a stranger" : ""));
    });
    x.on_dead_letter([](const rosia::dead_letter&) {
      throw std::runtime_error("no interest");
    });
    auto actor = sys.get().spawn<stuck_actor>(let_go, is_in);
    x.adopt(actor, "busy");
    caf::anon_send(actor, 1);
    CHECK(eventually([&] { return is_in.load(); }));
    caf::anon_send(actor, 2);
    caf::anon_send(actor, 3);
    {
      caf::scoped_actor self{sys};
      self->send(actor, 4);
    }
    actor = nullptr;
    x.on("final", "let go", [&](auto&) { let_go = true; });
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
    CHECK(x.status().dead_letters == 3);
    for (auto& entry : x.timeline())
      if (entry.name == "busy")
        CHECK(entry.unread == 3);
    CHECK_THAT(to_json(x.timeline()), ContainsSubstring("\"unread\": 3"));
    CHECK_THAT(to_json(x.status()), ContainsSubstring("\"dead_letters\": 3"));
  }
  CHECK(notes.lines() == strings{"busy 2", "busy 3", "busy 4 of a stranger"});
  auto text = capture.text();
  CHECK_THAT(text, ContainsSubstring("3 messages were left unread:\n  3 of "
                                     "actor 'busy'"));
  CHECK_THAT(text, ContainsSubstring("a subscriber to dead letters of part "
                                     "'busy' failed: no interest"));
}

TEST_CASE(
  "shutdown: a dead letter may hold the last handle of another participant",
  "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.phase("actors", actors_within(10ms));
  rosia::phase_options later;
  later.after = {"actors"};
  x.phase("later", later);
  x.on_dead_letter([&](const rosia::dead_letter&) { ++count; });
  auto actor = sys.get().spawn<stuck_actor>(let_go, is_in);
  x.adopt(actor, "busy");
  caf::anon_send(actor, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  {
    auto sender = sys.get().spawn<scripted>([&](scripted* self) {
      self->send(actor, 2);
      return caf::behavior{[](int) {}};
    });
    rosia::part_options opts;
    opts.phase = "later";
    x.adopt(sender, "sender", opts);
    caf::scoped_actor self{sys};
    // After this is answered, the other message is sent.
    self->request(sender, caf::infinite, 0).receive([] {}, [](caf::error&) {});
  }
  actor = nullptr;
  x.on("final", "let go", [&](auto&) { let_go = true; });
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
  CHECK(count == 1);
}

TEST_CASE("shutdown: an actor that survives its exit has no unread messages, "
          "and is aborted",
          "[shutdown]") {
  std::atomic<int> exits = 0;
  std::atomic<int> count = 0;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  test_system sys{1};
  rosia::shutdown x{sys, quiet()};
  // Blocks the only worker, so that messages follow the exit.
  auto gate = sys.get().spawn<stuck_actor>(let_go, is_in);
  caf::anon_send(gate, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  auto actor = sys.get().spawn<survivor>(exits, count);
  x.phase("actors", actors_within(100ms));
  x.adopt(actor, "survivor");
  x.begin();
  CHECK(eventually([&] {
    auto report = x.status();
    return !report.parts.empty()
           && report.parts[0].now == part_report::state::draining;
  }));
  for (auto i = 0; i < 10; ++i)
    caf::anon_send(actor, i);
  caf::anon_send_exit(gate, caf::exit_reason::user_shutdown);
  gate = nullptr;
  let_go = true;
  CHECK(x.wait_for_shutdown() == 129);
  CHECK(exits == 1);
  CHECK(count == 10);
  CHECK(x.status().dead_letters == 0);
}

// -- a log that is not read ---------------------------------------------------

TEST_CASE(
  "shutdown: a log that is not read does not prevent the end of the process",
  "[shutdown]") {
  auto status = status_in_child([] {
    test::slow_pipe pipe;
    pipe.fill();
    if (::dup2(pipe.writer(), STDERR_FILENO) < 0)
      return 7;
    test_system sys;
    auto opts = quiet();
    opts.log_level = "info";
    opts.end_process = true;
    opts.deadline = 10ms;
    opts.grace_period = 10ms;
    rosia::shutdown x{sys, opts};
    x.begin();
    return x.wait_for_shutdown();
  });
  // In order, or aborted, depending on how long the log waits for a reader.
  CHECK((status == 0 || status == 129));
}

} // namespace draining_test
