// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints, and runs that resume from them: section 8 of the semantics.

#include "run_file/checkpoints.hpp"
#include "run_file/database.hpp"

#include "caf/rosia/test/check_resume.hpp"

#include "saved_run.hpp"
#include "support.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

namespace checkpoint_test {

namespace {

namespace run_file = caf::rosia::run_file;

using test::temporary_folder;

/// Sends 1, 2, 3... every 7 ms.
struct counter : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::action<void> next{this, "next"};
  rosia::state<int> count{this, "count", 0};
  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    ++count;
    out(*count);
    next.schedule(7ms);
  }
};

/// Adds up its values, and those that it sent to itself earlier.
struct adder : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> back{this, "back"};
  rosia::output_port<int> out{this, "out"};
  rosia::state<int> sum{this, "sum", 0};
  rosia::reaction on_any{
    this, "on_any", {in, back}, [this] {
      if (in.is_present())
        sum = (*sum + *in) % 1000;
      if (back.is_present())
        sum = (*sum * 3 + *back + (in.has_value() ? *in : 0)) % 1000;
      out(*sum);
    }};
};

/// Stores its values with their tags.
struct keeper : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::state<std::vector<std::pair<logical_time, int>>> got{this, "got", {}};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { got->emplace_back(now(), *in); }};
  int resumptions = 0;
  int ends = 0;
  void resumed() {
    ++resumptions;
  }
  void shutdown() {
    ++ends;
  }
};

/// Does nothing every 7 ms, but blocks beyond 30 ms until released.
struct gated : rosia::node, rosia::stateless<gated> {
  explicit gated(std::future<void> when) : opened(std::move(when)) {
    // nop
  }
  rosia::action<void> next{this, "next"};
  std::future<void> opened;
  std::promise<void> waits;
  std::atomic<bool> has_ended = false;
  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    if (now() > at(30ms) && opened.valid()) {
      waits.set_value();
      opened.get();
    }
    next.schedule(7ms);
  }

  void shutdown() {
    has_ended = true;
  }
};

using kept = std::vector<std::pair<logical_time, int>>;

struct graph {
  graph(caf::actor_system& sys, const rosia::options& opts) : app{sys, opts} {
    auto first = app.create<counter>("first");
    auto second = app.create<adder>("second");
    last = app.create<keeper>("last");
    app.connect(first, &counter::out, second, &adder::in);
    app.connect(second, &adder::out, second, &adder::back, 25ms);
    app.connect(second, &adder::out, *last, &keeper::in, 11ms);
  }

  kept run() {
    CHECK(app.run() == 0);
    return *(*last)->got;
  }

  rosia::application app;
  std::optional<rosia::node_ref<keeper>> last;
};

kept undisturbed(std::chrono::milliseconds until) {
  test_system sys;
  return graph{sys, fast_until(until)}.run();
}

std::vector<run_file::checkpoint> checkpoints_in(const std::string& file) {
  run_file::database opened{file, run_file::database::access::read};
  return run_file::checkpoints_of(opened);
}

/// Does not declare its state.
struct forgetful : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::state<int> declared{this, "declared", 0};
  int forgotten = 0;
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { out(*in + ++forgotten); }};
};

rosia::options saving_to(const std::string& file, rosia::options opts) {
  opts.checkpoint.file = file;
  return opts;
}

} // namespace

TEST_CASE("8.6 a run resumes from each of its checkpoints", "[checkpoint]") {
  auto expected = undisturbed(1s);
  temporary_folder folder;
  auto file = folder.file("run.db");
  for (auto groups : {"off", "all", "shuffle"}) {
    std::filesystem::remove(file);
    {
      test_system sys{4};
      auto opts = saving_to(file, fast_until(600ms));
      opts.checkpoint.every = 20ms;
      opts.checkpoint.keep = 1000;
      opts.groups = groups;
      graph{sys, opts}.run();
    }
    auto all = checkpoints_in(file);
    // Nodes may be past some of them when they are requested; the end is always
    // one.
    REQUIRE(all.size() >= 2);
    CHECK(all.back().tag == at(600ms));
    CHECK(all.back().final);
    for (auto& checkpoint : all) {
      CAPTURE(groups, checkpoint.tag);
      CHECK(checkpoint.complete);
      test_system sys;
      auto opts = fast_until(1s);
      opts.resume.file = file;
      opts.resume.at = checkpoint.tag;
      graph x{sys, opts};
      CHECK(x.run() == expected);
      CHECK((*x.last)->resumptions == 1);
      CHECK((*x.last)->ends == 1);
    }
  }
}

