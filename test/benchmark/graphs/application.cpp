// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/graphs/application.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/task.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

namespace rosia = caf::rosia;

class graph_node : public rosia::node {
private:
  auto writer() {
    return [this](std::size_t output, token x) { outputs[output](x); };
  }

  /// The microstep is always 0; another one would change the result.
  std::uint64_t tag() const {
    return static_cast<std::uint64_t>(now().ns) + mixed(now().microstep);
  }

public:
  graph_node(const graph_plan& graph, std::uint32_t id,
             work_simulator* simulator)
    : outputs(this, "out", graph.nodes[id].outputs.size()),
      plan_(graph.nodes[id]), id_(id), hops_(graph.hops),
      simulator_(simulator) {
    // nop
  }

  rosia::task start() {
    for (std::uint32_t i = 0; i < plan_.ticks; ++i) {
      if (i > 0)
        co_await rosia::after(std::chrono::nanoseconds{plan_.period});
      if (simulator_ != nullptr)
        simulator_->perform(*this, id_, now(), 0);
      write_outputs(plan_, first_token(id_, i, hops_), writer());
    }
  }

  rosia::input_port<token> in{this, "in", rosia::optional_input};
  rosia::output_ports<token> outputs;
  node_result result;

  rosia::reaction on_in{this, "on_in", {in}, [this] { execute(); }};

private:
  void execute() {
    token sum;
    for (auto& x : in.all())
      sum = {sum.value + x.value, std::max(sum.hops, x.hops)};
    if (simulator_ != nullptr)
      simulator_->perform(*this, id_, now(), plan_.work);
    else
      perform_work(plan_);
    react(plan_, result, tag(), sum, in.all().size(), writer());
  }

  const node_plan& plan_;
  std::uint32_t id_;
  std::uint32_t hops_;
  work_simulator* simulator_;
};

using nodes = std::vector<rosia::node_ref<graph_node>>;

rosia::connection_kind kind_of(const edge& x) {
  // `after` of 0 would be a microstep.
  if (x.delay == 0)
    return {};
  return rosia::after(std::chrono::nanoseconds{x.delay});
}

void connect_all(const graph_plan& graph, rosia::application& app,
                 const nodes& all) {
  for (std::size_t from = 0; from < all.size(); ++from) {
    auto& outputs = graph.nodes[from].outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (auto& to : outputs[i])
        app.connect(all[from][&graph_node::outputs][i],
                    all[to.target][&graph_node::in], kind_of(to));
  }
}

} // namespace

graph_result run_as_application(
  const graph_plan& graph, caf::actor_system& system,
  const rosia::options& opts, work_simulator* simulator) {
  rosia::application app{system, opts};
  nodes all;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    all.push_back(
      app.create<graph_node>("n" + std::to_string(i), graph, i, simulator));
  connect_all(graph, app, all);
  auto start = std::chrono::steady_clock::now();
  auto status = app.run();
  std::chrono::duration<double> elapsed
    = std::chrono::steady_clock::now() - start;
  if (status != 0)
    throw std::runtime_error(
      "a generated graph ended with status " + std::to_string(status));
  graph_result result{{}, elapsed.count()};
  for (auto& x : all)
    result.nodes.push_back(x->result);
  return result;
}

} // namespace bench
