// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/commands.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"
#include "subcommands/printable_output.hpp"
#include "subcommands/tool.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

namespace po = boost::program_options;
namespace rt = rosia_trace;

namespace {

using subcommands::arguments;
using subcommands::command_line;
using subcommands::printable_output;
using subcommands::usage_error;

constexpr const char* version = ROSIA_TRACE_VERSION;

constexpr const char* usage = R"(Usage: rosia-trace COMMAND [OPTION...] FILE...

Reads traces that an application wrote with trace=FILE, and run files, with
record.file=FILE or checkpoint.file=FILE.

Commands for traces:
  check FILE     verify that the run obeyed Rosia's semantics
  diff A B       compare two runs, node by node: traces, or run files
  summary FILE   print a table of what the nodes did
  graph FILE     draw the graph of nodes
  perfetto FILE  write what Perfetto and chrome://tracing open
  plot FILE      write a page that plots lag, latency, rates and busy time
  scaling FILE   tell whether more threads help, and what limits the speed-up
  merge FILE...  make one trace of those of several processes
  join FILE...   make one trace of a run and of those that continue it

Commands for run files:
  info FILE              print what is in it
  values FILE NODE.PORT  print the values that passed a recorded port
  export FILE            write what is recorded as CSV
  verify FILE            verify that it is sound, and can be read

Options:
  -h, --help     help; after a command, help for that command
  --version      the version of the tool, and of the trace format

A trace of - is standard input. A run file stands for those of its processes,
FILE.PROCESS, too.
Exit status: 0 good; 1 a rule is broken, the runs differ, or a run file is not
sound; 2 a file cannot be read, or the command line is wrong; 3 the runs are the
same as far as a trace goes that is cut off.
)";

/// @param count required number of files, if limited.
/// @return false if only the help was requested; then it was printed.
bool parse(command_line& line, const arguments& args,
           std::optional<std::size_t> count) {
  if (!line.parse(args))
    return false;
  auto given = line.rest().size();
  if (!count && given == 0)
    throw usage_error{"expected at least one file"};
  if (count && !line.has("rules") && given != *count)
    throw usage_error{"expected " + rt::counted(*count, "file") + ", got "
                      + std::to_string(given)};
  return true;
}

void add_output(command_line& line) {
  line.add()("output,o", po::value<std::string>()->value_name("FILE"),
             "write to this file instead of standard output");
}

/// Returns the file to write; empty for standard output.
std::string output_of(const command_line& line) {
  return line.has("output") ? line.get<std::string>("output") : std::string{};
}

int check(const arguments& args) {
  command_line line{
    "rosia-trace check [OPTION...] FILE",
    R"(Verifies from the trace alone that the run obeyed section 7 of the
semantics and the rules that it rests on. Prints how often each rule was
applied, or the first line that breaks one: FILE:LINE: RULE: what is
wrong, and what was expected.
)"};
  line.add()("quiet,q", "print nothing if all rules hold");
  line.add()("rules", "print the rules, and read no file");
  if (!parse(line, args, 1))
    return rt::exit_good;
  if (line.has("rules")) {
    rt::list_rules(std::cout);
    return rt::exit_good;
  }
  return rt::check_command({line.rest()[0], line.has("quiet")}, std::cout);
}

int diff(const arguments& args) {
  command_line line{
    "rosia-trace diff [OPTION...] A B",
    R"(Compares two runs node by node: tags, resumes, inputs, actions,
reactions and sends with their arrival tags. What depends on the schedule
is ignored: physical time, STAT, promises, and how nodes interleave.
Prints "same", or the first difference of each node that differs, the
earliest first. A trace without an end is compared as far as it goes: then
"same" has the exit status 3. Of two run files, the last runs are compared:
the values of the ports that both have recorded, and external events. Each
node that differs is said to follow another, or to have the same inputs and
other outputs.
)"};
  line.add()("up-to,u", po::value<std::string>()->value_name("TAG"),
             "compare up to and including this tag, such as 1.5s or 20ms+3; by "
             "default, up to the smaller of the two final tags");
  line.add()(
    "nodes,n", po::value<std::size_t>()->value_name("N")->default_value(20),
    "show at most N differing nodes");
  line.add()("quiet,q", "print nothing");
  if (!parse(line, args, 2))
    return rt::exit_good;
  rt::diff_options options{
    line.rest()[0], line.rest()[1], std::nullopt,
    line.get<std::size_t>("nodes"), line.has("quiet")};
  if (options.left == "-" && options.right == "-")
    throw usage_error{"only one of the files can be standard input"};
  if (line.has("up-to")) {
    auto text = line.get<std::string>("up-to");
    options.up_to = rt::parse_logical_time(text);
    if (!options.up_to || options.up_to->ns < 0)
      throw usage_error{
        "--up-to: '" + text + "' is not a tag; write 1.5s or 20ms+3"};
  }
  return rt::diff_command(options, std::cout);
}

int summary(const arguments& args) {
  command_line line{
    "rosia-trace summary [OPTION...] FILE",
    R"(Prints per node: tags executed, reactions, values that came in and went
out, null messages, dropped physical values, the first and the last
tag, and how it ended; then the steps of the shutdown.
)"};
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::summary_command(line.rest()[0], std::cout);
}

