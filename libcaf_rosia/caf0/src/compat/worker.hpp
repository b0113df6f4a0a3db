// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>

namespace caf::rosia::detail {

/// CAF's type of the place where an actor runs.
using worker = caf::execution_unit;

/// A job for CAF's scheduler that is not an actor. Reference counted. Tests:
/// test/application/groups_test.cpp.
class counted_job : public caf::ref_counted, public caf::resumable {
public:
  void intrusive_ptr_add_ref_impl() final {
    ref();
  }

  void intrusive_ptr_release_impl() final {
    deref();
  }
};

} // namespace caf::rosia::detail
