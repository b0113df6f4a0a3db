// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/compat.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/member.hpp"

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

/// The base of nodes without state: they depend on the current tag alone. It
/// names the node's class: a class that derives from that class must declare
/// again that it has no state, because it may add members:
///
/// ~~~
/// struct doubler : rosia::node, rosia::stateless<doubler> { ... };
/// ~~~
template <class Node>
struct stateless {};

/// The functions that were given to `upgrades`.
template <class... Fs>
struct upgrades_t {
  std::tuple<Fs...> functions;
};

/// Defines how to read values of a state that older versions of a program
/// saved. Takes one function for each older version, the oldest first, which
/// converts that version's type to the state's type. `nullptr` stands for a
/// version that cannot be read. The state's version is the number of functions
/// plus one.
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

/// Reads a value that an older version saved. Null if that version cannot be
/// read.
using state_upgrade
  = std::function<engine::value(caf::deserializer& from, caf::error& problem)>;

/// Declares the parameter type of a function with one parameter, without const
/// and reference. Never called.
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

/// The common part of all states.
class state_base : public typed_member {
public:
  /// Returns the version of the saved value, from 1.
  std::uint32_t version() const noexcept {
    return static_cast<std::uint32_t>(upgrades_.size()) + 1;
  }

protected:
  state_base(const detail::member_parent& parent, std::string name,
             const engine::payload_type& type,
             std::vector<detail::state_upgrade> older);

  ~state_base() = default;

  /// Gives the state its current value whenever a mode is reset.
  void keep_initial(mode& of);

private:
  friend struct detail::member_access;

  /// Returns a copy of the value, which another thread may save.
  virtual engine::value copy() const = 0;

  /// Replaces the value.
  /// @pre `content` is of the state's type.
  virtual void restore(const engine::value& content) = 0;

  /// Renders the value, as CAF does.
  virtual std::string text() const = 0;

  std::vector<detail::state_upgrade> upgrades_; // the oldest first
};

/// A part of a node's state, which stays from one tag to the next. Its name
/// makes it visible to tests, and it can be saved. It is read and written like
/// a `T`, and as fast:
///
/// ~~~
/// rosia::state<int> count{this, "count", 0};
/// rosia::reaction on_in{this, "on_in", {in}, [this] { out(++count); }};
/// ~~~
///
/// If it does not convert implicitly, use `*count` and `count->`. Only the
/// node's own reactions may use a state.
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
  /// @throws graph_error for an invalid name, or the name of another state of
  /// the node.
  template <class Node>
  state(Node* parent, std::string name, T initial = T{})
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            std::vector<detail::state_upgrade>{}) {
    // nop
  }

  /// Makes a state of a mode: it has its initial value again when the mode is
  /// reset [10.7.3].
  /// @throws graph_error also if the mode is one of another node.
  state(mode& parent, std::string name, T initial = T{})
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            std::vector<detail::state_upgrade>{}) {
    // nop
  }

  template <class... Fs>
  state(mode& parent, std::string name, T initial, upgrades_t<Fs...> from)
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            make_upgrades(std::move(from))) {
    // nop
  }

  /// Makes a state that had other types in older versions of the program.
  template <class Node, class... Fs>
  state(Node* parent, std::string name, T initial, upgrades_t<Fs...> from)
    : state(detail::member_parent{parent}, std::move(name), std::move(initial),
            make_upgrades(std::move(from))) {
    // nop
  }

  /// Never compiles: the node is missing.
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

    /// Assigns only the value of another state.
    state& operator=(const state& x) {
      value_ = x.value_;
      return *this;
    }

    // For these operators, C++ does not convert the left operand implicitly.

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

  private:
    state(const detail::member_parent& parent, std::string name, T initial,
          std::vector<detail::state_upgrade> older)
      : state_base(parent, std::move(name), engine::payload_type_of<T>(),
                   std::move(older)),
        value_(std::move(initial)) {
      if (parent.in_mode != nullptr)
        keep_initial(*parent.in_mode);
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

    engine::value copy() const override {
      return engine::make_value<T>(value_);
    }

    void restore(const engine::value& content) override {
      value_ = content.get<T>();
    }

    std::string text() const override {
      return caf::deep_to_string(value_);
    }

    T value_;
};

} // namespace caf::rosia