TEST_CASE("8.4 the end is a checkpoint, and a run continues in the same file",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  auto until = 0ms;
  for (auto step : {100ms, 1ms, 333ms, 50ms}) {
    until += step;
    test_system sys;
    auto opts = saving_to(file, fast_until(until));
    opts.resume.file = file;
    CHECK(graph{sys, opts}.run() == undisturbed(until));
  }
  auto all = checkpoints_in(file);
  CHECK(all.size() == 3); // checkpoint_keep
  CHECK(all.back().number == 4);
}

TEST_CASE("8.4 a slow disk does not make an earlier checkpoint the last one",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  std::promise<void> opened;
  {
    test_system sys{2};
    auto opts = saving_to(file, fast_until(600ms));
    opts.checkpoint.every = 20ms;
    opts.checkpoint.keep = 1;
    rosia::application app{sys, opts};
    auto gate = app.create<gated>("gate", opened.get_future());
    std::thread other{[&] {
      gate->waits.get_future().wait();
      CHECK(eventually([&] {
        auto all = checkpoints_in(file);
        return !all.empty() && all.back().complete;
      }));
      // The writer must wait until this transaction ends.
      run_file::database holder{file, run_file::database::access::write};
      holder.execute("hold it", "BEGIN IMMEDIATE");
      opened.set_value();
      CHECK(eventually([&] { return gate->has_ended.load(); }));
      holder.execute("release it", "ROLLBACK");
    }};
    CHECK(app.run() == 0);
    other.join();
  }
  auto all = checkpoints_in(file);
  REQUIRE(all.size() == 1);
  CHECK(all.back().tag == at(600ms));
  CHECK(all.back().final);
}

TEST_CASE("8.4 planned checkpoints that follow faster than they can be saved "
          "do not hold up the run",
          "[checkpoint]") {
  struct bell : rosia::node, rosia::stateless<bell> {
    rosia::output_port<int> out{this, "out"};
    rosia::physical_action<int> ring{this, "ring"};
    rosia::reaction on_ring{this, "on_ring", {ring}, [this] { out(*ring); }};
  };
  struct listener : rosia::node, rosia::stateless<listener> {
    rosia::input_port<int> in{this, "in"};
    std::atomic<int> got = 0;
    rosia::reaction on_in{this, "on_in", {in}, [this] { ++got; }};
  };
  for (auto groups : {"off", "all", "shuffle", "auto"}) {
    CAPTURE(groups);
    temporary_folder folder;
    auto file = folder.file("run.db");
    test_system sys{2};
    auto opts = saving_to(file, real_time());
    opts.checkpoint.every = 1us;
    opts.groups = groups;
    rosia::application app{sys, opts};
    // Values from outside may get a tag at any time. So all nodes follow the
    // clock from one planned checkpoint to the next.
    std::vector<rosia::node_ref<bell>> bells;
    std::vector<rosia::node_ref<listener>> listeners;
    for (auto i = 0; i < 100; ++i) {
      bells.push_back(app.create<bell>("bell " + std::to_string(i)));
      listeners.push_back(
        app.create<listener>("listener " + std::to_string(i)));
      app.connect(bells.back(), &bell::out, listeners.back(), &listener::in,
                  rosia::physical);
    }
    std::thread other{[&] {
      for (auto& x : bells)
        CHECK(eventually([&] { return x->ring.schedule(1); }));
      for (auto& x : listeners)
        CHECK(eventually([&] { return x->got == 1; }));
      CHECK_NOTHROW(app.checkpoint().get());
      app.request_shutdown();
    }};
    CHECK(app.run() == 0);
    other.join();
    // Planned checkpoints may be after the end.
    auto all = checkpoints_in(file);
    CHECK(std::any_of(all.begin(), all.end(), [](auto& x) {
      return x.final && x.complete;
    }));
  }
}

