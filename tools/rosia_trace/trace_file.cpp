// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/trace_file.hpp"

#include "base/file_kind.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/judge.hpp"
#include "rosia_trace/lines.hpp"
#include "rosia_trace/run_file_kind.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace rosia_trace {

namespace {

using caf::rosia::detail::file_kind;

constexpr std::size_t block_size = 1 << 18;

/// No event is nearly as long. Without a limit, a file without line ends would
/// fill the memory.
constexpr std::size_t longest_line = 1 << 28;

/// The maximum that is read from a pipe into memory, because a pipe may be
/// endless.
constexpr std::size_t most_of_pipe = std::size_t{1} << 32;

class input_file {
public:
  explicit input_file(const std::string& path)
    : path_{path}, file_{path == "-" ? stdin : std::fopen(path.c_str(), "rb")} {
    if (!file_)
      fail();
    struct stat status = {};
    fstat(fileno(file_), &status);
    is_regular_ = S_ISREG(status.st_mode);
    // Some devices are endless.
    if (file_ == stdin || path == "/dev/null"
        || !(S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
      return;
    std::fclose(file_);
    throw unreadable_file{
      shown_path(path_) + ": it is a device; name a file or a pipe"};
  }

  input_file(const input_file&) = delete;

  input_file& operator=(const input_file&) = delete;

  ~input_file() {
    if (file_ && file_ != stdin)
      std::fclose(file_);
  }

  /// Appends the next block to `text`.
  /// @return false at the end.
  bool read(std::string& text) {
    auto old = text.size();
    text.resize(old + block_size);
    auto count = std::fread(text.data() + old, 1, block_size, file_);
    if (count < block_size && std::ferror(file_))
      fail();
    text.resize(old + count);
    if (!std::exchange(begun_, true))
      require_trace(text);
    return count > 0;
  }

  bool is_regular() const noexcept {
    return is_regular_;
  }

private:
  [[noreturn]] void fail() const {
    throw unreadable_file{
      shown_path(path_) + ": "
      + (errno == EISDIR ? "it is a folder; name a file in it"
                         : std::strerror(errno))};
  }

  /// Throws if the file is certainly not a trace, and names its kind.
  void require_trace(std::string_view begin) const {
    auto kind = caf::rosia::detail::kind_of(begin);
    if (kind == file_kind::trace || kind == file_kind::empty)
      return;
    auto found
      = kind == file_kind::database && path_ != "-"
          ? describe_database(path_)
          : std::string{to_string(kind)};
    throw unreadable_file{
      shown_path(path_) + ": it is " + found
      + ", not a trace; name a file that a run with --rosia.trace wrote"
      + (kind == file_kind::database
           ? ", or use 'info' and 'diff', which read run files"
           : "")};
  }

  std::string path_;
  std::FILE* file_;
  bool is_regular_ = false;
  bool begun_ = false;
};

} // namespace

std::string shown_path(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::string read_lines(const std::string& path,
                       const std::function<bool(std::string_view)>& f) {
  input_file file{path};
  std::string text;
  std::size_t count = 0;
  auto go_on = true;
  while (go_on && file.read(text)) {
    auto rest = for_each_line(text, [&](std::string_view line) {
      ++count;
      return go_on = f(line);
    });
    text.erase(0, text.size() - rest.size());
    if (text.size() > longest_line)
      throw unreadable_file{
        shown_path(path) + ':' + std::to_string(count + 1)
        + ": the line has no end within " + std::to_string(longest_line >> 20)
        + " MiB"};
  }
  return text;
}

void read_events(
  const std::string& path, const std::function<void(const event&)>& add,
  const std::function<void()>& end) {
  line_parser parser;
  std::size_t count = 0;
  auto fail = [&](const std::string& problem) {
    throw unreadable_file{
      shown_path(path) + ':' + std::to_string(count) + ": " + problem};
  };
  auto take = [&](std::string_view line) {
    ++count;
    if (parser.parse(line) != parse_result::event)
      fail(parser.problem());
    add(parser.get());
    return true;
  };
  try {
    auto rest = read_lines(path, take);
    if (!rest.empty() && parser.parse(rest) != parse_result::not_json)
      take(rest);
    if (count == 0)
      throw unreadable_file{shown_path(path) + ": the trace is empty"};
    end();
  } catch (const broken_rule& e) {
    fail(e.text);
  }
}

std::string read_all(const std::string& path) {
  input_file file{path};
  std::string result;
  while (file.read(result))
    if (!file.is_regular() && result.size() > most_of_pipe)
      throw unreadable_file{
        shown_path(path) + ": there are more than "
        + std::to_string(most_of_pipe >> 30) + " GiB; name a file"};
  return result;
}

void require_other_file(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(output, input, ignored))
    throw std::runtime_error{
      "cannot write " + output
      + ": it is the file that is read; name another file"};
}

void write_to(const std::string& output, std::ostream& out,
              const std::function<void(std::ostream&)>& write) {
  if (output.empty())
    return write(out);
  std::ofstream file{output, std::ios::binary};
  if (file)
    write(file);
  if (!file.flush())
    throw std::runtime_error{
      "cannot write " + output + ": " + std::strerror(errno)};
}

} // namespace rosia_trace
