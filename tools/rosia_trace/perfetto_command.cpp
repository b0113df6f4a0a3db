// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/json.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/graph.hpp"
#include "rosia_trace/trace_file.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

// -- the format: Chrome's trace events ----------------------------------------

/// The place of an event: Perfetto's process and thread.
struct track {
  std::size_t process = 0;
  std::size_t thread = 0;
};

/// The track for events without a node.
constexpr track application_track{};

/// Writes events, one per line.
class event_writer {
public:
  explicit event_writer(std::ostream& out) : out_{out} {
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
  }

  /// Completes the file.
  void finish() {
    out_ << "\n]}\n";
  }

  /// Names a track, or a process with the thread 0 and `process_name`.
  void name(track where, const char* kind, std::string_view text) {
    begin("M", kind, where);
    args([&] { member("name", text); });
    end();
  }

  void slice(track where, std::string_view name, const char* category,
             std::int64_t began, std::int64_t ended, std::string_view tag) {
    begin("X", name, where);
    member("cat", category);
    time("ts", began);
    time("dur", ended - began);
    args([&] { member("tag", tag); });
    end();
  }

  /// @param phase "s" for the tail of an arrow, "f" for its head.
  void arrow(track where, const char* phase, std::size_t id,
             std::string_view name, std::int64_t at) {
    begin(phase, name, where);
    member("cat", "message");
    member("id", id);
    time("ts", at);
    // The head is attached to the slice that begins there.
    if (*phase == 'f')
      member("bp", "e");
    end();
  }

  void mark(track where, std::string_view name, std::int64_t at,
            std::string_view text) {
    begin("i", name, where);
    member("cat", "protocol");
    member("s", "t");
    time("ts", at);
    args([&] { member("what", text); });
    end();
  }

  void counter(track where, std::string_view name, std::int64_t at,
               const char* unit, double value) {
    begin("C", name, where);
    time("ts", at);
    args([&] { member(unit, value); });
    end();
  }

private:
  using writer = rapidjson::Writer<rapidjson::StringBuffer>;

  void begin(const char* phase, std::string_view name, track where) {
    buffer_.Clear();
    json_.Reset(buffer_);
    json_.StartObject();
    member("ph", phase);
    member("name", name);
    member("pid", where.process);
    member("tid", where.thread);
  }

  void end() {
    json_.EndObject();
    out_ << (std::exchange(first_, false) ? "\n" : ",\n")
         << buffer_.GetString();
  }

  template <class T>
  void member(const char* key, const T& value) {
    caf::rosia::detail::put(json_, key, value);
  }

  /// Writes a time in microseconds, with nanosecond resolution.
  void time(const char* key, std::int64_t ns) {
    auto text = std::to_string(ns / 1000);
    auto rest = std::to_string((ns < 0 ? -ns : ns) % 1000);
    if (ns < 0 && ns / 1000 == 0)
      text.insert(0, 1, '-');
    text += '.' + std::string(3 - rest.size(), '0') + rest;
    json_.Key(key);
    json_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
  }

  template <class F>
  void args(F&& f) {
    json_.Key("args");
    json_.StartObject();
    f();
    json_.EndObject();
  }

  std::ostream& out_;
  rapidjson::StringBuffer buffer_;
  writer json_{buffer_};
  bool first_ = true;
};

// -- from a trace to events ---------------------------------------------------

/// A value that was sent, but not received yet.
struct message_under_way {
  std::size_t id = 0;
  logical_time arrival;
  /// Nanoseconds: at or before the start of the sender's code.
  std::int64_t sent = 0;
};

/// Nanoseconds: shorter waits are not shown.
constexpr std::int64_t shortest_wait = 10'000;

/// The state of a node.
struct node_track {
  track where;
  /// Nanoseconds: the last time in the trace.
  std::int64_t now = 0;
  /// The kind of event that started the current code.
  event_kind piece = event_kind::start;
  /// Arrows that begin and end at the current code.
  std::vector<std::size_t> sent;
  std::vector<std::size_t> taken;
  std::int64_t queued = 0;
  /// The last sender of a value or promise since the start of the tag.
  std::optional<index> heard_from;
};

