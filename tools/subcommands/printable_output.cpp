// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "subcommands/printable_output.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstddef>

namespace subcommands {

namespace {

/// The number of bytes that wait at most, unless all of them may belong to one
/// character.
constexpr std::size_t most_waiting = 4096;

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

} // namespace

printable_output::printable_output(std::ostream& out)
  : out_(out), target_(out.rdbuf(this)) {
  // nop
}

printable_output::~printable_output() {
  write(waiting_.size());
  out_.rdbuf(target_);
}

printable_output::int_type printable_output::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof()))
    return traits_type::not_eof(c);
  auto text = traits_type::to_char_type(c);
  return xsputn(&text, 1) == 1 ? c : traits_type::eof();
}

std::streamsize printable_output::xsputn(
  const char* text, std::streamsize size) {
  waiting_.append(text, static_cast<std::size_t>(size));
  if (waiting_.size() < most_waiting)
    return size;
  auto last = std::find_if(waiting_.rbegin(), waiting_.rend(), is_ascii);
  return write(static_cast<std::size_t>(waiting_.rend() - last)) ? size : 0;
}

int printable_output::sync() {
  return write(waiting_.size()) && target_->pubsync() == 0 ? 0 : -1;
}

bool printable_output::write(std::size_t size) {
  auto text = caf::rosia::detail::printable_text(
    std::string_view{waiting_}.substr(0, size));
  waiting_.erase(0, size);
  auto length = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), length) == length;
}

} // namespace subcommands
