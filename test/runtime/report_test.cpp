// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The reports of an application: `status()`, and the report of an abort.

#include "support.hpp"

#include "slow_pipe.hpp"
#include "temporary_folder.hpp"

// Compares JSON values by kind, because rapidjson's operator== recurses
// endlessly with the rewritten operators of C++20.
#include <rapidjson/document.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace report_test {

using rosia::application_stage;
using rosia::blocker;
using rosia::node_report;
using rosia::node_stage;

namespace {

/// Adds the values of two ports.
struct sum : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int> b{this, "b"};
  rosia::reaction on_any{this, "on_any", {a, b}, [this] { ++count; }};
  std::atomic<int> count = 0;
};

/// Stays in its reaction until released.
struct holdup : rosia::node {
  explicit holdup(std::atomic<bool>& x) : let_go(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          blocked = true;
                          eventually([this] { return let_go.load(); });
                          out(in);
                        }};
  std::atomic<bool>& let_go;
  std::atomic<bool> blocked = false;
};

/// Blocks its worker when called, and then ends the application.
struct holding_bell : rosia::node {
  explicit holding_bell(std::atomic<bool>& x) : let_go(x) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] {
      held = true;
      eventually([this] { return let_go.load(); });
      request_shutdown();
    }};
  std::atomic<bool>& let_go;
  std::atomic<bool> held = false;
};

/// Counts the values from outside, and passes them on.
struct counting_bell : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] {
      ++count;
      log().debug("rung");
      out(ring);
    }};
  std::atomic<int> count = 0;
};

struct thrower : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [] { throw std::runtime_error("too \"hot\""); }};
};

struct physical_sink : rosia::node {
  rosia::physical_action<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

const node_report& find(const rosia::application_report& x,
                        const std::string& name) {
  for (auto& node : x.nodes)
    if (node.name == name)
      return node;
  throw std::runtime_error("no node " + name);
}

/// Calls `status()` until it satisfies the predicate.
template <class Predicate>
rosia::application_report status_when(
  const rosia::application& app, Predicate&& condition) {
  auto result = app.status();
  eventually([&] {
    if (condition(result))
      return true;
    result = app.status();
    return false;
  });
  return result;
}

rapidjson::Document json_of(const std::string& file) {
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  rapidjson::Document result;
  result.Parse(text.str().c_str());
  REQUIRE_FALSE(result.HasParseError());
  return result;
}

const rapidjson::Value& node_in(
  const rapidjson::Document& doc, const std::string& name) {
  for (auto& x : doc["nodes"].GetArray())
    if (x["name"].GetString() == name)
      return x;
  throw std::runtime_error("no node " + name);
}

} // namespace

TEST_CASE("status() before and after the run has every node", "[report]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto x = app.create<source<int>>("x", one_seven);
  auto y = app.create<recorder<int>>("y");
  app.connect(x, &source<int>::out, y, &recorder<int>::in);
  auto before = app.status();
  CHECK(before.stage == application_stage::not_started);
  REQUIRE(before.nodes.size() == 2);
  CHECK(before.nodes[1].name == "y");
  CHECK(before.nodes[1].stage == node_stage::not_started);
  CHECK(app.run() == 0);
  auto after = app.status();
  CHECK(after.stage == application_stage::over);
  CHECK(after.status == 0);
  CHECK(after.nodes[1].stage == node_stage::left);
  CHECK(after.nodes[1].has_left);
  CHECK(after.elapsed.count() > 0);
}

