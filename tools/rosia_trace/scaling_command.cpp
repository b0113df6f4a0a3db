// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/commands.hpp"
#include "rosia_trace/schedule.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"
#include "rosia_trace/workload.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

/// Maximum number of limits to print.
constexpr std::size_t shown_limits = 4;

/// Percent of the critical path: smaller parts are not worth a line.
constexpr double least_share = 5;

/// Nanoseconds: handing work to another thread takes about as long.
constexpr double hand_over = 3'000;

/// Speed-ups that differ by less than this factor are the same.
constexpr double nearly = 0.95;

constexpr std::size_t most_threads = 256;

double ratio(std::int64_t x, std::int64_t y) {
  return y == 0 ? 1 : static_cast<double>(x) / static_cast<double>(y);
}

/// Formats a duration with three significant digits.
std::string readable(double ns) {
  using unit = std::pair<const char*, double>;
  for (auto& [name, length] :
       {unit{"s", 1e9}, unit{"ms", 1e6}, unit{"us", 1e3}})
    if (ns >= length)
      return fmt::format("{:.3g} {}", ns / length, name);
  return fmt::format("{:.3g} ns", ns);
}

std::string readable(std::int64_t ns) {
  return readable(static_cast<double>(ns));
}

// -- loops --------------------------------------------------------------------

/// A loop of connections.
struct found_loop {
  std::vector<index> nodes;
  logical_time delay;
};

/// Returns the loop through `node` with the least delay. The node must be on a
/// loop.
found_loop shortest_loop(const workload& work, index node) {
  using entry = std::pair<logical_time, index>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  std::map<index, index> previous;
  std::map<index, logical_time> distances;
  auto add_receivers = [&](index from, logical_time distance) {
    for (auto& x : work.receivers(from)) {
      auto sum = distance + x.delay;
      auto [i, is_new] = distances.emplace(x.node, sum);
      if (!is_new && i->second <= sum)
        continue;
      i->second = sum;
      previous[x.node] = from;
      next.emplace(sum, x.node);
    }
  };
  add_receivers(node, origin);
  while (!next.empty() && next.top().second != node) {
    auto [distance, nearest] = next.top();
    next.pop();
    if (distances[nearest] == distance)
      add_receivers(nearest, distance);
  }
  found_loop result{{node}, distances[node]};
  for (auto i = previous[node]; i != node; i = previous[i])
    result.nodes.push_back(i);
  std::reverse(result.nodes.begin() + 1, result.nodes.end());
  return result;
}

// -- the critical path --------------------------------------------------------

/// The part of the critical path that is in one node, or in one loop.
struct path_part {
  std::int64_t duration = 0;
  std::size_t activations = 0;
  /// By node.
  std::map<index, std::int64_t> nodes;

  void add(const path_part& x) {
    duration += x.duration;
    activations += x.activations;
    for (auto& [node, busy] : x.nodes)
      nodes[node] += busy;
  }

  void add(const activation& x) {
    duration += x.duration;
    ++activations;
    nodes[x.node] += x.duration;
  }

  index heaviest() const {
    return std::ranges::max_element(nodes, {}, [](auto& x) { return x.second; })
      ->first;
  }
};

/// Divides the critical path by nodes. Nodes of a loop that are all on the path
/// to a large part are one part, because the loop makes them alternate.
std::vector<path_part> parts_of(
  const workload& work, const std::vector<std::size_t>& path) {
  std::map<index, path_part> loops;
  for (auto i : path) {
    auto& x = work.activations()[i];
    loops[work.declared().nodes()[x.node].loop].add(x);
  }
  std::map<std::pair<index, index>, path_part> parts;
  for (auto i : path) {
    auto& x = work.activations()[i];
    auto number = work.declared().nodes()[x.node].loop;
    auto& loop = loops[number];
    auto dominated = ratio(loop.nodes[loop.heaviest()], loop.duration) > 0.8;
    parts[{number, dominated ? x.node : number}].add(x);
  }
  std::vector<path_part> result;
  for (auto& [key, x] : parts)
    result.push_back(std::move(x));
  std::ranges::stable_sort(result, std::greater<>{}, &path_part::duration);
  return result;
}

