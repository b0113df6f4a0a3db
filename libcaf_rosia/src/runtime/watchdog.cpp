// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/watchdog.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "caf/rosia/detail/sending.hpp"

#include <spdlog/logger.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace caf::rosia::detail {

// -- the coordinator ----------------------------------------------------------

void watchdog::expect_pong() {
  if (!run_->actors().coordinator())
    return;
  auto number = ++pings_;
  send_anonymously(run_->actors().coordinator(), ping{number});
  expect([this, number] { return pong_.load() >= number; });
}

// -- the log ------------------------------------------------------------------

void watchdog::log(spdlog::level::level_enum level, const std::string& text) {
  auto done = std::make_shared<std::atomic<bool>>(false);
  expect([done] { return done->load(); });
  run_->coordinator_log().log(level, "{}", text);
  *done = true;
}

// -- nodes --------------------------------------------------------------------

void watchdog::expect_exits(std::function<void()> give_up) {
  run_->time().deadline_at(deadline(), [this, give_up = std::move(give_up)] {
    if (run_->progress().exits.all_have_left())
      return;
    limit_last_words(status_deadline);
    run_->coordinator_log().critical(
      "nodes of this process did not end within grace_period ({})",
      time_text(run_->opts().grace_period));
    give_up();
  });
}

// -- implementation -----------------------------------------------------------

std::int64_t watchdog::deadline() const {
  return run_->time().elapsed_in(
    run_->opts().grace_period + patience_after_grace_period);
}

void watchdog::expect(std::function<bool()> check) {
  run_->time().deadline_at(deadline(), [check = std::move(check)] {
    if (!check())
      std::_Exit(status_deadline);
  });
}

} // namespace caf::rosia::detail
