// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/declared_access.hpp"

#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The code of a reaction that writes ports only after it has yielded.
class first_part final : public engine::reaction_code {
public:
  first_part(code_ptr code, bool& runs) noexcept
    : code_(std::move(code)), runs_(runs) {
    // nop
  }

  void run(engine::node& owner) override {
    struct mark {
      explicit mark(bool& flag) noexcept : runs(flag) {
        runs = true;
      }
      ~mark() {
        runs = false;
      }
      bool& runs;
    } note{runs_};
    code_->run(owner);
  }

  engine::deadline_code* deadline() noexcept override {
    return code_->deadline();
  }

private:
  code_ptr code_;
  bool& runs_;
};

bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t x) {
  return std::binary_search(sorted.begin(), sorted.end(), x);
}

} // namespace

// -- construction -------------------------------------------------------------

declared_access::ports& declared_access::add(const reaction_base& x) {
  if (declared_.size() <= x.index())
    declared_.resize(x.index() + 1);
  auto& result = declared_[x.index()];
  result = std::make_unique<ports>();
  return *result;
}

code_ptr declared_access::note_first_part(code_ptr code) {
  return std::make_unique<first_part>(std::move(code), in_first_part_);
}

void declared_access::guard_ports() {
  auto& reactions = node_access::reactions(*owner_);
  for (std::uint32_t i = 0; i < declared_.size(); ++i) {
    if (!declared_[i])
      continue;
    auto& readable = declared_[i]->readable;
    readable = declared_[i]->reads;
    for (auto [kind, index] : reactions[i]->triggers())
      if (kind == graph_description::trigger_kind::input)
        readable.push_back(index);
    std::sort(readable.begin(), readable.end());
    readable.erase(
      std::unique(readable.begin(), readable.end()), readable.end());
  }
  auto& inputs = node_access::inputs(*owner_);
  inputs_ = std::make_unique<engine::input[]>(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto& port = member_access::state(*inputs[i]);
    port.guarded = true;
    inputs_[i].numbered = port.numbered;
    inputs_[i].reactions.assign(
      {port.reactions.begin(), port.reactions.size()});
    input_states_.push_back(&inputs_[i]);
  }
  auto& outputs = node_access::outputs(*owner_);
  outputs_ = std::make_unique<engine::output[]>(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    output_states_.push_back(&outputs_[i]);
}

// -- properties ---------------------------------------------------------------

const declared_access::ports* declared_access::find(
  std::uint32_t reaction) const noexcept {
  return reaction < declared_.size() ? declared_[reaction].get() : nullptr;
}

engine::output& declared_access::state(
  const output_port_base& x) const noexcept {
  return outputs_[x.index()];
}

// -- access -------------------------------------------------------------------

std::pair<const declared_access::ports*, std::uint32_t> declared_access::
  running() const noexcept {
  auto doing = node_access::engine(*owner_).doing();
  return {doing.running ? find(doing.code) : nullptr, doing.code};
}

const engine::input& declared_access::readable(const input_port_base& x) const {
  if (auto [declared, reaction] = running();
      declared != nullptr && !contains(declared->readable, x.index()))
    refuse(reaction, "reads",
           (x.is_physical() ? "physical action '" : "input '") + x.name() + "'",
           "reads(" + x.name() + ")");
  return inputs_[x.index()];
}

void declared_access::require_readable(
  const ports_base& x, std::uint32_t first) const {
  auto [declared, reaction] = running();
  if (declared == nullptr || x.empty())
    return;
  auto& all = declared->readable;
  auto at = std::lower_bound(all.begin(), all.end(), first);
  auto rest = static_cast<std::size_t>(all.end() - at);
  // The indices ascend, so these are all of the channel if the last one is.
  auto last = static_cast<std::ptrdiff_t>(x.size()) - 1;
  if (rest < x.size() || at[last] != first + static_cast<std::uint32_t>(last))
    refuse(
      reaction, "reads", "input '" + x.name() + "'", "reads(" + x.name() + ")");
}

void declared_access::require_writable(const output_port_base& x) const {
  auto [declared, reaction] = running();
  if (declared == nullptr || contains(declared->writes, x.index()))
    return;
  auto later = contains(declared->writes_later, x.index());
  if (later && !in_first_part_)
    return;
  auto port = "output '" + x.name() + "'";
  auto remedy = "writes(" + x.name() + ")";
  if (later)
    throw std::logic_error(
      "reaction '" + node_access::reactions(*owner_)[reaction]->name()
      + "' writes " + port
      + " before it yielded, but declares rosia::writes_later; declare "
        "rosia::"
      + remedy);
  refuse(reaction, "writes", port, remedy);
}

void declared_access::refuse(
  std::uint32_t reaction, const std::string& use, const std::string& port,
  const std::string& remedy) const {
  throw std::logic_error(
    "reaction '" + node_access::reactions(*owner_)[reaction]->name() + "' "
    + use + " " + port + ", which it does not declare; add rosia::" + remedy);
}

} // namespace caf::rosia::detail
