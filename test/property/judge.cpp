// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/run.hpp"

#include "rosia_trace/checker.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/lines.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace property {

using caf::rosia::to_string;
using model::forever;
using model::graph_spec;
using model::log_entry;
using model::logical_time;
using rosia::engine::ending;

namespace {

constexpr int error_status = 1;
constexpr int signal_status = 128; // of a second signal
constexpr int deadline_status = 129;

/// Collects the problems of a run.
class judgement {
public:
  judgement(const graph_spec& graph, const outcome& judged)
    : graph_(&graph), judged_(&judged), result_(judged.problems) {
    earliest_end_ = graph.stop_after.value_or(forever);
    for (auto* tags : {&judged.proposals, &judged.done.proposals})
      for (auto& tag : *tags)
        earliest_end_ = std::min(earliest_end_, tag);
    if (judged.done.signals > 0)
      earliest_end_ = rosia::never;
  }

  std::vector<std::string> run(const model::expectation* expected) {
    judge_status();
    judge_end();
    judge_physical();
    // Only the trace has the tardy values. That of a resumed run lacks those
    // before it.
    if (!graph_->has_waits() || (!judged_->trace.empty() && !judged_->resumed))
      judge_reactions(expected);
    if (!judged_->trace.empty())
      judge_trace();
    return std::move(result_);
  }

private:
  void add(std::string problem) {
    result_.push_back(std::move(problem));
  }

  std::string name(std::size_t node) const {
    return graph_->name_of(static_cast<std::uint32_t>(node));
  }

  // -- rules ------------------------------------------------------------------

  void judge_status() {
    auto requested = judged_->statuses;
    requested.insert(requested.end(), judged_->done.statuses.begin(),
                     judged_->done.statuses.end());
    std::vector<int> allowed;
    if (judged_->failed || judged_->vanished())
      allowed.push_back(error_status);
    else
      std::copy_if(requested.begin(), requested.end(),
                   std::back_inserter(allowed), [](auto y) { return y != 0; });
    if (allowed.empty())
      allowed.push_back(0);
    // These may be too late.
    if (judged_->done.signals > 1)
      allowed.push_back(signal_status);
    if (judged_->has_deadline)
      allowed.push_back(deadline_status);
    auto is = [this](auto y) { return y == judged_->status; };
    if (std::none_of(allowed.begin(), allowed.end(), is))
      add("the status is " + std::to_string(judged_->status));
    aborted_ = is(error_status) || is(signal_status) || is(deadline_status);
  }

  void judge_end() {
    auto final = judged_->final;
    // Nodes that react to the last tag agree on a final tag without a request
    // as well [10.6.4]. A resumed run may lack the requests that the earlier
    // run made after the checkpoint.
    auto by_itself
      = (earliest_end_ == forever || judged_->resumed)
        && graph_->reacts_to_last_tag();
    if (final != forever && final < earliest_end_ && !by_itself)
      add("the final tag " + to_string(final)
          + " is before what was asked for, " + to_string(earliest_end_));
    // If all were aborted, and there is no trace, the final tag is unknown.
    auto known = final != forever || !aborted_;
    if (graph_->stop_after && known && final > *graph_->stop_after)
      add("the final tag " + to_string(final) + " is after stop_after");
    for (std::size_t i = 0; i < judged_->nodes.size(); ++i) {
      auto& node = judged_->nodes[i];
      if (node.ending == ending::aborted && !aborted_)
        add(name(i) + " was aborted");
      // Tags beyond the requested end need not wait for their time.
      if (node.early && *node.early <= earliest_end_)
        add(name(i) + " executed " + to_string(*node.early)
            + " before its physical time");
      if (node.ending == ending::final_tag && node.last > final)
        add(name(i) + " executed " + to_string(node.last)
            + ", beyond the final tag " + to_string(final));
    }
  }

  void judge_reactions(const model::expectation* expected) {
    // A receiver does not wait forever for the values of an aborted sender.
    if (aborted_ && graph_->has_waits())
      return;
    // An aborted application has no last tag.
    has_last_tag_
      = !aborted_ && judged_->final != forever && graph_->reacts_to_last_tag();
    if (expected != nullptr && !has_last_tag_ && !graph_->has_waits()) {
      compare(*expected);
      return;
    }
    model::outside_events outside;
    if (graph_->has_waits())
      outside.tardy = find_tardy_values();
    for (auto& node : judged_->nodes) {
      outside.stamps.push_back(node.stamps);
      outside.expiries.push_back(node.expiries);
      outside.deadlines.push_back(node.deadlines);
    }
    compare(
      model::run_sequentially(*graph_, outside, judged_->final, has_last_tag_));
  }

  std::vector<model::tardy_value> find_tardy_values() const {
    std::map<std::pair<std::string, std::string>, std::uint32_t> connections;
    for (std::uint32_t i = 0; i < graph_->connections.size(); ++i) {
      auto& c = graph_->connections[i];
      connections[{
        name(c.source) + ".o" + std::to_string(c.output),
        name(c.target) + '.' + graph_->name_of_input(c.target, c.input)}]
        = i;
    }
    auto tag_of = [](const rosia_trace::logical_time& x) {
      return logical_time{x.ns, static_cast<std::uint32_t>(x.microstep)};
    };
    std::vector<model::tardy_value> result;
    rosia_trace::line_parser parser;
    rosia_trace::for_each_line(judged_->trace, [&](std::string_view line) {
      if (parser.parse(line) != rosia_trace::parse_result::event
          || parser.get().kind != rosia_trace::event_kind::tardy)
        return true;
      auto& y = parser.get();
      auto connection = connections.at(
        {std::string{y.from}, std::string{y.node} + '.' + std::string{y.port}});
      result.push_back(
        {connection, tag_of(y.arrival),
         y.has(rosia_trace::member::due) ? tag_of(y.due) : forever});
      return true;
    });
    return result;
  }

