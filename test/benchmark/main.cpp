// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Runs the benchmarks, and prints a table of the results. Options are those of
// Google Benchmark (--benchmark_filter=hop), and:
//
//   --table=FILE       writes the table for the manual
//   --graph=SPEC       runs this generated graph instead of the benchmarks;
//                      may be repeated. Example: phold:nodes=65536,hops=30
//   --random_graphs=N  runs N random ones instead
//   --plot=FILE        draws the ratios of generated graphs over their nodes;
//                      without other graphs, runs PHOLD and layers of 64 to
//                      65,536 nodes
//
// Without --benchmark_filter, benchmarks with `huge` in their names do not run.
// They need minutes, or several GiB of memory.

#include "generated_graphs.hpp"
#include "plot.hpp"
#include "report.hpp"

#include <benchmark/benchmark.h>

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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
    fmt::print("{:15} {:76} {:>10} {:>10} {:>6} {:>7}{}\n", x.name, x.quantity,
               measured(x), number(x.reference), number(x.ratio),
               number(x.limit), holds(x) ? "" : "  <-- too much");
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out{path};
  out << text;
  if (!out.flush())
    std::cerr << "cannot write '" << path << "'\n";
}

std::string table() {
  std::ostringstream out;
  out << ".. list-table::\n   :header-rows: 1\n   :widths: 12 50 12 12 8 8\n\n"
         "   * - Benchmark\n     - What\n     - Measured\n     - Against\n"
         "     - Ratio\n     - At most\n";
  for (auto& x : rows())
    out << "   * - " << x.name << "\n     - " << x.quantity << "\n     - "
        << measured(x) << "\n     - "
        << (x.reference ? number(*x.reference) + ' ' + x.unit : "")
        << "\n     - " << number(x.ratio) << "\n     - " << number(x.limit)
        << "\n";
  return out.str();
}

/// Adds the geometric mean of the generated graphs.
void report_mean() {
  double sum = 0;
  auto count = 0;
  for (auto& x : rows())
    if (x.name == graph_row) {
      sum += std::log(*x.ratio);
      ++count;
    }
  if (count > 1)
    report({.name = graph_row,
            .quantity
            = fmt::format("geometric mean of the ratios of {} graphs", count),
            .value = std::exp(sum / count)});
}

/// The options that are not Google Benchmark's.
struct own_options {
  std::string table;
  std::string plot;
  std::vector<graph_spec> graphs;

  /// @returns whether `arg` is one of them.
  /// @throws std::invalid_argument
  bool parse(std::string_view arg) {
    auto has_name = [&](std::string_view name) {
      auto result = arg.starts_with(name);
      arg.remove_prefix(result ? name.size() : 0);
      return result;
    };
    if (has_name("--table=")) {
      table = arg;
      return true;
    }
    if (has_name("--plot=")) {
      plot = arg;
      return true;
    }
    if (has_name("--graph=")) {
      graphs.push_back(parse_graph_spec(arg));
      return true;
    }
    if (!has_name("--random_graphs="))
      return false;
    auto count = std::atol(std::string{arg}.c_str());
    if (count < 1)
      throw std::invalid_argument(
        "--random_graphs must be a number above 0, not '" + std::string{arg}
        + "'");
    for (auto seed = 1; seed <= count; ++seed)
      graphs.push_back(random_graph_spec(static_cast<std::uint32_t>(seed)));
    return true;
  }
};

int run_benchmarks(own_options options) {
  if (!options.plot.empty() && options.graphs.empty())
    options.graphs = graphs_by_size();
  if (!options.graphs.empty())
    run_only(options.graphs);
  benchmark::RunSpecifiedBenchmarks();
  report_mean();
  print_table();
  if (!options.table.empty())
    write_file(options.table, table());
  if (!options.plot.empty())
    write_file(options.plot, plot_ratios(rows()));
  return 0;
}

} // namespace

void report(row x) {
  for (auto& y : rows())
    if (y.name == x.name && y.quantity == x.quantity) {
      y = std::move(x);
      return;
    }
  rows().push_back(std::move(x));
}

} // namespace bench

int main(int argc, char** argv) {
  bench::own_options own;
  char all_but_huge[]
    = "--benchmark_filter=-huge"; // a later filter replaces it
  std::vector<char*> rest{argv[0], all_but_huge};
  for (auto i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    constexpr std::string_view child
      = "--child=",
      application = "--application=";
    if (arg.starts_with(application))
      return bench::application_main(
        std::string{arg.substr(application.size())});
    if (arg.starts_with(child)) {
      std::string run{arg.substr(child.size())};
      auto comma = run.find(',');
      return bench::child_main(
        run.substr(0, comma), std::atol(run.c_str() + comma + 1));
    }
    try {
      if (!own.parse(arg))
        rest.push_back(argv[i]);
    } catch (const std::invalid_argument& e) {
      std::cerr << e.what() << '\n';
      return 2;
    }
  }
  auto count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data()))
    return 2;
  return bench::run_benchmarks(std::move(own));
}