TEST_CASE("8.4 a checkpoint on demand includes everything done before",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  logical_time tag;
  {
    test_system sys;
    auto opts = saving_to(file, real_time());
    graph x{sys, opts};
    std::thread other{[&] {
      CHECK(
        eventually([&] { return x.app.status().nodes[2].logical > at(30ms); }));
      tag = x.app.checkpoint().get();
      auto again = x.app.checkpoint();
      auto third = x.app.checkpoint();
      CHECK(again.get() >= tag);
      CHECK(third.get() >= tag);
      x.app.request_shutdown();
    }};
    x.run();
    other.join();
  }
  CHECK(tag >= at(30ms));
  test_system sys;
  auto opts = fast_until(1s);
  opts.resume.file = file;
  CHECK(graph{sys, opts}.run() == undisturbed(1s));
}

TEST_CASE("8.4 a checkpoint on demand does not wait for a planned end",
          "[checkpoint]") {
  temporary_folder folder;
  test_system sys;
  auto opts = saving_to(folder.file("run.db"), real_time());
  opts.stop_after = at(1h);
  graph x{sys, opts};
  logical_time tag;
  std::thread other{[&] {
    CHECK(
      eventually([&] { return x.app.status().nodes[2].logical > at(30ms); }));
    auto taken = x.app.checkpoint();
    CHECK(taken.wait_for(10min) == std::future_status::ready);
    x.app.request_shutdown();
    tag = taken.get();
  }};
  x.run();
  other.join();
  CHECK(tag < at(1h));
}

TEST_CASE("8.4 an aborted run leaves the last complete checkpoint",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  {
    test_system sys;
    auto opts = saving_to(file, real_time());
    opts.checkpoint.every = 10ms;
    graph x{sys, opts};
    std::thread other{[&] {
      CHECK(
        eventually([&] { return x.app.status().nodes[2].logical > at(20ms); }));
      x.app.checkpoint().get();
      x.app.abort(7);
    }};
    CHECK(x.app.run() == 7);
    other.join();
  }
  auto all = checkpoints_in(file);
  REQUIRE(!all.empty());
  CHECK(!all.back().final);
  test_system sys;
  auto opts = fast_until(1s);
  opts.resume.file = file;
  CHECK(graph{sys, opts}.run() == undisturbed(1s));
}

TEST_CASE("8.4 an application that ends by itself logs that it takes no "
          "checkpoint then",
          "[checkpoint]") {
  struct once : rosia::node, rosia::stateless<once> {
    void start() {
      // nop
    }
  };
  temporary_folder folder;
  test_system sys;
  error_capture log;
  auto file = folder.file("run.db");
  rosia::application app{sys, with_log(saving_to(file, fast()))};
  app.create<once>("once");
  CHECK(app.run() == 0);
  CHECK_THAT(
    log.text(),
    ContainsSubstring(
      "the application ended by itself: "
      "there is nothing to continue, and no "
      "checkpoint of the end"));
  CHECK(checkpoints_in(file).empty());
}

TEST_CASE("8.3 a checkpoint at a tag with a waiting coroutine is not taken",
          "[checkpoint]") {
  struct sleeper : rosia::node, rosia::stateless<sleeper> {
    rosia::task start() {
      co_await rosia::after(50ms);
    }
  };
  temporary_folder folder;
  test_system sys;
  error_capture errors;
  auto opts
    = with_log(saving_to(folder.file("run.db"), fast_until(100ms)), "warning");
  opts.checkpoint.every = 30ms;
  rosia::application app{sys, opts};
  app.create<sleeper>("sleeper");
  auto status = app.run();
  CHECK_THAT(errors.text(),
             ContainsSubstring("no checkpoint is taken at tag 30ms: reaction "
                               "'start' of node 'sleeper' waits at that tag"));
  CHECK(status == 0);
}

