// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "arena.hpp"
#include "explored_application.hpp"

#include <functional>
#include <memory>

namespace engine_test {

using application_factory
  = std::function<std::unique_ptr<explored_application>()>;

/// An application that can be restored to an earlier state. Nodes of the engine
/// cannot be copied, so all memory is in an arena. One at a time per thread.
class restorable_application {
public:
  explicit restorable_application(const application_factory& make);

  restorable_application(const restorable_application&) = delete;

  restorable_application& operator=(const restorable_application&) = delete;

  ~restorable_application();

  /// Performs an event. @pre It is possible.
  /// @throws broken_rule
  void perform(explored_application::event x);

  void save(arena::snapshot& into) const {
    memory_.save(into);
  }

  /// @param from a snapshot of this application.
  void restore(const arena::snapshot& from) {
    memory_.restore(from);
  }

  // Only functions that are constant, or that change nothing but the caller's
  // data.

  explored_application* operator->() noexcept {
    return app_.get();
  }

  explored_application& operator*() noexcept {
    return *app_;
  }

private:
  template <class Fun>
  void change(Fun&& fun);

  arena memory_;
  std::unique_ptr<explored_application> app_;
};

} // namespace engine_test
