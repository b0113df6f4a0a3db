// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/detail/small_list.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/state.hpp"
#include "engine/action_spacing.hpp"
#include "engine/node.hpp"
#include "engine/published_ptr.hpp"
#include "nodes/declared_access.hpp"
#include "nodes/inbox.hpp"
#include "nodes/member_access.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// The state of the construction of a node's members, one after the other.
/// Tests: test/nodes.
struct construction {
  /// The first class of the node, starting with its bases, that has a
  /// `start()`.
  const start_info* start = nullptr;

  /// The first reaction that uses a member that the node does not have (yet),
  /// and the address of that member, which may not be constructed yet.
  const reaction_base* reaction = nullptr;
  const member_base* member = nullptr;
  member_use use = {};

  /// The node's `input_ports` and `output_ports`.
  std::vector<const ports_base*> channels = {};

  /// The names of long lists of members, by list.
  std::unordered_map<const void*, std::unordered_set<std::string_view>> names
    = {};

  /// Notes the name of the next member of a list. Names must not move.
  /// @returns whether no member of the list has that name.
  template <class Members>
  bool add_name(const Members& members, std::string_view name) {
    constexpr std::size_t longest_search = 32;
    if (members.size() < longest_search)
      return std::none_of(members.begin(), members.end(), [name](auto* x) {
        return x->name() == name;
      });
    auto& known = names[&members];
    if (known.empty())
      for (auto* x : members)
        known.insert(x->name());
    return known.insert(name).second;
  }
};

/// The members of a node that can be saved, in the order of declaration.
struct saved_members {
  std::vector<action_base*> actions;
  std::vector<state_base*> states;
  std::forward_list<engine::action_spacing> spacings; // of the actions
};

/// The environment of a node: what the node needs from its runner. Tests:
/// test/nodes.
class node_environment {
public:
  virtual ~node_environment();

  /// Returns physical time since the common start, in nanoseconds.
  virtual std::int64_t elapsed() = 0;

  /// Creates the node's logger.
  virtual std::shared_ptr<spdlog::logger> make_logger(const std::string& name)
    = 0;

  /// Returns the node's actor; null in a test's harness.
  virtual node_actor* self() = 0;
};

struct node_core;

/// The ports of a node, in the order of declaration, stored as the states that
/// the engine needs. Tests: test/nodes.
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
      return &member_access::port_of(**at_);
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
    return &member_access::port_of(*states_[index]);
  }

  void push_back(Port* x) {
    states_.push_back(&member_access::state(*x));
  }

  /// Returns the states. Valid until the next port is added.
  std::span<State* const> states() const noexcept {
    return {states_.begin(), states_.end()};
  }

private:
  engine::small_list<State*> states_;
};

/// The library's part of a node, which users do not see. Translates between the
/// engine's indices and the user's objects. Tests: test/nodes.
struct node_core final : engine::body {
  explicit node_core(node& x) noexcept : self(&x) {
    // nop
  }

  // -- overridden functions of engine::body -----------------------------------

  void start() override;

  std::uint32_t next_startup(std::uint32_t from) const noexcept override;

  std::uint32_t next_at_shutdown(std::uint32_t from) const noexcept override;

  void react(std::uint32_t reaction) override;

  engine::reaction_code* code_of(
    std::uint32_t reaction) const noexcept override;

  bool ends_early() const noexcept override;

  void resume(void* token) override;

  void discard(void* token) noexcept override;

  void consumed(std::uint32_t input) noexcept override;

  void expire(std::uint32_t action) override;

  void reset(std::uint32_t action) override;

  void shutdown() override;

  void resumed() override;

  std::string_view reaction_name(std::uint32_t reaction) const override;

  std::string_view action_name(std::uint32_t action) const override;

  std::string_view output_name(std::uint32_t output) const override;

  // -- properties -------------------------------------------------------------

  /// Members that few nodes need.
  struct rare_parts {
    std::shared_ptr<spdlog::logger> logger = {};
    std::unique_ptr<saved_members> saved = {}; // null if there are none
    std::unique_ptr<std::vector<parameter_base*>> parameters = {}; // likewise
    std::unique_ptr<detail::construction> construction = {}; // null if it is
                                                             // complete
    std::unique_ptr<declared_access> access = {}; // null if no reaction
                                                  // declares its ports
    std::optional<physical_time_span> lag_warn = {};
  };

  rare_parts& make_rare() {
    return rare.make();
  }

  // -- member variables -------------------------------------------------------

