// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/compat.hpp"

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/serializer.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

namespace caf::rosia::engine {

/// A payload whose type the engine does not know: immutable once it is sent,
/// shared by all who hold it, from any thread.
class value {
public:
  value() noexcept = default;

  value(const value&) = delete;

  value& operator=(const value&) = delete;

  virtual ~value();

  /// The payload's type.
  virtual const std::type_info& type() const noexcept = 0;

  /// Writes the payload as CAF does. @returns an error if CAF cannot.
  virtual caf::error save(caf::serializer& to) const = 0;

  /// A number that is equal for equal payloads, for traces: the hash of what
  /// CAF would put on the wire; none if it cannot be serialised.
  std::optional<std::uint64_t> digest() const;

protected:
  static caf::error not_serializable();

private:
  friend class value_ptr;

  void share() const noexcept {
    shares_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Destroys it with the last share. The holder of the only share finds out
  /// without a locked instruction.
  void drop_share() const noexcept {
    if (shares_.load(std::memory_order_acquire) == 1
        || shares_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  mutable std::atomic<std::size_t> shares_{1};
};

/// A share of a payload. CAF's own pointer does the same, and takes long to
/// compile.
class value_ptr {
public:
  constexpr value_ptr(std::nullptr_t = nullptr) noexcept {
    // nop
  }

  /// Takes the first share over.
  explicit value_ptr(const value* x) noexcept : x_(x) {
    // nop
  }

  value_ptr(const value_ptr& other) noexcept : x_(other.x_) {
    if (x_ != nullptr)
      x_->share();
  }

  value_ptr(value_ptr&& other) noexcept : x_(std::exchange(other.x_, nullptr)) {
    // nop
  }

  value_ptr& operator=(value_ptr other) noexcept {
    std::swap(x_, other.x_);
    return *this;
  }

  ~value_ptr() {
    if (x_ != nullptr)
      x_->drop_share();
  }

  const value* get() const noexcept {
    return x_;
  }

  const value& operator*() const noexcept {
    return *x_;
  }

  const value* operator->() const noexcept {
    return x_;
  }

  explicit operator bool() const noexcept {
    return x_ != nullptr;
  }

  friend bool operator==(const value_ptr&, const value_ptr&) noexcept = default;

private:
  const value* x_ = nullptr;
};

/// A payload of type `T`: the one allocation that a message costs.
template <class T>
class box final : public value {
public:
  template <class... Ts>
  explicit box(std::in_place_t, Ts&&... xs) : content(std::forward<Ts>(xs)...) {
    // nop
  }

  const std::type_info& type() const noexcept override {
    return typeid(T);
  }

  caf::error save(caf::serializer& to) const override {
    // CAF 0.17 would forget the error.
    if constexpr (std::same_as<T, caf::message>)
      return content.save(to);
    else if constexpr (detail::is_serializable<T>)
      return to(content);
    else
      return not_serializable();
  }

  const T content;
};

/// Makes a payload of type `T`.
template <class T, class... Ts>
value_ptr make_value(Ts&&... xs) {
  return value_ptr{new box<T>(std::in_place, std::forward<Ts>(xs)...)};
}

/// Describes the type of a port's payloads.
struct payload_type {
  const std::type_info* info;

  /// Reads a payload as CAF writes it. Null if it cannot come from another
  /// process: CAF cannot serialise the type, or it has no default constructor.
  value_ptr (*load)(caf::deserializer& from, caf::error& problem);
};

/// The payloads of type `T`.
template <class T>
const payload_type& payload_type_of() noexcept {
  if constexpr (detail::is_serializable<
                  T> && std::default_initializable<T> && std::movable<T>) {
    static constexpr payload_type result{
      &typeid(T),
      [](caf::deserializer& from, caf::error& problem) -> value_ptr {
        T content{};
        if constexpr (std::same_as<T, caf::message>)
          problem = content.load(from);
        else
          problem = from(content);
        if (problem)
          return nullptr;
        return make_value<T>(std::move(content));
      }};
    return result;
  } else {
    static constexpr payload_type result{&typeid(T), nullptr};
    return result;
  }
}

} // namespace caf::rosia::engine
