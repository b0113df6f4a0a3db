// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/certificates.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// More than any run takes. There is no renewal, and nobody can use the
/// certificate after the folder was removed.
constexpr auto lifetime = std::chrono::years{10};

/// Makes a folder that only the user can enter.
/// @returns an empty path on errors, which errno tells.
std::filesystem::path make_folder(const std::filesystem::path& parent) {
  auto name = (parent / "rosia-XXXXXX").string();
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

/// The user's folder that the system removes when the user has logged out; an
/// empty path if there is none. After su or sudo it may be another user's.
std::filesystem::path runtime_folder() {
  auto name = std::getenv("XDG_RUNTIME_DIR");
  if (name == nullptr || *name != '/')
    return {};
  struct stat status;
  auto own = stat(name, &status) == 0 && status.st_uid == geteuid();
  return own ? name : "";
}

std::filesystem::path make_folder() {
  if (auto parent = runtime_folder(); !parent.empty())
    if (auto result = make_folder(parent); !result.empty())
      return result;
  auto parent = std::filesystem::temp_directory_path();
  auto result = make_folder(parent);
  if (result.empty())
    throw std::system_error(
      errno, std::generic_category(),
      "cannot make a folder in '" + parent.string() + "'");
  return result;
}

} // namespace

temporary_certificates::temporary_certificates(const std::string& name)
  : maker_(getpid()) {
  auto ca = certificate_authority::create(name, lifetime);
  directory_ = make_folder();
  files_ = {directory_ / "certificate.pem", directory_ / "key.pem",
            directory_ / "ca.pem"};
  try {
    ca.issue({name, {"localhost", "127.0.0.1", "::1"}, lifetime}, files_);
  } catch (...) {
    remove();
    throw;
  }
}

temporary_certificates::~temporary_certificates() {
  remove();
}

void temporary_certificates::remove() noexcept {
  if (getpid() != maker_)
    return;
  for (auto* file : {&files_.certificate, &files_.key, &files_.ca})
    unlink(file->c_str());
  rmdir(directory_.c_str());
}

} // namespace caf::rosia::detail
