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

/// Exit statuses of all commands.
inline constexpr int exit_good = 0;
/// A rule is broken, or the runs differ.
inline constexpr int exit_bad = 1;
/// A file cannot be read, or the command line is invalid.
inline constexpr int exit_trouble = 2;
/// The runs are equal up to the end of a truncated trace.
inline constexpr int exit_cut_off = 3;

struct check_options {
  /// A file, or `-` for standard input.
  std::string file;
  /// Whether to print nothing if all rules hold.
  bool quiet = false;
};

/// Checks a trace, and prints the result on `out`.
/// @throws unreadable_file
int check_command(const check_options& options, std::ostream& out);

struct diff_options {
  std::string left;
  std::string right;
  std::optional<logical_time> up_to;
  /// Maximum number of differing nodes to show.
  std::size_t shown_nodes = 20;
  bool quiet = false;
};

/// Compares two traces or two run files, and prints the result on `out`.
/// @throws unreadable_file
int diff_command(const diff_options& options, std::ostream& out);

/// Prints a table about a trace on `out`.
/// @throws unreadable_file
int summary_command(const std::string& file, std::ostream& out);

struct conversion_options {
  std::string file;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Draws the graph that a trace declares, see `caf::rosia::write_diagram`; on
/// `out`, in the format of Graphviz.
/// @throws unreadable_file
/// @throws std::runtime_error if the diagram cannot be written.
/// @throws std::invalid_argument if the file name has no known extension.
int graph_command(const conversion_options& options, std::ostream& out);

/// Converts a trace for Perfetto and `chrome://tracing`. Prints on `warnings`
/// what they cannot show.
/// @throws unreadable_file
/// @throws std::runtime_error if the file cannot be written.
int perfetto_command(const conversion_options& options, std::ostream& out,
                     std::ostream& warnings);

/// Writes a self-contained page that plots a trace.
/// @throws unreadable_file
/// @throws std::runtime_error if the file cannot be written.
int plot_command(const conversion_options& options, std::ostream& out);

/// Prints on `out` how much faster the run would be with more threads, and what
/// limits that.
/// @throws unreadable_file also if the trace has no durations.
int scaling_command(const std::string& file, std::ostream& out);

struct combination_options {
  /// The traces; one of them may be `-`.
  std::vector<std::string> files;
  /// The file to write; empty for `out`.
  std::string output;
};

/// Merges the traces of an application's processes to the trace that a single
/// process would have written. Prints on `warnings` which parts are missing
/// because a process was killed.
/// @throws unreadable_file also if the traces do not fit together; nothing is
/// written then.
/// @throws std::runtime_error if the file cannot be written.
int merge_command(const combination_options& options, std::ostream& out,
                  std::ostream& warnings);

/// Joins the traces of a run and of the runs that resume it, in order.
/// @returns `exit_good`.
/// @throws unreadable_file if the traces do not fit together.
int join_command(const combination_options& options, std::ostream& out);

// -- run files ----------------------------------------------------------------

// FILE also includes the files of the processes, FILE.PROCESS.

struct values_options {
  std::string file;
  /// "node.port"; may contain the wildcards * and ?.
  std::string port;
};

/// Prints the recorded values of a port in the last run of a run file, one per
/// line, with tags.
/// @throws std::runtime_error if the file cannot be read, or does not contain
/// the port.
int values_command(const values_options& options, std::ostream& out);

/// Prints the content of a run file.
/// @throws std::runtime_error if it cannot be read.
int info_command(const std::string& file, std::ostream& out);

/// Reads a whole run file, and prints on `out` whether it is sound.
/// @returns `exit_bad` if it is not.
int verify_command(const std::string& file, std::ostream& out);

struct export_options {
  std::string file;
  /// The file to write; empty for `out`.
  std::string output;
  /// Whether to export external events instead of values of ports.
  bool events = false;
};

/// Exports a recording as CSV as in RFC 4180, but with Unix line ends.
/// @throws std::runtime_error if a file cannot be read or written.
int export_command(const export_options& options, std::ostream& out);

/// Prints all rules on `out`.
void list_rules(std::ostream& out);

} // namespace rosia_trace
