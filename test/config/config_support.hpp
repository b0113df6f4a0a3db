// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Shared code of the tests of options and of config files.

#pragma once

#include "caf/rosia/config.hpp"
#include "caf/rosia/options.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "config_syntax.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace caf::rosia;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using test::in_syntax;
using strings = std::vector<std::string>;

// A config file that exists as long as this object.
class config_file {
public:
  explicit config_file(const std::string& text)
    : path_(std::filesystem::temp_directory_path()
            / ("rosia_options_test_" + std::to_string(::getpid()) + "_"
               + std::to_string(++count_) + ".ini")) {
    std::ofstream{path_, std::ios::binary} << text;
  }

  ~config_file() {
    std::filesystem::remove(path_);
  }

  config_file(const config_file&) = delete;

  config_file& operator=(const config_file&) = delete;

  std::string path() const {
    return path_.string();
  }

private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

inline void read(config& cfg, strings arguments) {
  // Files in the current folder must not affect a test.
  if (cfg.config_file_path.starts_with("caf-application."))
    cfg.config_file_path = "/nonexistent/rosia.ini";
  arguments.insert(arguments.begin(), "test");
  std::vector<const char*> argv;
  for (auto& x : arguments)
    argv.push_back(x.c_str());
  cfg.read(static_cast<int>(argv.size()), argv.data());
}

inline options from_cli(const strings& arguments) {
  config cfg;
  read(cfg, arguments);
  return options_from(cfg);
}

inline options from_file(const std::string& text) {
  config_file file{text};
  return from_cli({"--config-file=" + file.path()});
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

inline std::string cli_error(const strings& arguments) {
  return error_of([&] { from_cli(arguments); });
}

// Captures std::cerr while this object exists.
class captured_cerr {
public:
  captured_cerr() : before_(std::cerr.rdbuf(text_.rdbuf())) {
    // nop
  }

  captured_cerr(const captured_cerr&) = delete;

  captured_cerr& operator=(const captured_cerr&) = delete;

  ~captured_cerr() {
    std::cerr.rdbuf(before_);
  }

  std::string text() const {
    return text_.str();
  }

private:
  std::ostringstream text_;
  std::streambuf* before_;
};

// Removes the folder's name from a text.
inline std::string without_folder(
  const config_file& file, const std::string& text) {
  return text.starts_with(file.path())
           ? "file" + text.substr(file.path().size())
           : text;
}

// Returns the error of a file.
inline std::string file_error(const std::string& text) {
  captured_cerr warnings;
  config_file file{text};
  return without_folder(
    file, error_of([&] { from_cli({"--config-file=" + file.path()}); }));
}

// Returns the warning about an accepted file.
inline std::string file_warning(const std::string& text) {
  captured_cerr warnings;
  config_file file{text};
  from_cli({"--config-file=" + file.path()});
  return without_folder(file, warnings.text());
}

// Returns CAF's name of an option's type, from the name in CAF 0.17.
inline std::string caf_type(const std::string& name) {
  if (!test::caf_is_1)
    return name;
  if (name == "boolean")
    return "bool";
  return name == "string" ? "std::string" : name + "_t";
}

// -- cases for every syntax ---------------------------------------------------

inline std::string repeat(const std::string& x, int n) {
  std::string result;
  for (auto i = 0; i < n; ++i)
    result += x;
  return result;
}

// Differences between the syntaxes in long and deep files.
struct nesting_syntax {
  // An empty section named "a".
  std::string section;

  // Text around a path that makes it a section.
  std::string before_path;
  std::string behind_path;

  // Maximum depth of nested lists, or groups.
  int most_lists;
};

inline void check_nesting(const nesting_syntax& syntax) {
  auto refused = ContainsSubstring(
    "groups and lists are nested more than 100 levels deep");
  constexpr auto many = 1'000'000;
  CHECK_THAT(file_error("\nx = " + repeat("[", many)),
             refused && Catch::Matchers::StartsWith("file:2: "));
  CHECK_THAT(file_error("\n\nx = " + repeat("[", many) + repeat("]", many)),
             refused && Catch::Matchers::StartsWith("file:3: "));
  CHECK_THAT(
    file_error(repeat("a {\n", many)),
    refused
      && Catch::Matchers::StartsWith(
        "file:" + std::to_string(syntax.most_lists + 1) + ": "));
  CHECK_THAT(file_error("a = " + repeat("{ a = ", many)), refused);
  CHECK_THAT(file_error("a = " + repeat("{ a = [", many)), refused);
  CHECK_THAT(file_error("a = " + repeat("[{ a = ", many)), refused);
  CHECK_THAT(
    file_error(
      syntax.before_path + repeat("a.", many) + 'a' + syntax.behind_path),
    refused);
  // The maximum depth.
  auto lists
    = [](int n) { return "x = " + repeat("[", n) + repeat("]", n) + '\n'; };
  CHECK(file_error(lists(syntax.most_lists)) == "no error");
  CHECK_THAT(file_error(lists(syntax.most_lists + 1)), refused);
  // A long file without depth is read.
  CHECK(file_error("x = [" + repeat("[],", 100'000) + "[]]\n") == "no error");
  CHECK(file_error(repeat(syntax.section, 100'000)) == "no error");
  CHECK_THAT(file_error(repeat("a", many) + " = 1\n"),
             ContainsSubstring("file:1: a name of more than 1000 characters: "
                               "aaaaaaaaaaaaaaaaaaaa..."));
}

// Reads files made of random pieces.
inline void check_any_files(const strings& pieces_of_syntax) {
  strings tokens{
    "[",     "]",     "{", "}", "=",     ",",    ".",   "\n",
    "\n",    " ",     "x", "y", "rosia", "x",    "y",   "global",
    "trace", "\"t\"", "5", "-", "7s",    "true", "'a'", "<a:b>"};
  tokens.insert(tokens.end(), pieces_of_syntax.begin(), pieces_of_syntax.end());
  std::mt19937 random{20'240'607};
  auto below = [&](std::size_t n) { return random() % n; };
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text;
    for (auto n = below(12); n > 0; --n)
      text += below(3) == 0 ? "x = 5\n" : tokens[below(tokens.size())];
    INFO(text);
    auto error = file_error(text);
    if (error == "no error") {
      ++accepted;
    } else {
      REQUIRE_THAT(error, Catch::Matchers::StartsWith("file:"));
      ++refused;
    }
  }
  CHECK(accepted > 100);
  CHECK(refused > 100);
}
