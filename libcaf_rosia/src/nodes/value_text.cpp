// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/value_text.hpp"

#include "base/json.hpp"
#include "compat/value_sink.hpp"

#include <rapidjson/stringbuffer.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Receives the values that CAF would serialise.
class value_text::sink final : public value_sink<value_text::sink> {
public:
  /// @pre The previous text is no longer used.
  std::optional<std::string_view> write(const engine::value& x) {
    buffer_.Clear();
    writer_.Reset(buffer_);
    writer_.SetFormatOptions(rapidjson::kFormatSingleLineArray);
    members_ = 0;
    depth_ = 0;
    writer_.StartArray();
    if (auto problem = x.save(*this))
      return std::nullopt;
    // CAF 0.17 does not end a list of flags that it passes itself.
    for (; depth_ > 0; --depth_)
      writer_.EndArray();
    writer_.EndArray();
    std::string_view text{buffer_.GetString(), buffer_.GetSize()};
    return members_ == 1 ? text.substr(1, text.size() - 2) : text;
  }

  // -- called by value_sink ---------------------------------------------------

  void begin() {
    member();
    ++depth_;
    writer_.StartArray();
  }

  void end() {
    --depth_;
    writer_.EndArray();
  }

  void integer(std::int64_t x) {
    member();
    writer_.Int64(x);
  }

  void natural(std::uint64_t x) {
    member();
    writer_.Uint64(x);
  }

  /// Writes infinities and NaN as text, which JSON does not have as numbers.
  template <class T>
  void real(T x) {
    member();
    if (std::isfinite(x))
      number(x);
    else
      put(writer_, std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
  }

  void text(std::string_view x) {
    member();
    put(writer_, x);
  }

  void raw(std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string hexadecimal;
    hexadecimal.reserve(2 * bytes.size());
    for (auto c : bytes) {
      auto byte = static_cast<unsigned char>(c);
      (hexadecimal += digits[byte >> 4]) += digits[byte & 15];
    }
    member();
    put(writer_, hexadecimal);
  }

  template <class Text>
  void code_units(const Text& xs) {
    begin();
    for (auto x : xs)
      writer_.Uint(x);
    end();
  }

private:
  void number(double x) {
    writer_.Double(x);
  }

  /// Writes the shortest digits that identify the number.
  void number(long double x) {
    std::array<char, 64> digits;
    auto end
      = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    writer_.RawValue(
      digits.data(), static_cast<std::size_t>(end - digits.data()),
      rapidjson::kNumberType);
  }

  /// Counts a value that is not in an array.
  void member() noexcept {
    if (depth_ == 0)
      ++members_;
  }

  rapidjson::StringBuffer buffer_;
  json_writer writer_{buffer_};
  std::size_t members_ = 0;
  std::size_t depth_ = 0;
};

value_text::value_text() : sink_(std::make_unique<sink>()) {
  // nop
}

value_text::~value_text() {
  // nop
}

std::optional<std::string_view> value_text::write(const engine::value& x) {
  return sink_->write(x);
}

} // namespace caf::rosia::detail
