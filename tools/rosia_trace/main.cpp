// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/commands.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace po = boost::program_options;
namespace rt = rosia_trace;

namespace {

constexpr const char* version = ROSIA_TRACE_VERSION;

constexpr const char* usage = R"(Usage: rosia-trace COMMAND [OPTION...] FILE...

Reads traces that an application wrote with trace=FILE.

Commands:
  check FILE     verify that the run obeyed Rosia's semantics
  diff A B       compare two runs, node by node
  summary FILE   print a table of what the nodes did
  merge FILE...  make one trace of those of several processes

Options:
  -h, --help     help; after a command, help for that command
  --version      the version of the tool, and of the trace format

A FILE of - is standard input.
Exit status: 0 good; 1 a rule is broken, or the runs differ; 2 a file cannot
be read, or the command line is wrong.
)";

/// The command line is wrong.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

using arguments = std::vector<std::string>;

/// A command's options, files among them.
class command_line {
public:
  /// @param file_count how many files it needs, if not any number.
  command_line(std::string synopsis, std::string text,
               std::optional<std::size_t> file_count)
    : synopsis_{std::move(synopsis)}, text_{std::move(text)},
      file_count_{file_count} {
    visible_.add_options()("help,h", "print this help");
  }

  po::options_description_easy_init add() {
    return visible_.add_options();
  }

  /// @return false if only the help was wanted, and was printed.
  bool parse(const arguments& args) {
    po::options_description all;
    all.add(visible_);
    all.add_options()("file", po::value<arguments>());
    po::positional_options_description positional;
    positional.add("file", -1);
    po::store(
      po::command_line_parser{args}.options(all).positional(positional).run(),
      values_);
    if (values_.contains("help")) {
      std::cout << "Usage: rosia-trace " << synopsis_ << "\n\n"
                << text_ << '\n'
                << visible_;
      return false;
    }
    po::notify(values_);
    auto given = values_.contains("file") ? files().size() : 0;
    if (!file_count_ && given == 0)
      throw usage_error{"expected at least one file"};
    if (file_count_ && !values_.contains("rules") && given != *file_count_)
      throw usage_error{"expected " + rt::counted(*file_count_, "file")
                        + ", got " + std::to_string(given)};
    return true;
  }

  bool has(const char* option) const {
    return values_.contains(option);
  }

  template <class T>
  T get(const char* option) const {
    return values_[option].as<T>();
  }

  const arguments& files() const {
    return values_["file"].as<arguments>();
  }

private:
  std::string synopsis_;
  std::string text_;
  std::optional<std::size_t> file_count_;
  po::options_description visible_{"Options"};
  po::variables_map values_;
};

int check(const arguments& args) {
  command_line line{
    "check [OPTION...] FILE",
    "Verifies from the trace alone that the run obeyed section 7 of the\n"
    "semantics and the rules that it rests on. Prints how often each rule was\n"
    "applied, or the first line that breaks one: FILE:LINE: RULE: what is\n"
    "wrong, and what was expected.\n",
    1};
  line.add()("quiet,q", "print nothing if all rules hold");
  line.add()("rules", "print the rules, and read no file");
  if (!line.parse(args))
    return rt::exit_good;
  if (line.has("rules")) {
    rt::list_rules(std::cout);
    return rt::exit_good;
  }
  return rt::check_command({line.files()[0], line.has("quiet")}, std::cout);
}

int diff(const arguments& args) {
  command_line line{
    "diff [OPTION...] A B",
    "Compares two runs node by node: tags, resumes, inputs, triggers,\n"
    "reactions and sends with their arrival tags. What depends on the "
    "schedule\n"
    "is ignored: physical time, STAT, promises, and how nodes interleave.\n"
    "Prints \"same\", or the first difference of each node that differs, the\n"
    "earliest first.\n",
    2};
  line.add()("up-to,u", po::value<std::string>()->value_name("NS[:MICROSTEP]"),
             "compare up to and including this tag; by default, up to the "
             "smaller of the two final tags");
  line.add()(
    "nodes,n", po::value<std::size_t>()->value_name("N")->default_value(20),
    "show at most N differing nodes");
  line.add()("quiet,q", "print nothing");
  if (!line.parse(args))
    return rt::exit_good;
  rt::diff_options options{
    line.files()[0], line.files()[1], std::nullopt,
    line.get<std::size_t>("nodes"), line.has("quiet")};
  if (options.left == "-" && options.right == "-")
    throw usage_error{"only one of the files can be standard input"};
  if (line.has("up-to")) {
    auto text = line.get<std::string>("up-to");
    options.up_to = rt::parse_logical_time(text);
    if (!options.up_to)
      throw usage_error{"--up-to has to be NS or NS:MICROSTEP, not " + text};
  }
  return rt::diff_command(options, std::cout);
}

int summary(const arguments& args) {
  command_line line{
    "summary [OPTION...] FILE",
    "Prints per node: tags executed, reactions, values that came in and went\n"
    "out, promises sent alone, dropped physical values, the first and the "
    "last\n"
    "tag, and how it ended; then the steps of the shutdown.\n",
    1};
  if (!line.parse(args))
    return rt::exit_good;
  return rt::summary_command({line.files()[0]}, std::cout);
}

int merge(const arguments& args) {
  command_line line{
    "merge [OPTION...] FILE...",
    "Makes one trace of those that the processes of one application wrote: "
    "the\n"
    "trace that a single process would have written. Each process's lines "
    "keep\n"
    "their order, and every line comes after what has caused it, in whatever\n"
    "order the files are named.\n",
    std::nullopt};
  line.add()("output,o", po::value<std::string>()->value_name("FILE"),
             "write to this file instead of standard output");
  if (!line.parse(args))
    return rt::exit_good;
  rt::merge_options options{line.files(), {}};
  if (std::ranges::count(options.files, "-") > 1)
    throw usage_error{"only one of the files can be standard input"};
  if (line.has("output"))
    options.output = line.get<std::string>("output");
  return rt::merge_command(options, std::cout, std::cerr);
}

int run(arguments args) {
  if (args.empty())
    throw usage_error{"a command is missing"};
  auto command = args.front();
  args.erase(args.begin());
  if (command == "-h" || command == "--help" || command == "help") {
    std::cout << usage;
    return rt::exit_good;
  }
  if (command == "--version") {
    std::cout << "rosia-trace " << version << " (trace format 1)\n";
    return rt::exit_good;
  }
  if (command == "check")
    return check(args);
  if (command == "diff")
    return diff(args);
  if (command == "summary")
    return summary(args);
  if (command == "merge")
    return merge(args);
  throw usage_error{"there is no command " + command};
}

} // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    auto result = run({argv + 1, argv + argc});
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "rosia-trace: cannot write to standard output\n";
      return rt::exit_trouble;
    }
    return result;
  } catch (const usage_error& e) {
    std::cerr << "rosia-trace: " << e.what() << "\nTry rosia-trace --help.\n";
  } catch (const po::error& e) {
    std::cerr << "rosia-trace: " << e.what() << "\nTry rosia-trace --help.\n";
  } catch (const std::exception& e) {
    std::cout.flush();
    std::cerr << "rosia-trace: " << e.what() << '\n';
  }
  return rt::exit_trouble;
}
