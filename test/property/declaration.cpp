// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/declaration.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace property {

using model::graph_spec;
using model::message;

// -- composites ---------------------------------------------------------------

/// Some nodes of the graph, and the segments of connections inside.
class declaration::composite : public rosia::composite {
public:
  composite(declaration& all, std::size_t index) {
    auto& spec = all.graph_->composites[index];
    all.create(
      spec.first, spec.first + spec.size,
      [&](const auto& name, auto id) {
        return nodes_.emplace_back(this, name, *all.all_, id);
      },
      [&](const auto& name, auto size, auto ids) {
        return banks_.emplace_back(this, name, size, *all.all_, ids);
      });
    auto& connections = all.graph_->connections;
    for (std::size_t i = 0; i < connections.size(); ++i)
      connect(all, index, connections[i], all.routes_[i]);
  }

private:
  void connect(const declaration& all, std::size_t index,
               const declaration::connection& spec, const route& way) {
    auto from = all.graph_->composite_of(spec.source) == index;
    auto to = all.graph_->composite_of(spec.target) == index;
    auto kind_if = [&](bool delayed) {
      return delayed ? kind_of(spec) : rosia::connection_kind{};
    };
    if (from && to) {
      all.output_of(spec) >>= kind_of(spec) >>= all.input_of(spec);
    } else if (from && outlets_.count(way.outlet) == 0) {
      auto added = outlets_.try_emplace(way.outlet, this, way.outlet).first;
      all.output_of(spec) >>= kind_if(way.delayed_at_outlet) >>= added->second;
    } else if (to && inlets_.count(way.inlet) == 0) {
      auto added = inlets_.try_emplace(way.inlet, this, way.inlet).first;
      added->second >>= kind_if(way.delayed_at_inlet) >>= all.input_of(spec);
    }
  }

  std::deque<rosia::part<random_node>> nodes_;
  std::deque<rosia::parts<random_node>> banks_;
  std::map<std::string, rosia::inlet<message>> inlets_;
  std::map<std::string, rosia::outlet<message>> outlets_;
};

// -- nodes --------------------------------------------------------------------

declaration::declaration(const graph_spec& graph, company& all,
                         rosia::application& app)
  : graph_(&graph), all_(&all), routes_(routes()) {
  auto count = static_cast<std::uint32_t>(graph.nodes.size());
  auto create_to = [&](std::uint32_t last) {
    create(
      static_cast<std::uint32_t>(nodes_.size()), last,
      [&](const auto& name, auto id) {
        return app.create<random_node>(name, all, id);
      },
      [&](const auto& name, auto size, auto ids) {
        return app.create_bank<random_node>(name, size, all, ids);
      });
  };
  for (std::size_t i = 0; i < graph.composites.size(); ++i) {
    create_to(graph.composites[i].first);
    app.create<composite>("c" + std::to_string(i), *this, i);
  }
  create_to(count);
  connect(app);
}

template <class Create, class CreateBank>
void declaration::create(std::uint32_t first, std::uint32_t last, Create create,
                         CreateBank create_bank) {
  auto& banks = graph_->banks;
  while (first < last) {
    auto bank = std::find_if(banks.begin(), banks.end(), [&](auto& x) {
      return x.first == first;
    });
    if (bank == banks.end()) {
      nodes_.push_back(create(graph_->local_name_of(first), first));
      ++first;
      continue;
    }
    auto name = "b" + std::to_string(bank - banks.begin());
    auto added = create_bank(
      name, std::size_t{bank->size}, rosia::each([first](std::size_t index) {
        return static_cast<std::uint32_t>(first + index);
      }));
    nodes_.insert(nodes_.end(), added.begin(), added.end());
    first += bank->size;
  }
}

// -- connections --------------------------------------------------------------

rosia::connection_kind declaration::kind_of(const connection& x) {
  if (x.physical)
    return rosia::physical;
  rosia::connection_kind result{x.declared};
  result.wait = x.wait;
  return result;
}

std::vector<declaration::route> declaration::routes() const {
  // Some connections of an output share an outlet. So do connections to an
  // input, if no other one is declared between them, because that would change
  // the order of the values.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> last_inlet;
  std::vector<route> result;
  for (auto& spec : graph_->connections) {
    auto number = std::to_string(result.size());
    auto& way = result.emplace_back();
    auto from = graph_->composite_of(spec.source);
    auto to = graph_->composite_of(spec.target);
    auto& inlet = last_inlet[{spec.target, spec.input}];
    if (from == to) {
      inlet.clear();
      continue;
    }
    way.delayed_at_outlet = from && result.size() % 3 == 1;
    way.delayed_at_inlet
      = to && !way.delayed_at_outlet && result.size() % 3 == 2;
    if (from)
      way.outlet
        = "out"
          + (way.delayed_at_outlet
               ? number
               : "_of_" + std::to_string(spec.source) + '_'
                   + std::to_string(spec.output));
    if (to && (inlet.empty() || way.delayed_at_inlet))
      inlet = "in" + number;
    way.inlet = to ? inlet : "";
    if (way.delayed_at_inlet)
      inlet.clear();
  }
  return result;
}

bool declaration::is_within_composite(const connection& x) const {
  auto owner = graph_->composite_of(x.source);
  return owner && owner == graph_->composite_of(x.target);
}

void declaration::connect(rosia::application& app) {
  auto& connections = graph_->connections;
  for (std::size_t i = 0; i < connections.size();) {
    if (can_be_combined(i)) {
      i = connect_several(i);
      continue;
    }
    if (!is_within_composite(connections[i]))
      connect_by_name(app, i);
    ++i;
  }
}

bool declaration::can_be_combined(std::size_t i) const {
  auto& x = graph_->connections[i];
  return !graph_->banks.empty() && !graph_->composite_of(x.source)
         && !graph_->composite_of(x.target);
}

std::size_t declaration::connect_several(std::size_t first) const {
  auto& connections = graph_->connections;
  auto& spec = connections[first];
  auto outputs = rosia::ports(output_of(spec));
  auto inputs = rosia::ports(input_of(spec));
  auto next = first + 1;
  for (; next < connections.size() && can_be_combined(next)
         && connections[next].physical == spec.physical
         && connections[next].declared == spec.declared
         && connections[next].wait == spec.wait;
       ++next) {
    outputs = rosia::ports(outputs, output_of(connections[next]));
    inputs = rosia::ports(inputs, input_of(connections[next]));
  }
  outputs >>= kind_of(spec) >>= inputs;
  return next;
}

void declaration::connect_by_name(
  rosia::application& app, std::size_t i) const {
  auto& spec = graph_->connections[i];
  auto& way = routes_[i];
  auto prefix = [this](std::uint32_t node) {
    return "c" + std::to_string(*graph_->composite_of(node)) + '.';
  };
  auto from
    = way.outlet.empty()
        ? graph_->name_of(spec.source) + ".o" + std::to_string(spec.output)
        : prefix(spec.source) + way.outlet;
  auto to
    = way.inlet.empty()
        ? graph_->name_of(spec.target) + '.'
            + graph_->name_of_input(spec.target, spec.input)
        : prefix(spec.target) + way.inlet;
  auto delayed = way.delayed_at_outlet || way.delayed_at_inlet;
  app.connect(from, to, delayed ? rosia::connection_kind{} : kind_of(spec));
}

} // namespace property
