// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 8 of the semantics: recording and replay.

#include "recorded_run.hpp"

#include "nodes/node_access.hpp"
#include "rosia_trace/commands.hpp"
#include "run_file/recording.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace recording_test {

using recording::ask;
using recording::for_each_replay;
using recording::kept_trace;
using recording::replayed;
using recording::steps;

namespace {

/// A structure that cannot be written if it is negative.
struct picky {
  int content = 0;

  template <class Inspector>
  friend auto inspect(Inspector& f, picky& x) {
    if (x.content < 0)
      throw std::runtime_error("it is negative");
    return caf::rosia::inspect_members(f, x, x.content);
  }
};

/// A structure with a nested structure.
struct pose {
  double x = 0;
  std::string frame;
  std::vector<int> history;

  template <class Inspector>
  friend auto inspect(Inspector& f, pose& p) {
    return caf::rosia::inspect_members(f, p, p.x, p.frame, p.history);
  }
};

/// Forwards calls and values of a physical connection as a pose.
struct tracker : rosia::node {
  rosia::input_port<int> wheel{this, "wheel"};
  rosia::physical_action<int> manual{this, "manual"};
  rosia::input_port<int> tick{this, "tick"};
  rosia::output_port<pose> out{this, "out"};

  rosia::physical_action<int> key{this, "key"};

  rosia::reaction on_key{
    this, "on_key", {key}, [this] {
      add(*key * 1000);
      if (*key < 0)
        request_shutdown(5ms, 3);
    }};

  rosia::reaction on_input{
    this, "on_input", {wheel, manual, tick}, [this] {
      auto all = 0;
      for (auto* port : std::initializer_list<rosia::input_port<int>*>{
             &wheel, &manual, &tick})
        for (auto x : port->all())
          all += x;
      add(all);
    }};

  void start() {
    started = true;
  }

  void add(int x) {
    sum += x;
    history.push_back(sum);
    // One pose per tag.
    if (sent != now())
      out(pose{static_cast<double>(sum), "map", {x}});
    sent = now();
    ++steps;
  }

  int sum = 0;
  logical_time sent = rosia::never;
  std::vector<int> history;
  std::atomic<int> steps = 0;
  std::atomic<bool> started = false;
};

struct counter : rosia::node {
  explicit counter(rosia::delay d) : period(d) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0;; ++i) {
      out(i);
      co_await rosia::after(period);
    }
  }

  rosia::delay period;
};

struct pose_sink : rosia::node {
  rosia::input_port<pose> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { ++got; }};
  int got = 0;
};

/// Writes ten poses.
struct limited_source : rosia::node {
  rosia::output_port<pose> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < 10; ++i) {
      out(pose{static_cast<double>(i), "map", {}});
      co_await rosia::after(1us);
    }
  }
};

/// The result of a run.
struct result {
  int status = 0;
  recording::steps steps;
  std::vector<int> history;
  bool called = false; // whether calls were accepted
};

/// Number of values for each physical action.
constexpr auto calls = 20;

rosia::options recorded(const std::string& file) {
  auto opts = real_time();
  opts.record.file = file;
  opts.record.ports = "tracker.out, tracker.tick";
  return opts;
}

result run(rosia::options opts, std::size_t threads = 2,
           bool other_graph = false) {
  test_system sys{threads};
  rosia::application app{sys, opts};
  kept_trace trace{app};
  auto clock = app.create<counter>("clock", rosia::delay{1ms});
  auto wheel = app.create<counter>("wheel", rosia::delay{3ms});
  auto node = app.create<tracker>("tracker");
  auto sink = app.create<pose_sink>("sink");
  app.connect(clock, &counter::out, node, &tracker::tick);
  app.connect(wheel, &counter::out, node, &tracker::wheel, rosia::physical);
  if (other_graph)
    app.connect(node, &tracker::out, sink, &pose_sink::in, rosia::after(1ms));
  else
    app.connect(node, &tracker::out, sink, &pose_sink::in);
  result x;
  std::atomic<bool> over = false;
  std::thread caller{[&] {
    eventually([&] { return node->started.load() || over; });
    for (auto i = 1; i <= calls && !over; ++i) {
      x.called = node->key.schedule(i) || x.called;
      x.called = node->manual.schedule(i) || x.called;
      auto steps = node->steps.load();
      eventually([&] { return node->steps > steps || over; });
    }
    if (opts.signals == rosia::signal_behavior::handle && !over)
      ::kill(::getpid(), SIGTERM);
    else
      while (!over && !node->key.schedule(-1))
        std::this_thread::yield();
  }};
  try {
    x.status = app.run();
  } catch (...) {
    over = true;
    caller.join();
    throw;
  }
  over = true;
  caller.join();
  x.steps = trace.steps();
  x.history = node->history;
  return x;
}

