// Tests the node alone: without threads, and without waiting. Any test
// framework can take the place of check().

#include "counter.hpp"

#include <caf/rosia/test/harness.hpp>

#include <chrono>
#include <iostream>
#include <vector>

using namespace std::chrono_literals;
using project_name_nodes::counter;

namespace rosia = caf::rosia;

namespace {

int failures = 0;

void check(bool holds, const char* text) {
  if (!holds) {
    std::cerr << "FAILED: " << text << '\n';
    ++failures;
  }
}

void sends_the_number_of_each_tick() {
  rosia::test::harness<counter> h;
  h.set(&counter::tick, 0s, rosia::logical_time{});
  h.set(&counter::tick, 5s, rosia::logical_time{});
  h.run();
  using rosia::test::sent;
  check(!h.error(), "the node has no error");
  check(h.outputs(&counter::count) == std::vector<sent<int>>{{0s, 1}, {5s, 2}},
        "the node sends 1 at 0s and 2 at 5s");
}

} // namespace

int main() {
  sends_the_number_of_each_tick();
  return failures == 0 ? 0 : 1;
}
