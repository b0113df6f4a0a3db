// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/tracer.hpp"

#include "engine/port_log.hpp"
#include "engine/stamp_log.hpp"

namespace caf::rosia::engine {

port_log::~port_log() {
  // nop
}

stamp_log::~stamp_log() {
  // nop
}

tracer::~tracer() {
  // nop
}

std::int64_t tracer::elapsed(host& env) {
  return env.elapsed();
}

void tracer::go_on(node_id, logical_time, std::uint32_t, std::int64_t) {
  // nop
}

void tracer::execute_last(node_id, logical_time, std::int64_t) {
  // nop
}

void tracer::done(node_id, logical_time) {
  // nop
}

void tracer::withdraw(node_id, logical_time, std::uint32_t, logical_time) {
  // nop
}

void tracer::mode(node_id, logical_time, std::uint32_t, bool) {
  // nop
}

void tracer::watchdog(node_id, logical_time, std::uint32_t, std::int64_t) {
  // nop
}

void tracer::expire(node_id, std::uint32_t, logical_time, std::int64_t) {
  // nop
}

void tracer::tardy(node_id, std::uint32_t, std::uint32_t, logical_time,
                   logical_time) {
  // nop
}

void tracer::missed(node_id, logical_time, std::uint32_t, std::int64_t) {
  // nop
}

void tracer::ran(node_id, logical_time, std::uint32_t, std::int64_t,
                 std::int64_t) {
  // nop
}

} // namespace caf::rosia::engine
