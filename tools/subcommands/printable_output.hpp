// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace subcommands {

/// Lets a stream write only printable text while this object exists. What a
/// tool prints has names and values from files.
class printable_output : private std::streambuf {
public:
  explicit printable_output(std::ostream& out);

  printable_output(const printable_output&) = delete;

  printable_output& operator=(const printable_output&) = delete;

  ~printable_output() override;

private:
  int_type overflow(int_type c) override;

  std::streamsize xsputn(const char* text, std::streamsize size) override;

  int sync() override;

  /// Writes the first `size` bytes. @returns whether that succeeded.
  bool write(std::size_t size);

  std::ostream& out_;
  std::streambuf* target_;
  std::string waiting_; // may end within a character
};

} // namespace subcommands
