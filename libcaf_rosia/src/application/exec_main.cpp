// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/exec_main.hpp"

#include "base/checkpoint_signal.hpp"
#include "base/exception_text.hpp"
#include "base/exit_status.hpp"
#include "base/held_signal.hpp"
#include "base/last_words.hpp"
#include "base/signal_mask.hpp"
#include "base/standard_streams.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "compat/start_system.hpp"
#include "distributed/local_processes.hpp"
#include "distributed/role.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

/// Prints the reason, within a time limit because stderr may have no reader.
void say(const std::string& program, int status, std::string_view reason) {
  last_words_limit limit{status};
  std::cerr << program << ": " << reason << std::endl;
}

// Calls `f`; an exception becomes a line on stderr and the status.
template <class F>
int guarded(const std::string& program, int status, F f) noexcept {
  try {
    return f();
  } catch (...) {
    say(program, status, current_exception_text());
  }
  return status;
}

/// If an allocation of this many bytes fails, the process is out of memory.
constexpr std::size_t little = 1 << 20;

/// Ends the process if it is out of memory. CAF would leave its work half done,
/// and other threads would wait for that forever.
void on_no_memory() {
  if (auto* bytes = std::malloc(little)) {
    std::free(bytes);
    throw std::bad_alloc{};
  }
  end_process(status_error, "out of memory: raise the limit (ulimit -v, or "
                            "memory.max of the control group)\n");
}

/// Holds signals that may arrive before the application's options are known,
/// and the signals of failed writes.
class early_signals {
public:
  early_signals() : report_(SIGUSR1), pipe_(SIGPIPE), file_size_(SIGXFSZ) {
    for (auto& [name, number] : checkpoint_signals)
      checkpoint_.emplace_back(number, held_signal{number});
  }

  /// Releases the signals that the application does not handle, so that they
  /// have their default effect.
  void settle(const options& opts) {
    auto handles = opts.signals == signal_behavior::handle;
    if (handles)
      for (auto signal : {SIGINT, SIGTERM, SIGUSR1})
        unblock_signal(signal);
    else
      report_.release();
    for (auto* held : {&pipe_, &file_size_})
      if (opts.signals == signal_behavior::none)
        held->release();
    auto wanted = checkpoint_signal_number(opts.checkpoint.signal);
    for (auto& [number, held] : checkpoint_)
      if (handles && number == wanted)
        held.keep(); // for a signal after the application's end
      else
        held.release();
  }

private:
  held_signal report_;
  held_signal pipe_;
  held_signal file_size_;
  std::vector<std::pair<int, held_signal>> checkpoint_;
};

/// Destroys the system when its actors have ended. Its threads do not end if
/// the program has closed one of CAF's descriptors.
void stop_system(
  const std::string& program, std::optional<caf::actor_system>& sys,
  std::chrono::nanoseconds limit) {
  if (sys->await_actors_before_shutdown())
    sys->await_all_actors_done();
  end_limit late{status_deadline, limit,
                 program + ": " + late_stop_text(limit, status_deadline)};
  sys.reset();
}

void refuse_arguments(const config& cfg) {
  if (!cfg.remainder.empty())
    throw std::invalid_argument(
      "unexpected argument \"" + cfg.remainder.front()
      + "\" (options start with --, and --help "
        "lists them)");
}

} // namespace

int main_program::operator()(int argc, const char* const* argv) const noexcept {
  open_standard_streams();
  std::string name = "main";
  std::unique_ptr<config> cfg;
  early_signals signals;
  std::chrono::nanoseconds grace{0};
  auto usage = guarded(name, status_usage, [&] {
    if (argc > 0)
      name = std::filesystem::path{argv[0]}.filename().string();
    cfg = make_config();
    cfg->read(argc, argv);
    if (!takes_arguments)
      refuse_arguments(*cfg);
    if (cfg->cli_helptext_printed)
      return status_ok;
    auto opts = options_from(*cfg);
    signals.settle(opts);
    grace = opts.grace_period;
    prepare(*cfg, std::move(opts));
    return status_ok;
  });
  if (usage != status_ok || cfg->cli_helptext_printed)
    return usage;
  return guarded(name, status_error, [&] {
    if (std::get_new_handler() == nullptr)
      std::set_new_handler(on_no_memory);
    event_descriptor witness;
    std::optional<caf::actor_system> sys;
    start_system(sys, *cfg);
    // Destroying the system waits for its actors, so print the reason before.
    auto status = guarded(name, status_error, [&] { return run(*sys, *cfg); });
    // CAF would wait forever if its descriptors were closed, too.
    witness.require_open();
    // Failures of the other processes count, even after the application's end.
    auto all_well = local_processes::finish(status == status_ok);
    // Afterwards a failed write has its default effect again.
    std::cout.flush();
    stop_system(name, sys, grace);
    return status == status_ok && !all_well ? status_error : status;
  });
}

} // namespace caf::rosia::detail