TEST_CASE("status() of a running application names what each node waits for",
          "[report]") {
  test_system sys{2};
  auto opts = real_time();
  rosia::application app{sys, opts};
  std::atomic<bool> let_go = false;
  auto clock = app.create<source<int>>(
    "clock", std::vector<source<int>::item>{{{}, 1}, {1h, 2}});
  auto held = app.create<holdup>("held", let_go);
  auto both = app.create<sum>("both");
  auto bell = app.create<doorbell>("bell");
  auto inside = app.create<physical_sink>("inside");
  app.connect(clock, &source<int>::out, held, &holdup::in);
  app.connect(clock, &source<int>::out, both, &sum::b);
  app.connect(held, &holdup::out, both, &sum::a);
  app.connect(
    bell, &doorbell::out, inside, &physical_sink::in, rosia::physical);
  std::thread observer{[&] {
    eventually([&] { return held->blocked.load(); });
    auto x = status_when(app, [](auto& y) {
      // It must have received the value of 'clock'.
      return find(y, "both").held_back_by == blocker::input
             && !find(y, "both").queues.empty()
             && find(y, "clock").held_back_by == blocker::clock
             && find(y, "bell").held_back_by == blocker::outside
             && find(y, "inside").held_back_by == blocker::sender;
    });
    CHECK(x.stage == application_stage::running);
    auto& stuck = find(x, "held");
    CHECK(stuck.running);
    CHECK(stuck.code == "on_in");
    CHECK(stuck.code_tag == at(0s));
    CHECK_FALSE(stuck.complete);
    CHECK(stuck.held_back_by == blocker::unknown);
    auto& waits = find(x, "both");
    CHECK(waits.complete);
    CHECK(waits.port == "a");
    CHECK(waits.waits_for == "held.out");
    CHECK(waits.next == at(0s));
    CHECK(waits.stat == at(0s));
    CHECK(waits.queues
          == std::vector<std::pair<std::string, std::size_t>>{{"b", 1}});
    auto& sleeps = find(x, "clock");
    CHECK(sleeps.bound == at(1h));
    CHECK(sleeps.yielded == 1);
    CHECK(sleeps.code == "start");
    CHECK(find(x, "inside").waits_for == "bell.out");
    CHECK(find(x, "inside").port == "in");
    auto text = to_string(x);
    CHECK_THAT(text, ContainsSubstring("'held': reaction 'on_in' at tag 0s is "
                                       "still running after "));
    CHECK_THAT(
      text,
      ContainsSubstring(
        "'both': waits at 'a' for 'held.out', "
        "which may still send a value of tag 0s; "
        "next tag 0s; STAT 0s"));
    CHECK_THAT(text, ContainsSubstring("queued at 'b' 1"));
    // Nodes that hold up other nodes are first.
    CHECK(text.find("'held':") < text.find("'clock':"));
    CHECK(text.find("'clock':") < text.find("'both':"));
    CHECK_THAT(to_string(x, 1), ContainsSubstring("and 4 nodes"));
    let_go = true;
    bell->ring.schedule(-1);
  }};
  CHECK(app.run() == 0);
  observer.join();
}

TEST_CASE("an observer needs no worker: status() includes idle nodes while all "
          "workers are blocked",
          "[report]") {
  test_system sys{1};
  rosia::application app{sys, real_time()};
  std::atomic<bool> let_go = false;
  auto held = app.create<holding_bell>("held", let_go);
  auto next = app.create<recorder<int>>("next");
  app.connect(held, &holding_bell::out, next, &recorder<int>::in);
  std::thread observer{[&] {
    // All other nodes are idle before the worker is blocked.
    status_when(app, [](auto& x) {
      return find(x, "next").held_back_by == blocker::input
             && find(x, "held").held_back_by == blocker::outside;
    });
    held->ring.schedule(1);
    eventually([&] { return held->held.load(); });
    auto x = app.status();
    CHECK(find(x, "held").running);
    CHECK(find(x, "held").code == "on_ring");
    CHECK(find(x, "next").complete);
    CHECK(find(x, "next").waits_for == "held.out");
    let_go = true;
  }};
  CHECK(app.run() == 0);
  observer.join();
}

TEST_CASE("any thread may get reports while an application starts, and while "
          "its nodes receive their first values from outside",
          "[report]") {
  test_system sys{2};
  rosia::application app{sys, fast()};
  std::vector<rosia::node_ref<counting_bell>> bells;
  for (int i = 0; i < 50; ++i) {
    auto from = app.create<counting_bell>("from" + std::to_string(i));
    auto to = app.create<counting_bell>("to" + std::to_string(i));
    from[&counting_bell::out] >>= rosia::maxwait(1h) >>= to[&counting_bell::in];
    bells.push_back(from);
    bells.push_back(to);
  }
  std::atomic<bool> observed = false;
  std::atomic<bool> over = false;
  std::thread observer{[&] {
    while (!over) {
      app.status();
      observed = true;
    }
  }};
  std::thread caller{[&] {
    for (auto& bell : bells) {
      bell->ring.schedule(1);
      eventually([&] { return bell->count > 0; });
    }
    app.request_shutdown();
  }};
  CHECK(eventually([&] { return observed.load(); }));
  CHECK(app.run() == 0);
  over = true;
  observer.join();
  caller.join();
  auto report = app.status();
  REQUIRE(report.nodes.size() == bells.size());
  CHECK(report.nodes[0].tardy_values.empty());
  CHECK(report.nodes[1].tardy_values.size() == 1);
}

