// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/find_port.hpp"
#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/port.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

namespace caf::rosia {

namespace detail {

// -- ports by their members ---------------------------------------------------

/// The ports that a member of a node is or has, by their indices.
using port_indices = engine::small_list<std::uint32_t>;

/// A port, or an array of ports, of a node that may not exist in this process:
/// a pointer to a member, and a function that applies it.
struct member_port {
  /// In place of the index of an element: all ports of an array.
  static constexpr auto all = ~std::size_t{0};

  /// Adds the indices of the ports.
  /// @param object the node, as an object of its class.
  void (*list)(void* object, const member_port& self, port_indices& into)
    = nullptr;

  std::ptrdiff_t member = 0;

  /// The index, if the member is an array of ports, or `all`.
  std::size_t element = all;
};

[[noreturn]] void throw_no_element(std::size_t element, std::size_t size);

[[noreturn]] void throw_empty_member();

template <class T>
std::uint32_t index_of(T& x) {
  if (auto* port = find_port(x))
    return port->index();
  throw_empty_member();
}

template <class T>
void list_ports(T& xs, std::size_t element, port_indices& into) {
  if (element == member_port::all) {
    for (auto& x : xs)
      into.push_back(index_of(x));
    return;
  }
  auto size
    = static_cast<std::size_t>(std::distance(std::begin(xs), std::end(xs)));
  if (element >= size)
    throw_no_element(element, size);
  into.push_back(
    index_of(*std::next(std::begin(xs), static_cast<std::ptrdiff_t>(element))));
}

/// @tparam N the node's class.
/// @tparam B the base of `N` that has the port.
template <class N, class B, class Member>
member_port make_member_port(Member B::*x) noexcept {
  static_assert(sizeof(x) == sizeof(std::ptrdiff_t));
  return {[](void* object, const member_port& self, port_indices& into) {
            auto ptr = std::bit_cast<Member B::*>(self.member);
            auto& member = static_cast<N*>(object)->*ptr;
            if constexpr (keeps_port<Member>)
              into.push_back(index_of(member));
            else if constexpr (keeps_ports<Member>)
              list_ports(member, self.element, into);
          },
          std::bit_cast<std::ptrdiff_t>(x)};
}

/// A member of a node in an application.
class member_ref {
public:
  /// @param instance the node as an object of its class; null if it does not
  ///   exist here.
  member_ref(application& owner, engine::node_id node, void* instance,
             const member_port& member) noexcept
    : owner_(&owner), node_(node), instance_(instance), member_(member) {
    // nop
  }

  application& owner() const noexcept {
    return *owner_;
  }

  engine::node_id node() const noexcept {
    return node_;
  }

  /// Returns null if another process may run the node.
  void* instance() const noexcept {
    return instance_;
  }

  const member_port& member() const noexcept {
    return member_;
  }

  /// Returns one port of an array.
  member_ref at(std::size_t element) const noexcept {
    auto result = *this;
    result.member_.element = element;
    return result;
  }

private:
  application* owner_;
  engine::node_id node_;
  void* instance_;
  member_port member_;
};

// -- ends of a connection ----------------------------------------------------

/// Reports a port in place of a reference to it.
template <class... Ports>
constexpr void without_node_ref() {
  static_assert(
    sizeof...(Ports) > 1000,
    "a port is connected as node[&the_class::port], and not as "
    "node->port");
}

/// Reports mistakes in the ends of a connection.
template <class Output, class Input>
constexpr bool check_ports() {
  constexpr auto swapped
    = std::derived_from<
        Output, input_port_base> && std::derived_from<Input, output_port_base>;
  constexpr auto from_output = std::derived_from<Output, output_port_base>;
  constexpr auto to_input = std::derived_from<Input, input_port_base>;
  static_assert(!swapped, "the output comes first, then the input: swap them");
  static_assert(swapped || from_output,
                "a connection leads from an output, and this is an input");
  static_assert(swapped || to_input,
                "a connection leads to an input, and this is an output");
  if constexpr (from_output && to_input) {
    constexpr auto same_type
      = std::is_same_v<typename Output::value_type, typename Input::value_type>;
    static_assert(
      same_type,
      "the output and the input have different types: both must have the same "
      "type, or a node between them must convert the values");
    return same_type;
  } else {
    return false;
  }
}

/// The class and the type of a pointer to a member.
template <class>
struct member_traits;

template <class Member, class Class>
struct member_traits<Member Class::*> {
  using member = Member;
  using owner = Class;
};

/// Reports mistakes in the ends, which are nodes and pointers to their members.
template <class N1, class Member1, class N2, class Member2>
constexpr bool check_ends() {
  using from = member_traits<Member1>;
  using to = member_traits<Member2>;
  constexpr auto owned
    = std::derived_from<
        N1, typename from::owner> && std::derived_from<N2, typename to::owner>;
  static_assert(owned, "the port is not a member of the node's class");
  constexpr auto arrays
    = keeps_ports<typename from::member> || keeps_ports<typename to::member>;
  static_assert(!arrays, "one port of an array is connected as "
                         "node[&the_class::the_array][index]");
  constexpr auto ports
    = keeps_port<typename from::member> && keeps_port<typename to::member>;
  static_assert(arrays || ports, "only ports can be connected");
  if constexpr (owned && ports)
    return check_ports<port_in<typename from::member>,
                       port_in<typename to::member>>();
  else
    return false;
}

} // namespace detail

// -- kinds of connections -----------------------------------------------------

/// How a connection treats its values: the last argument of
/// `application::connect`. Made from a delay, `physical`, `keep_latest(n)` or
/// `maxwait(d)`. `after(d) >>= maxwait(d)` has a delay and a maximal wait.
struct connection_kind {
  connection_kind() = default;

