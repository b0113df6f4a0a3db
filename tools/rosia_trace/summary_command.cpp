// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/commands.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace rosia_trace {

namespace {

/// Maximum number of steps of one kind to print. More are only counted.
constexpr std::size_t shown_steps = 20;

struct node_summary {
  std::string name;
  std::uint64_t tags = 0;
  std::uint64_t reactions = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t promises = 0;
  std::uint64_t drops = 0;
  std::optional<logical_time> first;
  std::optional<logical_time> last;
  std::string ended;
  std::string group;
  bool exited = false;
};

/// The answers of nodes to one question of the coordinator.
struct round_summary {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  logical_time proposal;
  logical_time least = forever;
  logical_time greatest = never;
};

struct final_summary {
  std::uint64_t taken = 0;
  std::size_t line = 0;
  logical_time tag;
};

/// A step of the shutdown, as text.
struct shutdown_step_summary {
  std::size_t first_line;
  std::size_t last_line;
  std::string text;
};

/// Quotes a name only if necessary. A name in a trace may contain anything.
std::string shown_name(std::string_view name) {
  auto result = quoted(name);
  auto plain = result.size() == name.size() + 2
               && name.find(' ') == std::string_view::npos && !name.empty();
  return plain ? std::string{name} : result;
}

/// The steps of an end.
class shutdown_summary {
public:
  /// @param line the number of the line.
  void add(const event& x, std::size_t line) {
    switch (x.kind) {
      case event_kind::asked:
      case event_kind::answer:
        add_negotiation(x, line);
        break;
      case event_kind::final:
        close_round();
        close_final();
        final_ = final_summary{0, line, x.tag};
        break;
      case event_kind::final_taken:
        if (final_)
          ++final_->taken;
        break;
      default:
        add_event(x, line);
    }
  }

  void print(std::ostream& out) {
    close_round();
    close_final();
    if (steps_.empty())
      return;
    // A round is added at its end, but printed at the place of its start.
    std::stable_sort(
      steps_.begin(), steps_.end(),
      [](const auto& x, const auto& y) { return x.first_line < y.first_line; });
    out << "\nshutdown:\n";
    for (const auto& x : steps_) {
      if (x.first_line == x.last_line)
        out << "  line " << x.first_line;
      else
        out << "  lines " << x.first_line << " to " << x.last_line;
      out << ": " << x.text << '\n';
    }
    for (auto [count, unit] :
         {std::pair{requests_, "request"}, std::pair{errors_, "error"}})
      if (count > shown_steps)
        out << "  and " << counted(count - shown_steps, unit) << " more\n";
  }

private:
  void add_negotiation(const event& x, std::size_t line) {
    if (!round_)
      round_ = round_summary{.first_line = line, .proposal = x.proposal};
    round_->last_line = line;
    if (x.kind == event_kind::asked) {
      ++round_->asked;
      return;
    }
    ++round_->answered;
    round_->least = std::min(round_->least, x.tag);
    round_->greatest = std::max(round_->greatest, x.tag);
  }

  void add_event(const event& x, std::size_t line) {
    switch (x.kind) {
      case event_kind::request:
        if (++requests_ <= shown_steps)
          add_step(line, describe_request(x));
        break;
      case event_kind::error:
        if (++errors_ <= shown_steps)
          add_step(line, describe_error(x));
        break;
      default:
        add_step(line, "aborted");
    }
  }

  static std::string describe_request(const event& x) {
    auto result
      = x.has(member::node)
          ? shown_name(x.node) + " at " + to_string(x.tag) + " requests to end "
          : "requested from outside to end ";
    result += x.proposal == never
                ? "as soon as possible"
                : "at " + to_string(x.proposal);
    return result + ", status " + std::to_string(x.status);
  }

  static std::string describe_error(const event& x) {
    auto result = "error in " + shown_name(x.node);
    if (x.has(member::reaction))
      result += ", " + shown_name(x.reaction);
    return result + " at " + to_string(x.tag) + ": " + quoted(x.text);
  }

  void add_step(std::size_t line, std::string text) {
    steps_.push_back({line, line, std::move(text)});
  }

