// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// How `inspect_members` passes members to an inspector. CAF 0.17 begins a
// sequence for a list of flags and does not end it, and does not clear a list
// before it reads an empty one.

namespace caf::rosia::detail {

/// The base of an inspector that takes each flag of a list as a number. CAF
/// 0.17 packs eight flags in a byte.
class unpacked_flags {
protected:
  unpacked_flags() = default;

  virtual ~unpacked_flags() = default;
};

/// A type that CAF 0.17 passes element by element.
template <class T, class Inspector>
concept passed_by_element = requires(T& x) {
  typename T::value_type;
  x.insert(x.end(), *x.begin());
}
&&!requires(Inspector & f, T& x) {
  inspect(f, x);
};

template <class T>
concept passed_as_tuple = requires {
  std::tuple_size<T>::value;
}
&&!requires(T & x) {
  x.begin();
};

/// An array, which passes no size.
template <class T>
concept passed_as_array = std::is_array_v<T> || requires(T& x) {
  std::tuple_size<T>::value;
  x.begin();
};

/// CAF 0.17's optional.
template <class T>
concept passed_as_optional = requires(T& x, typename T::type y) {
  x = std::move(y);
  x.value();
};

template <class T, class Inspector>
consteval bool has_flags();

template <class T, class Inspector, std::size_t... Is>
consteval bool have_flags(std::index_sequence<Is...>) {
  return (has_flags<std::tuple_element_t<Is, T>, Inspector>() || ...);
}

/// Returns whether there are lists of flags in a type of the standard library
/// or of CAF. Other types pass their members by `inspect_members`.
template <class T, class Inspector>
consteval bool has_flags() {
  if constexpr (std::same_as<T, std::vector<bool>>)
    return true;
  else if constexpr (passed_as_array<T>)
    return has_flags<std::ranges::range_value_t<T>, Inspector>();
  else if constexpr (passed_as_tuple<T>)
    return have_flags<T, Inspector>(
      std::make_index_sequence<std::tuple_size_v<T>>{});
  else if constexpr (passed_by_element<T, Inspector>)
    return has_flags<typename T::value_type, Inspector>();
  else if constexpr (passed_as_optional<T>)
    return has_flags<typename T::type, Inspector>();
  else
    return false;
}

template <class Inspector, class T>
typename Inspector::result_type inspect_value(Inspector& f, T& x);

template <class Inspector, class Range>
typename Inspector::result_type inspect_each(Inspector& f, Range& xs) {
  for (auto& x : xs)
    if (auto problem = inspect_value(f, x))
      return problem;
  return {};
}

template <class Inspector, class T>
typename Inspector::result_type inspect_sequence(Inspector& f, T& xs) {
  auto size = xs.size();
  if (auto problem = f.begin_sequence(size))
    return problem;
  if constexpr (Inspector::reads_state) {
    if (auto problem = inspect_each(f, xs))
      return problem;
  } else {
    xs.clear();
    for (; size > 0; --size) {
      typename T::value_type x;
      if (auto problem = inspect_value(f, x))
        return problem;
      xs.insert(xs.end(), std::move(x));
    }
  }
  return f.end_sequence();
}

template <class Inspector>
typename Inspector::result_type inspect_flags(
  Inspector& f, std::vector<bool>& xs) {
  if constexpr (!Inspector::reads_state) {
    xs.clear();
  } else if (dynamic_cast<unpacked_flags*>(&f) != nullptr) {
    std::vector<char> numbers(xs.begin(), xs.end());
    auto size = xs.size();
    if (auto problem = f.begin_sequence(size))
      return problem;
    if (auto problem = inspect_each(f, numbers))
      return problem;
    return f.end_sequence();
  }
  if (auto problem = f(xs))
    return problem;
  return f.end_sequence();
}

template <class Inspector, class T>
typename Inspector::result_type inspect_optional(Inspector& f, T& x) {
  auto has_value = static_cast<bool>(x);
  if (auto problem = f(has_value))
    return problem;
  if constexpr (!Inspector::reads_state)
    x = has_value ? T{typename T::type{}} : T{};
  if (!has_value)
    return {};
  return inspect_value(f, *x);
}

/// Passes a value to an inspector, with its lists of flags.
template <class Inspector, class T>
typename Inspector::result_type inspect_value(Inspector& f, T& x) {
  if constexpr (std::is_const_v<T>) {
    return inspect_value(f, const_cast<std::remove_const_t<T>&>(x));
  } else if constexpr (!has_flags<T, Inspector>()) {
    return f(x);
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    return inspect_flags(f, x);
  } else if constexpr (passed_as_tuple<T>) {
    typename Inspector::result_type result{};
    std::apply(
      [&](auto&... xs) {
        static_cast<void>(((result = inspect_value(f, xs)) || ...));
      },
      x);
    return result;
  } else if constexpr (passed_as_array<T>) {
    return inspect_each(f, x);
  } else if constexpr (passed_by_element<T, Inspector>) {
    return inspect_sequence(f, x);
  } else {
    return inspect_optional(f, x);
  }
}

/// Passes the members of an object to an inspector, one after the other.
template <class Inspector, class T, class... Members>
auto pass_members(Inspector& f, T&, Members&... members) {
  if constexpr (requires { f.end_sequence(); }) {
    typename Inspector::result_type result{};
    static_cast<void>(((result = inspect_value(f, members)) || ...));
    return result;
  } else {
    return f(members...);
  }
}

} // namespace caf::rosia::detail
