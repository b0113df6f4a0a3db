// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The reports of an application over several processes, which are actor systems
// of this process that share nothing.

#include "support.hpp"

#include "run_file/checkpoints.hpp"

#include "free_port.hpp"
#include "saved_run.hpp"
#include "system_as_process.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <vector>

namespace processes_test {

using rosia::application_stage;

namespace {

constexpr int messages = 500;

struct feed : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < messages; ++i) {
      out(i);
      co_await rosia::after(1us);
    }
  }
};

/// Stays in its last reaction until released.
struct drain : rosia::node {
  explicit drain(std::atomic<bool>& x) : let_go(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          ++count;
                          while (count == messages && !let_go)
                            std::this_thread::sleep_for(1ms);
                        }};

  std::atomic<bool>& let_go;
  int count = 0;
};

/// A process's view of the application.
struct sight {
  rosia::application_report held; // while the last reaction runs
  bool was_held = false;
  rosia::application_report over;
  int status = -1;
};

/// Runs `feed` in "left" and `drain` in "right". All three processes request
/// reports.
std::map<std::string, sight> run_and_look() {
  std::atomic<bool> let_go{false};
  std::atomic<int> looked{0};
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "coordinator", "left,right", address);
    rosia::application app{sys, opts};
    auto from = app.create<feed>("feed");
    auto to = app.create<drain>("drain", let_go);
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &feed::out, to, &drain::in);
    sight result;
    std::thread looker{[&] {
      result.was_held = eventually([&] {
        auto& x = result.held = app.status();
        return x.nodes.size() == 2 && x.nodes[0].has_left && x.nodes[1].running
               && x.nodes[1].code_tag == at(1us * (messages - 1));
      });
      if (++looked == 3)
        let_go = true;
    }};
    result.status = app.run();
    looker.join();
    result.over = app.status();
    return result;
  };
  std::map<std::string, std::future<sight>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures[name] = std::async(std::launch::async, run, name);
  std::map<std::string, sight> result;
  for (auto& [name, x] : futures)
    result[name] = x.get();
  return result;
}

/// Writes to each of its outputs.
struct fan : rosia::node {
  std::array<rosia::output_port<int>, 3> outs{
    {{this, "o0"}, {this, "o1"}, {this, "o2"}}};

  rosia::startup write{this, "write", [this] {
                         for (auto& x : outs)
                           x(static_cast<int>(x.index()));
                       }};
};

/// Adds up the values of each of its inputs.
struct funnel : rosia::node {
  std::array<rosia::input_port<int>, 3> ins{
    {{this, "i0"}, {this, "i1"}, {this, "i2"}}};
  rosia::input_port<int> spare{this, "spare"};

  rosia::reaction on_any{
    this, "on_any", ins, [this] {
      for (auto& x : ins)
        got.push_back(x.is_present() ? *x : -1);
    }};

  rosia::reaction on_spare{this, "on_spare", {spare}, [] {}};

  std::vector<int> got;
};

/// Runs `fan` in "left" and `funnel` in "right".
/// @returns the sums of `funnel`.
std::vector<int> run_fan() {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::vector<int> result;
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = with_log(fast(), "warning");
    test::take_part(opts, name, "coordinator", "left,right", address);
    rosia::application app{sys, opts};
    auto from = app.create<fan>("fan");
    auto to = app.create<funnel>("funnel");
    app.place(from, "left");
    app.place(to, "right");
    from[&fan::outs][1] >>= to[&funnel::ins][0];
    from[&fan::outs][2] >>= rosia::after(5ms) >>= to[&funnel::ins][2];
    app.run();
    if (name == "right")
      result = to->got;
  };
  std::vector<std::future<void>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures.push_back(std::async(std::launch::async, run, name));
  for (auto& x : futures)
    x.get();
  return result;
}

/// Sends its number at the start by each output, to the node of that number.
struct speaker : rosia::node {
  speaker(std::size_t x, std::size_t width)
    : to{this, "to", width}, number(static_cast<int>(x)) {
    // nop
  }

  rosia::output_ports<int> to;

  void start() {
    for (auto& x : to)
      x(number);
  }

  int number;
};

/// Stores the numbers, and the ports by which they arrive.
struct hearer : rosia::node {
  explicit hearer(std::size_t width) : from{this, "from", width} {
    // nop
  }

  rosia::input_ports<int> from;

  rosia::reaction on_from{
    this, "on_from", from, [this] {
      for (auto [index, port] : from.present())
        got.push_back(10 * static_cast<int>(index) + *port);
    }};

