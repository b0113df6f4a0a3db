// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/text.hpp"
#include "caf/rosia/version.hpp"
#include "rosia_certs/commands.hpp"
#include "subcommands/tool.hpp"

#include <chrono>
#include <iostream>
#include <string>

namespace po = boost::program_options;

namespace {

using subcommands::arguments;
using subcommands::command_line;
using subcommands::usage_error;

constexpr int exit_good = 0;

constexpr const char* usage = R"(Usage: rosia-certs COMMAND [OPTION...]

Makes the certificates by which processes on several hosts trust each other.

Commands:
  ca             make a CA, which issues the certificates
  host NAME...   issue a certificate for each host
  check          check the files of a process

Options:
  -h, --help     help; after a command, help for that command
  --version      the version of the tool

Exit status: 0 good; 1 a file is wrong, or cannot be read or written; 2 the
command line is wrong.
)";

std::string text_of(const command_line& line, const char* option) {
  return line.get<std::string>(option);
}

std::chrono::seconds days_of(const command_line& line, const char* option) {
  constexpr int most = 36'500;
  auto result = line.get<int>(option);
  if (result < 1 || result > most)
    throw usage_error{
      "--" + std::string{option} + " has to be 1 to " + std::to_string(most)
      + ", not " + std::to_string(result)};
  return std::chrono::days{result};
}

auto text() {
  return po::value<std::string>();
}

auto directory() {
  return text()->value_name("DIR")->default_value(".");
}

auto days(int initially) {
  return po::value<int>()->value_name("N")->default_value(initially);
}

int ca(const arguments& args) {
  command_line line{
    "rosia-certs ca [OPTION...]",
    R"(Makes a CA: DIR/ca.pem, which every process needs, and DIR/ca-key.pem,
which is secret.
)"};
  line.add()("directory,d", directory(), "where to write the files");
  line.add()("name,n", text()->value_name("NAME")->default_value("Rosia CA"),
             "the name of the CA");
  line.add()("days", days(3650), "for how long it is valid");
  line.add()("force,f", "replace the files of an existing CA");
  if (!line.parse(args))
    return exit_good;
  line.require_no_arguments();
  rosia_certs::make_ca(
    {text_of(line, "directory"), text_of(line, "name"), days_of(line, "days"),
     line.has("force")},
    std::cout);
  return exit_good;
}

int host(const arguments& args) {
  command_line line{
    "rosia-certs host [OPTION...] NAME...",
    R"(Issues a certificate for each NAME: a host's name or IP address. The
folder DIR/NAME then has all that the host needs: certificate.pem, key.pem
and ca.pem.
)"};
  line.add()("directory,d", directory(), "where the CA's files are");
  line.add()("days", days(825), "for how long the certificates are valid");
  line.add()("hosts", text()->value_name("NAME,..."),
             "further names and IP addresses of each host");
  line.add()("force,f", "replace existing files");
  if (!line.parse(args))
    return exit_good;
  auto names = line.rest();
  if (names.empty())
    throw usage_error{"the name of a host is missing"};
  auto hosts
    = line.has("hosts")
        ? caf::rosia::detail::split(text_of(line, "hosts"), ',')
        : arguments{};
  rosia_certs::issue_certificates(
    {text_of(line, "directory"), names, hosts, days_of(line, "days"),
     line.has("force")},
    std::cout);
  return exit_good;
}

int check(const arguments& args) {
  command_line line{
    "rosia-certs check --certificate=FILE --key=FILE --ca=FILE",
    R"(Checks the files as a process that uses them does, and prints
how long they are valid.
)"};
  for (auto option : {"certificate", "key", "ca"})
    line.add()(
      option, text()->value_name("FILE")->required(),
      ("the file of the option --rosia.tls." + std::string{option}).c_str());
  if (!line.parse(args))
    return exit_good;
  line.require_no_arguments();
  rosia_certs::check_files(
    {text_of(line, "certificate"), text_of(line, "key"), text_of(line, "ca")},
    std::cout);
  return exit_good;
}

} // namespace

int main(int argc, char** argv) {
  return subcommands::run(
    {.name = "rosia-certs",
     .usage = usage,
     .version = "rosia-certs " + std::string{caf::rosia::version},
     .commands = {{"ca", ca}, {"host", host}, {"check", check}}},
    argc, argv);
}