  void close_round() {
    if (!round_)
      return;
    auto text
      = counted(round_->asked, "node") + (round_->asked == 1 ? " is" : " are")
        + " asked for "
        + (round_->proposal == never
             ? std::string{"the earliest final tag"}
             : to_string(round_->proposal) + " or later")
        + "; ";
    if (round_->answered == 0)
      text += "none answers";
    else
      text += counted(round_->answered, "answer") + " from "
              + to_string(round_->least) + " to " + to_string(round_->greatest);
    steps_.push_back({round_->first_line, round_->last_line, std::move(text)});
    round_.reset();
  }

  void close_final() {
    if (!final_)
      return;
    add_step(final_->line, "final tag " + to_string(final_->tag) + ", taken by "
                             + counted(final_->taken, "node"));
    final_.reset();
  }

  std::optional<round_summary> round_;
  std::optional<final_summary> final_;
  std::vector<shutdown_step_summary> steps_;
  std::size_t requests_ = 0;
  std::size_t errors_ = 0;
};

class summary {
public:
  void add(const event& x) {
    ++lines_;
    switch (x.kind) {
      case event_kind::application:
        application(x);
        break;
      case event_kind::node:
        node_called(x.node);
        for (const auto& action : x.actions)
          if (action.timeout >= 0)
            watchdogs_.emplace(x.node, action.name);
        inputs_ += x.inputs.size();
        outputs_ += x.outputs.size();
        reactions_ += x.reactions.size();
        break;
      case event_kind::connection:
        ++connections_;
        physical_connections_ += x.physical;
        break;
      case event_kind::request:
      case event_kind::error:
      case event_kind::aborted:
      case event_kind::asked:
      case event_kind::answer:
      case event_kind::final:
      case event_kind::final_taken:
        shutdown_.add(x, lines_);
        break;
      case event_kind::end:
        status_ = x.status;
        break;
      case event_kind::resumed:
        break;
      default:
        of_node(node_called(x.node), x);
    }
  }

  void print(std::ostream& out) {
    out << title_ << '\n'
        << "graph: " << counted(nodes_.size(), "node") << ", "
        << counted(connections_, "connection");
    if (physical_connections_ > 0)
      out << " (" << physical_connections_ << " physical)";
    out << ", " << counted(inputs_, "input") << ", "
        << counted(outputs_, "output") << ", "
        << counted(reactions_, "reaction") << "\n\n";
    print_nodes(out);
    print(out, "missed deadlines", missed_);
    print(out, "expired watchdogs", expired_);
    print(out, "tardy values", tardy_);
    shutdown_.print(out);
    print_end(out);
  }

private:
  // -- collecting -------------------------------------------------------------

  node_summary& node_called(std::string_view name) {
    auto [i, fresh] = names_.emplace(name, nodes_.size());
    if (fresh)
      nodes_.emplace_back().name = name;
    return nodes_[i->second];
  }

  void application(const event& x) {
    title_ = "Rosia " + shown_name(x.version)
             + (x.realtime ? ", in real time" : ", as fast as possible");
    if (x.has(member::stop_after))
      title_ += ", to stop after " + to_string(x.stop_after);
  }

  void of_node(node_summary& node, const event& x) {
    switch (x.kind) {
      case event_kind::execute:
        ++node.tags;
        if (!node.first)
          node.first = x.tag;
        node.last = x.tag;
        elapsed_ = std::max(elapsed_, x.elapsed);
        break;
      case event_kind::reaction:
        ++node.reactions;
        break;
      case event_kind::missed:
        ++missed_[{node.name, std::string{x.reaction}}];
        break;
      case event_kind::action:
        if (watchdogs_.contains({node.name, std::string{x.action}}))
          ++expired_[{node.name, std::string{x.action}}];
        break;
      case event_kind::tardy:
        ++tardy_[{node.name, std::string{x.port}}];
        break;
      case event_kind::input:
        ++node.in;
        break;
      case event_kind::send:
        ++node.out;
        break;
      case event_kind::promise:
        ++node.promises;
        break;
      case event_kind::drop:
        ++node.drops;
        break;
      case event_kind::shutdown:
        node.ended = x.ending;
        break;
      case event_kind::exit:
        node.exited = true;
        break;
      case event_kind::group:
        node.group = x.group;
        break;
      default:
        break;
    }
  }

