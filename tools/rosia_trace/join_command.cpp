// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/json.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/lines.hpp"
#include "rosia_trace/trace_file.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

/// A trace in memory, or the result of an earlier join.
struct whole_trace {
  std::string file;
  std::string text;
};

[[noreturn]] void fail(const whole_trace& x, std::size_t line,
                       const std::string& problem) {
  throw unreadable_file{x.file + ':' + std::to_string(line) + ": " + problem};
}

/// Calls `f(line, event)` for each line. An incomplete last line of a killed
/// process is ignored.
template <class F>
void each_event(const whole_trace& x, F&& f) {
  line_parser parser;
  std::size_t number = 0;
  auto rest = for_each_line(x.text, [&](std::string_view line) {
    ++number;
    if (parser.parse(line) != parse_result::event)
      fail(x, number, parser.problem());
    f(line, parser.get());
    return true;
  });
  if (!rest.empty() && parser.parse(rest) == parse_result::event)
    f(rest, parser.get());
}

/// Returns the part of the graph that must be equal. Nodes may run in other
/// processes, and may be declared in a different order.
std::set<std::string> graph_of(const whole_trace& x) {
  std::set<std::string> result;
  each_event(x, [&](std::string_view line, const event& e) {
    if (e.kind == event_kind::connection)
      result.emplace(line);
    else if (e.kind == event_kind::node)
      result.insert("node " + quoted(e.node));
  });
  return result;
}

void require_same_graph(const whole_trace& first, const whole_trace& second) {
  auto xs = graph_of(first);
  auto ys = graph_of(second);
  auto differs = [](auto& some, auto& others) {
    return std::find_if(some.begin(), some.end(), [&](auto& x) {
      return !others.contains(x);
    });
  };
  if (auto i = differs(xs, ys); i != xs.end())
    throw unreadable_file{second.file + ": it does not continue " + first.file
                          + ", which has " + *i};
  if (auto i = differs(ys, xs); i != ys.end())
    throw unreadable_file{second.file + ": it does not continue " + first.file
                          + ", which does not have " + *i};
}

/// The tag at which a run resumes, the nodes that had ended by themselves
/// before, and the events that it still has to execute.
struct continuation {
  std::optional<logical_time> tag;
  std::set<std::string, std::less<>> left;
  /// The events that it has of the checkpoint, by node and tag.
  std::set<std::pair<std::string, logical_time>> pending;
};

continuation continuation_of(const whole_trace& x) {
  continuation result;
  each_event(x, [&](std::string_view, const event& e) {
    if (e.kind == event_kind::resumed)
      result.tag = e.tag;
    else if (e.kind == event_kind::restored && e.has(member::left) && e.left)
      result.left.emplace(e.node);
    else if (e.kind == event_kind::pending)
      result.pending.emplace(e.node, e.due);
  });
  return result;
}

bool is_declaration(event_kind kind) {
  return kind == event_kind::application || kind == event_kind::node
         || kind == event_kind::connection;
}

/// Limits the STAT of a line, because no message arrives below it. The run that
/// resumes announces it again, with less elapsed time.
std::string with_stat_up_to(
  std::string_view line, const event& x, logical_time most) {
  std::string result{line};
  if (x.stat <= most)
    return result;
  constexpr std::string_view key = R"("stat":)";
  auto begin = result.find(key) + key.size();
  auto end = result.find(result[begin] == '[' ? ']' : '"', begin + 1) + 1;
  return result.replace(begin, end - begin, to_json(most));
}

/// Returns a line about a tardy value that was dropped.
/// @param to the receiver's port: "node.port".
std::string dropped_line(std::string_view from, std::string_view to,
                         logical_time arrival) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> out{buffer};
  using caf::rosia::detail::put;
  auto dot = to.rfind('.');
  out.StartObject();
  put(out, "event", to_string(event_kind::tardy));
  put(out, "node", to.substr(0, dot));
  put(out, "port", to.substr(dot + 1));
  put(out, "from", from);
  out.Key("arrival");
  auto tag = to_json(arrival);
  out.RawValue(tag.data(), tag.size(), rapidjson::kArrayType);
  out.Key("due");
  out.Null();
  out.EndObject();
  return buffer.GetString();
}

/// Copies the part of a run up to the checkpoint from which another run
/// resumes.
class beginning {
public:
  explicit beginning(const continuation& next) : next_{next} {
    // nop
  }

  void add(std::string_view line, const event& x, std::string& to) {
    if (x.kind == event_kind::connection && x.has(member::wait))
      unknown_[{std::string{x.from}, std::string{x.to}}];
    if (is_declaration(x.kind) || !belongs(x))
      return;
    note(x);
    to += x.kind == event_kind::execute
            ? with_stat_up_to(line, x, next_microstep(*next_.tag))
            : std::string{line};
    to += '\n';
  }

