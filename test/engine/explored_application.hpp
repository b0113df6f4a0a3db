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

/// An application, and what may happen to it at any moment.
struct exploration {
  /// The nodes; an outside request comes at any moment, or not at all.
  plan what;

  /// The outside requests are bound to come: without, it would not end.
  bool bound_to_come = false;

  /// After a request that is a signal (for `never`) another one may come.
  bool second_signal = false;

  /// A node that may vanish without a word.
  std::optional<node_id> vanishes;

  /// A node that may get stuck in its code, and handles nothing more.
  std::optional<node_id> sticks;

  /// How many stages may take too long.
  std::uint32_t deadlines = 0;
};

/// Nodes of the engine, and a coordinator, to which one thing after the other
/// happens that somebody else picks. What a node does in one call is one event:
/// others see it before or after. Messages and what the coordinator is told
/// are late, but in order between two of them.
class explored_application
  : public network,
    protected engine::negotiation::host {
public:
  // -- member types -----------------------------------------------------------

  /// At most so many nodes: an event has to fit into a set.
  static constexpr node_id max_nodes = 3;

  /// What may happen, as a bit in a set.
  using event = std::uint32_t;

  using event_set = std::uint32_t;

  // -- constructors, destructors ----------------------------------------------

  explicit explored_application(const exploration& what);

  ~explored_application() override;

  // -- exploring --------------------------------------------------------------

  /// What can happen now; nothing once the application is over.
  event_set possible() const;

  /// A part of what can happen now that is enough to explore: whatever it
  /// leaves out can happen later as well, and leads to the same.
  event_set enough(event_set possible) const;

  /// Without any of these the application does not get on.
  event_set progress(event_set possible) const;

  /// Tells whether the order of two events that are possible now changes
  /// nothing.
  bool independent(event x, event y) const;

  /// Lets something happen. @pre It is possible.
  /// @throws broken_rule
  void perform(event x);

  bool over() const noexcept {
    return status_.has_value();
  }

  /// Checks what has to hold when the application is over.
  /// @param expected what every node does, without physical values.
  /// @throws broken_rule
  void check_end(const std::vector<history>& expected);

  /// Two states with the same fingerprint have the same future.
  virtual fingerprint state() const;

  /// Stands for all that its user sees of an application that is over.
  fingerprint outcome() const;

  std::string name_of(event x) const;

  /// For a person who looks at a failure.
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

  /// Tells the coordinator.
  virtual void handle(node_id id, const report& x);

  /// Tells a node, later on.
  virtual void notify(node_id id, const notice& x);

  /// Tells a node, now.
  virtual void take(node_id id, const notice& x);

  /// Answers for a node that is not asked.
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

  /// It leads to the same whenever it happens, lets nothing else happen, and
  /// keeps nothing from happening.
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

  /// What a node has promised the coordinator.
  struct pledge {
    logical_time barrier = forever; // nothing starts past it
    logical_time own = forever;     // nor past what it has requested itself
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
