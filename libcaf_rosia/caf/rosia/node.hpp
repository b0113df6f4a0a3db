// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/inbox.hpp"
#include "caf/rosia/engine/node.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/task.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia {

namespace detail {

/// How to call the functions that a node's class may or may not have.
struct node_type {
  task (*start)(node&);
  void (*shutdown)(node&);
};

/// What a node needs of what runs it.
class node_environment {
public:
  virtual ~node_environment();

  /// Physical time since the common start, in nanoseconds.
  virtual std::int64_t elapsed() = 0;

  /// Creates the node's logger.
  virtual std::shared_ptr<spdlog::logger> make_logger(const std::string& name)
    = 0;

  /// The node's actor; null in a test's harness.
  virtual node_actor* self() = 0;
};

struct node_access;

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
/// that leaves a reaction or `start()` ends the application by force, with the
/// status 1; one that leaves `shutdown()` is logged.
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
    return engine_.now();
  }

  /// Physical time since the common start. Zero before.
  std::chrono::nanoseconds elapsed() const;

  /// The node's own logger, which carries its name.
  spdlog::logger& log();

  /// The actor that runs the node, for talking to other actors from within
  /// reactions. Include `caf/rosia/actor/node_actor.hpp` (or `all.hpp`).
  /// @pre The node runs in an application.
  node_actor* self() const;

  // -- settings, before the application runs ----------------------------------

  /// Sets whether this node's tags wait for their physical time, whatever the
  /// application's default is.
  void realtime(bool value) noexcept {
    realtime_ = value;
  }

  // -- ending -----------------------------------------------------------------

  /// Asks for an end of the application at the current tag. From reactions and
  /// `start()` only.
  void request_shutdown();

  /// Asks for an end of the application at the current tag + `d`. The first
  /// `status` other than 0 is the application's.
  void request_shutdown(const delay& d, int status = 0);

private:
  friend struct detail::node_access;

  /// Translates between the engine's numbers and the user's objects.
  class engine_body : public engine::body {
  public:
    explicit engine_body(node* self) noexcept : self_(self) {
      // nop
    }
    void start() override;
    void react(std::uint32_t reaction) override;
    void react(std::uint32_t reaction,
               const engine::value_ptr& content) override;
    void resume(void* token) override;
    void discard(void* token) noexcept override;
    void took(bool trigger, std::uint32_t index) noexcept override;
    void shutdown() override;
    std::string_view reaction_name(std::uint32_t reaction) const override;
    std::string_view output_name(std::uint32_t output) const override;

  private:
    node* self_;
  };

  std::string name_;
  std::optional<bool> realtime_;
  const detail::node_type* type_ = nullptr;
  detail::node_environment* environment_ = nullptr;
  std::shared_ptr<spdlog::logger> logger_;
  std::vector<input_port_base*> inputs_;
  std::vector<output_port_base*> outputs_;
  std::vector<reaction_base*> reactions_;
  detail::inbox inbox_;
  engine_body code_{this};
  engine::node engine_; // last: ends first
};

namespace detail {

/// The library's way into a node, for its ports, reactions, and what runs it.
struct node_access {
  static void name(node& x, std::string value) {
    x.name_ = std::move(value);
  }

  static void type(node& x, const node_type& value) noexcept {
    x.type_ = &value;
  }

  static void environment(node& x, node_environment* value) noexcept {
    x.environment_ = value;
  }

  /// Tells whether something runs the node.
  static bool runs(const node& x) noexcept {
    return x.environment_ != nullptr;
  }

  static std::optional<bool> realtime(const node& x) noexcept {
    return x.realtime_;
  }

  static spdlog::logger* existing_logger(node& x) noexcept {
    return x.logger_.get();
  }

  static engine::node& engine(node& x) noexcept {
    return x.engine_;
  }

  static engine::body& body(node& x) noexcept {
    return x.code_;
  }

  static detail::inbox& inbox(node& x) noexcept {
    return x.inbox_;
  }

  static auto& inputs(node& x) noexcept {
    return x.inputs_;
  }

  static auto& outputs(node& x) noexcept {
    return x.outputs_;
  }

  static auto& reactions(node& x) noexcept {
    return x.reactions_;
  }

  /// Names a port for messages: "node.port".
  static std::string port_name(node& x, bool output, std::uint32_t index);

  /// Tells whether values can come from outside of the application.
  static bool external(node& x) noexcept;
};

} // namespace detail

} // namespace caf::rosia
