// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/build_id.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include <link.h>

namespace caf::rosia::detail {

namespace {

/// Returns `n`, rounded up to the alignment of notes.
constexpr std::size_t aligned(std::size_t n) noexcept {
  return (n + 3) & ~std::size_t{3};
}

/// Reads a segment of notes. @returns the content of the build's mark; empty if
/// there is none.
std::string_view build_id_in(std::string_view notes) noexcept {
  ElfW(Nhdr) head;
  while (notes.size() >= sizeof(head)) {
    std::memcpy(&head, notes.data(), sizeof(head));
    notes.remove_prefix(sizeof(head));
    auto size = aligned(head.n_namesz) + aligned(head.n_descsz);
    if (size > notes.size())
      break;
    if (head.n_type == NT_GNU_BUILD_ID
        && notes.substr(0, head.n_namesz) == std::string_view{ELF_NOTE_GNU, 4})
      return notes.substr(aligned(head.n_namesz), head.n_descsz);
    notes.remove_prefix(size);
  }
  return {};
}

/// Called with the program, and not with its libraries.
int read_build_id(dl_phdr_info* program, std::size_t, void* result) {
  auto id = static_cast<std::string_view*>(result);
  for (std::size_t i = 0; i < program->dlpi_phnum && id->empty(); ++i)
    if (auto& segment = program->dlpi_phdr[i]; segment.p_type == PT_NOTE)
      *id = build_id_in(
        {reinterpret_cast<const char*>(program->dlpi_addr + segment.p_vaddr),
         segment.p_memsz});
  return 1;
}

} // namespace

std::string build_id() {
  std::string_view id;
  dl_iterate_phdr(read_build_id, &id);
  std::string result;
  for (auto c : id)
    result += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return result;
}

} // namespace caf::rosia::detail
