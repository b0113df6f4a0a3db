// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/run_gate.hpp"

#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

run_gate::visit::visit(std::shared_ptr<run_gate> gate)
  : gate_(std::move(gate)) {
  std::lock_guard guard{gate_->mutex_};
  if (std::exchange(gate_->busy_, true))
    throw std::logic_error(
      "run() of an application is executing already, on another thread");
  gate_->visited_ = true;
  may_start_ = !gate_->closed_;
}

run_gate::visit::~visit() {
  std::lock_guard guard{gate_->mutex_};
  gate_->busy_ = false;
  gate_->changed_.notify_all();
}

bool run_gate::is_busy() const {
  std::lock_guard guard{mutex_};
  return busy_;
}

bool run_gate::was_used() const {
  std::lock_guard guard{mutex_};
  return visited_ || closed_;
}

bool run_gate::close() {
  std::lock_guard guard{mutex_};
  closed_ = closed_ || !busy_;
  return closed_;
}

void run_gate::await() {
  std::unique_lock guard{mutex_};
  changed_.wait(guard, [this] { return !busy_; });
}

} // namespace caf::rosia::detail
