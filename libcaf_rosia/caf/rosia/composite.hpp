// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/application.hpp"
#include "caf/rosia/bank.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/port_ref.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia {

// -- composite ----------------------------------------------------------------

/// The base of all composites: reusable parts of a graph that are made of nodes
/// and of other composites [10.9.1]. The class has parts, inlets and outlets as
/// members, and its constructor connects them:
///
/// ~~~
/// struct servo : rosia::composite {
///   explicit servo(double gain) : control{this, "control", gain} {
///     angle >>= control[&controller::angle];
///     control[&controller::force] >>= drive[&motor::force];
///   }
///   rosia::inlet<double> angle{this, "angle"};
///   rosia::part<controller> control;
///   rosia::part<motor> drive{this, "drive"};
/// };
/// auto legs = app.create_bank<servo>("leg", 6, 2.5); // "leg[0].control", ...
/// ~~~
///
/// A composite has no code that runs at a tag. With several processes, its
/// constructor runs in each of them, and only declares; the nodes are created
/// where they run.
class composite {
public:
  /// @throws std::logic_error if the composite is created other than by
  /// `application::create`, by `create_bank`, or as a part.
  composite();

  composite(const composite&) = delete;

  composite& operator=(const composite&) = delete;

  virtual ~composite();

  /// Returns the composite's name, with those of the composites around it:
  /// "robot.leg[0]".
  const std::string& name() const noexcept {
    return name_;
  }

private:
  friend class detail::relay;

  friend struct detail::composite_access;

  application* app_;
  std::string name_;
  std::uint32_t index_; // among the composites of the application
};

namespace detail {

/// The construction of a composite: until it is destroyed, all nodes are parts
/// of this composite.
class composite_scope {
public:
  composite_scope(application& owner, std::string path);

  composite_scope(const composite_scope&) = delete;

  composite_scope& operator=(const composite_scope&) = delete;

  ~composite_scope();

  /// Keeps the composite as long as the application.
  void keep(std::shared_ptr<composite> x);

private:
  friend class caf::rosia::composite;

  application* owner_;
  std::string path_;
  std::uint32_t index_;
  bool used_ = false;
  composite_scope* outer_;
};

/// The common part of inlets and outlets. They exist only in the declaration of
/// a graph.
class relay {
public:
  relay(const relay&) = delete;

  relay& operator=(const relay&) = delete;

  /// Returns the relay as a port. For the library.
  const member_ref& ref() const noexcept {
    return ref_;
  }

protected:
  relay(const composite& parent, const std::string& name, bool is_inlet,
        const std::type_info& type);

  ~relay() = default;

private:
  member_ref ref_;
};

template <class T>
const composite& composite_parent(T* parent) {
  static_assert(
    std::derived_from<T, composite>,
    "inlets, outlets and parts are members of a class that derives "
    "from rosia::composite, and their first argument is `this`");
  return *parent;
}

} // namespace detail

// -- inlets and outlets -------------------------------------------------------

/// An input of a composite. Its constructor connects the inlet to its parts,
/// `angle >>= control[&controller::angle]`. From outside, it is connected like
/// an input, `... >>= leg[&servo::angle]` [10.9.2].
template <class T>
class inlet : public detail::relay {
public:
  using outside = input_port<T>;
  using inner_port = output_port<T>;

  /// @param parent the composite that the inlet is a member of: `this`.
  /// @throws graph_error for an invalid or duplicate name.
  template <class Composite>
  inlet(Composite* parent, const std::string& name)
    : relay(detail::composite_parent(parent), name, true, typeid(T)) {
    // nop
  }
};

/// An output of a composite, see `inlet`.
template <class T>
class outlet : public detail::relay {
public:
  using outside = output_port<T>;
  using inner_port = input_port<T>;

  /// @param parent the composite that the outlet is a member of: `this`.
  /// @throws graph_error for an invalid or duplicate name.
  template <class Composite>
  outlet(Composite* parent, const std::string& name)
    : relay(detail::composite_parent(parent), name, false, typeid(T)) {
    // nop
  }
};

namespace detail {

/// Several inlets or outlets with one name.
template <class Relay>
class relays {
public:
  using outside = typename Relay::outside;
  using inner_port = typename Relay::inner_port;

  template <class Composite>
  relays(Composite* parent, const std::string& name, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      all_.emplace_back(parent, name + '[' + std::to_string(i) + ']');
  }

  std::size_t size() const noexcept {
    return all_.size();
  }

  /// @pre `index < size()`
  const Relay& operator[](std::size_t index) const noexcept {
    return all_[index];
  }

  auto begin() const noexcept {
    return all_.begin();
  }

  auto end() const noexcept {
    return all_.end();
  }

private:
  std::deque<Relay> all_;
};

} // namespace detail

/// Several inlets with one name: `inlets<int>{this, "in", n}`.
template <class T>
class inlets : public detail::relays<inlet<T>> {
public:
  using detail::relays<inlet<T>>::relays;
};

/// Several outlets with one name: `outlets<int>{this, "out", n}`.
template <class T>
class outlets : public detail::relays<outlet<T>> {
public:
  using detail::relays<outlet<T>>::relays;
};

