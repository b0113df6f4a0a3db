// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/counting_body.hpp"

#include <cstddef>

namespace caf::rosia::detail {

void counting_body::start() {
  code_->start();
  end();
}

std::uint32_t counting_body::next_startup(std::uint32_t from) const noexcept {
  return code_->next_startup(from);
}

void counting_body::resumed() {
  code_->resumed();
}

void counting_body::react(std::uint32_t reaction) {
  begin();
  code_->react(reaction);
  end();
}

void counting_body::react(std::uint32_t reaction,
                          const engine::value& content) {
  begin();
  code_->react(reaction, content);
  end();
}

void counting_body::resume(void* token) {
  begin();
  code_->resume(token);
  end();
}

void counting_body::discard(void* token) noexcept {
  code_->discard(token);
}

void counting_body::consumed(bool trigger, std::uint32_t index) noexcept {
  code_->consumed(trigger, index);
}

void counting_body::shutdown() {
  code_->shutdown();
  end();
}

std::string_view counting_body::reaction_name(std::uint32_t reaction) const {
  return code_->reaction_name(reaction);
}

std::string_view counting_body::action_name(std::uint32_t action) const {
  return code_->action_name(action);
}

std::string_view counting_body::output_name(std::uint32_t output) const {
  return code_->output_name(output);
}

void counting_body::begin() noexcept {
  if (!node_->realtime())
    return;
  auto now = node_->doing();
  if (now.since == last_begin_)
    return;
  last_begin_ = now.since;
  counters_->note_lag(time_->elapsed() - now.tag.ns);
}

void counting_body::end() noexcept {
  counters_->pieces.add();
  auto piece = node_->progress();
  auto outputs = node_->config().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i]->piece == piece)
      counters_->written[i].add();
}

} // namespace caf::rosia::detail
