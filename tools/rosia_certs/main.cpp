// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/version.hpp"
#include "rosia_certs/commands.hpp"

#include <boost/program_options.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace po = boost::program_options;

namespace {

using arguments = std::vector<std::string>;

constexpr int exit_good = 0;
/// A file cannot be read or written, or is wrong.
constexpr int exit_failure = 1;
/// The command line is wrong.
constexpr int exit_usage = 2;

constexpr const char* usage = R"(Usage: rosia-certs COMMAND [OPTION...]

Makes the certificates by which processes on several hosts know each other.

Commands:
  ca             make a CA, which issues the certificates
  host NAME...   issue a certificate for each host
  check          check the files that a process is going to use

Options:
  -h, --help     help; after a command, help for that command
  --version      the version of the tool

Exit status: 0 good; 1 a file is wrong, or cannot be read or written; 2 the
command line is wrong.
)";

class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A command's options.
class command_line {
public:
  command_line(std::string synopsis, std::string text)
    : synopsis_{std::move(synopsis)}, text_{std::move(text)} {
    visible_.add_options()("help,h", "print this help");
  }

  po::options_description_easy_init add() {
    return visible_.add_options();
  }

  /// @return false if only the help was wanted, and was printed.
  bool parse(const arguments& args) {
    po::options_description all;
    all.add(visible_);
    all.add_options()("argument", po::value<arguments>());
    po::positional_options_description positional;
    positional.add("argument", -1);
    po::store(
      po::command_line_parser{args}.options(all).positional(positional).run(),
      values_);
    if (values_.contains("help")) {
      std::cout << "Usage: rosia-certs " << synopsis_ << "\n\n"
                << text_ << '\n'
                << visible_;
      return false;
    }
    po::notify(values_);
    return true;
  }

  bool has(const char* option) const {
    return values_.contains(option);
  }

  std::string get(const char* option) const {
    return values_[option].as<std::string>();
  }

  std::chrono::seconds days(const char* option) const {
    constexpr int most = 36'500;
    auto result = values_[option].as<int>();
    if (result < 1 || result > most)
      throw usage_error{
        "--" + std::string{option} + " has to be 1 to " + std::to_string(most)
        + ", not " + std::to_string(result)};
    return std::chrono::days{result};
  }

  arguments rest() const {
    return has("argument") ? values_["argument"].as<arguments>() : arguments{};
  }

  void require_no_arguments() const {
    if (has("argument"))
      throw usage_error{"unexpected argument " + rest().front()};
  }

private:
  std::string synopsis_;
  std::string text_;
  po::options_description visible_{"Options"};
  po::variables_map values_;
};

auto text() {
  return po::value<std::string>();
}

auto directory() {
  return text()->value_name("DIR")->default_value(".");
}

auto days(int initially) {
  return po::value<int>()->value_name("N")->default_value(initially);
}

arguments split_at_commas(const std::string& list) {
  arguments result{""};
  for (auto c : list) {
    if (c == ',')
      result.emplace_back();
    else
      result.back() += c;
  }
  return result;
}

int ca(const arguments& args) {
  command_line line{
    "ca [OPTION...]",
    "Makes a CA: DIR/ca.pem, which every process gets, and DIR/ca-key.pem, "
    "which\n"
    "stays where it is.\n"};
  line.add()("directory,d", directory(), "where to write the files");
  line.add()("name,n", text()->value_name("NAME")->default_value("Rosia CA"),
             "what the CA calls itself");
  line.add()("days", days(3650), "for how long it is valid");
  line.add()("force,f", "replace the files of a CA that is there");
  if (!line.parse(args))
    return exit_good;
  line.require_no_arguments();
  rosia_certs::make_ca(
    {line.get("directory"), line.get("name"), line.days("days"),
     line.has("force")},
    std::cout);
  return exit_good;
}

int host(const arguments& args) {
  command_line line{
    "host [OPTION...] NAME...",
    "Issues a certificate for each NAME: a host's name or IP address. The\n"
    "folder DIR/NAME then has all that the host needs: certificate.pem, "
    "key.pem\n"
    "and ca.pem.\n"};
  line.add()("directory,d", directory(), "where the CA's files are");
  line.add()("days", days(825), "for how long the certificates are valid");
  line.add()("hosts", text()->value_name("NAME,..."),
             "further names and IP addresses of each host");
  line.add()("force,f", "replace files that are there");
  if (!line.parse(args))
    return exit_good;
  auto names = line.rest();
  if (names.empty())
    throw usage_error{"the name of a host is missing"};
  auto hosts
    = line.has("hosts") ? split_at_commas(line.get("hosts")) : arguments{};
  rosia_certs::issue_certificates(
    {line.get("directory"), names, hosts, line.days("days"), line.has("force")},
    std::cout);
  return exit_good;
}

int check(const arguments& args) {
  command_line line{
    "check --certificate=FILE --key=FILE --ca=FILE",
    "Checks the files as a process does that is started with them, and prints\n"
    "how long they are valid.\n"};
  for (auto option : {"certificate", "key", "ca"})
    line.add()(
      option, text()->value_name("FILE")->required(),
      ("what the process gets by --rosia.tls." + std::string{option}).c_str());
  if (!line.parse(args))
    return exit_good;
  line.require_no_arguments();
  rosia_certs::check_files(
    {line.get("certificate"), line.get("key"), line.get("ca")}, std::cout);
  return exit_good;
}

int run(arguments args) {
  if (args.empty())
    throw usage_error{"a command is missing"};
  auto command = args.front();
  args.erase(args.begin());
  if (command == "-h" || command == "--help" || command == "help") {
    std::cout << usage;
    return exit_good;
  }
  if (command == "--version") {
    std::cout << "rosia-certs " << caf::rosia::version << '\n';
    return exit_good;
  }
  if (command == "ca")
    return ca(args);
  if (command == "host")
    return host(args);
  if (command == "check")
    return check(args);
  throw usage_error{"there is no command " + command};
}

int fail(const std::exception& e, const char* hint, int status) {
  std::cout.flush();
  std::cerr << "rosia-certs: " << e.what() << hint << '\n';
  return status;
}

} // namespace

int main(int argc, char** argv) {
  constexpr const char* hint = "; try rosia-certs --help";
  try {
    auto result = run({argv + 1, argv + argc});
    std::cout.flush();
    if (!std::cout)
      throw std::runtime_error{"cannot write to standard output"};
    return result;
  } catch (const usage_error& e) {
    return fail(e, hint, exit_usage);
  } catch (const po::error& e) {
    return fail(e, hint, exit_usage);
  } catch (const std::exception& e) {
    return fail(e, "", exit_failure);
  }
}
