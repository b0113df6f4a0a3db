// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/actor_sink.hpp"
#include "caf/rosia/detail/compat.hpp"
#include "caf/rosia/detail/node_factory.hpp"
#include "caf/rosia/detail/node_handle.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/detail/parameter_scope.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/port_ref.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/report.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/fwd.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia {

namespace detail {

/// Rethrows the exception of a node's constructor with the node's name in
/// front: a `graph_error` as such, any other exception in a
/// `std::runtime_error`.
[[noreturn]] void rethrow_of_node(const std::string& name);

template <class T>
concept castable_to_actor = requires(const T& x) {
  caf::actor_cast<caf::actor>(x);
};

/// A handle of an actor, typed or not.
template <class T>
concept any_actor_handle
  = castable_to_actor<T> && !std::convertible_to<
      T, std::string_view> && !std::derived_from<T, member_ref>;

} // namespace detail

/// How a node may be executed.
enum class execution_mode : std::uint8_t {
  /// Possibly in a group with connected nodes.
  grouped,
  /// Never in a group.
  separate,
};

/// For `application::create`.
inline constexpr auto separate = execution_mode::separate;

/// Refers to a node of an application. Cheap to copy; valid as long as the
/// application.
template <class T>
class node_ref {
public:
  /// Returns a reference to a port of the node, to connect it:
  /// `node[&counter::output]`. For an array or a vector of ports, use
  /// `node[&bank::inputs][2]`. Works before `run()`, whether or not this
  /// process runs the node.
  template <class Member, class Base>
  auto operator[](Member Base::*which) const;

  /// Returns the node's name.
  const std::string& name() const noexcept;

  /// Returns the node's actor. Invalid unless the application runs, and this
  /// process runs the node. Any thread may call this, but not while `run()`
  /// begins or ends.
  node_handle handle() const;

  /// Returns whether this process runs the node. Always true with one process.
  /// @throws std::logic_error if the node was not placed yet.
  bool is_local() const;

  /// Accesses the node's instance before and after `run()`. During `run()` only
  /// the node's reactions may use the instance. Its physical actions are an
  /// exception: any thread may schedule them at any time, as in
  /// `sensor->on_sample.schedule(3)`.
  /// @throws std::logic_error if the node is not `is_local()`.
  T* operator->() const {
    return &**this;
  }

  /// @copydoc operator->
  T& operator*() const;

private:
  friend class application;

  node_ref(application* app, T* instance, engine::node_id id) noexcept
    : app_(app), instance_(instance), id_(id) {
    // nop
  }

  application* app_;
  T* instance_; // null if the node is created later, when its process is known
  engine::node_id id_;
};

/// A graph of nodes, and its run on an actor system. Build it and run it once,
/// in one thread.
class application {
  // It has more than 40 functions only because of overloads: `connect` accepts
  // ports in all forms, and templates call private functions that are compiled
  // once. Users call nine names.

public:
  // -- constructors, destructors ----------------------------------------------

  /// Reads the options from the system's config (group `rosia`).
  /// @throws std::invalid_argument if an option is wrong.
  explicit application(caf::actor_system& sys);

  /// @throws std::invalid_argument if an option is wrong.
  application(caf::actor_system& sys, options opts);

  application(const application&) = delete;

  application& operator=(const application&) = delete;

  /// Must not be called while `run()` is executing in another thread. If it is,
  /// the destructor logs this, requests an end, and waits for it within the
  /// usual deadlines. An application that takes part in a `shutdown` leaves it;
  /// either may be destroyed first. If `run()` of an application with nodes was
  /// never called, the destructor logs a warning, unless the reason is an
  /// exception or a request for an end.
  ~application();

  // -- building ---------------------------------------------------------------