TEST_CASE("a node that answered meanwhile is not said to owe its answer",
          "[report]") {
  node_report x;
  x.name = "a";
  x.stage = node_stage::asked;
  CHECK_THAT(to_string(x), ContainsSubstring("has not answered"));
  x.complete = true;
  x.held_back_by = blocker::agreement;
  CHECK_THAT(to_string(x), !ContainsSubstring("has not answered")
                             && ContainsSubstring("answered with tag"));
}

TEST_CASE("a report of a loop names the member and the port", "[report]") {
  test_system sys{2};
  rosia::application app{sys, fast()};
  std::atomic<bool> let_go = false;
  auto first = app.create<source<int>>("first", one_seven);
  auto a = app.create<holdup>("a", let_go);
  auto b = app.create<sum>("b");
  auto c = app.create<relay<int>>("c");
  auto bell = app.create<doorbell>("bell");
  app.connect(first, &source<int>::out, a, &holdup::in);
  app.connect(a, &holdup::out, c, &relay<int>::in);
  app.connect(c, &relay<int>::out, a, &holdup::in, 1h);
  app.connect(c, &relay<int>::out, b, &sum::a);
  std::thread observer{[&] {
    eventually([&] { return a->blocked.load(); });
    auto x = status_when(app, [](auto& y) {
      return find(y, "c").held_back_by == blocker::loop;
    });
    CHECK(find(x, "c").port == "in");
    CHECK(find(x, "c").waits_for == "a.out");
    CHECK(find(x, "c").bound == at(0s));
    CHECK_THAT(to_string(find(x, "c")),
               ContainsSubstring("waits at 'in' for 'a.out', which may still "
                                 "cause a value of tag 0s"));
    bell->ring.schedule(-1);
    let_go = true;
  }};
  CHECK(app.run() == 0);
  observer.join();
}

TEST_CASE("after an abort the report is in the log and in the file",
          "[report]") {
  test::temporary_folder folder;
  error_capture capture;
  {
    test_system sys{2};
    auto opts = with_log(fast());
    opts.report = folder.file("report.json");
    rosia::application app{sys, opts};
    auto first = app.create<source<int>>("first", one_seven);
    auto fails = app.create<thrower>("fails");
    app.create<doorbell>("bell");
    app.create<source<int>>("done", one_seven);
    app.connect(first, &source<int>::out, fails, &thrower::in);
    CHECK(app.run() == 1);
    CHECK(app.status().stage == application_stage::over);
    CHECK(app.status().status == 1);
  }
  auto text = capture.text();
  CHECK_THAT(
    text,
    ContainsSubstring(
      "the application is being aborted (error in "
      "'on_in' of node 'fails' at tag 0s: too "
      "\"hot\")"));
  CHECK_THAT(text, ContainsSubstring("\n  'fails': failed; "));
  // The other nodes are not at fault.
  CHECK_THAT(text, !ContainsSubstring("'bell'"));
  CHECK(folder.files() == 1);
  auto doc = json_of(folder.file("report.json"));
  CHECK(doc["format"].GetString() == std::string{"rosia-report-1"});
  CHECK(doc["stage"].GetString() == std::string{"aborted"});
  CHECK(doc["status"].GetInt() == 1);
  CHECK(doc["final"].IsNull());
  CHECK_THAT(doc["reason"].GetString(), ContainsSubstring("too \"hot\""));
  REQUIRE(doc["nodes"].Size() == 4);
  auto& fails = node_in(doc, "fails");
  CHECK(fails["stage"].GetString() == std::string{"failed"});
  CHECK(fails["code"]["name"].GetString() == std::string{"on_in"});
  CHECK(fails["code"]["tag"][0].GetInt() == 0);
  CHECK(fails["has_left"].GetBool() == true);
  CHECK(fails["held_back"]["by"].GetString() == std::string{"failure"});
}

