// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/launch_command.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>
#include <vector>

#include <unistd.h>

namespace rosia_drill {

namespace {

using strings = std::vector<std::string>;

void replace_all(std::string& text, const std::string& from,
                 const std::string& to) {
  for (auto i = text.find(from); i != std::string::npos;
       i = text.find(from, i + to.size()))
    text.replace(i, from.size(), to);
}

std::string address(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

void add_option(strings& to, const std::string& name,
                const std::string& value) {
  to.push_back("--rosia." + name + '=' + value);
}

void add_security(strings& to, const drill& definition,
                  const caf::rosia::detail::tls_files& certificates) {
  if (!definition.certificates) {
    add_option(to, "network.insecure", "true");
    return;
  }
  add_option(to, "tls.certificate", certificates.certificate);
  add_option(to, "tls.key", certificates.key);
  add_option(to, "tls.ca", certificates.ca);
}

/// Adds the options of one of several processes.
void add_role(strings& to, const drill& definition, std::size_t index,
              const launch_ports& ports) {
  add_option(to, "network.listen", address(ports.own));
  if (index == 0) {
    add_option(to, "network.expect",
               fmt::format("{}", fmt::join(definition.processes, ",")));
  } else {
    add_option(to, "network.join", address(ports.coordinator));
    add_option(to, "network.process", definition.process_names()[index]);
  }
  if (definition.placement.empty())
    return;
  strings placement;
  for (auto& [node, process] : definition.placement)
    placement.push_back(node + '=' + process);
  add_option(to, "placement", fmt::format("{}", fmt::join(placement, ",")));
}

strings arguments_of(const drill& definition, const round_settings& settings,
                     std::size_t index, const launch_ports& ports) {
  strings result{settings.program.string()};
  if (definition.nodes) {
    auto& folder = settings.folder;
    add_option(result, "drills", "allow");
    add_option(result, "trace", (folder / "traces" / "trace.jsonl").string());
    add_option(result, "report", (folder / "report.json").string());
    if (!definition.processes.empty()) {
      add_role(result, definition, index, ports);
      add_security(result, definition, settings.certificates);
    }
  }
  auto add = [&](const strings& arguments) {
    for (auto x : arguments)
      result.push_back(
        with_values(std::move(x), settings, definition.process_names()[index]));
  };
  add(definition.arguments);
  if (!settings.continued.empty())
    add(definition.resume);
  return result;
}

strings environment_of(const drill& definition,
                       const round_settings& settings) {
  auto temporary = (settings.folder / "tmp").string();
  strings result{"TMPDIR=" + temporary, "XDG_RUNTIME_DIR=" + temporary,
                 round_mark(settings)};
  if (definition.nodes) {
    result.push_back("ROSIA_DRILL=" + settings.socket.string());
    result.push_back("ROSIA_TOKEN=drill-" + std::to_string(::getpid()) + '-'
                     + std::to_string(settings.number));
  }
  return result;
}

} // namespace

std::string with_values(std::string text, const round_settings& settings,
                        const std::string& process) {
  auto& folder
    = settings.continued.empty() ? settings.folder : settings.continued;
  replace_all(text, "{seed}", std::to_string(settings.seed));
  replace_all(text, "{round}", std::to_string(settings.number));
  replace_all(text, "{folder}", folder.string());
  replace_all(text, "{process}", process);
  return text;
}

process_command launch_command(
  const drill& definition, const round_settings& settings, std::size_t index,
  const launch_ports& ports) {
  process_command result;
  result.arguments = arguments_of(definition, settings, index, ports);
  result.environment = environment_of(definition, settings);
  result.folder = settings.folder / "work" / definition.process_names()[index];
  return result;
}

std::string round_mark(const round_settings& settings) {
  return "ROSIA_DRILL_ROUND=" + settings.socket.string();
}

} // namespace rosia_drill