  std::vector<int> got;
};

/// Runs two speakers and three hearers over three processes.
/// @param width the number of ports of each speaker.
/// @returns what the hearers got, or the error, by process.
std::map<std::string, std::string> run_banks(std::size_t width, bool by_name) {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) -> std::string {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "coordinator", "left,right", address);
    rosia::application app{sys, opts};
    auto from
      = app.create_bank<speaker>("speaker", 2, rosia::bank_index, width);
    auto to = app.create_bank<hearer>("hearer", 3, 2u);
    app.place(from[0], "left");
    app.place(from[1], "right");
    app.place(to[0], "right");
    app.place(to[1], "coordinator");
    app.place(to[2], "left");
    if (by_name)
      app.connect("speaker[*].to", "hearer[*].from");
    else
      from[&speaker::to] >>= rosia::interleaved(to[&hearer::from]);
    try {
      app.run();
    } catch (const std::exception& e) {
      return e.what();
    }
    std::string result;
    for (auto& x : to)
      if (x.is_local())
        for (auto value : x->got)
          result += std::to_string(value) + ' ';
    return result;
  };
  std::map<std::string, std::future<std::string>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures[name] = std::async(std::launch::async, run, name);
  std::map<std::string, std::string> result;
  for (auto& [name, x] : futures)
    result[name] = x.get();
  return result;
}

bool has_complete(const std::string& file, logical_time tag) {
  namespace run_file = rosia::run_file;
  run_file::database opened{file, run_file::database::access::read};
  for (auto& x : run_file::checkpoints_of(opened))
    if (x.complete && x.tag == tag)
      return true;
  return false;
}

/// Executes a tag every 10 ms. At 50 ms it waits for the checkpoint at 40 ms.
struct patient : rosia::node, rosia::stateless<patient> {
  patient(std::string x, std::atomic<bool>& y) : file(std::move(x)), found(y) {
    // nop
  }

  rosia::action<void> next{this, "next"};

  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    if (now() == at(50ms))
      found = eventually([this] { return has_complete(file, at(40ms)); });
    next.schedule(10ms);
  }

  std::string file;
  std::atomic<bool>& found;
};

/// Has no events after its start. Either ends, or waits for an event beyond the
/// end of the application.
struct bystander : rosia::node, rosia::stateless<bystander> {
  explicit bystander(bool x) : stays(x) {
    // nop
  }

  rosia::action<void> next{this, "next"};

  rosia::reaction on_next{this, "on_next", {next}, [] {}};

  void start() {
    if (stays)
      next.schedule(1h);
  }

  bool stays;
};

/// Executes a tag every 10 ms. Stores the first one.
struct walker : rosia::node, rosia::stateless<walker> {
  explicit walker(logical_time& x) : first(x) {
    // nop
  }

  rosia::action<void> next{this, "next"};

  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    first = std::min(first, now());
    next.schedule(10ms);
  }

  logical_time& first;
};

/// Runs `walker` up to a tag, and continues the run in the file.
/// @param others the other processes; "" for one process.
/// @returns the first tag that it executes.
logical_time walk(const std::string& file, const std::string& others,
                  std::chrono::milliseconds until) {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto result = rosia::forever;
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast_until(until);
    opts.checkpoint.file = opts.resume.file = file;
    if (!others.empty())
      test::take_part(opts, name, "coordinator", others, address);
    rosia::application app{sys, opts};
    app.place(app.create<walker>("walker", result),
              others.empty() ? "coordinator" : "left");
    return app.run();
  };
  std::vector<std::future<int>> processes;
  for (auto name : {"left", "right"})
    if (others.find(name) != std::string::npos)
      processes.push_back(
        std::async(std::launch::async, run, std::string{name}));
  CHECK(run("coordinator") == 0);
  for (auto& x : processes)
    CHECK(x.get() == 0);
  return result;
}

/// Runs an application in one of the processes "coordinator" and "left".
/// @param add adds the nodes.
/// @returns the error of the run.
template <class Fun>
std::string run_one_of_two(const std::string& name, const std::string& address,
                           rosia::options opts, Fun&& add) {
  test::process_config cfg;
  caf::actor_system sys{cfg};
  test::take_part(opts, name, "coordinator", "left", address);
  rosia::application app{sys, opts};
  add(app);
  return error_of<std::runtime_error>([&] { app.run(); });
}

} // namespace