TEST_CASE("after an abort the log has all nodes on request", "[report]") {
  auto variant = GENERATE(0, 1, 2);
  CAPTURE(variant);
  error_capture capture;
  {
    test_system sys{2};
    auto opts = with_log(fast());
    opts.verbose_end = variant == 1;
    opts.log_level = variant == 2 ? "debug" : opts.log_level;
    rosia::application app{sys, opts};
    auto first = app.create<source<int>>("first", one_seven);
    auto fails = app.create<thrower>("fails");
    app.create<doorbell>("bell");
    app.create<doorbell>("chime");
    app.connect(first, &source<int>::out, fails, &thrower::in);
    CHECK(app.run() == 1);
  }
  auto text = capture.text();
  CHECK_THAT(text, ContainsSubstring("\n  'fails': failed; "));
  auto all = variant != 0;
  CHECK((text.find("\n  'bell': ") != std::string::npos) == all);
  CHECK((text.find("\n  'chime': ") != std::string::npos) == all);
  CHECK((text.find(" not shown (--rosia.verbose_end shows the nodes, ")
         != std::string::npos)
        == !all);
}

TEST_CASE("a short report has the nodes at fault, and counts the other nodes",
          "[report]") {
  using rosia::detail::short_text;
  rosia::application_report x;
  x.stage = application_stage::aborted;
  auto add = [&x](const char* name, node_stage stage, blocker by) {
    auto& node = x.nodes.emplace_back();
    node.name = name;
    node.stage = stage;
    node.complete = true;
    node.held_back_by = by;
  };
  add("gone", node_stage::left, blocker::none);
  add("waits", node_stage::running, blocker::input);
  add("ticks", node_stage::running, blocker::clock);
  add("idle", node_stage::running, blocker::outside);
  auto shown = [&x](std::size_t max = 20) {
    std::string result;
    auto text = short_text(x, max);
    for (auto& node : x.nodes)
      if (text.find("'" + node.name + "': ") != std::string::npos)
        result += node.name + ' ';
    return result;
  };
  CHECK(shown() == "ticks ");
  CHECK_THAT(short_text(x, 20), ContainsSubstring("\n  2 other nodes are not "
                                                  "shown"));
  // Running code precedes waiting nodes; failed nodes precede both.
  add("hangs", node_stage::running, blocker::unknown);
  x.nodes.back().running = true;
  CHECK(shown() == "hangs ");
  add("fails", node_stage::failed, blocker::failure);
  CHECK(shown() == "fails ");
  add("fails too", node_stage::failed, blocker::failure);
  CHECK(shown() == "fails fails too ");
  CHECK(shown(1) == "fails ");
  CHECK_THAT(short_text(x, 1), ContainsSubstring("\n  5 other nodes are not "
                                                 "shown"));
  // A process is shown if it has a problem.
  x.processes = {{"left", {}, 12, 1, 3}, {"right", "was lost"}};
  CHECK_THAT(short_text(x, 20), ContainsSubstring("process 'right': was lost")
                                  && !ContainsSubstring("'left'"));
  // Without active nodes, there are none to show.
  x.nodes.clear();
  CHECK_THAT(short_text(x, 20),
             ContainsSubstring("; 0 nodes") && !ContainsSubstring("not shown"));
}