class scaling_report {
public:
  scaling_report(const workload& work, std::ostream& out)
    : work_{work}, out_{out},
      has_groups_{std::ranges::any_of(work.activations(), [](auto& x) {
        return x.group != x.node;
      })} {
    // nop
  }

  void print() {
    print_work();
    auto span = make_schedule(work_, {});
    bound_ = ratio(work_.work(), span.duration);
    predict();
    out_ << "critical path: " << readable(span.duration) << " in "
         << counted(span.path.size(), "activation")
         << fmt::format(", so the speed-up is at most {:.3g}\n\n", bound_);
    print_table();
    print_limits(span);
  }

private:
  // -- work -------------------------------------------------------------------

  void print_work() const {
    auto& nodes = work_.declared().nodes();
    out_ << "work: " << readable(work_.work()) << " in "
         << counted(work_.activations().size(), "activation") << " of "
         << counted(nodes.size(), "node") << '\n'
         << "run: " << readable(work_.elapsed())
         << fmt::format("; busy threads on average: {:.3g}\n",
                        ratio(work_.work(), work_.elapsed()));
    if (work_.process_names().size() > 1)
      print_processes();
  }

  void print_processes() const {
    std::vector<std::int64_t> sums(work_.process_names().size());
    for (auto& x : work_.activations())
      sums[work_.process_of(x.node)] += x.duration;
    out_ << "processes:";
    for (std::size_t i = 0; i < sums.size(); ++i)
      out_ << (i > 0 ? "," : "") << ' ' << quoted(work_.process_names()[i])
           << fmt::format(" with {:.0f} % of the work",
                          100 * ratio(sums[i], work_.work()));
    out_ << '\n';
  }

  // -- speed-ups --------------------------------------------------------------

  /// The speed-up with a number of threads in each process.
  struct prediction {
    std::size_t threads = 1;
    double speedup = 1;
    /// With the groups of the run.
    double in_groups = 1;
  };

  void predict() {
    for (std::size_t n = 1; n <= most_threads; n *= 2)
      predictions_.push_back(
        {n, speedup({.workers = n}),
         has_groups_ ? speedup({.workers = n, .keep_groups = true}) : 1});
  }

  double speedup(const schedule_options& options) const {
    return ratio(work_.work(), make_schedule(work_, options).duration);
  }

  void print_table() const {
    using enum table::align;
    std::vector<table::column> columns{
      {processes() > 1 ? "threads in each process" : "threads", right},
      {"speed-up", right},
      {"at most", right}};
    if (has_groups_)
      columns.push_back({"in its groups", right});
    table rows{std::move(columns)};
    for (auto& x : predictions_) {
      auto threads = static_cast<double>(x.threads * processes());
      std::vector<std::string> row{
        std::to_string(x.threads), shown(x.speedup),
        shown(std::min(bound_, threads))};
      if (has_groups_)
        row.push_back(shown(x.in_groups));
      rows.add(std::move(row));
    }
    rows.print(out_);
    out_ << '\n';
  }

  std::size_t processes() const {
    return work_.process_names().size();
  }

  static std::string shown(double x) {
    return fmt::format("{:.2f}", x);
  }

  // -- limits -----------------------------------------------------------------

  void print_limits(const schedule& span) const {
    auto& most = predictions_.back();
    auto enough = std::ranges::find_if(predictions_, [&](auto& x) {
      return x.speedup >= nearly * most.speedup;
    });
    if (most.speedup < nearly * bound_) {
      out_ << "More threads help, up to " << most.threads << " at least.\n";
    } else {
      out_ << "More than " << counted(enough->threads, "thread") << ' '
           << (enough->threads == 1 ? "does" : "do")
           << " not help. The critical path:\n";
      print_parts(span);
    }
    print_groups();
    if (auto mean = mean_duration(); mean < hand_over)
      out_ << "An activation takes " << readable(mean)
           << " on average. To hand it to another thread takes as long, so "
              "fewer threads may be faster.\n";
    if (work_.realtime())
      out_ << "In real time the run waits for the clock. The figures are those "
              "of a run as fast as possible.\n";
  }