TEST_CASE("8.6 a run over more or fewer processes continues from its last "
          "checkpoint",
          "[checkpoint]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  CHECK(walk(file, "left,right", 100ms) == at(0ms));
  auto until = 100ms;
  for (auto others : {"", "", "left", "left,right", ""}) {
    INFO(others);
    CHECK(walk(file, others, until + 100ms) == at(until + 10ms));
    until += 100ms;
  }
}

TEST_CASE("8.6 a process refuses a copy of its own that would be mixed with "
          "another run",
          "[checkpoint]") {
  test::temporary_folder folder;
  auto copy = folder.file("copy.db");
  test::save(copy, test::checkpoint_of("another run", "right", 3, at(100ms)));
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto first = rosia::forever;
  auto run = [&](const std::string& name) {
    auto opts = fast_until(50ms);
    opts.checkpoint.file = folder.file("run.db");
    if (name == "left")
      opts.checkpoint.backup = copy;
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      app.place(app.create<walker>("walker", first), "coordinator");
    });
  };
  auto left = std::async(std::launch::async, run, "left");
  run("coordinator");
  CHECK_THAT(
    left.get(),
    ContainsSubstring("rosia.checkpoint.backup: '" + copy
                      + ".right' (3 processes, last checkpoint at")
      && ContainsSubstring("has checkpoints of another run"));
  CHECK(first == rosia::forever);
}

TEST_CASE(
  "8.6 a process continues no run that the coordinator does not continue",
  "[checkpoint]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = rosia::forever;
  auto run = [&](const std::string& name) {
    auto address = "127.0.0.1:" + std::to_string(test::free_port());
    auto run_one = [&, address](const std::string& process) {
      auto opts = fast_until(50ms);
      opts.checkpoint.file = folder.file(process == "left" ? "run.db" : name);
      if (process == "left")
        opts.resume.file = file;
      return run_one_of_two(
        process, address, opts, [&](rosia::application& app) {
          app.place(app.create<walker>("walker", first), "coordinator");
        });
    };
    auto left = std::async(std::launch::async, run_one, "left");
    run_one("coordinator");
    return left.get();
  };
  // There is no such run yet.
  REQUIRE(run("first.db") == "no exception");
  first = rosia::forever;
  CHECK_THAT(
    run("second.db"),
    ContainsSubstring(
      "rosia.resume.file: '" + file + ".left' (2 processes, last checkpoint at")
      && ContainsSubstring("has checkpoints of a run that the "
                           "coordinator does not continue"));
  CHECK(first == rosia::forever);
}

TEST_CASE("8.2 all processes replay the same run, or none does", "[replay]") {
  test::temporary_folder folder;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name, const rosia::options& chosen) {
    auto first = rosia::forever;
    return run_one_of_two(name, address, chosen, [&](rosia::application& app) {
      app.place(app.create<walker>("walker", first), "coordinator");
    });
  };
  auto run_both
    = [&](const rosia::options& first, const rosia::options& other) {
        auto left = std::async(std::launch::async, run, "left", other);
        run("coordinator", first);
        return left.get();
      };
  auto plain = fast_until(50ms);
  auto replays = [&](const char* name) {
    auto result = plain;
    result.replay = folder.file(name);
    return result;
  };
  for (auto name : {"run.db", "other.db"}) {
    auto records = plain;
    records.record.file = folder.file(name);
    REQUIRE(run_both(records, records) == "no exception");
  }
  CHECK(run_both(replays("run.db"), replays("run.db")) == "no exception");
  CHECK_THAT(
    run_both(replays("run.db"), plain),
    ContainsSubstring("the coordinator replays a run, and this process "
                      "does not: set rosia.replay"));
  CHECK_THAT(run_both(plain, replays("run.db")),
             ContainsSubstring("rosia.replay is set, but not for the "
                               "coordinator"));
  CHECK_THAT(run_both(replays("run.db"), replays("other.db")),
             ContainsSubstring("other.db' has another run than the coordinator "
                               "replays"));
}

namespace {

/// Is late, and asks for its deadline.
struct late_node : rosia::node {
  explicit late_node(record<int>& to) : seen(&to) {
    // nop
  }

  rosia::tick step{this, "step", 5ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this,
    "on_step",
    {step},
    rosia::deadline{5ms, [this] { note(-1); }},
    [this] {
      auto calls = 0;
      while (!deadline_missed())
        ++calls;
      note(calls);
    }};

  void note(int x) {
    seen->emplace_back(now(), x);
    out(x);
  }

  record<int>* seen;
};

} // namespace

