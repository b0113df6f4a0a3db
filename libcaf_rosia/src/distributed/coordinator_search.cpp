// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/coordinator_search.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/version.hpp"
#include "compat/actor_calls.hpp"
#include "config/process_options.hpp"
#include "distributed/validation.hpp"
#include "network/sockets.hpp"
#include "time/clocks.hpp"

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

namespace caf::rosia::detail {

namespace {

using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds pause_after_greeting{10};

/// Time limit of the first greeting. Later greetings have more time.
constexpr std::chrono::milliseconds least_patience_with_greeting{100};

/// Number of comparisons of the clocks. The fastest answer counts.
constexpr int comparisons = 8;

/// Returns whether a process is known to be lost.
bool is_gone(const process_handle& x) {
  return caf::actor_cast<caf::abstract_actor*>(x)->getf(
    caf::abstract_actor::is_terminated_flag);
}

} // namespace

process_address coordinator_address(const options& opts) {
  if (is_local_name(opts.network.join))
    return {opts.network.join, 0};
  auto [host, port] = *parse_address(opts.network.join);
  return {host, port};
}

coordinator_search::coordinator_search(
  caf::actor_system& sys, const options& opts, const std::string& token,
  process_connector& connector, joining_signals& signals, spdlog::logger& log)
  : system_(sys), options_(opts), token_(token), connector_(connector),
    signals_(signals), log_(log) {
  // nop
}

invitation coordinator_search::run() {
  // The coordinator does not know this process yet, so a signal ends the search
  // at once.
  auto end = add_saturated(clock::now(), options_.network.join_timeout);
  // The coordinator found may be about to exit, and never answer.
  nanoseconds patience = least_patience_with_greeting;
  for (;; patience = std::clamp<nanoseconds>(
            end - clock::now(), pause_after_greeting,
            std::min<nanoseconds>(
              2 * patience, process_connector::longest_attempt))) {
    connect(end);
    if (greet(patience))
      break;
    signals_.check();
    if (clock::now() > end)
      throw std::runtime_error(
        "no answer from the coordinator at " + options_.network.join
        + " within network.join_timeout ("
        + time_text(options_.network.join_timeout) + ")");
  }
  find_own_name();
  return std::move(result_);
}

void coordinator_search::connect(clock::time_point end) {
  auto& coordinator = result_.coordinator;
  auto gone = coordinator && is_gone(coordinator);
  auto fail_to_join = [](const std::string& name) {
    throw std::runtime_error(name + " ended while this process was joining");
  };
  if (gone && !result_.processes.empty())
    fail_to_join("the coordinator at " + options_.network.join);
  if (coordinator && !gone)
    return;
  coordinator = connector_.connect(
    coordinator_address(options_), end, "the coordinator", signals_,
    [&](const process_network::attempt& failed) {
      // The coordinator started this process, so it was running before.
      if (failed.refused)
        fail_to_join("the coordinator");
    });
}

bool coordinator_search::greet(nanoseconds patience) {
  auto answered = true;
  auto least = std::numeric_limits<std::int64_t>::max();
  std::int64_t date_ahead = 0;
  auto fail = [this](const std::string& problem) {
    throw std::runtime_error(
      "the coordinator at " + options_.network.join + problem);
  };
  for (auto i = 0; i < comparisons && answered; ++i) {
    // A new actor each time: CAF leaks an actor that skipped the timeout of an
    // answered request.
    caf::scoped_actor self{system_};
    auto sent = shown_by<clock>();
    request(
      *self, result_.coordinator, patience,
      greeting_request{std::string{version}, token_, options_.network.process})
      .receive(
        [&](const greeting_reply& x) {
          auto received = shown_by<clock>();
          auto date = shown_by<std::chrono::system_clock>();
          if (!x.problem.empty())
            fail(": " + x.problem);
          if (auto problem = problem_of(x); !problem.empty())
            fail(' ' + impossible(problem));
          answered = !x.processes.empty();
          if (!answered) {
            note_late();
            return;
          }
          result_.processes = x.processes;
          result_.placement = x.placement;
          if (received - sent >= least)
            return;
          // The reply was written in the middle of this period, approximately.
          least = received - sent;
          result_.ahead = x.steady - (sent + least / 2);
          date_ahead = x.date - (date - least / 2);
        },
        [&](const caf::error&) { answered = false; });
  }
  if (!answered) {
    std::this_thread::sleep_for(pause_after_greeting);
    return false;
  }
  nanoseconds off{date_ahead < 0 ? -date_ahead : date_ahead};
  log_.log(
    off > options_.network.clock_warn
      ? spdlog::level::warn
      : spdlog::level::debug,
    "the coordinator's clock is {} {} this one's (to within {})",
    time_text(off), date_ahead < 0 ? "behind" : "ahead of",
    time_text(nanoseconds{least / 2}));
  return true;
}

void coordinator_search::note_late() {
  if (std::exchange(is_late_, true))
    return;
  log_.warn(
    "the application of the coordinator at {} started already, or ends: "
    "this process joins the next one there if it starts within "
    "network.join_timeout ({})",
    options_.network.join, time_text(options_.network.join_timeout));
}

void coordinator_search::find_own_name() {
  auto& all = result_.processes;
  auto me = std::find(all.begin() + 1, all.end(), options_.network.process);
  if (me == all.end())
    throw std::runtime_error(
      "the coordinator at " + options_.network.join
      + " does not expect a process '" + options_.network.process
      + "', but: " + quoted_list({all.begin() + 1, all.end()}));
  result_.self = static_cast<engine::process_id>(me - all.begin());
}

} // namespace caf::rosia::detail
