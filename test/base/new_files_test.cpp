// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/new_files.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

namespace new_files_test {

using caf::rosia::detail::may_replace;

TEST_CASE("a file is replaced if it is recognized, or has nothing", "[files]") {
  test::temporary_folder folder;
  auto is_ours = [](std::string_view x) { return x.starts_with("ours"); };
  auto file = folder.file("file");
  CHECK(may_replace(file, is_ours));
  std::ofstream{file} << "";
  CHECK(may_replace(file, is_ours));
  std::ofstream{file} << "ours, too";
  CHECK(may_replace(file, is_ours));
  std::ofstream{file} << "theirs";
  CHECK_FALSE(may_replace(file, is_ours));
  CHECK(may_replace(folder.path(), is_ours));
}

TEST_CASE("the error of a file that cannot be read is reported", "[files]") {
  test::temporary_folder folder;
  auto file = folder.file("file");
  std::ofstream{file} << "theirs";
  // UBSan needs a descriptor when it sees a class for the first time.
  std::error_code reason{EMFILE, std::generic_category()};
  CHECK_FALSE(reason.message().empty());
  reason.clear();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  try {
    may_replace(file, [](std::string_view) { return false; });
    setrlimit(RLIMIT_NOFILE, &before);
  } catch (const std::system_error& e) {
    setrlimit(RLIMIT_NOFILE, &before);
    reason = e.code();
  }
  CHECK(reason == std::errc::too_many_files_open);
}

} // namespace new_files_test