TEST_CASE("10.3.3 each process records the misses of its nodes, and replays "
          "them",
          "[replay]") {
  test::temporary_folder folder;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::map<std::string, std::pair<record<int>, record<int>>> seen;
  for (auto* process : {"coordinator", "left"})
    seen[process]; // before there are threads
  auto run = [&](const std::string& name, const rosia::options& opts) {
    auto& own = seen[name];
    own = {};
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      app.place(app.create<late_node>("first", own.first), "coordinator");
      app.place(app.create<late_node>("other", own.second), "left");
    });
  };
  auto run_both = [&](const rosia::options& opts) {
    auto left = std::async(std::launch::async, run, "left", opts);
    CHECK(run("coordinator", opts) == "no exception");
    CHECK(left.get() == "no exception");
    return std::pair{seen["coordinator"].first, seen["left"].second};
  };
  auto records = real_time();
  records.log_level = "error";
  records.stop_after = at(60ms);
  records.record.file = folder.file("run.db");
  auto expected = run_both(records);
  CHECK(expected.first.size() == 13);
  CHECK(expected.second.size() == 13);
  CHECK(expected.first != expected.second);
  auto replays = fast_until(60ms);
  replays.replay = folder.file("run.db");
  CHECK(run_both(replays) == expected);
}

namespace {

/// A timeout that messages restart, and an action from outside that takes
/// one call.
struct timeout_node : rosia::node {
  explicit timeout_node(record<int>& to) : seen(&to) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> timeout{
    this, "timeout", rosia::spacing{7ms, rosia::update}};
  rosia::physical_action<int> call{
    this, "call", rosia::spacing{1h, rosia::drop}, rosia::after(3ms)};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          timeout.schedule(7ms, in);
                          call.schedule(-*in);
                        }};
  rosia::reaction on_any{
    this, "on_any", {timeout, call}, [this] {
      auto x = timeout.is_present() ? *timeout : *call;
      seen->emplace_back(now(), x);
      out(x);
    }};

  record<int>* seen;
};

} // namespace

TEST_CASE("10.5.2 processes have the same spacings as one, and replay them",
          "[replay]") {
  test::temporary_folder folder;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::map<std::string, record<int>> seen;
  for (auto* process : {"coordinator", "left"})
    seen[process]; // before there are threads
  auto run = [&](const std::string& name, const rosia::options& opts) {
    auto& own = seen[name];
    own = {};
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      auto from = app.create<source<int>>(
        "from",
        std::vector<source<int>::item>{{{}, 1}, {5ms, 2}, {5ms, 3}, {20ms, 4}});
      auto x = app.create<timeout_node>("timeout", own);
      auto to = app.create<::recorder<int>>("to");
      app.place(from, "coordinator");
      app.place(x, "left");
      app.place(to, "coordinator");
      app.connect(from, &source<int>::out, x, &timeout_node::in);
      app.connect(x, &timeout_node::out, to, &::recorder<int>::in);
    });
  };
  auto run_both = [&](const rosia::options& opts) {
    auto left = std::async(std::launch::async, run, "left", opts);
    CHECK(run("coordinator", opts) == "no exception");
    CHECK(left.get() == "no exception");
    return seen["left"];
  };
  auto records = real_time();
  records.stop_after = at(200ms);
  records.record.file = folder.file("run.db");
  auto expected = run_both(records);
  auto timeouts = expected;
  std::erase_if(timeouts, [](auto& x) { return x.value < 0; });
  CHECK(timeouts == record<int>{{17ms, 3}, {37ms, 4}});
  auto calls = expected;
  std::erase_if(calls, [](auto& x) { return x.value > 0; });
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].value == -1);
  CHECK(calls[0].tag >= at(3ms));
  auto replays = fast_until(200ms);
  replays.replay = folder.file("run.db");
  CHECK(run_both(replays) == expected);
}

namespace {

/// Leaves and enters a mode with a tick at each value.
struct modal_node : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::tick step{first, "step", 4ms};
  rosia::reaction on_step{first, "on_step", {step}, [this] { out(0); }};
  rosia::reaction in_first{first, "in_first", {in}, [this] { second.enter(); }};
  rosia::reaction in_second{
    second, "in_second", {in}, [this] {
      out(in);
      first.enter(rosia::history);
    }};
};

/// Stores its values outside of the node.
struct storing : rosia::node {
  explicit storing(record<int>& to) : seen(&to) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { seen->emplace_back(now(), *in); }};
  record<int>* seen;
};

} // namespace

