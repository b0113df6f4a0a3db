// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/time_span.hpp"

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace caf::rosia {

namespace detail {

template <class T>
inline constexpr bool is_duration = false;

template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = std::
  ratio_greater_equal_v<Period, std::nano>;

template <class T>
concept whole_number
  = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// Whether a parameter may have this type.
template <class T>
concept parameter_type
  = std::same_as<T, bool> || whole_number<T> || std::same_as<T, float> || std::
    same_as<T, double> || std::same_as<T, std::string> || is_duration<T>;

/// The type as which values of a type are read and rendered.
template <parameter_type T>
using wide_parameter = std::conditional_t<
  whole_number<T>,
  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
  std::conditional_t<
    std::floating_point<T>, double,
    std::conditional_t<is_duration<T>, std::chrono::nanoseconds, T>>>;

// Convert text to a value. They return false for other text, and for values
// that do not fit.

bool read_parameter(std::string_view from, bool& to);

bool read_parameter(std::string_view from, std::int64_t& to);

bool read_parameter(std::string_view from, std::uint64_t& to);

bool read_parameter(std::string_view from, double& to);

bool read_parameter(std::string_view from, std::string& to);

bool read_parameter(std::string_view from, std::chrono::nanoseconds& to);

// Render a value as text that `read_parameter` accepts.

std::string parameter_text(bool x);

std::string parameter_text(std::int64_t x);

std::string parameter_text(std::uint64_t x);

std::string parameter_text(float x);

std::string parameter_text(double x);

std::string parameter_text(const std::string& x);

std::string parameter_text(std::chrono::nanoseconds x);

/// Describes whole numbers from `least` to `most`.
std::string whole_numbers(const std::string& least, const std::string& most);

/// Describes the multiples of `step`.
std::string durations(std::chrono::nanoseconds step);

/// Returns the value with the type of a parameter; none if it does not fit.
template <parameter_type T>
std::optional<T> narrowed(const wide_parameter<T>& x) {
  if constexpr (whole_number<T>) {
    if (!std::in_range<T>(x))
      return std::nullopt;
    return static_cast<T>(x);
  } else if constexpr (is_duration<T>) {
    auto result = std::chrono::duration_cast<T>(x);
    if (!std::chrono::treat_as_floating_point_v<
          typename T::rep> && saturated(result) != x)
      return std::nullopt;
    return result;
  } else if constexpr (std::same_as<T, float>) {
    auto result = static_cast<float>(x);
    if (std::isfinite(x) && !std::isfinite(result))
      return std::nullopt;
    return result;
  } else {
    return x;
  }
}

/// Describes the values of a type.
template <parameter_type T>
std::string values_of_type() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::same_as<T, bool>)
    return "true or false";
  else if constexpr (whole_number<T>)
    return whole_numbers(parameter_text(wide_parameter<T>{limits::min()}),
                         parameter_text(wide_parameter<T>{limits::max()}));
  else if constexpr (std::floating_point<T>)
    return "a number";
  else if constexpr (is_duration<T>)
    return durations(
      std::chrono::treat_as_floating_point_v<typename T::rep>
        ? std::chrono::nanoseconds{1}
        : saturated(T{1}));
  else
    return "text";
}

} // namespace detail

/// The common part of all parameters.
class parameter_base : public member_base {
public:
  /// Returns a description of the values: "a number", "true or false".
  const std::string& values() const noexcept {
    return values_;
  }

  /// Returns the value as text.
  const std::string& text() const noexcept {
    return text_;
  }

  /// Returns the value in the code, as text.
  const std::string& initial_text() const noexcept {
    return initial_;
  }

protected:
  parameter_base(const detail::member_parent& parent, std::string name,
                 std::string values);

  ~parameter_base() = default;

  /// Returns the text that an option sets; null if none does.
  const std::string* setting() const noexcept;

  /// Completes the parameter.
  /// @param initial the value in the code.
  void note(std::string initial, std::string value);

  [[noreturn]] void refuse(const std::string& text) const;

private:
  std::string values_;
  std::string initial_;
  std::string text_;
};

/// A constant of a node, which the command line and the config file can set for
/// a run. It has its value as soon as it is constructed, so that the node's
/// other members and its constructor may use it.
///
/// ~~~
/// struct filter : rosia::node {
///   rosia::parameter<double> gain{this, "gain", 1.0};
///   rosia::input_port<double> in{this, "in"};
///   rosia::output_port<double> out{this, "out"};
///   rosia::reaction on_in{this, "on_in", {in}, [this] { out(gain * *in); }};
/// };
/// // program --set=filter.gain=2.5
/// ~~~
///
/// @tparam T `bool`, a whole number, `float`, `double`, `std::string`, or a
///   `std::chrono::duration`.
template <class T>
class parameter final : public parameter_base {
  static_assert(
    detail::parameter_type<T>,
    "a parameter is a bool, a whole number, a float, a double, a std::string "
    "or a std::chrono::duration");

public:
  using value_type = T;

  /// @param parent the node that the parameter is a member of: `this`.
  /// @param initial the value unless an option sets another one.
  /// @throws graph_error for an invalid name, for the name of another parameter
  /// of the node, or if an option sets a value of another type.
  template <class Node>
  parameter(Node* parent, std::string name, T initial)
    : parameter(
      detail::member_parent{parent}, std::move(name), std::move(initial)) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  explicit parameter(Name&&, Ts&&...)
    : parameter(detail::without_node<Name>(), std::string{}, T{}) {
    // nop
  }

  const T& operator*() const noexcept {
    return value_;
  }

  const T* operator->() const noexcept {
    return &value_;
  }

  operator const T&() const noexcept {
    return value_;
  }

private:
  parameter(const detail::member_parent& parent, std::string name, T initial)
    : parameter_base(parent, std::move(name), detail::values_of_type<T>()),
      value_(choose(initial)) {
    note(render(initial), render(value_));
  }

  T choose(const T& initial) const {
    auto* text = setting();
    if (text == nullptr)
      return initial;
    detail::wide_parameter<T> wide{};
    if (detail::read_parameter(*text, wide))
      if (auto result = detail::narrowed<T>(wide))
        return *result;
    refuse(*text);
  }

  static std::string render(const T& x) {
    if constexpr (std::same_as<T, float>)
      return detail::parameter_text(x);
    else if constexpr (detail::is_duration<T>)
      return detail::parameter_text(detail::saturated(x));
    else
      return detail::parameter_text(detail::wide_parameter<T>{x});
  }

  T value_;
};

} // namespace caf::rosia
