// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/run_comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rosia_trace {

namespace {

namespace run_file = caf::rosia::run_file;

using direction = recorded_stream::direction;
using reason = node_verdict::reason;

std::size_t size_up_to(const recorded_stream& x,
                       caf::rosia::logical_time limit) {
  auto end = std::upper_bound(
    x.entries.begin(), x.entries.end(), limit,
    [](auto tag, auto& entry) { return tag < entry.tag; });
  return static_cast<std::size_t>(end - x.entries.begin());
}

/// The first difference at the inputs of a node.
struct input_difference {
  std::optional<caf::rosia::logical_time> tag;
  bool by_event = false;
  std::string followed;
  /// Whether neither the inputs nor the values sent to them are recorded.
  bool unknown = false;
  /// Whether some inputs are recorded.
  bool known = false;
};

class comparer {
public:
  comparer(const recorded_values& left, const recorded_values& right,
           std::optional<caf::rosia::logical_time> up_to)
    : left_{left}, right_{right} {
    result_.up_to
      = up_to ? *up_to : std::min(left.run().final, right.run().final);
    // Runs with one final tag have one last tag.
    limit_ = !up_to && left.run().final == right.run().final
               ? saturating_add(result_.up_to, caf::rosia::microsteps(1))
               : result_.up_to;
  }

  run_comparison run() {
    if (auto x
        = run_file::first_difference(left_.run().graph, right_.run().graph))
      result_.graph = *x;
    for (auto& [name, x] : left_.streams())
      compare_stream(x, right_.find(name), right_);
    for (auto& [name, x] : right_.streams())
      if (left_.find(name) == nullptr)
        compare_stream(x, nullptr, left_);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      judge(i);
    std::ranges::stable_sort(result_.nodes, [](auto& x, auto& y) {
      return std::tuple{x.tag, x.cause == reason::follows}
             < std::tuple{y.tag, y.cause == reason::follows};
    });
    return std::move(result_);
  }

private:
  /// @param other null if the other run has no such recording.
  void compare_stream(const recorded_stream& x, const recorded_stream* other,
                      const recorded_values& other_run) {
    static const recorded_stream nothing;
    if (other == nullptr) {
      // Events are always recorded, so the other run had none.
      if (x.kind != direction::event) {
        result_.recorded_once.push_back(x.name);
        return;
      }
      other = &nothing;
    }
    compared_nodes_.insert(x.node);
    ++result_.streams;
    compared_.insert(x.name);
    auto* left = &other_run == &right_ ? &x : other;
    auto* right = left == &x ? other : &x;
    if (auto found = first_difference(*left, *right, x.node))
      differences_[x.name] = *found;
  }

  std::optional<stream_difference> first_difference(
    const recorded_stream& left, const recorded_stream& right,
    const std::string& node) {
    auto left_size = size_up_to(left, limit_);
    auto right_size = size_up_to(right, limit_);
    auto both = std::min(left_size, right_size);
    std::size_t same = 0;
    while (same < both && left.entries[same].tag == right.entries[same].tag
           && left.entries[same].hash == right.entries[same].hash)
      ++same;
    result_.same_values += same;
    if (same == left_size && same == right_size)
      return std::nullopt;
    // A run that was stopped early did the beginning of the other run.
    if ((same == left_size && !left_.is_complete(node))
        || (same == right_size && !right_.is_complete(node)))
      return std::nullopt;
    stream_difference result{&left, &right, same, caf::rosia::forever};
    if (same < left_size)
      result.tag = left.entries[same].tag;
    if (same < right_size)
      result.tag = std::min(result.tag, right.entries[same].tag);
    return result;
  }

  const stream_difference* difference(const std::string& stream) const {
    auto i = differences_.find(stream);
    return i == differences_.end() ? nullptr : &i->second;
  }