TEST_CASE("10.7.3 modes in several processes do what they do in one",
          "[mode]") {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  record<int> seen;
  record<int> unused;
  auto run = [&](const std::string& name) {
    auto& own = name == "coordinator" ? seen : unused;
    auto opts = fast_until(40ms);
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      auto from = app.create<source<int>>(
        "from", std::vector<source<int>::item>{
                  {{}, 1}, {10ms, 2}, {5ms, 3}, {10ms, 4}});
      auto x = app.create<modal_node>("x");
      auto to = app.create<storing>("to", own);
      app.place(from, "coordinator");
      app.place(x, "left");
      app.place(to, "coordinator");
      app.connect(from, &source<int>::out, x, &modal_node::in);
      app.connect(x, &modal_node::out, to, &storing::in);
    });
  };
  auto left = std::async(std::launch::async, run, "left");
  CHECK(run("coordinator") == "no exception");
  CHECK(left.get() == "no exception");
  CHECK(
    seen
    == record<int>{
      {0ms, 0},
      {10ms, 2},
      {14ms, 0},
      {25ms, 4},
      {28ms, 0},
      {32ms, 0},
      {36ms, 0},
      {40ms, 0}});
}

namespace {

/// Sends a few beats.
struct beating : rosia::node {
  rosia::tick step{this, "step", 2ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (now() < at(10ms))
        out(1);
    }};
};

/// Reports when a beat is missing.
struct watching : rosia::node {
  explicit watching(std::atomic<int>& x) : handled(&x) {
    // nop
  }

  rosia::input_port<int> beat{this, "beat"};
  rosia::output_port<int> lost{this, "lost"};
  rosia::watchdog dog{this, "dog", 20ms, [this] { ++*handled; }};
  rosia::reaction on_beat{this, "on_beat", {beat}, [this] { dog.start(); }};
  rosia::reaction on_dog{this, "on_dog", {dog}, [this] { lost(1); }};
  std::atomic<int>* handled;
};

/// Ends the application at the first report after all beats.
struct judging : rosia::node {
  explicit judging(record<int>& x) : seen(&x) {
    // nop
  }

  rosia::input_port<int> lost{this, "lost"};
  rosia::reaction on_lost{
    this, "on_lost", {lost}, [this] {
      seen->emplace_back(now(), *lost);
      if (now() >= at(28ms))
        request_shutdown();
    }};
  record<int>* seen;
};

} // namespace

TEST_CASE(
  "10.8.3 an expiry in one process reaches the other processes, and each "
  "replays its own",
  "[replay]") {
  test::temporary_folder folder;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  record<int> seen;
  std::atomic<int> handled = 0;
  auto run = [&](const std::string& name, const rosia::options& opts) {
    record<int> unused;
    auto& own = name == "coordinator" ? seen : unused;
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      auto from = app.create<beating>("from");
      auto judge = app.create<judging>("judge", own);
      auto dog = app.create<watching>("dog", handled);
      app.place(from, "coordinator");
      app.place(judge, "coordinator");
      app.place(dog, "left");
      app.connect(from, &beating::out, dog, &watching::beat);
      app.connect(dog, &watching::lost, judge, &judging::lost);
    });
  };
  auto run_both = [&](const rosia::options& opts) {
    seen.clear();
    handled = 0;
    auto left = std::async(std::launch::async, run, "left", opts);
    CHECK(run("coordinator", opts) == "no exception");
    CHECK(left.get() == "no exception");
    return seen;
  };
  auto records = real_time();
  records.record.file = folder.file("run.db");
  auto expected = run_both(records);
  REQUIRE_FALSE(expected.empty());
  CHECK(expected.back().tag >= at(28ms));
  CHECK(handled > 0);
  auto replays = fast();
  replays.replay = folder.file("run.db");
  CHECK(run_both(replays) == expected);
  CHECK(handled == 0);
}

namespace {

/// Sends numbers. It is late for some of them: it waits until the receiver is
/// at their tag as well.
struct late_sender : rosia::node {
  explicit late_sender(std::atomic<std::int64_t>* x) : reached(x) {
    // nop
  }

  rosia::tick step{this, "step", 10ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (reached != nullptr && count % 2 == 1 && count < 6)
        while (reached->load() < now().ns)
          std::this_thread::yield();
      out(count++);
    }};
  std::atomic<std::int64_t>* reached; // null in a replay
  int count = 0;
};

