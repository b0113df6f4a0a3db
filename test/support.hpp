// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Shared code of the tests of the public API: actor systems, options, small
// nodes, and log output.
//
// A class with two reactions must not be local to a function: clang before
// version 19 treats the lambdas in a local class's initializers as one.

#pragma once

#include "caf/rosia/all.hpp"
#include "caf/rosia/test/harness.hpp"

#include "observing.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using rosia::logical_time;
using rosia::test::sent;

/// Returns the tag (`d`, `microstep`).
template <class Duration>
constexpr logical_time at(Duration d, std::uint32_t microstep = 0) {
  return {
    std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(), microstep};
}

template <class T>
using record = std::vector<sent<T>>;

namespace Catch {

template <>
struct StringMaker<logical_time> {
  static std::string convert(logical_time x) {
    return to_string(x);
  }
};

} // namespace Catch

// -- systems and options ------------------------------------------------------

struct workers_config : rosia::config {
  explicit workers_config(std::size_t workers) {
    test::set_caf_option(*this, "scheduler.max-threads", workers);
  }
};

/// Returns options for running as fast as possible, with only errors in the
/// log. A test that hangs ends with the status 129.
inline rosia::options fast() {
  rosia::options result;
  result.realtime = false;
  result.timeout = 10min;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "error";
  return result;
}

inline rosia::options fast_until(rosia::test::moment stop) {
  auto result = fast();
  result.stop_after = stop.tag;
  return result;
}

inline rosia::options real_time() {
  auto result = fast();
  result.realtime = true;
  return result;
}

inline rosia::options with_log(rosia::options x, std::string level = "info") {
  x.log_level = std::move(level);
  return x;
}

// -- nodes --------------------------------------------------------------------

/// Sends values, each some time after the previous one.
template <class T>
struct source : rosia::node {
  struct item {
    rosia::delay wait;
    T value;
  };

  explicit source(std::vector<item> xs) : items(std::move(xs)) {
    // nop
  }

  rosia::output_port<T> out{this, "out"};

  rosia::task start() {
    for (auto& x : items) {
      if (!x.wait.is_zero())
        co_await rosia::after(x.wait);
      out(x.value);
    }
  }

  void shutdown() {
    ++shutdowns;
  }

  std::vector<item> items;
  int shutdowns = 0;
};

/// The values of a source that sends one 7 at the start.
inline const std::vector<source<int>::item> one_seven{{{}, 7}};

/// Forwards its values.
template <class T>
struct relay : rosia::node {
  rosia::input_port<T> in{this, "in"};
  rosia::output_port<T> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};

  void shutdown() {
    ++shutdowns;
  }

  int shutdowns = 0;
};

/// Stores its values.
template <class T>
struct recorder : rosia::node {
  rosia::input_port<T> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          for (auto& x : in.all())
                            got.emplace_back(now(), x);
                        }};

  void shutdown() {
    ++shutdowns;
  }

  record<T> got;
  int shutdowns = 0;
};

/// Runs a function as its `start()`.
struct script : rosia::node {
  explicit script(std::function<void(script&)> fun) : code(std::move(fun)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  void start() {
    code(*this);
  }

  void shutdown() {
    ++shutdowns;
  }

  std::function<void(script&)> code;
  int shutdowns = 0;
};

/// Writes 1 at (0, 0), once a test releases it.
struct stuck : rosia::node {
  explicit stuck(std::future<void> when) : released(std::move(when)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  std::future<void> released;

  void start() {
    released.get();
    out(1);
  }
};

/// Runs forever, and can be called from any thread. A value is stored and sent;
/// a negative one ends the application.
struct doorbell : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] {
      got.emplace_back(now(), *ring);
      out(ring);
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
  std::atomic<bool> started = false;
  std::atomic<int> shutdowns = 0;
};
