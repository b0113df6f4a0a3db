// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Runs the benchmarks, and prints a table of the results. Options are those of
// Google Benchmark (--benchmark_filter=hop), and --table=FILE, which writes the
// table for the manual.

#include "report.hpp"

#include <benchmark/benchmark.h>

#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace bench {

namespace {

std::vector<row>& rows() {
  static std::vector<row> instance;
  return instance;
}

bool holds(const row& x) {
  return !x.limit || x.ratio.value_or(x.value) <= *x.limit;
}

std::string number(double x) {
  return x >= 100 || x == static_cast<double>(static_cast<long>(x))
           ? fmt::format("{:.0f}", x)
           : fmt::format("{:.3g}", x);
}

std::string number(const std::optional<double>& x) {
  return x ? number(*x) : "";
}

std::string measured(const row& x) {
  return x.unit.empty() ? number(x.value) : number(x.value) + ' ' + x.unit;
}

void print_table() {
  if (rows().empty())
    return;
  fmt::print("\n{:15} {:76} {:>10} {:>10} {:>6} {:>7}\n", "benchmark", "what",
             "measured", "against", "ratio", "at most");
  for (auto& x : rows())
    fmt::print("{:15} {:76} {:>10} {:>10} {:>6} {:>7}{}\n", x.name, x.what,
               measured(x), number(x.reference), number(x.ratio),
               number(x.limit), holds(x) ? "" : "  <-- too much");
}

void write_table(const std::string& path) {
  std::ofstream out{path};
  out << ".. list-table::\n   :header-rows: 1\n   :widths: 12 50 12 12 8 8\n\n"
         "   * - Benchmark\n     - What\n     - Measured\n     - Against\n"
         "     - Ratio\n     - At most\n";
  for (auto& x : rows())
    out << "   * - " << x.name << "\n     - " << x.what << "\n     - "
        << measured(x) << "\n     - "
        << (x.reference ? number(*x.reference) + ' ' + x.unit : "")
        << "\n     - " << number(x.ratio) << "\n     - " << number(x.limit)
        << "\n";
  if (!out.flush())
    std::cerr << "cannot write '" << path << "'\n";
}

} // namespace

void report(row x) {
  for (auto& y : rows())
    if (y.name == x.name && y.what == x.what) {
      y = std::move(x);
      return;
    }
  rows().push_back(std::move(x));
}

} // namespace bench

int main(int argc, char** argv) {
  std::string table;
  std::vector<char*> rest{argv[0]};
  for (auto i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    constexpr std::string_view child
      = "--child=",
      application = "--application=", table_option = "--table=";
    if (arg.starts_with(application))
      return bench::application_main(
        std::string{arg.substr(application.size())});
    if (arg.starts_with(child)) {
      std::string what{arg.substr(child.size())};
      auto comma = what.find(',');
      return bench::child_main(
        what.substr(0, comma), std::atol(what.c_str() + comma + 1));
    }
    if (arg.starts_with(table_option))
      table = arg.substr(table_option.size());
    else
      rest.push_back(argv[i]);
  }
  auto count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data()))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  bench::print_table();
  if (!table.empty())
    bench::write_table(table);
  return 0;
}
