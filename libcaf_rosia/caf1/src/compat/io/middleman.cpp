// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/middleman.hpp"

#include "caf/rosia/multiplexer.hpp"
#include "compat/io/multiplexer.hpp"

#include <caf/actor_system_module.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/span.hpp>

#include <algorithm>

namespace caf::rosia {

namespace {

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

/// CAF's middleman with a choice of the multiplexer.
template <class Multiplexer>
class middleman_with : public caf::io::middleman {
public:
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

} // namespace detail

} // namespace caf::rosia
