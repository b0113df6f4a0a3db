// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace localization {

output_file::output_file(std::string name) : name_{std::move(name)} {
  errno = 0;
  stream_.open(name_, std::ios::binary);
  if (!stream_)
    throw output_error{
      name_ + ": the file cannot be created: " + std::strerror(errno)};
}

void output_file::check() const {
  if (!stream_)
    throw output_error{
      name_ + ": the file cannot be written (is the disk " + "full?)"};
}

void output_file::close() {
  stream_.close();
  check();
}

} // namespace localization
