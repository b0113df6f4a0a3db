// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Values from outside: a thread reads a device and passes each sample to a node
// by a physical action.
//
//   thread ··> sensor --> averager
//
// Any thread may schedule a physical action. Its value gets its tag from the
// clock, and is from then on handled in logical time.

#include <chrono>
#include <cstdio>
#include <thread>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto samples = 5;

struct sensor : rosia::node {
  rosia::output_port<int> output{this, "output"};

  // Other threads schedule it.
  rosia::physical_action<int> sample{this, "sample"};

  rosia::reaction on_sample{
    this, "on_sample", {sample}, [this] {
      output(sample);
      // A node with a physical action never ends by itself, because it could
      // be scheduled again.
      if (*sample == samples)
        request_shutdown();
    }};

  void start() {
    thread_ = std::thread{[this] { read_device(); }};
  }

  // Waits for the thread, which uses the node.
  void shutdown() {
    thread_.join();
  }

private:
  void read_device() {
    for (auto i = 1; i <= samples; ++i) {
      std::this_thread::sleep_for(1ms); // waits for the device
      // False if the queue is full or the node has left.
      if (!sample.schedule(i))
        std::printf("sample %d is lost\n", i);
    }
  }

  std::thread thread_;
};

struct averager : rosia::node {
  rosia::input_port<int> sample{this, "sample"};

  rosia::reaction on_sample{
    this, "on_sample", {sample}, [this] {
      sum_ += *sample;
      std::printf("sample %d, average %.1f\n", *sample, sum_ / ++count_);
      // The tag differs between runs, but is never earlier than the call: the
      // thread sleeps for a millisecond before each call.
      if (now() < rosia::logical_time{} + rosia::after(*sample * 1ms))
        std::printf("sample %d is early\n", *sample);
    }};

private:
  double sum_ = 0;
  int count_ = 0;
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto sense = app.create<sensor>("sensor");
  auto average = app.create<averager>("averager");
  sense[&sensor::output] >>= average[&averager::sample];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