/// Number of rings for a recording that is read in several parts.
constexpr std::size_t rings = 30'000;

/// A node that measures the memory used for a recording.
struct watched_bell : rosia::node {
  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] {
      got.emplace_back(now(), *ring);
      auto& engine = rosia::detail::node_access::engine(*this);
      most_at_hand = std::max(most_at_hand, engine.events().stamped()->size());
      if (*ring < 0)
        request_shutdown();
    }};

  void start() {
    started = true;
  }

  void shutdown() {
    ++shutdowns;
  }

  record<int> got;
  std::size_t most_at_hand = 0;
  std::atomic<bool> started = false;
  int shutdowns = 0;
};

struct ringing {
  std::string file;
  bool records = false; // otherwise replays
  std::string copy = {};
  std::string groups = "auto";
};

struct rung {
  int status = 0;
  record<int> got;
  std::size_t most_at_hand = 0;
  int shutdowns = 0;
};

rung ring_often(const ringing& settings) {
  auto opts = fast();
  (settings.records ? opts.record.file : opts.replay) = settings.file;
  if (!settings.copy.empty())
    opts.record.file = settings.copy;
  opts.groups = settings.groups;
  test_system sys{1};
  rosia::application app{sys, opts};
  auto bell = app.create<watched_bell>("bell");
  std::thread caller{[&] {
    auto call = [&](int x) {
      while (!bell->ring.schedule(x))
        std::this_thread::yield();
    };
    for (std::size_t i = 0; settings.records && i < rings; ++i)
      call(static_cast<int>(i));
    if (settings.records)
      call(-1);
  }};
  rung result;
  result.status = app.run();
  caller.join();
  result.got = bell->got;
  result.most_at_hand = bell->most_at_hand;
  result.shutdowns = bell->shutdowns;
  return result;
}

} // namespace

// -- 8.1 ----------------------------------------------------------------------

TEST_CASE("8.1 the graph, the external events, the end and the values of the "
          "named ports are recorded",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto x = run(recorded(file));
  CHECK(x.status == 3);
  CHECK(x.called);
  CHECK(ask(file, "SELECT count(*) FROM node") == "4");
  CHECK(ask(file, "SELECT count(*) FROM connection WHERE physical") == "1");
  CHECK(ask(file, "SELECT physical FROM port WHERE name = 'key'") == "1");
  CHECK(ask(file, "SELECT count(*) FROM event WHERE source = 'action' "
                  "AND name = 'key'")
        == std::to_string(calls + 1));
  CHECK(ask(file, "SELECT count(*) FROM event WHERE source = 'action' "
                  "AND name = 'manual'")
        == std::to_string(calls));
  CHECK(ask(file, "SELECT name FROM event WHERE source = 'physical'")
        == "wheel.out to tracker.wheel");
  CHECK(ask(file, "SELECT text FROM event WHERE name = 'key'") == "1");
  CHECK(ask(file, "SELECT how || status FROM run") == "final3");
  // All poses are recorded, and their parts can be queried.
  CHECK(ask(file, "SELECT count(*) FROM port_value WHERE port = 'tracker.out'")
        == std::to_string(count_of(
          [&] {
            std::string all;
            for (auto& line : x.steps["sink"])
              all += line;
            return all;
          }(),
          "\"input\"")));
  CHECK(ask(file, "SELECT json_extract(text, '$[1]') FROM port_value "
                  "WHERE port = 'tracker.out'")
        == "map");
  CHECK(ask(file, "SELECT text FROM port_value WHERE port = 'tracker.tick'")
        == "0");
  // A single file.
  CHECK(folder.files() == 1);
}

