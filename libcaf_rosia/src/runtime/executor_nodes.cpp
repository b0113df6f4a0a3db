// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/executor_nodes.hpp"

#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <algorithm>
#include <optional>

namespace caf::rosia::detail {

namespace {

std::uint32_t loop_of(run_context& run, node_runner& x) {
  return run.graph().topology().loop_of(x.engine().id());
}

std::size_t loop_size(run_context& run, node_runner& x) {
  return run.executors().loop_size(x.engine().id());
}

} // namespace

void executor_nodes::assign(executor& owner, std::vector<node_runner*> xs) {
  members = std::move(xs);
  update_size();
  for (auto* x : members)
    x->move_to(owner);
  if (members.size() > 1
      || members.front()->engine().config().instant_loop != nullptr)
    make_group();
}

void executor_nodes::make_group() {
  if (group)
    return;
  group = std::make_unique<engine::group>();
  std::vector<engine::node*> nodes;
  for (auto* x : members)
    nodes.push_back(&x->engine());
  group->add(nodes);
}

void executor_nodes::name_group(run_context& run) const {
  std::optional<engine::node_id> first;
  if (members.size() > 1)
    for (auto* x : members)
      first = std::min(first.value_or(x->engine().id()), x->engine().id());
  for (auto* x : members)
    if (auto id = x->engine().id(); run.executors().note_group(id, first))
      if (auto* trace = run.trace())
        trace->group(id, first);
}

std::uint64_t executor_nodes::executed() const noexcept {
  return group ? group->executed() : members.front()->engine().progress();
}

std::uint64_t executor_nodes::messages() const noexcept {
  return group ? group->messages() : members.front()->engine().messages();
}

bool executor_nodes::awaits_promises() const noexcept {
  return group ? group->awaits_promises()
               : std::ranges::any_of(members, [](auto* x) {
                   return x->engine().awaits_promises();
                 });
}

std::unordered_map<std::uint32_t, std::vector<node_runner*>> executor_nodes::
  find_loops(run_context& run) const {
  std::unordered_map<std::uint32_t, std::vector<node_runner*>> result;
  for (auto* x : members)
    if (auto loop = loop_size(run, *x); loop > 1 && loop <= members.size())
      result[loop_of(run, *x)].push_back(x);
  std::erase_if(result, [&run](auto& x) {
    return x.second.size() < loop_size(run, *x.second.front());
  });
  return result;
}

bool executor_nodes::wait_for_loop(run_context& run) const {
  auto complete = find_loops(run);
  return std::ranges::any_of(members, [&](auto* x) {
    return loop_size(run, *x) >= 2 * least_part && !x->was_heavy()
           && !complete.contains(loop_of(run, *x));
  });
}

} // namespace caf::rosia::detail
