// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/application.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/port_ref.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace caf::rosia {

// -- several ports ------------------------------------------------------------

namespace detail {

/// Ports of nodes in an order: one side of several connections.
struct port_sequence {
  /// All ports of one node that a member is or has.
  struct end {
    member_ref ports;

    /// Adjacent ends with the same number, other than 0, are interleaved.
    std::uint32_t block = 0;
  };

  std::vector<end> ends = {};

  /// Whether they are repeated as often as the other side needs.
  bool repeated = false;

  /// Connects outputs to as many inputs of the same type.
  static void connect(const port_sequence& from, const port_sequence& to,
                      const std::type_info& type, const connection_kind& kind);
};

} // namespace detail

/// References to several ports of nodes, in an order, to connect them with as
/// many other ports [10.2.3]. Valid as long as the application.
/// @tparam Port `input_port<T>` or `output_port<T>`.
template <class Port>
class ports_ref : public detail::port_sequence {
public:
  using port = Port;
};

/// References to outputs that are repeated as often as needed, see `broadcast`.
template <class Port>
class broadcast_ref : public detail::port_sequence {
public:
  using port = Port;
};

/// Inputs, and the kind of the connections to them: the result of
/// `rosia::after(5ms) >>= bank[&worker::in]`.
template <class Port>
struct distant_ports {
  ports_ref<Port> inputs;
  connection_kind kind;
};

namespace detail {

template <class Port>
ports_ref<Port> sequence_of_member(const member_ref& x) {
  ports_ref<Port> result;
  result.ends.push_back({x, 0});
  return result;
}

template <class Port>
ports_ref<Port> sequence_of(const port_ref<Port>& x) {
  return sequence_of_member<Port>(x);
}

template <class Port>
ports_ref<Port> sequence_of(const port_array_ref<Port>& x) {
  return sequence_of_member<Port>(x);
}

template <class Port>
const ports_ref<Port>& sequence_of(const ports_ref<Port>& x) {
  return x;
}

template <class Port>
const broadcast_ref<Port>& sequence_of(const broadcast_ref<Port>& x) {
  return x;
}

/// References to ports, in one of their forms.
template <class T>
concept refers_to_ports = requires(const T& x) {
  sequence_of(x);
};

template <refers_to_ports T>
using sequence_type
  = std::remove_cvref_t<decltype(sequence_of(std::declval<const T&>()))>;

/// Returns references to ports as a sequence. Finds the function by the
/// argument, which may be of a class that is declared later.
template <refers_to_ports T>
decltype(auto) to_sequence(const T& x) {
  return sequence_of(x);
}

template <class T>
inline constexpr bool is_port_ref = false;

template <class Port>
inline constexpr bool is_port_ref<port_ref<Port>> = true;

/// References to ports other than one port.
template <class T>
concept refers_to_several = refers_to_ports<T> && !is_port_ref<T>;

template <class T>
inline constexpr bool is_repeated = false;

template <class Port>
inline constexpr bool is_repeated<broadcast_ref<Port>> = true;

/// Connects several outputs to as many inputs.
template <class From, class To>
void connect_all(const From& from, const To& to, const connection_kind& kind) {
  static_assert(
    !is_repeated<To>, "rosia::broadcast() is the left side of a connection");
  using output = typename sequence_type<From>::port;
  using input = typename sequence_type<To>::port;
  if constexpr (check_ports<output, input>())
    port_sequence::connect(
      sequence_of(from), sequence_of(to), typeid(typename output::value_type),
      kind);
}

/// The class of a port, or of the ports of an array; void for other members.
template <class Member>
struct port_or_element {
  using type = void;
};

template <keeps_port Member>
struct port_or_element<Member> {
  using type = port_in<Member>;
};

template <keeps_ports Member>
struct port_or_element<Member> {
  using type = port_in<element_of<Member>>;
};

} // namespace detail