/// Does not wait for its sender for long. Ends the application after the last
/// late value, because a tardy one that is stamped after the end is dropped.
struct impatient : rosia::node {
  impatient(std::atomic<std::int64_t>& x, record<int>& in_time,
            record<int>& late)
    : reached(&x), punctual(&in_time), tardy(&late) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::tick step{this, "step", 2ms};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] { *reached = now().ns; }};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      (in.is_tardy() ? tardy : punctual)->emplace_back(now(), *in);
      for (auto& x : in.all())
        if (x == 5)
          request_shutdown();
    }};
  std::atomic<std::int64_t>* reached;
  record<int>* punctual;
  record<int>* tardy;
};

/// Sends 1 at each of a number of steps, and their number at the last tag.
struct counting : rosia::node {
  explicit counting(int n) : most(n) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  rosia::action<void> step{this, "step"};
  int count = 0;
  int most;

  void start() {
    step.schedule(10ms);
  }

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      out(1);
      if (++count < most)
        step.schedule(10ms);
    }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] { out(count); }};
};

/// Sends a value around a loop with a delay, three times.
struct circling : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> back{this, "back"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_any{
    this, "on_any", {in, back}, [this] {
      auto x = in.is_present() ? *in : *back + 1;
      got.emplace_back(now(), x);
      if (x < 3 || now() > final_tag())
        out(x);
    }};
  record<int> got;
};

} // namespace

TEST_CASE("10.10.1 a receiver in another process waits by its own clock, and "
          "replays what was tardy",
          "[replay]") {
  test::temporary_folder folder;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::atomic<std::int64_t> reached;
  record<int> punctual;
  record<int> tardy;
  auto run = [&](const std::string& name, const rosia::options& opts) {
    return run_one_of_two(name, address, opts, [&](rosia::application& app) {
      auto from = app.create<late_sender>(
        "from", opts.replay.empty() ? &reached : nullptr);
      auto to = app.create<impatient>("to", reached, punctual, tardy);
      app.place(from, "coordinator");
      app.place(to, "left");
      from[&late_sender::out] >>= rosia::maxwait(5ms) >>= to[&impatient::in];
    });
  };
  auto run_both = [&](const rosia::options& opts) {
    punctual.clear();
    tardy.clear();
    reached = -1;
    auto left = std::async(std::launch::async, run, "left", opts);
    CHECK(run("coordinator", opts) == "no exception");
    CHECK(left.get() == "no exception");
    return std::pair{punctual, tardy};
  };
  auto records = real_time();
  records.record.file = folder.file("run.db");
  auto expected = run_both(records);
  REQUIRE(expected.second.size() >= 2);
  CHECK(expected.second[0].tag > at(5ms));
  auto replays = fast();
  replays.replay = folder.file("run.db");
  CHECK(run_both(replays) == expected);
}

