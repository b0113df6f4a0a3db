// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace localization {

output_file::output_file(std::string name) : name_{std::move(name)} {
  open(std::ios::app);
}

void output_file::clear() {
  stream_.close();
  open(std::ios::trunc);
}

void output_file::close() {
  stream_.close();
}

void output_file::check() const {
  if (!stream_)
    throw output_error{
      name_ + ": the file cannot be written (is the disk " + "full?)"};
}

void output_file::open(std::ios::openmode mode) {
  errno = 0;
  stream_.open(name_, std::ios::binary | mode);
  if (!stream_)
    throw output_error{
      name_ + ": the file cannot be created: " + std::strerror(errno)};
}

} // namespace localization