TEST_CASE("8.3 planned checkpoints that fail are named once, and counted",
          "[checkpoint]") {
  struct sleeper : rosia::node, rosia::stateless<sleeper> {
    rosia::task start() {
      co_await rosia::after(100ms);
    }
  };
  temporary_folder folder;
  test_system sys;
  error_capture errors;
  auto opts
    = with_log(saving_to(folder.file("run.db"), fast_until(200ms)), "warning");
  opts.realtime = true; // so that each is written before the next
  opts.checkpoint.every = 30ms;
  rosia::application app{sys, opts};
  app.create<sleeper>("sleeper");
  app.create<rosia::timer>("clock", 10ms);
  CHECK(app.run() == 0);
  auto text = errors.text();
  CHECK(count_of(text, "no checkpoint is taken at tag") == 1);
  // A fast run may be past some of them before it writes them.
  auto skips = count_of(text, "nodes were past it");
  if (skips == 0)
    CHECK_THAT(text, ContainsSubstring("3 planned checkpoints were not taken"));
}

TEST_CASE(
  "8.3 a node without a declaration of its state is refused before the run",
  "[checkpoint]") {
  temporary_folder folder;
  test_system sys;
  rosia::application app{sys, saving_to(folder.file("run.db"), fast())};
  app.create<recorder<int>>("silent");
  CHECK_THAT(
    error_of<std::runtime_error>([&] { app.run(); }),
    ContainsSubstring("node 'silent' does not say what to save: declare it as "
                      "rosia::state members"));
}

TEST_CASE("8.6 a different graph is refused with the first difference",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  {
    test_system sys;
    graph{sys, saving_to(file, fast_until(100ms))}.run();
  }
  test_system sys;
  auto opts = fast_until(200ms);
  opts.resume.file = file;
  rosia::application app{sys, opts};
  app.create<counter>("first");
  CHECK_THAT(
    error_of<std::runtime_error>([&] { app.run(); }),
    ContainsSubstring(
      "run.db' is of another graph: it has node "
      "'second', which the application does not "
      "have"));
}

TEST_CASE("checkpoints of an earlier run are not replaced by accident",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  for (auto i = 0; i < 2; ++i) {
    test_system sys;
    graph x{sys, saving_to(file, fast_until(100ms))};
    if (i == 0)
      x.run();
    else
      CHECK_THAT(error_of<std::runtime_error>([&] { x.app.run(); }),
                 ContainsSubstring("has checkpoints of an earlier run"));
  }
}

TEST_CASE("8.6 a run continues its file by any of the file's names",
          "[checkpoint]") {
  temporary_folder folder;
  auto run = [&](std::chrono::milliseconds until, const std::string& name) {
    test_system sys;
    auto opts = saving_to(folder.file("run.db"), fast_until(until));
    opts.resume.file = name;
    return graph{sys, opts}.run();
  };
  auto other = folder.path() + "/./run.db";
  run(100ms, other); // the file does not exist yet
  CHECK(run(300ms, other) == undisturbed(300ms));
}

