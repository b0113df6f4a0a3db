// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/host.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace engine_test {

namespace engine = caf::rosia::engine;

/// A host that records calls and has no effect.
class recording_host : public engine::host {
public:
  struct sent_batch {
    engine::node_id receiver;
    std::vector<engine::envelope> batch;
  };

  std::int64_t now = 0;
  std::int64_t coarse_now = 0;
  int coarse_reads = 0;
  std::vector<engine::envelope> mail;
  std::vector<sent_batch> sent;
  std::vector<engine::node_id> woken;

  // -- overridden functions of host -------------------------------------------

  std::int64_t elapsed() override {
    return now;
  }

  std::int64_t coarse_elapsed(bool) override {
    ++coarse_reads;
    return coarse_now;
  }

  bool has_mail() override {
    return !mail.empty();
  }

  void drain(std::vector<engine::envelope>& into) override {
    into.swap(mail);
  }

  void send(engine::node_id receiver,
            std::vector<engine::envelope>& batch) override {
    sent.push_back({receiver, std::exchange(batch, {})});
  }

  void wake(engine::node_id node) override {
    woken.push_back(node);
  }

  void close() override {
    // nop
  }

  void request(caf::rosia::logical_time, int) override {
    // nop
  }

  void answer(caf::rosia::logical_time) override {
    // nop
  }

  void failed(const engine::failure&) override {
    // nop
  }

  void shutdown_failed(const engine::failure&) override {
    // nop
  }

  void lagging(caf::rosia::logical_time, std::int64_t, bool) override {
    // nop
  }

  void dropped(engine::drop_reason) override {
    // nop
  }
};

} // namespace engine_test
