// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/message_types.hpp"

#include "catch.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <vector>

namespace message_types_test {

namespace {

struct reading {
  std::int32_t value = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reading& x) {
  return f(x.value);
}

/// Sends a message over a wire and stores the received one.
caf::error travel(caf::actor_system& system, caf::message sent,
                  caf::message& received) {
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  if (auto problem = sink(sent))
    return problem;
  caf::binary_deserializer source{system, bytes};
  return source(received);
}

} // namespace

TEST_CASE("a message type in the config is sent by its name",
          "[message_types]") {
  caf::actor_system_config cfg;
  caf::rosia::detail::add_message_type<reading>(cfg, "reading");
  caf::actor_system system{cfg};
  caf::message received;
  CHECK(!travel(system, caf::make_message(reading{7}), received));
  REQUIRE(received.match_elements<reading>());
  CHECK(received.get_as<reading>(0).value == 7);
}

TEST_CASE("vectors and streams of a message type stay unknown",
          "[message_types]") {
  caf::actor_system_config cfg;
  auto known = cfg.value_factories_by_name.size();
  caf::rosia::detail::add_message_type<reading>(cfg, "reading");
  CHECK(cfg.value_factories_by_name.count("reading") == 1);
  CHECK(cfg.value_factories_by_name.size() == known + 1);
}

} // namespace message_types_test
