// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"

#include <cstdint>
#include <string>
#include <typeinfo>

namespace caf::rosia {

/// The common part of the members of a node: ports, actions, states, reactions.
class member_base {
public:
  member_base(const member_base&) = delete;

  member_base& operator=(const member_base&) = delete;

  /// Returns the member's name within its node.
  const std::string& name() const noexcept {
    return name_;
  }

  /// Returns the node that the member belongs to.
  node* parent() const noexcept {
    return parent_;
  }

  /// Returns the member's index among the members of its kind in its node.
  std::uint32_t index() const noexcept {
    return index_;
  }

protected:
  member_base(const detail::member_parent& parent, std::string name);

  ~member_base() = default;

  /// Checks the name, and adds the member to those of its kind in its node.
  /// @param self this object.
  template <class Members>
  void join(const char* kind, Members& members,
            typename Members::value_type self);

private:
  node* parent_;
  std::string name_;
  std::uint32_t index_ = 0;
};

/// The common part of the members that have values: ports, actions, states.
class typed_member : public member_base {
public:
  /// Returns the type of its values.
  const std::type_info& type() const noexcept {
    return *type_->info;
  }

protected:
  typed_member(const detail::member_parent& parent, std::string name,
               const engine::payload_type& type);

  ~typed_member() = default;

private:
  friend struct detail::member_access;

  const engine::payload_type* type_;
};

} // namespace caf::rosia
