// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/middleman.hpp"

#include "caf/rosia/multiplexer.hpp"
#include "compat/io/multiplexer.hpp"
#include "compat/io/protocol_names.hpp"

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/scheduled_actor.hpp>

#include <utility>

namespace caf::rosia {

namespace {

/// CAF's middleman with a choice of the multiplexer.
template <class Multiplexer>
class middleman_with : public caf::io::middleman {
public:
  explicit middleman_with(caf::actor_system& sys)
    : middleman(sys), backend_(&sys) {
    // nop
  }

  /// CAF 0.17 leaves a broker's mailbox open when the broker exits. Messages
  /// from the broker to itself, such as the next heartbeat, and down messages
  /// then keep it and each other in memory.
  void stop() override {
    auto hdl = named_broker<caf::io::basp_broker>(detail::broker_name);
    middleman::stop();
    auto* broker = static_cast<caf::scheduled_actor*>(
      caf::actor_cast<caf::abstract_actor*>(hdl));
    broker->scheduled_actor::cleanup(
      make_error(caf::exit_reason::user_shutdown), nullptr);
  }

  static caf::actor_system::module* make(
    caf::actor_system& sys, caf::detail::type_list<>) {
    return new middleman_with(sys);
  }

  caf::io::network::multiplexer& backend() override {
    return backend_;
  }

private:
  Multiplexer backend_;
};

} // namespace

void load_multiplexer(caf::actor_system_config& cfg) {
  cfg.load<middleman_with<detail::multiplexer>>();
}

namespace detail {

bool init_middleman_messages() {
  return true;
}

void declare_middleman_options(caf::actor_system_config&) {
  // CAF 0.17 declares them itself.
}

void load_middleman(caf::actor_system_config& cfg, multiplexer_kind kind) {
  // Modules are constructed in the order of this list.
  auto others = std::exchange(cfg.module_factories, {});
  if (kind == multiplexer_kind::rosia)
    load_multiplexer(cfg);
  else
    cfg.load<middleman_with<caf::io::network::default_multiplexer>>();
  auto& modules = cfg.module_factories;
  modules.insert(modules.end(), others.begin(), others.end());
}

} // namespace detail

} // namespace caf::rosia
