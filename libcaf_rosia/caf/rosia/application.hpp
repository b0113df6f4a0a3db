// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/detail/actor_sink.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/report.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/detail/type_traits.hpp>
#include <caf/fwd.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia {

namespace detail {

/// How to call what a node's class has.
template <class T>
const node_type& node_type_of() {
  static_assert(
    !requires(T& x) { x.start(); }
      || requires(T& x) { { x.start() } -> std::same_as<void>; }
      || requires(T& x) { { x.start() } -> std::same_as<task>; },
    "start() of a node returns nothing, or a rosia::task if it yields");
  static_assert(
    !requires(T& x) { x.shutdown(); }
      || requires(T& x) { { x.shutdown() } -> std::same_as<void>; },
    "shutdown() of a node returns nothing: it cannot yield");
  static constexpr node_type result{
    [](node& x) -> task {
      if constexpr (requires(T & y) {
                      { y.start() } -> std::same_as<task>;
                    }) {
        return static_cast<T&>(x).start();
      } else {
        if constexpr (requires(T & y) { y.start(); })
          static_cast<T&>(x).start();
        return {};
      }
    },
    [](node& x) {
      if constexpr (requires(T & y) { y.shutdown(); })
        static_cast<T&>(x).shutdown();
    }};
  return result;
}

/// Whether CAF can send values of a type as messages.
template <class T>
inline constexpr bool sendable
  = caf::detail::is_serializable<T>::value
    || caf::allowed_unsafe_message_type<T>::value;

/// How to create a node once it is known that this process runs it.
struct node_factory {
  virtual ~node_factory() = default;

  /// What it returns stays valid as long as this factory.
  virtual std::unique_ptr<node> make() = 0;

  /// The node that was made, as its own type.
  virtual void* object() const noexcept = 0;
};

/// Tells whether a constructor of `T` takes something constant, or to move
/// from, in place of its argument number `I`.
template <class T, std::size_t I, class... Ts, std::size_t... Is>
constexpr bool takes_kept(std::index_sequence<Is...>) {
  using kept = std::tuple<
    std::conditional_t<std::is_lvalue_reference_v<Ts>, const std::decay_t<Ts>&,
                       std::decay_t<Ts>&&>...>;
  return std::is_constructible_v<
    T, std::conditional_t<Is == I, std::tuple_element_t<Is, kept>, Ts&&>...>;
}

/// Keeps the arguments of a node's constructor: a copy of each, where the
/// constructor takes one, else a reference.
template <class T, class... Ts>
class keeping_factory final : public node_factory {
public:
  explicit keeping_factory(Ts&&... xs) : arguments_(std::forward<Ts>(xs)...) {
    // nop
  }

  std::unique_ptr<node> make() override {
    auto result = make(indices{});
    object_ = result.get();
    return result;
  }

  void* object() const noexcept override {
    return object_;
  }

private:
  using indices = std::index_sequence_for<Ts...>;

  template <std::size_t I, class U>
  static constexpr bool copies
    = takes_kept<T, I, Ts...>(indices{})
      && std::is_constructible_v<std::decay_t<U>, U>;

  template <class Indices>
  struct kept;

  // An rvalue is kept and moved, an lvalue kept and passed as it is.
  template <std::size_t... Is>
  struct kept<std::index_sequence<Is...>> {
    using type = std::tuple<std::conditional_t<
      copies<Is, Ts>,
      std::conditional_t<std::is_lvalue_reference_v<Ts>, const std::decay_t<Ts>,
                         std::decay_t<Ts>>,
      Ts&&>...>;
  };

  template <std::size_t... Is>
  std::unique_ptr<T> make(std::index_sequence<Is...>) {
    return std::make_unique<T>(pass<Is, Ts>()...);
  }

  template <std::size_t I, class U>
  decltype(auto) pass() {
    if constexpr (copies<I, U> && std::is_lvalue_reference_v<U>)
      return std::as_const(std::get<I>(arguments_));
    else
      return static_cast<U&&>(std::get<I>(arguments_));
  }

  typename kept<indices>::type arguments_;
  T* object_ = nullptr;
};

/// A port of a node that may not be there: a pointer to a member, and how to
/// apply it.
struct member_port {
  std::uint32_t (*index)(void* object, std::ptrdiff_t member) = nullptr;
  std::ptrdiff_t member = 0;
};

/// @tparam N the node's class. @tparam B its base that has the port.
template <class N, class B, class Port>
member_port make_member_port(Port B::*x) noexcept {
  static_assert(sizeof(x) == sizeof(std::ptrdiff_t));
  return {[](void* object, std::ptrdiff_t member) {
            auto ptr = std::bit_cast<Port B::*>(member);
            return (static_cast<N*>(object)->*ptr).index();
          },
          std::bit_cast<std::ptrdiff_t>(x)};
}

template <class T>
concept castable_to_actor = requires(const T& x) {
  caf::actor_cast<caf::actor>(x);
};

/// A handle of an actor, typed or not.
template <class T>
concept any_actor_handle
  = castable_to_actor<T> && !std::convertible_to<T, std::string_view>;

} // namespace detail

