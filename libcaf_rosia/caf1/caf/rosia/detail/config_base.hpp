// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// CAF's config with the members of CAF 0.17, so that programs can use either
/// version.
class config_base : public caf::actor_system_config {
public:
  std::string config_file_path = "caf-application.conf";

  std::vector<std::string> remainder;

  bool cli_helptext_printed = false;
};

/// A view of text, in CAF's type.
using text_view = std::string_view;

} // namespace caf::rosia::detail
