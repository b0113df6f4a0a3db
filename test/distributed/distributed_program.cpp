// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The program of the tests in this folder:
//
//   source --> relay --> sink
//              |   ^
//              v   | (300 us)
//              mirror
//
// Items travel around the loop a random number of times. Options of the group
// `test` inject faults.

#include "caf/rosia/all.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace rosia = caf::rosia;

namespace {

/// The status of a run whose application has not ended; never expected.
constexpr int status_not_over = 99;

struct program_config : rosia::config {
  program_config() {
    add_options("test")
      .add(marker, "marker", "by which a process is found, without any effect")
      .add(rounds, "rounds", "how often the source sends; 0: for ever")
      .add(seed, "seed", "of what is random")
      .add(status, "status", "with which the source requests the end")
      .add(pause, "pause", "of the source, in us, on average")
      .add(fault, "fault",
           "throw, exit, hang, wait, linger, close, start, payload, graph, "
           "signal or constructor")
      .add(fault_at, "fault_at", "the tag, in us, from which on it is there")
      .add(descriptor, "descriptor", "the one that 'close' closes")
      .add(signal, "signal", "the one that 'signal' raises before the start")
      .add(gate, "gate", "the file that 'wait' and 'linger' wait for")
      .add(culprit, "culprit", "the node, or process, that has the fault")
      .add(last_tag, "last_tag", "whether a node sends items at the last tag")
      .add(noise, "noise", "what the sink prints a lot to: out, err or log")
      .add(watcher, "watcher",
           "the process that asks for reports all the time");
  }

  std::string marker;
  std::int64_t rounds = 20;
  std::uint32_t seed = 1;
  std::int32_t status = 0;
  std::int64_t pause = 1000;
  std::string fault;
  std::int64_t fault_at = 0;
  std::string culprit;
  std::int32_t descriptor = -1;
  std::int32_t signal = 0;
  std::string gate;
  bool last_tag = false;
  std::string noise;
  std::string watcher;
};

struct item {
  std::uint32_t number = 0;
  std::uint32_t hops = 0;
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, item& x) {
  return caf::rosia::inspect_members(f, x, x.number, x.hops, x.text);
}

using items = std::vector<item>;

/// A node with access to the options.
struct node : rosia::node {
  node(const program_config& cfg, const std::string& role) : config(cfg) {
    if (config.fault == "constructor" && config.culprit == role)
      throw std::runtime_error("made to fail");
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
      wait_for_gate(" waits");
    if (config.fault == "close" && !std::exchange(is_done_, true)) {
      ::close(config.descriptor);
      std::puts((name() + " closed it").c_str());
    }
    if (config.fault == "start" && !std::exchange(is_done_, true)) {
      auto program = std::filesystem::read_symlink("/proc/self/exe").string();
      auto status = std::system((program + " --test.rounds=1").c_str());
      std::printf("another program: status %d\n", status);
    }
  }

  /// Used in `shutdown()`.
  void linger() const {
    if (config.culprit == name() && config.fault == "linger")
      wait_for_gate(" lingers");
  }

  void wait_for_gate(const char* activity) const {
    wait(activity, [this] { return std::filesystem::exists(config.gate); });
  }

  template <class Condition>
  void wait(const char* activity, Condition condition) const {
    if (condition())
      return;
    std::puts((name() + activity).c_str());
    while (!condition())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }

  const program_config& config;

private:
  mutable bool is_done_ = false;
};

struct source : node {
  explicit source(const program_config& cfg) : node(cfg, "source") {
    // nop
  }

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
  explicit relay(const program_config& cfg) : node(cfg, "relay") {
    // nop
  }

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

/// Sends items at the last tag.
struct closer : node {
  explicit closer(const program_config& cfg) : node(cfg, "closer") {
    // nop
  }

  rosia::output_port<items> out{this, "out"};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] {
      out(items{{0, 0, "last"}, {0, 1, "last"}});
    }};
};

struct mirror : node {
  explicit mirror(const program_config& cfg) : node(cfg, "mirror") {
    // nop
  }

  rosia::input_port<items> in{this, "in"};
  rosia::output_port<items> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          go_wrong();
                          out(in);
                        }};
};

struct sink : node {
  explicit sink(const program_config& cfg) : node(cfg, "sink") {
    // nop
  }

  rosia::input_port<items> in{this, "in"};

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      go_wrong();
      if (count_ == 0)
        std::puts("sink: the first items");
      make_noise();
      for (auto& x : *in) {
        ++count_;
        digest_ = (digest_ ^ x.number ^ (x.text.size() << 8)) * 0x100000001b3;
        digest_ ^= static_cast<std::uint64_t>(now().ns);
      }
    }};

  void shutdown() {
    linger();
    std::printf("sink: %llu items, digest %llx\n",
                static_cast<unsigned long long>(count_),
                static_cast<unsigned long long>(digest_));
  }

private:
  /// Prints numbered lines, so that missing lines are detected.
  void make_noise() {
    std::string line(2000, 'x');
    if (config.noise == "out")
      std::printf("noise %d %s\n", ++lines_, line.c_str());
    else if (config.noise == "err")
      std::fprintf(stderr, "noise %d %s\n", ++lines_, line.c_str());
    else if (config.noise == "log")
      log().info("noise {} {}", ++lines_, line);
  }

  int lines_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

/// A type that CAF cannot send.
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
  if (cfg.last_tag) {
    auto last = app.create<closer>("closer", cfg);
    app.connect(last, &closer::out, via, &relay::in);
  }
  if (cfg.fault == "payload") {
    auto one = app.create<carrier>("carrier");
    auto other = app.create<keeper>("keeper");
    app.connect(one, &carrier::out, other, &keeper::in);
  }
  if (cfg.fault == "graph" && app.opts().network.process == cfg.culprit)
    app.create<carrier>("extra");
  if (cfg.fault == "signal" && app.opts().network.process == cfg.culprit)
    std::raise(cfg.signal);
  std::jthread watch;
  auto& name = app.opts().network.process;
  if (cfg.watcher == (name.empty() ? "coordinator" : name))
    watch = std::jthread{[&app](const std::stop_token& stop) {
      auto told = false;
      while (!stop.stop_requested())
        for (auto& x : app.status().processes)
          if (x.name == "right" && !x.problem.empty()
              && !std::exchange(told, true))
            std::puts("watcher: process 'right' does not answer");
    }};
  auto status = app.run();
  // Independent of how it ended.
  auto is_over = app.status().stage == rosia::application_stage::over;
  return is_over ? status : status_not_over;
}

} // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return rosia::exec_main<program_config>(argc, argv, run);
}