TEST_CASE(
  "8.1 a second run is added to the file, and is the one that is replayed",
  "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  auto second = run(recorded(file));
  CHECK(ask(file, "SELECT count(*) FROM run") == "2");
  CHECK(run(replayed(file)).steps == second.steps);
}

TEST_CASE("8.1 the values of an output are recorded, whatever receives them",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = fast();
  opts.record.file = file;
  opts.record.ports = "*.*";
  opts.max_in_flight = 1;
  opts.groups = GENERATE("auto", "all");
  test_system sys{1};
  rosia::application app{sys, opts};
  app.create<limited_source>("alone");
  auto near = app.create<limited_source>("near");
  auto next = app.create<pose_sink>("next");
  app.connect(near, &limited_source::out, next, &pose_sink::in);
  auto from = app.create<limited_source>("from");
  auto to = app.create<pose_sink>("to");
  app.connect(from, &limited_source::out, to, &pose_sink::in, rosia::physical);
  REQUIRE(app.run() == 0);
  for (auto* name : {"alone.out", "near.out", "next.in", "from.out"}) {
    auto sql
      = std::string{"SELECT group_concat(json_extract(text, '$[0]')) FROM "
                    "port_value WHERE port = '"}
        + name + "'";
    CHECK(ask(file, sql.c_str()) == "0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0");
  }
}

// -- 8.2 ----------------------------------------------------------------------

TEST_CASE("8.2 a recorded run is replayed with the same trace, on any number "
          "of threads, in real time or as fast as possible",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  for_each_replay(file, {1, 2, 4}, [&](auto& opts, auto threads) {
    auto again = run(opts, threads);
    CHECK(again.status == 3);
    CHECK(again.history == first.history);
    CHECK(again.steps == first.steps);
  });
}

TEST_CASE("8.2 a replay takes the values that a full connection kept, at their "
          "tags, and sends those that were dropped",
          "[recording]") {
  // The receiver starts before the first value is sent, and continues after the
  // last one.
  struct progress {
    std::atomic<bool> started = false;
    std::atomic<bool> sent = false;
  };
  struct burst : rosia::node {
    explicit burst(progress& x) : at(x) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      eventually([this] { return at.started.load(); });
      for (auto i = 0; i < 20; ++i) {
        out(i);
        co_await rosia::after(1us);
      }
      at.sent = true;
    }
    progress& at;
  };
  struct busy : recorder<int> {
    explicit busy(progress& x) : at(x) {
      // nop
    }
    void start() {
      at.started = true;
      eventually([this] { return at.sent.load(); });
    }
    progress& at;
  };
  struct outcome {
    record<int> got;
    recording::steps steps;
  };
  auto keeps_latest = GENERATE(true, false);
  CAPTURE(keeps_latest);
  auto run_once = [&](rosia::options opts) {
    opts.max_in_flight = 2;
    test_system sys;
    rosia::application app{sys, opts};
    kept_trace trace{app};
    progress at;
    at.started = at.sent = !opts.replay.empty();
    auto from = app.create<burst>("from", at);
    auto to = app.create<busy>("to", at);
    if (keeps_latest)
      app.connect(from, &burst::out, to, &busy::in, rosia::keep_latest(2));
    else
      app.connect(from, &burst::out, to, &busy::in, rosia::physical);
    CHECK(app.run() == 0);
    return outcome{to->got, trace.steps()};
  };
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = fast();
  opts.record.file = file;
  auto first = run_once(opts);
  REQUIRE(first.got.size() == 2);
  CHECK(first.got[0].value == (keeps_latest ? 18 : 0));
  CHECK(first.got[1].value == (keeps_latest ? 19 : 1));
  for (auto* groups : {"auto", "off", "all", "shuffle"}) {
    auto again = replayed(file);
    again.groups = groups;
    auto second = run_once(again);
    CHECK(second.got == first.got);
    CHECK(second.steps == first.steps);
  }
}

