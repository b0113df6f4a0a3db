// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Nodes of programs of Lingua Franca's tests, written anew.

#pragma once

#include "support.hpp"

#include <cstddef>
#include <vector>

namespace ported {

/// Sends k x step at each multiple k of 200 ms.
struct ramp : rosia::node {
  explicit ramp(std::size_t x = 1) : step(static_cast<int>(x)) {
    // nop
  }

  rosia::tick t{this, "t", 200ms};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         out(value);
                         value += step;
                       }};

  int step;
  int value = 0;
};

/// Sends a number once, at the start.
struct once : rosia::node {
  explicit once(std::size_t x) : index(static_cast<int>(x)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  void start() {
    out(index);
  }

  int index;
};

/// Sends consecutive numbers by its ports, at the start.
struct fan : rosia::node {
  explicit fan(std::size_t width, int x = 0)
    : out{this, "out", width}, first(x) {
    // nop
  }

  rosia::output_ports<int> out;

  void start() {
    auto i = first;
    for (auto& x : out)
      x(i++);
  }

  int first;
};

/// Sends k by each port at each multiple k of 200 ms.
struct ramp_fan : rosia::node {
  explicit ramp_fan(std::size_t width) : out{this, "out", width} {
    // nop
  }

  rosia::tick t{this, "t", 200ms};
  rosia::output_ports<int> out;

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         for (auto& x : out)
                           x(value);
                         ++value;
                       }};

  int value = 0;
};

/// Sends consecutive numbers by its ports at each multiple of 200 ms.
struct counting_fan : rosia::node {
  explicit counting_fan(std::size_t width) : out{this, "out", width} {
    // nop
  }

  rosia::tick t{this, "t", 200ms};
  rosia::output_ports<int> out;

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         for (auto& x : out)
                           x(value++);
                       }};

  int value = 0;
};

/// Stores a row for each tag: the values of the ports that have one, and -1
/// for the others.
struct table : rosia::node {
  explicit table(std::size_t width) : in{this, "in", width} {
    // nop
  }

  rosia::input_ports<int> in;

  rosia::reaction on_in{this, "on_in", in, [this] {
                          std::vector<int> row;
                          for (auto& x : in)
                            row.push_back(x.is_present() ? *x : -1);
                          rows.emplace_back(now(), row);
                        }};

  record<std::vector<int>> rows;
};

/// An application that ends at one second.
struct fixture {
  test_system sys;
  rosia::application app{sys, fast_until(1s)};

  /// Returns what the recorders of a bank got.
  std::vector<record<int>> run(const rosia::bank_ref<recorder<int>>& bank) {
    REQUIRE(app.run() == 0);
    std::vector<record<int>> result;
    for (auto& x : bank)
      result.push_back(x->got);
    return result;
  }

  record<std::vector<int>> run(const rosia::node_ref<table>& x) {
    REQUIRE(app.run() == 0);
    return x->rows;
  }
};

using rows = record<std::vector<int>>;

} // namespace ported