class converter {
public:
  explicit converter(std::ostream& out) : out_{out} {
    out_.name(application_track, "process_name", "application");
    out_.name(application_track, "thread_name", "coordinator");
  }

  void add(const event& x) {
    switch (x.kind) {
      case event_kind::application:
        realtime_ = x.realtime;
        return;
      case event_kind::node:
        declared_.add_node(x, rules_);
        add_node(x);
        return;
      case event_kind::connection:
        declared_.add_connection(x, rules_);
        under_way_.emplace_back();
        return;
      default:
        break;
    }
    if (!x.has(member::node)) {
      add_of_application(x);
      return;
    }
    auto id = declared_.find_node(x.node);
    if (x.kind == event_kind::execute)
      wait(x, id, nodes_[id]);
    if (x.has(member::elapsed))
      last_ = nodes_[id].now = x.elapsed;
    add_step(x, id, nodes_[id]);
  }

  void finish() {
    out_.finish();
  }

  /// Whether the trace has the durations of code.
  bool knows_durations() const {
    return knows_durations_;
  }

private:
  void add_node(const event& x) {
    std::string process
      = x.has(member::process) ? std::string{x.process} : "nodes";
    auto [found, is_new] = processes_.emplace(process, processes_.size() + 1);
    auto& added = nodes_.emplace_back();
    added.where = {found->second, nodes_.size()};
    if (is_new)
      out_.name({found->second, 0}, "process_name",
                x.has(member::process) ? "process " + process : process);
    out_.name(added.where, "thread_name", x.node);
  }

  void add_of_application(const event& x) {
    switch (x.kind) {
      case event_kind::request:
      case event_kind::final:
      case event_kind::aborted:
      case event_kind::end:
        mark(x, application_track, last_);
        return;
      default:
        return;
    }
  }

  void add_step(const event& x, index id, node_track& node) {
    switch (x.kind) {
      case event_kind::start:
      case event_kind::resume:
      case event_kind::reaction:
        node.piece = x.kind;
        return;
      case event_kind::execute:
        execute(x, node);
        return;
      case event_kind::ran:
        ran(x, node);
        return;
      case event_kind::send:
        send(x, id, node);
        return;
      case event_kind::input:
        input(x, id, node);
        return;
      case event_kind::promise:
        nodes_[receiver_of(connection_of(x, id))].heard_from = id;
        return;
      case event_kind::group:
      case event_kind::restored:
      case event_kind::in_transit:
      case event_kind::pending:
      case event_kind::watchdog:
      case event_kind::running:
      case event_kind::visited:
      case event_kind::suspended:
        return;
      default:
        mark(x, node.where, node.now);
        return;
    }
  }

  /// Shows the time between the sending of a value of the next tag and its
  /// execution.
  void wait(const event& x, index id, node_track& node) {
    auto heard_from = std::exchange(node.heard_from, std::nullopt);
    auto since = forever.ns;
    const auto& declared = declared_.nodes()[id];
    for (auto i = declared.first_input; i < declared.last_input; ++i)
      for (auto connection : declared_.inputs()[i].connections)
        if (const auto& queue = under_way_[connection];
            !queue.empty() && queue.front().arrival == x.tag)
          since = std::min(since, queue.front().sent);
    since = std::max(since, node.now);
    if (realtime_)
      since = std::max(since, x.tag.ns);
    if (x.elapsed - shortest_wait < since)
      return;
    auto sender
      = heard_from ? " for " + declared_.node_name(*heard_from) : std::string{};
    out_.slice(
      node.where, "waits" + sender, "wait", since, x.elapsed, to_string(x.tag));
  }

  void execute(const event& x, node_track& node) {
    auto name = std::string{x.node};
    out_.counter(node.where, "lag of " + name, x.elapsed, "ms",
                 static_cast<double>(x.elapsed - x.tag.ns) / 1e6);
    out_.counter(node.where, "messages for " + name, x.elapsed, "messages",
                 static_cast<double>(node.queued));
    if (!knows_durations_)
      out_.mark(node.where, "tag", x.elapsed, to_string(x.tag));
  }

