// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Hidden, because the results depend on the machine: trace_test "[speed]"

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "rosia_trace/comparison.hpp"
#include "trace/random_trace.hpp"

#include <ctime>
#include <iostream>

namespace speed_test {

using namespace trace_test;

namespace {

/// Returns the trace of a source that sends to two chains of relays, `rounds`
/// times.
std::string long_trace(std::int64_t rounds, std::size_t relays) {
  auto name = [](std::size_t i) { return "relay_" + std::to_string(i); };
  std::string result;
  auto add = [&](const std::string& line) { result += line + '\n'; };
  add(application());
  add(node_line{"source"}.output("out").str());
  for (std::size_t i = 0; i < relays; ++i)
    add(node_line{name(i)}
          .input("value")
          .output("result")
          .reaction("on_value", {"value"})
          .str());
  add(connection("source.out", name(0) + ".value"));
  for (std::size_t i = 1; i < relays; ++i)
    add(connection(name(i - 1) + ".result", name(i) + ".value"));
  add(start("source"));
  for (std::size_t i = 0; i < relays; ++i)
    add(start(name(i)));
  for (std::int64_t round = 1; round <= rounds; ++round) {
    logical_time now{round * 1'000'000, 0};
    logical_time next{now.ns, 1};
    auto value = static_cast<std::uint64_t>(round) * 0x9e3779b97f4a7c15ull;
    add(execute("source", now, forever));
    add(resume("source", now));
    add(send("source", now, "out", name(0) + ".value", now, value));
    for (std::size_t i = 0; i < relays; ++i) {
      auto from = i == 0 ? "source.out" : name(i - 1) + ".result";
      add(execute(name(i), now, next));
      add(input(name(i), now, "value", from, value));
      add(reaction(name(i), now, "on_value"));
      if (i + 1 < relays)
        add(send(name(i), now, "result", name(i + 1) + ".value", now, value));
    }
  }
  logical_time last{rounds * 1'000'000, 0};
  add(shutdown("source", last, "done"));
  add(exit("source"));
  for (std::size_t i = 0; i < relays; ++i) {
    add(shutdown(name(i), last, "done"));
    add(exit(name(i)));
  }
  add(end());
  return result;
}

template <class F>
void measure(const char* name, std::size_t bytes, F f) {
  // Processor time, because other processes may use the machine as well.
  auto start = std::clock();
  f();
  auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::cout << name << ": " << bytes / 1'000'000 << " MB, "
            << static_cast<double>(bytes) / 1e6 / seconds << " MB/s\n";
}

} // namespace

TEST_CASE("speed of the checker", "[.][speed]") {
  for (std::size_t relays : {4u, 1000u}) {
    auto text = long_trace(static_cast<std::int64_t>(200'000 / relays), relays);
    measure(relays == 4 ? "check, 5 nodes" : "check, 1001 nodes", text.size(),
            [&] { CHECK(!rosia_trace::check(text)); });
  }
  std::vector<std::string> many;
  std::size_t bytes = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    bytes += many.emplace_back(random_trace(seed).text()).size();
  measure("check, 6000 random traces", bytes, [&] {
    for (const auto& text : many)
      CHECK(!rosia_trace::check(text));
  });
}

TEST_CASE("speed of the comparison", "[.][speed]") {
  auto text = long_trace(50'000, 4);
  measure("diff", 2 * text.size(), [&] {
    CHECK(rosia_trace::compare({text, "a"}, {text, "b"}, std::nullopt).same());
  });
}

} // namespace speed_test
