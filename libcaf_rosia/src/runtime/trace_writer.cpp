// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/trace_writer.hpp"

#include "base/new_files.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/version.hpp"
#include "engine/reaction_graph.hpp"
#include "nodes/node_access.hpp"

#include <cerrno>
#include <iterator>
#include <system_error>

namespace caf::rosia::detail {

namespace {

using reaction_kind = graph_description::reaction_kind;
using trigger_kind = graph_description::trigger_kind;

/// The buffer is flushed when it has this size.
constexpr std::size_t buffer_limit = 1 << 16;

/// The beginning of each trace.
constexpr std::string_view first_words = R"({"event":"application",)";

using out = std::back_insert_iterator<fmt::memory_buffer>;

/// Returns `x` as a JSON string.
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

void put(out to, logical_time x) {
  if (x == never)
    fmt::format_to(to, "\"never\"");
  else if (x == forever)
    fmt::format_to(to, "\"forever\"");
  else
    fmt::format_to(to, "[{},{}]", x.ns, x.microstep);
}

/// Returns a delay as it is in a trace.
std::string parts_text(const delay& x) {
  return fmt::format("[{},{}]", x.ns(), x.steps());
}

void put_digest(out to, const engine::value& content) {
  if (auto digest = content.digest())
    fmt::format_to(to, "\"{:016x}\"", *digest);
  else
    fmt::format_to(to, "null");
}

const char* text_of(engine::drop_reason x) {
  switch (x) {
    case engine::drop_reason::queue_full:
      return "queue full";
    case engine::drop_reason::past_final_tag:
      return "past the final tag";
    case engine::drop_reason::replaced:
      return "replaced";
    case engine::drop_reason::spacing:
      return "spacing";
    default:
      return "refused";
  }
}

/// Returns the members of an action's description for its spacing, if any.
std::string spacing_members(const graph_description::spacing& x) {
  return x.exists() ? fmt::format(
           R"(,"spacing":{},"policy":"{}")", x.distance, to_string(x.policy))
                    : std::string{};
}

} // namespace

const char* text_of(engine::ending x) {
  switch (x) {
    case engine::ending::done:
      return "done";
    case engine::ending::final_tag:
      return "final";
    default:
      return "aborted";
  }
}

/// One line of the trace, built under the writer's lock.
struct trace_writer::line {
  line(trace_writer& self, const char* event)
    : guard(self.mutex_), writer(self), to(std::back_inserter(self.buffer_)) {
    fmt::format_to(to, "{{\"event\":\"{}\"", event);
  }

  ~line() {
    fmt::format_to(to, "}}\n");
    if (writer.write_through_ || writer.buffer_.size() >= buffer_limit)
      writer.write_out();
  }

  /// Adds a member. @param text its value, as JSON.
  line& raw(const char* key, std::string_view text) {
    fmt::format_to(to, ",\"{}\":{}", key, text);
    return *this;
  }

  line& node(engine::node_id id) {
    return raw("node", writer.nodes_[id]);
  }

  line& tag(const char* key, logical_time x) {
    fmt::format_to(to, ",\"{}\":", key);
    put(to, x);
    return *this;
  }

  line& number(const char* key, std::int64_t x) {
    fmt::format_to(to, ",\"{}\":{}", key, x);
    return *this;
  }

  line& digest(const engine::value& x) {
    fmt::format_to(to, ",\"digest\":");
    put_digest(to, x);
    return *this;
  }

