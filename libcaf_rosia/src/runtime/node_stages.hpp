// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"
#include "engine/connection.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

/// The stage of each node of an application, including those of other
/// processes. May be called from any thread. Tests:
/// test/runtime/node_stages_test.cpp.
class node_stages {
public:
  explicit node_stages(std::size_t nodes);

  /// Returns whether no other stage follows.
  static bool is_last(node_stage stage) noexcept {
    return stage == node_stage::left || stage == node_stage::vanished
           || stage == node_stage::lost;
  }

  /// Sets the stage of a node. Has no effect after a last stage.
  void set(engine::node_id id, node_stage stage) noexcept;

  void set_all(node_stage stage) noexcept;

  node_stage get(engine::node_id id) const noexcept {
    return stages_[id].load();
  }

  /// Returns whether a node left, or is lost.
  bool has_left(engine::node_id id) const noexcept {
    return is_last(get(id));
  }

  /// Returns the stages of all nodes.
  std::vector<node_stage> copy() const;

private:
  std::size_t size_;
  std::unique_ptr<std::atomic<node_stage>[]> stages_;
};

} // namespace caf::rosia::detail
