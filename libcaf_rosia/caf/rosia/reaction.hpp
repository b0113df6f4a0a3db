// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/engine/value.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/task.hpp"

#include <atomic>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf::rosia {

/// Marks a reaction, see `eager`.
struct eager_t {};

/// An eager reaction may close a loop of connections without delay: those of
/// the loop that end at one of its triggers take one microstep.
inline constexpr eager_t eager{};

/// What reactions and triggers have in common.
class reaction_base {
public:
  reaction_base(const reaction_base&) = delete;

  reaction_base& operator=(const reaction_base&) = delete;

  /// The reaction's name within its node.
  const std::string& name() const noexcept {
    return name_;
  }

  /// The node that the reaction belongs to.
  node* parent() const noexcept {
    return parent_;
  }

  /// The reaction's number within its node.
  std::uint32_t index() const noexcept {
    return index_;
  }

  /// Whether it may close a loop of connections without delay.
  virtual bool is_eager() const noexcept = 0;

  /// Whether it is a trigger.
  virtual bool is_trigger() const noexcept = 0;

  /// The numbers of the inputs that trigger it.
  virtual const std::vector<std::uint32_t>& triggers() const noexcept = 0;

  /// Starts an instance. Called by the library. `content` is null but for a
  /// trigger.
  virtual task run(const engine::value_ptr& content) = 0;

  /// A value from outside waits no longer. Called by the library.
  virtual void took() noexcept;

protected:
  reaction_base(node* parent, std::string name);

  ~reaction_base() = default;

private:
  node* parent_;
  std::string name_;
  std::uint32_t index_;
};

/// A reaction runs at every tag at which one of its triggers has a value; it
/// may yield logical time if it is a coroutine that returns a `task`.
class reaction final : public reaction_base {
public:
  /// @param triggers inputs of the same node, at least one.
  /// @param fun a function without parameters that returns nothing or a `task`.
  /// @throws graph_error for a bad name, or one that the node has already, for
  ///         no triggers, or for another node's.
  template <class Fun>
  reaction(
    node* parent, std::string name,
    std::initializer_list<std::reference_wrapper<input_port_base>> triggers,
    Fun fun)
    : reaction(parent, std::move(name), triggers, wrap(std::move(fun)), false) {
    // nop
  }

  template <class Fun>
  reaction(
    node* parent, std::string name,
    std::initializer_list<std::reference_wrapper<input_port_base>> triggers,
    Fun fun, eager_t)
    : reaction(parent, std::move(name), triggers, wrap(std::move(fun)), true) {
    // nop
  }

  bool is_eager() const noexcept override {
    return eager_;
  }

  bool is_trigger() const noexcept override {
    return false;
  }

  const std::vector<std::uint32_t>& triggers() const noexcept override {
    return triggers_;
  }

  task run(const engine::value_ptr&) override {
    return fun_();
  }

private:
  reaction(
    node* parent, std::string name,
    std::initializer_list<std::reference_wrapper<input_port_base>> triggers,
    std::function<task()> fun, bool is_eager);

  template <class Fun>
  static std::function<task()> wrap(Fun fun) {
    static_assert(
      std::is_invocable_v<Fun&>,
      "a reaction is a function without parameters: it reads its "
      "node's input ports");
    using result = std::invoke_result_t<Fun&>;
    static_assert(std::is_void_v<result> || std::is_same_v<result, task>,
                  "a reaction returns nothing, or a rosia::task if it yields");
    if constexpr (std::is_void_v<result>)
      return [fun = std::move(fun)]() mutable {
        fun();
        return task{};
      };
    else
      return fun;
  }

  std::vector<std::uint32_t> triggers_;
  std::function<task()> fun_;
  bool eager_;
};

/// What all triggers have in common.
class trigger_base : public reaction_base {
public:
  bool is_eager() const noexcept override {
    return false;
  }

  bool is_trigger() const noexcept override {
    return true;
  }

  const std::vector<std::uint32_t>& triggers() const noexcept override;

  void took() noexcept override;

protected:
  using reaction_base::reaction_base;

  ~trigger_base() = default;

  bool call(engine::value_ptr content);

private:
  std::atomic<std::uint32_t> waiting_{0};
};

/// A way into a node from outside: call it like a function, from any thread,
/// and the node's function runs with the value at a tag of the node's choice,
/// not before the physical time of the call.
template <class T>
class trigger final : public trigger_base {
public:
  /// @param fun a function of a `T` that returns nothing or a `task`.
  template <class Fun>
  trigger(node* parent, std::string name, Fun fun)
    : trigger_base(parent, std::move(name)), fun_(wrap(std::move(fun))) {
    // nop
  }

  /// From any thread, at any time; returns at once.
  /// @returns false if the value was not taken: too many wait already (option
  ///          `max_in_flight`), or the node is gone.
  bool operator()(T value) {
    return call(engine::value_ptr{
      new engine::box<T>(std::in_place, std::move(value)), false});
  }

  task run(const engine::value_ptr& content) override {
    return fun_(static_cast<const engine::box<T>&>(*content).content);
  }

private:
  template <class Fun>
  static std::function<task(const T&)> wrap(Fun fun) {
    static_assert(std::is_invocable_v<Fun&, const T&>,
                  "a trigger's function takes the trigger's value");
    using result = std::invoke_result_t<Fun&, const T&>;
    static_assert(
      std::is_void_v<result> || std::is_same_v<result, task>,
      "a trigger's function returns nothing, or a rosia::task if "
      "it yields");
    if constexpr (std::is_void_v<result>)
      return [fun = std::move(fun)](const T& x) mutable {
        fun(x);
        return task{};
      };
    else
      return fun;
  }

  std::function<task(const T&)> fun_;
};

} // namespace caf::rosia
