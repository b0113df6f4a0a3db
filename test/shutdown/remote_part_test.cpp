// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Actors of another process in a shutdown. Here it is another actor system,
// which CAF treats in the same way.

#include "shutdown_support.hpp"

#include "caf_pipe.hpp"

#include <caf/io/middleman.hpp>

namespace remote_part_test {

namespace {

/// CAF 1 must know a module's messages before the module is loaded.
template <class Module>
void know_messages() {
  if constexpr (requires { Module::init_global_meta_objects(); })
    Module::init_global_meta_objects();
}

class io_config : public test_system_config {
public:
  io_config() : test_system_config(2) {
    know_messages<caf::io::middleman>();
    load<caf::io::middleman>();
  }
};

/// Returns the proxy in one system of an actor in another.
caf::actor connect(caf::actor_system& here, caf::actor_system& there,
                   const caf::actor& actor) {
  auto port = there.middleman().publish(actor, 0, "127.0.0.1");
  REQUIRE(port);
  auto result = here.middleman().remote_actor("127.0.0.1", *port);
  REQUIRE(result);
  REQUIRE(there.middleman().unpublish(actor));
  return *result;
}

struct two_systems {
  io_config there_config;
  io_config here_config;
  caf::actor_system there{there_config};
  caf::actor_system here{here_config};
};

} // namespace

TEST_CASE("shutdown: a remote actor handles its backlog before it ends",
          "[shutdown]") {
  std::atomic<int> count = 0;
  two_systems both;
  rosia::shutdown x{both.here, quiet()};
  auto actor = both.there.spawn<counter>(count);
  auto proxy = connect(both.here, both.there, actor);
  actor = nullptr;
  x.adopt(proxy, "remote");
  for (auto i = 0; i < 1000; ++i)
    caf::anon_send(proxy, i);
  proxy = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1000);
}

TEST_CASE("shutdown: a busy remote actor is named, and aborted", "[shutdown]") {
  error_capture capture;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  {
    two_systems both;
    auto opts = quiet();
    opts.log_level = "error";
    rosia::shutdown x{both.here, opts};
    rosia::phase_options phase;
    phase.after = {"threads"};
    phase.timeout = 10ms;
    x.phase("actors", phase);
    auto actor = both.there.spawn<stuck_actor>(let_go, is_in);
    auto proxy = connect(both.here, both.there, actor);
    actor = nullptr;
    x.adopt(proxy, "remote");
    for (auto i = 0; i < 100; ++i)
      caf::anon_send(proxy, i);
    proxy = nullptr;
    CHECK(eventually([&] { return is_in.load(); }));
    x.on("final", "let go", [&](auto&) { let_go = true; });
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
  }
  CHECK_THAT(
    capture.text(), ContainsSubstring("actor 'remote': was asked to end"));
}

TEST_CASE("shutdown: a remote actor ends with its process", "[shutdown]") {
  std::atomic<int> count = 0;
  io_config config;
  caf::actor_system here{config};
  rosia::shutdown x{here, quiet()};
  std::atomic<bool> over = false;
  {
    io_config there_config;
    caf::actor_system there{there_config};
    auto actor = there.spawn<counter>(count);
    auto proxy = connect(here, there, actor);
    rosia::part_options opts;
    opts.post_stop = [&] { over = true; };
    x.adopt(proxy, "remote", opts);
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
  CHECK(eventually([&] { return over.load(); }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: a program that closed the pipe of CAF's middleman ends",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([] {
    ::alarm(60); // CAF's destructor would wait forever
    auto first = test::next_descriptor();
    io_config config;
    caf::actor_system sys{config};
    // Without the other end, SIGPIPE would end the process.
    auto pipe_ends = test::caf_pipe_ends(first, O_WRONLY);
    auto opts = quiet();
    opts.end_process = true;
    opts.grace_period = 100ms;
    opts.map_status = [](int x, auto&) { return x == 129 ? 9 : x; };
    rosia::shutdown x{sys, opts};
    std::ranges::for_each(pipe_ends, ::close);
    x.begin();
    return x.wait_for_shutdown();
  });
  CHECK(status == 9);
  CHECK_THAT(capture.text(),
             ContainsSubstring("CAF did not stop within grace_period (100ms)"));
}

TEST_CASE("shutdown: the time limit for CAF ends when CAF stopped",
          "[shutdown]") {
  CHECK(
    status_in_child([] {
      for (auto i = 0; i < 2; ++i) {
        io_config config;
        caf::actor_system sys{config};
        auto opts = quiet();
        opts.end_process = true;
        opts.grace_period = 1s;
        // The first one limits the time.
        for (auto j = 0; j < 2; ++j)
          rosia::shutdown{sys, opts};
      }
      // No thread is left that could end the process.
      return eventually([] { return test::files_in("/proc/self/task") == 1; })
               ? 0
               : 1;
    })
    == 0);
}

} // namespace remote_part_test