  /// Compares the values of an input, by its recording, or by the recordings of
  /// its senders.
  void look_at_input(std::uint32_t node, std::uint32_t input,
                     input_difference& to) const {
    auto& owner = graph_.nodes[node];
    auto port = owner.name + '.' + owner.inputs[input].name;
    auto note = [&](caf::rosia::logical_time tag, const std::string& from) {
      if (!to.tag || tag < *to.tag)
        to = {tag, false, from, to.unknown, to.known};
    };
    auto recorded = compared_.contains(port);
    to.known = to.known || recorded;
    auto* found = difference(port);
    if (recorded && found == nullptr)
      return;
    std::optional<caf::rosia::logical_time> sent;
    std::string sender;
    for (auto& x : graph_.connections) {
      // Values of a physical connection are external events.
      if (x.target != node || x.input != input || x.physical)
        continue;
      auto from = graph_.output_of(x);
      auto is_known = recorded || compared_.contains(from);
      to.unknown = to.unknown || !is_known;
      to.known = to.known || is_known;
      auto* other = difference(from);
      if (other == nullptr)
        continue;
      auto tag = caf::rosia::saturating_add(other->tag, x.distance);
      if (!sent || tag < *sent) {
        sent = tag;
        sender = graph_.nodes[x.source].name;
      }
    }
    if (found != nullptr)
      note(found->tag, sender);
    else if (sent && *sent <= limit_)
      note(*sent, sender);
  }

  input_difference look_at_inputs(std::uint32_t node) const {
    input_difference result;
    for (std::uint32_t i = 0; i < graph_.nodes[node].inputs.size(); ++i)
      look_at_input(node, i, result);
    for (auto& [name, x] : differences_)
      if (owner_of(x).node == graph_.nodes[node].name
          && owner_of(x).kind == direction::event
          && (!result.tag || x.tag <= *result.tag))
        result = {x.tag, true, {}, result.unknown, result.known};
    return result;
  }

  static const recorded_stream& owner_of(const stream_difference& x) {
    return x.left->name.empty() ? *x.right : *x.left;
  }

  void judge(std::uint32_t id) {
    auto& node = graph_.nodes[id];
    auto input = look_at_inputs(id);
    if (!compared_nodes_.contains(node.name) && !input.known) {
      ++result_.not_recorded;
      return;
    }
    ++result_.compared;
    node_verdict verdict{node.name, reason::itself, input.followed, {}, {}};
    std::optional<caf::rosia::logical_time> output;
    for (auto& [name, x] : differences_)
      if (auto& owner = owner_of(x); owner.node == node.name) {
        verdict.differences.push_back(x);
        if (owner.kind == direction::output && (!output || x.tag < *output))
          output = x.tag;
      }
    if (!output && !input.tag)
      return;
    std::ranges::stable_sort(verdict.differences, {}, [](auto& x) {
      return x.tag;
    });
    verdict.tag = std::min(
      output.value_or(caf::rosia::forever),
      input.tag.value_or(caf::rosia::forever));
    verdict.cause = reason_of(node, output, input);
    result_.nodes.push_back(std::move(verdict));
  }

  reason reason_of(const caf::rosia::graph_description::node& node,
                   const std::optional<caf::rosia::logical_time>& output,
                   const input_difference& input) const {
    if (output && (!input.tag || *output < *input.tag))
      return input.unknown ? reason::unknown : reason::itself;
    if (input.by_event)
      return reason::events;
    if (output || node.outputs.empty())
      return reason::follows;
    auto recorded = [&](auto& port) {
      return compared_.contains(node.name + '.' + port.name);
    };
    return std::ranges::any_of(node.outputs, recorded)
             ? reason::absorbs
             : reason::inputs;
  }

  const recorded_values& left_;
  const recorded_values& right_;
  const caf::rosia::graph_description& graph_ = left_.run().graph;
  std::map<std::string, stream_difference> differences_; // by stream
  std::set<std::string> compared_;                       // streams
  std::set<std::string> compared_nodes_;
  run_comparison result_;
  caf::rosia::logical_time limit_; // the last tag that is compared
};

} // namespace

run_comparison compare(
  const recorded_values& left, const recorded_values& right,
  std::optional<caf::rosia::logical_time> up_to) {
  return comparer{left, right, up_to}.run();
}

} // namespace rosia_trace
