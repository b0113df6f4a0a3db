// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The system functions that change files. A program and its libraries find
// these definitions before those of the C library.

#include "failing_files.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace recording {

namespace {

struct {
  std::string folder; // empty before watch_files
  int* count = nullptr;
  fault kind = fault::kill;
  int at = 0;
} watch;

std::array<std::atomic<bool>, 4096> is_watched; // by descriptor

bool in_folder(const char* path) {
  return !watch.folder.empty()
         && std::strncmp(path, watch.folder.c_str(), watch.folder.size()) == 0;
}

bool in_folder(int fd) {
  return fd >= 0 && static_cast<std::size_t>(fd) < is_watched.size()
         && is_watched[static_cast<std::size_t>(fd)];
}

[[noreturn]] void die() {
  for (;;)
    ::kill(::getpid(), SIGKILL);
}

/// Counts an operation, and kills the process if it is the selected one.
/// @returns whether the operation must fail.
bool fails(bool needs_space, bool writes = false) {
  if (__atomic_add_fetch(watch.count, 1, __ATOMIC_SEQ_CST) != watch.at)
    return false;
  if (watch.kind == fault::kill || (watch.kind == fault::cut_off && !writes))
    die();
  errno = watch.kind == fault::no_space && needs_space ? ENOSPC : EIO;
  return true;
}

template <class Fun>
Fun* next(const char* name) {
  return reinterpret_cast<Fun*>(dlsym(RTLD_NEXT, name));
}

int do_open(int (*real)(const char*, int, ...), const char* path, int flags,
            mode_t mode) {
  auto watched = in_folder(path) && (flags & O_ACCMODE) != O_RDONLY;
  if (watched && fails((flags & O_CREAT) != 0))
    return -1;
  auto fd = real(path, flags, mode);
  if (watched && fd >= 0 && static_cast<std::size_t>(fd) < is_watched.size())
    is_watched[static_cast<std::size_t>(fd)] = true;
  return fd;
}

/// @param write function that writes this number of bytes.
template <class Fun>
ssize_t do_write(int fd, std::size_t size, Fun&& write) {
  if (!in_folder(fd) || !fails(true, true))
    return write(size);
  if (watch.kind == fault::cut_off) {
    write(size / 2);
    die();
  }
  return -1;
}

} // namespace

void watch_files(std::string folder, int* count, fault kind, int at) {
  watch = {std::move(folder), count, kind, at};
}

} // namespace recording

using namespace recording;

// The names by which programs call them. The headers may define functions of
// the same names.
extern "C" {

int replaced_open(const char* path, int flags, ...) __asm__("open");
int replaced_open64(const char* path, int flags, ...) __asm__("open64");
int replaced_close(int fd) __asm__("close");
ssize_t replaced_write(int fd, const void* data, size_t size) __asm__("write");
ssize_t replaced_pwrite64(int fd, const void* data, size_t size,
                          off_t at) __asm__("pwrite64");
ssize_t replaced_pwrite(int fd, const void* data, size_t size,
                        off_t at) __asm__("pwrite");
int replaced_ftruncate(int fd, off_t size) __asm__("ftruncate");
int replaced_ftruncate64(int fd, off_t size) __asm__("ftruncate64");
int replaced_fsync(int fd) __asm__("fsync");
int replaced_fdatasync(int fd) __asm__("fdatasync");
int replaced_unlink(const char* path) __asm__("unlink");
int replaced_remove(const char* path) __asm__("remove");
int replaced_rename(const char* from, const char* to) __asm__("rename");

int replaced_open(const char* path, int flags, ...) {
  static auto real = next<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return do_open(real, path, flags, mode);
}

int replaced_open64(const char* path, int flags, ...) {
  static auto real = next<int(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return do_open(real, path, flags, mode);
}

int replaced_close(int fd) {
  static auto real = next<int(int)>("close");
  if (in_folder(fd))
    is_watched[static_cast<std::size_t>(fd)] = false;
  return real(fd);
}

ssize_t replaced_write(int fd, const void* data, size_t size) {
  static auto real = next<ssize_t(int, const void*, size_t)>("write");
  return do_write(fd, size, [&](size_t n) { return real(fd, data, n); });
}

ssize_t replaced_pwrite64(int fd, const void* data, size_t size, off_t at) {
  static auto real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite64");
  return do_write(fd, size, [&](size_t n) { return real(fd, data, n, at); });
}

ssize_t replaced_pwrite(int fd, const void* data, size_t size, off_t at) {
  return replaced_pwrite64(fd, data, size, at);
}

int replaced_ftruncate64(int fd, off_t size) {
  static auto real = next<int(int, off_t)>("ftruncate64");
  return in_folder(fd) && fails(true) ? -1 : real(fd, size);
}

int replaced_ftruncate(int fd, off_t size) {
  return replaced_ftruncate64(fd, size);
}

int replaced_fsync(int fd) {
  static auto real = next<int(int)>("fsync");
  return in_folder(fd) && fails(true) ? -1 : real(fd);
}

int replaced_fdatasync(int fd) {
  static auto real = next<int(int)>("fdatasync");
  return in_folder(fd) && fails(true) ? -1 : real(fd);
}

int replaced_unlink(const char* path) {
  static auto real = next<int(const char*)>("unlink");
  return in_folder(path) && fails(false) ? -1 : real(path);
}

int replaced_remove(const char* path) {
  static auto real = next<int(const char*)>("remove");
  return in_folder(path) && fails(false) ? -1 : real(path);
}

int replaced_rename(const char* from, const char* to) {
  static auto real = next<int(const char*, const char*)>("rename");
  return in_folder(to) && fails(false) ? -1 : real(from, to);
}

} // extern "C"
