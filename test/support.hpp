// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of the public API share: actor systems, options, small nodes,
// and a look at what was logged.
//
// A class with two reactions does not stand within a test's function: clang
// before version 19 takes the lambdas in a local class's initializers for one.

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

/// The tag (`d`, `microstep`).
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

/// As fast as possible, silent but for errors. A test that hangs ends with the
/// status 129.
inline rosia::options fast() {
  rosia::options result;
  result.realtime = false;
  result.timeout = 60s;
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

/// Sends values, each some time after the one before.
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

/// For a source that sends one 7 at the start.
inline const std::vector<source<int>::item> one_seven{{{}, 7}};

/// Sends on what it gets.
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

/// Keeps what it gets.
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

/// Runs what it is given as its `start()`.
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

/// Goes on for ever, and can be called from any thread. A call is kept and sent
/// on; a negative one ends the application.
struct doorbell : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::trigger<int> ring{
    this, "ring", [this](int x) {
      got.emplace_back(now(), x);
      out(x);
      if (x < 0)
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
  int shutdowns = 0;
};
