// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "ending_rules.hpp"
#include "fingerprint.hpp"
#include "made_up_node.hpp"
#include "network.hpp"
#include "plan.hpp"

#include "engine/negotiation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine_test {

/// An application, and the events that may happen at any time.
struct exploration {
  /// The nodes. A request from outside happens at any time, or never.
  plan what;

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

/// Nodes of the engine and a coordinator, for which the caller selects each
/// event. A single call of a node is one event, which other nodes see as a
/// whole. Messages and reports are late, but in order per sender and receiver.
class explored_application
  : public network,
    protected engine::negotiation::host {
public:
  // -- member types -----------------------------------------------------------

  /// Maximum number of nodes, so that an event fits into a set.
  static constexpr node_id max_nodes = 3;

  /// A possible event, as a bit in a set.
  using event = std::uint32_t;

  using event_set = std::uint32_t;

  // -- constructors, destructors ----------------------------------------------

  explicit explored_application(const exploration& what);

  ~explored_application() override;

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

  bool over() const noexcept {
    return status_.has_value();
  }

  /// Checks the state after the end.
  /// @param expected history of every node, without physical values.
  /// @throws broken_rule
  void check_end(const std::vector<history>& expected);

  /// Returns a fingerprint of the state. States with equal fingerprints have
  /// the same future.
  virtual fingerprint state() const;

  /// Returns a fingerprint of everything that a user sees of an ended
  /// application.
  fingerprint outcome() const;

  std::string name_of(event x) const;

  /// Describes the state for analyzing a failure.
  std::string situation();

  int status() const noexcept {
    return *status_;
  }

  bool aborted() const noexcept {
    return negotiation_.aborted();
  }

  logical_time final_tag() const noexcept {
    return negotiation_.final();
  }

protected:
  // -- member types -----------------------------------------------------------

  struct notice {
    enum class kind : std::uint8_t { ask, final, abort };
    kind what = kind::ask;
    logical_time tag;
    logical_time requested;
  };

  struct report {
    enum class kind : std::uint8_t { request, answer, failed, exit, vanished };
    kind what = kind::request;
    logical_time tag;
    int status = 0;
    engine::ending how = engine::ending::done;
  };

  // -- for applications with a mistake ----------------------------------------

  /// Passes a report to the coordinator.
  virtual void handle(node_id id, const report& x);

  /// Sends a notice to a node.
  virtual void notify(node_id id, const notice& x);

  /// Passes a notice to a node.
  virtual void take(node_id id, const notice& x);

  /// Answers in place of a node that is not asked.
  void pledge_only(node_id id, logical_time proposal);

  void on_report(node_id id, const report& x) {
    reports_[id].push_back(x);
  }

  engine::negotiation negotiation_;
  ending_rules rules_;

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
    kind what;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };

  static constexpr decoded compute_decoded(event x);

  static decoded decode(event x);

  static event encode(kind what, std::uint32_t first = 0,
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

  void expect(node_id id, const report& x);

  void check_late_deadlines();

  // -- fingerprints -----------------------------------------------------------

  void add_history(hasher& h, node_id id) const;

  void add_node(hasher& h, node_id id) const;

  // -- overridden functions of network ----------------------------------------

  bool holds_back(node_id from, node_id to) override;

  void on_channel(node_id from, node_id to) override;

  void on_left(node_id id) override;

  void on_request(node_id id, logical_time proposal, int status) override;

  void on_answer(node_id id, logical_time tag) override;

  void on_failed(node_id id, const engine::failure& what) override;

  // -- overridden functions of tracer -----------------------------------------

  void execute(node_id node, logical_time tag, logical_time stat,
               std::int64_t elapsed) override;

  void send(node_id node, logical_time tag, std::uint32_t connection,
            logical_time arrival, const engine::value& content) override;

  void promise(node_id node, std::uint32_t connection,
               logical_time promise) override;

  void shutdown(node_id node, logical_time tag, engine::ending how) override;

  // -- overridden functions of negotiation::host ------------------------------

  void ask(node_id node, logical_time proposal) override;

  void tell_final(node_id node, logical_time final,
                  logical_time requested) override;

  void abort_node(node_id node) override;

  void agreed(logical_time final) override;

  void ignored(logical_time proposal, logical_time final) override;

  void entered(engine::negotiation::stage what,
               std::uint64_t deadline) override;

  void late(node_id node, engine::negotiation::stage what) override;

  void finished(int status) override;

  /// A node's commitment to the coordinator.
  struct pledge {
    logical_time barrier = forever; // nothing starts past it
    logical_time own = forever;     // nor past its own request
    bool over = false;              // shutdown() was called
  };

  const exploration& explored_;
  made_up_nodes nodes_;
  std::vector<std::vector<notice>> notices_; // to the nodes
  std::vector<std::vector<report>> reports_; // to the coordinator
  std::vector<pledge> pledges_;
  std::uint32_t requests_left_ = 0; // a set
  std::uint32_t deadlines_left_ = 0;
  std::size_t next_call_ = 0;
  bool signalled_ = false;
  bool second_signal_left_ = false;
  bool vanish_left_ = false;
  bool stick_left_ = false;
  node_id stuck_ = ~node_id{0};

  std::string mistake_;
  std::optional<int> status_;
};

} // namespace engine_test