  std::lock_guard<std::mutex> guard;
  trace_writer& writer;
  out to;
};

// -- constructors, destructors ------------------------------------------------

trace_writer::trace_writer(const std::string& path) {
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

trace_writer::trace_writer(std::function<void(std::string_view)> sink)
  : sink_(std::move(sink)) {
  // nop
}

trace_writer::~trace_writer() {
  flush();
  if (file_ != nullptr)
    std::fclose(file_);
}

void trace_writer::write_through() {
  std::lock_guard guard{mutex_};
  write_through_ = true;
  if (file_ != nullptr)
    std::setvbuf(file_, nullptr, _IONBF, 0);
  write_out();
}

void trace_writer::graph(const options& opts, const node_directory& nodes,
                         const graph_description& graph) {
  node_directory_ = &nodes;
  for (auto& node : graph.nodes)
    nodes_.push_back(json_string(node.name));
  {
    line out{*this, "application"};
    out.number("format", 3).raw("version", json_string(version));
    if (nodes.distributed())
      out.raw("process", json_string(nodes.processes()[nodes.self()]));
    out.raw("realtime", opts.realtime ? "true" : "false");
    if (opts.stop_after)
      out.tag("stop_after", *opts.stop_after);
    if (!opts.checkpoint.file.empty())
      out.raw("checkpoints", "true");
    if (!opts.replay.empty())
      out.raw("replay", "true");
  }
  auto join = [](auto& members, auto&& text_of_member) {
    std::string result = "[";
    for (auto& x : members) {
      if (result.size() > 1)
        result += ',';
      result += text_of_member(x);
    }
    return result += ']';
  };
  auto flag = [](bool x) { return x ? "true" : "false"; };
  for (engine::node_id i = 0; i < graph.nodes.size(); ++i) {
    auto& node = graph.nodes[i];
    line out{*this, "node"};
    out.node(i);
    if (!node.process.empty())
      out.raw("process", json_string(node.process));
    out.raw("inputs", join(node.inputs, [&](auto& x) {
              return fmt::format(
                R"({{"name":{},"type":{},"physical":{}{}{}}})",
                json_string(x.name), json_string(x.type), flag(x.physical),
                x.after > 0 ? fmt::format(R"(,"after":{})", x.after) : "",
                spacing_members(x.spacing));
            }));
    out.raw("outputs", join(node.outputs, [&](auto& x) {
              return fmt::format(R"({{"name":{},"type":{}}})",
                                 json_string(x.name), json_string(x.type));
            }));
    auto triggers = [&](auto& x, trigger_kind kind, auto& members) {
      std::vector<std::string_view> names;
      for (auto& trigger : x.triggers)
        if (trigger.kind == kind)
          names.push_back(members[trigger.index].name);
      return join(names, json_string);
    };
    auto accesses = [&](auto& x) {
      auto names = [&](auto& indices, auto& ports) {
        return join(indices, [&](auto index) {
          return json_string(ports[index].name);
        });
      };
      return x.declares ? fmt::format(
               R"(,"reads":{},"writes":{},"writes_later":{})",
               names(x.reads, node.inputs), names(x.writes, node.outputs),
               names(x.writes_later, node.outputs))
                        : std::string{};
    };
    auto deadline = [&](auto& x) {
      return !x.deadline_state.empty()
               ? R"(,"deadline_state":)" + json_string(x.deadline_state)
             : x.deadline >= 0
               ? fmt::format(R"(,"deadline":{})", x.deadline)
               : std::string{};
    };
    auto mode_of = [&](auto& x) {
      return x.mode == graph_description::no_mode
               ? std::string{}
               : R"(,"mode":)" + json_string(node.actions[x.mode].name);
    };
    out.raw(
      "reactions", join(node.reactions, [&](auto& x) {
        auto actions = triggers(x, trigger_kind::action, node.actions);
        return fmt::format(
          R"({{"name":{},"triggers":{},"eager":{}{}{}{}{}{}{}}})",
          json_string(x.name), triggers(x, trigger_kind::input, node.inputs),
          flag(x.kind == reaction_kind::eager),
          x.kind == reaction_kind::startup ? R"(,"startup":true)" : "",
          actions == "[]" ? "" : R"(,"actions":)" + actions,
          engine::is_at_shutdown(x.triggers) ? R"(,"at_shutdown":true)" : "",
          accesses(x), deadline(x), mode_of(x));
      }));
    if (!node.actions.empty())
      out.raw("actions", join(node.actions, [&](auto& x) {
                auto times = fmt::format(
                  R"(,"offset":{},"period":{})", x.offset, x.period);
                return fmt::format(
                  R"({{"name":{},"type":{}{}{}{}{}{}}})", json_string(x.name),
                  json_string(x.type), x.ticks ? times : "",
                  spacing_members(x.spacing),
                  x.timeout < 0 ? std::string{}
                                : fmt::format(R"(,"timeout":{})", x.timeout),
                  x.is_mode ? R"(,"is_mode":true)" : "", mode_of(x));
              }));
  }
  for (auto& x : graph.connections) {
    auto& names = connections_.emplace_back();
    names.from = json_string(graph.output_of(x));
    names.to = json_string(graph.input_of(x));
    names.output = json_string(graph.nodes[x.source].outputs[x.output].name);
    line out{*this, "connection"};
    out.raw("from", names.from).raw("to", names.to);
    out.raw("delay", parts_text(x.distance));
    out.raw("physical", flag(x.physical));
    if (x.has_max_wait())
      out.number("wait", x.max_wait);
  }
}

// -- the checkpoint of a resumed run ------------------------------------------

void trace_writer::resumed(logical_time tag) {
  line{*this, "resumed"}.tag("tag", tag);
}

void trace_writer::restored(engine::node_id node, logical_time tag, bool left) {
  line out{*this, "restored"};
  out.node(node).tag("tag", tag);
  if (left)
    out.raw("left", "true");
}

void trace_writer::in_transit(
  engine::node_id node, std::uint32_t port, std::uint32_t connection,
  logical_time arrival, const engine::value& content) {
  auto name = json_string(node_directory_->port_name(node, false, port));
  line out{*this, "in_transit"};
  out.node(node).raw("port", name).raw("from", connections_[connection].from);
  out.tag("arrival", arrival).digest(content);
}

void trace_writer::pending(engine::node_id node, std::uint32_t action,
                           logical_time due, const engine::value& content) {
  auto name = action_name(node, action);
  line out{*this, "pending"};
  out.node(node).raw("action", name).tag("due", due).digest(content);
}

void trace_writer::visited(
  engine::node_id node, std::uint32_t action, bool is_active) {
  auto name = action_name(node, action);
  line out{*this, "visited"};
  out.node(node).raw("action", name);
  if (is_active)
    out.raw("active", "true");
}

void trace_writer::suspended(
  engine::node_id node, std::uint32_t action, const delay& distance,
  const engine::value& content) {
  auto name = action_name(node, action);
  line out{*this, "suspended"};
  out.node(node).raw("action", name);
  out.raw("delay", parts_text(distance)).digest(content);
}

void trace_writer::running(
  engine::node_id node, std::uint32_t action, std::int64_t expiry) {
  auto name = action_name(node, action);
  line out{*this, "running"};
  out.node(node).raw("action", name).number("expiry", expiry);
}

// -- the coordinator's events -------------------------------------------------

void trace_writer::request(
  std::optional<engine::node_id> node, logical_time tag, logical_time proposal,
  int status) {
  line out{*this, "request"};
  if (node)
    out.node(*node);
  else
    out.raw("node", "null");
  out.tag("tag", tag).tag("proposal", proposal).number("status", status);
}

void trace_writer::final(logical_time tag) {
  line{*this, "final"}.tag("tag", tag);
}

void trace_writer::aborted(bool started) {
  line out{*this, "aborted"};
  if (!started)
    out.raw("started", "false");
}

void trace_writer::group(engine::node_id node,
                         std::optional<engine::node_id> first) {
  line{*this, "group"}.node(node).raw(
    "group", first ? std::string_view{nodes_[*first]} : "null");
}

void trace_writer::end(int status) {
  line{*this, "end"}.number("status", status);
}

std::error_code trace_writer::flush() {
  std::lock_guard guard{mutex_};
  write_out();
  if (file_ != nullptr && std::fflush(file_) != 0)
    note_failure();
  return problem_;
}

// -- overridden functions of engine::tracer -----------------------------------

void trace_writer::start(engine::node_id node, std::int64_t elapsed) {
  line{*this, "start"}.node(node).number("elapsed", elapsed);
}

void trace_writer::execute(engine::node_id node, logical_time tag,
                           logical_time stat, std::int64_t elapsed) {
  line out{*this, "execute"};
  out.node(node).tag("tag", tag).tag("stat", stat).number("elapsed", elapsed);
}

void trace_writer::go_on(engine::node_id node, logical_time tag,
                         std::uint32_t reaction, std::int64_t elapsed) {
  line out{*this, "continue"};
  out.node(node).tag("tag", tag).number("elapsed", elapsed);
  out.raw("before", json_string(reaction_name(node, reaction)));
}

void trace_writer::execute_last(
  engine::node_id node, logical_time tag, std::int64_t elapsed) {
  line out{*this, "execute"};
  out.node(node).tag("tag", tag).tag("stat", engine::just_past(tag));
  out.number("elapsed", elapsed).raw("last", "true");
}

void trace_writer::resume(engine::node_id node, logical_time tag,
                          std::uint32_t reaction) {
  auto name = json_string(reaction_name(node, reaction));
  line{*this, "resume"}.node(node).tag("tag", tag).raw("reaction", name);
}

void trace_writer::input(
  engine::node_id node, logical_time tag, std::uint32_t port,
  std::uint32_t connection, const engine::value& content) {
  auto name = json_string(node_directory_->port_name(node, false, port));
  line out{*this, "input"};
  out.node(node).tag("tag", tag).raw("port", name);
  out.raw("from", connection == no_connection
                    ? std::string_view{"null"}
                    : std::string_view{connections_[connection].from});
  out.digest(content);
}

void trace_writer::schedule(
  engine::node_id node, logical_time tag, std::uint32_t action,
  logical_time due, const engine::value& content) {
  auto name = action_name(node, action);
  line out{*this, "schedule"};
  out.node(node).tag("tag", tag).raw("action", name);
  out.tag("due", due).digest(content);
}

void trace_writer::withdraw(engine::node_id node, logical_time tag,
                            std::uint32_t action, logical_time due) {
  auto name = action_name(node, action);
  line out{*this, "withdraw"};
  out.node(node).tag("tag", tag).raw("action", name).tag("due", due);
}

void trace_writer::action(engine::node_id node, logical_time tag,
                          std::uint32_t action, const engine::value& content) {
  auto name = action_name(node, action);
  line out{*this, "action"};
  out.node(node).tag("tag", tag).raw("action", name).digest(content);
}

void trace_writer::reaction(
  engine::node_id node, logical_time tag, std::uint32_t reaction) {
  auto name = json_string(reaction_name(node, reaction));
  line{*this, "reaction"}.node(node).tag("tag", tag).raw("reaction", name);
}

void trace_writer::mode(engine::node_id node, logical_time tag,
                        std::uint32_t action, bool history) {
  auto name = action_name(node, action);
  line out{*this, "mode"};
  out.node(node).tag("tag", tag).raw("action", name);
  out.raw("history", history ? "true" : "false");
}

void trace_writer::watchdog(engine::node_id node, logical_time tag,
                            std::uint32_t action, std::int64_t expiry) {
  auto name = action_name(node, action);
  line out{*this, "watchdog"};
  out.node(node).tag("tag", tag).raw("action", name);
  if (expiry < 0)
    out.raw("expiry", "null");
  else
    out.number("expiry", expiry);
}

void trace_writer::expire(engine::node_id node, std::uint32_t action,
                          logical_time due, std::int64_t elapsed) {
  auto name = action_name(node, action);
  line out{*this, "expire"};
  out.node(node).raw("action", name).tag("due", due);
  out.number("elapsed", elapsed);
}

void trace_writer::tardy(
  engine::node_id node, std::uint32_t port, std::uint32_t connection,
  logical_time arrival, logical_time due) {
  auto name = json_string(node_directory_->port_name(node, false, port));
  line out{*this, "tardy"};
  out.node(node).raw("port", name).raw("from", connections_[connection].from);
  out.tag("arrival", arrival);
  if (due == forever)
    out.raw("due", "null");
  else
    out.tag("due", due);
}

void trace_writer::missed(engine::node_id node, logical_time tag,
                          std::uint32_t reaction, std::int64_t limit) {
  auto name = json_string(reaction_name(node, reaction));
  line out{*this, "missed"};
  out.node(node).tag("tag", tag).raw("reaction", name);
  out.number("deadline", limit);
}

void trace_writer::ran(
  engine::node_id node, logical_time tag, std::uint32_t reaction,
  std::int64_t began, std::int64_t ended) {
  auto name = json_string(reaction_name(node, reaction));
  line out{*this, "ran"};
  out.node(node).tag("tag", tag).raw("reaction", name);
  out.number("began", began).number("ended", ended);
}

void trace_writer::send(
  engine::node_id node, logical_time tag, std::uint32_t connection,
  logical_time arrival, const engine::value& content) {
  auto& names = connections_[connection];
  line out{*this, "send"};
  out.node(node).tag("tag", tag).raw("port", names.output);
  out.raw("to", names.to);
  if (arrival == never)
    out.raw("arrival", "null");
  else
    out.tag("arrival", arrival);
  out.digest(content);
}

void trace_writer::promise(
  engine::node_id node, std::uint32_t connection, logical_time promise) {
  auto& names = connections_[connection];
  line out{*this, "promise"};
  out.node(node).raw("port", names.output).raw("to", names.to);
  out.tag("tag", promise);
}

void trace_writer::drop(engine::node_id node, std::uint32_t input,
                        engine::drop_reason reason) {
  auto name = json_string(node_directory_->port_name(node, false, input));
  line out{*this, "drop"};
  out.node(node).raw("port", name).raw("reason", json_string(text_of(reason)));
}

void trace_writer::proposal(engine::node_id node, logical_time proposal) {
  line{*this, "asked"}.node(node).tag("proposal", proposal);
}

void trace_writer::answer(engine::node_id node, logical_time tag) {
  line{*this, "answer"}.node(node).tag("tag", tag);
}

void trace_writer::done(engine::node_id node, logical_time tag) {
  line{*this, "done"}.node(node).tag("tag", tag);
}

void trace_writer::final_taken(engine::node_id node, logical_time tag) {
  line{*this, "final_taken"}.node(node).tag("tag", tag);
}

void trace_writer::error(engine::node_id node, const engine::failure& error) {
  line out{*this, "error"};
  out.node(node)
    .raw("reaction", json_string(error.reaction))
    .tag("tag", error.tag);
  out.raw("what", json_string(error.text));
}

void trace_writer::shutdown(
  engine::node_id node, logical_time tag, engine::ending ending) {
  line out{*this, "shutdown"};
  out.node(node).tag("tag", tag).raw("how", json_string(text_of(ending)));
}

void trace_writer::exit(engine::node_id node) {
  line{*this, "exit"}.node(node);
}

// -- implementation -----------------------------------------------------------

std::string_view trace_writer::reaction_name(
  engine::node_id node, std::uint32_t reaction) const {
  if (reaction == start_reaction)
    return "start";
  return node_access::reactions(*node_directory_->find(node))[reaction]->name();
}

std::string trace_writer::action_name(
  engine::node_id node, std::uint32_t action) const {
  return json_string(
    node_access::saved(*node_directory_->find(node)).actions[action]->name());
}

void trace_writer::write_out() {
  if (buffer_.size() == 0)
    return;
  if (sink_)
    sink_({buffer_.data(), buffer_.size()});
  else if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_)
           != buffer_.size())
    note_failure();
  buffer_.clear();
}

void trace_writer::note_failure() noexcept {
  if (!problem_)
    problem_.assign(errno, std::generic_category());
}

} // namespace caf::rosia::detail