  node* self;
  const node_type* type = nullptr;
  node_environment* environment = nullptr;
  engine::published_ptr<rare_parts> rare = {}; // null if the node needs none
  port_list<input_port_base, engine::input> inputs = {};
  port_list<output_port_base, engine::output> outputs = {};
  engine::small_list<reaction_base*> reactions = {};
  [[no_unique_address]] detail::inbox inbox = {}; // the next member uses its
                                                  // padding
  std::optional<bool> realtime = {};
  engine::node engine = {}; // last, to be destroyed first
};

/// The library's internal interface of a node, for its ports, reactions, and
/// runner. Tests: test/nodes.
struct node_access {
  static void name(node& x, std::string value) {
    x.name_ = std::move(value);
  }

  /// Completes a node whose members were all constructed. `find` names a port
  /// of another node by its address; may be null.
  /// @returns a warning, or an empty text.
  /// @throws graph_error if the members do not fit together.
  static std::string complete(
    node& x, const node_type& type,
    const std::function<std::string(const member_base*)>& find);

  /// Returns the state of the construction of a node's members.
  static construction& under_construction(node& x);

  /// Records the class that declares a member.
  /// @returns the node.
  /// @throws graph_error for a mode of a node that is complete, or one that is
  /// not constructed yet.
  static node* enter(const member_parent& x, const std::string& name);

  /// Refuses a port or action that a reaction used as a trigger, or declared,
  /// before it was constructed.
  static void refuse_late(const member_base& x);

  /// Returns the declarations of the node's reactions; null if there are none.
  static declared_access* declared(const node& x) noexcept {
    auto& rare = x.core_->rare;
    return rare ? rare->access.get() : nullptr;
  }

  /// Returns the declarations to add one to.
  static declared_access& make_declared(node& x);

  /// Returns the states of the ports that the engine uses. Valid while the node
  /// exists.
  static std::span<engine::input* const> input_states(const node& x) noexcept;

  static std::span<engine::output* const> output_states(const node& x) noexcept;

  /// Returns the names of the channels without ports of a node that is not
  /// complete, by direction.
  static std::vector<std::string> empty_channels(const node& x, bool output);

  static void environment(node& x, node_environment* value) noexcept {
    x.core_->environment = value;
  }

  /// Returns whether the node's class has `shutdown()`.
  static bool has_shutdown(const node& x) noexcept {
    return x.core_->type != nullptr && x.core_->type->shutdown != nullptr;
  }

  /// Returns whether the node has a runner.
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

  /// Calls `fun` with each reaction of the node that has a deadline, and with
  /// the code that checks it.
  template <class Fun>
  static void for_each_deadline(node& x, Fun&& fun) {
    for (auto* reaction : reactions(x))
      if (auto* deadline = member_access::deadline(*reaction))
        fun(*reaction, *deadline);
  }

  /// Returns its actions and states; most nodes have none.
  static const saved_members& saved(const node& x) noexcept;

  /// Returns the list to add actions and states to.
  static saved_members& make_saved(node& x);

  /// Returns its parameters; most nodes have none.
  static const std::vector<parameter_base*>& parameters(const node& x) noexcept;

  /// Returns the list to add parameters to.
  static std::vector<parameter_base*>& make_parameters(node& x);

  /// Returns whether the node declares its state: it has a `state`, or declares
  /// that it has none.
  static bool declares_state(const node& x) noexcept;

  /// Returns the name of a port for messages: "node.port".
  static std::string port_name(node& x, bool output, std::uint32_t index);

  /// Returns whether it has a physical action.
  static bool external(node& x) noexcept;

  /// Returns the spacing of an action; null if it has none.
  static engine::action_spacing* spacing(action_base& x) noexcept {
    auto* modes = engine(*x.parent()).modes();
    auto has_mode
      = modes != nullptr && modes->mode_of_action(x.index()) != modes->none;
    return member_access::state(x).ticks || has_mode
             ? nullptr
             : member_access::state(x).spacing_state;
  }

  /// Returns the spacing of a physical action with options; null for other
  /// inputs.
  static engine::action_spacing* spacing(input_port_base& x) noexcept {
    auto* result = spaced_action(x);
    return result == nullptr ? nullptr : &result->spacing;
  }

  /// Returns a physical action with options; null for other inputs.
  static engine::stamped_queue::spaced_action* spaced_action(
    input_port_base& x) noexcept;

  /// Returns the least `after` of its physical actions; none if one has none.
  static delay least_after(node& x);
};

} // namespace caf::rosia::detail
