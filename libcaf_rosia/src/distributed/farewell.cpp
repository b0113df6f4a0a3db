// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/farewell.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

farewell::farewell(std::size_t processes)
  : over_(processes), awaited_(processes) {
  // nop
}

// -- the coordinator's process ------------------------------------------------

void farewell::note_over(engine::process_id process) {
  over_[process] = true;
  awaited_[process] = false;
  if (std::none_of(awaited_.begin(), awaited_.end(), [](bool x) { return x; }))
    stop_waiting();
}

void farewell::await_others(
  const std::vector<engine::process_id>& processes, listener then) {
  on_others_ = std::move(then);
  for (auto process : processes)
    awaited_[process] = true;
  if (processes.empty())
    stop_waiting();
}

void farewell::stop_waiting() {
  if (auto fun = std::exchange(on_others_, nullptr))
    fun();
}

// -- the other processes ------------------------------------------------------

void farewell::note_coordinator_end() {
  coordinator_ended_ = true;
  if (auto fun = std::exchange(on_coordinator_, nullptr))
    fun();
}

void farewell::await_coordinator(listener then) {
  on_coordinator_ = std::move(then);
  if (coordinator_ended_)
    note_coordinator_end();
}

} // namespace caf::rosia::detail
