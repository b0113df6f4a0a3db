// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>
#include <caf/fwd.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>

namespace caf::rosia::detail {

/// CAF's type of the place where an actor runs.
#if CAF_MAJOR_VERSION >= 1
using worker = caf::scheduler;
#else
using worker = caf::execution_unit;
#endif

/// A job for CAF's scheduler that is not an actor. Reference counted.
class counted_job : public caf::ref_counted, public caf::resumable {
public:
#if CAF_MAJOR_VERSION >= 1
  void ref_resumable() const noexcept final {
    ref();
  }

  void deref_resumable() const noexcept final {
    deref();
  }
#else
  void intrusive_ptr_add_ref_impl() final {
    ref();
  }

  void intrusive_ptr_release_impl() final {
    deref();
  }
#endif
};

} // namespace caf::rosia::detail
