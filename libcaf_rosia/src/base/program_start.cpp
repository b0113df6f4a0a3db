// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/program_start.hpp"

#include <algorithm>
#include <csignal>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// Throws unless the error number is 0.
void check(int error) {
  if (error != 0)
    throw std::system_error(error, std::generic_category());
}

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

/// Adds pointers for the C library, which does not modify the strings.
void add_pointers(std::vector<char*>& to,
                  const std::vector<std::string>& from) {
  for (auto& x : from)
    to.push_back(const_cast<char*>(x.c_str()));
  to.push_back(nullptr);
}

} // namespace

program_start::program_start() {
  check(::posix_spawn_file_actions_init(&actions_));
  check(::posix_spawnattr_init(&attributes_));
  block({});
  sigfillset(&defaults_);
}

program_start::~program_start() {
  ::posix_spawnattr_destroy(&attributes_);
  ::posix_spawn_file_actions_destroy(&actions_);
}

void program_start::open(int fd, const std::string& path, int flags) {
  check(::posix_spawn_file_actions_addopen(
    &actions_, fd, path.c_str(), flags, 0666));
}

void program_start::duplicate(int from, int to) {
  check(::posix_spawn_file_actions_adddup2(&actions_, from, to));
}

void program_start::enter(const std::string& folder) {
  check(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
}

void program_start::lead_group() {
  flags_ |= POSIX_SPAWN_SETPGROUP;
  check(::posix_spawnattr_setpgroup(&attributes_, 0));
}

void program_start::block(const std::vector<int>& signals) {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (auto signal : signals)
    sigaddset(&blocked, signal);
  check(::posix_spawnattr_setsigmask(&attributes_, &blocked));
}

void program_start::inherit(int signal) {
  sigdelset(&defaults_, signal);
}

pid_t program_start::run(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  // Not all code opens with O_CLOEXEC. CAF's sockets do not.
  check(
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
  check(::posix_spawnattr_setsigdefault(&attributes_, &defaults_));
  check(::posix_spawnattr_setflags(&attributes_, flags_));
  std::vector<char*> argv;
  add_pointers(argv, arguments);
  std::vector<char*> envp;
  for (auto i = environ; i != nullptr && *i != nullptr; ++i)
    if (std::none_of(environment.begin(), environment.end(), [i](auto& x) {
          return name_of(x) == name_of(*i);
        }))
      envp.push_back(*i);
  add_pointers(envp, environment);
  pid_t result = 0;
  check(::posix_spawnp(
    &result, argv[0], &actions_, &attributes_, argv.data(), envp.data()));
  return result;
}

} // namespace caf::rosia::detail