TEST_CASE("10.6.2 the last tag passes from process to process, also in a loop",
          "[last_tag]") {
  for (auto by_itself : {false, true}) {
    CAPTURE(by_itself);
    auto address = "127.0.0.1:" + std::to_string(test::free_port());
    record<int> near;
    record<int> far;
    auto run = [&](const std::string& name) {
      test::process_config cfg;
      caf::actor_system sys{cfg};
      auto opts = by_itself ? fast() : fast_until(45ms);
      test::take_part(opts, name, "coordinator", "left", address);
      rosia::application app{sys, opts};
      auto from = app.create<counting>("from", by_itself ? 4 : 1'000);
      auto loop = app.create<circling>("loop");
      auto middle = app.create<::relay<int>>("middle");
      auto last = app.create<::recorder<int>>("last");
      app.place(from, "left");
      app.place(loop, "coordinator");
      app.place(middle, "left");
      app.place(last, "coordinator");
      app.connect(from, &counting::out, loop, &circling::in);
      app.connect(loop, &circling::out, middle, &::relay<int>::in);
      app.connect(middle, &::relay<int>::out, last, &::recorder<int>::in);
      app.connect(
        middle, &::relay<int>::out, loop, &circling::back, rosia::after(1ms));
      auto status = app.run();
      if (name == "coordinator") {
        near = loop->got;
        far = last->got;
      }
      return status;
    };
    auto left = std::async(std::launch::async, run, "left");
    CHECK(run("coordinator") == 0);
    CHECK(left.get() == 0);
    auto final = by_itself ? at(42ms) : at(45ms);
    REQUIRE_FALSE(far.empty());
    CHECK(far.back() == sent<int>{rosia::next_microstep(final), 4});
    CHECK(near.back() == sent<int>{rosia::next_microstep(final), 4});
    CHECK(near.size() == 4 * 3 + 1);
  }
}

TEST_CASE("every process's status() covers the whole application", "[report]") {
  for (auto& [name, sight] : run_and_look()) {
    auto& x = sight.held;
    INFO("in process " << name << ": " << to_string(x));
    CHECK(sight.status == 0);
    REQUIRE(sight.was_held);
    CHECK(x.stage == application_stage::running);
    CHECK(x.nodes[0].name == "feed");
    CHECK(x.nodes[1].code == "on_in");
    REQUIRE(x.processes.size() == 3);
    for (auto& process : x.processes)
      CHECK(process.problem.empty());
    CHECK(x.processes[0].name == "coordinator");
    CHECK(x.processes[0].frames == 0);
    CHECK(x.processes[1].name == "left");
    CHECK(x.processes[1].messages == messages);
    CHECK(x.processes[1].frames > 0);
    CHECK(x.processes[1].frames <= messages);
    CHECK(x.processes[2].name == "right");
    CHECK(x.processes[2].messages == 0);
  }
}

TEST_CASE("after the end the coordinator knows the counts of all processes",
          "[report]") {
  for (auto& [name, sight] : run_and_look()) {
    auto& x = sight.over;
    INFO("in process " << name << ": " << to_string(x));
    CHECK(x.stage == application_stage::over);
    REQUIRE(x.processes.size() == 3);
    auto knows
      = [&x = x](std::size_t i) { return x.processes[i].problem.empty(); };
    // The other processes know their own counts.
    CHECK(knows(0) == (name == "coordinator"));
    CHECK(knows(1) == (name != "right"));
    CHECK(knows(2) == (name != "left"));
    if (knows(1))
      CHECK(x.processes[1].messages == messages);
  }
}

TEST_CASE("every process knows the final tag after the end", "[report]") {
  struct asker : rosia::node {
    explicit asker(int x) : status(x) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      for (auto i = 0; i < 10; ++i) {
        out(i);
        if (i == 3 && status != 0)
          request_shutdown(50ms, status);
        co_await rosia::after(100ms);
      }
    }
    int status;
  };
  struct hearer : rosia::node {
    explicit hearer(rosia::logical_time& x) : at_shutdown(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [] {}};
    void shutdown() {
      at_shutdown = final_tag();
    }
    rosia::logical_time& at_shutdown;
  };
  // By request, or by itself.
  auto status = GENERATE(7, 0);
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  rosia::logical_time heard;
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "coordinator", "left,right", address);
    rosia::application app{sys, opts};
    auto from = app.create<asker>("from", status);
    auto to = app.create<hearer>("to", heard);
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &asker::out, to, &hearer::in);
    sight result;
    result.status = app.run();
    result.over = app.status();
    return result;
  };
  std::map<std::string, std::future<sight>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures[name] = std::async(std::launch::async, run, name);
  auto expected = status == 0 ? rosia::forever : at(350ms);
  for (auto& [name, x] : futures) {
    auto seen = x.get();
    INFO("in process " << name << ": " << to_string(seen.over));
    CHECK(seen.status == status);
    CHECK(seen.over.status == status);
    CHECK(seen.over.stage == application_stage::over);
    CHECK(seen.over.final == expected);
  }
  CHECK(heard == expected);
}

TEST_CASE("8.4 a process without work before the final tag does not prevent "
          "planned checkpoints",
          "[checkpoint]") {
  // The coordinator's process has no nodes, or one that ends early, or one that
  // waits for an event beyond the end.
  auto idle = GENERATE("without nodes", "ended", "waiting");
  CAPTURE(idle);
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::atomic<bool> found{false};
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast_until(200ms);
    opts.checkpoint.file = file;
    opts.checkpoint.every = 20ms;
    opts.checkpoint.keep = 1000;
    test::take_part(opts, name, "coordinator", "other", address);
    rosia::application app{sys, opts};
    app.place(
      app.create<patient>("patient", file + ".coordinator", found), "other");
    if (idle != std::string{"without nodes"})
      app.place(
        app.create<bystander>("bystander", idle == std::string{"waiting"}),
        "coordinator");
    return app.run();
  };
  auto other = std::async(std::launch::async, run, "other");
  CHECK(run("coordinator") == 0);
  CHECK(other.get() == 0);
  CHECK(found);
  CHECK(has_complete(file + ".coordinator", at(200ms)));
}

