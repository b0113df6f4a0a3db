// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/process_connector.hpp"

#include "base/duration.hpp"
#include "distributed/role.hpp"
#include "network/sockets.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace caf::rosia::detail {

namespace {

using clock = std::chrono::steady_clock;

/// Bounds of the pause between attempts to connect, which is doubled each time.
constexpr std::chrono::milliseconds first_retry_pause{10};
constexpr std::chrono::milliseconds longest_retry_pause{1000};

/// Returns whether the processes are those that one coordinator starts.
bool is_local(const options& opts) {
  return !opts.processes.empty() || is_local_name(opts.network.join);
}

process_network::settings network_settings(
  caf::actor_system& sys, const options& opts, const std::string& token,
  std::size_t processes, std::shared_ptr<spdlog::logger> log,
  std::shared_ptr<gateway_slot> frames) {
  process_network::settings result;
  if (!is_local(opts) && !opts.network.insecure)
    result.tls = tls_files_of(opts, sys.config());
  result.token = token;
  result.patience = opts.network.connection_timeout;
  result.max_message = opts.network.max_message;
  result.processes = processes;
  result.log = std::move(log);
  result.frames = std::move(frames);
  return result;
}

} // namespace

process_connector::process_connector(
  caf::actor_system& sys, const options& opts, const std::string& token,
  std::size_t processes, std::shared_ptr<spdlog::logger> log,
  std::shared_ptr<gateway_slot> frames)
  : join_timeout_(opts.network.join_timeout), log_(log), local_(is_local(opts)),
    network_(sys, network_settings(sys, opts, token, processes, std::move(log),
                                   std::move(frames))) {
  // nop
}

process_address process_connector::open(
  const process_handle& actor, const process_address& where) {
  auto published = caf::actor_cast<caf::strong_actor_ptr>(actor);
  if (local_)
    return {network_.open_locally(published), 0};
  try {
    return {where.host, network_.open(published, where.host, where.port)};
  } catch (const std::system_error& e) {
    auto text = "cannot open the port " + to_string(where) + ": " + e.what();
    if (e.code() == std::errc::address_in_use)
      text += "; end the program that listens there, or choose another port "
              "(rosia.network.listen)";
    else if (e.code() == std::errc::address_not_available)
      text += "; name an address of this machine (rosia.network.listen)";
    throw std::runtime_error(text);
  }
}

void process_connector::close(const process_handle& actor) {
  network_.close(caf::actor_cast<caf::strong_actor_ptr>(actor));
}

process_handle process_connector::connect(
  const process_address& address, clock::time_point deadline,
  const std::string& name, joining_signals& signals, const check& on_failure) {
  for (auto pause = first_retry_pause;;
       pause = std::min(2 * pause, longest_retry_pause)) {
    auto found = network_.connect(
      address.host, address.port,
      std::min(clock::now() + longest_attempt, deadline));
    if (found.actor)
      return caf::actor_cast<process_handle>(std::move(found.actor));
    if (found.other_token)
      throw std::runtime_error(
        name + " at " + to_string(address)
        + ": the tokens differ (rosia.network.token): this may be the "
          "coordinator of another application");
    log_->debug("no answer yet from {} at {}: {}", name, to_string(address),
                found.problem);
    on_failure(found);
    if (clock::now() + pause >= deadline)
      throw std::runtime_error(
        "cannot reach " + name + " at " + to_string(address)
        + " within network.join_timeout (" + time_text(join_timeout_) + "): "
        + (found.answered
             ? "there is a port, but not one that answers as a process of this "
               "application with a certificate of the same CA ("
                 + found.problem + ')'
             : found.problem));
    signals.pause(pause);
  }
}

std::vector<frame_link_ptr> process_connector::links_to(
  const std::vector<process_handle>& processes) {
  std::vector<frame_link_ptr> result;
  for (auto& x : processes)
    result.push_back(x ? network_.link_to(x.node()) : nullptr);
  return result;
}

} // namespace caf::rosia::detail