/// Returns ports of several nodes as one sequence: first those of the first
/// argument, and so on [10.2.3].
///
/// ~~~
/// rosia::ports(left[&camera::image], right[&camera::image])
///   >>= view[&stitcher::images];
/// ~~~
template <detail::refers_to_ports First, detail::refers_to_ports... Rest>
detail::sequence_type<First> ports(const First& first, const Rest&... rest) {
  using result_type = detail::sequence_type<First>;
  static_assert(
    !detail::is_repeated<result_type> && (!detail::is_repeated<Rest> && ...),
    "broadcast() takes all outputs: rosia::broadcast(rosia::ports(...))");
  static_assert(
    (std::is_same_v<result_type, detail::sequence_type<Rest>> && ...),
    "the ports in rosia::ports() are all inputs or all outputs, and have the "
    "same type");
  result_type result;
  std::uint32_t blocks = 0;
  auto add = [&](const detail::port_sequence& from) {
    auto before = blocks;
    for (auto x : from.ends) {
      if (x.block != 0) {
        x.block += before;
        blocks = x.block;
      }
      result.ends.push_back(x);
    }
  };
  add(detail::to_sequence(first));
  (add(detail::to_sequence(rest)), ...);
  return result;
}

/// Returns the ports channel by channel: the first port of each node, then the
/// second ones, and so on [10.2.3]. All nodes have the same number of ports.
template <detail::refers_to_ports T>
detail::sequence_type<T> interleaved(const T& x) {
  static_assert(
    !detail::is_repeated<T>,
    "broadcast() takes all outputs: "
    "rosia::broadcast(rosia::interleaved(...))");
  auto result = detail::to_sequence(x);
  for (auto& end : result.ends)
    end.block = 1;
  return result;
}

/// Repeats outputs as often as needed: each input gets a connection
/// [10.2.3].
///
/// ~~~
/// rosia::broadcast(clock[&rosia::timer::output]) >>= all[&worker::tick];
/// ~~~
template <detail::refers_to_ports T>
auto broadcast(const T& x) {
  using port = typename detail::sequence_type<T>::port;
  static_assert(
    std::derived_from<port, output_port_base>,
    "rosia::broadcast() repeats outputs: it is the left side of >>=");
  broadcast_ref<port> result;
  result.ends = detail::to_sequence(x).ends;
  result.repeated = true;
  return result;
}

/// Sets the kind of the connections to several inputs.
template <std::convertible_to<connection_kind> Kind,
          detail::refers_to_several Ports>
auto operator>>=(const Kind& kind, const Ports& inputs) {
  return distant_ports<typename detail::sequence_type<Ports>::port>{
    detail::to_sequence(inputs), kind};
}

/// Adds a delay or a maximal wait to the kind of the connections.
template <std::convertible_to<connection_kind> Kind, class Port>
distant_ports<Port> operator>>=(
  const Kind& kind, const distant_ports<Port>& to) {
  return {to.inputs, connection_kind{kind} >>= to.kind};
}

/// Connects several outputs to as many inputs, in their order, as
/// `application::connect` does.
template <detail::refers_to_ports From, detail::refers_to_ports To>
  requires(detail::refers_to_several<From> || detail::refers_to_several<To>)
void operator>>=(const From& from, const To& to) {
  detail::connect_all(from, to, {});
}

template <detail::refers_to_ports From, class Port>
void operator>>=(const From& from, const distant_ports<Port>& to) {
  detail::connect_all(from, to.inputs, to.kind);
}

template <detail::refers_to_several From, class Port>
void operator>>=(const From& from, const distant_ref<Port>& to) {
  detail::connect_all(from, to.input, to.kind);
}

// -- banks --------------------------------------------------------------------

/// The type of `bank_index`.
struct bank_index_t {};

/// In place of an argument of `application::create_bank`: the node's index.
inline constexpr bank_index_t bank_index{};

/// An argument that differs from node to node, see `each`.
template <class Fun>
struct each_t {
  Fun fun;
};

