// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/digest.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/ref_counted.hpp>

#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

namespace caf::rosia::engine {

/// A payload whose type the engine does not know: immutable once it is sent,
/// shared by all who hold it, from any thread.
class value : public caf::ref_counted {
public:
  ~value() override;

  /// The payload's type.
  virtual const std::type_info& type() const noexcept = 0;

  /// A number that is equal for equal payloads, for traces; none if CAF cannot
  /// serialise the type.
  virtual std::optional<std::uint64_t> digest() const = 0;
};

/// A share of a payload.
using value_ptr = caf::intrusive_ptr<const value>;

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

  std::optional<std::uint64_t> digest() const override {
    return detail::digest(content);
  }

  const T content;
};

/// The human-readable name of a type.
std::string type_name(const std::type_info& type);

} // namespace caf::rosia::engine
