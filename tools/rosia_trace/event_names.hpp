// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <string_view>

namespace rosia_trace {

/// The names of `event_kind`, in its order.
inline constexpr std::array<std::string_view, 40> kind_names{
  "application", "node",     "connection", "start",      "execute", "resume",
  "input",       "schedule", "action",     "reaction",   "ran",     "send",
  "promise",     "drop",     "request",    "asked",      "answer",  "final",
  "final_taken", "error",    "aborted",    "shutdown",   "exit",    "group",
  "end",         "resumed",  "restored",   "in_transit", "pending", "missed",
  "withdraw",    "watchdog", "expire",     "running",    "tardy",   "done",
  "mode",        "visited",  "suspended",  "continue",
};

/// The names of `member`, in its order.
inline constexpr std::array<std::string_view, 43> member_names{
  "event",    "format",  "version",   "realtime",    "stop_after", "node",
  "inputs",   "outputs", "reactions", "from",        "to",         "delay",
  "physical", "elapsed", "tag",       "stat",        "reaction",   "port",
  "digest",   "arrival", "reason",    "proposal",    "status",     "what",
  "how",      "process", "started",   "group",       "actions",    "action",
  "due",      "began",   "ended",     "checkpoints", "left",       "deadline",
  "replay",   "expiry",  "wait",      "last",        "history",    "active",
  "before",
};

} // namespace rosia_trace
