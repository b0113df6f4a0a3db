// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/deadline.hpp"
#include "caf/rosia/detail/find_port.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/reaction_code.hpp"
#include "caf/rosia/detail/small_list.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/task.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf::rosia {

/// The type of `eager`.
struct eager_t {};

/// An eager reaction may close a loop of connections without delay: the
/// connections of the loop that end at one of its triggers take one microstep
/// [2.5].
inline constexpr eager_t eager{};

/// The type of `at_shutdown`.
struct at_shutdown_t {};

/// A trigger that is present at the last tag of the application, the microstep
/// after the final tag [10.6.1]. A reaction may write there, and everything
/// that it causes without delay runs; values with a delay, physical values and
/// scheduled events never arrive. The nodes' `shutdown()` follows. After an
/// error, the application is aborted and has no last tag.
///
/// ~~~
/// rosia::reaction at_end{this, "at_end", {rosia::at_shutdown},
///                        rosia::writes(total), [this] { total(sum); }};
/// ~~~
inline constexpr at_shutdown_t at_shutdown{};

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

template <class T>
inline constexpr bool is_at_shutdown
  = std::is_same_v<std::remove_const_t<T>, at_shutdown_t>;

/// A member of a node, or a range of members, that a reaction names. Keeps
/// addresses and does not access members, which may not be constructed yet.
class member_source {
public:
  enum class kind : std::uint8_t { input, output, action, at_shutdown };

  /// Receives each member; null for an empty pointer, and for `at_shutdown`.
  class visitor {
  public:
    virtual void operator()(kind type, const typed_member* x) = 0;

    /// Receives the address of all ports of a channel before them.
    /// @returns whether they are constructed already.
    virtual bool operator()(const ports_base& xs) = 0;

  protected:
    ~visitor() = default;
  };

  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, member_source>)
  explicit member_source(T&& x) noexcept
    : object_(std::addressof(x)),
      visit_(&visit_all<std::remove_reference_t<T>>) {
    // nop
  }

  void visit(visitor& fun) const {
    visit_(object_, fun);
  }

private:
  template <class T>
  static void visit_all(const void* object, visitor& fun) {
    auto& x = *static_cast<T*>(const_cast<void*>(object));
    if constexpr (is_at_shutdown<T>)
      fun(kind::at_shutdown, nullptr);
    else if constexpr (keeps_port<T, cause_kind>)
      visit_one(x, fun);
    else if constexpr (keeps_ports<T, cause_kind>)
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
    using found = port_in<T, cause_kind>;
    fun(std::derived_from<found, action_base> ? kind::action
        : std::derived_from<found, output_port_base>
          ? kind::output
          : kind::input,
        find_port<cause_kind>(x));
  }

  const void* object_;
  void (*visit_)(const void*, visitor&);
};

/// Whether a `T` is a member of one of these classes, leads to one, or is a
/// range of them.
template <class T, class... Bases>
inline constexpr bool names_members = [] {
  if constexpr (keeps_ports<T, cause_kind>)
    return (
      std::derived_from<port_in<element_of<T>, cause_kind>, Bases> || ...);
  else
    return (std::derived_from<port_in<T, cause_kind>, Bases> || ...);
}();

/// The triggers of a reaction: an input port or an action, or a range of them;
/// or `at_shutdown`.
class trigger_source : public member_source {
public:
  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, member_source>)
  trigger_source(T&& x)
  noexcept : member_source(x) {
    static_assert(
      is_at_shutdown<std::remove_reference_t<
          T>> || names_members<std::remove_reference_t<T>, input_port_base, action_base>,
      "the triggers of a reaction are input ports and actions of its node, or "
      "ranges of them, or rosia::at_shutdown");
  }
};

/// The ways in which a reaction may access a port.
enum class access_kind : std::uint8_t { reads, writes, writes_later };

/// The ports that a reaction declares to access in one way.
template <std::size_t Size>
struct access_declaration {
  access_kind kind;
  std::array<member_source, Size> ports;
};

/// The uses of a member by a reaction that names it.
enum class member_use : std::uint8_t {
  input_trigger,
  action_trigger,
  read,
  write,
};

/// The declared ports of a reaction, by `access_kind`.
using declared_members = std::array<std::vector<member_source>, 3>;

/// The arguments of a reaction after its triggers.
struct reaction_parts {
  code_ptr code = {};
  bool yields = false;
  bool is_eager = false;

  /// None if the reaction has no deadline. The handler may be null.
  std::optional<engine::deadline_limit> limit = {};
  code_ptr handler = {};

  std::unique_ptr<declared_members> declared = {}; // null if there are none

  void declare(access_kind kind, std::span<const member_source> ports);

  template <class Fun>
  void set_code(Fun fun) {
    code = make_code(std::move(fun));
    note_result<Fun>();
  }

