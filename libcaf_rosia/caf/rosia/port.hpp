// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/time_span.hpp"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia {

namespace detail {

struct physical_action_options;

} // namespace detail

// -- tags ---------------------------------------------------------------------

/// The type of `physical`.
struct physical_t {};

/// Marks a connection as physical: the receiver's clock determines the tags of
/// its values.
inline constexpr physical_t physical{};

/// The kind of a physical connection that keeps the latest values, see
/// `keep_latest`.
struct keep_latest_t {
  std::uint32_t count;
};

/// Returns the kind of a physical connection that never delays its sender and
/// keeps the latest values. At most `count` values wait for a tag; a further
/// value replaces the oldest. The dropped values are counted.
/// @param count at least 1; otherwise the connection is refused.
constexpr keep_latest_t keep_latest(std::uint32_t count) noexcept {
  return {count};
}

/// The kind of a connection with a maximal wait, see `maxwait`.
struct maxwait_t {
  time_span wait;
};

/// Returns the kind of a logical connection whose receiver waits at most `wait`
/// of physical time for a late sender [10.10.1]. A value that arrives later
/// than its receiver could wait is tardy: the receiver stamps it like a
/// physical value, see `input_port::is_tardy`.
/// @param wait not negative; otherwise the connection is refused.
constexpr maxwait_t maxwait(time_span wait) noexcept {
  return {wait};
}

/// The type of `optional_input`.
struct optional_input_t {};

/// Marks an input port that may be left unconnected. A reaction that never runs
/// because its triggers are such ports causes no warning.
inline constexpr optional_input_t optional_input{};

/// A promise about the next write, see `output_promise`.
struct output_promise_t {
  delay until_next;
};

/// Promises that an output is not written before the current tag + `d`, so that
/// its receivers need not wait for it. A write that breaks the promise is an
/// error of the node.
constexpr output_promise_t output_promise(const delay& d) noexcept {
  return {d};
}

// -- values -------------------------------------------------------------------

/// An immutable value that nodes of a process share instead of copying it.
template <class T>
class shared_value {
public:
  /// Moves a value into shared memory, unless it is small.
  explicit shared_value(T content)
    : content_(engine::make_value<T>(std::move(content))) {
    // nop
  }

  /// @pre `content` is a `T`.
  explicit shared_value(engine::value content) noexcept
    : content_(std::move(content)) {
    // nop
  }

  const T& operator*() const& noexcept {
    return content_.get<T>();
  }

  /// A temporary returns a small value as a copy.
  std::conditional_t<engine::is_small_payload<T>, T, const T&> operator*()
    const&& noexcept {
    return content_.get<T>();
  }

  const T* operator->() const noexcept {
    return &**this;
  }

  const engine::value& content() const noexcept {
    return content_;
  }

private:
  engine::value content_;
};

/// The values of one input at one tag: a random-access view.
template <class T>
class port_values {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    iterator() noexcept = default;

    explicit iterator(const engine::value* at) noexcept : at_(at) {
      // nop
    }

    reference operator*() const noexcept {
      return at_->get<T>();
    }
    pointer operator->() const noexcept {
      return &**this;
    }
    reference operator[](difference_type n) const noexcept {
      return *(*this + n);
    }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      return iterator{at_++};
    }
    iterator& operator--() noexcept {
      --at_;
      return *this;
    }
    iterator operator--(int) noexcept {
      return iterator{at_--};
    }
    iterator& operator+=(difference_type n) noexcept {
      at_ += n;
      return *this;
    }
    iterator& operator-=(difference_type n) noexcept {
      at_ -= n;
      return *this;
    }
    friend iterator operator+(iterator x, difference_type n) noexcept {
      return iterator{x.at_ + n};
    }
    friend iterator operator+(difference_type n, iterator x) noexcept {
      return x + n;
    }
    friend iterator operator-(iterator x, difference_type n) noexcept {
      return iterator{x.at_ - n};
    }
    friend difference_type operator-(iterator x, iterator y) noexcept {
      return x.at_ - y.at_;
    }
    friend auto operator<=>(const iterator&,
                            const iterator&) noexcept = default;

  private:
    const engine::value* at_ = nullptr;
  };

  explicit port_values(std::span<const engine::value> values) noexcept
    : values_(values) {
    // nop
  }

  std::size_t size() const noexcept {
    return values_.size();
  }

  bool empty() const noexcept {
    return values_.empty();
  }

  const T& operator[](std::size_t index) const noexcept {
    return begin()[static_cast<std::ptrdiff_t>(index)];
  }

  const T& front() const noexcept {
    return (*this)[0];
  }

  const T& back() const noexcept {
    return (*this)[size() - 1];
  }

  iterator begin() const noexcept {
    return iterator{values_.data()};
  }

  iterator end() const noexcept {
    return iterator{values_.data() + values_.size()};
  }

