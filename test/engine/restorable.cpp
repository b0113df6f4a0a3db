// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "restorable.hpp"

#include "fingerprint.hpp"

#include <exception>
#include <string>
#include <utility>

namespace engine_test {

restorable_application::restorable_application(
  const application_factory& make) {
  change([&] {
    own_ = std::make_unique<engine::scratch>();
    app_ = make();
  });
}

restorable_application::~restorable_application() {
  // nop
}

void restorable_application::perform(explored_application::event x) {
  change([&] {
    // Shared memory of nodes belongs to the code outside.
    auto& shared = scratch_of_this_thread();
    std::swap(shared, *own_);
    try {
      app_->perform(x);
    } catch (...) {
      std::swap(shared, *own_);
      throw;
    }
    std::swap(shared, *own_);
  });
}

template <class Fun>
void restorable_application::change(Fun&& fun) {
  std::string mistake;
  try {
    arena::scope inside{memory_};
    fun();
    return;
  } catch (const std::exception& e) {
    // The exception object is in the arena, which may be restored soon.
    mistake = e.what();
  }
  throw broken_rule(mistake);
}

} // namespace engine_test