  template <class Handler>
  void set_deadline(deadline<Handler> x) {
    limit = x.limit_;
    if constexpr (!std::is_same_v<Handler, no_handler>) {
      handler = make_code(std::move(x.handler_));
      note_result<Handler>();
    }
  }

private:
  template <class Fun>
  void note_result() noexcept {
    if constexpr (std::is_invocable_v<Fun&>)
      yields = yields || std::is_same_v<std::invoke_result_t<Fun&>, task>;
  }
};

template <class T>
inline constexpr bool is_deadline = false;

template <class Handler>
inline constexpr bool is_deadline<deadline<Handler>> = true;

template <class T>
inline constexpr bool is_option = std::is_same_v<T, eager_t> || is_deadline<T>;

template <std::size_t Size>
inline constexpr bool is_option<access_declaration<Size>> = true;

/// The only argument that is not an option.
template <class Part>
void collect_part(reaction_parts& to, Part part) {
  to.set_code(std::move(part));
}

template <class Handler>
void collect_part(reaction_parts& to, deadline<Handler> part) {
  to.set_deadline(std::move(part));
}

inline void collect_part(reaction_parts& to, eager_t) {
  to.is_eager = true;
}

template <std::size_t Size>
void collect_part(reaction_parts& to, const access_declaration<Size>& part) {
  to.declare(part.kind, part.ports);
}

/// Sorts the options and the function of a reaction.
template <class... Parts>
reaction_parts collect_parts(Parts... parts) {
  static_assert((!is_option<Parts> + ... + 0) == 1,
                "a reaction has one function besides its options");
  reaction_parts result;
  (collect_part(result, std::move(parts)), ...);
  return result;
}

/// Whether what follows a reaction's name is neither a list of triggers nor a
/// range of them.
template <class Parent, class T>
inline constexpr bool lacks_triggers
  = !std::same_as<Parent, member_parent> && !keeps_ports<T, cause_kind>;

} // namespace detail

/// Declares the input ports and physical actions that a reaction reads in
/// addition to its triggers [10.1.1]. An argument may also be a range of ports,
/// as for triggers. Without arguments, the reaction reads its triggers only.
template <class... Ports>
auto reads(Ports&&... ports) {
  static_assert(
    (detail::names_members<std::remove_reference_t<Ports>,
                           input_port_base> && ...),
    "rosia::reads names input ports and physical actions of the node, or "
    "ranges of them");
  return detail::access_declaration<sizeof...(Ports)>{
    detail::access_kind::reads, {detail::member_source{ports}...}};
}

/// Declares the output ports that a reaction writes or makes promises for.
/// Without arguments, it writes none.
template <class... Ports>
auto writes(Ports&&... ports) {
  static_assert(
    (detail::names_members<std::remove_reference_t<Ports>,
                           output_port_base> && ...),
    "rosia::writes names output ports of the node, or ranges of them");
  return detail::access_declaration<sizeof...(Ports)>{
    detail::access_kind::writes, {detail::member_source{ports}...}};
}

/// Declares the output ports that a reaction writes, or makes promises for,
/// only after it has yielded.
template <class... Ports>
auto writes_later(Ports&&... ports) {
  static_assert(
    (detail::names_members<std::remove_reference_t<Ports>,
                           output_port_base> && ...),
    "rosia::writes_later names output ports of the node, or ranges of them");
  return detail::access_declaration<sizeof...(Ports)>{
    detail::access_kind::writes_later, {detail::member_source{ports}...}};
}

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
                graph_description::reaction_kind kind,
                detail::reaction_parts&& parts);

  ~reaction_base() = default;

  /// Adds the declared ports to those of the node.
  void declare(const detail::reaction_parts& parts);

  /// Returns whether the node has the ports of a channel already.
  bool has_channel(const ports_base& x) const;

  /// Notes a member that the node does not have (yet).
  void note_missing(detail::member_use use, const member_base& x) const;

private:
  friend struct detail::member_access;

  void declare(detail::access_kind kind, const detail::member_source& ports,
               std::vector<std::uint32_t>& to);

  std::optional<std::uint32_t> find_port(
    detail::access_kind kind, const typed_member& x) const;

  detail::code_ptr code_;
  graph_description::reaction_kind kind_;
  bool yields_; // whether the code returns a task
};

