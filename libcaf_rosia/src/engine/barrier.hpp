// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <memory>

namespace caf::rosia::engine {

/// Where a node stops, for good or to save what it has: sections 5 and 8 of the
/// semantics, as a node knows it. It executes nothing past the barrier,
/// whatever may still arrive.
class barrier {
public:
  // -- properties -------------------------------------------------------------

  /// The last tag that may be executed.
  logical_time last() const noexcept {
    return last_;
  }

  /// The same but for checkpoints, which hold up nobody for long.
  logical_time last_before_end() const noexcept {
    return terms_ ? std::min(terms_->answer, terms_->own_request) : forever;
  }

  /// The final tag; `forever` until it is known.
  logical_time final() const noexcept {
    return terms_ ? terms_->final : forever;
  }

  /// The tag that somebody has requested; `forever` if nobody has.
  logical_time requested() const noexcept {
    return terms_ ? terms_->requested : forever;
  }

  /// Tells whether the node has answered nothing that is not decided: whoever
  /// has waits for that, because all who take part know it.
  bool decided() const noexcept {
    return !terms_ || terms_->answer == terms_->final;
  }

  // -- modifiers --------------------------------------------------------------

  /// The node itself requests an end. Otherwise it might be past that before it
  /// is asked.
  void request(logical_time proposal) {
    auto& x = terms();
    x.own_request = std::min(x.own_request, proposal);
    update_last();
  }

  /// The node answers the coordinator.
  void answer(logical_time tag, logical_time proposal) {
    auto& x = terms();
    x.answer = tag;
    x.requested = proposal;
    update_last();
  }

  /// The coordinator has decided.
  void decide(logical_time final, logical_time requested) {
    auto& x = terms();
    x.answer = x.final = final;
    x.requested = requested;
    // It is what this node had requested. After another one its own follows.
    if (requested == x.own_request)
      x.own_request = forever;
    update_last();
  }

  /// Nothing is executed past this before the node has saved what it has.
  void stop_to_save(logical_time last) {
    terms().checkpoint = last;
    update_last();
  }

private:
  struct shutdown_terms {
    logical_time answer = forever;      // or what was decided
    logical_time own_request = forever; // that is not decided
    logical_time final = forever;
    logical_time requested = forever;
    logical_time checkpoint = forever;
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
  std::unique_ptr<shutdown_terms> terms_; // null until something is to stop it
};

} // namespace caf::rosia::engine