private:
  std::span<const engine::value> values_;
};

// -- inputs -------------------------------------------------------------------

/// The common part of all input ports.
class input_port_base : private engine::input, public typed_member {
public:
  /// Returns whether it is a physical action.
  bool is_physical() const noexcept {
    return physical_;
  }

  /// Returns whether it may be left unconnected.
  bool is_optional() const noexcept {
    return optional_;
  }

  /// Returns whether there is a value, of this tag or an earlier one.
  /// @throws std::logic_error if the calling reaction declares the ports that
  /// it reads, and not this one. In the node's code this is an error of the
  /// node, for all functions that read the port.
  bool has_value() const {
    return !values.empty() || (guarded && !readable().values.empty());
  }

  /// Returns whether there is a value of the current tag.
  bool is_present() const {
    return present || (guarded && readable().present);
  }

  /// Returns whether a value of the current tag is tardy: it arrived over a
  /// connection with a maximal wait, and too late for its own tag [10.10.1].
  /// A tag has at most one tardy value. Only for the node's reactions.
  bool is_tardy() const {
    return is_present() && intended_tag() != nullptr;
  }

  /// Returns the tag that the sender meant for the tardy value of the current
  /// tag; the current tag if no value is tardy. Only for the node's reactions.
  logical_time intended() const;

protected:
  enum class kind : std::uint8_t { plain, from_outside, may_lack };

  input_port_base(const detail::member_parent& parent, std::string name,
                  const engine::payload_type& type, kind mode);

  ~input_port_base() = default;

  /// Returns the last value.
  /// @throws std::logic_error if there is none.
  const engine::value& last() const {
    if (values.size() == 1)
      return values.only();
    if (values.empty())
      return guarded_last();
    return values.back();
  }

  /// Returns all values of the current tag.
  std::span<const engine::value> present_values() const {
    if (present)
      return {values.data(), values.size()};
    if (!guarded)
      return {};
    auto& from = readable();
    return {from.values.data(), from.present ? from.values.size() : 0};
  }

  /// Sets options of a physical action.
  void set(const detail::physical_action_options& x);

  /// Adds a value to the queue of a physical action.
  bool offer(engine::value content);

private:
  friend struct detail::member_access;

  [[noreturn]] void throw_no_value() const;

  /// Returns the state that the engine uses in place of that of the port.
  /// @pre `guarded`
  const engine::input& readable() const;

  /// Returns the intended tag of the tardy value of the current tag; null if
  /// there is none.
  const logical_time* intended_tag() const;

  /// Returns the last value if the port is guarded.
  const engine::value& guarded_last() const;

  bool physical_;
  bool optional_;
  std::atomic<std::uint32_t> waiting_{0}; // values of a physical action
};

