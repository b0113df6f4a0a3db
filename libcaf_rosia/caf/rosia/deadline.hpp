// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/deadline_limit.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/time_span.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace caf::rosia {

namespace detail {

struct reaction_parts;

/// In place of the handler of a deadline that has none.
struct no_handler {};

/// A type whose values are durations.
template <class T>
concept duration_type = std::convertible_to<const T&, time_span>;

/// Returns a limit that reads a state when it is needed. The state may not be
/// constructed yet.
template <duration_type T>
engine::deadline_limit limit_of(const state<T>& from) noexcept {
  const state_base* base = &from;
  auto read = [](const void* x) {
    auto* of = static_cast<const state_base*>(x);
    return std::int64_t{time_span(**static_cast<const state<T>*>(of)).count()};
  };
  auto name = [](const void* x) -> const std::string& {
    return static_cast<const state_base*>(x)->name();
  };
  return {0, base, read, name};
}

} // namespace detail

/// The deadline of a reaction, one of its options [10.3.1]. The reaction misses
/// it if physical time is `limit` or more past the reaction's tag when the
/// reaction is about to run because of its triggers. The handler then runs in
/// the reaction's place. It may do what the reaction may do, such as write
/// outputs and yield. Without a handler the reaction runs, and the node's log
/// has a warning, at most one a second.
///
/// ~~~
/// rosia::reaction on_frame{
///   this, "on_frame", {frame}, rosia::deadline{20ms, [this] { out(last); }},
///   [this] { out(last = analyze(frame)); }};
/// ~~~
///
/// A deadline limits the lag of a reaction, and does not change its turn. Where
/// a reaction resumes after a yield, its deadline is not checked.
template <class Handler = detail::no_handler>
class deadline {
public:
  /// @param limit a constant of 0 or more, or a state of the node whose values
  ///   are durations. Code may change the state's value; a negative value is an
  ///   error of the node when the reaction is about to run.
  /// @param fun a function without parameters that returns nothing or a `task`.
  /// The reaction throws `graph_error` if the constant is negative, or if the
  /// state is not declared before it in its node.
  deadline(time_span limit, Handler fun = {})
    : limit_{limit.count()}, handler_(std::move(fun)) {
    // nop
  }

  template <detail::duration_type T>
  deadline(const state<T>& limit, Handler fun = {})
    : limit_(detail::limit_of(limit)), handler_(std::move(fun)) {
    // nop
  }

private:
  friend struct detail::reaction_parts;

  engine::deadline_limit limit_;
  Handler handler_;
};

deadline(time_span)->deadline<>;

template <class Handler>
deadline(time_span, Handler) -> deadline<Handler>;

template <class T>
deadline(const state<T>&) -> deadline<>;

template <class T, class Handler>
deadline(const state<T>&, Handler) -> deadline<Handler>;

} // namespace caf::rosia
