// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The guarantees of `set_scheduler_defaults` about mailboxes.

#include "observing.hpp"

#include <caf/all.hpp>
#include <caf/event_based_actor.hpp>

#include <atomic>
#include <string>

namespace mailbox_test {

namespace {

/// Handles one number per permission, until it receives a text.
class stepwise : public caf::event_based_actor {
public:
  stepwise(caf::actor_config& cfg, std::atomic<int>& begun,
           std::atomic<int>& allowed)
    : caf::event_based_actor(cfg), begun_(begun), allowed_(allowed) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int) {
              auto number = ++begun_;
              eventually([&] { return number <= allowed_.load(); });
            },
            [this](const std::string&) { quit(); }};
  }

private:
  std::atomic<int>& begun_;
  std::atomic<int>& allowed_;
};

} // namespace

TEST_CASE("an urgent message overtakes messages that its receiver fetched "
          "from its mailbox",
          "[mailbox]") {
  constexpr auto backlog = 100;
  std::atomic<int> begun = 0;
  std::atomic<int> allowed = 0;
  {
    test_system sys;
    auto actor = sys.get().spawn<stepwise>(begun, allowed);
    caf::anon_send(actor, 1);
    CHECK(eventually([&] { return begun == 1; }));
    for (auto i = 0; i < backlog; ++i)
      caf::anon_send(actor, 1);
    allowed = 1;
    CHECK(eventually([&] { return begun == 2; }));
    caf::anon_send<caf::message_priority::high>(actor, std::string{"enough"});
    allowed = backlog + 1;
  }
  // CAF 0.17 checks for urgent messages after a few messages.
  CHECK(begun <= 2 + 3);
}

} // namespace mailbox_test