int graph(const arguments& args) {
  command_line line{
    "rosia-trace graph [OPTION...] FILE",
    R"(Draws the graph of nodes: their ports and reactions, connections with
delays, loops, processes, and which nodes were executed as one at the end
of the trace. Without a file to write, prints it in the language of
Graphviz.
)"};
  line.add()(
    "output,o", po::value<std::string>()->value_name("FILE"),
    "write a diagram to this file: .svg (needs Graphviz), .dot or .gv, "
    ".mmd or .mermaid");
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::graph_command({line.rest()[0], output_of(line)}, std::cout);
}

int perfetto(const arguments& args) {
  command_line line{
    "rosia-trace perfetto [OPTION...] FILE",
    R"(Writes the run as Perfetto (https://ui.perfetto.dev) and chrome://tracing
open it: a track for each node, with its reactions as slices, arrows for
messages, counters for lag and queues, and marks for the steps of the
shutdown. Merge the traces of several processes first.
)"};
  add_output(line);
  if (!parse(line, args, 1))
    return rt::exit_good;
  printable_output warnings{std::cerr};
  return rt::perfetto_command(
    {line.rest()[0], output_of(line)}, std::cout, std::cerr);
}

int plot(const arguments& args) {
  command_line line{
    "rosia-trace plot [OPTION...] FILE",
    R"(Writes a page for the browser, in one file that needs no other file: lag,
latency from any port to any other, rates, and busy time by node. Merge
the traces of several processes first.
)"};
  add_output(line);
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::plot_command({line.rest()[0], output_of(line)}, std::cout);
}

int scaling(const arguments& args) {
  command_line line{
    "rosia-trace scaling [OPTION...] FILE",
    R"(Schedules the work of the run on 1 to 256 threads: each tag takes as long as
its reactions took, and waits for all that may send to it. Prints the work,
the critical path, the speed-up, and what limits it. Merge the traces of
several processes first.
)"};
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::scaling_command(line.rest()[0], std::cout);
}

int merge(const arguments& args) {
  command_line line{
    "rosia-trace merge [OPTION...] FILE...",
    R"(Makes one trace of those that the processes of one application wrote: the
trace that a single process would have written. Each process's lines keep
their order, and every line comes after what caused it, in whatever
order the files are named.
)"};
  add_output(line);
  if (!parse(line, args, std::nullopt))
    return rt::exit_good;
  rt::combination_options options{line.rest(), output_of(line)};
  if (std::ranges::count(options.files, "-") > 1)
    throw usage_error{"only one of the files can be standard input"};
  printable_output warnings{std::cerr};
  return rt::merge_command(options, std::cout, std::cerr);
}

int join(const arguments& args) {
  command_line line{
    "rosia-trace join [OPTION...] FILE FILE...",
    R"(Makes one trace of a run, and of those that continue it from a checkpoint
(resume.file=FILE), in their order: what each did up to where the next goes
on, and all that the last one did. It is the trace of one undisturbed run.
Merge the traces of several processes first.
)"};
  add_output(line);
  if (!parse(line, args, std::nullopt))
    return rt::exit_good;
  rt::combination_options options{line.rest(), output_of(line)};
  if (options.files.size() < 2)
    throw usage_error{"expected a trace, and one that continues it"};
  if (std::ranges::count(options.files, "-") > 1)
    throw usage_error{"only one of the files can be standard input"};
  return rt::join_command(options, std::cout);
}

int info(const arguments& args) {
  command_line line{
    "rosia-trace info [OPTION...] FILE",
    R"(Prints what is in a run file: for each run, when it was, how large its
graph is, what was recorded, and how it ended.
)"};
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::info_command(line.rest()[0], std::cout);
}

int values(const arguments& args) {
  command_line line{
    "rosia-trace values [OPTION...] FILE NODE.PORT",
    R"(Prints the values that passed a port in the last run of a run file, each
with its tag, if record.ports had named the port. The name may have * and
?, in quotes.
)"};
  if (!line.parse(args))
    return rt::exit_good;
  if (line.rest().size() != 2)
    throw usage_error{"expected a run file and a port"};
  return rt::values_command({line.rest()[0], line.rest()[1]}, std::cout);
}

int verify(const arguments& args) {
  command_line line{
    "rosia-trace verify [OPTION...] FILE",
    R"(Verifies that a run file is sound: the database, and that all that a replay
needs can be read.
)"};
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::verify_command(line.rest()[0], std::cout);
}

int export_as_table(const arguments& args) {
  command_line line{
    "rosia-trace export [OPTION...] FILE",
    R"(Writes the values of recorded ports, of all runs in a run file, as CSV.
)"};
  line.add()("events,e", "the external events instead");
  add_output(line);
  if (!parse(line, args, 1))
    return rt::exit_good;
  return rt::export_command(
    {line.rest()[0], output_of(line), line.has("events")}, std::cout);
}

} // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return subcommands::run(
    {.name = "rosia-trace",
     .usage = usage,
     .version = std::string{"rosia-trace "} + version + " (trace format 3)",
     .commands
     = {{"check", check},
        {"diff", diff},
        {"summary", summary},
        {"graph", graph},
        {"perfetto", perfetto},
        {"plot", plot},
        {"scaling", scaling},
        {"merge", merge},
        {"join", join},
        {"info", info},
        {"values", values},
        {"export", export_as_table},
        {"verify", verify}},
     .failure = rt::exit_trouble},
    argc, argv);
}
