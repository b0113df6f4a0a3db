// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/json.hpp"

#include <cstddef>
#include <string>

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

namespace caf::rosia::detail {

namespace {

struct nowhere {
  void Put(char) {
    // nop
  }
};

} // namespace

std::string_view valid_utf8(std::string_view x, std::string& storage) {
  rapidjson::MemoryStream from{x.data(), x.size()};
  nowhere to;
  std::size_t done = 0;
  while (from.Tell() < x.size()) {
    auto first = from.Tell();
    if (rapidjson::UTF8<>::Validate(from, to))
      continue;
    storage.append(x, done, first - done);
    storage += "\xef\xbf\xbd";
    done = first + 1;
    from.src_ = from.begin_ + done;
  }
  if (done == 0)
    return x;
  return storage.append(x, done);
}

std::string utf8_text(std::string_view x) {
  std::string storage;
  return std::string{valid_utf8(x, storage)};
}

std::string json_in_page(std::string_view json) {
  std::string result;
  for (auto c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

void put_key(json_writer& to, std::string_view key) {
  std::string storage;
  auto text = valid_utf8(key, storage);
  to.Key(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

} // namespace caf::rosia::detail
