// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "coordinator.hpp"
#include "network.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace engine_test {

class code;

/// The definition of a node in a test.
struct script {
  std::uint32_t inputs = 1;
  std::uint32_t outputs = 1;

  /// Per reaction, the inputs that trigger it. If empty, one reaction is
  /// triggered by all.
  std::vector<std::vector<std::uint32_t>> triggers;
  bool eager = false;

  /// The number of actions; per reaction, those that trigger it. By default,
  /// all trigger the first reaction.
  std::uint32_t actions = 0;
  std::vector<std::vector<std::uint32_t>> acts;

  /// As those of a `node_setup`.
  std::vector<std::uint32_t> at_shutdown;
  std::vector<access> accesses;
  std::vector<std::optional<caf::rosia::spacing>> spacings;
  std::vector<engine::stamped_queue::action_options> spaced;
  delay lead;

  /// The timeouts of watchdogs. Their indices among the actions follow
  /// `actions`. Each triggers the first reaction unless `acts` is set.
  std::vector<std::int64_t> watchdogs;

  /// As those of a `node_setup`. The actions of the modes trigger nothing
  /// unless `acts` is set.
  std::uint32_t modes = 0;
  std::vector<std::uint32_t> reaction_modes;
  std::vector<std::uint32_t> action_modes;

  bool external = false; // has physical actions, which are inputs
  bool realtime = false;
  std::optional<std::int64_t> lag_warn;
  std::function<void(code&)> start;
  std::function<void(code&, std::uint32_t reaction)> react;
  std::function<void(code&, std::uint32_t watchdog)> expire;
  std::function<void(code&)> shutdown;
};

/// A node's code, defined by a test.
class code : public engine::body {
public:
  code(network& net, node_id id, script role);

  // -- for the script ---------------------------------------------------------

  logical_time now() const;

  void write(std::uint32_t port = 0, std::uint64_t value = 0);

  void promise(const delay& d, std::uint32_t port = 0);

  /// Yields for `d`, then executes `next`.
  void wait(const delay& d, std::function<void(code&)> next);

  /// @returns whether there is such an event.
  bool schedule(const delay& d, std::uint64_t value = 0,
                std::uint32_t action = 0);

  /// Returns the values of a present action.
  std::vector<std::uint64_t> scheduled(std::uint32_t action = 0) const;

  void request(const delay& d = {}, int status = 0);

  void start_watchdog(std::uint32_t watchdog = 0, std::int64_t extra = 0);

  void stop_watchdog(std::uint32_t watchdog = 0);

  void enter(std::uint32_t mode, bool by_history = false);

  /// Returns whether a mode is entered at this tag.
  bool entered(std::uint32_t mode) const;

  /// Returns whether a watchdog is present.
  bool expired(std::uint32_t watchdog = 0) const;

  bool present(std::uint32_t port = 0) const;

  /// Returns the intended tag of the tardy value of an input; the current tag
  /// if it has none.
  logical_time intended(std::uint32_t port = 0) const;

  /// Returns the values of an input.
  std::vector<std::uint64_t> values(std::uint32_t port = 0) const;

  // -- records ----------------------------------------------------------------

  std::vector<std::string> log;
  int shutdowns = 0;
  int discarded = 0;
  int taken = 0;  // values from outside
  int resets = 0; // of the states of modes

  // -- overridden functions of body -------------------------------------------

  void start() override;

  void react(std::uint32_t reaction) override;

  std::uint32_t next_at_shutdown(std::uint32_t from) const noexcept override;

  void resume(void* token) override;

  void discard(void* token) noexcept override;

  void consumed(std::uint32_t input) noexcept override;

  void expire(std::uint32_t action) override;

  void reset(std::uint32_t action) override;

  void shutdown() override;

  std::string_view reaction_name(std::uint32_t reaction) const override;

  std::string_view action_name(std::uint32_t action) const override;

  std::string_view output_name(std::uint32_t output) const override;

  const script role;

private:
  using continuation = std::function<void(code&)>;

  network& net_;
  node_id id_;
};

/// A few nodes with code defined by a test, which also runs them. Messages
/// arrive at once, unless they are held back. Nothing happens by itself.
class lab : public network {
public:
  ~lab() override;

  // -- building ---------------------------------------------------------------

  node_id add(script role);

  /// Connects output 0 to input 0.
  void connect(node_id source, node_id target, const delay& d = {});

  void connect(const wire& x);

  /// Adds a physical connection from output 0 to input 0.
  void connect_physical(node_id source, node_id target);

  /// Connects output 0 to input 0 with a maximal wait.
  void connect_waiting(node_id source, node_id target, std::int64_t wait,
                       const delay& d = {});

  /// Builds the nodes. Call once, before the functions below.
  void assemble(const network_options& options = {});

  // -- running ----------------------------------------------------------------

  using network::start;

  /// Starts all nodes that are not started.
  void start_all();

  /// Activates nodes until none is woken.
  void run();

  /// Advances the clock to `ns`, and stops at each time at which a node wants
  /// to be woken.
  void run_until(std::int64_t ns);

  /// Holds back messages from `from` to `to`.
  void hold(node_id from, node_id to);

  /// Delivers the held-back messages, and holds back no longer.
  void release(node_id from, node_id to);

  /// Called at each point where another thread might act while a node is
  /// active. The callback may replace itself.
  std::function<void()> in_the_meantime;

  // -- observing --------------------------------------------------------------

  code& code_of(node_id id) {
    return *codes_[id];
  }

  std::vector<std::pair<node_id, report>> reports;

  /// Returns the null messages on a connection.
  std::vector<logical_time> promised(std::uint32_t connection) const;

  /// Returns the bounds requested on a connection.
  std::vector<logical_time> asked_on(std::uint32_t connection) const;

  /// Returns the arrival tags of messages on a connection.
  std::vector<logical_time> arrivals(std::uint32_t connection) const;

protected:
  bool holds_back(node_id from, node_id to) override;

  void meanwhile() override;

  void on_report(node_id id, const report& x) override;

private:
  std::vector<std::unique_ptr<code>> codes_;
  std::vector<wire> wires_;
  std::set<std::pair<node_id, node_id>> held_;
};

/// A coordinator for a lab. Its decisions reach the nodes at once.
class lab_coordinator : public coordinator {
public:
  /// Announces `stop_after` to the nodes, if given.
  explicit lab_coordinator(lab& net,
                           std::optional<logical_time> stop_after = {});

  /// Handles the nodes' reports since the last call.
  void serve();

  /// Serves and runs until all work is done.
  void run();

private:
  void notify(node_id id, const notice& x) override;

  lab& net_;
  std::size_t served_ = 0; // number of reports
};

} // namespace engine_test