TEST_CASE("a node that never returns is named with its reaction, tag and time, "
          "and ends the process with 129",
          "[report]") {
  test::temporary_folder folder;
  auto workers = GENERATE(1u, 2u);
  error_capture capture;
  auto status = status_in_child([&] {
    test_system sys{workers};
    auto opts = with_log(fast());
    opts.report = folder.file("report.json");
    opts.trace = folder.file("trace.jsonl");
    opts.negotiation_timeout = 20ms;
    opts.grace_period = 20ms;
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    static std::atomic<bool> never = false;
    auto first = app.create<source<int>>(
      "first", std::vector<source<int>::item>{{3s, 1}});
    auto held = app.create<holdup>("held", never);
    auto next = app.create<recorder<int>>("next");
    app.connect(first, &source<int>::out, held, &holdup::in);
    app.connect(held, &holdup::out, next, &recorder<int>::in);
    std::thread{[&] {
      eventually([&] {
        return held->blocked.load() && app.status().nodes[0].has_left;
      });
      ::kill(::getpid(), SIGTERM);
    }}.detach();
    app.run();
    return 7;
  });
  auto text = capture.text();
  CHECK(status == 129);
  CHECK_THAT(
    text,
    ContainsSubstring(
      "node 'held' did not answer within "
      "negotiation_timeout (20ms): reaction "
      "'on_in' at tag 3s is still running after "));
  CHECK_THAT(
    text,
    ContainsSubstring(
      "node 'held' did not end within "
      "grace_period (20ms): reaction 'on_in' at "
      "tag 3s is still running after "));
  auto doc = json_of(folder.file("report.json"));
  CHECK(doc["status"].GetInt() == 129);
  CHECK_THAT(
    doc["reason"].GetString(), ContainsSubstring("node 'held' did not answer"));
  auto& held = node_in(doc, "held");
  CHECK(held["stage"].GetString() == std::string{"asked"});
  CHECK(held["has_left"].GetBool() == false);
  CHECK(held["code"]["name"].GetString() == std::string{"on_in"});
  CHECK(held["code"]["running"].GetBool() == true);
  CHECK(held["code"]["running_for_ns"].GetInt64() >= 30'000'000);
  CHECK(held["code"]["tag"][0].GetInt64() == 3'000'000'000);
  // The trace is complete up to this point.
  std::ifstream trace{folder.file("trace.jsonl")};
  std::string last;
  for (std::string line; std::getline(trace, line);)
    last = line;
  CHECK(last.ends_with('}'));
}

TEST_CASE("SIGUSR1 causes a report, and does not end the application",
          "[report]") {
  test::temporary_folder folder;
  error_capture capture;
  {
    test_system sys{2};
    auto opts = with_log(real_time());
    opts.signals = rosia::signal_behavior::handle;
    opts.report = folder.file("report.json");
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    std::thread operator_{[&] {
      eventually([&] { return bell->started.load(); });
      ::kill(::getpid(), SIGUSR1);
      CHECK(eventually([&] {
        return std::filesystem::exists(folder.file("report.json"));
      }));
      bell->ring.schedule(3);
      bell->ring.schedule(-1);
    }};
    CHECK(app.run() == 0);
    operator_.join();
    CHECK(bell->got.size() == 2);
  }
  CHECK_THAT(
    capture.text(), ContainsSubstring("the application is running; 1 node"));
  auto doc = json_of(folder.file("report.json"));
  CHECK(doc["stage"].GetString() == std::string{"running"});
  CHECK(doc["reason"].GetString() == std::string{""});
}

TEST_CASE("many requests for reports do not hold up the end", "[report]") {
  error_capture capture;
  {
    test_system sys{2};
    auto opts = with_log(real_time());
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    std::atomic<bool> let_go = false;
    auto bell = app.create<holding_bell>("bell", let_go);
    std::thread operator_{[&] {
      eventually([&] {
        bell->ring.schedule(0);
        return bell->held.load();
      });
      // Each of them would wait for the busy node.
      for (auto i = 0; i < 50; ++i) {
        ::kill(::getpid(), SIGUSR1);
        std::this_thread::yield();
      }
      auto begin = std::chrono::steady_clock::now();
      app.abort(7);
      eventually([&] {
        return app.status().stage == application_stage::aborted;
      });
      CHECK(std::chrono::steady_clock::now() - begin < 5s);
      let_go = true;
    }};
    CHECK(app.run() == 7);
    operator_.join();
  }
}

TEST_CASE("JSON is UTF-8, whatever names and exceptions are", "[report]") {
  rosia::application_report x;
  x.reason = "b\xe9ton \xc3\xa9 \xc3";
  auto& node = x.nodes.emplace_back();
  node.name = "\"a\n\x01\xff\xed\xa0\x80";
  node.complete = true;
  node.queues.emplace_back("in\xfe", 1);
  auto text = to_json(x);
  rapidjson::Document doc;
  doc.Parse<rapidjson::kParseValidateEncodingFlag>(text.c_str());
  REQUIRE(!doc.HasParseError());
  auto replaced = std::string{"\xef\xbf\xbd"};
  CHECK(
    doc["reason"].GetString() == "b" + replaced + "ton \xc3\xa9 " + replaced);
  CHECK(doc["nodes"][0]["name"].GetString()
        == "\"a\n\x01" + replaced + replaced + replaced + replaced);
  CHECK(doc["nodes"][0]["queues"].HasMember(("in" + replaced).c_str()));
}

TEST_CASE("a report that could not be written leaves no file behind",
          "[report]") {
  test::temporary_folder folder;
  // The file size limit simulates a full disk.
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto less = before;
  less.rlim_cur = 16;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &less) == 0);
  auto text = error_of<std::system_error>([&] {
    rosia::write_report(folder.file("report.json"), {});
  });
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(
    text, ContainsSubstring("cannot write '" + folder.file("report.json")));
  CHECK(folder.files() == 0);
}

