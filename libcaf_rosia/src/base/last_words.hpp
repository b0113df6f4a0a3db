// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>

namespace caf::rosia::detail {

/// Limits the time for the process's last message: its output may have no
/// reader, so it ends with this status soon. Needs no thread and no memory.
void limit_last_words(int status);

/// Limits the time while the object exists: the process continues if the object
/// is destroyed in time. At most one exists at a time.
class last_words_limit {
public:
  explicit last_words_limit(int status);

  last_words_limit(const last_words_limit&) = delete;

  last_words_limit& operator=(const last_words_limit&) = delete;

  ~last_words_limit();

private:
  struct sigaction previous_ = {};
};

} // namespace caf::rosia::detail