  void judge_trace() {
    auto broken = rosia_trace::check(judged_->trace);
    auto& nodes = judged_->nodes;
    auto i = std::find_if(nodes.begin(), nodes.end(), [](auto& y) {
      return y.vanished;
    });
    if (i == nodes.end()) {
      if (broken)
        add(rosia_trace::to_string(*broken, "trace"));
      return;
    }
    // This is the only problem in the trace, at its end.
    auto expected
      = "the application ends, but node "
        + rosia_trace::quoted(name(static_cast<std::size_t>(i - nodes.begin())))
        + " did not shut down";
    if (!broken)
      add("the trace does not tell that a node vanished");
    else if (broken->text != expected)
      add(rosia_trace::to_string(*broken, "trace"));
  }

  void judge_physical() {
    std::vector<company::taken> seen;
    for (std::uint32_t i = 0; i < judged_->nodes.size(); ++i) {
      auto last = rosia::never;
      for (auto& y : judged_->nodes[i].stamps) {
        if (y.tag <= last)
          add(name(i) + " executed two physical values at " + to_string(y.tag));
        last = y.tag;
        if (y.content.origin == 0)
          seen.push_back({i, y.input, y.content.content});
      }
    }
    auto taken = judged_->taken;
    std::sort(taken.begin(), taken.end());
    std::sort(seen.begin(), seen.end());
    if (!std::includes(taken.begin(), taken.end(), seen.begin(), seen.end()))
      add("a value came from outside that was not sent, or refused");
    judge_order_of_calls();
  }

  /// Calls of one thread stay in order, and only the last ones may be dropped.
  /// Those of an action with options have an order of their own, and its
  /// spacing may omit any of them.
  void judge_order_of_calls() {
    for (std::uint32_t i = 0; i < judged_->nodes.size(); ++i) {
      auto& inputs = graph_->nodes[i].inputs;
      std::vector<bool> plain;
      for (auto& input : inputs)
        plain.push_back(!input.has_options());
      judge_order_of_calls(i, plain, false);
      for (std::size_t j = 0; j < inputs.size(); ++j)
        if (!plain[j]) {
          std::vector<bool> only(inputs.size());
          only[j] = true;
          auto& spacing = inputs[j].spacing;
          judge_order_of_calls(
            i, only,
            spacing && spacing->policy != rosia::spacing_policy::defer);
        }
    }
  }

  /// @param inputs the calls of these inputs have a common order.
  void judge_order_of_calls(std::uint32_t i, const std::vector<bool>& inputs,
                            bool may_omit) {
    for (auto& list : graph_->calls) {
      std::vector<std::uint64_t> sent;
      for (auto& y : list)
        if (y.node == i && inputs[y.input]
            && std::find(judged_->taken.begin(), judged_->taken.end(),
                         company::taken{i, y.input, y.value})
                 != judged_->taken.end())
          sent.push_back(y.value);
      std::vector<std::uint64_t> seen;
      for (auto& y : judged_->nodes[i].stamps)
        if (std::find(sent.begin(), sent.end(), y.content.content)
            != sent.end())
          seen.push_back(y.content.content);
      auto in_order
        = may_omit
            ? is_subsequence(seen, sent)
            : seen.size() <= sent.size()
                && std::equal(seen.begin(), seen.end(), sent.begin());
      if (!in_order)
        add(name(i) + " executed calls out of order");
    }
  }

  static bool is_subsequence(const std::vector<std::uint64_t>& part,
                             const std::vector<std::uint64_t>& all) {
    auto next = all.begin();
    for (auto x : part) {
      next = std::find(next, all.end(), x);
      if (next++ == all.end())
        return false;
    }
    return true;
  }

  void compare(const model::expectation& expected) {
    for (std::size_t i = 0; i < judged_->nodes.size(); ++i) {
      auto& node = judged_->nodes[i];
      // A node that was done before may have passed the final tag.
      auto has_last = has_last_tag_ && node.ending != ending::done;
      auto got = cut(node.log, has_last);
      auto wanted = cut(expected.logs[i], has_last);
      // An aborted node may end at any tag.
      if ((node.ending == ending::aborted || node.vanished)
          && got.size() < wanted.size())
        wanted = wanted.first(got.size());
      auto [x, y]
        = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
      if (x == got.end() && y == wanted.end())
        continue;
      auto text = [](auto& at, auto& all) {
        return at == all.end() ? std::string{"nothing"} : to_string(*at);
      };
      add(name(i) + " did " + text(x, got) + " as number "
          + std::to_string(x - got.begin()) + ", the oracle "
          + text(y, wanted));
    }
  }

  std::span<const log_entry> cut(
    const std::vector<log_entry>& log, bool has_last) const {
    return entries_until(
      log, has_last ? rosia::next_microstep(judged_->final) : judged_->final);
  }

  const graph_spec* graph_;
  const outcome* judged_;
  logical_time earliest_end_ = forever;
  bool aborted_ = false;
  bool has_last_tag_ = false;
  std::vector<std::string> result_;
};

} // namespace

std::vector<std::string> judge(const graph_spec& graph, const outcome& x,
                               const model::expectation* expected) {
  return judgement{graph, x}.run(expected);
}

} // namespace property
