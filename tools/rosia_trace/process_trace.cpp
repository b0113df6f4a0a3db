// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/process_trace.hpp"

#include "base/json.hpp"
#include "rosia_trace/judge.hpp"
#include "rosia_trace/trace_file.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <utility>

namespace rosia_trace {

namespace {

using caf::rosia::detail::put;

/// Returns the line of the application without the process.
std::string application_line(const event& x) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> out{buffer};
  out.StartObject();
  put(out, "event", to_string(x.kind));
  put(out, "format", x.format);
  put(out, "version", x.version);
  put(out, "realtime", x.realtime);
  if (x.has(member::stop_after)) {
    out.Key("stop_after");
    auto tag = to_json(x.stop_after);
    out.RawValue(tag.data(), tag.size(), rapidjson::kArrayType);
  }
  if (x.checkpoints)
    put(out, "checkpoints", true);
  if (x.replay)
    put(out, "replay", true);
  out.EndObject();
  return buffer.GetString();
}

bool is_header(event_kind kind) {
  return kind == event_kind::application || kind == event_kind::node
         || kind == event_kind::connection || kind == event_kind::resumed;
}

/// Returns whether the event is part of a checkpoint. Such events precede
/// the rest.
bool is_restoration(event_kind kind) {
  return kind == event_kind::restored || kind == event_kind::in_transit
         || kind == event_kind::pending || kind == event_kind::running
         || kind == event_kind::visited || kind == event_kind::suspended;
}

logical_time tag_of(const event& x) {
  switch (x.kind) {
    case event_kind::send:
    case event_kind::tardy:
      return x.arrival;
    case event_kind::execute:
      // Messages that arrive at the last tag over a delay are beyond the end.
      return x.is_last() ? x.tag : x.stat;
    case event_kind::request:
    case event_kind::asked:
      return x.proposal;
    case event_kind::expire:
      return x.due;
    default:
      return x.tag;
  }
}

/// `check` reports other values.
ending ending_called(std::string_view name) {
  return name == "done" ? ending::done
         : name == "final"
           ? ending::final
           : ending::aborted;
}

} // namespace

// -- reading ------------------------------------------------------------------

process_trace::process_trace(const std::string& path)
  : file_{shown_path(path)}, text_{read_all(path)}, rest_{text_} {
  while (next()) {
    if (!parse())
      return;
    if (!is_header(parser_.get().kind)) {
      again_ = true;
      return;
    }
    add_header(parser_.get());
  }
}

void process_trace::read_steps(const graph& declared) {
  while (next()) {
    if (!parse())
      return;
    try {
      add_step(parser_.get(), declared);
    } catch (const broken_rule& x) {
      fail(x.text);
    }
  }
}

bool process_trace::next() {
  if (std::exchange(again_, false))
    return true;
  if (rest_.empty())
    return false;
  line_ = rest_.substr(0, rest_.find('\n'));
  rest_.remove_prefix(std::min(line_.size() + 1, rest_.size()));
  ++line_number_;
  return true;
}

bool process_trace::parse() {
  auto result = parser_.parse(line_);
  if (result == parse_result::event)
    return true;
  cut_off_
    = result == parse_result::not_json && text_.back() != '\n' && rest_.empty();
  if (!cut_off_)
    fail(parser_.problem());
  return false;
}

void process_trace::add_header(const event& x) {
  if ((x.kind == event_kind::application) != header_.empty())
    fail("\"application\" has to be the first line, and only that");
  if (x.kind != event_kind::application) {
    header_.emplace_back(line_);
    return;
  }
  if (x.process.empty())
    fail("\"application\" has no \"process\": this is no trace of one process "
         "of several");
  process_ = x.process;
  is_replay_ = x.replay;
  if (x.has(member::stop_after))
    stop_after_ = x.stop_after;
  header_.push_back(application_line(x));
}

void process_trace::add_step(const event& x, const graph& declared) {
  if (is_header(x.kind))
    fail("the event " + quoted(to_string(x.kind)) + " belongs to the header");
  if (!end_.empty())
    fail("the event " + quoted(to_string(x.kind)) + " comes after \"end\"");
  if (x.kind == event_kind::end) {
    end_ = line_;
    status_ = x.status;
    return;
  }
  if (x.has(member::elapsed))
    elapsed_ = x.elapsed;
  else if (x.has(member::ended))
    elapsed_ = x.ended;
  auto& result = steps_.emplace_back();
  result.kind = x.kind;
  result.last = x.is_last();
  result.tag = tag_of(x);
  result.elapsed
    = is_restoration(x.kind) || is_preset(x) ? before_all : elapsed_;
  result.text = line_;
  if (!x.has(member::node))
    return;
  result.node = declared.find_node(x.node);
  if (x.kind == event_kind::send)
    result.connection = declared.find_connection_to(
      declared.find_output(result.node, x.port), x.to);
  else if ((x.kind == event_kind::input && x.has(member::from))
           || x.kind == event_kind::tardy)
    result.connection = declared.find_connection_from(
      x.from, declared.find_input(result.node, x.port));
  else if (x.kind == event_kind::shutdown)
    result.end = ending_called(x.ending);
  if (result.connection != no_index)
    result.value = digest_of(x);
}

bool process_trace::is_preset(const event& x) const {
  // The second line is the tag requested in the first.
  return steps_.size() <= 2 && !x.has(member::node)
         && (x.kind == event_kind::request || x.kind == event_kind::final)
         && tag_of(x) == stop_after_;
}

// -- naming -------------------------------------------------------------------

std::string process_trace::place(std::size_t line) const {
  return file_ + ':' + std::to_string(line);
}

std::string process_trace::header_place(std::size_t position) const {
  return place(position + 1);
}

std::string process_trace::step_place(std::size_t position) const {
  return place(header_.size() + position + 1);
}

std::string process_trace::end_place() const {
  return step_place(steps_.size());
}

void process_trace::fail(const std::string& problem) const {
  throw unreadable_file{place(line_number_) + ": " + problem};
}

} // namespace rosia_trace