TEST_CASE("8.2 special numbers are replayed exactly", "[recording]") {
  struct laser : rosia::node {
    rosia::output_port<std::vector<double>> out{this, "out"};
    rosia::state<std::vector<double>> got{this, "got", {}};
    rosia::physical_action<double> set{this, "set"};
    rosia::reaction on_set{
      this, "on_set", {set}, [this] {
        got->push_back(*set);
        out(*got);
        if (got->size() == 7)
          request_shutdown();
      }};
  };
  using limits = std::numeric_limits<double>;
  std::vector<double> all{
    limits::infinity(),
    -limits::infinity(),
    limits::quiet_NaN(),
    -0.0,
    limits::denorm_min(),
    limits::min() / 3,
    0.1};
  auto run_once = [&](const rosia::options& opts) {
    test_system sys;
    rosia::application app{sys, opts};
    kept_trace trace{app};
    auto node = app.create<laser>("laser");
    if (opts.replay.empty())
      for (auto x : all)
        CHECK(node->set.schedule(x));
    CHECK(app.run() == 0);
    REQUIRE(node->got->size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i]);
      CHECK(std::bit_cast<std::uint64_t>(node->got[i])
            == std::bit_cast<std::uint64_t>(all[i]));
    }
    return trace.steps();
  };
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = real_time();
  opts.record.file = file;
  opts.record.ports = "laser.out";
  auto first = run_once(opts);
  CHECK(run_once(replayed(file)) == first);
}

TEST_CASE("8.2 external events are read only from the file", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  error_capture log;
  auto opts = replayed(file, true);
  opts.log_level = "warning";
  CHECK_FALSE(run(opts).called);
  CHECK(log.text() == "");
}

TEST_CASE("8.2 a recording of a replay equals the original", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto copy = folder.file("copy.db");
  auto first = run(recorded(file));
  auto opts = replayed(file);
  opts.record.file = copy;
  opts.record.ports = "*.*";
  CHECK(run(opts).steps == first.steps);
  CHECK(run(replayed(copy)).steps == first.steps);
  // An event before the end was known may have a tag beyond it.
  for (auto* sql :
       {"SELECT group_concat(ns || text) FROM event WHERE (ns, microstep) "
        "<= (SELECT final_ns, final_microstep FROM run)",
        "SELECT group_concat(ns || text) FROM port_value "
        "WHERE port = 'tracker.out'"}) {
    auto recorded = ask(file, sql);
    CHECK_FALSE(recorded.empty());
    CHECK(ask(copy, sql) == recorded);
  }
}

TEST_CASE("8.2 a replay may be recorded in the file that it repeats",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  auto opts = replayed(file);
  opts.record.file = file;
  CHECK(run(opts).steps == first.steps);
  CHECK(ask(file, "SELECT count(*) FROM run") == "2");
  // One file, without others beside it.
  CHECK(folder.files() == 1);
  CHECK(run(replayed(file)).steps == first.steps);
}

TEST_CASE("8.2 the last run of a file is replayed, even if the clock was set "
          "back before it",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  run(recorded(file));
  {
    rosia::run_file::database opened{
      file, rosia::run_file::database::access::write};
    opened.execute("change it", "UPDATE run SET started_ns = started_ns + "
                                "3600000000000 WHERE id = 1");
  }
  CHECK(rosia::run_file::read_run(file).uuid
        == ask(file, "SELECT uuid FROM run WHERE id = 2"));
}

TEST_CASE("8.1 a run that is refused is not in the file", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  auto opts = recorded(file);
  opts.checkpoint.file = folder.file("state.db");
  CHECK_THAT(error_of<std::runtime_error>([&] { run(opts); }),
             ContainsSubstring("do not say what to save"));
  CHECK(ask(file, "SELECT count(*) FROM run") == "1");
  for (auto* sql :
       {"SELECT count(*) FROM node WHERE run > 1",
        "SELECT count(*) FROM port WHERE run > 1",
        "SELECT count(*) FROM reaction WHERE run > 1",
        "SELECT count(*) FROM connection WHERE run > 1",
        "SELECT count(*) FROM option WHERE run > 1"})
    CHECK(ask(file, sql) == "0");
  CHECK(run(replayed(file)).steps == first.steps);
}

