// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/config_base.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/settings.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

/// A config for an actor system that runs Rosia applications. It declares the
/// group `rosia`, one option for each member of `options`, and replaces two of
/// CAF's defaults, which command line and config file may override:
///
/// (With CAF 1, the names of its options begin with `caf.`.)
///
/// - `scheduler.policy` is `sharing`. CAF's default, `stealing`, lets idle
///   workers poll with sleeps of up to 10 ms. That costs CPU time while nothing
///   happens and delays the first message after a pause, hence timers too;
///   `sharing` wakes a worker at once.
/// - `scheduler.max-throughput` is 50. By default it is unlimited, so that an
///   actor which sends messages to itself never yields its worker.
///
/// An actor system without `exec_main` may use this class, derive from it, or
/// call `set_scheduler_defaults` for a config of another type. That function
/// describes what else changes with CAF 1. `options_from` reads the group
/// `rosia` from any config.
///
/// `exec_main` uses `read`. CAF's own `parse` works as well, but is lax:
///
/// - It silently ignores a config file that cannot be parsed, and values of a
///   wrong type in it.
/// - It treats everything after the first argument that is not an option as
///   further arguments, even options. With `--`, it repeats the options before
///   it there.
/// - It ignores `--help` if there are other arguments, and lists only options
///   without a group.
class config : public detail::config_base {
public:
  // -- constructors, destructors, and assignment operators --------------------

  /// Declares the options and sets the defaults.
  config();

  // -- properties -------------------------------------------------------------

  /// Returns all parameters, including the defaults of those that are not set.
  /// `--dump-config` prints this.
  caf::settings dump_content() const override;

  /// Returns the help text: the options without a group, Rosia's and the
  /// program's own. Includes CAF's options if `all`.
  std::string help_text(bool all) const;

  // -- modifiers --------------------------------------------------------------

  /// Declares options of the program. Call it before `read`.
  /// @param group the prefix of their names on the command line
  ///   (`--group.name`), and their section in the config file. "global" stands
  ///   for none.
  /// @note A `bool` becomes a flag, which takes no value on the command line.
  ///
  /// ~~~
  /// cfg.add_options("global").add<std::string>(file, "output,o", "a file");
  /// ~~~
  caf::config_option_adder add_options(detail::text_view group);

  /// Sets an option. The command line and the config file take precedence.
  /// @param name such as `rosia.checkpoint.every`. CAF 0.17 finds no options
  ///   in a group of a group; `options_from` refuses wrong names and values.
  template <class T>
  config& set(detail::text_view name, T&& value) {
    if (name.substr(0, 6) == "rosia.")
      caf::put(content, name, std::forward<T>(value));
    else
      detail::config_base::set(name, std::forward<T>(value));
    return *this;
  }

  /// Declares the options of a `rosia::shutdown`, so that `read` refuses
  /// mistakes in them. Call it before `read`. See `shutdown_options_from`.
  /// @param more_phases the program's own, in addition to "threads", "actors"
  ///   and "final".
  void add_shutdown_options(const std::vector<std::string>& more_phases = {});

  /// Reads the command line and the config file. The latter is the file that
  /// `--config-file=FILE` names, or `config_file_path` if that exists (by
  /// default `caf-application.ini`, with CAF 1 `caf-application.conf`). The
  /// command line takes precedence.
  ///
  /// Options may stand before, between and after other arguments. Those are
  /// collected in `remainder`, as is everything after a `--`. A value follows
  /// its option's name after a `=`. `--rosia.realtime` stands for
  /// `--rosia.realtime=true`. `--set` may be repeated.
  ///
  /// For `--help`, `-h`, `-?`, `--long-help` and `--dump-config`, prints to
  /// stdout and sets `cli_helptext_printed`. If that is set, do not create a
  /// system.
  ///
  /// @throws std::invalid_argument for all mistakes that CAF would ignore, or
  /// that would make it stop or hang: an unknown option, a wrong value or a
  /// missing value; a config file that was named but does not exist, cannot be
  /// read or parsed, sets a name twice, has a value of a wrong type, an unknown
  /// option in a known section, or an unknown section whose name resembles a
  /// known one; a scheduler without workers, without throughput, or of an
  /// unknown policy. For other unknown sections it prints a warning to stderr,
  /// because the program may read them itself.
  void read(int argc, const char* const* argv);

private:
  // The arguments, sorted by how they are handled.
  struct command_line;

  // Adds values of `--set` to those of the config file.
  void add_settings(std::vector<std::string> settings);

  // Refuses wrong values, whatever phases the program will have.
  void check_shutdown_options() const;

  const caf::config_option& option_of(const std::string& argument) const;

  command_line split(const std::vector<std::string>& arguments) const;

  // The number of CAF's options, which are declared first.
  std::size_t num_caf_options_;
};

} // namespace caf::rosia
