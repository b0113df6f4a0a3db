// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Actor systems of one program in place of the processes of an application.
// They share nothing, and communicate over the loopback device.

#pragma once

#include "caf/rosia/config.hpp"
#include "caf/rosia/multiplexer.hpp"
#include "caf/rosia/options.hpp"

#include "caf_version.hpp"

#include <caf/io/middleman.hpp>

#include <string>

namespace test {

struct process_config : caf::rosia::config {
  process_config() {
    caf::rosia::load_multiplexer(*this);
    set_caf_option(*this, "scheduler.max-threads", 2);
    set_caf_option(*this, "middleman.workers", 0);
  }
};

/// Makes an application one process of several, without TLS.
/// @param name its name; `coordinator`, which listens at `address`, is one of
/// them.
/// @param others names of all processes except the coordinator.
inline void take_part(caf::rosia::options& opts, const std::string& name,
                      const std::string& coordinator, const std::string& others,
                      const std::string& address) {
  opts.network.insecure = true;
  opts.network.process = name;
  if (name == coordinator) {
    opts.network.listen = address;
    opts.network.expect = others;
  } else {
    opts.network.join = address;
  }
}

} // namespace test
