// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/run_actors.hpp"

#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

namespace caf::rosia::detail {

run_actors::run_actors(const node_directory& nodes,
                       std::unique_ptr<session> others)
  : nodes_(nodes), runners_(nodes.size()), others_(std::move(others)) {
  // nop
}

run_actors::~run_actors() {
  // nop
}

node_runner& run_actors::make_runner(run_context& run, engine::node_id id) {
  runners_[id] = std::make_unique<node_runner>(run, run.at(id));
  return *runners_[id];
}

void run_actors::release() {
  mailboxes_.close();
  coordinator_ = nullptr;
}

void run_actors::tell(engine::node_id id, const node_command& x) {
  runner_at(id).tell(x);
}

} // namespace caf::rosia::detail
