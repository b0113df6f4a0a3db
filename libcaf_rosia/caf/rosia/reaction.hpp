// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/find_port.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/reaction_code.hpp"
#include "caf/rosia/detail/small_list.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/task.hpp"

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace caf::rosia {

/// The type of `eager`.
struct eager_t {};

/// An eager reaction may close a loop of connections without delay: the
/// connections of the loop that end at one of its triggers take one microstep
/// [2.5].
inline constexpr eager_t eager{};

namespace detail {

using code_ptr = std::unique_ptr<engine::reaction_code>;

/// The code of a reaction in the form of a function that returns nothing or a
/// `task`. It compiles faster than a `std::function` for each reaction would.
template <class Fun>
class code_of final : public engine::reaction_code {
public:
  explicit code_of(Fun fun) : fun_(std::move(fun)) {
    // nop
  }

  void run(engine::node& owner) override {
    if constexpr (std::is_same_v<std::invoke_result_t<Fun&>, task>)
      task_access::run(std::invoke(fun_), owner);
    else
      static_cast<void>(std::invoke(fun_));
  }

private:
  Fun fun_;
};

/// Makes the code of a reaction from a function without parameters.
template <class Fun>
code_ptr make_code(Fun fun) {
  static_assert(
    std::is_invocable_v<Fun&>,
    "a reaction is a function without parameters: it reads its "
    "node's input ports");
  if constexpr (std::is_invocable_v<Fun&>) {
    using result = std::invoke_result_t<Fun&>;
    static_assert(std::is_void_v<result> || std::is_same_v<result, task>,
                  "a reaction returns nothing, or a rosia::task if it yields");
    return code_ptr{new code_of<Fun>(std::move(fun))};
  } else {
    return {};
  }
}

} // namespace detail

/// The common part of reactions and startups.
class reaction_base : public member_base {
public:
  /// Returns whether it is eager, or a startup.
  graph_description::reaction_kind kind() const noexcept {
    return kind_;
  }

  /// Returns the members that trigger it.
  virtual std::span<const graph_description::trigger> triggers() const noexcept;

protected:
  reaction_base(const detail::member_parent& parent, std::string name,
                graph_description::reaction_kind kind, detail::code_ptr code);

  ~reaction_base() = default;

private:
  friend struct detail::member_access;

  detail::code_ptr code_;
  graph_description::reaction_kind kind_;
};

namespace detail {

/// The triggers of a reaction: an input port or an action, or a range of them.
/// Keeps addresses and does not access ports or actions, which may not be
/// constructed yet.
class trigger_source {
public:
  /// Receives each trigger; null for an empty pointer.
  class visitor {
  public:
    virtual void operator()(graph_description::trigger_kind kind,
                            const typed_member* trigger)
      = 0;

    /// Receives the address of all ports of a channel before them.
    /// @returns whether they are constructed already.
    virtual bool operator()(const ports_base& triggers) = 0;

  protected:
    ~visitor() = default;
  };

  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, trigger_source>)
  trigger_source(T&& x)
  noexcept
    : object_(std::addressof(x)),
      visit_(&visit_all<std::remove_reference_t<T>>) {
    static_assert(
      is_trigger<T> || are_triggers<T>,
      "the triggers of a reaction are input ports and actions of its node, or "
      "ranges of them");
  }

  void visit(visitor& fun) const {
    visit_(object_, fun);
  }

private:
  template <class T>
  static constexpr bool is_trigger
    = std::derived_from<
        port_in<T, cause_kind>,
        input_port_base> || std::derived_from<port_in<T, cause_kind>, action_base>;

  template <class T>
  static constexpr bool are_triggers = [] {
    if constexpr (keeps_ports<T, cause_kind>)
      return is_trigger<element_of<T>>;
    else
      return false;
  }();

  template <class T>
  static void visit_all(const void* object, visitor& fun) {
    auto& x = *static_cast<T*>(const_cast<void*>(object));
    if constexpr (is_trigger<T>)
      visit_one(x, fun);
    else if constexpr (are_triggers<T>)
      visit_range(x, fun);
  }

  template <class T>
  static void visit_range(T& xs, visitor& fun) {
    if constexpr (std::derived_from<T, ports_base>)
      if (!fun(xs))
        return;
    for (auto&& x : xs)
      visit_one(x, fun);
  }

  template <class T>
  static void visit_one(T& x, visitor& fun) {
    using enum graph_description::trigger_kind;
    auto* trigger = find_port<cause_kind>(x);
    fun(std::derived_from<port_in<T, cause_kind>, action_base> ? action : input,
        trigger);
  }

  const void* object_;
  void (*visit_)(const void*, visitor&);
};

} // namespace detail