/// A reaction runs at each tag at which one of its triggers has a value. It may
/// yield if it is a coroutine that returns a `task`.
///
/// Its triggers are one range, or a list, `{in, others}`, of input ports,
/// actions, ranges, and `at_shutdown`. A range is an `input_ports`, an array, a
/// vector or a view of ports or actions, or of pointers to them. All of them
/// must be declared before the reaction.
///
/// Its function and options follow in any order. The options are `eager`, a
/// `deadline`, and the ports that the reaction accesses, by `reads`, `writes`
/// and `writes_later`. A reaction that declares ports accesses only these. A
/// reaction that declares none may access all ports of its node [10.1.1]:
///
/// ~~~
/// rosia::reaction on_step{this, "on_step", {step}, rosia::reads(force),
///                         rosia::writes(speed), [this] {
///   speed(v += 0.01 * *force);
/// }};
/// ~~~
class reaction final : public reaction_base {
public:
  /// @param parent the node that the reaction is a member of: `this`.
  /// @param triggers inputs and actions of this node, at least one.
  /// @param parts a function without parameters that returns nothing or a
  ///   `task`, and the options.
  /// @throws graph_error for an invalid or duplicate name, without triggers,
  /// for a trigger that is listed twice or is an empty pointer, for
  /// `writes_later` if the function returns no `task`, or for a deadline that
  /// is negative or a state that is not declared before the reaction.
  /// `application::create` throws it for a trigger or port of another node, and
  /// the member's constructor for a member that is declared after the reaction.
  template <class Node, class... Parts>
    requires(sizeof...(Parts) > 0)
  reaction(Node* parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers,
           Parts... parts)
    : reaction(detail::member_parent{parent}, std::move(name), triggers,
               detail::collect_parts(std::move(parts)...)) {
    // nop
  }

  /// Reads the triggers from a range.
  template <class Node, detail::keeps_ports<detail::cause_kind> Range,
            class... Parts>
    requires(sizeof...(Parts) > 0)
  reaction(Node* parent, std::string name, Range&& triggers, Parts... parts)
    : reaction(detail::member_parent{parent}, std::move(name), {triggers},
               detail::collect_parts(std::move(parts)...)) {
    // nop
  }

  /// Makes a reaction of a mode: it runs only while the mode is active
  /// [10.7.1].
  /// @throws graph_error also if the mode is one of another node.
  template <class... Parts>
    requires(sizeof...(Parts) > 0)
  reaction(mode& parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers,
           Parts... parts)
    : reaction(detail::member_parent{parent}, std::move(name), triggers,
               detail::collect_parts(std::move(parts)...)) {
    // nop
  }

  template <detail::keeps_ports<detail::cause_kind> Range, class... Parts>
    requires(sizeof...(Parts) > 0)
  reaction(mode& parent, std::string name, Range&& triggers, Parts... parts)
    : reaction(detail::member_parent{parent}, std::move(name), {triggers},
               detail::collect_parts(std::move(parts)...)) {
    // nop
  }

  /// Never compiles: the triggers are missing, or have no braces.
  template <class Parent, class Trigger, class... Ts>
    requires(detail::lacks_triggers<Parent, Trigger>)
  reaction(Parent&& parent, std::string name, Trigger&&, Ts&&...)
    : reaction(detail::member_parent{parent}, std::move(name), {},
               detail::reaction_parts{}) {
    static_assert(
      sizeof(Trigger) == 0,
      "the triggers of a reaction follow its name, in braces or as a range: "
      "{this, name, {in}, ...}; without triggers it is a rosia::startup");
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  reaction(Name&&, std::initializer_list<detail::trigger_source> triggers,
           Ts&&...)
    : reaction(detail::without_node<Name>(), std::string{}, triggers,
               detail::reaction_parts{}) {
    // nop
  }

  std::span<const graph_description::trigger> triggers()
    const noexcept override {
    return {triggers_.begin(), triggers_.size()};
  }

private:
  reaction(const detail::member_parent& parent, std::string name,
           std::initializer_list<detail::trigger_source> triggers,
           detail::reaction_parts parts);

  /// Refuses a deadline that is negative, or no state of the node.
  void require_limit(const engine::deadline_limit& x) const;

  void add_trigger(graph_description::trigger_kind kind, const typed_member* x);

  /// Adds `at_shutdown`.
  void add_at_shutdown();

  [[noreturn]] void refuse_twice(const std::string& trigger) const;

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
  /// @param parts a function without parameters that returns nothing or a
  ///   `task`, and the ports that it accesses, as for a reaction.
  /// @throws graph_error as a reaction does.
  template <class Node, class... Parts>
    requires(sizeof...(Parts) > 0)
  startup(Node* parent, std::string name, Parts... parts)
    : startup(detail::member_parent{parent}, std::move(name),
              detail::collect_parts(std::move(parts)...)) {
    static_assert((!std::is_same_v<Parts, eager_t> && ...),
                  "a startup has no triggers, so it cannot be eager");
    static_assert((!detail::is_deadline<Parts> && ...),
                  "a startup has no triggers, so it has no deadline");
  }

  /// Never compiles: a startup has no mode.
  template <class... Ts>
  startup(mode&, Ts&&...)
    : startup(
      detail::without_mode<Ts...>(), std::string{}, detail::reaction_parts{}) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  startup(Name&&, Ts&&...)
    : startup(
      detail::without_node<Name>(), std::string{}, detail::reaction_parts{}) {
    // nop
  }

private:
  startup(const detail::member_parent& parent, std::string name,
          detail::reaction_parts parts);
};

} // namespace caf::rosia
