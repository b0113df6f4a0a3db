// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/trace_line.hpp"

#include "base/new_files.hpp"
#include "caf/rosia/reaction.hpp"
#include "nodes/node_access.hpp"

#include <cerrno>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The buffer is flushed when it has this size.
constexpr std::size_t buffer_limit = 1 << 16;

/// The beginning of each trace.
constexpr std::string_view first_words = R"({"event":"application",)";

} // namespace

// -- trace_output -------------------------------------------------------------

trace_output::trace_output(const std::string& path) {
  // A configuration file in the working directory, left there by another user,
  // may have set the option.
  if (!may_replace(path, [](std::string_view x) {
        return x.starts_with(first_words);
      }))
    throw std::system_error(
      EEXIST, std::generic_category(),
      "cannot write the trace '" + path
        + "' (rosia.trace): there is a file of that name that is no trace; "
          "remove it, or name another file");
  file_ = std::fopen(path.c_str(), "we");
  if (file_ == nullptr)
    throw std::system_error(
      errno, std::generic_category(),
      "cannot write the trace '" + path + "' (rosia.trace)");
}

trace_output::trace_output(std::function<void(std::string_view)> sink)
  : sink_(std::move(sink)) {
  // nop
}

trace_output::~trace_output() {
  flush();
  if (file_ != nullptr)
    std::fclose(file_);
}

void trace_output::write_through() {
  std::lock_guard guard{mutex_};
  write_through_ = true;
  if (file_ != nullptr)
    std::setvbuf(file_, nullptr, _IONBF, 0);
  write_out();
}

std::error_code trace_output::flush() {
  std::lock_guard guard{mutex_};
  write_out();
  if (file_ != nullptr && std::fflush(file_) != 0)
    note_failure();
  return problem_;
}

void trace_output::write_out() {
  if (buffer_.size() == 0)
    return;
  if (sink_)
    sink_({buffer_.data(), buffer_.size()});
  else if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_)
           != buffer_.size())
    note_failure();
  buffer_.clear();
}

void trace_output::note_failure() noexcept {
  if (!problem_)
    problem_.assign(errno, std::generic_category());
}

// -- trace_names --------------------------------------------------------------

trace_names::trace_names(const node_directory& all,
                         const graph_description& graph)
  : directory(&all) {
  for (auto& x : graph.nodes)
    nodes.push_back(json_string(x.name));
  for (auto& x : graph.connections)
    connections.push_back(
      {json_string(graph.output_of(x)), json_string(graph.input_of(x)),
       json_string(graph.nodes[x.source].outputs[x.output].name)});
}

// -- trace_line ---------------------------------------------------------------

trace_line::trace_line(trace_output& output, const trace_names& names,
                       const char* event)
  : guard_(output.mutex_), output_(&output), names_(&names),
    end_(std::back_inserter(output.buffer_)) {
  fmt::format_to(end_, "{{\"event\":\"{}\"", event);
}

trace_line::~trace_line() {
  fmt::format_to(end_, "}}\n");
  if (output_->write_through_ || output_->buffer_.size() >= buffer_limit)
    output_->write_out();
}

trace_line& trace_line::node(engine::node_id id) {
  node_ = id;
  return raw("node", names_->nodes[id]);
}

trace_line& trace_line::raw(const char* key, std::string_view json) {
  fmt::format_to(end_, ",\"{}\":{}", key, json);
  return *this;
}

trace_line& trace_line::text(const char* key, std::string_view x) {
  return raw(key, json_string(x));
}

trace_line& trace_line::tag(const char* key, logical_time x) {
  if (x == never || x == forever)
    return raw(key, x == never ? R"("never")" : R"("forever")");
  fmt::format_to(end_, ",\"{}\":[{},{}]", key, x.ns, x.microstep);
  return *this;
}

trace_line& trace_line::number(const char* key, std::int64_t x) {
  fmt::format_to(end_, ",\"{}\":{}", key, x);
  return *this;
}

trace_line& trace_line::digest(const engine::value& x) {
  auto digest = x.digest();
  if (!digest)
    return raw("digest", "null");
  fmt::format_to(end_, ",\"digest\":\"{:016x}\"", *digest);
  return *this;
}

trace_line& trace_line::reaction(std::uint32_t index, const char* key) {
  if (index == engine::tracer::start_reaction)
    return text(key, "start");
  auto& node = *names_->directory->find(node_);
  return text(key, node_access::reactions(node)[index]->name());
}

trace_line& trace_line::action(std::uint32_t index) {
  auto& node = *names_->directory->find(node_);
  return text("action", node_access::saved(node).actions[index]->name());
}

trace_line& trace_line::input(std::uint32_t index) {
  return text("port", names_->directory->port_name(node_, false, index));
}

// -- texts --------------------------------------------------------------------

std::string json_string(std::string_view x) {
  std::string result = "\"";
  for (auto c : x) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result += '"';
}

std::string parts_text(const delay& x) {
  return fmt::format("[{},{}]", x.ns(), x.steps());
}

} // namespace caf::rosia::detail