/// An input of a node. A port keeps its last value until the next one arrives
/// [3.4]. Only the node's own reactions may read it.
template <class T>
class input_port : public input_port_base {
public:
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                "the type of a port must be a plain type: values are immutable "
                "and shared anyway");

  using value_type = T;

  /// @param parent the node that the port is a member of: `this`.
  /// @throws graph_error for an invalid or duplicate name, or if a reaction
  /// that was declared earlier has it as a trigger.
  template <class Node>
  input_port(Node* parent, std::string name)
    : input_port(detail::member_parent{parent}, std::move(name), kind::plain) {
    // nop
  }

  /// Makes a port that may be left unconnected.
  template <class Node>
  input_port(Node* parent, std::string name, optional_input_t)
    : input_port(
      detail::member_parent{parent}, std::move(name), kind::may_lack) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <class Name>
    requires(!std::derived_from<std::remove_cvref_t<Name>, input_port_base>)
  explicit input_port(Name&&)
    : input_port(detail::without_node<Name>(), std::string{}, kind::plain) {
    // nop
  }

  /// Returns the value; the last one if the tag has several. The reference is
  /// valid until the reaction ends or yields. Use `value()` to keep the value
  /// for longer.
  /// @throws std::logic_error if no value has arrived yet.
  const T& operator*() const {
    return last().template get<T>();
  }

  const T* operator->() const {
    return &**this;
  }

  /// Returns the value in a form that can be kept or sent without a copy.
  /// @throws std::logic_error if no value has arrived yet.
  shared_value<T> value() const {
    return shared_value<T>{last()};
  }

  /// Returns all values of the current tag, in the declaration order of their
  /// connections [2.3]. Valid until the reaction ends or yields.
  port_values<T> all() const {
    return port_values<T>{present_values()};
  }

protected:
  input_port(const detail::member_parent& parent, std::string name, kind mode)
    : input_port_base(
      parent, std::move(name), engine::payload_type_of<T>(), mode) {
    // nop
  }
};

// -- outputs ------------------------------------------------------------------

/// The common part of all output ports.
class output_port_base : private engine::output, public typed_member {
public:
  using member_base::index; // not that of the engine

  /// Promises that the port is not written before the current tag + `d`. Only
  /// for reactions and `start()`.
  /// @throws std::logic_error if it is called from elsewhere, or for a negative
  /// delay.
  void promise(const delay& d);

protected:
  output_port_base(const detail::member_parent& parent, std::string name,
                   const engine::payload_type& type);

  ~output_port_base() = default;

  void write(const engine::value& content);

private:
  friend struct detail::member_access;

  /// Writes the port if reactions declare the ports that they write.
  void write_guarded(const engine::value& content);
};

/// An output of a node. Only the node's own reactions and `start()` may write
/// it, at most once per tag.
template <class T>
class output_port : public output_port_base {
public:
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                "the type of a port must be a plain type: values are immutable "
                "and shared anyway");

  using value_type = T;

  using output_port_base::promise;

  /// @param parent the node that the port is a member of: `this`.
  /// @throws graph_error for an invalid or duplicate name.
  template <class Node>
  output_port(Node* parent, std::string name)
    : output_port(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <class Name>
    requires(!std::derived_from<std::remove_cvref_t<Name>, output_port_base>)
  explicit output_port(Name&&)
    : output_port(detail::without_node<Name>(), std::string{}) {
    // nop
  }

  /// Sends a value at the current tag.
  /// @throws std::logic_error for a second write at one tag, a write that
  /// breaks a promise, a write by a reaction that declares the ports that it
  /// writes, and not this one, or a write that is not in a reaction or
  /// `start()`. In the node's code this is an error of the node.
  void operator()(T x) {
    if constexpr (engine::is_small_payload<T>) {
      const engine::small_value<T> content{x};
      write(content.get());
    } else {
      write(engine::make_value<T>(std::move(x)));
    }
  }

  /// Sends a value, and promises the earliest tag of the next one.
  void operator()(T x, output_promise_t next) {
    (*this)(std::move(x));
    promise(next.until_next);
  }

  /// Sends a shared value, without a copy.
  void operator()(const shared_value<T>& x) {
    write(x.content());
  }

  void operator()(const shared_value<T>& x, output_promise_t next) {
    (*this)(x);
    promise(next.until_next);
  }

  /// Sends an input's value, without a copy.
  void operator()(const input_port<T>& x) {
    (*this)(x.value());
  }

  void operator()(const input_port<T>& x, output_promise_t next) {
    (*this)(x.value(), next);
  }

private:
  output_port(const detail::member_parent& parent, std::string name)
    : output_port_base(parent, std::move(name), engine::payload_type_of<T>()) {
    // nop
  }
};

} // namespace caf::rosia
