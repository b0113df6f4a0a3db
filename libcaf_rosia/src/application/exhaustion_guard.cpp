// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/exhaustion_guard.hpp"

#include "base/exception_text.hpp"
#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "base/write_all.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// If an allocation of this many bytes fails, the process is out of memory.
constexpr std::size_t little = 1 << 20;

std::string program_name;

/// The prepared messages, because composing them without memory would fail.
std::string without_memory;
std::string without_thread;

std::atomic<bool> starting = false;

std::terminate_handler next_terminate = nullptr;

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
  end_with(without_memory);
}

/// Ends the process if its actor system did not start.
void end_start() {
  if (starting)
    end_with(program_name + ": " + current_exception_text() + '\n');
}

[[noreturn]] void on_terminate() {
  try {
    if (auto problem = std::current_exception())
      std::rethrow_exception(problem);
  } catch (const std::bad_alloc&) {
    end_with(without_memory);
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again)
      end_with(without_thread);
    end_start();
  } catch (...) {
    end_start();
  }
  next_terminate();
  std::abort();
}

} // namespace

std::string text_of(const std::system_error& x) {
  std::string result = exception_text(x);
  if (x.code() == std::errc::resource_unavailable_try_again)
    result
      += "; it takes another thread: raise the limit for processes and "
         "threads (ulimit -u, or pids.max of the control group), or the "
         "one for memory (ulimit -v)";
  if (x.code() == std::errc::too_many_files_open
      || x.code() == std::errc::too_many_files_open_in_system)
    result += "; raise the limit for open files (ulimit -n)";
  return result;
}

exhaustion_guard::exhaustion_guard(const std::string& program) {
  program_name = program;
  without_memory
    = program
      + ": out of memory: raise the limit (ulimit -v, or memory.max of the "
        "control group), or let the program need less\n";
  without_thread
    = program + ": "
      + text_of(std::system_error{
        std::make_error_code(std::errc::resource_unavailable_try_again)})
      + '\n';
  starting = true;
  if (std::get_new_handler() == nullptr)
    std::set_new_handler(on_no_memory);
  next_terminate = std::set_terminate(on_terminate);
}

exhaustion_guard::~exhaustion_guard() {
  // The program may have installed other handlers.
  if (std::get_terminate() == on_terminate)
    std::set_terminate(next_terminate);
  if (std::get_new_handler() == on_no_memory)
    std::set_new_handler(nullptr);
}

void exhaustion_guard::started() noexcept {
  starting = false;
}

} // namespace caf::rosia::detail