  /// Returns whether a promise of the run that resumes is below an earlier one.
  /// Its nodes begin with low promises, as at a start.
  bool has_greater_promise(const event& x) const {
    auto i = promised_.find(ends_of(x));
    return i != promised_.end() && x.tag < i->second;
  }

  /// Drops the values of connections with a maximal wait that arrive up to the
  /// checkpoint, but were not set there: they are in no checkpoint.
  void finish(std::string& to) const {
    for (auto& [ends, arrivals] : unknown_)
      for (auto arrival : arrivals)
        to += dropped_line(ends.first, ends.second, arrival) + '\n';
  }

private:
  /// The names of the ports that a connection joins.
  using ends = std::pair<std::string, std::string>;

  /// Returns the ends of the connection of a value or a promise.
  static ends ends_of(const event& x) {
    auto port = std::string{x.node} + '.' + std::string{x.port};
    return x.kind == event_kind::send || x.kind == event_kind::promise
             ? ends{std::move(port), std::string{x.to}}
             : ends{std::string{x.from}, std::move(port)};
  }

  /// Notes promises, and whether a value of a connection with a maximal wait is
  /// known to be set.
  void note(const event& x) {
    if (x.kind == event_kind::promise) {
      promised_[ends_of(x)] = x.tag;
    } else if (x.kind == event_kind::send) {
      if (auto i = unknown_.find(ends_of(x));
          i != unknown_.end() && x.arrival <= *next_.tag)
        i->second.insert(x.arrival);
    } else if (x.kind == event_kind::tardy || x.kind == event_kind::input) {
      if (auto i = unknown_.find(ends_of(x)); i != unknown_.end())
        i->second.erase(x.kind == event_kind::tardy ? x.arrival : x.tag);
    }
  }

  bool belongs(const event& x) {
    switch (x.kind) {
      case event_kind::execute:
        is_past_[std::string{x.node}] = x.tag > *next_.tag;
        return x.tag <= *next_.tag;
      case event_kind::resume:
      case event_kind::input:
      case event_kind::schedule:
      case event_kind::withdraw:
      case event_kind::action:
      case event_kind::mode:
      case event_kind::reaction:
      case event_kind::missed:
      case event_kind::watchdog:
      case event_kind::ran:
      case event_kind::send:
      case event_kind::promise:
        return x.tag <= *next_.tag;
      case event_kind::expire:
        return x.due <= *next_.tag
               || next_.pending.contains({std::string{x.node}, x.due});
      case event_kind::tardy:
        return x.arrival <= *next_.tag
               && (!x.has(member::due) || x.due <= *next_.tag);
      case event_kind::drop:
        return !is_past_[std::string{x.node}];
      case event_kind::shutdown:
      case event_kind::exit:
        return next_.left.contains(x.node);
      case event_kind::start:
      case event_kind::resumed:
      case event_kind::restored:
      case event_kind::in_transit:
      case event_kind::pending:
      case event_kind::running:
      case event_kind::visited:
      case event_kind::suspended:
        return true;
      default:
        // Not the end of the joined run.
        return false;
    }
  }

  const continuation& next_;
  std::map<std::string, bool> is_past_;
  /// The arrivals of values that are not known to be set, of connections with a
  /// maximal wait.
  std::map<ends, std::set<logical_time>> unknown_;
  std::map<ends, logical_time> promised_; // the last ones
};

whole_trace join(const whole_trace& first, const whole_trace& second) {
  auto next = continuation_of(second);
  if (!next.tag)
    throw unreadable_file{
      second.file + ": this run continues no other run: it has no \"resumed\""};
  require_same_graph(first, second);
  whole_trace result{second.file, {}};
  // The options of the last run, such as stop_after.
  each_event(second, [&](std::string_view line, const event& x) {
    if (is_declaration(x.kind))
      (result.text += line) += '\n';
  });
  beginning before{next};
  each_event(first, [&](std::string_view line, const event& x) {
    before.add(line, x, result.text);
  });
  before.finish(result.text);
  each_event(second, [&](std::string_view line, const event& x) {
    switch (x.kind) {
      case event_kind::application:
      case event_kind::node:
      case event_kind::connection:
      case event_kind::resumed:
      case event_kind::restored:
      case event_kind::in_transit:
      case event_kind::pending:
      case event_kind::running:
      case event_kind::start:
        return;
      default:
        // The node has already ended.
        if (x.has(member::node) && next.left.contains(x.node))
          return;
        if (x.kind != event_kind::promise || !before.has_greater_promise(x))
          (result.text += line) += '\n';
    }
  });
  return result;
}

} // namespace

int join_command(const combination_options& options, std::ostream& out) {
  std::optional<whole_trace> all;
  for (const auto& file : options.files) {
    whole_trace next{shown_path(file), read_all(file)};
    if (next.text.empty())
      throw unreadable_file{next.file + ": the trace is empty"};
    all = all ? join(*all, next) : std::move(next);
  }
  write_to(options.output, out, [&](std::ostream& to) { to << all->text; });
  return exit_good;
}

} // namespace rosia_trace