/// A reaction runs at each tag at which one of its triggers has a value. It may
/// yield if it is a coroutine that returns a `task`.
///
/// Its triggers are one range, or a list, `{in, others}`, of input ports,
/// actions and ranges. A range is an `input_ports`, an array, a vector or a
/// view of ports or actions, or of pointers to them. All of them must be
/// declared before the reaction.
class reaction final : public reaction_base {
public:
  /// @param parent the node that the reaction is a member of: `this`.
  /// @param triggers inputs and actions of this node, at least one.
  /// @param fun a function without parameters that returns nothing or a `task`.
  /// @throws graph_error for an invalid or duplicate name, without triggers, or
  /// for a trigger that is listed twice or is an empty pointer.
  /// `application::create` throws it for a trigger of another node, and the
  /// trigger's constructor for a trigger that is declared after the reaction.
  template <class Node, class Fun>
  reaction(Node* parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers, Fun fun)
    : reaction(detail::member_parent{parent}, std::move(name), triggers,
               detail::make_code(std::move(fun)), false) {
    // nop
  }

  template <class Node, class Fun>
  reaction(Node* parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers, Fun fun,
           eager_t)
    : reaction(detail::member_parent{parent}, std::move(name), triggers,
               detail::make_code(std::move(fun)), true) {
    // nop
  }

  /// Reads the triggers from a range.
  template <class Node, detail::keeps_ports<detail::cause_kind> Range,
            class Fun>
  reaction(Node* parent, std::string name, Range&& triggers, Fun fun)
    : reaction(detail::member_parent{parent}, std::move(name), {triggers},
               detail::make_code(std::move(fun)), false) {
    // nop
  }

  template <class Node, detail::keeps_ports<detail::cause_kind> Range,
            class Fun>
  reaction(Node* parent, std::string name, Range&& triggers, Fun fun, eager_t)
    : reaction(detail::member_parent{parent}, std::move(name), {triggers},
               detail::make_code(std::move(fun)), true) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  reaction(Name&&, std::initializer_list<detail::trigger_source> triggers,
           Ts&&...)
    : reaction(
      detail::without_node<Name>(), std::string{}, triggers, nullptr, false) {
    // nop
  }

  std::span<const graph_description::trigger> triggers()
    const noexcept override {
    return {triggers_.begin(), triggers_.size()};
  }

private:
  reaction(const detail::member_parent& parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers,
           detail::code_ptr code, bool is_eager);

  void add_trigger(graph_description::trigger_kind kind, const typed_member* x);

  /// @returns whether the node has these ports already.
  bool add_trigger(const ports_base& x);

  /// Notes a trigger that the node does not have (yet).
  void note_missing(graph_description::trigger_kind kind, const member_base& x);

  engine::small_list<graph_description::trigger> triggers_;
};

/// Code that runs at the start, at tag (0, 0), after `start()`. A node may have
/// several, which run in the order of their declaration. Those of its base
/// classes run first. A startup may yield if it is a coroutine that returns a
/// `task`:
///
/// ~~~
/// rosia::startup blink{this, "blink", [this]() -> rosia::task {
///   for (;;) {
///     light(on = !on);
///     co_await rosia::after(500ms);
///   }
/// }};
/// ~~~
class startup final : public reaction_base {
public:
  /// @param parent the node that the startup is a member of: `this`.
  /// @param fun a function without parameters that returns nothing or a `task`.
  /// @throws graph_error for an invalid or duplicate name.
  template <class Node, class Fun>
  startup(Node* parent, std::string name, Fun fun)
    : startup(detail::member_parent{parent}, std::move(name),
              detail::make_code(std::move(fun))) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class Fun>
  startup(Name&&, Fun)
    : startup(detail::without_node<Name>(), std::string{}, nullptr) {
    // nop
  }

private:
  startup(const detail::member_parent& parent, std::string name,
          detail::code_ptr code);
};

} // namespace caf::rosia
