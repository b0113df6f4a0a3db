// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "behavior.hpp"
#include "network.hpp"
#include "oracle.hpp"
#include "plan.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace engine_test {

/// The error of a node that fails as planned.
inline constexpr const char* planned_failure = "on purpose";

/// The code of a planned node, executed by a node of the engine.
class made_up_node : public engine::body, public environment {
public:
  made_up_node(network& net, node_id id, const node_plan& plan);

  ~made_up_node() override;

  /// Returns the state of the behavior.
  const behavior& what() const noexcept {
    return code_;
  }

  void restore(const behavior& from) {
    code_.restore(from);
  }

  // -- overridden functions of body -------------------------------------------

  void start() override;

  void resumed() override;

  void react(std::uint32_t reaction) override;

  std::uint32_t next_at_shutdown(std::uint32_t from) const noexcept override;

  void resume(void* token) override;

  void discard(void* token) noexcept override;

  void consumed(std::uint32_t input) noexcept override;

  void reset(std::uint32_t action) override;

  void shutdown() override;

  std::string_view reaction_name(std::uint32_t reaction) const override;

  std::string_view output_name(std::uint32_t output) const override;

  // -- overridden functions of environment ------------------------------------

  logical_time now() const override;

  bool present(std::uint32_t input) const override;

  const std::vector<std::uint64_t>& values(std::uint32_t input) override;

  void write(std::uint32_t output, std::uint64_t value) override;

  void promise(std::uint32_t output, const delay& d) override;

  void wait(const delay& d, const continuation& next) override;

  void schedule(std::uint32_t action, const delay& d,
                std::uint64_t value) override;

  const std::vector<std::uint64_t>& scheduled(std::uint32_t action) override;

  void enter(std::uint32_t mode, bool by_history) override;

  std::uint32_t active_mode() const override;

  void request(const std::optional<delay>& d, int status) override;

  void fail() override;

  void note(std::uint64_t state) override;

  // -- properties -------------------------------------------------------------

  std::int64_t pending = 0; // continuations
  std::int64_t waiting = 0; // values from outside
  int shutdowns = 0;
  int resumptions = 0;

private:
  network& net_;
  node_id id_;
  const node_plan& plan_;
  behavior code_;
  std::vector<std::uint64_t> values_;
};

using made_up_nodes = std::vector<std::unique_ptr<made_up_node>>;

/// Makes the code of each planned node.
made_up_nodes make_nodes(network& net, const plan& planned);

/// Returns the physical values that the nodes of `net` executed.
std::vector<stamp> stamps_of(const network& net, const plan& planned);

// The arguments of `network::build`.

std::vector<node_setup> make_setups(
  const plan& planned, const made_up_nodes& code);

std::vector<wire> make_wires(const plan& planned);

network_options make_options(const plan& planned);

} // namespace engine_test