  void ran(const event& x, node_track& node) {
    knows_durations_ = true;
    last_ = node.now = x.ended;
    out_.slice(node.where, x.reaction, category_of(node.piece), x.began,
               x.ended, to_string(x.tag));
    for (auto id : std::exchange(node.taken, {}))
      out_.arrow(node.where, "f", id, "message", x.began);
    for (auto id : std::exchange(node.sent, {}))
      out_.arrow(node.where, "s", id, "message", x.began);
  }

  static const char* category_of(event_kind piece) {
    return piece == event_kind::resume ? "resume"
           : piece == event_kind::start
             ? "start"
             : "reaction";
  }

  index connection_of(const event& x, index sender) const {
    return declared_.find_connection_to(
      declared_.find_output(sender, x.port), x.to);
  }

  index receiver_of(index connection) const {
    return declared_.connections()[connection].receiver;
  }

  void send(const event& x, index id, node_track& node) {
    auto connection = connection_of(x, id);
    auto arrival = x.has(member::arrival) ? x.arrival : never;
    auto message = ++messages_;
    under_way_[connection].push_back({message, arrival, node.now});
    node.sent.push_back(message);
    auto& receiver = nodes_[receiver_of(connection)];
    receiver.heard_from = id;
    ++receiver.queued;
  }

  /// Shows the receipt of a value. Values of a connection arrive in order.
  /// Earlier values were dropped, or their sender was killed before it could
  /// write more.
  void input(const event& x, index id, node_track& node) {
    if (!x.has(member::from))
      return;
    auto connection = declared_.find_connection_from(
      x.from, declared_.find_input(id, x.port));
    auto& queue = under_way_[connection];
    auto is_physical = declared_.connections()[connection].physical;
    while (!is_physical && !queue.empty() && queue.front().arrival < x.tag) {
      queue.pop_front();
      --node.queued;
    }
    // A message in transit at the checkpoint has no sender in this trace.
    if (queue.empty() || (!is_physical && queue.front().arrival > x.tag))
      return;
    node.taken.push_back(queue.front().id);
    queue.pop_front();
    --node.queued;
  }

  void mark(const event& x, track where, std::int64_t at) {
    std::string text;
    if (x.has(member::tag))
      text = "tag " + to_string(x.tag);
    if (x.has(member::due))
      text = quoted(x.action) + " at tag " + to_string(x.due);
    if (x.has(member::proposal))
      text = "not before " + to_string(x.proposal);
    for (auto field :
         {member::ending, member::reason, member::text, member::reaction})
      if (x.has(field))
        text += (text.empty() ? "" : ": ") + std::string{text_of(x, field)};
    if (x.has(member::status))
      text
        += (text.empty() ? "" : ": ") + ("status " + std::to_string(x.status));
    out_.mark(where, to_string(x.kind), at, text);
  }

  static std::string_view text_of(const event& x, member which) {
    return which == member::ending   ? x.ending
           : which == member::reason ? x.reason
           : which == member::reaction
             ? x.reaction
             : x.text;
  }

  event_writer out_;
  graph declared_;
  judge rules_;
  std::map<std::string, std::size_t> processes_;
  std::vector<node_track> nodes_;
  std::vector<std::deque<message_under_way>> under_way_; // by connection
  std::size_t messages_ = 0;
  std::int64_t last_ = 0;
  bool realtime_ = false;
  bool knows_durations_ = false;
};

/// Converts a trace. A truncated trace is used as far as it goes.
void convert(const std::string& file, std::ostream& out,
             std::ostream& warnings) {
  converter result{out};
  read_events(file, [&](const event& x) { result.add(x); });
  result.finish();
  if (!result.knows_durations())
    warnings
      << shown_path(file)
      << ": the trace does not say how long reactions ran, because it has "
         "format 1 or no reaction ended; tags are marks\n";
}

} // namespace

int perfetto_command(const conversion_options& options, std::ostream& out,
                     std::ostream& warnings) {
  require_other_file(options.output, options.file);
  write_to(options.output, out, [&](std::ostream& to) {
    convert(options.file, to, warnings);
  });
  return exit_good;
}

} // namespace rosia_trace