  /// Creates a node. The arguments after the name are for its constructor.
  ///
  /// With several processes, the node is constructed later, and only in the
  /// process that runs it. Until then the application keeps copies of the
  /// arguments. If an argument cannot be copied, or the constructor takes a
  /// reference to non-const, the application keeps a reference, which must
  /// outlive it. Exceptions of the constructor are then thrown by `run()` or
  /// the first use of the node.
  /// @throws graph_error if the name is empty, contains a dot, or is in use, or
  /// if the node's ports and reactions do not fit together.
  /// @throws std::runtime_error that names the node if its constructor throws
  /// another exception, which is nested in it.
  /// @throws std::logic_error if the application runs or ran already.
  template <std::derived_from<node> T, class... Ts>
    requires std::constructible_from<T, Ts...> node_ref<T> create(
      std::string name, Ts&&... xs) {
      detail::check_node_class<T>();
      check_name(name);
      return make<T>(std::move(name), std::forward<Ts>(xs)...);
    }

  /// Creates a node that never joins a group, whatever the option `groups`
  /// says. Use it for a node that blocks, for example.
  ///
  /// ~~~
  /// app.create<downloader, rosia::separate>("downloader");
  /// ~~~
  template <class T, execution_mode Mode, class... Ts>
  auto create(std::string name, Ts&&... xs) {
    auto result = create<T>(std::move(name), std::forward<Ts>(xs)...);
    if constexpr (Mode == separate)
      separate_node(result.id_);
    return result;
  }

  /// Creates a composite, and the nodes that it is made of [10.9.1]. Include
  /// `caf/rosia/composite.hpp` (or `all.hpp`).
  /// @throws graph_error for an invalid name, or for that of another node, bank
  /// or composite, and as the constructor of the composite does.
  template <std::derived_from<composite> T, class... Ts>
  composite_ref<T> create(std::string name, Ts&&... xs);

  /// Creates the nodes "name[0]" to "name[size-1]". Each constructor receives
  /// the arguments after the size, with the node's index in place of
  /// `rosia::bank_index`, and `fun(index)` in place of `rosia::each(fun)`
  /// [10.2.2]. The nodes share the other arguments. Include
  /// `caf/rosia/bank.hpp` (or `all.hpp`).
  ///
  /// ~~~
  /// auto workers = app.create_bank<worker>("worker", 8, rosia::bank_index);
  /// tasks[&source::out] >>= workers[&worker::in]; // "worker[0].in", ...
  /// ~~~
  /// @throws graph_error for an invalid name, or for that of another bank or
  /// node, and as `create` does.
  template <class T, class... Ts>
  bank_ref<T> create_bank(const std::string& name, std::size_t size,
                          Ts&&... xs);

  /// Creates a bank of nodes that never join a group.
  template <class T, execution_mode Mode, class... Ts>
  bank_ref<T> create_bank(const std::string& name, std::size_t size,
                          Ts&&... xs);

  /// Never compiles: explains why a node cannot be created.
  template <class T, class... Ts>
    requires((
      !std::derived_from<T, node> || !std::constructible_from<T, Ts...>)&&!std::
               derived_from<T, composite>)
  node_ref<T> create(std::string, Ts&&...) {
    detail::check_node_class<T>();
    static_assert(
      !std::derived_from<
        T, node> || std::is_abstract_v<T> || std::constructible_from<T, Ts...>,
      "the constructor of the node's class does not take what follows the name "
      "in application::create");
    return {this, nullptr, 0};
  }

  /// Places a node in a process. Without effect if the application has only
  /// one. Takes precedence over the option `placement`. All processes must make
  /// the same call before they use the node.
  /// @throws graph_error for an invalid name of a process, or for a node of
  /// another application.
  /// @throws std::logic_error if the node exists already, in another process.
  template <class T>
  void place(const node_ref<T>& node, std::string process) {
    check_mine(*node.app_, node.id_);
    place(node.id_, std::move(process));
  }

  /// Places all nodes of a composite in a process.
  template <class T>
  void place(const composite_ref<T>& which, const std::string& process);

