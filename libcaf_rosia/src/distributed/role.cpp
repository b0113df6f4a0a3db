// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/role.hpp"

#include "base/read_file.hpp"
#include "compat/caf_options.hpp"
#include "compat/io/middleman.hpp"
#include "config/process_options.hpp"
#include "network/sockets.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/timespan.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <stdlib.h>

namespace caf::rosia::detail {

namespace {

// The environment of processes that a coordinator started.
constexpr const char* join_variable = "ROSIA_JOIN";
constexpr const char* process_variable = "ROSIA_PROCESS";
constexpr const char* token_variable = "ROSIA_TOKEN";

std::string variable(const char* name) {
  auto* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

/// The role in the environment when it was first read.
struct inherited_role {
  std::string coordinator = variable(join_variable);
  std::string process = variable(process_variable);
  std::string token = variable(token_variable);
};

const inherited_role& inherited() {
  static const inherited_role result;
  return result;
}

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

bool is_loopback(const std::string& address) {
  auto host = parse_address(address);
  return host && is_loopback_host(host->first);
}

} // namespace

bool is_distributed(const options& x) noexcept {
  return !x.processes.empty() || !x.network.join.empty()
         || !x.network.listen.empty() || !x.network.expect.empty();
}

void take_role(options& x) {
  auto& role = inherited();
  if (role.coordinator.empty()) {
    if (x.network.token.empty())
      x.network.token = role.token;
    return;
  }
  x.network.join = role.coordinator;
  x.network.process = role.process;
  x.network.token = role.token;
  x.network.token_file.clear();
  x.processes.clear();
  x.network.expect.clear();
  x.network.listen.clear();
}

void check_role(const options& x) {
  auto exclude = [](const std::string& one, const char* name,
                    const std::string& other, const char* other_name) {
    if (!one.empty() && !other.empty())
      refuse(
        std::string{name} + " and " + other_name
        + " exclude each other: a process either starts the other processes, "
          "waits for them, or joins them");
  };
  exclude(x.processes, "rosia.processes", x.network.join, "rosia.network.join");
  exclude(
    x.processes, "rosia.processes", x.network.listen, "rosia.network.listen");
  exclude(
    x.processes, "rosia.processes", x.network.expect, "rosia.network.expect");
  exclude(x.network.join, "rosia.network.join", x.network.expect,
          "rosia.network.expect");
  if (!x.diagram.empty() && !x.network.join.empty())
    refuse("rosia.diagram: a process that joins a coordinator does not know "
           "where all nodes run; let the coordinator draw the diagram");
  if (!x.network.join.empty() && x.network.process.empty())
    refuse(
      "rosia.network.join: the process needs a name, one of those that the "
      "coordinator expects; set rosia.network.process");
  if (!x.network.process.empty() && !is_distributed(x))
    refuse("rosia.network.process: the process would join no other, and run "
           "the whole "
           "application; set rosia.network.join to the coordinator's address");
  if (x.network.join.empty()
      && x.network.listen.empty() != x.network.expect.empty())
    refuse(
      x.network.listen.empty()
        ? "rosia.network.expect: say where the coordinator can be reached; set "
          "rosia.network.listen"
        : "rosia.network.listen: the coordinator must know the other "
          "processes; "
          "set rosia.network.expect");
  if (!x.network.token.empty() && !x.network.token_file.empty())
    refuse(
      "rosia.network.token and rosia.network.token_file exclude each other");
  if (!x.network.insecure)
    return;
  for (auto* address : {&x.network.listen, &x.network.join})
    if (!address->empty() && !is_local_name(*address) && !is_loopback(*address))
      refuse("rosia.network.insecure: " + *address
             + " is not an address of the loopback device; any program that "
               "reaches the port could end the program, so set "
               "rosia.tls.certificate, rosia.tls.key and rosia.tls.ca");
}

local_processes::inheritance inheritance_of(
  const std::string& coordinator, const std::string& name,
  const std::string& token) {
  local_processes::inheritance result;
  auto add = [&](const char* variable_name, const std::string& value) {
    result.environment.push_back(std::string{variable_name} + '=' + value);
  };
  add(join_variable, coordinator);
  add(process_variable, name);
  add(token_variable, token);
  return result;
}

std::vector<std::string> own_arguments() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string text{
    std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\0', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::error_code problem;
  auto path = std::filesystem::read_symlink("/proc/self/exe", problem).string();
  if (problem)
    refuse("rosia.processes: the other processes run the program in "
           "/proc/self/exe, which cannot be read: "
           + problem.message() + "; mount /proc");
  if (result.empty())
    result.push_back(path);
  else
    result.front() = path;
  return result;
}

std::string process_name(const options& opts) {
  return opts.network.process.empty() ? "coordinator" : opts.network.process;
}

std::vector<std::string> process_names(const options& opts) {
  auto& text = opts.processes;
  auto count = process_count(text);
  if (!count && text != "auto")
    return split_list(text);
  std::vector<std::string> result;
  if (text == "auto") {
    if (auto rules = parse_placement(opts.placement))
      for (auto& rule : *rules)
        if (std::find(result.begin(), result.end(), rule.process)
            == result.end())
          result.push_back(rule.process);
    if (!result.empty())
      return result;
    count = std::max(std::thread::hardware_concurrency(), 1u);
  }
  for (std::size_t i = 1; i <= count; ++i)
    result.push_back("p" + std::to_string(i));
  return result;
}

std::vector<std::string> all_process_names(const options& opts) {
  auto result
    = opts.processes.empty()
        ? split_list(opts.network.expect)
        : process_names(opts);
  result.insert(result.begin(), process_name(opts));
  return result;
}

void prepare(caf::actor_system_config& cfg, options opts) {
  take_role(opts);
  // Programs that this program starts must not join its application.
  if (!inherited().coordinator.empty())
    for (auto name : {join_variable, process_variable, token_variable})
      ::unsetenv(name);
  auto distributed = is_distributed(opts);
  check_role(opts);
  load_middleman(
    cfg, distributed ? multiplexer_kind::rosia : multiplexer_kind::caf);
  if (distributed) {
    // Messages are handled in CAF's network thread.
    cfg.set(caf_option("middleman.workers"), 0);
    // A header and its payload. Further reads rarely find anything.
    cfg.set(caf_option("middleman.max-consecutive-reads"), 2);
    cfg.set(caf_option("middleman.heartbeat-interval"),
            caf::timespan{opts.network.heartbeat});
    cfg.set(caf_option("middleman.connection-timeout"),
            caf::timespan{opts.network.connection_timeout});
    // Reports wrong files before anything is started. A diagram needs no
    // connections.
    if (auto local
        = !opts.processes.empty() || is_local_name(opts.network.join);
        !local && !opts.network.insecure && opts.diagram.empty())
      check(tls_files_of(opts, cfg));
  }
}

tls_files tls_files_of(const options& opts,
                       const caf::actor_system_config& cfg) {
  if (opts.tls.certificate.empty() && opts.tls.key.empty()
      && opts.tls.ca.empty())
    return {openssl_option(cfg, "certificate"), openssl_option(cfg, "key"),
            openssl_option(cfg, "cafile")};
  return {opts.tls.certificate, opts.tls.key, opts.tls.ca};
}

std::string token_of(const options& opts) {
  if (opts.network.token_file.empty())
    return opts.network.token;
  try {
    return read_first_line(opts.network.token_file);
  } catch (const file_error& problem) {
    refuse("rosia.network.token_file: cannot read a token from '"
           + opts.network.token_file + "': " + problem.what());
  }
}

} // namespace caf::rosia::detail