TEST_CASE("8.2 a recording is read in parts while it is replayed",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = ring_often({.file = file, .records = true});
  REQUIRE(first.got.size() == rings + 1);
  CHECK(ask(file, "SELECT count(*) FROM event") == std::to_string(rings + 1));
  for (auto* groups : {"off", "all"}) {
    auto again = ring_often({.file = file, .groups = groups});
    CHECK(again.status == 0);
    CHECK(again.got == first.got);
    CHECK(again.most_at_hand > 1);
    CHECK(again.most_at_hand < rings / 10);
  }
  // A recording of the replay has all events, even if the replay is incomplete.
  auto copy = folder.file("copy.db");
  auto copied = ring_often({.file = file, .copy = copy});
  CHECK(copied.got == first.got);
  CHECK(ring_often({.file = copy}).got == first.got);
}

TEST_CASE("8.2 an error in the middle of a recording ends its replay in order",
          "[recording]") {
  constexpr const char* damages[] = {
    "UPDATE event SET bytes = x'01' WHERE rowid = 15000",
    "UPDATE event SET bytes = NULL WHERE rowid = 15000",
    "UPDATE event SET ns = 0 WHERE rowid = 15000",
    "UPDATE event SET ns = -1 WHERE rowid = 15000",
    "UPDATE event SET microstep = 1 << 40 WHERE rowid = 15000",
    "UPDATE event SET name = 'rung' WHERE rowid = 15000",
    "UPDATE event SET source = 'nobody' WHERE rowid = 15000",
  };
  test::temporary_folder folder;
  auto sound = folder.file("sound.db");
  auto first = ring_often({.file = sound, .records = true});
  auto try_file = [&](const std::string& file) {
    error_capture log;
    auto again = ring_often({.file = file});
    CHECK(again.status == 1);
    CHECK(again.shutdowns == 1);
    CHECK(again.got.size() > 100);
    CHECK(again.got.size() < rings);
    CHECK(std::equal(again.got.begin(), again.got.end(), first.got.begin()));
    auto text = log.text();
    CHECK_THAT(text, ContainsSubstring("error in 'replay' at tag "));
    return text;
  };
  for (auto* damage : damages) {
    INFO(damage);
    auto file = folder.file("x.db");
    std::filesystem::copy_file(
      sound, file, std::filesystem::copy_options::overwrite_existing);
    rosia::run_file::database{file, rosia::run_file::database::access::write}
      .execute("damage it", damage);
    try_file(file);
  }
  // Simulates damage by the disk.
  auto file = folder.file("x.db");
  std::filesystem::copy_file(
    sound, file, std::filesystem::copy_options::overwrite_existing);
  auto page = std::stoul(
    ask(file, "SELECT pageno FROM dbstat WHERE name = 'event' AND pagetype = "
              "'leaf' ORDER BY path LIMIT 1 OFFSET 200"));
  {
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    out.seekp(static_cast<std::streamoff>((page - 1) * 4096));
    out << std::string(4096, 'x');
  }
  CHECK_THAT(
    try_file(file),
    ContainsSubstring(
      "run file '" + file
      + "': cannot read the "
        "recorded events: database disk image is "
        "malformed; the file is cut off or garbled: use "
        "a copy"));
}

TEST_CASE("8.2 a copy of a recording beside it has no effect", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  std::filesystem::copy_file(file, file + ".bak");
  folder.write("run.db.txt", "some notes");
  CHECK(run(replayed(file)).steps == first.steps);
  std::ostringstream one, all;
  CHECK(rosia_trace::values_command({file, "tracker.tick"}, one) == 0);
  CHECK(rosia_trace::export_command({file, "", true}, all) == 0);
  CHECK(count_of(all.str(), "\n") - 1
        == std::stoi(ask(file, "SELECT count(*) FROM event")));
  CHECK(std::to_string(count_of(one.str(), "\n"))
        == ask(file, "SELECT count(*) FROM port_value WHERE port = "
                     "'tracker.tick'"));
  CHECK(rosia_trace::verify_command({file}, one) == rosia_trace::exit_good);
  CHECK(rosia_trace::info_command({file}, one) == rosia_trace::exit_good);
}

