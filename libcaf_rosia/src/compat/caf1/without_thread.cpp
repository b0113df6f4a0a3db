// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/without_thread.hpp"

#include "base/last_words.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

namespace caf::rosia::detail {

namespace {

constexpr int status_error = 1;

/// Begins the message; what it is for has no end.
std::string& program_name() {
  static auto* result = new std::string;
  return *result;
}

/// CAF's constructor destroys threads that run if another one is missing, which
/// nobody can catch.
[[noreturn]] void end_start() noexcept {
  limit_last_words(status_error);
  std::string reason = text_of(std::system_error{
    std::make_error_code(std::errc::resource_unavailable_try_again)});
  std::cerr << program_name() << ": cannot start the actor system: " << reason
            << std::endl;
  std::_Exit(status_error);
}

} // namespace

void guard_modules(caf::actor_system_config&, const std::string& program) {
  program_name() = program;
}

start_guard::start_guard() : before_(std::set_terminate(end_start)) {
  // nop
}

start_guard::~start_guard() {
  std::set_terminate(before_);
}

void launch_detached(caf::actor_system& sys, caf::local_actor& self) {
  try {
    self.launch(launcher_of(sys), false, false);
  } catch (const std::system_error&) {
    self.unregister_from_system();
    throw;
  }
}

} // namespace caf::rosia::detail