TEST_CASE("an application that ends in order writes no report", "[report]") {
  test::temporary_folder folder;
  test_system sys;
  auto opts = fast();
  opts.report = folder.file("report.json");
  rosia::application app{sys, opts};
  app.create<source<int>>("x", one_seven);
  CHECK(app.run() == 0);
  CHECK(folder.files() == 0);
}

TEST_CASE("a report that could not be written is refused before the start",
          "[report]") {
  test_system sys;
  auto opts = fast();
  opts.report = "/nonexistent/report.json";
  rosia::application app{sys, opts};
  auto x = app.create<source<int>>("x", one_seven);
  auto text = error_of<std::system_error>([&] { app.run(); });
  CHECK_THAT(
    text, ContainsSubstring("the report '/nonexistent/report.json' could not "
                            "be written (rosia.report: ")
            && ContainsSubstring("No such file or directory"));
  CHECK(x->shutdowns == 0);
  opts.report = "/tmp";
  rosia::application other{sys, opts};
  CHECK_THROWS_AS(other.run(), std::system_error);
}

TEST_CASE("a report in a working directory that was removed is refused before "
          "the start",
          "[report]") {
  auto before = std::filesystem::current_path();
  {
    test::temporary_folder folder;
    std::filesystem::current_path(folder.path());
  }
  test_system sys;
  auto opts = fast();
  opts.report = "report.json";
  rosia::application app{sys, opts};
  auto x = app.create<source<int>>("x", one_seven);
  auto text = error_of<std::system_error>([&] { app.run(); });
  std::filesystem::current_path(before);
  CHECK_THAT(
    text, ContainsSubstring("the report 'report.json' could not be written")
            && ContainsSubstring("No such file or directory"));
  CHECK(x->shutdowns == 0);
}