TEST_CASE("8.2 a different graph is refused with the first difference",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  CHECK(error_of<rosia::graph_error>([&] { run(replayed(file), 2, true); })
        == "rosia.replay: the graph is not the one that is recorded in '" + file
             + "': there was connection 'tracker.out' to 'sink.in', where the "
               "program has connection 'tracker.out' to 'sink.in', delay "
               "1000000ns");
}

TEST_CASE(
  "8.2 the recording before a crash is replayed up to its last known tag",
  "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  // As if the process had been killed in the middle.
  auto middle = std::stoll(ask(file, "SELECT max(ns) / 2 FROM event"));
  {
    rosia::run_file::database changed{
      file, rosia::run_file::database::access::write};
    auto sql
      = "UPDATE run SET how = NULL, final_ns = NULL, reaches_ns = "
        + std::to_string(middle)
        + "; DELETE FROM event WHERE ns >= " + std::to_string(middle);
    changed.execute("cut it off", sql.c_str());
  }
  error_capture log;
  auto opts = replayed(file);
  opts.log_level = "warning";
  auto x = run(opts);
  CHECK(x.status == 0);
  CHECK_THAT(log.text(), ContainsSubstring("has no end: it is cut off"));
  auto events = ask(file, "SELECT count(*) FROM event");
  auto seen = 0;
  for (auto& line : x.steps["tracker"])
    seen += line.starts_with("{\"event\":\"input\"")
            && line.find("\"clock.out\"") == line.npos;
  CHECK(std::to_string(seen) == events);
  CHECK_THAT(log.text(), !ContainsSubstring("may differ"));
  {
    rosia::run_file::database changed{
      file, rosia::run_file::database::access::write};
    changed.execute("cut it off", "UPDATE run SET reaches_ns = 0");
  }
  error_capture log_of_tag_0;
  CHECK(run(opts).status == 0);
  CHECK_THAT(
    log_of_tag_0.text(), ContainsSubstring("does not reach the end of tag 0s"));
}

TEST_CASE("8.2 a recording that lost events is refused with a message",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  {
    rosia::run_file::database changed{
      file, rosia::run_file::database::access::write};
    changed.execute("lose some", "UPDATE run SET lost_events = 2, reaches_ns = "
                                 "(SELECT max(ns) / 2 FROM event)");
  }
  error_capture log;
  auto opts = replayed(file);
  opts.log_level = "warning";
  run(opts);
  CHECK_THAT(
    log.text(), ContainsSubstring("the recording has lost 2 external events"));
}

TEST_CASE("8.1 an event whose value cannot be saved is lost, and named",
          "[recording]") {
  struct called : rosia::node {
    rosia::physical_action<picky> in{this, "in"};
    void start() {
      in.schedule({1});
      in.schedule({-1});
    }
  };
  test::temporary_folder folder;
  auto opts = fast_until(20ms);
  opts.record.file = folder.file("run.db");
  opts.log_level = "error";
  error_capture log;
  test_system sys;
  rosia::application app{sys, opts};
  app.create<called>("node");
  CHECK(app.run() == 1);
  auto text = log.text();
  CHECK_THAT(
    text, ContainsSubstring("1 external event could not be recorded: the "
                            "action value 'in' of node 'node' at tag ")
            && ContainsSubstring(" cannot be saved: it is negative"));
  CHECK(ask(opts.record.file, "SELECT lost_events FROM run") == "1");
  CHECK(ask(opts.record.file, "SELECT group_concat(text) FROM event") == "1");
}

TEST_CASE("8.2 a run that a signal ended is replayed to the same end",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = recorded(file);
  opts.signals = rosia::signal_behavior::handle;
  auto first = run(opts);
  CHECK(first.status == 0);
  for (auto threads : {1u, 4u}) {
    auto again = run(replayed(file), threads);
    CHECK(again.status == 0);
    CHECK(again.steps == first.steps);
  }
}

