// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The duration of the negotiation of an end, compared with a bare round of
// questions and answers with the same number of actors; and the time from a
// signal to the end.

#include "pairs.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/detail/signature.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/physical_action.hpp"
#include "caf_version.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

/// The messages of the actors of bare CAF.
namespace bench {

struct question {
  std::int64_t ns = 0;
  std::uint32_t microstep = 0;
};

struct answer {
  std::uint32_t index = 0;
  std::int64_t ns = 0;
  std::uint32_t microstep = 0;
};

template <class Inspector>
auto inspect(Inspector& f, question& x) {
  return caf::rosia::inspect_members(f, x, x.ns, x.microstep);
}

template <class Inspector>
auto inspect(Inspector& f, answer& x) {
  return caf::rosia::inspect_members(f, x, x.index, x.ns, x.microstep);
}

} // namespace bench

TEST_MESSAGES_BEGIN(ending_messages)
TEST_MESSAGE(ending_messages, (bench::question))
TEST_MESSAGE(ending_messages, (bench::answer))
TEST_MESSAGES_END(ending_messages)

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// -- Rosia --------------------------------------------------------------------

/// The times of events of all nodes of a run.
struct record {
  explicit record(long n) : to_start(n) {
    // nop
  }

  std::atomic<long> to_start;
  std::promise<void> all_started;
  std::atomic<bool> agreed = false;
  bench::clock::time_point agreed_at;
};

/// Waits for a call.
struct idle : rosia::node {
  explicit idle(record& x) : log_(x) {
    // nop
  }

  rosia::physical_action<int> call{this, "call"};
  rosia::reaction on_call{
    this, "on_call", {call}, [this] { request_shutdown(); }};

  void start() {
    if (--log_.to_start == 0)
      log_.all_started.set_value();
  }

  void shutdown() {
    if (!log_.agreed.exchange(true))
      log_.agreed_at = bench::clock::now();
  }

  record& log_;
};

/// Measures the time from a request until the first node knows the final tag,
/// which requires the answers of all nodes.
double rosia_round(caf::actor_system& sys, long nodes) {
  rosia::application app{sys, bench::fast()};
  record log{nodes};
  auto first = app.create<idle>("node 0", log);
  for (long i = 1; i < nodes; ++i)
    app.create<idle>("node " + std::to_string(i), log);
  bench::clock::time_point start;
  std::thread caller{[&] {
    log.all_started.get_future().wait();
    start = bench::clock::now();
    first->call.schedule(0);
  }};
  app.run();
  caller.join();
  return std::chrono::duration<double>(log.agreed_at - start).count();
}

/// Measures the time from SIGTERM until run() returns.
double signal_to_exit(caf::actor_system& sys, long nodes) {
  auto opts = bench::fast();
  opts.signals = rosia::signal_behavior::handle;
  rosia::application app{sys, opts};
  record log{nodes};
  for (long i = 0; i < nodes; ++i)
    app.create<idle>("node " + std::to_string(i), log);
  bench::clock::time_point start;
  std::thread caller{[&] {
    log.all_started.get_future().wait();
    start = bench::clock::now();
    std::raise(SIGTERM);
  }};
  app.run();
  auto result = bench::seconds_since(start);
  caller.join();
  return result;
}

// -- bare CAF -----------------------------------------------------------------

using bench::answer;
using bench::question;

using asked = caf::typed_actor<rosia::detail::signature<void, question>>;
using asking = caf::typed_actor<rosia::detail::signature<void, question>,
                                rosia::detail::signature<void, answer>>;

/// Class-based, like Rosia's nodes.
class asked_actor : public asked::base {
public:
  asked_actor(caf::actor_config& cfg, std::uint32_t id)
    : asked::base(cfg), id_(id) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](const question& x) {
      caf::anon_send(caf::actor_cast<asking>(current_sender()),
                     answer{id_, x.ns, x.microstep});
    }};
  }

private:
  std::uint32_t id_;
};

class asking_actor : public asking::base {
public:
  asking_actor(caf::actor_config& cfg, const std::vector<asked>& asked_actors,
               std::promise<void>& promise)
    : asking::base(cfg), asked_actors_(asked_actors), done_(promise) {
    // nop
  }

  behavior_type make_behavior() override {
    return {
      [this](const question& x) {
        for (auto& actor : asked_actors_)
          send(actor, x);
      },
      [this](const answer&) {
        if (++answers_ == asked_actors_.size()) {
          done_.set_value();
          quit();
        }
      },
    };
  }

private:
  const std::vector<asked>& asked_actors_;
  std::promise<void>& done_;
  std::size_t answers_ = 0;
};

double caf_round(caf::actor_system& sys, long nodes) {
  std::vector<asked> asked_actors;
  for (long i = 0; i < nodes; ++i)
    asked_actors.push_back(
      sys.spawn<asked_actor>(static_cast<std::uint32_t>(i)));
  std::promise<void> done;
  double result = 0;
  {
    // On its own thread, like Rosia's coordinator.
    auto asker = sys.spawn<asking_actor, caf::detached>(asked_actors, done);
    auto start = bench::clock::now();
    caf::anon_send(asker, question{1, 1});
    done.get_future().wait();
    result = bench::seconds_since(start);
  }
  asked_actors.clear();
  sys.await_all_actors_done();
  return result;
}

// -- benchmarks ---------------------------------------------------------------

void negotiation(benchmark::State& state) {
  auto nodes = state.range(0);
  bench::run_pairs(
    state, [&](auto& sys) { return rosia_round(sys, nodes); },
    [&](auto& sys) { return caf_round(sys, nodes); },
    {.name = "negotiation",
     .quantity = "from a request to the final tag, " + std::to_string(nodes)
                 + " idle nodes",
     .limit = 3.0},
    "us", 1e6);
}

void signal_exit(benchmark::State& state) {
  constexpr long nodes = 10'000;
  bench::system_scope scope;
  std::vector<double> times;
  for (auto _ : state)
    times.push_back(signal_to_exit(scope.sys, nodes) * 1e3);
  bench::report(
    {.name = "signal",
     .quantity = "from SIGTERM to the return of run(), 10,000 idle nodes",
     .value = bench::quantile(times, 0.5),
     .unit = "ms"});
}

BENCHMARK(negotiation)->Arg(100)->Iterations(30)->Unit(benchmark::kMillisecond);
BENCHMARK(negotiation)
  ->Arg(10'000)
  ->Iterations(15)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(negotiation)
  ->Arg(100'000)
  ->Iterations(5)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(signal_exit)->Iterations(5)->Unit(benchmark::kMillisecond);

} // namespace