TEST_CASE("8.6 checkpoints of one process are not mixed with those of several",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  auto refused = [&](auto&& change) {
    test_system sys;
    auto opts = fast_until(200ms);
    change(opts);
    graph x{sys, opts};
    return error_of<std::runtime_error>([&] { x.app.run(); });
  };
  auto save = [&](rosia::options& opts) { opts.checkpoint.file = file; };
  auto resume = [&](rosia::options& opts) { opts.resume.file = file; };
  auto as_several = [&](rosia::options& opts) {
    save(opts);
    opts.network.insecure = true;
    opts.network.listen = "127.0.0.1:1";
    opts.network.expect = "left,right";
  };
  test::save(
    file, test::checkpoint_of("an old run", "coordinator", 3, at(100ms)));
  test::save(file, test::checkpoint_of("an old run", "left", 3, at(100ms)));
  SECTION("one process beside the files of several") {
    CHECK_THAT(
      refused(save),
      ContainsSubstring(
        "rosia.checkpoint.file: '" + file + ".coordinator', '" + file
        + ".left' (3 processes, last checkpoint at tag 100ms, ")
        && ContainsSubstring(
          ") have checkpoints of an earlier run, which new ones of '" + file
          + "' would replace or be mixed with; set rosia.resume.file to the "
            "same "
            "file to continue it, or move them away"));
    CHECK_FALSE(std::filesystem::exists(file));
  }
  SECTION("several processes beside the files of fewer") {
    CHECK_THAT(refused(as_several),
               ContainsSubstring("(3 processes, last checkpoint at tag"));
    std::filesystem::remove(file + ".coordinator");
    CHECK_THAT(refused(as_several),
               ContainsSubstring("'" + file + ".left' (3 processes"));
  }
  SECTION("several processes beside the file of one") {
    for (auto name : {".coordinator", ".left"})
      std::filesystem::remove(file + name);
    test::save(file, test::checkpoint_of("an old run", "", 1, at(100ms)));
    CHECK_THAT(
      refused(as_several),
      ContainsSubstring("'" + file + "' (1 process, last checkpoint at tag"));
  }
  SECTION("a mixture from elsewhere") {
    test::save(file, test::checkpoint_of("another run", "", 1, at(50ms)));
    auto mixture = refused(resume);
    CHECK_THAT(
      mixture,
      ContainsSubstring(
        "rosia.resume.file: the files of '" + file
        + "' have checkpoints of different runs: '" + file
        + "' (1 process, last checkpoint at tag 50ms, ")
        && ContainsSubstring(
          "; '" + file + ".coordinator', '" + file
          + ".left' (3 processes, last checkpoint at tag "
            "100ms, ")
        && ContainsSubstring(
          "; move the files of all runs but one to another folder"));
    CHECK(refused([&](auto& opts) {
            resume(opts);
            save(opts);
          })
          == mixture);
    CHECK(refused([&](auto& opts) {
            resume(opts);
            opts.resume.at = at(50ms);
          })
          == mixture);
  }
  SECTION("a copy beside the files of another run") {
    auto copy = [&](rosia::options& opts) {
      opts.checkpoint.file = folder.file("new.db");
      opts.checkpoint.backup = file;
    };
    CHECK_THAT(
      refused(copy),
      ContainsSubstring(
        "rosia.checkpoint.backup: '" + file + ".coordinator', '" + file
        + ".left' (3 processes, last checkpoint at tag 100ms, ")
        && ContainsSubstring(
          ") have checkpoints of another run, with which the copy in '" + file
          + "' would be mixed; name another file, or move them away"));
    CHECK_FALSE(std::filesystem::exists(folder.file("new.db")));
    auto expected = "'" + file + ".coordinator' (3 processes, last checkpoint";
    CHECK_THAT(refused([&](auto& opts) {
                 as_several(opts);
                 copy(opts);
                 opts.network.expect = "left";
                 opts.network.process = "first";
               }),
               ContainsSubstring("rosia.checkpoint.backup: " + expected));
  }
  SECTION("files of other names") {
    for (auto name : {".coordinator", ".left"})
      std::filesystem::rename(file + name, file + name + ".old");
    CHECK(refused(save) == "no exception");
  }
}

TEST_CASE(
  "8.6 a run that continues in other files resumes from its last checkpoint",
  "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  {
    test_system sys;
    graph{sys, saving_to(file, fast_until(100ms))}.run();
  }
  // As if several processes had written it, and had been started often.
  {
    run_file::database opened{file, run_file::database::access::write};
    opened.execute("change it", "UPDATE checkpoint SET process = 'p1', "
                                "processes = 2, number = 7");
  }
  std::filesystem::rename(file, file + ".p1");
  for (auto until : {200ms, 300ms}) {
    test_system sys;
    auto opts = saving_to(file, fast_until(until));
    opts.resume.file = file;
    CHECK(graph{sys, opts}.run() == undisturbed(until));
  }
  auto all = checkpoints_in(file);
  REQUIRE(all.size() == 2);
  CHECK(all[0].number == 8);
  CHECK(all[1].number == 9);
  CHECK(run_file::origin_of(all[1].run) == run_file::origin_of(all[0].run));
}

TEST_CASE("8.6 a run that finds no complete checkpoint logs that it starts "
          "from the beginning",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = with_log(saving_to(file, fast_until(100ms)));
  opts.resume.file = file;
  auto log_of_run = [&] {
    error_capture capture;
    test_system sys;
    CHECK(graph{sys, opts}.run() == undisturbed(100ms));
    return capture.text();
  };
  CHECK_THAT(
    log_of_run(),
    ContainsSubstring("info     rosia: rosia.resume.file: there is no file '"
                      + file + "' yet: the run begins anew"));
  {
    run_file::database opened{file, run_file::database::access::write};
    opened.execute("change it", "UPDATE checkpoint SET complete = 0");
  }
  auto warning = "warning  rosia: rosia.resume.file: '" + file
                 + "' has no complete checkpoint: the run begins anew";
  CHECK_THAT(log_of_run(), ContainsSubstring(warning));
  folder.write("run.db", "");
  CHECK_THAT(log_of_run(), ContainsSubstring(warning));
  // Now a checkpoint exists.
  CHECK_THAT(log_of_run(), !ContainsSubstring("begins anew"));
}