namespace detail {

/// A member of a composite that can be connected from outside.
template <class T>
concept one_relay = std::derived_from<T, relay>;

template <class T>
concept several_relays = requires {
  typename T::outside;
}
&&!one_relay<T>;

/// Returns inlets or outlets as ports.
template <class Port, class T>
ports_ref<Port> sequence_of_relays(const T& x) {
  ports_ref<Port> result;
  if constexpr (one_relay<T>)
    result.ends.push_back({x.ref(), 0});
  else
    for (auto& y : x)
      result.ends.push_back({y.ref(), 0});
  return result;
}

// For their composite, inlets are outputs, and outlets are inputs.

template <one_relay T>
struct port_or_element<T> {
  using type = typename T::outside;
};

template <several_relays T>
struct port_or_element<T> {
  using type = typename T::outside;
};

template <one_relay T>
ports_ref<typename T::inner_port> sequence_of(const T& x) {
  return sequence_of_relays<typename T::inner_port>(x);
}

template <several_relays T>
ports_ref<typename T::inner_port> sequence_of(const T& x) {
  return sequence_of_relays<typename T::inner_port>(x);
}

} // namespace detail

// -- references and parts -----------------------------------------------------

/// Refers to a composite of an application. Valid as long as the application.
template <class T>
class composite_ref {
public:
  /// Returns a reference to an inlet or an outlet, to connect it from outside:
  /// `leg[&servo::angle]`.
  template <class Member, class Base>
  auto operator[](Member Base::*which) const {
    static_assert(
      std::derived_from<T, Base>,
      "the inlet or outlet is not a member of the composite's "
      "class");
    static_assert(
      detail::one_relay<Member> || detail::several_relays<Member>,
      "from outside, only inlets and outlets of a composite can be "
      "connected");
    if constexpr (detail::one_relay<Member>)
      return port_ref<typename Member::outside>{(instance_->*which).ref()};
    else if constexpr (detail::several_relays<Member>)
      return detail::sequence_of_relays<typename Member::outside>(
        instance_->*which);
  }

  /// Returns the composite's name.
  const std::string& name() const noexcept {
    return instance_->name();
  }

  /// Accesses the composite's members, such as its parts.
  const T* operator->() const noexcept {
    return instance_;
  }

private:
  friend class application;

  explicit composite_ref(const T* instance) noexcept : instance_(instance) {
    // nop
  }

  const T* instance_;
};

namespace detail {

/// Access of parts to their application.
struct composite_access {
  template <class T, class... Ts>
  static auto create(const composite& parent, const std::string& name,
                     Ts&&... xs) {
    return parent.app_->template make<T>(
      path_of(parent, name), std::forward<Ts>(xs)...);
  }

  template <class T, class... Ts>
  static bank_ref<T> create_bank(
    const composite& parent, const std::string& name, std::size_t size,
    Ts&&... xs) {
    return parent.app_->template make_bank<T>(
      path_of(parent, name), size, std::forward<Ts>(xs)...);
  }

  static std::uint32_t index(const composite& x) noexcept {
    return x.index_;
  }

  /// @throws graph_error for an invalid name.
  static std::string path_of(const composite& parent, const std::string& name);
};

} // namespace detail

/// A node, or a composite, in a composite, and a reference to it. The node's
/// name is that of the composite, a dot, and the part's name:
/// "leg[0].control". Only the constructor of the composite may connect it
/// [10.9.3].
template <class T>
class part : public reference_to<T> {
public:
  /// Creates the node or the composite.
  /// @param parent the composite that the part is a member of: `this`.
  /// @param xs the arguments of the constructor of `T`.
  /// @throws graph_error for an invalid or duplicate name.
  template <class Composite, class... Ts>
  part(Composite* parent, const std::string& name, Ts&&... xs)
    : reference_to<T>(detail::composite_access::create<T>(
      detail::composite_parent(parent), name, std::forward<Ts>(xs)...)) {
    // nop
  }
};

/// Several parts of one class: a bank [10.2.2] in a composite.
template <class T>
class parts : public bank_ref<T> {
public:
  /// Creates the nodes or composites.
  /// @param xs as for `application::create_bank`.
  template <class Composite, class... Ts>
  parts(Composite* parent, const std::string& name, std::size_t size,
        Ts&&... xs)
    : bank_ref<T>(detail::composite_access::create_bank<T>(
      detail::composite_parent(parent), name, size, std::forward<Ts>(xs)...)) {
    // nop
  }
};

// -- application --------------------------------------------------------------

template <std::derived_from<composite> T, class... Ts>
composite_ref<T> application::create(std::string name, Ts&&... xs) {
  static_assert(
    std::constructible_from<T, Ts...>,
    "the constructor of the composite's class does not take what "
    "follows the name in application::create");
  check_name(name);
  return make<T>(std::move(name), std::forward<Ts>(xs)...);
}

template <std::derived_from<composite> T, class... Ts>
composite_ref<T> application::make(std::string path, Ts&&... xs) {
  detail::composite_scope scope{*this, std::move(path)};
  auto instance = std::make_shared<T>(std::forward<Ts>(xs)...);
  scope.keep(instance);
  return composite_ref<T>{instance.get()};
}

template <class T>
void application::place(const composite_ref<T>& which,
                        const std::string& process) {
  place(static_cast<const composite&>(*which.operator->()), process);
}

} // namespace caf::rosia
