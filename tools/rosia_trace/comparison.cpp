// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/comparison.hpp"

#include <algorithm>

namespace rosia_trace {

namespace {

std::size_t steps_up_to(const recording::node& node, logical_time limit) {
  auto end = std::find_if(
    node.steps.begin(), node.steps.end(),
    [&](const recording::step& x) { return x.tag > limit; });
  return static_cast<std::size_t>(end - node.steps.begin());
}

class comparer {
public:
  comparer(const recording& left, const recording& right,
           std::optional<logical_time> up_to)
    : left_{left}, right_{right}, limited_{up_to.has_value()} {
    result_.up_to
      = up_to ? *up_to
              : std::min(left.final_tag().value_or(forever),
                         right.final_tag().value_or(forever));
  }

  comparison run() {
    for (const auto& node : left_.nodes())
      if (auto other = right_.find(node.name))
        compare_nodes(node, *other);
      else
        differ("node " + quoted(node.name), node.declared_line, 0);
    for (const auto& node : right_.nodes())
      if (!left_.find(node.name))
        differ("node " + quoted(node.name), 0, node.declared_line);
    compare_connections();
    for (auto* x : {&left_, &right_})
      if (is_cut_off(*x))
        result_.cut_off.push_back(x->file());
    std::stable_sort(
      result_.nodes.begin(), result_.nodes.end(),
      [](const auto& x, const auto& y) { return x.tag < y.tag; });
    return std::move(result_);
  }

private:
  void differ(std::string text, std::size_t left, std::size_t right) {
    result_.graph.push_back({std::move(text), left, right});
  }

  bool is_cut_off(const recording& x) const {
    auto goes_beyond = [this](const recording::node& node) {
      return node.complete
             || steps_up_to(node, result_.up_to) < node.steps.size();
    };
    return !x.ended()
           && !(limited_ && std::ranges::all_of(x.nodes(), goes_beyond));
  }

  void compare_connections() {
    for (const auto& x : left_.connections()) {
      auto other = right_.find_connection(x.name);
      if (!other || other->hash != x.hash)
        differ("connection " + x.name, x.line, other ? other->line : 0);
    }
    for (const auto& x : right_.connections())
      if (!left_.find_connection(x.name))
        differ("connection " + x.name, 0, x.line);
  }

  void compare_nodes(const recording::node& left,
                     const recording::node& right) {
    ++result_.compared;
    if (left.declared_hash != right.declared_hash)
      differ(
        "node " + quoted(left.name), left.declared_line, right.declared_line);
    auto left_size = steps_up_to(left, result_.up_to);
    auto right_size = steps_up_to(right, result_.up_to);
    auto both = std::min(left_size, right_size);
    std::size_t same = 0;
    while (same < both && left.steps[same].tag == right.steps[same].tag
           && left.steps[same].hash == right.steps[same].hash)
      ++same;
    result_.same_steps += same;
    if (!left.complete || !right.complete)
      ++result_.partial;
    if (same == left_size && same == right_size)
      return;
    // A run that was stopped early did the beginning of the other run.
    if ((same == left_size && !left.complete)
        || (same == right_size && !right.complete))
      return;
    node_difference found{&left, &right, same, forever};
    if (same < left_size)
      found.tag = left.steps[same].tag;
    if (same < right_size)
      found.tag = std::min(found.tag, right.steps[same].tag);
    result_.nodes.push_back(found);
  }

  const recording& left_;
  const recording& right_;
  bool limited_; // by the user
  comparison result_;
};

} // namespace

comparison compare(const recording& left, const recording& right,
                   std::optional<logical_time> up_to) {
  return comparer{left, right, up_to}.run();
}

} // namespace rosia_trace