TEST_CASE("8.6 a run over processes does not start from the beginning if a "
          "file cannot be read",
          "[checkpoint]") {
  temporary_folder folder;
  auto opts = saving_to(folder.file("run.db"), fast_until(100ms));
  opts.resume.file = opts.checkpoint.file;
  opts.network.insecure = true;
  opts.network.listen = "127.0.0.1:1";
  opts.network.expect = "other";
  folder.write("run.db.coordinator", "This is no database of SQLite.\n");
  test_system sys;
  rosia::application app{sys, opts};
  CHECK_THROWS_WITH(app.run(), ContainsSubstring("run.db.coordinator': cannot "
                                                 "open it: it is text"));
}

TEST_CASE("an impossible resume is refused with a suggestion", "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  {
    test_system sys;
    graph{sys, saving_to(file, fast_until(100ms))}.run();
  }
  auto refused = [&](auto&& change) {
    test_system sys;
    auto opts = fast_until(200ms);
    opts.resume.file = file;
    change(opts);
    graph x{sys, opts};
    return error_of<std::runtime_error>([&] { x.app.run(); });
  };
  CHECK_THAT(
    refused([&](auto& opts) { opts.resume.file = folder.file("none"); }),
    ContainsSubstring("there is no file '" + folder.file("none")));
  CHECK_THAT(refused([](auto& opts) { opts.resume.at = at(50ms); }),
             ContainsSubstring(
               "has no complete checkpoint at tag 50ms; it has some at 100ms"));
  CHECK_THAT(
    refused([](auto& opts) { opts.stop_after = at(50ms); }),
    ContainsSubstring("continues after tag 100ms, and cannot end at tag 50ms"));
  CHECK_THAT(refused([&](auto& opts) {
               opts.resume.file = folder.write("text", "text");
             }),
             ContainsSubstring("text'"));
  CHECK_THAT(refused([&](auto& opts) { opts.resume.file = folder.path(); }),
             ContainsSubstring("it is a folder"));
  // It is as the file of one of several processes.
  auto part = file + ".p1";
  std::filesystem::copy(file, part);
  run_file::database{part, run_file::database::access::write}.execute(
    "name its process", "UPDATE checkpoint SET process = 'p1'");
  CHECK_THAT(
    refused([&](auto& opts) { opts.resume.file = part; }),
    ContainsSubstring("run.db.p1' is that of process 'p1' alone: name '" + file
                      + "', and the files"));
  std::filesystem::remove(part);
  std::filesystem::resize_file(file, 5000);
  CHECK_THAT(refused([](auto&) {}), ContainsSubstring("run.db'"));
}

TEST_CASE("the end does not wait for files that cannot be written",
          "[checkpoint]") {
  temporary_folder folder;
  auto opts = real_time();
  auto record = GENERATE(true, false);
  CAPTURE(record);
  auto& file = record ? opts.record.file : opts.checkpoint.file;
  file = folder.file("run.db");
  opts.record.ports = record ? "*.*" : "";
  opts.checkpoint.timeout = 200ms;
  opts.log_level = "off";
  // The remains of such a run exist until its process ends.
  CHECK(status_in_child([&] {
          std::optional<run_file::database> other;
          auto status = 0;
          auto begin = std::chrono::steady_clock::now();
          {
            test_system sys;
            graph x{sys, opts};
            std::thread locker{[&] {
              eventually([&] {
                return x.app.status().nodes[2].logical > at(30ms);
              });
              other.emplace(file, run_file::database::access::write);
              other->execute("lock it", "BEGIN IMMEDIATE");
              begin = std::chrono::steady_clock::now();
              x.app.request_shutdown();
            }};
            status = x.app.run();
            locker.join();
          }
          auto took = std::chrono::steady_clock::now() - begin;
          // It continues to write without its nodes.
          other->execute("unlock it", "COMMIT");
          auto is_written = eventually([&] {
            run_file::statement row{
              *other, "look for what was written",
              record ? "SELECT 1 FROM run WHERE how IS NOT NULL"
                     : "SELECT 1 WHERE (SELECT count(*) FROM checkpoint) = 0"};
            return row.step();
          });
          if (status != 1)
            return 1;
          return took < 4s && is_written ? 0 : 2;
        })
        == 0);
}