  double mean_duration() const {
    return static_cast<double>(work_.work())
           / static_cast<double>(work_.activations().size());
  }

  void print_parts(const schedule& span) const {
    auto parts = parts_of(work_, span.path);
    auto percent = [&](const path_part& x) {
      return 100 * ratio(x.duration, span.duration);
    };
    auto is_large = [&](auto& x) { return percent(x) >= least_share; };
    path_part rest;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (i < shown_limits && is_large(parts[i]))
        out_ << fmt::format("  {:.0f} % is ", percent(parts[i]))
             << shown(parts[i]) << '\n';
      else
        rest.add(parts[i]);
    if (is_large(rest))
      out_ << fmt::format("  {:.0f} % is in ", percent(rest))
           << counted(rest.nodes.size(), "node")
           << (rest.nodes.size() > 1 ? ", one after the other\n" : "\n");
    if (percent(parts.front()) >= 50)
      print_advice(parts.front());
  }

  std::string shown(const path_part& x) const {
    if (x.nodes.size() > 1)
      return shown(shortest_loop(work_, x.heaviest()));
    auto node = x.heaviest();
    auto result
      = work_.declared().node_name(node) + ", "
        + counted(x.activations, "activation") + " of "
        + readable(ratio(x.duration, static_cast<std::int64_t>(x.activations)));
    return is_in_loop(node)
             ? result + ", in " + shown(shortest_loop(work_, node))
             : result;
  }

  std::string shown(const found_loop& x) const {
    std::string result = "the loop ";
    for (std::size_t i = 0; i < x.nodes.size() && i < shown_limits; ++i)
      result += work_.declared().node_name(x.nodes[i]) + " -> ";
    if (x.nodes.size() > shown_limits)
      result += "... -> ";
    return result + work_.declared().node_name(x.nodes.front())
           + ", whose delay is " + to_string(x.delay);
  }

  void print_advice(const path_part& x) const {
    if (x.nodes.size() > 1)
      out_ << "The loop limits the speed-up: with a longer delay its nodes "
              "overlap.\n";
    else
      out_ << work_.declared().node_name(x.heaviest())
           << " limits the speed-up: divide the node, or give it workers.\n";
  }

  bool is_in_loop(index node) const {
    auto loop = work_.declared().nodes()[node].loop;
    return std::ranges::any_of(work_.receivers(node), [&](auto& x) {
      return work_.declared().nodes()[x.node].loop == loop;
    });
  }

  void print_groups() const {
    auto& most = predictions_.back();
    if (!has_groups_ || most.in_groups >= nearly * most.speedup)
      return;
    std::map<index, path_part> groups;
    for (auto& x : work_.activations())
      groups[x.group].add(x);
    auto heaviest = std::ranges::max_element(groups, {}, [](auto& x) {
      return x.second.duration;
    });
    out_ << "Groups limit the speed-up to " << shown(most.in_groups)
         << ": the largest one, of "
         << work_.declared().node_name(heaviest->first)
         << fmt::format(", has {:.0f} % of the work. See --rosia.groups.\n",
                        100 * ratio(heaviest->second.duration, work_.work()));
  }

  const workload& work_;
  std::ostream& out_;
  /// The greatest possible speed-up.
  double bound_ = 1;
  bool has_groups_;
  std::vector<prediction> predictions_;
};

/// Reads a trace. A truncated trace is used as far as it goes.
void read_workload(const std::string& file, workload& result) {
  read_events(
    file, [&](const event& x) { result.add(x); }, [&] { result.finish(); });
  if (result.knows_durations())
    return;
  throw unreadable_file{
    shown_path(file) + ": no reaction ended, so there is nothing to schedule"};
}

} // namespace

int scaling_command(const std::string& file, std::ostream& out) {
  workload work;
  read_workload(file, work);
  out << shown_path(file) << ":\n";
  scaling_report{work, out}.print();
  return exit_good;
}

} // namespace rosia_trace
