// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace caf::rosia::detail {

/// Creates a node once it is known that this process runs it.
struct node_factory {
  virtual ~node_factory() = default;

  /// Makes the node. It must not outlive this factory, whose arguments it may
  /// use.
  virtual std::unique_ptr<node> make() = 0;

  /// Returns the node that was made, as an object of its class.
  virtual void* object() const noexcept = 0;
};

/// Whether the constructor of `T` accepts a constant reference or a movable
/// value as argument number `I`.
template <class T, std::size_t I, class... Ts, std::size_t... Is>
constexpr bool takes_kept(std::index_sequence<Is...>) {
  using kept = std::tuple<
    std::conditional_t<std::is_lvalue_reference_v<Ts>, const std::decay_t<Ts>&,
                       std::decay_t<Ts>&&>...>;
  return std::is_constructible_v<
    T, std::conditional_t<Is == I, std::tuple_element_t<Is, kept>, Ts&&>...>;
}

/// Keeps the arguments of a node's constructor: copies of those that the
/// constructor accepts as copies, references to the rest.
template <class T, class... Ts>
class keeping_factory final : public node_factory {
public:
  explicit keeping_factory(Ts&&... xs) : arguments_(std::forward<Ts>(xs)...) {
    // nop
  }

  std::unique_ptr<node> make() override {
    auto result = make(indices{});
    object_ = result.get();
    return result;
  }

  void* object() const noexcept override {
    return object_;
  }

private:
  using indices = std::index_sequence_for<Ts...>;

  template <std::size_t I, class U>
  static constexpr bool copies
    = takes_kept<T, I, Ts...>(indices{})
      && std::is_constructible_v<std::decay_t<U>, U>;

  template <class Indices>
  struct kept;

  // A kept rvalue is moved into the constructor, a kept lvalue passed as const.
  template <std::size_t... Is>
  struct kept<std::index_sequence<Is...>> {
    using type = std::tuple<std::conditional_t<
      copies<Is, Ts>,
      std::conditional_t<std::is_lvalue_reference_v<Ts>, const std::decay_t<Ts>,
                         std::decay_t<Ts>>,
      Ts&&>...>;
  };

  template <std::size_t... Is>
  std::unique_ptr<T> make(std::index_sequence<Is...>) {
    return std::make_unique<T>(pass<Is, Ts>()...);
  }

  template <std::size_t I, class U>
  decltype(auto) pass() {
    if constexpr (copies<I, U> && std::is_lvalue_reference_v<U>)
      return std::as_const(std::get<I>(arguments_));
    else
      return static_cast<U&&>(std::get<I>(arguments_));
  }

  typename kept<indices>::type arguments_;
  T* object_ = nullptr;
};

} // namespace caf::rosia::detail
