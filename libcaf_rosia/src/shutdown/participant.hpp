// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "shutdown/adopted_program.hpp"
#include "shutdown/observed_actor.hpp"
#include "shutdown/participant_state.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <caf/actor_control_block.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class participant_list;

/// An application that takes part in a shutdown.
struct adopted_record {
  std::shared_ptr<adopted_program> program;
  bool begin_on_failure;
};

/// An actor or application that takes part in a shutdown. The shutdown's lock
/// protects it. `participant_state` tells what an actor does without the lock.
///
/// There may be hundreds of thousands of participants, which exit at the same
/// time. Therefore this is one compact object with 21 members, and not one
/// object for each concern. The members read at the exit are adjacent. Tests:
/// test/shutdown/rooms_test.cpp.
struct alignas(128) participant final : observed_actor {
  using clock = std::chrono::steady_clock;

  static constexpr std::uint32_t no_parent
    = std::numeric_limits<std::uint32_t>::max();

  participant(participant_list& its_owner, shutdown_phase& its_phase,
              caf::scheduled_actor* self);

  // -- overridden functions of observed_actor ---------------------------------

  bool may_end(const progress& so_far, caf::strong_actor_ptr& linked) override;

  bool wants_letters() const override;

  void reads_exit(std::size_t unread_messages,
                  std::vector<letter> letters) override;

  void handled_exit() override;

  void failed(const std::string& error) override;

  void ended(const caf::error& error) override;

  void let_go() noexcept override;

  // -- hot fields: read when an actor exits -----------------------------------

  shutdown_phase* phase;
  caf::weak_actor_ptr actor = {};
  participant_state state = {};
  part_report::kind kind = part_report::kind::actor;
  bool aborted : 1 = false;
  bool drained : 1 = false;       // its backlog was handled once
  bool awaited : 1 = false;       // by its parent
  bool request_again : 1 = false; // children ended during its last request
  bool has_hook : 1 = false;      // `post_stop`
  std::uint32_t children = 0;     // number of children that it waits for

  // -- cold fields ------------------------------------------------------------

  /// Time of the last change of the state.
  shared_value<clock::time_point> since = {};

  /// Time of the first exit request; zero before.
  clock::time_point requested_at{};

  /// The actor, while its exit is requested and it may still get children to
  /// wait for. Without a handle, CAF would end the actor.
  caf::strong_actor_ptr handle = {};

  std::uint32_t parent = no_parent;
  std::uint32_t unanswered = 0; // open requests at its last exit request
  std::uint32_t unread = 0;     // messages left unread
  adopted_record* application = nullptr; // null for an actor
  std::string name = {};
  std::function<void()> post_stop = {};
  participant_list* owner;
};

} // namespace caf::rosia::detail
