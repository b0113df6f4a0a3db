// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/state.hpp"
#include "engine/node.hpp"
#include "nodes/inbox.hpp"
#include "nodes/pointer_list.hpp"

#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// What is noted while a node's members are made, one after the other.
struct construction {
  /// The first class of the node, from its bases on, that has a `start()`.
  const start_info* start = nullptr;

  /// The first reaction that has a trigger that the node does not have (yet),
  /// and the place of that trigger, where there may be no object yet.
  const reaction_base* reaction = nullptr;
  const void* trigger = nullptr;
  const char* trigger_kind = nullptr; // "input" or "action"
};

/// The members of a node that are there to be saved, in the order of
/// declaration.
struct saved_members {
  std::vector<action_base*> actions;
  std::vector<state_base*> states;
};

/// What a node needs of what runs it.
class node_environment {
public:
  virtual ~node_environment();

  /// Physical time since the common start, in nanoseconds.
  virtual std::int64_t elapsed() = 0;

  /// Creates the node's logger.
  virtual std::shared_ptr<spdlog::logger> make_logger(const std::string& name)
    = 0;

  /// The node's actor; null in a test's harness.
  virtual node_actor* self() = 0;
};

struct node_core;

/// The ports of a node, in the order of declaration, kept as the states that
/// the engine needs of them.
template <class Port, class State>
class port_list {
public:
  using value_type = Port*;

  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Port*;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Port*;

    explicit iterator(State* const* at) noexcept : at_(at) {
      // nop
    }

    Port* operator*() const noexcept {
      return Port::of(*at_);
    }

    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }

    iterator operator++(int) noexcept {
      return iterator{at_++};
    }

    friend bool operator==(iterator, iterator) noexcept = default;

  private:
    State* const* at_;
  };

  iterator begin() const noexcept {
    return iterator{states_.begin()};
  }

  iterator end() const noexcept {
    return iterator{states_.end()};
  }

  std::size_t size() const noexcept {
    return states_.size();
  }

  Port* operator[](std::size_t index) const noexcept {
    return Port::of(states_[index]);
  }

  void push_back(Port* x) {
    states_.push_back(&x->state());
  }

  /// @returns what is good until the next port comes.
  std::span<State* const> states() const noexcept {
    return {states_.begin(), states_.size()};
  }

private:
  pointer_list<State> states_;
};

/// What the library keeps of a node, apart from what its users see. Translates
/// between the engine's numbers and the user's objects.
struct node_core final : engine::body {
  explicit node_core(node& x) noexcept : self(&x) {
    // nop
  }

  // -- overridden functions of engine::body -----------------------------------

  void start() override;

  std::uint32_t next_startup(std::uint32_t from) const noexcept override;

  void react(std::uint32_t reaction) override;

  void react(std::uint32_t reaction, const engine::value& content) override;

  engine::reaction_code* code_of(
    std::uint32_t reaction) const noexcept override;

  bool ends_early() const noexcept override;

  void resume(void* token) override;

  void discard(void* token) noexcept override;

  void consumed(bool trigger, std::uint32_t index) noexcept override;

  void shutdown() override;

  void resumed() override;

  std::string_view reaction_name(std::uint32_t reaction) const override;

  std::string_view action_name(std::uint32_t action) const override;

  std::string_view output_name(std::uint32_t output) const override;

  // -- properties -------------------------------------------------------------

  /// What few nodes have.
  struct rare_parts {
    std::shared_ptr<spdlog::logger> logger = {};
    std::unique_ptr<saved_members> saved = {}; // null if there are none
    std::unique_ptr<detail::construction> construction = {}; // the same
    std::optional<physical_time_span> lag_warn = {};
  };

  rare_parts& make_rare() {
    if (!rare)
      rare = std::make_unique<rare_parts>();
    return *rare;
  }

  // -- member variables -------------------------------------------------------

  node* self;
  const node_type* type = nullptr;
  node_environment* environment = nullptr;
  std::unique_ptr<rare_parts> rare = {}; // null if it has nothing of that
  port_list<input_port_base, engine::input> inputs = {};
  port_list<output_port_base, engine::output> outputs = {};
  pointer_list<reaction_base> reactions = {};
  [[no_unique_address]] detail::inbox inbox = {}; // has room for the next one
  std::optional<bool> realtime = {};
  engine::node engine = {}; // last: ends first
};

/// The library's way into a node, for its ports, reactions, and what runs it.
struct node_access {
  static void name(node& x, std::string value) {
    x.name_ = std::move(value);
  }

  /// All members are there. @returns a warning, or an empty text.
  /// @throws graph_error if the members do not fit together. `find` names a
  ///         port of another node by its address; may be null.
  static std::string complete(
    node& x, const node_type& type,
    const std::function<std::string(const void*)>& find);

  /// What is noted while the members of a node are made.
  static construction& under_construction(node& x);

  /// Notes the class that declares a member. @returns the node.
  static node* enter(const member_parent& x);

  /// Refuses a port or action that a reaction has used as a trigger before it
  /// was there.
  static void refuse_late(node& x, const void* trigger,
                          const std::string& name);

  static void environment(node& x, node_environment* value) noexcept {
    x.core_->environment = value;
  }

  /// Tells whether the node's class has `shutdown()`.
  static bool has_shutdown(const node& x) noexcept {
    return x.core_->type != nullptr && x.core_->type->shutdown != nullptr;
  }

  /// Tells whether something runs the node.
  static bool runs(const node& x) noexcept {
    return x.core_->environment != nullptr;
  }

  static std::optional<physical_time_span> lag_warn(const node& x) noexcept {
    auto& rare = x.core_->rare;
    return rare ? rare->lag_warn : std::nullopt;
  }

  static std::optional<bool> realtime(const node& x) noexcept {
    return x.core_->realtime;
  }

  static spdlog::logger* existing_logger(node& x) noexcept {
    return x.core_->rare ? x.core_->rare->logger.get() : nullptr;
  }

  static engine::node& engine(node& x) noexcept {
    return x.core_->engine;
  }

  static engine::body& body(node& x) noexcept {
    return *x.core_;
  }

  static detail::inbox& inbox(node& x) noexcept {
    return x.core_->inbox;
  }

  static auto& inputs(node& x) noexcept {
    return x.core_->inputs;
  }

  static auto& outputs(node& x) noexcept {
    return x.core_->outputs;
  }

  static auto& reactions(node& x) noexcept {
    return x.core_->reactions;
  }

  /// Its actions and states; none for most nodes.
  static const saved_members& saved(const node& x) noexcept;

  /// Where to add one.
  static saved_members& make_saved(node& x);

  /// Tells whether the node has said what its state is: it has a `state`, or
  /// none at all.
  static bool declares_state(const node& x) noexcept;

  /// Tells whether a reaction is triggered by an action.
  static bool has_action(const node& x, std::uint32_t reaction) noexcept;

  /// Names a port for messages: "node.port".
  static std::string port_name(node& x, bool output, std::uint32_t index);

  /// Tells whether values can come from outside of the application.
  static bool external(node& x) noexcept;
};

} // namespace caf::rosia::detail