  /// Connects an output to an input of the same type [2.2]. `a[&A::out] >>=
  /// b[&B::in]` is equivalent, see `port_ref`.
  /// @param kind `rosia::after(d)` delays the values. With `rosia::physical`,
  ///   the receiver stamps them by its own clock. `rosia::keep_latest(n)` does
  ///   so, too, and drops the oldest values if more than `n` wait. With
  ///   `rosia::maxwait(d)`, the receiver waits at most `d` for a late sender
  ///   [10.10.1].
  /// @throws graph_error for a node of another application, for a missing port
  /// of an array, for `keep_latest(0)`, and for a negative `maxwait`.
  /// @throws std::logic_error if the application runs or ran already.
  template <class Output, class Input>
  void connect(const port_ref<Output>& from, const port_ref<Input>& to,
               const connection_kind& kind = {}) {
    if constexpr (detail::check_ports<Output, Input>()) {
      check_mine(from.owner(), from.node());
      check_mine(to.owner(), to.node());
      join(from, to, typeid(typename Output::value_type), kind);
    }
  }

  /// Connects ports that are given by pointers to members.
  template <class N1, class B1, class Output, class N2, class B2, class Input>
  void connect(const node_ref<N1>& from, Output B1::*output,
               const node_ref<N2>& to, Input B2::*input,
               const connection_kind& kind = {}) {
    if constexpr (detail::check_ends<N1, Output B1::*, N2, Input B2::*>())
      connect(from[output], to[input], kind);
  }

  /// Never compiles: explains what is wrong with the last argument.
  template <class N1, class P1, class N2, class P2, class Last>
    requires(!std::convertible_to<Last, connection_kind>)
  void connect(const node_ref<N1>&, P1, const node_ref<N2>&, P2, Last&&) {
    static_assert(
      sizeof(Last) == 0,
      "what follows the ports in connect() is rosia::after(...), "
      "rosia::maxwait(...), rosia::physical or rosia::keep_latest(...)");
  }

  /// Never compiles: the ports are given without their nodes.
  template <std::derived_from<output_port_base> Output,
            std::derived_from<input_port_base> Input>
  void connect(const Output&, const Input&, const connection_kind& = {}) {
    detail::without_node_ref<Output>();
  }

  /// Connects "node.output" to "node.input". `run()` checks that the ports
  /// exist and have the same type. "bank[*].output" is the outputs of all nodes
  /// of a bank, and the name of a channel is all of its ports; the other side
  /// must have as many ports [10.2.3].
  void connect(std::string_view from, std::string_view to,
               const connection_kind& kind = {});

  /// Delivers `(logical_time, T)` to an actor that does not use Rosia, as an
  /// ordinary message for each value, in the order of tags. Keeps the actor
  /// alive until the application is destroyed. With several processes, the
  /// actor that was given in the node's process receives the values.
  template <class Port, detail::any_actor_handle Handle>
  void connect(const port_ref<Port>& from, const Handle& receiver) {
    static_assert(
      std::derived_from<Port, output_port_base>,
      "an actor gets the values of an output, and this is an input");
    using value_type = typename Port::value_type;
    static_assert(
      detail::is_sendable<value_type>,
      "an actor gets the values as ordinary messages: CAF has to "
      "be able to send the type (give it an inspect() function, or "
      "CAF_ALLOW_UNSAFE_MESSAGE_TYPE)");
    auto to = make<detail::actor_sink<value_type>>(
      sink_name(from), caf::actor_cast<caf::actor>(receiver));
    place_with(to.id_, from.node());
    connect(from, to[&detail::actor_sink<value_type>::in]);
  }

  template <class N, class B, class Port, detail::any_actor_handle Handle>
  void connect(const node_ref<N>& from, Port B::*output,
               const Handle& receiver) {
    static_assert(
      std::derived_from<N, B>, "the port is not a member of the node's class");
    connect(from[output], receiver);
  }