TEST_CASE("8.2 the recording of a killed process is replayed", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto killed = status_in_child([&] {
    auto opts = recorded(file);
    opts.record.ports = "to.in";
    test_system sys{1};
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    auto to = app.create<::recorder<int>>("to");
    app.connect(bell, &doorbell::out, to, &::recorder<int>::in);
    std::thread caller{[&] {
      for (auto i = 0;; ++i) {
        bell->ring.schedule(i);
        std::this_thread::yield();
        // The recorded range grows while the process runs.
        if (i % 1000 == 0 && bell->started
            && ask(file, "SELECT reaches_ns > 0 FROM run") == "1"
            && ask(file, "SELECT count(*) > 10 FROM event") == "1")
          ::kill(::getpid(), SIGKILL);
      }
    }};
    return app.run();
  });
  CHECK(killed == 1000 + SIGKILL);
  CHECK(ask(file, "PRAGMA integrity_check") == "ok");
  auto expected = ask(
    file, "SELECT group_concat(text) FROM (SELECT text FROM "
          "event WHERE ns < (SELECT reaches_ns - 1 FROM run) "
          "ORDER BY ns, microstep)");
  test_system sys{2};
  rosia::application app{sys, replayed(file)};
  auto bell = app.create<doorbell>("bell");
  auto to = app.create<::recorder<int>>("to");
  app.connect(bell, &doorbell::out, to, &::recorder<int>::in);
  CHECK(app.run() == 0);
  std::string seen;
  for (auto& x : bell->got)
    seen += (seen.empty() ? "" : ",") + std::to_string(x.value);
  CHECK(seen == expected);
  CHECK(bell->got == to->got);
}

TEST_CASE("8.1 a full disk does not hold up the run, and the loss is reported",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto log = folder.file("log");
  auto status = status_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{150'000, 150'000};
    auto to = std::fopen(log.c_str(), "w");
    ::dup2(::fileno(to), 2);
    auto opts = recorded(file);
    opts.log_level = "error";
    opts.record.ports.clear();
    test_system sys{1};
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::thread caller{[&] {
      for (auto i = 0; i < 10'000; ++i)
        while (!bell->ring.schedule(i))
          std::this_thread::yield();
      while (!bell->ring.schedule(-1))
        std::this_thread::yield();
    }};
    auto result = app.run();
    caller.join();
    return bell->got.size() == 10'001 ? result : 99;
  });
  CHECK(status == 1);
  std::stringstream said;
  said << std::ifstream{log}.rdbuf();
  CHECK_THAT(
    said.str(),
    ContainsSubstring("; the run continues, and lost records are counted")
      && ContainsSubstring("is not complete"));
  // The recorded part is sound.
  std::ostringstream out;
  CHECK(rosia_trace::verify_command({file}, out) == rosia_trace::exit_good);
}

// -- tools --------------------------------------------------------------------

TEST_CASE("rosia-trace describes the content of a run file", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  std::ostringstream info, values, table, events, sound;
  CHECK(rosia_trace::info_command({file}, info) == 0);
  CHECK_THAT(
    info.str(),
    ContainsSubstring("4 nodes, 8 ports, 3 connections")
      && ContainsSubstring("end: at the final tag")
      && ContainsSubstring("status 3"));
  CHECK(rosia_trace::values_command({file, "tracker.tick"}, values) == 0);
  CHECK(values.str().starts_with("0s\t0\n1ms\t1\n2ms\t2\n"));
  CHECK(rosia_trace::export_command({file, "", false}, table) == 0);
  CHECK(count_of(table.str(), "\n") - 1
        == std::stoi(ask(file, "SELECT count(*) FROM value")));
  CHECK(rosia_trace::export_command({file, "", true}, events) == 0);
  CHECK(count_of(events.str(), "\n") - 1
        == std::stoi(ask(file, "SELECT count(*) FROM event")));
  CHECK_THAT(error_of<std::runtime_error>([&] {
               rosia_trace::export_command({file, file, true}, events);
             }),
             ContainsSubstring("it is the file that is read"));
  CHECK(rosia_trace::verify_command({file}, sound) == 0);
  CHECK(error_of<std::runtime_error>([&] {
          rosia_trace::values_command({file, "sink.in"}, values);
        })
        == "no port 'sink.in' is recorded in the last run of '" + file
             + "': name it with --rosia.record.ports when you record; there is "
               "'tracker.out' and 'tracker.tick'");
  CHECK_THAT(error_of<std::runtime_error>([&] {
               rosia_trace::values_command({file, "trakcer.out"}, values);
             }),
             ContainsSubstring("did you mean 'tracker.out'?"));
  // A damaged page in the middle.
  auto size = std::filesystem::file_size(file);
  {
    std::fstream garbled{file, std::ios::in | std::ios::out | std::ios::binary};
    garbled.seekp(static_cast<std::streamoff>(size / 2));
    garbled << std::string(5000, 'x');
  }
  CHECK(rosia_trace::verify_command({file}, sound) == rosia_trace::exit_bad);
}

