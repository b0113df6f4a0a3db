// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The program that the tests of this folder start over and over:
//
//   source --> relay --> sink
//              |   ^
//              v   | (300 us)
//              mirror
//
// Items go round the loop as often as chance wants. Options of the group `test`
// make things go wrong.

#include "caf/rosia/all.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rosia = caf::rosia;

namespace {

struct program_config : rosia::config {
  program_config() {
    add_options("test")
      .add(marker, "marker", "by which a process is found, without any effect")
      .add(rounds, "rounds", "how often the source sends; 0: for ever")
      .add(seed, "seed", "of what is random")
      .add(status, "status", "with which the source requests the end")
      .add(pause, "pause", "of the source, in us, on average")
      .add(fault, "fault", "throw, exit, hang, wait, payload or graph")
      .add(fault_at, "fault_at", "the tag, in us, from which on it is there")
      .add(gate, "gate", "the file that the fault 'wait' waits for")
      .add(culprit, "culprit", "the node, or process, that has the fault");
  }

  std::string marker;
  std::int64_t rounds = 20;
  std::uint32_t seed = 1;
  std::int32_t status = 0;
  std::int64_t pause = 1000;
  std::string fault;
  std::int64_t fault_at = 0;
  std::string culprit;
  std::string gate;
};

struct item {
  std::uint32_t number = 0;
  std::uint32_t hops = 0;
  std::string text;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item& x) {
  return f(x.number, x.hops, x.text);
}

using items = std::vector<item>;

/// Knows what the options say.
struct node : rosia::node {
  explicit node(const program_config& cfg) : config(cfg) {
    // nop
  }

  void go_wrong() const {
    if (config.culprit != name() || now().ns < 1000 * config.fault_at)
      return;
    if (config.fault == "throw")
      throw std::runtime_error("made to fail");
    if (config.fault == "exit")
      std::_Exit(7);
    if (config.fault == "hang")
      wait(" hangs", [] { return false; });
    if (config.fault == "wait")
      wait(" waits", [this] { return std::filesystem::exists(config.gate); });
  }

  template <class Condition>
  void wait(const char* how, Condition condition) const {
    if (condition())
      return;
    std::puts((name() + how).c_str());
    while (!condition())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }

  const program_config& config;
};

struct source : node {
  using node::node;

  rosia::output_port<items> out{this, "out"};

  rosia::task start() {
    std::mt19937 random{config.seed};
    for (std::uint32_t i = 0; config.rounds == 0 || i < config.rounds; ++i) {
      items batch;
      for (auto n = random() % 3; n > 0; --n)
        batch.push_back({i, static_cast<std::uint32_t>(random() % 4),
                         std::string(random() % 50, 'x')});
      out(std::move(batch));
      auto most = static_cast<std::uint32_t>(2 * config.pause);
      co_await rosia::after(std::chrono::microseconds{1 + random() % most});
    }
    request_shutdown(rosia::after(std::chrono::milliseconds{5}), config.status);
  }
};

struct relay : node {
  using node::node;

  rosia::input_port<items> in{this, "in"};
  rosia::input_port<items> back{this, "back"};
  rosia::output_port<items> round{this, "round"};
  rosia::output_port<items> done{this, "done"};

  rosia::reaction on_items{
    this, "on_items", {in, back}, [this] {
      go_wrong();
      items again;
      items over;
      for (auto* port : {&in, &back})
        for (auto& batch : port->all())
          for (auto x : batch) {
            if (x.hops == 0) {
              over.push_back(std::move(x));
            } else {
              --x.hops;
              again.push_back(std::move(x));
            }
          }
      if (!again.empty())
        round(std::move(again));
      if (!over.empty())
        done(std::move(over));
    }};
};

struct mirror : node {
  using node::node;

  rosia::input_port<items> in{this, "in"};
  rosia::output_port<items> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          go_wrong();
                          out(in);
                        }};
};

struct sink : node {
  using node::node;

  rosia::input_port<items> in{this, "in"};

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      go_wrong();
      if (count_ == 0)
        std::puts("sink: the first items");
      for (auto& x : *in) {
        ++count_;
        digest_ = (digest_ ^ x.number ^ (x.text.size() << 8)) * 0x100000001b3;
        digest_ ^= static_cast<std::uint64_t>(now().ns);
      }
    }};

  void shutdown() {
    std::printf("sink: %llu items, digest %llx\n",
                static_cast<unsigned long long>(count_),
                static_cast<unsigned long long>(digest_));
  }

private:
  std::uint64_t count_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

/// Nothing that CAF could send.
struct secret {
  std::shared_ptr<int> content;
};

struct carrier : rosia::node {
  rosia::output_port<secret> out{this, "out"};
};

struct keeper : rosia::node {
  rosia::input_port<secret> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

int run(caf::actor_system& sys, const program_config& cfg) {
  rosia::application app{sys};
  auto from = app.create<source>("source", cfg);
  auto via = app.create<relay>("relay", cfg);
  auto around = app.create<mirror>("mirror", cfg);
  auto to = app.create<sink>("sink", cfg);
  app.connect(from, &source::out, via, &relay::in);
  app.connect(via, &relay::round, around, &mirror::in);
  app.connect(around, &mirror::out, via, &relay::back,
              rosia::after(std::chrono::microseconds{300}));
  app.connect(via, &relay::done, to, &sink::in);
  if (cfg.fault == "payload") {
    auto one = app.create<carrier>("carrier");
    auto other = app.create<keeper>("keeper");
    app.connect(one, &carrier::out, other, &keeper::in);
  }
  if (cfg.fault == "graph" && app.opts().process == cfg.culprit)
    app.create<carrier>("extra");
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return rosia::exec_main<program_config>(argc, argv, run);
}