  // -- inspection
  // --------------------------------------------------------------

  /// Returns the declared graph, for `to_dot()`, `write_diagram()` and other
  /// programs. Call it before `run()`. With several processes, only the
  /// coordinator's process can call this; it creates the nodes of all
  /// processes, so that `run()` throws afterwards.
  /// @throws graph_error as `run()` does.
  /// @throws std::logic_error if the application runs or ran already, or if
  /// this process joins a coordinator.
  graph_description diagram() const;

  // -- running ----------------------------------------------------------------

  /// Runs the graph until it ends. Blocks the calling thread, which must not be
  /// a worker of the actor system. With the option `diagram`, draws the graph
  /// instead and returns 0. With the option `set = {"help"}`, prints the
  /// parameters of all nodes instead and returns 0.
  /// @returns 0, the status of a request or of `abort`, 1 after an
  ///   error in a node, 128 if a second signal aborted the application, 129 if
  ///   a deadline did.
  /// @throws graph_error for a mistake in the graph, before anything starts.
  /// @throws std::runtime_error if the processes of a distributed application
  /// cannot join.
  /// @throws std::system_error if the trace, the report or the diagram cannot
  /// be written.
  /// @throws std::logic_error if the application ran already.
  int run();

  /// Requests an end "now", as the first signal does. Any thread may call this
  /// at any time. Before `run()`, it makes the application end just after its
  /// start.
  void request_shutdown();

  /// Takes a checkpoint now: all nodes agree on a tag, and continue. Any thread
  /// may call this while the application runs, except a thread that executes a
  /// node's code: that would wait for itself.
  /// @returns the tag, once the checkpoint is complete. The future throws
  ///   std::runtime_error if the checkpoint failed; the log has the reason.
  /// @throws std::logic_error if the application does not run, or the option
  /// `checkpoint` is not set.
  std::future<logical_time> checkpoint();

  /// Aborts the application with this status, as a second signal does. Any
  /// thread may call this at any time.
  /// @throws std::invalid_argument for a status outside of 0 to 255.
  void abort(int status = 128);

  /// Returns a report on the application and its nodes: how far they have
  /// advanced, what blocks them, and what is queued. Any thread may call this
  /// at any time after the graph was built. Waits up to 200 ms for busy nodes;
  /// for a node that remains busy, the report has only the code that it runs.
  /// With several processes, all processes return the same report. A process
  /// that hangs delays it by up to 2 s; `application_report::processes` names
  /// those that did not answer.
  application_report status() const;

  // -- properties -------------------------------------------------------------

  /// Returns the options that the application runs with.
  const options& opts() const noexcept;

  /// Returns the number of nodes.
  std::size_t size() const noexcept;

private:
  template <class>
  friend class node_ref;

  friend struct detail::application_access;

  friend struct detail::port_sequence;

  friend struct detail::composite_access;

  friend class detail::composite_scope;

  friend class detail::relay;

  struct impl;

  /// Creates a node whose name may be that of a part.
  template <std::derived_from<node> T, class... Ts>
  node_ref<T> make(std::string path, Ts&&... xs) {
    check_unique(path);
    if (is_distributed()) {
      using factory = detail::keeping_factory<T, Ts...>;
      auto id = add(
        std::move(path), std::make_unique<factory>(std::forward<Ts>(xs)...),
        detail::node_type_of<T>(), typeid(T));
      return node_ref<T>{this, nullptr, id};
    }
    auto instance = [&] {
      detail::parameter_scope parameters{settings_of(path)};
      try {
        return std::make_unique<T>(std::forward<Ts>(xs)...);
      } catch (...) {
        detail::rethrow_of_node(path);
      }
    }();
    auto ptr = instance.get();
    auto id
      = add(std::move(path), std::move(instance), detail::node_type_of<T>());
    return node_ref<T>{this, ptr, id};
  }