TEST_CASE("rosia-trace does not call an empty file sound", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  // The process was killed before it committed the first transaction.
  rosia::run_file::database{file, rosia::run_file::database::access::write};
  std::ostringstream said;
  CHECK(rosia_trace::verify_command({file}, said) == rosia_trace::exit_bad);
  CHECK(said.str()
        == file
             + ": there is neither a recorded run nor a complete checkpoint in "
               "it: the process that wrote it ended before it had one\n");
}

TEST_CASE("the manual's ten questions have answers", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  std::ifstream manual{ROSIA_MANUAL "/recording.rst"};
  auto questions = 0;
  for (std::string line; std::getline(manual, line);) {
    if (line != ".. code-block:: sql")
      continue;
    std::string query;
    while (std::getline(manual, line) && (line.empty() || line[0] == ' ')
           && query.find(';') == query.npos)
      query += line + '\n';
    INFO(query);
    CHECK(ask(file, query.c_str()) != "nothing");
    ++questions;
  }
  CHECK(questions == 10);
}

// -- mistakes -----------------------------------------------------------------

TEST_CASE("unsuitable values and files are refused for recording and replay",
          "[recording]") {
  test::temporary_folder folder;
  auto record_error = [&](const std::string& ports) {
    auto opts = recorded(folder.file("other.db"));
    opts.record.ports = ports;
    return error_of<rosia::graph_error>([&] { run(opts); });
  };
  CHECK(record_error("tracker.outt")
        == "rosia.record.ports: there is no port 'tracker.outt'; did you mean "
           "'tracker.out'?");
  CHECK(record_error("x.*")
        == "rosia.record.ports: there is no port 'x.*'; there is 'clock.out', "
           "'wheel.out', 'tracker.wheel', 'tracker.manual', 'tracker.tick', "
           "'tracker.key', 'tracker.out' and 'sink.in'");
  auto replay_error = [&](const std::string& file) {
    return error_of<std::runtime_error>([&] { run(replayed(file)); });
  };
  CHECK_THAT(replay_error(folder.path()),
             ContainsSubstring("it is a folder; name a file in it"));
  CHECK_THAT(replay_error(folder.file("none.db")),
             ContainsSubstring("No such file or directory"));
  CHECK_THAT(replay_error(folder.write("empty.db", "")),
             ContainsSubstring("it is empty"));
  CHECK_THAT(replay_error(folder.write("text.db", "not a database at all")),
             ContainsSubstring("it is text, no database of SQLite"));
  auto nothing = folder.file("nothing.db");
  rosia::run_file::database{nothing, rosia::run_file::database::access::write};
  CHECK_THAT(replay_error(nothing), ContainsSubstring("no run is recorded"));
  auto file = folder.file("run.db");
  run(recorded(file));
  auto size = std::filesystem::file_size(file);
  std::filesystem::copy(file, folder.file("cut.db"));
  std::filesystem::resize_file(folder.file("cut.db"), size / 2);
  CHECK_THAT(replay_error(folder.file("cut.db")),
             ContainsSubstring("cut off or garbled: use a copy"));
}

} // namespace recording_test
