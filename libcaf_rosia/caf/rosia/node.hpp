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
/// end. All members are called from one thread at a time. Errors: an exception
/// that leaves a reaction or `start()` aborts the application, with the status
/// 1; an exception that leaves `shutdown()` is logged.
///
/// Only one `start()` is called, that of the most derived class. A class that
/// others derive from should have a `startup` instead. So should a class that
/// does several things at the start.
class node {
public:
  // -- constructors, destructors, and assignment operators --------------------

  node();

  node(const node&) = delete;

  node& operator=(const node&) = delete;

  virtual ~node();

  // -- properties -------------------------------------------------------------

  /// The name that the node was created with. Empty in its constructor.
  const std::string& name() const noexcept {
    return name_;
  }

  /// The current tag.
  logical_time now() const noexcept {
    return *now_;
  }

  /// The final tag, as far as the node knows it: the node executes nothing
  /// later. `forever` while there is no final tag, also if the application ends
  /// by itself, or is aborted before. A later request may lower it. In
  /// `shutdown()` it is the agreed tag, while `now()` is the last tag that the
  /// node executed.
  logical_time final_tag() const noexcept;

  /// Physical time since the common start. Zero before.
  std::chrono::nanoseconds elapsed() const;

  /// The node's own logger, which carries its name. Include
  /// `caf/rosia/format.hpp` (or `all.hpp`) to call it.
  /// @throws std::logic_error before the node runs, as in its constructor.
  spdlog::logger& log();

  /// The actor that runs the node. Reactions use it to send messages to other
  /// actors. Include `caf/rosia/actor/node_actor.hpp` (or `all.hpp`).
  /// @throws std::logic_error if no actor runs the node: in its constructor,
  ///         and in a `test::harness`.
  node_actor* self() const;

  // -- settings, before the application runs ----------------------------------

  /// Sets whether this node's tags wait for their physical time, whatever the
  /// application's default is.
  void realtime(bool value) noexcept;

  /// Warns if this node's logical time differs from physical time by more than
  /// `limit`, whatever the option `lag_warn` says.
  /// @throws std::invalid_argument for a negative `limit`.
  void lag_warn(physical_time_span limit);

  // -- ending -----------------------------------------------------------------

  /// Requests an end of the application at the current tag. From reactions and
  /// `start()` only.
  /// @throws std::logic_error if it is called from elsewhere.
  void request_shutdown();

  /// Requests an end of the application at the current tag + `d`. The node
  /// executes nothing later until the final tag is decided. The first `status`
  /// other than 0 is the application's status. A `status` outside of 0 to 255
  /// is an error of the node, because no process can end with it.
  /// @throws std::logic_error if it is called from elsewhere than reactions and
  ///         `start()`, or for a negative delay.
  /// @throws std::invalid_argument for such a `status`.
  void request_shutdown(const delay& d, int status = 0);

private:
  friend struct detail::node_access;

  std::string name_;
  std::unique_ptr<detail::node_core> core_; // what the library keeps here
  const logical_time* now_;                 // refers into `core_`
};

} // namespace caf::rosia
