// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/text.hpp"

#include "caf/rosia/detail/has_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <ostream>
#include <stdexcept>

namespace caf::rosia::detail {

std::ostream& print(std::ostream& out, const std::string& text) {
  return out << text;
}

std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string quoted_list(const std::vector<std::string>& xs) {
  std::string result;
  for (auto& x : xs)
    result += (result.empty() ? "'" : ", '") + x + "'";
  return result;
}

void require_exit_status(std::string_view call, int x) {
  if (!is_exit_status(x))
    throw std::invalid_argument(fmt::format(
      "{} with the status {}: a process ends with a status from 0 to 255", call,
      x));
}

void short_list::add(std::string_view line) {
  if (++count_ <= lines_in_log)
    text_ += fmt::format("\n  {}", line);
}

std::string short_list::text() const {
  return count_ <= lines_in_log
           ? text_
           : fmt::format("{}\n  and {} more", text_, count_ - lines_in_log);
}

} // namespace caf::rosia::detail
