// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// An application that participates in a shutdown takes its last checkpoint in
// its phase, so that it is available to later phases and to the backup.

#include "shutdown_support.hpp"

#include "run_file/backup.hpp"
#include "run_file/checkpoints.hpp"
#include "run_file/database.hpp"
#include "support.hpp"
#include "temporary_folder.hpp"

#include <thread>

namespace checkpoint_test {

namespace {

namespace run_file = caf::rosia::run_file;

/// Counts every millisecond.
struct ticking : rosia::node {
  rosia::action<void> next{this, "next"};
  rosia::state<int> count{this, "count", 0};
  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    ++count;
    next.schedule(1ms);
  }
};

/// An application that runs on a thread, and participates.
struct part {
  part(test_system& sys, const rosia::options& opts, rosia::shutdown& all)
    : app{sys, opts}, node{app.create<ticking>("ticking")} {
    all.adopt(app, "app");
    thread = std::thread{[this] { status = app.run(); }};
    CHECK(
      eventually([this] { return app.status().nodes[0].logical > at(5ms); }));
  }

  part(const part&) = delete;

  part& operator=(const part&) = delete;

  ~part() {
    thread.join();
  }

  rosia::application app;
  rosia::node_ref<ticking> node;
  std::atomic<int> status{-1};
  std::thread thread;
};

/// Returns the tag of the last checkpoint in a file, if it is the one at the
/// end.
logical_time final_tag_in(const std::string& file) {
  run_file::database opened{file, run_file::database::access::read};
  auto all = run_file::checkpoints_of(opened);
  return !all.empty() && all.back().complete && all.back().final
           ? all.back().tag
           : rosia::never;
}

} // namespace

TEST_CASE("shutdown: an application takes its last checkpoint in its phase, "
          "before later phases and the backup",
          "[shutdown]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto copy = folder.file("copy.db");
  auto in_final_phase = rosia::never;
  int counted = 0;
  {
    test_system sys;
    auto opts = quiet();
    opts.backup = [&] { run_file::back_up(file, copy); };
    rosia::shutdown x{sys, opts};
    x.on("final", "look", [&](const rosia::shutdown_reason&) {
      in_final_phase = final_tag_in(file);
    });
    auto app_opts = real_time();
    app_opts.checkpoint.file = file;
    part one{sys, app_opts, x};
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
    CHECK(eventually([&] { return one.status == 0; }));
    counted = *one.node->count;
  }
  REQUIRE(in_final_phase >= at(5ms));
  CHECK(final_tag_in(copy) == in_final_phase);
  // A run that resumes from the backup starts from this count.
  test_system sys;
  auto opts = fast_until(in_final_phase.ns * 1ns + 1s);
  opts.resume.file = copy;
  rosia::application app{sys, opts};
  auto node = app.create<ticking>("ticking");
  CHECK(app.run() == 0);
  CHECK(*node->count == counted + 1000);
}

TEST_CASE("shutdown: an application whose last checkpoint cannot be written is "
          "a failure",
          "[shutdown]") {
  // In a child process, because the thread that waits for the disk continues
  // after the shutdown.
  auto status = status_in_child([] {
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    test_system sys;
    rosia::shutdown x{sys, quiet()};
    auto opts = with_log(real_time(), "off");
    opts.checkpoint.file = file;
    opts.checkpoint.timeout = 1ms;
    part one{sys, opts, x};
    // Its writer waits for this transaction.
    run_file::database holder{file, run_file::database::access::write};
    holder.execute("hold it", "BEGIN IMMEDIATE");
    x.begin();
    auto result = x.wait_for_shutdown();
    auto has_failed = eventually([&] { return one.status == 1; });
    holder.execute("release it", "ROLLBACK");
    return has_failed ? result : 2;
  });
  CHECK(status == 1);
}

} // namespace checkpoint_test
