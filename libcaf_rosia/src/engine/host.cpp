// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/host.hpp"

namespace caf::rosia::engine {

host::~host() {
  // nop
}

thread_time host::time_of_thread() {
  return time(false);
}

std::int64_t host::elapsed_at_deadline() {
  return elapsed();
}

void host::warn(const std::string&) {
  // nop
}

void host::done(logical_time) {
  // nop
}

void host::answer_checkpoint(logical_time) {
  // nop
}

void host::save(saved_node) {
  // nop
}

void host::unexecuted(node_id, std::size_t) {
  // nop
}

} // namespace caf::rosia::engine
