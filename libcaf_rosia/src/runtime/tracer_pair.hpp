// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/tracer.hpp"

namespace caf::rosia::detail {

/// Hands on to two tracers what nodes tell.
class tracer_pair final : public engine::tracer {
public:
  /// @param first, second outlive it.
  tracer_pair(engine::tracer& first, engine::tracer& second) noexcept
    : first_(first), second_(second) {
    // nop
  }

  void start(engine::node_id node, std::int64_t elapsed) override {
    first_.start(node, elapsed);
    second_.start(node, elapsed);
  }

  void execute(engine::node_id node, logical_time tag, logical_time stat,
               std::int64_t elapsed) override {
    first_.execute(node, tag, stat, elapsed);
    second_.execute(node, tag, stat, elapsed);
  }

  void resume(engine::node_id node, logical_time tag,
              std::uint32_t reaction) override {
    first_.resume(node, tag, reaction);
    second_.resume(node, tag, reaction);
  }

  void input(engine::node_id node, logical_time tag, std::uint32_t port,
             std::uint32_t connection, const engine::value& content) override {
    first_.input(node, tag, port, connection, content);
    second_.input(node, tag, port, connection, content);
  }

  void trigger(engine::node_id node, logical_time tag, std::uint32_t reaction,
               const engine::value& content) override {
    first_.trigger(node, tag, reaction, content);
    second_.trigger(node, tag, reaction, content);
  }

  void schedule(engine::node_id node, logical_time tag, std::uint32_t action,
                logical_time due, const engine::value& content) override {
    first_.schedule(node, tag, action, due, content);
    second_.schedule(node, tag, action, due, content);
  }

  void action(engine::node_id node, logical_time tag, std::uint32_t action,
              const engine::value& content) override {
    first_.action(node, tag, action, content);
    second_.action(node, tag, action, content);
  }

  void reaction(engine::node_id node, logical_time tag,
                std::uint32_t reaction) override {
    first_.reaction(node, tag, reaction);
    second_.reaction(node, tag, reaction);
  }

  void ran(engine::node_id node, logical_time tag, std::uint32_t reaction,
           std::int64_t began, std::int64_t ended) override {
    first_.ran(node, tag, reaction, began, ended);
    second_.ran(node, tag, reaction, began, ended);
  }

  void send(engine::node_id node, logical_time tag, std::uint32_t connection,
            logical_time arrival, const engine::value& content) override {
    first_.send(node, tag, connection, arrival, content);
    second_.send(node, tag, connection, arrival, content);
  }

  void promise(engine::node_id node, std::uint32_t connection,
               logical_time promise) override {
    first_.promise(node, connection, promise);
    second_.promise(node, connection, promise);
  }

  void drop(engine::node_id node, bool trigger, std::uint32_t index,
            engine::drop_reason why) override {
    first_.drop(node, trigger, index, why);
    second_.drop(node, trigger, index, why);
  }

  void proposal(engine::node_id node, logical_time proposal) override {
    first_.proposal(node, proposal);
    second_.proposal(node, proposal);
  }

  void answer(engine::node_id node, logical_time tag) override {
    first_.answer(node, tag);
    second_.answer(node, tag);
  }

  void final_taken(engine::node_id node, logical_time tag) override {
    first_.final_taken(node, tag);
    second_.final_taken(node, tag);
  }

  void error(engine::node_id node, const engine::failure& reason) override {
    first_.error(node, reason);
    second_.error(node, reason);
  }

  void shutdown(engine::node_id node, logical_time tag,
                engine::ending how) override {
    first_.shutdown(node, tag, how);
    second_.shutdown(node, tag, how);
  }

  void exit(engine::node_id node) override {
    first_.exit(node);
    second_.exit(node);
  }

private:
  engine::tracer& first_;
  engine::tracer& second_;
};

} // namespace caf::rosia::detail
