// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/compat.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"

#include <caf/deep_to_string.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace caf::rosia {

// -- tags ---------------------------------------------------------------------

/// A base of nodes that have no state: whatever they do depends on the current
/// tag alone. It names the node's class, so that a class that derives from this
/// one, and may have members of its own, has to say it again:
///
/// ~~~
/// struct doubler : rosia::node, rosia::stateless<doubler> { ... };
/// ~~~
template <class Node>
struct stateless {};

/// The functions that `upgrades` was called with.
template <class... Fs>
struct upgrades_t {
  std::tuple<Fs...> functions;
};

/// Says how to read what older versions of a program have saved of a state: one
/// function for each older version, the oldest first, which makes the state's
/// value from what its type was then. `nullptr` stands for a version that is
/// not read any more. The state's version is one more than there are functions.
///
/// ~~~
/// rosia::state<pose> at{this, "at", {}, rosia::upgrades([](const point& old) {
///   return pose{old.x, old.y, 0};
/// })};
/// ~~~
template <class... Fs>
upgrades_t<Fs...> upgrades(Fs... functions) {
  return {{std::move(functions)...}};
}

// -- upgrading ----------------------------------------------------------------

namespace detail {

/// Reads what an older version has saved. Null if nobody can any more.
using state_upgrade
  = std::function<engine::value(caf::deserializer& from, caf::error& problem)>;

/// The plain type of the only parameter of a function. Never called.
template <class Result, class Parameter>
std::type_identity<std::remove_cvref_t<Parameter>> parameter_of(
  Result (*)(Parameter));

template <class Result, class Class, class Parameter>
std::type_identity<std::remove_cvref_t<Parameter>> parameter_of(
  Result (Class::*)(Parameter) const);

template <class Result, class Class, class Parameter>
std::type_identity<std::remove_cvref_t<Parameter>> parameter_of(
  Result (Class::*)(Parameter));

template <class Fun>
auto parameter_of(const Fun&) -> decltype(parameter_of(&Fun::operator()));

template <class T, class Fun>
state_upgrade make_upgrade(Fun fun) {
  if constexpr (std::same_as<Fun, std::nullptr_t>) {
    return {};
  } else {
    using old_type = typename decltype(parameter_of(fun))::type;
    static_assert(
      std::is_invocable_r_v<T, Fun&, const old_type&>,
      "a function that upgrades a state makes its value from the older one");
    static_assert(
      is_serializable<old_type> && std::default_initializable<old_type>,
      "a state is upgraded from a type that CAF can read");
    if constexpr (std::is_invocable_r_v<T, Fun&, const old_type&>)
      return [fun](caf::deserializer& from, caf::error& problem) mutable {
        auto old = engine::payload_type_of<old_type>().load(from, problem);
        return problem
                 ? engine::value{}
                 : engine::make_value<T>(fun(old.template get<old_type>()));
      };
    else
      return {};
  }
}

} // namespace detail

// -- states -------------------------------------------------------------------

/// What all states have in common.
class state_base {
public:
  state_base(const state_base&) = delete;

  state_base& operator=(const state_base&) = delete;

  /// The state's name within its node.
  const std::string& name() const noexcept {
    return name_;
  }

  /// The node that the state belongs to.
  node* parent() const noexcept {
    return parent_;
  }

  /// The type of its value.
  const std::type_info& type() const noexcept {
    return *type_->info;
  }

  /// Describes that type.
  const engine::payload_type& payload() const noexcept {
    return *type_;
  }

  /// The version of what is saved, from 1 on.
  std::uint32_t version() const noexcept {
    return static_cast<std::uint32_t>(upgrades_.size()) + 1;
  }

  /// How to read what older versions have saved, the oldest first.
  const std::vector<detail::state_upgrade>& upgrades() const noexcept {
    return upgrades_;
  }

  /// Copies the value, which may then be saved by another thread.
  virtual engine::value copy() const = 0;

  /// Replaces the value. @pre `content` is of the state's type.
  virtual void restore(const engine::value& content) = 0;

  /// Renders the value, as CAF does.
  virtual std::string text() const = 0;

protected:
  state_base(const detail::member_parent& parent, std::string name,
             const engine::payload_type& type,
             std::vector<detail::state_upgrade> older);

  ~state_base() = default;

private:
  node* parent_;
  std::string name_;
  const engine::payload_type* type_;
  std::vector<detail::state_upgrade> upgrades_;
};

