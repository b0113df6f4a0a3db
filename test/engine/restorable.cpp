// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "restorable.hpp"

#include "engine/scratch.hpp"

#include <exception>
#include <string>

namespace engine_test {

restorable_application::restorable_application(
  const application_factory& make) {
  change([&] { app_ = make(); });
}

restorable_application::~restorable_application() {
  // nop
}

void restorable_application::perform(explored_application::event x) {
  change([&] { app_->perform(x); });
}

template <class Fun>
void restorable_application::change(Fun&& fun) {
  std::string mistake;
  // The shared scratch belongs to the code outside. While it is lent, a node
  // makes one of its own, in the arena.
  engine::scratch* shared = nullptr;
  engine::scratch::lease lent{shared};
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
