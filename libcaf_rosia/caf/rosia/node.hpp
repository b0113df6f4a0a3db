// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/task.hpp"
#include "caf/rosia/time_span.hpp"

#include <spdlog/fwd.h>

#include <chrono>
#include <memory>
#include <string>

namespace caf::rosia {

namespace detail {

struct node_access;
struct node_core;

} // namespace detail

/// The base of all nodes. A node's ports and reactions are members of its
/// class, and their order of declaration is their order of execution:
///
/// ~~~
/// struct doubler : rosia::node {
///   rosia::input_port<int> in{this, "in"};
///   rosia::output_port<int> out{this, "out"};
///   rosia::reaction on_in{this, "on_in", {in}, [this] { out(2 * *in); }};
/// };
/// ~~~
///
/// The class may have a function `void start()` or `rosia::task start()`, which
/// runs at tag (0, 0), and a function `void shutdown()`, which runs once at the
/// end. Both must be public. All members are called from one thread at a time.
/// An exception that leaves a reaction or `start()` aborts the application with
/// status 1. An exception that leaves `shutdown()` is logged.
///
/// Only the `start()` of the most derived class is called. A base class, or a
/// class that does several things at the start, should have a `startup`
/// instead.
class node {
public:
  // -- constructors, destructors, and assignment operators --------------------

  node();

  node(const node&) = delete;

  node& operator=(const node&) = delete;

  virtual ~node();

  // -- properties -------------------------------------------------------------

  /// Returns the node's name. Empty in the node's constructor.
  const std::string& name() const noexcept {
    return name_;
  }

  /// Returns the current tag.
  logical_time now() const noexcept {
    return *now_;
  }

  /// Returns the final tag, as far as the node knows it: the node executes no
  /// later tag. Returns `forever` while no final tag is known, which includes
  /// an application that ends by itself or is aborted. A later request may
  /// lower it. In `shutdown()` it is the agreed tag, while `now()` is the last
  /// tag that the node executed. In a reaction to `at_shutdown`, `now()` is the
  /// microstep after it.
  logical_time final_tag() const noexcept;

  /// Returns the physical time since the common start; zero before.
  std::chrono::nanoseconds elapsed() const;

  /// Returns whether the deadline of the calling reaction has passed: whether
  /// physical time is past the current tag by the deadline or more [10.3.2].
  /// Once it has returned true, it does so until the reaction yields or
  /// returns. It reads the clock, which takes some tens of nanoseconds.
  ///
  /// ~~~
  /// while (!deadline_missed() && improve(result)) {}
  /// ~~~
  ///
  /// @throws std::logic_error if it is called from elsewhere, or if the
  /// reaction has no deadline.
  bool deadline_missed();

  /// Returns the node's logger, which carries its name. Include
  /// `caf/rosia/format.hpp` (or `all.hpp`) to use it.
  /// @throws std::logic_error before the node runs, for example in its
  /// constructor.
  spdlog::logger& log();

  /// Returns the actor that runs the node. Reactions use it to send messages to
  /// other actors. Include `caf/rosia/actor/node_actor.hpp` (or `all.hpp`).
  /// @throws std::logic_error if no actor runs the node: in its constructor,
  /// and in a `test::harness`.
  node_actor* self() const;

  // -- settings, before the application runs ----------------------------------

  /// Sets whether this node's tags wait for their physical time. Overrides the
  /// application's setting.
  void realtime(bool value) noexcept;

  /// Enables a warning when this node's logical time differs from physical time
  /// by more than `limit`. Overrides the option `lag_warn`.
  /// @throws std::invalid_argument for a negative `limit`.
  void lag_warn(physical_time_span limit);

  // -- ending -----------------------------------------------------------------

  /// Requests an end of the application at the current tag. Only for reactions
  /// and `start()`.
  /// @throws std::logic_error if it is called from elsewhere.
  void request_shutdown();

  /// Requests an end of the application at the current tag + `d`. The node
  /// executes no later tag until the final tag is decided. The first `status`
  /// other than 0 becomes the application's status. A `status` outside of 0 to
  /// 255 is an error of the node, because a process cannot end with it.
  /// @throws std::logic_error if it is not called from a reaction or `start()`,
  /// or for a negative delay.
  /// @throws std::invalid_argument for such a `status`.
  void request_shutdown(const delay& d, int status = 0);

private:
  friend struct detail::node_access;

  std::string name_;
  std::unique_ptr<detail::node_core> core_; // the library's part of the node
  const logical_time* now_;                 // points into `core_`
};

} // namespace caf::rosia