/// A part of what a node remembers from one tag to the next: a member that has
/// a name, so that tests can show it, and that can be saved. It is read and
/// written like a `T`, as fast as a `T`:
///
/// ~~~
/// rosia::state<int> count{this, "count", 0};
/// rosia::reaction on_in{this, "on_in", {in}, [this] { out(++count); }};
/// ~~~
///
/// Where a conversion is not enough, `*count` and `count->` are the value. Use
/// a state from the node's own reactions only.
template <class T>
class state final : public state_base {
public:
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                "the type of a state must be a plain type");
  static_assert(
    detail::is_serializable<T>,
    "CAF can read and write the type of a state: give the type an inspect()");
  static_assert(std::copyable<T> && std::default_initializable<T>,
                "the type of a state can be copied, and has a default "
                "constructor");

  using value_type = T;

  /// @param parent the node that the state is a member of: `this`.
  /// @throws graph_error for a bad name, or one that another state of the node
  ///         has.
  template <class Node>
  state(Node* parent, std::string name, T initial = T{})
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            std::vector<detail::state_upgrade>{}) {
    // nop
  }

  /// A state that was of other types in older versions of the program.
  template <class Node, class... Fs>
  state(Node* parent, std::string name, T initial, upgrades_t<Fs...> from)
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            make_upgrades(std::move(from))) {
    // nop
  }

  /// Not to be compiled: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  explicit state(Name&&, Ts&&...)
    : state(detail::without_node<Name>(), std::string{}, T{},
            std::vector<detail::state_upgrade>{}) {
    // nop
  }

  // -- reading and writing ----------------------------------------------------

  T& operator*() noexcept {
    return value_;
  }

  const T& operator*() const noexcept {
    return value_;
  }

  T* operator->() noexcept {
    return &value_;
  }

  const T* operator->() const noexcept {
    return &value_;
  }

  operator T&() noexcept {
    return value_;
  }

  operator const T&() const noexcept {
    return value_;
  }

  template <class U = T>
    requires std::assignable_from<T&, U&&> &&(
      !std::same_as<std::remove_cvref_t<U>, state>)state&
    operator=(U&& x) {
      value_ = std::forward<U>(x);
      return *this;
    }

    /// Takes over the value of another state, and nothing else.
    state& operator=(const state& x) {
      value_ = x.value_;
      return *this;
    }

    // The language does not convert what such an operator assigns to.

    template <class U>
      requires requires(T& to, U&& x) {
        to += std::forward<U>(x);
      }
    state& operator+=(U&& x) {
      value_ += std::forward<U>(x);
      return *this;
    }

    template <class U>
      requires requires(T& to, U&& x) {
        to -= std::forward<U>(x);
      }
    state& operator-=(U&& x) {
      value_ -= std::forward<U>(x);
      return *this;
    }

    template <class U>
      requires requires(T& to, U&& x) {
        to *= std::forward<U>(x);
      }
    state& operator*=(U&& x) {
      value_ *= std::forward<U>(x);
      return *this;
    }

    template <class U>
      requires requires(T& to, U&& x) {
        to /= std::forward<U>(x);
      }
    state& operator/=(U&& x) {
      value_ /= std::forward<U>(x);
      return *this;
    }

    template <class U>
      requires requires(T& in, U&& x) {
        in[std::forward<U>(x)];
      }
    decltype(auto) operator[](U&& x) {
      return value_[std::forward<U>(x)];
    }

    // -- overridden functions of state_base
    // -------------------------------------

    engine::value copy() const override {
      return engine::make_value<T>(value_);
    }

    void restore(const engine::value& content) override {
      value_ = content.get<T>();
    }

    std::string text() const override {
      return caf::deep_to_string(value_);
    }

  private:
    state(const detail::member_parent& parent, std::string name, T initial,
          std::vector<detail::state_upgrade> older)
      : state_base(parent, std::move(name), engine::payload_type_of<T>(),
                   std::move(older)),
        value_(std::move(initial)) {
      // nop
    }

    template <class... Fs>
    static std::vector<detail::state_upgrade> make_upgrades(
      upgrades_t<Fs...> from) {
      return std::apply(
        [](auto&... functions) {
          return std::vector<detail::state_upgrade>{
            detail::make_upgrade<T>(std::move(functions))...};
        },
        from.functions);
    }

    T value_;
};

} // namespace caf::rosia