TEST_CASE("a trace or a report does not replace other files", "[report]") {
  test::temporary_folder folder;
  test_system sys;
  auto opts = fast();
  auto file = folder.file("file");
  auto content_of = [](const std::string& path) {
    std::ifstream in{path};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  auto put = [](const std::string& path, const std::string& content) {
    std::ofstream{path} << content;
  };
  auto run = [&] {
    rosia::application app{sys, opts};
    app.create<source<int>>("x", one_seven);
    return app.run();
  };
  auto refused = [&](const std::string& kind, const std::string& path) {
    auto before = content_of(path);
    CHECK_THAT(
      error_of<std::system_error>(run),
      ContainsSubstring(
        "cannot write the " + kind + " '" + path + "' (rosia." + kind
        + "): there is a file of that name that is "
          "no "
        + kind + "; remove it, or name another file"));
    CHECK(content_of(path) == before);
  };
  SECTION("a trace") {
    opts.trace = file;
    for (auto text : {"precious\n", "{\"event\":", "\n"}) {
      put(file, text);
      refused("trace", file);
    }
    put(file, "");
    CHECK(run() == 0);
    auto first = content_of(file);
    CHECK_THAT(first, ContainsSubstring("{\"event\":\"application\","));
    // A trace may be replaced, even an incomplete one.
    put(file, first + first + "{\"ev");
    CHECK(run() == 0);
    CHECK(content_of(file).size() < 2 * first.size());
    opts.trace = "/dev/null";
    CHECK(run() == 0);
  }
  SECTION("a report") {
    opts.report = file;
    put(file, "precious");
    refused("report", file);
    put(file, to_json(rosia::application_report{}));
    CHECK(run() == 0);
    put(file, "");
    CHECK(run() == 0);
    // It is first written to a file beside it.
    put(file + ".new", "precious");
    refused("report", file + ".new");
    // A path that is not a file would be replaced, not written.
    opts.report = "/dev/null";
    CHECK_THROWS_AS(run(), std::system_error);
  }
}

TEST_CASE("an incomplete trace makes a success a failure, and the last line of "
          "the log says so",
          "[report]") {
  error_capture capture;
  test_system sys;
  auto opts = with_log(fast());
  opts.trace = "/dev/full";
  auto status = GENERATE(0, 3);
  rosia::application app{sys, opts};
  app.create<script>("x", [status](script& self) {
    if (status != 0)
      self.request_shutdown(rosia::delay{}, status);
  });
  auto expected = status == 0 ? 1 : status;
  CHECK(app.run() == expected);
  CHECK(app.status().status == expected);
  auto text = capture.text();
  auto last
    = "error    rosia: the trace '/dev/full' is not complete: it could "
      "not be written: No space left on device; free some space, or name "
      "a file on another disk; the status is "
      + std::to_string(expected) + '\n';
  CHECK_THAT(text, Catch::Matchers::EndsWith(last));
}

TEST_CASE("an error of a trace whose file the application closed says so",
          "[report]") {
  error_capture capture;
  test_system sys;
  auto opts = with_log(fast());
  test::temporary_folder folder;
  opts.trace = folder.file("trace.jsonl");
  rosia::application app{sys, opts};
  app.create<script>("x", [&](script&) {
    for (auto fd = 0; fd < 1000; ++fd) {
      std::error_code none;
      auto link = "/proc/self/fd/" + std::to_string(fd);
      if (std::filesystem::read_symlink(link, none) == opts.trace)
        ::close(fd);
    }
  });
  CHECK(app.run() == 1);
  CHECK_THAT(
    capture.text(),
    Catch::Matchers::EndsWith(
      "error    rosia: the trace '" + opts.trace
      + "' is not complete: it could not be written: Bad file "
        "descriptor; the program closed the file: close only what "
        "the program opened itself; the status is 1\n"));
}

TEST_CASE("observers do not change the behavior of an application",
          "[report]") {
  // Observers briefly take a node's right to run. No wake may get lost by that,
  // and no node may run twice at once.
  std::vector<source<int>::item> items;
  for (auto i = 0; i < 2000; ++i)
    items.push_back({rosia::delay{1ms}, i});
  auto workers = GENERATE(1u, 2u, 4u);
  test_system sys{workers};
  std::atomic<int> looks = 0;
  rosia::application app{sys, fast()};
  // However fast the other nodes are, they are observed.
  app.create<script>("first", [&](script&) {
    eventually([&, before = looks.load()] { return looks > before; });
  });
  auto x = app.create<source<int>>("x", items);
  auto r1 = app.create<relay<int>>("r1");
  auto r2 = app.create<relay<int>>("r2");
  auto y = app.create<recorder<int>>("y");
  app.connect(x, &source<int>::out, r1, &relay<int>::in);
  app.connect(r1, &relay<int>::out, r2, &relay<int>::in);
  app.connect(r2, &relay<int>::out, y, &recorder<int>::in);
  std::atomic<bool> over = false;
  std::atomic<int> incomplete = 0; // Catch's macros are not thread-safe
  std::vector<std::thread> observers;
  for (auto i = 0; i < 3; ++i)
    observers.emplace_back([&] {
      while (!over) {
        incomplete += app.status().nodes.size() != 5;
        ++looks;
      }
    });
  CHECK(app.run() == 0);
  over = true;
  for (auto& thread : observers)
    thread.join();
  CHECK(y->got.size() == 2000);
  CHECK(looks > 0);
  CHECK(incomplete == 0);
}

TEST_CASE("a log that is not read does not keep the process from ending",
          "[report]") {
  auto by_signal = GENERATE(true, false);
  auto status = status_in_child([by_signal] {
    test::slow_pipe pipe;
    pipe.fill();
    if (::dup2(pipe.writer(), STDERR_FILENO) < 0)
      return 7;
    test_system sys{2};
    auto opts = with_log(fast());
    opts.signals = rosia::signal_behavior::handle;
    opts.grace_period = 10ms;
    opts.negotiation_timeout = 10ms;
    if (!by_signal)
      opts.timeout = 10ms;
    rosia::application app{sys, opts};
    static std::atomic<int> lines = 0;
    app.create<script>("talks", [](script& self) {
      for (;; ++lines)
        self.log().info(std::string(1000, 'x'));
    });
    if (by_signal)
      std::thread{[] {
        eventually([] { return lines > 20; });
        ::kill(::getpid(), SIGTERM);
      }}.detach();
    app.run();
    return 8;
  });
  CHECK(status == 129);
}

} // namespace report_test
