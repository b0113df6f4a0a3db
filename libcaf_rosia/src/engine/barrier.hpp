// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/last_tag.hpp"

#include <algorithm>
#include <memory>

namespace caf::rosia::engine {

/// The tag at which a node stops, permanently or to save its state (sections 5
/// and 8 of the semantics). The node executes nothing past the barrier,
/// whatever may still arrive. `bounds::stat` applies it [4.3]. Tests:
/// test/engine/bounds_test.cpp, test/engine/ending_rules_test.cpp.
class barrier {
public:
  // -- properties -------------------------------------------------------------

  /// Returns the last tag that may be executed.
  logical_time last() const noexcept {
    return last_;
  }

  /// Returns `last()` without regard to checkpoints, which stop a node only
  /// briefly.
  logical_time last_before_end() const noexcept {
    return terms_ ? std::min(terms_->answer, terms_->own_request) : forever;
  }

  /// Returns the final tag; `forever` while it is unknown.
  logical_time final() const noexcept {
    return terms_ ? terms_->final : forever;
  }

  /// Returns the requested tag; `forever` if there was no request.
  logical_time requested() const noexcept {
    return terms_ ? terms_->requested : forever;
  }

  /// Returns whether the node has no undecided answer. A node with one waits
  /// for the decision, because all participants will receive it.
  bool decided() const noexcept {
    return !terms_ || terms_->answer == terms_->final;
  }

  /// Returns the node's state for the last tag; null if it executes none, and
  /// leaves at the final tag [10.6.3].
  engine::last_tag* last_tag() const noexcept {
    return terms_ ? terms_->last_tag.get() : nullptr;
  }

  // -- modifiers --------------------------------------------------------------

  /// Stops the node at the end that it requested itself [5.5]. Otherwise it
  /// might pass that tag before the coordinator asks it.
  void request(logical_time proposal) {
    auto& x = terms();
    x.own_request = std::min(x.own_request, proposal);
    update_last();
  }

  /// Stops the node at the tag that it answered to the coordinator [5.6].
  void answer(logical_time tag, logical_time proposal) {
    auto& x = terms();
    x.answer = tag;
    x.requested = proposal;
    update_last();
  }

  /// Stops the node at the final tag, which the coordinator decided [5.8].
  void decide(logical_time final, logical_time requested) {
    auto& x = terms();
    x.answer = x.final = final;
    x.requested = requested;
    // The node's own request was decided. Otherwise its round follows later.
    if (requested == x.own_request)
      x.own_request = forever;
    update_last();
  }

  /// Makes the node execute the last tag. Called before the start.
  void make_last_tag() {
    terms().last_tag = std::make_unique<engine::last_tag>();
  }

  /// Stops the node at a tag at which it must save its state.
  void stop_to_save(logical_time last) {
    terms().checkpoint = last;
    update_last();
  }

private:
  struct shutdown_terms {
    logical_time answer = forever;      // or the decision
    logical_time own_request = forever; // while it is undecided
    logical_time final = forever;
    logical_time requested = forever;
    logical_time checkpoint = forever;
    std::unique_ptr<engine::last_tag> last_tag;
  };

  shutdown_terms& terms() {
    if (!terms_)
      terms_ = std::make_unique<shutdown_terms>();
    return *terms_;
  }

  void update_last() noexcept {
    last_ = std::min(last_before_end(), terms_->checkpoint);
  }

  logical_time last_ = forever;
  std::unique_ptr<shutdown_terms> terms_; // null until something stops the node
};

} // namespace caf::rosia::engine
