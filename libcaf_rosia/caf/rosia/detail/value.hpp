// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/compat.hpp"

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/serializer.hpp>

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia::engine {

class value;

/// Whether a payload is stored within the message, without an allocation.
template <class T>
inline constexpr bool is_small_payload
  = std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && alignof(T) <= 8;

/// Reference-counted storage of a payload that is not small.
struct shared_payload {
  mutable std::atomic<std::size_t> shares{1};
};

/// A payload of type `T` in shared memory: the only allocation of a message.
template <class T>
struct box final : shared_payload {
  template <class... Ts>
  explicit box(std::in_place_t, Ts&&... xs) : content(std::forward<Ts>(xs)...) {
    // nop
  }

  const T content;
};

/// Describes a type of payloads.
struct payload_type {
  const std::type_info* info;

  /// Null if the payloads are small.
  void (*destroy)(const shared_payload* x) noexcept;

  /// Writes a payload in CAF's format. Null if CAF cannot.
  caf::error (*save)(caf::serializer& to, const value& x);

  /// Reads a payload in CAF's format. Null if no other process can send it: CAF
  /// cannot serialise the type, or the type has no default constructor.
  value (*load)(caf::deserializer& from, caf::error& problem);
};

/// Returns the description of payloads of type `T`.
/// @tparam Small whether they are stored in the `value` itself.
template <class T, bool Small = is_small_payload<T>>
const payload_type& payload_type_of() noexcept;

/// A payload of a type that the engine does not know, or nothing. Payloads are
/// immutable. Copies of a `value` share a payload that is not small, and may be
/// used in different threads.
class value {
public:
  // -- constructors, destructors, assignment operators ------------------------

  constexpr value() noexcept = default;

  value(const value& other) noexcept {
    fill(other);
  }

  value(value&& other) noexcept : type_(std::exchange(other.type_, nullptr)) {
    set_words(other.words());
  }

  value& operator=(const value& other) noexcept {
    return *this = value{other};
  }

  value& operator=(value&& other) noexcept {
    auto* type = std::exchange(other.type_, nullptr);
    auto content = other.words();
    if (is_shared())
      drop_share();
    type_ = type;
    set_words(content);
    return *this;
  }

  [[gnu::always_inline]] ~value() {
    if (is_shared())
      drop_share();
  }

  /// Copies `other`, faster than an assignment.
  /// @pre `*this` is empty.
  [[gnu::always_inline]] void fill(const value& other) noexcept {
    type_ = other.type_;
    set_words(other.words());
    if (is_shared())
      shared()->shares.fetch_add(1, std::memory_order_relaxed);
  }

  /// Moves the payload of `other`, which is empty afterwards. Faster than an
  /// assignment.
  /// @pre `this != &other`
  [[gnu::always_inline]] void take(value& other) noexcept {
    if (is_shared())
      drop_share();
    type_ = std::exchange(other.type_, nullptr);
    set_words(other.words());
  }

  friend void swap(value& x, value& y) noexcept {
    std::swap(x.type_, y.type_);
    auto content = x.words();
    x.set_words(y.words());
    y.set_words(content);
  }

  // -- properties -------------------------------------------------------------

  explicit operator bool() const noexcept {
    return type_ != nullptr;
  }

  /// Returns the payload's type.
  /// @pre There is a payload.
  const std::type_info& type() const noexcept {
    return *type_->info;
  }

  /// Returns the payload. If it is not small, the reference stays valid as long
  /// as any `value` shares the payload.
  /// @pre The payload is a `T`.
  template <class T, bool Small = is_small_payload<T>>
  const T& get() const noexcept {
    if constexpr (Small)
      return *std::launder(reinterpret_cast<const T*>(memory_));
    else
      return static_cast<const box<T>*>(shared())->content;
  }

  /// Writes the payload in CAF's format.
  /// @returns an error if CAF cannot.
  caf::error save(caf::serializer& to) const;

  /// Returns a hash of the serialised payload, for traces. Equal payloads have
  /// equal hashes. None if the payload cannot be serialised.
  std::optional<std::uint64_t> digest() const;

private:
  template <class T, class... Ts>
  friend value make_value(Ts&&... xs);

  template <class T, class... Ts>
  friend value make_shared_value(Ts&&... xs);

  /// The memory as one vector, which is always loaded and stored as a whole.
  /// Loading a vector just after its words were stored one by one stalls the
  /// processor, and each message is copied several times.
  using memory_words [[gnu::vector_size(16)]] = std::uint64_t;

  /// The vector as it is in memory. Compilers would turn a `memcpy` into
  /// several words.
  using stored_words [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]]
  = std::uint64_t;

  /// Holds a small payload, or a pointer to a shared one.
  template <class T>
  value(const payload_type& type, const T& x) noexcept : type_(&type) {
    set_words(words_of(x));
  }

  /// Returns the bytes of `x`, padded with zeros. Compilers keep scalars in
  /// registers this way, but pass the target of a `memcpy` through memory.
  template <class T>
  static memory_words words_of(const T& x) noexcept {
    if constexpr (std::is_scalar_v<T> && sizeof(T) == 8) {
      return memory_words{std::bit_cast<std::uint64_t>(x), 0};
    } else if constexpr (std::is_scalar_v<T> && sizeof(T) == 4
                         && std::endian::native == std::endian::little) {
      return memory_words{std::bit_cast<std::uint32_t>(x), 0};
    } else {
      memory_words result{};
      std::memcpy(&result, &x, sizeof(x));
      return result;
    }
  }

  memory_words words() const noexcept {
    return *reinterpret_cast<const stored_words*>(memory_);
  }

  void set_words(memory_words x) noexcept {
    *reinterpret_cast<stored_words*>(memory_) = x;
  }

  bool is_shared() const noexcept {
    return type_ != nullptr && type_->destroy != nullptr;
  }

  const shared_payload* shared() const noexcept {
    const shared_payload* result;
    std::memcpy(&result, memory_, sizeof(result));
    return result;
  }

  /// Releases a share, and destroys the payload with the last one. The holder
  /// of the only share needs no locked instruction.
  [[gnu::noinline]] void drop_share() const noexcept {
    auto* x = shared();
    if (x->shares.load(std::memory_order_acquire) == 1
        || x->shares.fetch_sub(1, std::memory_order_acq_rel) == 1)
      type_->destroy(x);
  }

  const payload_type* type_ = nullptr;
  alignas(8) std::byte memory_[16] = {}; // the payload, or a pointer to it
};