/// Refers to a node of an application. Cheap to copy; valid as long as the
/// application.
template <class T>
class node_ref {
public:
  /// The node's name.
  const std::string& name() const noexcept;

  /// The node's actor. Invalid unless the application runs, and the node in
  /// this process. From any thread, but not while `run()` begins or ends.
  node_handle handle() const;

  /// Tells whether this process runs the node. Always, unless the application
  /// runs over several processes.
  /// @throws std::logic_error if that is not known yet: nobody has placed it.
  bool is_local() const;

  /// The node's instance, while the application does not run: before and after
  /// `run()`. Meanwhile it belongs to its reactions, but for its triggers,
  /// which may be called at any time, from any thread: `sensor->on_sample(3)`.
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
  T* instance_; // null if it is created when its process is known
  engine::node_id id_;
};

/// A graph of nodes, and its run on an actor system. Build it, and run it once:
/// all from one thread.
class application {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Takes the options from the system's config (group `rosia`).
  /// @throws std::invalid_argument if one of them is wrong.
  explicit application(caf::actor_system& sys);

  /// @throws std::invalid_argument if one of the options is wrong.
  application(caf::actor_system& sys, options opts);

  application(const application&) = delete;

  application& operator=(const application&) = delete;

  ~application();

  // -- building ---------------------------------------------------------------

  /// Creates a node. What follows the name goes to its constructor.
  /// @throws graph_error if the name is empty, has a dot, or is in use, or if
  ///         the node's ports and reactions do not fit together.
  template <std::derived_from<node> T, class... Ts>
    requires std::constructible_from<T, Ts...> node_ref<T> create(
      std::string name, Ts&&... xs) {
      check_name(name);
      if (is_distributed()) {
        using factory = detail::keeping_factory<T, Ts...>;
        auto id = add(
          std::move(name), std::make_unique<factory>(std::forward<Ts>(xs)...),
          detail::node_type_of<T>(), typeid(T));
        return node_ref<T>{this, nullptr, id};
      }
      auto instance = [&] {
        try {
          return std::make_unique<T>(std::forward<Ts>(xs)...);
        } catch (const graph_error& e) {
          throw graph_error("node '" + name + "': " + e.what());
        }
      }();
      auto ptr = instance.get();
      auto id
        = add(std::move(name), std::move(instance), detail::node_type_of<T>());
      return node_ref<T>{this, ptr, id};
    }

  /// Has a node run in this process when the application runs over several;
  /// otherwise it is only noted. Beats what the option `placement` says of the
  /// node. In all processes alike, before the node is used.
  /// @throws graph_error for a bad name of a process.
  template <class T>
  void place(const node_ref<T>& what, std::string process) {
    check_mine(*what.app_, what.name());
    place(what.id_, std::move(process));
  }

  /// Connects an output to an input of the same type. @param d delays it.
  /// @throws graph_error for a node of another application.
  template <class N1, class B1, class T, class N2, class B2, class U>
    requires std::derived_from<N1, B1> && std::derived_from<N2, B2>
  void connect(const node_ref<N1>& from, output_port<T> B1::*output,
               const node_ref<N2>& to, input_port<U> B2::*input,
               const delay& d = {}) {
    static_assert(std::is_same_v<T, U>,
                  "an output is connected to an input of the same type");
    connect_members(from, output, to, input, d, false);
  }

  /// Connects an output to an input of the same type physically: the receiver
  /// stamps the values by its own clock.
  /// @throws graph_error for a node of another application.
  template <class N1, class B1, class T, class N2, class B2, class U>
    requires std::derived_from<N1, B1> && std::derived_from<N2, B2>
  void connect(const node_ref<N1>& from, output_port<T> B1::*output,
               const node_ref<N2>& to, input_port<U> B2::*input, physical_t) {
    static_assert(std::is_same_v<T, U>,
                  "an output is connected to an input of the same type");
    connect_members(from, output, to, input, delay{}, true);
  }

  /// Connects "node.output" to "node.input". `run()` checks that the ports
  /// exist, and have the same type.
  void connect(std::string_view from, std::string_view to, const delay& d = {});

  /// The same, physically.
  void connect(std::string_view from, std::string_view to, physical_t);

