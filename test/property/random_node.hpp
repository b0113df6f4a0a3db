// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/mode.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/physical_action.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/task.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/watchdog.hpp"

#include "property/model/machine.hpp"

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace property {

namespace rosia = caf::rosia;

class random_node;
class ending_maker;

/// The shared data of the nodes of one run.
struct company {
  const model::graph_spec* graph = nullptr;

  /// Whether nodes sometimes delay, so that threads meet at other points.
  bool dallies = false;
  std::vector<random_node*> nodes;

  /// Causes further events in the run; null if none.
  ending_maker* ending = nullptr;

  /// The node whose `shutdown()` throws.
  std::optional<std::uint32_t> fails_in_shutdown = std::nullopt;

  /// Schedules a physical action of a node, and records an accepted value. May
  /// be called from any thread.
  bool call(std::uint32_t node, std::uint32_t input, std::uint64_t value);

  /// An accepted value from outside.
  struct taken {
    std::uint32_t node;
    std::uint32_t input;
    std::uint64_t value;
    friend auto operator<=>(const taken&, const taken&) = default;
  };

  std::mutex mutex;
  std::vector<taken> all_taken;
};

/// A node of the library whose code is a machine.
class random_node : public rosia::node {
public:
  random_node(company& all, std::uint32_t id);

  // -- called by the library --------------------------------------------------

  rosia::task start();

  void shutdown();

  // -- from outside -----------------------------------------------------------

  /// Schedules a physical action. May be called from any thread.
  bool call(std::uint32_t input, const model::message& x);

  // -- references to ports ----------------------------------------------------

  /// Returns the member with the inputs.
  static auto inputs() noexcept {
    return &random_node::inputs_;
  }

  static auto outputs() noexcept {
    return &random_node::outputs_;
  }

  // -- properties, after the run ----------------------------------------------

  const model::machine& code() const noexcept {
    return code_;
  }

  /// Returns the number of calls of `shutdown()`.
  int shutdowns() const noexcept {
    return shutdowns_;
  }

  /// Returns how often the handler of a watchdog ran.
  std::size_t handlers() const noexcept {
    return handlers_;
  }

  /// Returns whether it caused an error as planned.
  bool failed() const noexcept {
    return failed_;
  }

  /// Returns whether a channel named other ports than those that are present.
  bool present_was_wrong() const noexcept {
    return present_was_wrong_;
  }

  /// Returns whether the tag that runs, or ran last, is the last tag. May also
  /// be called by the node's code.
  bool is_at_last_tag() const noexcept {
    return now() > final_tag();
  }

  /// Returns the first tag that ran before its physical time.
  const std::optional<model::logical_time>& ran_early() const noexcept {
    return ran_early_;
  }

private:
  /// The machine's environment.
  class hands : public model::world {
  public:
    explicit hands(random_node* self) noexcept : self_(self) {
      // nop
    }

    model::logical_time now() override;

    void look(std::uint32_t input, model::view& into) override;

    void write(std::uint32_t output, const model::message& x,
               const std::optional<model::delay>& promise) override;

    void forward(std::uint32_t output, std::uint32_t input,
                 const std::optional<model::delay>& promise) override;

    void promise(std::uint32_t output, const model::delay& d) override;

    bool schedule(std::uint32_t action, const model::delay& d,
                  const model::message& x) override;

    bool is_late() override;

    mode_view look_at_mode(std::uint32_t mode) override;

    void count_reaction(std::uint32_t mode) override;

    void enter(std::uint32_t mode, bool by_history) override;

    bool has_expired(std::uint32_t watchdog) override;

    void start_watchdog(std::uint32_t watchdog,
                        const model::delay& extra) override;

    void stop_watchdog(std::uint32_t watchdog) override;

    void look_at_action(std::uint32_t action,
                        std::vector<model::message>& into) override;

    bool request(const std::optional<model::delay>& d,
                 std::int32_t status) override;

    void call(std::uint32_t node, std::uint32_t input,
              std::uint64_t value) override;

    void fail(std::uint32_t kind) override;

  private:
    random_node* self_;
  };

  rosia::physical_action<model::message>& add_physical_action(
    const std::string& name, const model::input_spec& x);

  /// @param parent the node or one of its modes.
  template <class Parent>
  void add_tick(Parent&& parent, const model::tick_spec& x);

  /// The ports that a reaction declares to access.
  struct port_lists {
    std::vector<rosia::input_port<model::message>*> read;
    std::vector<rosia::output_port<model::message>*> written, written_later;
  };

  port_lists declared_ports(const model::reaction_spec& spec);

  void add_reaction(std::uint32_t index);

  /// @pre The calling reaction may read all inputs.
  void check_present();

  rosia::task begin_start();

  model::machine::instance begin(std::uint32_t reaction, bool late = false);

  void run(model::machine::instance x);

  rosia::task play(model::machine::instance x);

  rosia::task play_rest(model::machine::instance& x, model::delay first);

  /// Called before a reaction runs, or continues. May throw.
  void prepare();

  company* all_;
  rosia::state<model::machine::memory> mind_{this, "mind"};
  model::machine code_;
  hands hands_{this};
  std::optional<rosia::input_ports<model::message>> channel_;
  std::deque<rosia::input_port<model::message>> plain_inputs_;
  std::deque<rosia::physical_action<model::message>> physical_actions_;
  std::vector<rosia::input_port<model::message>*> inputs_;
  std::deque<rosia::output_port<model::message>> outputs_;
  std::deque<rosia::mode> modes_;
  std::deque<rosia::state<std::uint64_t>> counts_; // by mode
  std::deque<rosia::action<model::message>> actions_;
  std::deque<rosia::tick> ticks_;
  std::deque<rosia::watchdog> watchdogs_;
  std::deque<rosia::reaction> reactions_;
  std::optional<rosia::startup> startup_; // in place of `start()`
  int shutdowns_ = 0;
  std::size_t handlers_ = 0;
  bool failed_ = false;
  bool present_was_wrong_ = false;
  std::optional<model::logical_time> ran_early_;
};

} // namespace property
