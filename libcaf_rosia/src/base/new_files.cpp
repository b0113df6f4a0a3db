// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/new_files.hpp"

#include "base/link_target.hpp"
#include "base/write_all.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

[[noreturn]] void fail(const std::string& path, int reason = errno) {
  throw std::system_error(
    reason, std::generic_category(), "cannot write '" + path + "'");
}

/// Refuses a path that must not be replaced, such as a folder or a pipe.
void require_file(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return;
  if (S_ISDIR(status.st_mode))
    fail(path, EISDIR);
  throw std::system_error(
    EEXIST, std::generic_category(),
    "cannot replace '" + path + "', which is no regular file");
}

} // namespace

bool may_replace(const std::string& path,
                 const std::function<bool(std::string_view)>& is_ours) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)
      || status.st_size == 0)
    return true;
  constexpr std::size_t enough = 256;
  std::ifstream in{path, std::ios::binary};
  std::string begin(enough, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(enough));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return is_ours(begin);
}

std::string new_files::unfinished_name(const std::string& path) {
  return path + ".new";
}

new_files::~new_files() {
  for (auto& x : entries_)
    unlink(x.written.c_str());
}

void new_files::add(const std::string& path, std::string_view content) {
  add(path, content, 0644);
}

void new_files::add_secret(const std::string& path, std::string_view content) {
  add(path, content, 0600);
}

void new_files::commit() {
  if (old_ != existing_files::keep)
    for (auto& x : entries_)
      if (std::rename(x.written.c_str(), x.path.c_str()) != 0)
        fail(x.path);
  entries_.clear();
  locks_.clear();
}

void new_files::add(const std::string& path, std::string_view content,
                    mode_t mode) {
  auto target = path;
  auto written = path;
  if (old_ != existing_files::keep) {
    target = link_target(path);
    require_file(target);
    if (old_ == existing_files::replace)
      locks_.emplace_back(target);
    written = unfinished_name(target);
    unlink(written.c_str()); // left by a process that was killed
  }
  auto file = open(written.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file < 0)
    fail(path);
  entries_.push_back({std::move(target), written});
  auto good = write_all(file, content);
  auto reason = errno;
  if (close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (!good)
    fail(path, reason);
}

} // namespace caf::rosia::detail