  /// Delivers `(logical_time, T)` to an actor that knows nothing of Rosia, as
  /// an ordinary message for each value, in the order of the tags. The actor is
  /// kept alive until the application is gone. Over several processes, that of
  /// the node hands the values to the actor that was given there.
  template <class N, class B, class T, detail::any_actor_handle Handle>
    requires std::derived_from<N, B>
  void connect(const node_ref<N>& from, output_port<T> B::*output,
               const Handle& receiver) {
    static_assert(
      detail::sendable<T>,
      "an actor gets the values as ordinary messages: CAF has to "
      "be able to send the type (give it an inspect() function, or "
      "CAF_ALLOW_UNSAFE_MESSAGE_TYPE)");
    auto name
      = from.instance_ == nullptr
          ? sink_name(from.name(), {})
          : sink_name(from.name(), (from.instance_->*output).name());
    auto to = create<detail::actor_sink<T>>(
      std::move(name), caf::actor_cast<caf::actor>(receiver));
    place_with(to.id_, from.id_);
    connect(from, output, to, &detail::actor_sink<T>::in);
  }

  // -- running ----------------------------------------------------------------

  /// Runs the graph until it ends, and blocks the calling thread meanwhile,
  /// which must not be one of the actor system's.
  /// @returns 0, the status of a request, or 1 after an error in a node, 128 if
  ///          it was forced by a second signal, 129 if by a deadline.
  /// @throws graph_error for a mistake in the graph, before anything starts.
  /// @throws std::runtime_error if the processes of a distributed application
  ///         do not get together.
  /// @throws std::system_error if the trace or the report cannot be written.
  /// @throws std::logic_error if it ran already.
  int run();

  /// Asks for an end "at once", as the first signal does. From any thread, at
  /// any time: before `run()`, the application ends as soon as it has started.
  void request_shutdown();

  /// Ends the application by force with this status, as a second signal does.
  /// From any thread, at any time.
  void force_shutdown(int status = 128);

  /// Hands a value to a physical input. From any thread, at any time; returns
  /// at once.
  /// @returns false if the value was not taken: too many wait already, or the
  ///          node is gone.
  /// @throws graph_error if the input is not declared physical.
  template <class N, class B, class T, class U>
    requires std::derived_from<N, B> && std::convertible_to<U, T>
  bool inject(const node_ref<N>& to, input_port<T> B::*input, U&& x) {
    return inject(
      *to, (*to).*input,
      engine::value_ptr{
        new engine::box<T>(std::in_place, std::forward<U>(x)), false});
  }

  /// Tells what the application and each of its nodes are about: how far they
  /// have come, what keeps them back, and what is queued. From any thread, at
  /// any time after the graph is built. Waits up to 200 ms for nodes that are
  /// busy; of one that stays so, only what it does is known. Over several
  /// processes it is the same in all; other processes are asked, which may take
  /// up to 2 s if one hangs, and `report::processes` says who has not answered.
  report status() const;

  // -- properties -------------------------------------------------------------

  /// The options that the application runs with.
  const options& opts() const noexcept;

  /// The number of nodes.
  std::size_t size() const noexcept;

private:
  template <class>
  friend class node_ref;

  friend struct detail::application_access;

  struct impl;

  int run_alone();

  int run_with_others();

  int run_with_others(detail::membership& group);

  int run(std::shared_ptr<detail::runtime> run);

  void check_name(const std::string& name) const;

  void check_mine(const application& owner, const std::string& name) const;

  void check_building(const std::string& from) const;

  /// Tells whether the application runs over several processes.
  bool is_distributed() const noexcept;

  engine::node_id add(std::string name, std::unique_ptr<node> instance,
                      const detail::node_type& type);

  engine::node_id add(
    std::string name, std::unique_ptr<detail::node_factory> factory,
    const detail::node_type& type, const std::type_info& info);

  void place(engine::node_id id, std::string process);

  void place_with(engine::node_id id, engine::node_id other);

  template <class N1, class B1, class T, class N2, class B2, class U>
  void connect_members(const node_ref<N1>& from, output_port<T> B1::*output,
                       const node_ref<N2>& to, input_port<U> B2::*input,
                       const delay& d, bool is_physical) {
    check_mine(*from.app_, from.name());
    check_mine(*to.app_, to.name());
    if (from.instance_ != nullptr && to.instance_ != nullptr)
      connect(from.id_, (from.instance_->*output).index(), to.id_,
              (to.instance_->*input).index(), d, is_physical);
    else
      connect(from.id_, detail::make_member_port<N1>(output), to.id_,
              detail::make_member_port<N2>(input), typeid(T), d, is_physical);
  }

  void connect(engine::node_id from, std::uint32_t output, engine::node_id to,
               std::uint32_t input, const delay& d, bool is_physical);

  void connect(engine::node_id from, const detail::member_port& output,
               engine::node_id to, const detail::member_port& input,
               const std::type_info& type, const delay& d, bool is_physical);

  const std::string& name_of(engine::node_id id) const noexcept;

  bool is_local(engine::node_id id) const;

  void* object(engine::node_id id) const;

  bool inject(node& to, input_port_base& input, engine::value_ptr content);

  node_handle handle_of(engine::node_id id) const;

  std::string sink_name(const std::string& node, const std::string& port) const;

  std::unique_ptr<impl> impl_;
};

// -- node_ref -----------------------------------------------------------------

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
