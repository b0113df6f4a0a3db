// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>

namespace caf::rosia::detail {

/// The process is about to end with this status, and says why: soon it ends in
/// any case, because nobody may read that. Needs no thread, and no memory.
void limit_last_words(int status);

/// The same for as long as it lives, for what may end in time: the process goes
/// on then. One at a time.
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