/// In place of an argument of `application::create_bank`: the result of
/// `fun(index)` for each node.
template <class Fun>
each_t<Fun> each(Fun fun) {
  static_assert(std::is_invocable_v<const Fun&, std::size_t>,
                "rosia::each() takes a function of the node's index");
  return {std::move(fun)};
}

namespace detail {

inline std::size_t bank_argument(const bank_index_t&, std::size_t index) {
  return index;
}

template <class Fun>
decltype(auto) bank_argument(const each_t<Fun>& x, std::size_t index) {
  return x.fun(index);
}

template <class T>
T& bank_argument(T& x, std::size_t) {
  return x;
}

template <class T>
inline constexpr bool is_bank_argument = std::is_same_v<T, bank_index_t>;

template <class Fun>
inline constexpr bool is_bank_argument<each_t<Fun>> = true;

/// Returns an argument of `create_bank` for reading. Nodes share a temporary
/// object, and may change an object with a name.
template <class T>
auto& shared_argument(std::remove_reference_t<T>& x) {
  if constexpr (is_bank_argument<
                  std::remove_cvref_t<T>> || !std::is_reference_v<T>)
    return std::as_const(x);
  else
    return x;
}

} // namespace detail

/// Refers to a node or a composite: `node_ref<T>` or `composite_ref<T>`.
template <class T>
using reference_to = std::conditional_t<
  std::derived_from<T, composite>, composite_ref<T>, node_ref<T>>;

/// Refers to the nodes or composites of a bank. Valid as long as the
/// application.
template <class T>
class bank_ref {
public:
  /// Returns the number of nodes.
  std::size_t size() const noexcept {
    return nodes_.size();
  }

  /// @pre `index < size()`
  const reference_to<T>& operator[](std::size_t index) const noexcept {
    return nodes_[index];
  }

  /// Returns references to a port of each node, or to all ports of each node's
  /// channel, node by node [10.2.3].
  template <class Member, class Base>
  auto operator[](Member Base::*which) const {
    using port = typename detail::port_or_element<Member>::type;
    static_assert(!std::is_void_v<port>, "the member of the nodes is no port");
    ports_ref<port> result;
    for (auto& node : nodes_) {
      auto ports = detail::to_sequence(node[which]).ends;
      result.ends.insert(result.ends.end(), ports.begin(), ports.end());
    }
    return result;
  }

  auto begin() const noexcept {
    return nodes_.begin();
  }

  auto end() const noexcept {
    return nodes_.end();
  }

private:
  friend class application;

  std::vector<reference_to<T>> nodes_;
};

// -- application --------------------------------------------------------------

template <class T, class... Ts>
bank_ref<T> application::create_bank(
  const std::string& name, std::size_t size, Ts&&... xs) {
  check_name(name);
  return make_bank<T>(name, size, std::forward<Ts>(xs)...);
}

template <class T, class... Ts>
bank_ref<T> application::make_bank(
  const std::string& path, std::size_t size, Ts&&... xs) {
  constexpr auto fits = std::constructible_from<
    T, decltype(detail::bank_argument(detail::shared_argument<Ts>(xs), 0))...>;
  static_assert(
    fits, "the constructor of the class does not take what follows the "
          "number of nodes in application::create_bank");
  add_bank(path, size);
  bank_ref<T> result;
  result.nodes_.reserve(size);
  if constexpr (fits)
    for (std::size_t i = 0; i < size; ++i)
      result.nodes_.push_back(make<T>(
        path + '[' + std::to_string(i) + ']',
        detail::bank_argument(detail::shared_argument<Ts>(xs), i)...));
  return result;
}

template <class T, execution_mode Mode, class... Ts>
bank_ref<T> application::create_bank(
  const std::string& name, std::size_t size, Ts&&... xs) {
  auto result = create_bank<T>(name, size, std::forward<Ts>(xs)...);
  if constexpr (Mode == separate)
    for (auto& node : result)
      separate_node(node.id_);
  return result;
}

} // namespace caf::rosia
