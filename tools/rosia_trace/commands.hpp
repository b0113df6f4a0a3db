// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace rosia_trace {

/// Exit codes of all commands.
inline constexpr int exit_good = 0;
/// A rule is broken, or the runs differ.
inline constexpr int exit_bad = 1;
/// A file cannot be read, or the command line is wrong.
inline constexpr int exit_trouble = 2;
/// The runs are the same as far as a trace goes that is cut off.
inline constexpr int exit_cut_off = 3;

struct check_options {
  /// A file, or `-` for standard input.
  std::string file;
  /// Whether to print nothing if all rules hold.
  bool quiet = false;
};

/// Checks a trace, and says on `out` what came out.
/// @throws unreadable_file
int check_command(const check_options& options, std::ostream& out);

struct diff_options {
  std::string left;
  std::string right;
  std::optional<logical_time> up_to;
  /// How many differing nodes to show.
  std::size_t shown_nodes = 20;
  bool quiet = false;
};

/// Compares two traces or two run files, and says on `out` what came out.
/// @throws unreadable_file
int diff_command(const diff_options& options, std::ostream& out);

struct summary_options {
  std::string file;
};

/// Prints a table about a trace on `out`.
/// @throws unreadable_file
int summary_command(const summary_options& options, std::ostream& out);

struct graph_options {
  std::string file;
  /// The file to write; empty for `out`, in the language of Graphviz.
  std::string output;
};

/// Draws the graph that a trace declares, see `caf::rosia::write_diagram`.
/// @throws unreadable_file
/// @throws std::runtime_error if the diagram cannot be written.
/// @throws std::invalid_argument if the name of the file says no format.
int graph_command(const graph_options& options, std::ostream& out);

struct perfetto_options {
  std::string file;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Writes a trace as Perfetto and `chrome://tracing` open it. What they cannot
/// show is told on `warnings`.
/// @throws unreadable_file
/// @throws std::runtime_error if the file cannot be written.
int perfetto_command(const perfetto_options& options, std::ostream& out,
                     std::ostream& warnings);

struct plot_options {
  std::string file;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Writes a page for the browser, in one file, that plots a trace.
/// @throws unreadable_file
/// @throws std::runtime_error if the file cannot be written.
int plot_command(const plot_options& options, std::ostream& out);

struct merge_options {
  /// One of each process; one of them may be `-`.
  std::vector<std::string> files;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Makes of the traces of an application's processes the one that a single
/// process would have written. What is missing because a process was killed is
/// told on `warnings`.
/// @throws unreadable_file also if the traces do not fit together; nothing is
///         written then.
/// @throws std::runtime_error if the file cannot be written.
int merge_command(const merge_options& options, std::ostream& out,
                  std::ostream& warnings);

struct join_options {
  /// A run, and those that continue it, in their order; one may be `-`.
  std::vector<std::string> files;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Makes one trace of a run, and of those that continue it.
/// @returns `exit_good`.
/// @throws unreadable_file if they do not belong together.
int join_command(const join_options& options, std::ostream& out);

// -- run files ----------------------------------------------------------------

// A FILE stands for those of its processes, FILE.PROCESS, too.

struct values_options {
  std::string file;
  /// "node.port"; may have * and ?, as in file names.
  std::string port;
};

/// Prints the recorded values of a port, in the last run of a run file: a line
/// for each, with its tag.
/// @throws std::runtime_error if the file cannot be read, or has no such port.
int values_command(const values_options& options, std::ostream& out);

struct info_options {
  std::string file;
};

/// Prints what is in a run file.
/// @throws std::runtime_error if it cannot be read.
int info_command(const info_options& options, std::ostream& out);

struct verify_options {
  std::string file;
};

/// Reads all of a run file, and says on `out` whether it is sound.
/// @returns `exit_bad` if it is not.
int verify_command(const verify_options& options, std::ostream& out);

struct export_options {
  std::string file;
  /// The file to write; empty for `out`.
  std::string output;
  /// The external events instead of the values of ports.
  bool events = false;
};

/// Writes what was recorded as a table: CSV as in RFC 4180, but with lines that
/// end as text files do.
/// @throws std::runtime_error if one of the files cannot be read or written.
int export_command(const export_options& options, std::ostream& out);

/// Prints all rules on `out`.
void list_rules(std::ostream& out);

} // namespace rosia_trace
