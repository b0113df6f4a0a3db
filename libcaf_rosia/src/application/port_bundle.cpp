// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/port_bundle.hpp"

#include "application/port_lookup.hpp"
#include "base/text.hpp"
#include "caf/rosia/graph_error.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace caf::rosia::detail {

namespace {

using groups = std::span<const port_bundle::group>;

/// One side of a connection, for messages.
class side {
public:
  side(const port_bundle& ports, bool output, const port_names& names)
    : all_(ports.groups), output_(output), names_(&names) {
    for (auto& x : all_)
      size_ += x.ports.size();
  }

  std::size_t size() const noexcept {
    return size_;
  }

  /// Returns the path of a group's ports: "w[2].out".
  std::string path(const port_bundle::group& x) const {
    return names_->node(x.node) + port(x, x.ports.size() > 1);
  }

  /// Describes the ports with their number: "'w[*].in' has 6 channels (3 nodes
  /// of 2)".
  std::string text() const {
    if (all_.empty())
      return "an empty bank has no channels";
    std::vector<std::string> paths;
    for (auto first = all_.begin(); first != all_.end();) {
      auto last = std::find_if(first, all_.end(), [&](auto& x) {
        return bank_path(x) != bank_path(*first);
      });
      paths.push_back(last - first == 1 ? path(*first) : bank_path(*first));
      first = last;
    }
    auto several = paths.size() > 1;
    return quoted_list(paths) + (several ? " have " : " has ")
           + plural(size_, "channel", "channels") + composition(several);
  }

private:
  /// @param whole whether to name the channel.
  std::string port(const port_bundle::group& x, bool whole) const {
    if (x.ports.empty())
      return {};
    auto name = names_->port(x.node, output_, x.ports[0]);
    return '.' + (whole ? std::string{without_index(name)} : name);
  }

  std::string bank_path(const port_bundle::group& x) const {
    auto& name = names_->node(x.node);
    auto bank = without_index(name);
    return (bank.size() == name.size() ? name : std::string{bank} + "[*]")
           + port(x, true);
  }

  /// Returns "(3 nodes of 2)", or nothing if this says nothing new.
  std::string composition(bool several) const {
    auto width = all_.front().ports.size();
    auto equal = std::all_of(all_.begin(), all_.end(), [&](auto& x) {
      return x.ports.size() == width;
    });
    if (several || all_.size() == 1 || !equal || width == 1)
      return {};
    return " (" + std::to_string(all_.size()) + " nodes of "
           + std::to_string(width) + ')';
  }

  groups all_;
  bool output_;
  const port_names* names_;
  std::size_t size_ = 0;
};

/// Appends the ports channel by channel.
void interleave(groups xs, const side& all, std::vector<node_port>& into) {
  auto& first = xs.front();
  for (auto& x : xs)
    if (x.ports.size() != first.ports.size())
      throw graph_error(
        "interleaved nodes have the same number of channels, but '"
        + all.path(first) + "' has " + std::to_string(first.ports.size())
        + ", and '" + all.path(x) + "' has " + std::to_string(x.ports.size()));
  for (std::size_t i = 0; i < first.ports.size(); ++i)
    for (auto& x : xs)
      into.emplace_back(x.node, x.ports[i]);
}

std::vector<node_port> in_order(const port_bundle& x, const side& all) {
  std::vector<node_port> result;
  groups rest{x.groups};
  while (!rest.empty()) {
    auto block = rest.front().block;
    auto last = std::find_if(rest.begin(), rest.end(), [&](auto& y) {
      return block == 0 || y.block != block;
    });
    auto count = std::max<std::ptrdiff_t>(std::distance(rest.begin(), last), 1);
    auto next = rest.first(static_cast<std::size_t>(count));
    interleave(next, all, result);
    rest = rest.subspan(next.size());
  }
  return result;
}

} // namespace

std::vector<std::pair<node_port, node_port>> pair_ports(
  const port_bundle& outputs, const port_bundle& inputs,
  const port_names& names) {
  side left{outputs, true, names};
  side right{inputs, false, names};
  auto from = in_order(outputs, left);
  auto to = in_order(inputs, right);
  auto fits
    = outputs.repeated
        ? to.empty() || (!from.empty() && to.size() % from.size() == 0)
        : from.size() == to.size();
  if (!fits)
    throw graph_error(
      left.text() + ", " + right.text() + ": "
      + (outputs.repeated
           ? "rosia::broadcast() repeats all of its outputs equally often"
           : "both sides of a connection have the same number; "
             "rosia::broadcast() repeats outputs"));
  std::vector<std::pair<node_port, node_port>> result;
  for (std::size_t i = 0; i < to.size(); ++i)
    result.emplace_back(from[i % from.size()], to[i]);
  return result;
}

} // namespace caf::rosia::detail
