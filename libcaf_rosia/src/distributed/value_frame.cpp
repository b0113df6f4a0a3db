// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/value_frame.hpp"

#include <caf/deserializer.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <utility>

namespace caf::rosia {

namespace {

caf::error read_texts(caf::deserializer& from,
                      std::vector<engine::value>& into) {
  std::size_t size = 0;
  if (auto err = from.begin_sequence(size))
    return err;
  for (std::size_t i = 0; i < size; ++i) {
    std::string text;
    if (auto err = from(text))
      return err;
    // Many that are not would need more memory than they have bytes.
    if (text.size() < value_frame::long_text)
      return caf::sec::invalid_argument;
    into.push_back(engine::make_value<std::string>(std::move(text)));
  }
  return from.end_sequence();
}

} // namespace

caf::error inspect(caf::serializer& to, value_frame& x) {
  if (auto err = to(x.heads, x.contents))
    return err;
  auto size = x.texts.size();
  if (auto err = to.begin_sequence(size))
    return err;
  for (auto& text : x.texts)
    if (auto err = text.save(to))
      return err;
  return to.end_sequence();
}

caf::error inspect(caf::deserializer& from, value_frame& x) {
  if (from(x.heads, x.contents) || read_texts(from, x.texts))
    x = {};
  return caf::none;
}

std::string to_string(const value_frame& x) {
  return "value_frame(" + std::to_string(x.heads.size()) + " + "
         + std::to_string(x.contents.size()) + " bytes, "
         + std::to_string(x.texts.size()) + " long texts)";
}

} // namespace caf::rosia
