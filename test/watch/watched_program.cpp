// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A program whose live page a browser opens. Its commands are the lines of
// standard input:
//
// - `hold`: the next reaction of the node "middle" does not return;
// - `go`: this reaction and all later ones return;
// - `end`: an end is requested;
// - `warn`: the program logs a warning.
//
// With --composite as its first argument, "middle" and "sink" are in a
// composite. With --plain as its first argument it has no nodes, but a shutdown
// whose actor "keeper" does not quit between `hold` and `go`.

#include "caf/rosia/all.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

/// Closed by `hold`, open otherwise.
class gate {
public:
  void close() {
    std::lock_guard guard{mutex_};
    open_ = false;
  }

  void open() {
    std::lock_guard guard{mutex_};
    open_ = true;
    changed_.notify_all();
  }

  void pass() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
};

gate door;

struct middle : rosia::node {
  rosia::input_port<rosia::logical_time> in{this, "in"};
  rosia::output_port<rosia::logical_time> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          door.pass();
                          out(in);
                        }};
};

struct sink : rosia::node {
  rosia::input_port<rosia::logical_time> in{this, "in"};
  rosia::physical_action<std::string> warn{this, "warn"};
  rosia::reaction on_warn{
    this, "on_warn", {warn}, [this] { log().warn("{}", *warn); }};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

struct pair : rosia::composite {
  pair() {
    in >>= held[&middle::in];
    held[&middle::out] >>= last[&sink::in];
  }

  rosia::inlet<rosia::logical_time> in{this, "in"};
  rosia::part<middle> held{this, "middle"};
  rosia::part<sink> last{this, "sink"};
};

/// Executes the commands on standard input until its end.
template <class End, class Warn>
std::thread obey(End end, Warn warn) {
  return std::thread{[=] {
    for (std::string line; std::getline(std::cin, line);) {
      if (line == "hold")
        door.close();
      else if (line == "go")
        door.open();
      else if (line == "end")
        end();
      else if (line == "warn")
        warn();
    }
    door.open();
    end();
  }};
}

int run_nodes(caf::actor_system& sys) {
  rosia::application app{sys};
  auto clock = app.create<rosia::timer>("clock", 10ms);
  auto held = app.create<middle>("middle");
  auto last = app.create<sink>("sink");
  app.connect(clock, &rosia::timer::output, held, &middle::in);
  app.connect(held, &middle::out, last, &sink::in);
  auto input = obey([&] { app.request_shutdown(); },
                    [=] { last->warn.schedule("this is a warning"); });
  auto status = app.run();
  input.join();
  return status;
}

int run_composite(caf::actor_system& sys) {
  rosia::application app{sys};
  auto clock = app.create<rosia::timer>("clock", 10ms);
  auto both = app.create<pair>("pair");
  clock[&rosia::timer::output] >>= both[&pair::in];
  auto input = obey([&] { app.request_shutdown(); }, [] {});
  auto status = app.run();
  input.join();
  return status;
}

caf::behavior keeper(caf::event_based_actor* self) {
  self->set_exit_handler([self](caf::exit_msg& x) {
    door.pass();
    self->quit(x.reason);
  });
  return {[](int x) { return x; }};
}

int run_plain(caf::actor_system& sys) {
  rosia::shutdown down{sys};
  rosia::live_page page{down, rosia::options_from(sys.config())};
  auto kept = sys.spawn<caf::detached>(keeper);
  down.adopt(kept, "keeper");
  auto input = obey([&] { down.begin({"asked to"}); }, [] {});
  auto status = down.wait_for_shutdown();
  input.join();
  return status;
}

} // namespace

int main(int argc, char** argv) {
  auto kind = std::string_view{argc > 1 ? argv[1] : ""};
  auto run
    = kind == "--plain" ? run_plain
      : kind == "--composite"
        ? run_composite
        : run_nodes;
  if (run == run_nodes)
    return rosia::exec_main(argc, argv, run);
  argv[1] = argv[0];
  return rosia::exec_main(argc - 1, argv + 1, run);
}
