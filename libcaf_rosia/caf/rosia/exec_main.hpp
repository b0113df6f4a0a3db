// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/config.hpp"

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

namespace caf::rosia {

namespace detail {

/// What `exec_main` does, without its types.
struct main_program {
  /// Creates and prepares the config, before anything is read.
  std::function<std::unique_ptr<config>()> make_config;

  /// The user's code.
  std::function<int(caf::actor_system&, const config&)> run;

  /// Whether the user's code can see arguments that are no options.
  bool takes_arguments = false;

  /// Runs it all, see `rosia::exec_main`.
  int operator()(int argc, const char* const* argv) const noexcept;
};

template <class Config>
using configure_function = void (*)(Config&);

template <class Config>
void leave_as_it_is(Config&) {
  // nop
}

} // namespace detail

/// The `main()` of a program that has no actor system of its own. Reads the
/// command line and the config file, starts an actor system with CAF's
/// `io::middleman`, calls `run`, and ends the system before it returns. Until
/// then SIGUSR1 does not end the process, unless the option `signals` says that
/// signals are not handled.
///
/// ~~~
/// int run(caf::actor_system& sys);
/// int run(caf::actor_system& sys, const rosia::config& cfg); // cfg.remainder
///
/// int main(int argc, char** argv) {
///   return rosia::exec_main(argc, argv, run);
/// }
/// ~~~
///
/// @tparam Config The type of the config: name one that derives from `config`
///                if the program has options of its own, and let `run` take it
///                (`exec_main<my_config>(argc, argv, run)`).
/// @param run Takes the system, and the config if it wants to see arguments
///            that are no options (`config::remainder`); these are refused
///            otherwise. Returns the status.
/// @param configure Called with the config before anything is read, e.g. to
///                  register types for messages between processes
///                  (`cfg.add_message_type<pose>("pose")`), to add options, or
///                  to load further modules. The middleman is put in front of
///                  these, because CAF's OpenSSL module, which is not loaded by
///                  default, needs it.
/// @returns What `run` returns; 0 if help was asked for; 1 after an exception,
///          whose text goes to stderr; 2 if the command line or the config file
///          is refused, see `config::read`, with the reason on stderr. No
///          exception leaves the function. It does not return, and the process
///          ends with status 1 and the reason on stderr, if there is no memory
///          left, unless the program has a `std::new_handler` of its own.
template <std::derived_from<config> Config = config, class Run,
          std::invocable<Config&> Configure
          = detail::configure_function<Config>>
int exec_main(int argc, const char* const* argv, Run&& run,
              Configure&& configure = detail::leave_as_it_is<Config>) {
  constexpr bool takes_config
    = std::is_invocable_r_v<int, Run&, caf::actor_system&, const Config&>;
  static_assert(
    takes_config || std::is_invocable_r_v<int, Run&, caf::actor_system&>,
    "run has to be int(caf::actor_system&) or "
    "int(caf::actor_system&, const Config&)");
  detail::main_program program;
  program.make_config = [&configure]() -> std::unique_ptr<config> {
    auto result = std::make_unique<Config>();
    std::invoke(configure, *result);
    return result;
  };
  program.run = [&run](caf::actor_system& sys, const config& cfg) -> int {
    if constexpr (takes_config)
      return std::invoke(run, sys, static_cast<const Config&>(cfg));
    else
      return std::invoke(run, sys);
  };
  program.takes_arguments = takes_config;
  return program(argc, argv);
}

} // namespace caf::rosia
