// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/upstreams.hpp"

#include <utility>

namespace caf::rosia::engine {

void upstreams::init(const node_config& config) {
  auto& in = config.in;
  promises_ = least{in.size()};
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].physical) {
      ++open_physical_;
    } else if (!in[i].intra_loop) {
      ++open_;
      promises_.set(i, logical_time{});
    }
  }
  external_ = config.external;
  clocked_
    = !config.replayed
      && (external_ || open_physical_ > 0 || config.watched
          || config.has_waits);
  closed_ = config.replayed;
  note_sources();
}

void upstreams::take_done(std::uint32_t connection, in_connection& from) {
  if (std::exchange(from.done, true) || from.intra_loop)
    return;
  promises_.set(connection, forever);
  --open_;
}

void upstreams::take_no_more(std::uint32_t connection, in_connection& from) {
  if (from.no_more)
    return;
  from.no_more = true;
  if (!from.physical) {
    take_done(connection, from);
    return;
  }
  --open_physical_;
  note_sources();
}

} // namespace caf::rosia::engine
