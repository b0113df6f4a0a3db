// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/value_text.hpp"

#include "base/json.hpp"

#include <caf/serializer.hpp>
#include <rapidjson/stringbuffer.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Takes what CAF would put on the wire.
class value_text::sink final : public caf::serializer {
public:
  /// @pre Nothing of the text before is needed any more.
  std::optional<std::string_view> write(const engine::value& x) {
    buffer_.Clear();
    writer_.Reset(buffer_);
    writer_.SetFormatOptions(rapidjson::kFormatSingleLineArray);
    members_ = 0;
    depth_ = 0;
    writer_.StartArray();
    if (auto problem = x.save(*this))
      return std::nullopt;
    // CAF does not end an array of flags.
    for (; depth_ > 0; --depth_)
      writer_.EndArray();
    writer_.EndArray();
    std::string_view text{buffer_.GetString(), buffer_.GetSize()};
    return members_ == 1 ? text.substr(1, text.size() - 2) : text;
  }

  caf::error begin_object(std::uint16_t&, std::string&) override {
    return begin();
  }

  caf::error end_object() override {
    return end();
  }

  caf::error begin_sequence(std::size_t&) override {
    return begin();
  }

  caf::error end_sequence() override {
    return end();
  }

  caf::error apply_raw(std::size_t size, void* data) override {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      auto byte = static_cast<const unsigned char*>(data)[i];
      (text += digits[byte >> 4]) += digits[byte & 15];
    }
    member();
    put(writer_, text);
    return caf::none;
  }

  caf::error apply_impl(std::int8_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::uint8_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::int16_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::uint16_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::int32_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::uint32_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::int64_t& x) override {
    return integer(x);
  }

  caf::error apply_impl(std::uint64_t& x) override {
    member();
    writer_.Uint64(x);
    return caf::none;
  }

  caf::error apply_impl(float& x) override {
    return real(x);
  }

  caf::error apply_impl(double& x) override {
    return real(x);
  }

  caf::error apply_impl(long double& x) override {
    return real(static_cast<double>(x));
  }

  caf::error apply_impl(std::string& x) override {
    member();
    put(writer_, x);
    return caf::none;
  }

  caf::error apply_impl(std::u16string& x) override {
    return code_units(x);
  }

  caf::error apply_impl(std::u32string& x) override {
    return code_units(x);
  }

private:
  /// What follows is a value of its own, if it is not in an array.
  void member() noexcept {
    if (depth_ == 0)
      ++members_;
  }

  caf::error begin() {
    member();
    ++depth_;
    writer_.StartArray();
    return caf::none;
  }

  caf::error end() {
    --depth_;
    writer_.EndArray();
    return caf::none;
  }

  template <class T>
  caf::error integer(T x) {
    member();
    writer_.Int64(x);
    return caf::none;
  }

  /// JSON has no infinity.
  caf::error real(double x) {
    member();
    if (std::isfinite(x))
      writer_.Double(x);
    else
      put(writer_, std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return caf::none;
  }

  template <class Text>
  caf::error code_units(const Text& xs) {
    begin();
    for (auto x : xs)
      writer_.Uint(x);
    return end();
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
