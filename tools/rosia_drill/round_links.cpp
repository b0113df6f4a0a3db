// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/round_links.hpp"

#include <algorithm>

namespace rosia_drill {

round_links::round_links(event_loop& loop, round_processes& processes,
                         const std::vector<planned_fault>& faults)
  : processes_{&processes} {
  for (auto& x : faults) {
    if (x.place() != fault_place::link)
      continue;
    auto& proxy = proxies_[ends_of(*x.spec)];
    if (!proxy)
      proxy = std::make_unique<link_proxy>(
        loop, processes[ends_of(*x.spec).first].port());
  }
}

link_proxy& round_links::of(const fault& x) const {
  return *proxies_.at(ends_of(x));
}

const round_process& round_links::connecting(const fault& x) const {
  return (*processes_)[ends_of(x).second];
}

std::uint16_t round_links::port(std::size_t of, std::size_t user) const {
  auto i = proxies_.find({of, user});
  return i == proxies_.end() ? (*processes_)[of].port() : i->second->port();
}

std::vector<relayed_address> round_links::addresses(std::size_t user) const {
  std::vector<relayed_address> result;
  for (auto& [link, proxy] : proxies_)
    if (link.second == user)
      result.push_back({(*processes_)[link.first].name(), proxy->port()});
  return result;
}

round_links::ends round_links::ends_of(const fault& x) const {
  auto first = processes_->index_of(x.link.first);
  auto second = processes_->index_of(x.link.second);
  return {std::min(first, second), std::max(first, second)};
}

} // namespace rosia_drill
