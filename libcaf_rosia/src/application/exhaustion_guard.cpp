// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/exhaustion_guard.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "base/write_all.hpp"
#include "compat/without_thread.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// If an allocation of this many bytes fails, the process is out of memory.
constexpr std::size_t little = 1 << 20;

/// The prepared messages, because composing them without memory would fail.
struct {
  std::string without_memory;
  std::string without_thread;
} texts;

/// The previous handler.
std::atomic<std::terminate_handler> next_terminate = nullptr;

[[noreturn]] void end_with(std::string_view text) noexcept {
  static std::atomic<bool> ending = false;
  if (ending.exchange(true))
    for (;;)
      ::pause(); // another thread prints the message
  limit_last_words(status_error);
  write_all(STDERR_FILENO, text);
  // Skip destructors, because other threads still use the objects.
  std::_Exit(status_error);
}

void on_no_memory() {
  if (auto* bytes = std::malloc(little)) {
    std::free(bytes);
    throw std::bad_alloc{};
  }
  end_with(texts.without_memory);
}

[[noreturn]] void on_terminate() {
  if (auto problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::bad_alloc&) {
      end_with(texts.without_memory);
    } catch (const std::system_error& e) {
      if (e.code() == std::errc::resource_unavailable_try_again)
        end_with(texts.without_thread);
    } catch (...) {
      // Leave it to the next handler.
    }
  }
  if (auto next = next_terminate.load())
    next();
  std::abort();
}

} // namespace

exhaustion_guard::exhaustion_guard(const std::string& program) {
  auto problem = text_of(std::system_error{
    std::make_error_code(std::errc::resource_unavailable_try_again)});
  texts.without_memory
    = program
      + ": out of memory: raise the limit (ulimit -v, or memory.max of the "
        "control group), or let the program need less\n";
  texts.without_thread = program + ": " + problem + '\n';
  without_memory_ = std::get_new_handler();
  if (without_memory_ == nullptr)
    std::set_new_handler(on_no_memory);
  next_terminate = std::get_terminate();
  std::set_terminate(on_terminate);
}

exhaustion_guard::~exhaustion_guard() {
  // The program may have installed other handlers.
  if (std::get_terminate() == on_terminate)
    std::set_terminate(next_terminate);
  if (std::get_new_handler() == on_no_memory)
    std::set_new_handler(without_memory_);
}

} // namespace caf::rosia::detail