TEST_CASE(
  "a process's line in a report has its counts, or why they are unknown",
  "[report]") {
  rosia::application_report x;
  x.processes = {{"left", {}, 12, 1, 3}, {"right", "was lost"}};
  CHECK_THAT(
    to_string(x),
    ContainsSubstring(
      "process 'left': sent 12 messages of its nodes "
      "to other processes in 1 frame, and 3 frames without "
      "any\n")
      && ContainsSubstring("process 'right': was lost"));
  CHECK_THAT(to_json(x), ContainsSubstring(R"("control_frames": 3)")
                           && ContainsSubstring(R"("problem": "was lost")"));
  x.processes.clear();
  CHECK_THAT(to_json(x), !ContainsSubstring("processes"));
}

TEST_CASE("ports of arrays are connected over processes", "[members]") {
  error_capture capture;
  CHECK(run_fan() == std::vector<int>{1, -1, -1, -1, -1, 2});
  // Only the process of the node reports it.
  auto log = capture.text();
  CHECK(count_of(log, "reaction 'on_spare' of node 'funnel' never runs") == 1);
  CHECK(count_of(log, "never runs") == 1);
}

TEST_CASE("an unknown port of an array is refused by its process",
          "[members]") {
  test::process_config cfg;
  caf::actor_system sys{cfg};
  auto opts = fast();
  test::take_part(opts, "coordinator", "coordinator", "other",
                  "127.0.0.1:" + std::to_string(test::free_port()));
  rosia::application app{sys, opts};
  auto from = app.create<fan>("fan");
  auto to = app.create<funnel>("funnel");
  app.place(from, "coordinator");
  app.place(to, "other");
  from[&fan::outs][3] >>= to[&funnel::ins][0];
  CHECK(error_of<rosia::graph_error>([&] { app.run(); })
        == "node 'fan': there is no port 3 in an array of 3; they are counted "
           "from 0");
}

TEST_CASE("10.2.5 banks and channels are connected over processes",
          "[members]") {
  // Interleaved, each hearer gets both numbers: speaker[0] sends to the first
  // ports, and speaker[1] to the second ones.
  CHECK(run_banks(3, false)
        == std::map<std::string, std::string>{
          {"coordinator", "0 11 "}, {"left", "0 11 "}, {"right", "0 11 "}});
  // Node by node, the first hearer gets only the number of the first speaker.
  CHECK(run_banks(3, true)
        == std::map<std::string, std::string>{
          {"right", "0 10 "}, {"coordinator", "0 11 "}, {"left", "1 11 "}});
}

namespace {

/// Hands the numbers of two speakers to a hearer.
struct hall : rosia::composite {
  explicit hall(std::size_t number)
    : stage{this, "stage", 2, number, 2u}, audience{this, "audience", 4u} {
    rosia::interleaved(stage[&speaker::to]) >>= doors;
    seats >>= audience[&hearer::from];
  }

  rosia::outlets<int> doors{this, "doors", 4};
  rosia::inlets<int> seats{this, "seats", 4};
  rosia::parts<speaker> stage;
  rosia::part<hearer> audience;
};

} // namespace

TEST_CASE("10.9.1 the nodes of a composite are created where they run",
          "[composites]") {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) -> std::string {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "coordinator", "left,right", address);
    opts.placement = "hall[1]=right,hall[0].stage*=coordinator";
    rosia::application app{sys, opts};
    auto halls = app.create_bank<hall>("hall", 2, rosia::bank_index);
    if (name == "left")
      CHECK(halls.size() == 2);
    app.place(halls[0], "left");
    halls[0][&hall::doors] >>= rosia::after(1ms) >>= halls[1][&hall::seats];
    app.connect("hall[1].doors", "hall[0].seats");
    app.run();
    std::string result;
    for (auto& x : halls)
      if (x->audience.is_local())
        for (auto value : x->audience->got)
          result += std::to_string(value) + ' ';
    return result;
  };
  std::map<std::string, std::future<std::string>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures[name] = std::async(std::launch::async, run, name);
  CHECK(futures["coordinator"].get() == "");
  CHECK(futures["left"].get() == "1 11 21 31 ");
  CHECK(futures["right"].get() == "0 10 20 30 ");
}

TEST_CASE("10.2.5 all processes refuse different numbers of ports",
          "[members]") {
  for (auto by_name : {false, true})
    for (auto& [name, error] : run_banks(2, by_name)) {
      INFO(name);
      CHECK_THAT(
        error,
        ContainsSubstring("'speaker[*].to' has 4 channels (2 nodes of 2), "
                          "'hearer[*].from' has 6 channels (3 nodes of 2)"));
    }
}

} // namespace processes_test