/// Makes a payload of type `T` in shared memory even if it is small. References
/// to it stay valid as long as it is shared.
template <class T, class... Ts>
value make_shared_value(Ts&&... xs) {
  const shared_payload* x = new box<T>(std::in_place, std::forward<Ts>(xs)...);
  return value{payload_type_of<T, false>(), x};
}

/// Makes a payload of type `T`.
template <class T, class... Ts>
value make_value(Ts&&... xs) {
  if constexpr (is_small_payload<T>)
    return value{payload_type_of<T>(), T(std::forward<Ts>(xs)...)};
  else
    return make_shared_value<T>(std::forward<Ts>(xs)...);
}

/// A small payload of type `T` for the duration of a call. It needs no
/// destruction.
template <class T>
union small_value {
public:
  explicit small_value(const T& x) noexcept : content_(make_value<T>(x)) {
    // nop
  }

  small_value(const small_value&) = delete;

  small_value& operator=(const small_value&) = delete;

  ~small_value() {
    // nop
  }

  const value& get() const noexcept {
    return content_;
  }

private:
  value content_;
};

/// The functions in `payload_type_of`.
template <class T, bool Small>
struct payload_functions {
  static void destroy(const shared_payload* x) noexcept {
    delete static_cast<const box<T>*>(x);
  }

  static caf::error save(caf::serializer& to, const value& x) {
    return detail::save_content(to, x.get<T, Small>());
  }

  static value load(caf::deserializer& from, caf::error& problem) {
    T content{};
    problem = detail::load_content(from, content);
    if (problem)
      return {};
    if constexpr (Small)
      return make_value<T>(std::move(content));
    else
      return make_shared_value<T>(std::move(content));
  }
};

template <class T, bool Small>
const payload_type& payload_type_of() noexcept {
  using functions = payload_functions<T, Small>;
  static constexpr auto result = [] {
    payload_type x{&typeid(T), nullptr, nullptr, nullptr};
    if constexpr (!Small)
      x.destroy = functions::destroy;
    if constexpr (detail::is_serializable<T>)
      x.save = functions::save;
    if constexpr (detail::is_serializable<
                    T> && std::default_initializable<T> && std::movable<T>)
      x.load = functions::load;
    return x;
  }();
  return result;
}

} // namespace caf::rosia::engine