TEST_CASE(
  "a demand for a checkpoint of a run that could not begin is not waited for",
  "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  {
    test_system sys;
    graph{sys, saving_to(file, fast_until(100ms))}.run();
  }
  run_file::database{file, run_file::database::access::write}.execute(
    "lose a state", "DELETE FROM checkpoint_state WHERE node = 'last'");
  test_system sys;
  auto opts = saving_to(folder.file("next.db"), fast_until(200ms));
  opts.resume.file = file;
  graph x{sys, opts};
  CHECK_THAT(error_of<std::runtime_error>([&] { x.app.run(); }),
             ContainsSubstring("state 'got' of node 'last' was not saved"));
  CHECK_THROWS_AS(x.app.checkpoint(), std::logic_error);
}

TEST_CASE("8.2 the recording of a run without a beginning is not replayed",
          "[checkpoint]") {
  temporary_folder folder;
  auto file = folder.file("run.db");
  auto recorded = folder.file("recorded.db");
  {
    test_system sys;
    graph{sys, saving_to(file, fast_until(100ms))}.run();
  }
  {
    test_system sys;
    auto opts = fast_until(200ms);
    opts.resume.file = file;
    opts.record.file = recorded;
    graph{sys, opts}.run();
  }
  test_system sys;
  auto opts = fast();
  opts.replay = recorded;
  graph x{sys, opts};
  CHECK_THAT(error_of<std::runtime_error>([&] { x.app.run(); }),
             ContainsSubstring("continues from a checkpoint at tag 100ms"));
}

TEST_CASE("options of checkpoints that lack their file are refused",
          "[checkpoint]") {
  test_system sys;
  auto refused = [&](auto&& change) {
    auto opts = fast();
    change(opts);
    return error_of<std::invalid_argument>([&] {
      rosia::application{sys, opts};
    });
  };
  CHECK_THAT(refused([](auto& opts) { opts.checkpoint.every = 1s; }),
             ContainsSubstring("rosia.checkpoint.every is set, but "
                               "rosia.checkpoint.file is not"));
  CHECK_THAT(refused([](auto& opts) { opts.resume.at = 1s; }),
             ContainsSubstring("rosia.resume.at is set"));
  CHECK_THAT(refused([](auto& opts) { opts.checkpoint.backup = "x"; }),
             ContainsSubstring("rosia.checkpoint.backup is set"));
  CHECK_THAT(refused([](auto& opts) { opts.checkpoint.signal = "KILL"; }),
             ContainsSubstring("USR2"));
  for (auto behavior :
       {rosia::signal_behavior::ignore, rosia::signal_behavior::none})
    CHECK_THAT(
      refused([&](auto& opts) {
        opts.checkpoint.file = "run.db";
        opts.checkpoint.signal = "USR2";
        opts.signals = behavior;
      }),
      ContainsSubstring(
        "rosia.checkpoint.signal is set, but "
        "rosia.signals is "
        + to_string(behavior)));
  CHECK_THAT(
    refused([](auto& opts) {
      opts.checkpoint.file = opts.checkpoint.backup = "run.db";
    }),
    ContainsSubstring(
      "rosia.checkpoint.backup and rosia.checkpoint.file are the same file"));
  CHECK_THAT(
    refused([](auto& opts) {
      opts.trace = "run.db";
      opts.record.file = "./run.db";
    }),
    ContainsSubstring("rosia.trace and rosia.record.file are the same"));
}

