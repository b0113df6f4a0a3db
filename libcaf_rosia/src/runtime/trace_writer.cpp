// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/trace_writer.hpp"

#include "caf/rosia/version.hpp"
#include "engine/reaction_graph.hpp"

#include <utility>

namespace caf::rosia::detail {

namespace {

using reaction_kind = graph_description::reaction_kind;
using trigger_kind = graph_description::trigger_kind;

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

void trace_writer::graph(const options& opts, const node_directory& nodes,
                         const graph_description& graph) {
  names_ = {nodes, graph};
  {
    auto out = line("application");
    out.number("format", 3).text("version", version);
    if (nodes.distributed())
      out.text("process", nodes.processes()[nodes.self()]);
    out.flag("realtime", opts.realtime);
    if (opts.stop_after)
      out.tag("stop_after", *opts.stop_after);
    if (!opts.checkpoint.file.empty())
      out.flag("checkpoints", true);
    if (!opts.replay.empty())
      out.flag("replay", true);
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
    auto out = line("node");
    out.node(i);
    if (!node.process.empty())
      out.text("process", node.process);
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
    auto out = line("connection");
    out.text("from", graph.output_of(x)).text("to", graph.input_of(x));
    out.raw("delay", parts_text(x.distance)).flag("physical", x.physical);
    if (x.has_max_wait())
      out.number("wait", x.max_wait);
  }
}

// -- the coordinator's events -------------------------------------------------

void trace_writer::request(
  std::optional<engine::node_id> node, logical_time tag, logical_time proposal,
  int status) {
  auto out = line("request");
  if (node)
    out.node(*node);
  else
    out.raw("node", "null");
  out.tag(tag).tag("proposal", proposal).number("status", status);
}

void trace_writer::final(logical_time tag) {
  line("final").tag(tag);
}

void trace_writer::aborted(bool started) {
  auto out = line("aborted");
  if (!started)
    out.flag("started", false);
}

void trace_writer::group(engine::node_id node,
                         std::optional<engine::node_id> first) {
  line("group").node(node).raw("group", first ? names_.nodes[*first] : "null");
}

void trace_writer::end(int status) {
  line("end").number("status", status);
}

// -- overridden functions of engine::tracer -----------------------------------

void trace_writer::start(engine::node_id node, std::int64_t elapsed) {
  line("start").node(node).number("elapsed", elapsed);
}

void trace_writer::execute(engine::node_id node, logical_time tag,
                           logical_time stat, std::int64_t elapsed) {
  line("execute")
    .node(node)
    .tag(tag)
    .tag("stat", stat)
    .number("elapsed", elapsed);
}

void trace_writer::go_on(engine::node_id node, logical_time tag,
                         std::uint32_t reaction, std::int64_t elapsed) {
  line("continue")
    .node(node)
    .tag(tag)
    .number("elapsed", elapsed)
    .reaction(reaction, "before");
}

void trace_writer::execute_last(
  engine::node_id node, logical_time tag, std::int64_t elapsed) {
  auto out = line("execute");
  out.node(node).tag(tag).tag("stat", engine::just_past(tag));
  out.number("elapsed", elapsed).flag("last", true);
}

void trace_writer::resume(engine::node_id node, logical_time tag,
                          std::uint32_t reaction) {
  line("resume").node(node).tag(tag).reaction(reaction);
}

void trace_writer::input(
  engine::node_id node, logical_time tag, std::uint32_t port,
  std::uint32_t connection, const engine::value& content) {
  auto out = line("input");
  out.node(node).tag(tag).input(port);
  if (connection == no_connection)
    out.raw("from", "null");
  else
    out.from(connection);
  out.digest(content);
}

void trace_writer::schedule(
  engine::node_id node, logical_time tag, std::uint32_t action,
  logical_time due, const engine::value& content) {
  auto out = line("schedule");
  out.node(node).tag(tag).action(action).tag("due", due).digest(content);
}

void trace_writer::withdraw(engine::node_id node, logical_time tag,
                            std::uint32_t action, logical_time due) {
  line("withdraw").node(node).tag(tag).action(action).tag("due", due);
}

void trace_writer::action(engine::node_id node, logical_time tag,
                          std::uint32_t action, const engine::value& content) {
  line("action").node(node).tag(tag).action(action).digest(content);
}

void trace_writer::reaction(
  engine::node_id node, logical_time tag, std::uint32_t reaction) {
  line("reaction").node(node).tag(tag).reaction(reaction);
}

void trace_writer::mode(engine::node_id node, logical_time tag,
                        std::uint32_t action, bool history) {
  line("mode").node(node).tag(tag).action(action).flag("history", history);
}

void trace_writer::watchdog(engine::node_id node, logical_time tag,
                            std::uint32_t action, std::int64_t expiry) {
  auto out = line("watchdog");
  out.node(node).tag(tag).action(action);
  if (expiry < 0)
    out.raw("expiry", "null");
  else
    out.number("expiry", expiry);
}

void trace_writer::expire(engine::node_id node, std::uint32_t action,
                          logical_time due, std::int64_t elapsed) {
  auto out = line("expire");
  out.node(node).action(action).tag("due", due).number("elapsed", elapsed);
}

void trace_writer::tardy(
  engine::node_id node, std::uint32_t port, std::uint32_t connection,
  logical_time arrival, logical_time due) {
  auto out = line("tardy");
  out.node(node).input(port).from(connection).tag("arrival", arrival);
  if (due == forever)
    out.raw("due", "null");
  else
    out.tag("due", due);
}

void trace_writer::missed(engine::node_id node, logical_time tag,
                          std::uint32_t reaction, std::int64_t limit) {
  line("missed").node(node).tag(tag).reaction(reaction).number(
    "deadline", limit);
}

void trace_writer::ran(
  engine::node_id node, logical_time tag, std::uint32_t reaction,
  std::int64_t began, std::int64_t ended) {
  auto out = line("ran");
  out.node(node).tag(tag).reaction(reaction);
  out.number("began", began).number("ended", ended);
}

void trace_writer::send(
  engine::node_id node, logical_time tag, std::uint32_t connection,
  logical_time arrival, const engine::value& content) {
  auto out = line("send");
  out.node(node).tag(tag).to(connection);
  if (arrival == never)
    out.raw("arrival", "null");
  else
    out.tag("arrival", arrival);
  out.digest(content);
}

void trace_writer::promise(
  engine::node_id node, std::uint32_t connection, logical_time promise) {
  line("promise").node(node).to(connection).tag(promise);
}

void trace_writer::drop(engine::node_id node, std::uint32_t input,
                        engine::drop_reason reason) {
  line("drop").node(node).input(input).text("reason", text_of(reason));
}

void trace_writer::proposal(engine::node_id node, logical_time proposal) {
  line("asked").node(node).tag("proposal", proposal);
}

void trace_writer::answer(engine::node_id node, logical_time tag) {
  line("answer").node(node).tag(tag);
}

void trace_writer::done(engine::node_id node, logical_time tag) {
  line("done").node(node).tag(tag);
}

void trace_writer::final_taken(engine::node_id node, logical_time tag) {
  line("final_taken").node(node).tag(tag);
}

void trace_writer::error(engine::node_id node, const engine::failure& error) {
  auto out = line("error");
  out.node(node)
    .text("reaction", error.reaction)
    .tag(error.tag)
    .text("what", error.text);
}

void trace_writer::shutdown(
  engine::node_id node, logical_time tag, engine::ending ending) {
  line("shutdown").node(node).tag(tag).text("how", text_of(ending));
}

void trace_writer::exit(engine::node_id node) {
  line("exit").node(node);
}

// -- checkpoint_trace ---------------------------------------------------------

void checkpoint_trace::resumed(logical_time tag) {
  trace_->line("resumed").tag(tag);
}

void checkpoint_trace::restored(
  engine::node_id node, logical_time tag, bool left) {
  auto out = trace_->line("restored");
  out.node(node).tag(tag);
  if (left)
    out.flag("left", true);
}

void checkpoint_trace::in_transit(
  engine::node_id node, std::uint32_t port, std::uint32_t connection,
  logical_time arrival, const engine::value& content) {
  auto out = trace_->line("in_transit");
  out.node(node)
    .input(port)
    .from(connection)
    .tag("arrival", arrival)
    .digest(content);
}

void checkpoint_trace::pending(engine::node_id node, std::uint32_t action,
                               logical_time due, const engine::value& content) {
  trace_->line("pending")
    .node(node)
    .action(action)
    .tag("due", due)
    .digest(content);
}

void checkpoint_trace::visited(
  engine::node_id node, std::uint32_t action, bool is_active) {
  auto out = trace_->line("visited");
  out.node(node).action(action);
  if (is_active)
    out.flag("active", true);
}

void checkpoint_trace::suspended(
  engine::node_id node, std::uint32_t action, const delay& distance,
  const engine::value& content) {
  auto out = trace_->line("suspended");
  out.node(node)
    .action(action)
    .raw("delay", parts_text(distance))
    .digest(content);
}

void checkpoint_trace::running(
  engine::node_id node, std::uint32_t action, std::int64_t expiry) {
  trace_->line("running").node(node).action(action).number("expiry", expiry);
}

} // namespace caf::rosia::detail
