// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/write_lock.hpp"

#include "base/link_target.hpp"
#include "base/text.hpp"
#include "base/write_all.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".lock";

/// Maximum size of the part of a file's name that is in the name of its lock.
/// It is the end of a longer name, because files of several processes differ
/// there.
constexpr std::size_t most_characters = NAME_MAX - 1 - suffix.size();

/// Returns the name of this process for other processes.
std::string own_name() {
  utsname host = {};
  uname(&host);
  return "process " + std::to_string(getpid()) + " ("
         + program_invocation_short_name + ") on host '" + host.nodename + "'";
}

bool has_no_lock(const std::string& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// Locks an open file for its open file description, which no other descriptor
/// of the process shares.
/// @param command F_OFD_SETLK, or F_OFD_GETLK to check only.
/// @returns whether another holder has the lock.
bool is_held(int fd, int command) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(fd, command, &lock) == 0)
    return command == F_OFD_GETLK && lock.l_type != F_UNLCK;
  return errno == EAGAIN || errno == EACCES;
}

/// Returns the name of the holder. Any process may have written the file.
std::string holder_in(int fd) {
  std::array<char, 256> text{};
  auto size = pread(fd, text.data(), text.size(), 0);
  std::string result{
    text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  result.resize(std::min(result.find('\n'), result.size()));
  std::erase_if(result, [](char c) { return !is_printable(c); });
  if (result.empty())
    return "another process"; // which has not written its name yet
  return result == own_name() ? "this process itself" : result;
}

[[noreturn]] void refuse(const std::string& file, const std::string& holder) {
  throw std::runtime_error(
    "'" + file + "' is being written by " + holder
    + "; wait for its end, or name another file");
}

/// Returns the inode of a file; 0 if there is none.
ino_t inode_of(const std::string& name) {
  struct stat status;
  return lstat(name.c_str(), &status) == 0 ? status.st_ino : 0;
}

ino_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/// The descriptors of this process's locks. A forked process closes them, so
/// that it does not keep the locks of a parent that was killed.
class open_locks {
public:
  static open_locks& instance() {
    static auto& result = *new open_locks;
    return result;
  }

  void add(int fd, ino_t inode) {
    std::lock_guard guard{mutex_};
    entries_.emplace_back(fd, inode);
  }

  /// Closes the descriptor. The program may have closed it, and reused its
  /// number.
  void close(int fd, ino_t inode) {
    std::lock_guard guard{mutex_};
    std::erase(entries_, std::pair{fd, inode});
    if (inode_of(fd) == inode)
      ::close(fd);
  }

private:
  open_locks() {
    pthread_atfork(
      [] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
      [] { instance().close_all(); });
  }

  /// Needs no memory.
  void close_all() noexcept {
    for (auto& [fd, inode] : entries_)
      if (inode_of(fd) == inode)
        ::close(fd);
    entries_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<std::pair<int, ino_t>> entries_;
};

} // namespace

write_lock::write_lock(const std::string& file) {
  if (has_no_lock(file))
    return;
  auto name = name_beside(file);
  for (;;) {
    fd_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) {
      // The lock file may belong to another user, whose process holds the lock.
      auto problem = std::generic_category().message(errno);
      if (auto holder = writer_of(file); !holder.empty())
        refuse(file, holder);
      if (inode_of(name) != 0)
        throw std::runtime_error(
          "'" + file + "' cannot be locked: '" + name + "': " + problem
          + "; remove the lock file if no process writes the file");
      return;
    }
    if (is_held(fd_, F_OFD_SETLK)) {
      auto holder = holder_in(fd_);
      close(fd_);
      refuse(file, holder);
    }
    // The former holder may just have removed it.
    inode_ = inode_of(fd_);
    if (inode_of(name) == inode_)
      break;
    close(fd_);
  }
  name_ = std::move(name);
  owner_ = getpid();
  open_locks::instance().add(fd_, inode_);
  if (ftruncate(fd_, 0) == 0)
    write_all(fd_, own_name() + '\n'); // the lock does not depend on it
}

write_lock::write_lock(write_lock&& other) noexcept
  : name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)),
    inode_(other.inode_), owner_(other.owner_) {
  // nop
}

write_lock::~write_lock() {
  if (fd_ < 0 || owner_ != getpid())
    return;
  if (inode_of(fd_) == inode_ && inode_of(name_) == inode_)
    unlink(name_.c_str());
  open_locks::instance().close(fd_, inode_);
}

std::string write_lock::name_beside(const std::string& file) {
  std::error_code problem;
  auto name = fs::absolute(link_target(file), problem);
  auto path = fs::weakly_canonical(name, problem);
  if (problem)
    path = name;
  auto last = path.filename().string();
  if (last.size() > most_characters)
    last.erase(0, last.size() - most_characters);
  return (path.parent_path() / std::string{'.'}.append(last).append(suffix))
    .string();
}

std::string writer_of(const std::string& file) {
  if (has_no_lock(file))
    return {};
  auto fd = open(write_lock::name_beside(file).c_str(),
                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return {};
  std::string result;
  if (is_held(fd, F_OFD_GETLK))
    result = holder_in(fd);
  close(fd);
  return result;
}

} // namespace caf::rosia::detail