  template <std::derived_from<composite> T, class... Ts>
  composite_ref<T> make(std::string path, Ts&&... xs);

  template <class T, class... Ts>
  bank_ref<T> make_bank(const std::string& path, std::size_t size, Ts&&... xs);

  void warn_of_no_run() const;

  int run_alone();

  int run_with_others();

  int run_with_others(detail::membership& group);

  /// Writes the diagram. @returns 0.
  int draw();

  /// Prints the parameters of all nodes. @returns 0.
  int list_parameters();

  /// @returns 0.
  int end_before_start();

  int run(std::shared_ptr<detail::runtime> run);

  void check_name(const std::string& name) const;

  /// Returns the parameters of a node that an option sets.
  detail::parameter_values settings_of(const std::string& node) const;

  /// Checks that no node, bank or composite has this name.
  void check_unique(const std::string& path) const;

  void check_mine(const application& owner, engine::node_id id) const;

  void check_building(const std::string& from) const;

  /// Checks that an end of a connection may be connected now [10.9.3].
  void check_end(const detail::member_ref& x, bool output) const;

  /// Returns whether the application runs over several processes.
  bool is_distributed() const noexcept;

  engine::node_id add(std::string name, std::unique_ptr<node> instance,
                      const detail::node_type& type);

  engine::node_id add(
    std::string name, std::unique_ptr<detail::node_factory> factory,
    const detail::node_type& type, const std::type_info& info);

  void add_bank(const std::string& path, std::size_t size);

  void separate_node(engine::node_id id);

  void place(engine::node_id id, std::string process);

  void place(const composite& which, const std::string& process);

  void place_with(engine::node_id id, engine::node_id other);

  void join(const detail::member_ref& from, const detail::member_ref& to,
            const std::type_info& type, const connection_kind& kind);

  void join(const detail::port_sequence& from, const detail::port_sequence& to,
            const std::type_info& type, const connection_kind& kind);

  const std::string& name_of(engine::node_id id) const noexcept;

  bool is_local(engine::node_id id) const;

  void* object(engine::node_id id) const;

  node_handle handle_of(engine::node_id id) const;

  std::string sink_name(const detail::member_ref& from) const;

  std::unique_ptr<impl> impl_;
};

// -- port_ref -----------------------------------------------------------------

/// Connects an output to an input, as `application::connect` does.
template <class Output, class Input>
void operator>>=(const port_ref<Output>& from, const port_ref<Input>& to) {
  from.owner().connect(from, to);
}

/// Connects with a delay, with a maximal wait, physically, or keeping the
/// latest values.
template <class Output, class Input>
void operator>>=(const port_ref<Output>& from, const distant_ref<Input>& to) {
  from.owner().connect(from, to.input, to.kind);
}

// -- node_ref -----------------------------------------------------------------

template <class T>
template <class Member, class Base>
auto node_ref<T>::operator[](Member Base::*which) const {
  static_assert(
    std::derived_from<T, Base>, "the port is not a member of the node's class");
  if constexpr (std::derived_from<T, Base>) {
    auto ref = detail::member_ref{
      *app_, id_, instance_, detail::make_member_port<T>(which)};
    if constexpr (detail::keeps_ports<Member>)
      return port_array_ref<detail::port_in<detail::element_of<Member>>>{ref};
    else
      return detail::make_port_ref<Member>(ref);
  }
}

template <class T>
const std::string& node_ref<T>::name() const noexcept {
  return app_->name_of(id_);
}

template <class T>
node_handle node_ref<T>::handle() const {
  return app_->handle_of(id_);
}

template <class T>
bool node_ref<T>::is_local() const {
  return instance_ != nullptr || app_->is_local(id_);
}

template <class T>
T& node_ref<T>::operator*() const {
  return instance_ != nullptr
           ? *instance_
           : *static_cast<T*>(app_->object(id_));
}

} // namespace caf::rosia
