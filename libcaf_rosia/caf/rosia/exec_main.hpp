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

/// The implementation of `exec_main`, without its types.
struct main_program {
  /// Creates and prepares the config, before anything is read.
  std::function<std::unique_ptr<config>()> make_config;

  /// The user's code.
  std::function<int(caf::actor_system&, const config&)> run;

  /// Whether the user's code can access arguments that are not options.
  bool takes_arguments = false;

  /// Runs the program, see `rosia::exec_main`.
  int operator()(int argc, const char* const* argv) const noexcept;
};

template <class Config>
using configure_function = void (*)(Config&);

template <class Config>
void leave_as_it_is(Config&) {
  // nop
}

} // namespace detail

/// Implements `main()` for a program without an actor system. Reads the command
/// line and the config file, starts an actor system with CAF's `io::middleman`,
/// calls `run`, and ends the system before it returns. Until then SIGUSR1 does
/// not end the process, unless the option `signals` disables signal handling.
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
/// @tparam Config the type of the config. A program with options declares a
///   class that derives from `config`, and lets `run` take it
///   (`exec_main<my_config>(argc, argv, run)`).
/// @param run takes the system, and optionally the config. Arguments that are
///   not options (`config::remainder`) are refused unless it takes the config.
///   Returns the status.
/// @param configure called with the config before anything is read, for example
///   to register types for messages between processes
///   (`cfg.add_message_type<pose>("pose")`), to add options, or to load further
///   modules. The middleman is put in front of these, because CAF's OpenSSL
///   module, which is not loaded by default, needs it.
/// @returns the result of `run`; 0 if help was printed; 1 after an exception,
///   whose text is printed to stderr; 2 if the command line or the config file
///   is refused, see `config::read`, with the reason on stderr. No exception
///   leaves the function. If memory is exhausted, and the program has no
///   `std::new_handler`, the function does not return: the process ends with
///   status 1 and the reason on stderr. It also ends, with status 129, if
///   CAF hangs for `grace_period` after all actors have ended.
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
