// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/middleman.hpp"

#include "caf/rosia/multiplexer.hpp"

#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/actor_system_module.hpp>
#  include <caf/init_global_meta_objects.hpp>
#  include <caf/span.hpp>

#  include <algorithm>
#else
#  include <caf/actor_cast.hpp>
#  include <caf/atom.hpp>
#  include <caf/error.hpp>
#  include <caf/exit_reason.hpp>
#  include <caf/io/basp_broker.hpp>
#  include <caf/scheduled_actor.hpp>

#  include <utility>
#endif

namespace caf::rosia {

namespace {

#if CAF_MAJOR_VERSION >= 1

using module_factory = caf::actor_system_module* (*)(caf::actor_system&);

/// Returns the factories of modules, in the order of their construction.
caf::span<module_factory> factories_of(caf::actor_system_config& cfg);

/// An explicit instantiation, like the one below, may name private members.
template <caf::span<module_factory> (caf::actor_system_config::*Member)()>
struct factories_access {
  friend caf::span<module_factory> factories_of(caf::actor_system_config& cfg) {
    return (cfg.*Member)();
  }
};

template struct factories_access<&caf::actor_system_config::module_factories>;

#endif

/// CAF's middleman with a choice of the multiplexer.
template <class Multiplexer>
class middleman_with : public caf::io::middleman {
public:
#if CAF_MAJOR_VERSION >= 1
  explicit middleman_with(caf::actor_system& sys)
    : middleman(sys), backend_(sys) {
    // nop
  }

  /// Terminates if there is no thread, because CAF could not stop what it
  /// started.
  void start() noexcept override {
    middleman::start();
  }

  static caf::actor_system_module* make(caf::actor_system& sys) {
    return new middleman_with(sys);
  }

  static void add_module_options(caf::actor_system_config& cfg) {
    detail::declare_middleman_options(cfg);
  }
#else
  explicit middleman_with(caf::actor_system& sys)
    : middleman(sys), backend_(&sys) {
    // nop
  }

  /// CAF 0.17 leaves a broker's mailbox open when the broker exits. Messages
  /// from the broker to itself, such as the next heartbeat, and down messages
  /// then keep it and each other in memory.
  void stop() override {
    auto hdl = named_broker<caf::io::basp_broker>(caf::atom("BASP"));
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
#endif

  caf::io::network::multiplexer& backend() override {
    return backend_;
  }

private:
  Multiplexer backend_;
};

} // namespace

void load_multiplexer(caf::actor_system_config& cfg) {
  cfg.load<middleman_with<multiplexer>>();
}

namespace detail {

#if CAF_MAJOR_VERSION >= 1

bool init_middleman_messages() {
  caf::core::init_global_meta_objects();
  caf::io::middleman::init_global_meta_objects();
  return true;
}

void declare_middleman_options(caf::actor_system_config& cfg) {
  auto& all = cfg.custom_options();
  if (all.qualified_name_lookup("caf.middleman.workers") == nullptr)
    caf::io::middleman::add_module_options(cfg);
}

void load_middleman(caf::actor_system_config& cfg, multiplexer_kind kind) {
  if (kind == multiplexer_kind::rosia)
    load_multiplexer(cfg);
  else
    cfg.load<middleman_with<caf::io::network::default_multiplexer>>();
  auto modules = factories_of(cfg);
  std::rotate(modules.begin(), modules.end() - 1, modules.end());
}

#else

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

#endif

} // namespace detail

} // namespace caf::rosia
