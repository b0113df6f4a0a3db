// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/certificates.hpp"

#include <cerrno>
#include <charconv>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// More than any run takes. There is no renewal, and nobody can use the
/// certificate when the files are gone.
constexpr auto lifetime = std::chrono::years{10};

constexpr std::string_view open_files = "/proc/self/fd/";

/// Not a program; the older C library's headers do not know it.
constexpr unsigned noexec_seal = 8;

constexpr int all_seals
  = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

[[noreturn]] void fail() {
  throw std::system_error(
    errno, std::generic_category(), "cannot keep certificates in memory");
}

int new_file() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  auto result = memfd_create("rosia", flags | noexec_seal);
  if (result < 0 && errno == EINVAL) // before Linux 6.3
    result = memfd_create("rosia", flags);
  if (result < 0)
    fail();
  return result;
}

void write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    auto n = write(fd, content.data(), content.size());
    if (n < 0 && errno != EINTR)
      fail();
    if (n > 0)
      content.remove_prefix(static_cast<std::size_t>(n));
  }
}

} // namespace

temporary_certificates::temporary_certificates(const std::string& name) {
  auto ca = certificate_authority::create(name, lifetime);
  auto texts = ca.issue({name, {"localhost", "127.0.0.1", "::1"}, lifetime});
  try {
    files_.certificate = keep(texts.certificate);
    files_.key = keep(texts.key);
    files_.ca = keep(texts.ca);
  } catch (...) {
    close();
    throw;
  }
}

temporary_certificates::~temporary_certificates() {
  close();
}

void temporary_certificates::close() noexcept {
  for (auto fd : descriptors_)
    ::close(fd);
}

std::string temporary_certificates::keep(std::string_view content) {
  auto fd = new_file();
  descriptors_.push_back(fd);
  if (fchmod(fd, S_IRUSR | S_IWUSR) != 0)
    fail();
  write_all(fd, content);
  if (fcntl(fd, F_ADD_SEALS, all_seals) != 0)
    fail();
  return open_file(fd);
}

std::string open_file(int descriptor) {
  return std::string{open_files} + std::to_string(descriptor);
}

int descriptor_of(const std::string& file) noexcept {
  auto result = -1;
  if (file.starts_with(open_files)) {
    auto* end = file.data() + file.size();
    auto [rest, error]
      = std::from_chars(file.data() + open_files.size(), end, result);
    if (error != std::errc{} || rest != end)
      return -1;
  }
  return result;
}

} // namespace caf::rosia::detail
