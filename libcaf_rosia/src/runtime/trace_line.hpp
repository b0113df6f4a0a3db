// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/tracer.hpp"
#include "runtime/node_directory.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace caf::rosia::detail {

/// Collects the lines of a trace, and writes them to a file or a function. From
/// any thread. Tests: test/runtime/report_test.cpp.
class trace_output {
public:
  /// Writes to a file, which is replaced if it is empty or a trace.
  /// @throws std::system_error if it cannot be written, or is something else.
  explicit trace_output(const std::string& path);

  /// Passes complete lines to `sink`.
  explicit trace_output(std::function<void(std::string_view)> sink);

  ~trace_output();

  /// Flushes the buffer, and from now on writes each line immediately, so that
  /// no line is lost if the process is killed. Called before the run.
  void write_through();

  /// Flushes the buffer.
  /// @returns why something could not be written, now or before, if so.
  std::error_code flush();

private:
  friend class trace_line;

  void write_out();

  /// Keeps the reason of the first failure, from `errno`.
  void note_failure() noexcept;

  std::mutex mutex_;
  std::function<void(std::string_view)> sink_;
  std::FILE* file_ = nullptr;
  std::error_code problem_;
  bool write_through_ = false;
  fmt::memory_buffer buffer_;
};

/// The names in a trace, as JSON strings.
struct trace_names {
  struct connection {
    std::string from, to, output;
  };

  trace_names() = default;

  trace_names(const node_directory& all, const graph_description& graph);

  std::vector<std::string> nodes;
  std::vector<connection> connections;
  const node_directory* directory = nullptr;
};

/// One line of a trace: a JSON object, which the destructor ends. Until then,
/// the output is locked. Tests: test/distributed/traces_test.py.
class trace_line {
public:
  trace_line(trace_output& output, const trace_names& names, const char* event);

  ~trace_line();

  /// Adds the node, whose members the functions below name.
  trace_line& node(engine::node_id id);

  /// Adds a member. @param json its value.
  trace_line& raw(const char* key, std::string_view json);

  trace_line& text(const char* key, std::string_view x);

  trace_line& tag(const char* key, logical_time x);

  trace_line& tag(logical_time x) {
    return tag("tag", x);
  }

  trace_line& number(const char* key, std::int64_t x);

  trace_line& flag(const char* key, bool x) {
    return raw(key, x ? "true" : "false");
  }

  trace_line& digest(const engine::value& x);

  trace_line& reaction(std::uint32_t index, const char* key = "reaction");

  trace_line& action(std::uint32_t index);

  trace_line& input(std::uint32_t index);

  /// Adds the connection on which a value arrived.
  trace_line& from(std::uint32_t connection) {
    return raw("from", names_->connections[connection].from);
  }

  /// Adds the output and the connection of a value that is sent.
  trace_line& to(std::uint32_t connection) {
    auto& names = names_->connections[connection];
    return raw("port", names.output).raw("to", names.to);
  }

private:
  std::lock_guard<std::mutex> guard_;
  trace_output* output_;
  const trace_names* names_;
  std::back_insert_iterator<fmt::memory_buffer> end_;
  engine::node_id node_ = 0;
};

/// Returns `x` as a JSON string.
std::string json_string(std::string_view x);

/// Returns a delay as it is in a trace.
std::string parts_text(const delay& x);

} // namespace caf::rosia::detail