  template <std::convertible_to<delay> Delay>
  connection_kind(const Delay& d) : distance(d) {
    // nop
  }

  connection_kind(physical_t) noexcept : physical(true) {
    // nop
  }

  connection_kind(const keep_latest_t& x) noexcept
    : physical(true), keep_latest(x.count) {
    // nop
  }

  connection_kind(const maxwait_t& x) noexcept : wait(x.wait) {
    // nop
  }

  /// The delay of a logical connection.
  delay distance = {};

  bool physical = false;

  /// The number of values that may wait for a tag; none if the connection drops
  /// the newest values instead.
  std::optional<std::uint32_t> keep_latest = {};

  /// The maximal wait for a late sender [10.10.1]; none without a limit.
  std::optional<time_span> wait = {};
};

/// Combines a delay and a maximal wait.
/// @throws graph_error for other kinds, which do not go together.
connection_kind operator>>=(
  const connection_kind& first, const connection_kind& second);

// -- references ---------------------------------------------------------------

/// A reference to a port of a node, for connections:
///
/// ~~~
/// count[&counter::output] >>= print[&printer::value];
/// count[&counter::output] >>= rosia::after(5ms) >>= print[&printer::late];
/// count[&counter::output] >>= rosia::physical >>= print[&printer::now];
/// count[&counter::output] >>= rosia::keep_latest(1) >>= print[&printer::last];
/// count[&counter::output] >>= rosia::maxwait(5ms) >>= print[&printer::soon];
/// bank[&bank::outputs][2] >>= print[&printer::third];
/// ~~~
///
/// `application::connect` takes it, too. `node_ref::operator[]` makes it. It is
/// valid as long as the application.
/// @tparam Port `input_port<T>` or `output_port<T>`.
template <class Port>
class port_ref : public detail::member_ref {
public:
  explicit port_ref(const detail::member_ref& x) noexcept : member_ref(x) {
    // nop
  }

private:
  using detail::member_ref::at;
};

/// A reference to all ports of an array, which can be connected together
/// [10.2.3], or one by one. Include `caf/rosia/bank.hpp` (or `all.hpp`) to
/// connect them together.
template <class Port>
class port_array_ref : public detail::member_ref {
public:
  explicit port_array_ref(const detail::member_ref& all) noexcept
    : member_ref(all) {
    // nop
  }

  /// Returns the port at `index`. The index is checked when the port is
  /// connected; with several processes, when the application starts.
  port_ref<Port> operator[](std::size_t index) const noexcept {
    return port_ref<Port>{at(index)};
  }

private:
  using detail::member_ref::at;
};

/// An input, and the kind of a connection to it: the result of
/// `rosia::after(5ms) >>= input`.
template <class Port>
struct distant_ref {
  port_ref<Port> input;
  connection_kind kind;
};

/// Sets the kind of the connection to `input`: `output >>= rosia::after(5ms)
/// >>= input`.
template <std::convertible_to<connection_kind> Kind, class Port>
distant_ref<Port> operator>>=(const Kind& kind, const port_ref<Port>& input) {
  return {input, kind};
}

/// Adds a delay or a maximal wait to the kind of a connection: `output >>=
/// rosia::after(5ms) >>= rosia::maxwait(10ms) >>= input`.
template <std::convertible_to<connection_kind> Kind, class Port>
distant_ref<Port> operator>>=(const Kind& kind, const distant_ref<Port>& to) {
  return {to.input, connection_kind{kind} >>= to.kind};
}

/// Never compiles: a port is given without its node.
template <class Output, class Input>
  requires(
    std::derived_from<
      Output, output_port_base> || std::derived_from<Input, input_port_base>)
void operator>>=(const Output&, const Input&) {
  detail::without_node_ref<Output, Input>();
}

namespace detail {

template <class Member>
auto make_port_ref(const member_ref& x) {
  static_assert(keeps_port<Member>, "the member of the node is no port");
  if constexpr (keeps_port<Member>)
    return port_ref<port_in<Member>>{x};
}

} // namespace detail

} // namespace caf::rosia
