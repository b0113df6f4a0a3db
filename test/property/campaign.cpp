// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/campaign.hpp"

#include "rosia_trace/comparison.hpp"
#include "rosia_trace/recording.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace property {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  auto text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

void findings::add(const std::string& label,
                   const std::vector<std::string>& problems) {
  constexpr std::size_t most = 50;
  std::lock_guard guard{mutex_};
  for (auto& x : problems)
    if (++size_ <= most)
      std::fprintf(stderr, "%s: %s\n", label.c_str(), x.c_str());
}

std::size_t findings::size() const {
  std::lock_guard guard{mutex_};
  return size_;
}

std::vector<std::string> differences(
  const std::string& left, const std::string& right) {
  rosia_trace::recording first{left, "left"};
  rosia_trace::recording second{right, "right"};
  auto result = rosia_trace::compare(first, second, std::nullopt);
  if (result.same())
    return {};
  std::vector<std::string> problems{"traces differ between numbers of threads"};
  for (auto& difference : result.nodes) {
    auto text_of = [&](auto& from, auto* node) {
      return node != nullptr && difference.position < node->steps.size()
               ? std::string{from.line(node->steps[difference.position].line)}
               : std::string{"nothing"};
    };
    problems.push_back(text_of(first, difference.left) + " against "
                       + text_of(second, difference.right));
  }
  return problems;
}

} // namespace property