  // -- printing ---------------------------------------------------------------

  void print_nodes(std::ostream& out) const {
    using enum table::align;
    std::vector<table::column> columns{
      {"node"},         {"tags", right},  {"reactions", right},
      {"in", right},    {"out", right},   {"promises", right},
      {"drops", right}, {"first", right}, {"last", right},
      {"ended"}};
    auto grouped = std::any_of(nodes_.begin(), nodes_.end(), [](auto& x) {
      return !x.group.empty();
    });
    if (grouped)
      columns.push_back({"group"});
    table rows{std::move(columns)};
    auto add = [&](std::vector<std::string> row, const std::string& group) {
      if (grouped)
        row.push_back(group.empty() ? group : shown_name(group));
      rows.add(std::move(row));
    };
    auto shown = [](const std::optional<logical_time>& tag) {
      return tag ? to_string(*tag) : std::string{"-"};
    };
    node_summary total;
    for (const auto& x : nodes_) {
      add({shown_name(x.name), std::to_string(x.tags),
           std::to_string(x.reactions), std::to_string(x.in),
           std::to_string(x.out), std::to_string(x.promises),
           std::to_string(x.drops), shown(x.first), shown(x.last),
           describe_end(x)},
          x.group);
      total.tags += x.tags;
      total.reactions += x.reactions;
      total.in += x.in;
      total.out += x.out;
      total.promises += x.promises;
      total.drops += x.drops;
      if (x.first)
        total.first = std::min(total.first.value_or(forever), *x.first);
      if (x.last)
        total.last = std::max(total.last.value_or(never), *x.last);
    }
    add({"total", std::to_string(total.tags), std::to_string(total.reactions),
         std::to_string(total.in), std::to_string(total.out),
         std::to_string(total.promises), std::to_string(total.drops),
         shown(total.first), shown(total.last), ""},
        {});
    rows.print(out);
  }

  static std::string describe_end(const node_summary& x) {
    if (x.ended.empty())
      return "not";
    auto result
      = x.ended == "done"    ? "by itself"
        : x.ended == "final" ? "at the final tag"
        : x.ended == "aborted"
          ? "aborted"
          : rosia_trace::quoted(x.ended);
    return x.exited ? result : result + ", did not exit";
  }

  /// Events by node and name.
  using tally = std::map<std::pair<std::string, std::string>, std::uint64_t>;

  static void print(std::ostream& out, std::string_view title,
                    const tally& counts) {
    if (counts.empty())
      return;
    out << '\n' << title << ":\n";
    for (const auto& [place, count] : counts)
      out << "  " << shown_name(place.first) << ", " << shown_name(place.second)
          << ": " << count << '\n';
  }

  void print_end(std::ostream& out) const {
    out << '\n';
    if (status_)
      out << "ended with status " << *status_;
    else
      out << "breaks off without an end: the process crashed or was killed, or "
             "still runs";
    out << "; " << counted(lines_, "line") << ", the last tag began "
        << to_string(logical_time{elapsed_, 0}) << " after the start\n";
  }

  std::string title_ = "no application";
  std::vector<node_summary> nodes_;
  std::unordered_map<std::string, std::size_t> names_;
  tally missed_; // by reaction
  /// By node and name.
  std::set<std::pair<std::string, std::string>> watchdogs_;
  tally expired_; // by watchdog
  tally tardy_;   // by input, those that were dropped as well
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::size_t reactions_ = 0;
  std::size_t connections_ = 0;
  std::size_t physical_connections_ = 0;
  std::size_t lines_ = 0;
  std::int64_t elapsed_ = 0;
  shutdown_summary shutdown_;
  std::optional<std::int64_t> status_;
};

} // namespace

int summary_command(const std::string& file, std::ostream& out) {
  summary result;
  read_events(file, [&](const event& x) { result.add(x); });
  out << shown_path(file) << ": ";
  result.print(out);
  return exit_good;
}

} // namespace rosia_trace
