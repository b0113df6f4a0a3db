// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/fixed_array.hpp"
#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/port.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf::rosia {

// -- ports_base ---------------------------------------------------------------

/// The common part of `input_ports` and `output_ports`.
class ports_base : public member_base {
public:
  /// Returns the number of ports.
  std::size_t size() const noexcept {
    return size_;
  }

  bool empty() const noexcept {
    return size_ == 0;
  }

protected:
  enum class direction : std::uint8_t { in, out };

  ports_base(const detail::member_parent& parent, std::string name,
             direction kind, std::size_t size);

  ~ports_base() = default;

  /// Returns the name of a port: "in[2]".
  std::string name_of(std::size_t index) const {
    return name() + '[' + std::to_string(index) + ']';
  }

  void require_port(std::size_t index) const {
    if (index >= size_) [[unlikely]]
      throw_no_port(index);
  }

  /// Makes a port one of this channel.
  static void number(input_port_base& port) noexcept;

  /// Replaces the content of `indices` by the indices of the inputs that have a
  /// value of the current tag, in ascending order.
  void find_present(std::vector<std::uint32_t>& indices) const;

private:
  friend struct detail::member_access;

  [[noreturn]] void throw_no_port(std::size_t index) const;

  std::size_t size_;
  std::uint32_t first_; // the index of the first port in the node
  direction kind_;
};

namespace detail {

/// The ports of `input_ports` and `output_ports`.
template <class Port>
class channel_ports : public ports_base {
public:
  /// @throws std::out_of_range if there is no such port.
  Port& operator[](std::size_t index) {
    require_port(index);
    return ports_[index];
  }

  const Port& operator[](std::size_t index) const {
    require_port(index);
    return ports_[index];
  }

  auto begin() noexcept {
    return ports_.begin();
  }

  auto begin() const noexcept {
    return ports_.begin();
  }

  auto end() noexcept {
    return ports_.end();
  }

  auto end() const noexcept {
    return ports_.end();
  }

protected:
  /// @param xs passed to each port after its name.
  template <class Node, class... Ts>
  channel_ports(Node* parent, std::string name, direction kind,
                std::size_t size, const Ts&... xs)
    : ports_base(member_parent{parent}, std::move(name), kind, size),
      ports_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      auto& port = ports_.emplace_back(parent, name_of(i), xs...);
      if constexpr (std::is_base_of_v<input_port_base, Port>)
        number(port);
    }
  }

  ~channel_ports() = default;

  fixed_array<Port> ports_;
};

} // namespace detail

// -- inputs -------------------------------------------------------------------

/// The inputs of a channel that have a value of the current tag.
template <class T>
class present_ports {
public:
  /// An input, and its index: `for (auto [index, port] : in.present())`.
  struct value_type {
    std::size_t index;
    const input_port<T>& port;
  };

  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = present_ports::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    iterator(const present_ports* all, const std::uint32_t* at) noexcept
      : all_(all), at_(at) {
      // nop
    }

    value_type operator*() const noexcept {
      return {*at_, (*all_->ports_)[*at_]};
    }

    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }

    iterator operator++(int) noexcept {
      auto result = *this;
      ++at_;
      return result;
    }

    friend bool operator==(iterator x, iterator y) noexcept {
      return x.at_ == y.at_;
    }

  private:
    const present_ports* all_;
    const std::uint32_t* at_;
  };

  present_ports(const detail::fixed_array<input_port<T>>& ports,
                const std::vector<std::uint32_t>& indices) noexcept
    : ports_(&ports), indices_(&indices) {
    // nop
  }

  std::size_t size() const noexcept {
    return indices_->size();
  }

  bool empty() const noexcept {
    return indices_->empty();
  }

  iterator begin() const noexcept {
    return {this, indices_->data()};
  }

  iterator end() const noexcept {
    return {this, indices_->data() + indices_->size()};
  }

private:
  const detail::fixed_array<input_port<T>>* ports_;
  const std::vector<std::uint32_t>* indices_;
};

/// Several inputs of a node with one name. A reaction to all of them names them
/// like a single input [10.2.1]:
///
/// ~~~
/// struct adder : rosia::node {
///   explicit adder(std::size_t n) : in{this, "in", n} {}
///   rosia::input_ports<int> in; // the ports are in[0], in[1], ...
///   rosia::output_port<int> sum{this, "sum"};
///   rosia::reaction on_in{this, "on_in", in, [this] {
///     auto result = 0;
///     for (auto [index, port] : in.present())
///       result += *port;
///     sum(result);
///   }};
/// };
/// ~~~
template <class T>
class input_ports final : public detail::channel_ports<input_port<T>> {
  using super = detail::channel_ports<input_port<T>>;

public:
  using value_type = T;

  /// @param parent the node that the ports are members of: `this`.
  /// @param size the number of ports. Without any, a reaction to them never
  ///   runs.
  /// @throws graph_error for an invalid or duplicate name, or for more than a
  /// million ports.
  template <class Node>
  input_ports(Node* parent, std::string name, std::size_t size)
    : super(parent, std::move(name), super::direction::in, size) {
    // nop
  }

  /// Makes ports that may be left unconnected.
  template <class Node>
  input_ports(Node* parent, std::string name, std::size_t size,
              optional_input_t kind)
    : super(parent, std::move(name), super::direction::in, size, kind) {
    // nop
  }

  /// Returns the ports that have a value of the current tag, with their
  /// indices, in order, in time in proportion to the number of inputs of the
  /// node that have one. Valid until the reaction ends or yields.
  present_ports<T> present() const {
    this->find_present(present_);
    return {this->ports_, present_};
  }

private:
  mutable std::vector<std::uint32_t> present_; // kept for its memory
};

// -- outputs ------------------------------------------------------------------

/// Several outputs of a node with one name [10.2.1]:
///
/// ~~~
/// explicit router(std::size_t n) : out{this, "out", n} {}
/// rosia::output_ports<int> out; // the ports are out[0], out[1], ...
/// rosia::reaction on_in{this, "on_in", {in}, [this] {
///   out[*in % out.size()](*in);
/// }};
/// ~~~
template <class T>
class output_ports final : public detail::channel_ports<output_port<T>> {
  using super = detail::channel_ports<output_port<T>>;

public:
  using value_type = T;

  /// @param parent the node that the ports are members of: `this`.
  /// @throws graph_error for an invalid or duplicate name, or for more than a
  /// million ports.
  template <class Node>
  output_ports(Node* parent, std::string name, std::size_t size)
    : super(parent, std::move(name), super::direction::out, size) {
    // nop
  }
};

} // namespace caf::rosia
