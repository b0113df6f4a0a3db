// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "fingerprint.hpp"
#include "simulated_application.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine_test {

/// An application, and the events that may happen at any time.
struct exploration {
  /// The nodes. A request from outside happens at any time, or never.
  plan subject;

  /// Whether the requests from outside must happen, because the application
  /// would not end without.
  bool bound_to_come = false;

  /// Whether a second signal may follow a request that is a signal (for
  /// `never`).
  bool second_signal = false;

  /// A node that may vanish without a report.
  std::optional<node_id> vanishes;

  /// A node that may hang in its code, and then handles nothing.
  std::optional<node_id> sticks;

  /// Number of stages that may exceed their deadline.
  std::uint32_t deadlines = 0;
};

/// An application for which the caller selects each event. A single call of a
/// node is one event, which other nodes see as a whole.
class explored_application : public simulated_application {
public:
  // -- member types -----------------------------------------------------------

  /// Maximum number of nodes, so that an event fits into a set.
  static constexpr node_id max_nodes = 3;

  /// A possible event, as a bit in a set.
  using event = std::uint32_t;

  using event_set = std::uint32_t;

  // -- constructors, destructors ----------------------------------------------

  explicit explored_application(const exploration& app);

  // -- exploring --------------------------------------------------------------

  /// Returns the events that can happen now; empty after the end.
  event_set possible() const;

  /// Returns a sufficient subset of the possible events. The omitted events can
  /// happen later, and lead to the same states.
  event_set enough(event_set possible) const;

  /// Returns the events without which the application makes no progress.
  event_set progress(event_set possible) const;

  /// Returns whether the order of two possible events has no effect.
  bool independent(event x, event y) const;

  /// Performs an event. @pre It is possible.
  /// @throws broken_rule
  void perform(event x);

  /// Returns whether a node executed the last tag, or should have.
  bool has_last_tag() const;

  /// Checks the state after the end.
  /// @param expected history of every node, if nothing ends the run.
  /// @param with_last that up to the last tag, if there is one.
  /// @throws broken_rule
  void check_end(const std::vector<history>& expected,
                 const std::vector<history>& with_last);

  /// Returns a fingerprint of the state. States with equal fingerprints have
  /// the same future.
  virtual fingerprint state() const;

  /// Returns a fingerprint of everything that a user sees of an ended
  /// application.
  fingerprint outcome() const;

  std::string name_of(event x) const;

protected:
  void inform(node_id id, const notice& x) override;

  /// Answers in place of a node that is not asked.
  void pledge_only(node_id id, logical_time proposal);

private:
  // -- events -----------------------------------------------------------------

  enum class kind : std::uint8_t {
    start,
    activate,
    notice,
    report,
    deliver,
    request, // from outside
    second_signal,
    vanish,
    stick,
    overdue,
    clock,
    call,
  };

  struct decoded {
    kind type;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };

  static constexpr decoded compute_decoded(event x);

  static decoded decode(event x);

  static event encode(kind type, std::uint32_t first = 0,
                      std::uint32_t second = 0);

  bool alive(node_id id) const {
    return !left(id) && !vanished(id) && stuck_ != id;
  }

  logical_time last_tag(node_id id) const {
    return tags(id).empty() ? logical_time{} : tags(id).back();
  }

  std::int64_t next_alarm() const;

  bool neighbours(node_id x, node_id y) const;

  /// Returns whether the event leads to the same state whenever it happens, and
  /// neither enables nor prevents other events.
  bool is_silent(const decoded& x) const;

  bool requests_may_come() const;

  bool reacts_to_last_tag() const;

  // -- fingerprints -----------------------------------------------------------

  void add_history(hasher& h, node_id id) const;

  void add_node(hasher& h, node_id id) const;

  // -- overridden functions of network ----------------------------------------

  void on_channel(node_id from, node_id to) override;

  void on_report(node_id id, const report& x) override;

  // -- overridden functions of tracer -----------------------------------------

  void execute(node_id node, logical_time tag, logical_time stat,
               std::int64_t elapsed) override;

  /// A node's commitment to the coordinator.
  struct pledge {
    logical_time barrier = forever; // nothing starts past it
    logical_time own = forever;     // nor past its own request
  };

  const exploration& explored_;
  std::vector<pledge> pledges_;
  std::uint32_t requests_left_ = 0; // a set
  std::uint32_t deadlines_left_ = 0;
  bool signalled_ = false;
  bool second_signal_left_ = false;
  bool vanish_left_ = false;
  bool stick_left_ = false;
};

} // namespace engine_test
