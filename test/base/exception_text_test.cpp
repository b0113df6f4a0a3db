// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/exception_text.hpp"

#include "catch.hpp"
#include "exception_without_text.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace exception_text_test {

using caf::rosia::detail::current_exception_text;
using caf::rosia::detail::exception_text;

namespace {

template <class T>
std::string text_when_thrown(const T& x) {
  try {
    throw x;
  } catch (...) {
    return current_exception_text();
  }
}

} // namespace

TEST_CASE("the text of an exception is its what()", "[exception_text]") {
  std::runtime_error x{"no landmark 7"};
  CHECK(exception_text(x) == "no landmark 7");
  CHECK(text_when_thrown(x) == "no landmark 7");
}

TEST_CASE("an exception whose what() is null or empty is named by its type",
          "[exception_text]") {
  auto text = "an exception of type exception_without_text without a text";
  CHECK(exception_text(exception_without_text{}) == text);
  CHECK(text_when_thrown(exception_without_text{}) == text);
  CHECK(text_when_thrown(std::runtime_error{""})
        == "an exception of type std::runtime_error without a text");
}

TEST_CASE("an error about a limit of the system says how to raise it",
          "[exception_text]") {
  auto text = [](int code) {
    return text_when_thrown(
      std::system_error{code, std::generic_category(), "cannot make it"});
  };
  CHECK(
    text(EMFILE)
    == "cannot make it: Too many open files; raise the limit for open files "
       "(ulimit -n, or LimitNOFILE of a service)");
  CHECK(text(EAGAIN).find("(ulimit -u, or pids.max") != std::string::npos);
  CHECK(text(ENOMEM).find("(ulimit -v, or memory.max") != std::string::npos);
  CHECK(text(ENFILE).find("fs.file-max") != std::string::npos);
  CHECK(text(EACCES) == "cannot make it: Permission denied");
}

TEST_CASE("an exception of another kind also has a text", "[exception_text]") {
  CHECK(text_when_thrown(42)
        == "an exception that is not derived from std::exception");
}

} // namespace exception_text_test