TEST_CASE("8.5 the file is copied at the end", "[checkpoint]") {
  temporary_folder folder;
  auto opts = saving_to(folder.file("run.db"), fast_until(100ms));
  opts.checkpoint.backup = folder.file("copy.db");
  test_system sys;
  graph{sys, opts}.run();
  CHECK(checkpoints_in(opts.checkpoint.backup).size() == 1);
  auto resumed = fast_until(300ms);
  resumed.resume.file = opts.checkpoint.backup;
  CHECK(graph{sys, resumed}.run() == undisturbed(300ms));
}

TEST_CASE("8.5 the copy also has the end of a recording in the same file",
          "[checkpoint]") {
  temporary_folder folder;
  auto opts = saving_to(folder.file("run.db"), fast_until(100ms));
  opts.record.file = opts.checkpoint.file;
  opts.checkpoint.backup = folder.file("copy.db");
  test_system sys;
  graph{sys, opts}.run();
  run_file::database copy{
    opts.checkpoint.backup, run_file::database::access::read};
  run_file::statement run{
    copy, "look how the run ended", "SELECT how FROM run"};
  REQUIRE(run.step());
  CHECK(run.text(0) == "final");
  CHECK(checkpoints_in(opts.checkpoint.backup).size() == 1);
}

TEST_CASE("a user-defined signal demands a checkpoint", "[checkpoint]") {
  temporary_folder folder;
  auto opts = saving_to(folder.file("run.db"), real_time());
  opts.signals = rosia::signal_behavior::handle;
  opts.checkpoint.signal = "USR2";
  test_system sys;
  graph x{sys, opts};
  std::thread other{[&] {
    CHECK(
      eventually([&] { return x.app.status().nodes[2].logical > at(20ms); }));
    ::kill(::getpid(), SIGUSR2);
    CHECK(eventually([&] {
      return !checkpoints_in(opts.checkpoint.file).empty();
    }));
    // Otherwise this checkpoint could also be the one at the end.
    auto tag = checkpoints_in(opts.checkpoint.file).back().tag;
    CHECK(eventually([&] { return x.app.status().nodes[0].logical > tag; }));
    ::kill(::getpid(), SIGTERM);
  }};
  x.run();
  other.join();
  CHECK(checkpoints_in(opts.checkpoint.file).size() == 2);
}

TEST_CASE("a signal before the start also demands a checkpoint",
          "[checkpoint]") {
  auto has_default = [] {
    struct sigaction now = {};
    ::sigaction(SIGUSR2, nullptr, &now);
    return now.sa_handler == SIG_DFL;
  };
  temporary_folder folder;
  auto opts = saving_to(folder.file("run.db"), real_time());
  opts.signals = rosia::signal_behavior::handle;
  opts.checkpoint.signal = "USR2";
  REQUIRE(has_default());
  {
    test_system sys;
    graph x{sys, opts};
    ::raise(SIGUSR2);
    std::thread other{[&] {
      CHECK(
        eventually([&] { return x.app.status().nodes[2].logical > at(5ms); }));
      CHECK(eventually([&] {
        return !checkpoints_in(opts.checkpoint.file).empty();
      }));
      x.app.request_shutdown();
    }};
    x.run();
    other.join();
    // It still does not end the process.
    ::raise(SIGUSR2);
  }
  CHECK(has_default());
  CHECK(!checkpoints_in(opts.checkpoint.file).front().final);
}

TEST_CASE("check_resume finds a forgotten state variable", "[checkpoint]") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      auto first = app.create<counter>("first");
      auto second = app.create<adder>("second");
      app.connect(first, &counter::out, second, &adder::in);
      app.connect(second, &adder::out, second, &adder::back, 25ms);
    },
    300ms, 20);
  auto problem = error_of<std::runtime_error>([&] {
    rosia::test::check_resume(
      sys,
      [](rosia::application& app) {
        auto first = app.create<counter>("first");
        auto last = app.create<forgetful>("bad");
        app.connect(first, &counter::out, last, &forgetful::in);
        // So they receive different values at the same tag.
        for (auto* name : {"a keeper", "keeper"})
          app.connect(
            last, &forgetful::out, app.create<keeper>(name), &keeper::in);
      },
      100ms);
  });
  CHECK_THAT(problem, ContainsSubstring("node 'bad' does not continue from the "
                                        "checkpoint at tag"));
}

} // namespace checkpoint_test
