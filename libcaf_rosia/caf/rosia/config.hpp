// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/caf_option_types.hpp"
#include "caf/rosia/detail/config_base.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstddef>
#include <string>
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
/// A system of your own may use this class, derive from it, or call
/// `set_scheduler_defaults` for a config of another type, which says what else
/// changes with CAF 1; `options_from` reads the group from any.
///
/// `exec_main` uses `read`. CAF's own `parse` works as well, but is lax:
///
/// - It silently ignores a config file that cannot be parsed, and values of a
///   wrong type in it.
/// - It takes all that follows the first argument which is no option for
///   further arguments, also options; with `--`, options that come before it
///   are repeated there.
/// - It ignores `--help` if there are other arguments, and lists only options
///   without a group.
class config : public detail::config_base {
public:
  // -- constructors, destructors, and assignment operators --------------------

  /// Declares the options and sets the defaults.
  config();

  // -- properties -------------------------------------------------------------

  /// Returns all parameters, with the defaults of those that are not set: what
  /// `--dump-config` prints.
  caf::settings dump_content() const override;

  /// Returns the help text: the options without a group, Rosia's and the
  /// program's own; those of CAF as well if `all`.
  std::string help_text(bool all) const;

  // -- modifiers --------------------------------------------------------------

  /// Declares options of the program's own, before `read`.
  /// @param group What their names start with on the command line
  ///              (`--group.name`), and their section in the config file.
  ///              "global" stands for none.
  /// @note A `bool` becomes a flag, which takes no value on the command line.
  ///
  /// ~~~
  /// cfg.add_options("global").add<std::string>(file, "output,o", "a file");
  /// ~~~
  caf::config_option_adder add_options(detail::text_view group);

  /// Declares the options of a `rosia::shutdown`, before `read`, which then
  /// refuses mistakes in them; see `shutdown_options_from`.
  /// @param more_phases the program's own, besides "tasks", "actors" and
  ///        "final".
  void add_shutdown_options(const std::vector<std::string>& more_phases = {});

  /// Reads the command line and the config file: `config_file_path` if there is
  /// such a file (by default `caf-application.ini`, with CAF 1
  /// `caf-application.conf`), or the one that
  /// `--config-file=FILE` names. The command line wins.
  ///
  /// Options may stand before, between and behind other arguments, which are
  /// collected in `remainder`, as is all that follows a `--`. A value follows
  /// its option's name after a `=`. `--rosia.realtime` stands for
  /// `--rosia.realtime=true`.
  ///
  /// For `--help`, `-h`, `-?`, `--long-help` and `--dump-config` it prints to
  /// stdout and sets `cli_helptext_printed`; do not create a system then.
  ///
  /// @throws std::invalid_argument for anything that CAF would ignore, or stop
  ///         or hang at: an unknown option, a wrong value, a value that is
  ///         missing; a config file that was named but does not exist, cannot
  ///         be read or parsed, sets a name twice, has a value of a wrong type,
  ///         names an option that does not exist in a section that does, or a
  ///         section that does not exist and resembles one that does (of others
  ///         that nobody has declared it warns on stderr: the program may read
  ///         them itself); a scheduler without workers, without throughput, or
  ///         of an unknown policy.
  void read(int argc, const char* const* argv);

private:
  // The arguments, sorted by how they are handled.
  struct command_line;

  // Refuses wrong values, whatever phases the program will have.
  void check_shutdown_options() const;

  const caf::config_option& option_of(const std::string& argument) const;

  command_line split(const std::vector<std::string>& arguments) const;

  // The number of CAF's own options, which come first.
  std::size_t num_caf_options_;
};

} // namespace caf::rosia
