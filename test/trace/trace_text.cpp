// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/trace_text.hpp"

#include "catch.hpp"
#include "rosia_trace/checker.hpp"

#include <algorithm>
#include <utility>

namespace trace_test {

namespace {

/// Builds one line, member by member.
class line_text {
public:
  explicit line_text(std::string_view event) {
    text("event", event);
  }

  line_text& raw(std::string_view member, std::string_view json) {
    result_ += result_.empty() ? "{\"" : ",\"";
    result_ += member;
    result_ += "\":";
    result_ += json;
    return *this;
  }

  line_text& text(std::string_view member, std::string_view value) {
    return raw(member, '"' + std::string{value} + '"');
  }

  line_text& tag(std::string_view member, logical_time value) {
    return raw(member, json(value));
  }

  std::string str() const {
    return result_ + '}';
  }

private:
  std::string result_;
};

void append(std::string& list, std::string_view item) {
  if (!list.empty())
    list += ',';
  list += item;
}

std::string name_member(std::string_view name) {
  return R"({"name":")" + std::string{name} + '"';
}

constexpr std::string_view flag(bool x) {
  return x ? "true" : "false";
}

} // namespace

// -- lines --------------------------------------------------------------------

std::string json(logical_time x) {
  if (x == never)
    return "\"never\"";
  if (x == forever)
    return "\"forever\"";
  return '[' + std::to_string(x.ns) + ',' + std::to_string(x.microstep) + ']';
}

std::string digest(std::uint64_t x) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result(18, '"');
  for (auto i = 16u; i > 0; --i, x >>= 4)
    result[i] = hex[x & 15];
  return result;
}

std::string application(std::string_view more) {
  return R"({"event":"application","format":3,"version":"0.1.0",)"
         R"("realtime":false)"
         + std::string{more} + '}';
}

node_line::node_line(std::string_view name, std::string_view process)
  : name_{name}, process_{process} {
  // nop
}

node_line& node_line::input(
  std::string_view name, bool physical, std::string_view type) {
  append(inputs_, name_member(name) + R"(,"type":")" + std::string{type}
                    + R"(","physical":)" + std::string{flag(physical)} + '}');
  return *this;
}

node_line& node_line::output(std::string_view name, std::string_view type) {
  append(
    outputs_, name_member(name) + R"(,"type":")" + std::string{type} + "\"}");
  return *this;
}

node_line& node_line::reaction(
  std::string_view name, const std::vector<std::string>& triggers) {
  std::string list;
  for (const auto& x : triggers)
    append(list, '"' + x + '"');
  append(reactions_,
         name_member(name) + R"(,"triggers":[)" + list + R"(],"eager":false})");
  return *this;
}

node_line& node_line::declaring(
  std::string_view name, std::string_view trigger, std::string_view writes,
  std::string_view writes_later) {
  auto list = [](std::string_view x) {
    return x.empty() ? std::string{"[]"} : "[\"" + std::string{x} + "\"]";
  };
  append(reactions_,
         name_member(name) + R"(,"triggers":)" + list(trigger)
           + R"(,"eager":false,"reads":[],"writes":)" + list(writes)
           + R"(,"writes_later":)" + list(writes_later) + '}');
  return *this;
}

node_line& node_line::declaring_on(
  std::string_view name, std::string_view action, std::string_view writes) {
  append(reactions_,
         name_member(name) + R"(,"triggers":[],"eager":false,"actions":[")"
           + std::string{action} + R"("],"reads":[],"writes":[")"
           + std::string{writes} + R"("],"writes_later":[]})");
  return *this;
}

node_line& node_line::startup(std::string_view name) {
  append(reactions_,
         name_member(name) + R"(,"triggers":[],"eager":false,"startup":true})");
  return *this;
}

node_line& node_line::action(std::string_view name) {
  append(actions_, name_member(name) + R"(,"type":"int"})");
  return *this;
}

node_line& node_line::spaced(
  std::string_view action, std::int64_t spacing, std::string_view policy) {
  append(actions_, name_member(action) + R"(,"type":"int","spacing":)"
                     + std::to_string(spacing) + R"(,"policy":")"
                     + std::string{policy} + "\"}");
  return *this;
}

node_line& node_line::spaced_input(
  std::string_view name, std::int64_t spacing) {
  append(
    inputs_,
    name_member(name) + R"(,"type":"int","physical":true,"after":2,"spacing":)"
      + std::to_string(spacing) + R"(,"policy":"drop"})");
  return *this;
}

node_line& node_line::at_shutdown(std::string_view name) {
  append(
    reactions_,
    name_member(name) + R"(,"triggers":[],"eager":false,"at_shutdown":true})");
  return *this;
}

node_line& node_line::watchdog(std::string_view name, std::int64_t timeout) {
  append(actions_, name_member(name) + R"(,"type":"","timeout":)"
                     + std::to_string(timeout) + '}');
  return *this;
}

node_line& node_line::mode(std::string_view name) {
  append(actions_, name_member(name) + R"(,"type":"","is_mode":true})");
  return *this;
}

node_line& node_line::tick(
  std::string_view name, std::int64_t offset, std::int64_t period) {
  append(actions_,
         name_member(name) + R"(,"type":"","offset":)" + std::to_string(offset)
           + R"(,"period":)" + std::to_string(period) + '}');
  return *this;
}

node_line& node_line::tick_of(std::string_view mode, std::string_view name,
                              std::int64_t offset, std::int64_t period) {
  tick(name, offset, period);
  actions_.pop_back();
  actions_ += R"(,"mode":")" + std::string{mode} + R"("})";
  return *this;
}

node_line& node_line::action_of(std::string_view mode, std::string_view name) {
  append(actions_, name_member(name) + R"(,"type":"int","mode":")"
                     + std::string{mode} + R"("})");
  return *this;
}

node_line& node_line::of_mode(std::string_view mode) {
  reactions_.pop_back();
  reactions_ += R"(,"mode":")" + std::string{mode} + R"("})";
  return *this;
}

node_line& node_line::deadline(std::int64_t ns) {
  reactions_.pop_back();
  reactions_ += R"(,"deadline":)" + std::to_string(ns) + '}';
  return *this;
}

node_line& node_line::deadline(std::string_view state) {
  reactions_.pop_back();
  reactions_ += R"(,"deadline_state":")" + std::string{state} + R"("})";
  return *this;
}

node_line& node_line::reaction_on(
  std::string_view name, std::string_view action) {
  append(reactions_,
         name_member(name) + R"(,"triggers":[],"eager":false,"actions":[")"
           + std::string{action} + R"("]})");
  return *this;
}

std::string node_line::str() const {
  line_text result{"node"};
  result.text("node", name_);
  if (!process_.empty())
    result.text("process", process_);
  result.raw("inputs", '[' + inputs_ + ']')
    .raw("outputs", '[' + outputs_ + ']')
    .raw("reactions", '[' + reactions_ + ']');
  if (!actions_.empty())
    result.raw("actions", '[' + actions_ + ']');
  return result.str();
}

std::string connection(std::string_view from, std::string_view to,
                       logical_time delay, bool physical) {
  return line_text{"connection"}
    .text("from", from)
    .text("to", to)
    .tag("delay", delay)
    .raw("physical", flag(physical))
    .str();
}

std::string waiting_connection(
  std::string_view from, std::string_view to, std::int64_t wait) {
  auto result = connection(from, to);
  result.pop_back();
  return result + R"(,"wait":)" + std::to_string(wait) + '}';
}

std::string start(std::string_view node) {
  return line_text{"start"}.text("node", node).raw("elapsed", "0").str();
}

std::string execute(std::string_view node, logical_time tag,
                    logical_time stat) {
  return line_text{"execute"}
    .text("node", node)
    .tag("tag", tag)
    .tag("stat", stat)
    .raw("elapsed", "12")
    .str();
}

std::string resume(std::string_view node, logical_time tag,
                   std::string_view reaction) {
  return line_text{"resume"}
    .text("node", node)
    .tag("tag", tag)
    .text("reaction", reaction)
    .str();
}

std::string input(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view from, std::uint64_t value) {
  line_text result{"input"};
  result.text("node", node).tag("tag", tag).text("port", port);
  if (from.empty())
    result.raw("from", "null");
  else
    result.text("from", from);
  return result.raw("digest", digest(value)).str();
}

std::string schedule(
  std::string_view node, logical_time tag, std::string_view action,
  logical_time due, std::uint64_t value) {
  return line_text{"schedule"}
    .text("node", node)
    .tag("tag", tag)
    .text("action", action)
    .tag("due", due)
    .raw("digest", digest(value))
    .str();
}

std::string withdraw(std::string_view node, logical_time tag,
                     std::string_view action, logical_time due) {
  return line_text{"withdraw"}
    .text("node", node)
    .tag("tag", tag)
    .text("action", action)
    .tag("due", due)
    .str();
}

std::string action(std::string_view node, logical_time tag,
                   std::string_view action, std::uint64_t value) {
  return line_text{"action"}
    .text("node", node)
    .tag("tag", tag)
    .text("action", action)
    .raw("digest", digest(value))
    .str();
}

std::string execute_last(std::string_view node, logical_time tag) {
  auto result = execute(node, tag, next_microstep(tag));
  result.pop_back();
  return result + R"(,"last":true})";
}

std::string go_on(std::string_view node, logical_time tag,
                  std::string_view before) {
  return line_text{"continue"}
    .text("node", node)
    .tag("tag", tag)
    .raw("elapsed", "12")
    .text("before", before)
    .str();
}

std::string done(std::string_view node, logical_time tag) {
  return line_text{"done"}.text("node", node).tag("tag", tag).str();
}

std::string reaction(std::string_view node, logical_time tag,
                     std::string_view reaction) {
  return line_text{"reaction"}
    .text("node", node)
    .tag("tag", tag)
    .text("reaction", reaction)
    .str();
}

std::string watchdog(std::string_view node, logical_time tag,
                     std::string_view action, std::int64_t expiry) {
  return line_text{"watchdog"}
    .text("node", node)
    .tag("tag", tag)
    .text("action", action)
    .raw("expiry", expiry < 0 ? "null" : std::to_string(expiry))
    .str();
}

std::string mode(std::string_view node, logical_time tag,
                 std::string_view action, bool history) {
  return line_text{"mode"}
    .text("node", node)
    .tag("tag", tag)
    .text("action", action)
    .raw("history", flag(history))
    .str();
}

std::string visited(std::string_view node, std::string_view action,
                    bool is_active) {
  line_text result{"visited"};
  result.text("node", node).text("action", action);
  if (is_active)
    result.raw("active", "true");
  return result.str();
}

std::string suspended(std::string_view node, std::string_view action,
                      logical_time delay, std::uint64_t value) {
  return line_text{"suspended"}
    .text("node", node)
    .text("action", action)
    .tag("delay", delay)
    .raw("digest", digest(value))
    .str();
}

std::string expire(std::string_view node, std::string_view action,
                   logical_time due, std::int64_t elapsed) {
  return line_text{"expire"}
    .text("node", node)
    .text("action", action)
    .tag("due", due)
    .raw("elapsed", std::to_string(elapsed))
    .str();
}

std::string running(std::string_view node, std::string_view action,
                    std::int64_t expiry) {
  return line_text{"running"}
    .text("node", node)
    .text("action", action)
    .raw("expiry", std::to_string(expiry))
    .str();
}

std::string tardy(
  std::string_view node, std::string_view port, std::string_view from,
  logical_time arrival, logical_time due) {
  line_text result{"tardy"};
  result.text("node", node).text("port", port).text("from", from);
  result.tag("arrival", arrival);
  return due == forever ? result.raw("due", "null").str()
                        : result.tag("due", due).str();
}

std::string missed(std::string_view node, logical_time tag,
                   std::string_view reaction, std::int64_t deadline) {
  return line_text{"missed"}
    .text("node", node)
    .tag("tag", tag)
    .text("reaction", reaction)
    .raw("deadline", std::to_string(deadline))
    .str();
}

std::string ran(std::string_view node, logical_time tag,
                std::string_view reaction, std::int64_t began,
                std::int64_t ended) {
  return line_text{"ran"}
    .text("node", node)
    .tag("tag", tag)
    .text("reaction", reaction)
    .raw("began", std::to_string(began))
    .raw("ended", std::to_string(ended))
    .str();
}

std::string send(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view to, logical_time arrival, std::uint64_t value) {
  return line_text{"send"}
    .text("node", node)
    .tag("tag", tag)
    .text("port", port)
    .text("to", to)
    .tag("arrival", arrival)
    .raw("digest", digest(value))
    .str();
}

std::string send_physical(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view to, std::uint64_t value) {
  return line_text{"send"}
    .text("node", node)
    .tag("tag", tag)
    .text("port", port)
    .text("to", to)
    .raw("arrival", "null")
    .raw("digest", digest(value))
    .str();
}

std::string promise(std::string_view node, std::string_view port,
                    std::string_view to, logical_time tag) {
  return line_text{"promise"}
    .text("node", node)
    .text("port", port)
    .text("to", to)
    .tag("tag", tag)
    .str();
}

std::string drop(std::string_view node, std::string_view port,
                 std::string_view reason) {
  return line_text{"drop"}
    .text("node", node)
    .text("port", port)
    .text("reason", reason)
    .str();
}

std::string request(std::string_view node, logical_time tag,
                    logical_time proposal, int status) {
  return line_text{"request"}
    .text("node", node)
    .tag("tag", tag)
    .tag("proposal", proposal)
    .raw("status", std::to_string(status))
    .str();
}

std::string request_outside(logical_time proposal, int status) {
  return line_text{"request"}
    .raw("node", "null")
    .raw("tag", "null")
    .tag("proposal", proposal)
    .raw("status", std::to_string(status))
    .str();
}

std::string asked(std::string_view node, logical_time proposal) {
  return line_text{"asked"}.text("node", node).tag("proposal", proposal).str();
}

std::string answer(std::string_view node, logical_time tag) {
  return line_text{"answer"}.text("node", node).tag("tag", tag).str();
}

std::string final_tag(logical_time tag) {
  return line_text{"final"}.tag("tag", tag).str();
}

std::string final_taken(std::string_view node, logical_time tag) {
  return line_text{"final_taken"}.text("node", node).tag("tag", tag).str();
}

std::string error(std::string_view node, std::string_view reaction,
                  logical_time tag, std::string_view text) {
  return line_text{"error"}
    .text("node", node)
    .text("reaction", reaction)
    .tag("tag", tag)
    .text("what", text)
    .str();
}

std::string aborted() {
  return line_text{"aborted"}.str();
}

std::string unstarted() {
  return line_text{"aborted"}.raw("started", "false").str();
}

std::string shutdown(std::string_view node, logical_time tag,
                     std::string_view ending) {
  return line_text{"shutdown"}
    .text("node", node)
    .tag("tag", tag)
    .text("how", ending)
    .str();
}

std::string exit(std::string_view node) {
  return line_text{"exit"}.text("node", node).str();
}

std::string end(int status) {
  return line_text{"end"}.raw("status", std::to_string(status)).str();
}

std::string at(std::string line, std::int64_t elapsed) {
  auto i = line.find("\"elapsed\":");
  REQUIRE(i != std::string::npos);
  i += 10;
  auto end = line.find_first_not_of("0123456789", i);
  return line.replace(i, end - i, std::to_string(elapsed));
}

std::string group(std::string_view node, std::string_view first) {
  line_text result{"group"};
  result.text("node", node);
  return (first.empty() ? result.raw("group", "null")
                        : result.text("group", first))
    .str();
}

std::string resumed(logical_time tag) {
  return line_text{"resumed"}.tag("tag", tag).str();
}

std::string restored(std::string_view node, logical_time tag, bool left) {
  auto result = line_text{"restored"}.text("node", node).tag("tag", tag);
  return left ? result.raw("left", "true").str() : result.str();
}

std::string in_transit(
  std::string_view node, std::string_view port, std::string_view from,
  logical_time arrival, std::uint64_t value) {
  return line_text{"in_transit"}
    .text("node", node)
    .text("port", port)
    .text("from", from)
    .tag("arrival", arrival)
    .raw("digest", digest(value))
    .str();
}

std::string pending(std::string_view node, std::string_view action,
                    logical_time due, std::uint64_t value) {
  return line_text{"pending"}
    .text("node", node)
    .text("action", action)
    .tag("due", due)
    .raw("digest", digest(value))
    .str();
}

// -- traces -------------------------------------------------------------------

std::string trace::text() const {
  std::string result;
  for (const auto& x : lines)
    result += x + '\n';
  return result;
}

std::size_t trace::find(std::initializer_list<std::string_view> parts,
                        std::size_t nth) const {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto all = true;
    for (auto part : parts)
      all = all && lines[i].find(part) != std::string::npos;
    if (all && ++seen == nth)
      return i + 1;
  }
  FAIL("the trace has no such line");
  return 0;
}

trace trace::without(std::size_t line) const {
  auto result = *this;
  result.lines.erase(
    result.lines.begin() + static_cast<std::ptrdiff_t>(line - 1));
  return result;
}

trace trace::with(std::size_t line, std::string_view before,
                  std::string_view after) const {
  auto result = *this;
  auto& text = result.lines[line - 1];
  auto i = text.find(before);
  INFO(text << " has no " << before);
  REQUIRE(i != std::string::npos);
  text.replace(i, before.size(), after);
  return result;
}

trace trace::inserted(std::size_t line, std::string text) const {
  auto result = *this;
  result.lines.insert(
    result.lines.begin() + static_cast<std::ptrdiff_t>(line - 1),
    std::move(text));
  return result;
}

trace trace::swapped(std::size_t line, std::size_t other) const {
  auto result = *this;
  std::swap(result.lines[line - 1], result.lines[other - 1]);
  return result;
}

trace trace::moved(std::size_t from, std::size_t to) const {
  return without(from).inserted(to, lines[from - 1]);
}

namespace {

/// Returns the lines around number `line`.
std::string around(const trace& x, std::size_t line) {
  constexpr std::size_t shown = 6;
  std::string result;
  for (auto i = line > shown ? line - shown : 1;
       i <= std::min(line + shown, x.lines.size()); ++i)
    result += std::to_string(i) + ": " + x.lines[i - 1] + '\n';
  return result;
}

} // namespace

void require_good(const trace& x) {
  auto found = rosia_trace::check(x.text());
  if (found)
    UNSCOPED_INFO(to_string(*found, "trace") << '\n' << around(x, found->line));
  REQUIRE(!found);
}

void require_broken(const trace& x, rosia_trace::rule broken, std::size_t line,
                    std::initializer_list<std::string> parts) {
  auto found = rosia_trace::check(x.text());
  REQUIRE(found);
  INFO(to_string(*found, "trace") << '\n' << around(x, found->line));
  CHECK(to_string(found->broken) == to_string(broken));
  CHECK(found->line == line);
  for (const auto& part : parts) {
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(found->text, ContainsSubstring(part));
  }
}

// -- valid traces, by hand ----------------------------------------------------

namespace {

std::vector<std::string> pipeline() {
  return {
    application(),
    node_line{"source"}.output("out").str(),
    node_line{"relay"}
      .input("in")
      .output("out")
      .reaction("hand_on", {"in"})
      .str(),
    node_line{"sink"}
      .input("slow")
      .input("fast")
      .reaction("on_slow", {"slow"})
      .reaction("on_any", {"slow", "fast"})
      .reaction("on_fast", {"fast"})
      .str(),
    connection("source.out", "relay.in"),
    connection("source.out", "sink.fast", {0, 1}),
    connection("relay.out", "sink.slow", {3, 0}),
    start("source"),
    start("relay"),
    start("sink"),
  };
}

void source_sends(trace& t, logical_time tag, std::uint64_t value) {
  t.lines.push_back(send("source", tag, "out", "relay.in", tag, value));
  t.lines.push_back(send(
    "source", tag, "out", "sink.fast", {tag.ns, tag.microstep + 1}, value));
}

void relay_runs(trace& t, logical_time tag, logical_time stat,
                std::uint64_t value) {
  for (auto line :
       {execute("relay", tag, stat),
        input("relay", tag, "in", "source.out", value),
        reaction("relay", tag, "hand_on"),
        send("relay", tag, "out", "sink.slow", {tag.ns + 3, 0}, value + 100)})
    t.lines.push_back(line);
}

void sink_fast(trace& t, logical_time tag, logical_time stat,
               std::uint64_t value) {
  for (auto line :
       {execute("sink", tag, stat),
        input("sink", tag, "fast", "source.out", value),
        reaction("sink", tag, "on_any"), reaction("sink", tag, "on_fast")})
    t.lines.push_back(line);
}

void sink_slow(trace& t, logical_time tag, logical_time stat,
               std::uint64_t value) {
  for (auto line :
       {execute("sink", tag, stat),
        input("sink", tag, "slow", "relay.out", value),
        reaction("sink", tag, "on_slow"), reaction("sink", tag, "on_any")})
    t.lines.push_back(line);
}

} // namespace

trace natural_end() {
  trace t;
  t.lines = pipeline();
  source_sends(t, {0, 0}, 1);
  t.lines.push_back(promise("source", "out", "relay.in", {5, 0}));
  t.lines.push_back(promise("source", "out", "sink.fast", {5, 1}));
  relay_runs(t, {0, 0}, {5, 0}, 1);
  sink_fast(t, {0, 1}, {3, 0}, 1);
  t.lines.push_back(execute("source", {5, 0}, forever));
  t.lines.push_back(resume("source", {5, 0}));
  source_sends(t, {5, 0}, 2);
  sink_slow(t, {3, 0}, {5, 0}, 101);
  relay_runs(t, {5, 0}, {10, 0}, 2);
  t.lines.push_back(execute("source", {10, 0}, forever));
  t.lines.push_back(resume("source", {10, 0}));
  source_sends(t, {10, 0}, 3);
  t.lines.push_back(shutdown("source", {10, 0}, "done"));
  t.lines.push_back(exit("source"));
  sink_fast(t, {5, 1}, {8, 0}, 2);
  relay_runs(t, {10, 0}, forever, 3);
  t.lines.push_back(shutdown("relay", {10, 0}, "done"));
  sink_slow(t, {8, 0}, {10, 1}, 102);
  t.lines.push_back(exit("relay"));
  sink_fast(t, {10, 1}, {13, 0}, 3);
  sink_slow(t, {13, 0}, forever, 103);
  t.lines.push_back(shutdown("sink", {13, 0}, "done"));
  t.lines.push_back(exit("sink"));
  t.lines.push_back(end());
  return t;
}

trace requested_end() {
  trace t;
  t.lines = pipeline();
  source_sends(t, {0, 0}, 1);
  relay_runs(t, {0, 0}, {5, 0}, 1);
  sink_fast(t, {0, 1}, {3, 0}, 1);
  sink_slow(t, {3, 0}, {5, 0}, 101);
  t.lines.push_back(request("sink", {3, 0}, {7, 0}));
  t.lines.push_back(asked("sink", {7, 0}));
  t.lines.push_back(answer("sink", {7, 0}));
  t.lines.push_back(execute("source", {5, 0}, forever));
  t.lines.push_back(resume("source", {5, 0}));
  source_sends(t, {5, 0}, 2);
  t.lines.push_back(asked("relay", {7, 0}));
  t.lines.push_back(answer("relay", {7, 0}));
  relay_runs(t, {5, 0}, {7, 1}, 2);
  t.lines.push_back(execute("source", {10, 0}, forever));
  t.lines.push_back(resume("source", {10, 0}));
  source_sends(t, {10, 0}, 3);
  t.lines.push_back(asked("source", {7, 0}));
  t.lines.push_back(answer("source", {10, 0}));
  t.lines.push_back(final_tag({10, 0}));
  t.lines.push_back(final_taken("source", {10, 0}));
  t.lines.push_back(shutdown("source", {10, 0}, "final"));
  t.lines.push_back(final_taken("relay", {10, 0}));
  relay_runs(t, {10, 0}, {10, 1}, 3);
  t.lines.push_back(exit("source"));
  sink_fast(t, {5, 1}, {7, 1}, 2);
  t.lines.push_back(final_taken("sink", {10, 0}));
  sink_slow(t, {8, 0}, {10, 1}, 102);
  t.lines.push_back(shutdown("relay", {10, 0}, "final"));
  t.lines.push_back(shutdown("sink", {8, 0}, "final"));
  t.lines.push_back(exit("relay"));
  t.lines.push_back(exit("sink"));
  t.lines.push_back(end());
  return t;
}

trace aborted_end() {
  trace t;
  t.lines = pipeline();
  source_sends(t, {0, 0}, 1);
  relay_runs(t, {0, 0}, {5, 0}, 1);
  t.lines.push_back(execute("source", {5, 0}, forever));
  t.lines.push_back(resume("source", {5, 0}));
  source_sends(t, {5, 0}, 2);
  t.lines.push_back(execute("relay", {5, 0}, {10, 0}));
  t.lines.push_back(input("relay", {5, 0}, "in", "source.out", 2));
  t.lines.push_back(reaction("relay", {5, 0}, "hand_on"));
  t.lines.push_back(error("relay", "hand_on", {5, 0}, "it failed"));
  t.lines.push_back(aborted());
  t.lines.push_back(shutdown("relay", {5, 0}, "aborted"));
  t.lines.push_back(shutdown("source", {5, 0}, "aborted"));
  t.lines.push_back(exit("source"));
  t.lines.push_back(exit("relay"));
  t.lines.push_back(shutdown("sink", {0, 0}, "aborted"));
  t.lines.push_back(exit("sink"));
  t.lines.push_back(end(1));
  return t;
}

trace loop_end() {
  trace t{
    application(),
    node_line{"left"}.input("in").output("out").reaction("go", {"in"}).str(),
    node_line{"right"}.input("in").output("out").reaction("go", {"in"}).str(),
    connection("left.out", "right.in"),
    connection("right.out", "left.in", {0, 1}),
    start("left"),
    send("left", {0, 0}, "out", "right.in", {0, 0}, 1),
    start("right"),
  };
  for (std::int64_t i = 0; i < 3; ++i) {
    logical_time now{0, i};
    logical_time next{0, i + 1};
    auto value = static_cast<std::uint64_t>(i + 1);
    for (auto line :
         {execute("right", now, next),
          input("right", now, "in", "left.out", value),
          reaction("right", now, "go"),
          send("right", now, "out", "left.in", next, value),
          execute("left", next, {0, i + 2}),
          input("left", next, "in", "right.out", value),
          reaction("left", next, "go")})
      t.lines.push_back(line);
    if (i < 2)
      t.lines.push_back(send("left", next, "out", "right.in", next, value + 1));
  }
  for (auto line :
       {shutdown("left", {0, 3}, "done"), shutdown("right", {0, 2}, "done"),
        exit("right"), exit("left"), end()})
    t.lines.push_back(line);
  return t;
}

trace scheduled_events() {
  return {
    application(),
    node_line{"b"}
      .action("x")
      .action("y")
      .reaction_on("on_x", "x")
      .reaction_on("on_y", "y")
      .str(),
    start("b"),
    schedule("b", origin, "x", {5, 0}, 1),
    schedule("b", origin, "y", {5, 0}, 2),
    execute("b", {5, 0}, forever),
    action("b", {5, 0}, "x", 1),
    action("b", {5, 0}, "y", 2),
    reaction("b", {5, 0}, "on_x"),
    schedule("b", {5, 0}, "x", {5, 1}, 3),
    reaction("b", {5, 0}, "on_y"),
    execute("b", {5, 1}, forever),
    action("b", {5, 1}, "x", 3),
    reaction("b", {5, 1}, "on_x"),
    shutdown("b", {5, 1}, "done"),
    exit("b"),
    end(),
  };
}

trace tardy_values() {
  return trace{
    application(),
    node_line{"a"}.output("out").action("x").reaction_on("on_x", "x").str(),
    node_line{"b"}
      .input("in")
      .action("y")
      .reaction("on_in", {"in"})
      .reaction_on("on_y", "y")
      .str(),
    waiting_connection("a.out", "b.in", 2),
    start("a"),
    start("b"),
    schedule("a", origin, "x", {1, 0}, 1),
    schedule("a", origin, "x", {3, 0}, 1),
    schedule("a", origin, "x", {9, 0}, 1),
    schedule("b", origin, "y", {2, 0}, 1),
    execute("b", {2, 0}, {3, 0}),
    action("b", {2, 0}, "y", 1),
    reaction("b", {2, 0}, "on_y"),
    execute("a", {1, 0}, forever),
    action("a", {1, 0}, "x", 1),
    reaction("a", {1, 0}, "on_x"),
    send("a", {1, 0}, "out", "b.in", {1, 0}, 11),
    execute("a", {3, 0}, forever),
    action("a", {3, 0}, "x", 1),
    reaction("a", {3, 0}, "on_x"),
    send("a", {3, 0}, "out", "b.in", {3, 0}, 13),
    tardy("b", "in", "a.out", {1, 0}, {6, 0}),
    execute("b", {3, 0}, {9, 0}),
    input("b", {3, 0}, "in", "a.out", 13),
    reaction("b", {3, 0}, "on_in"),
    execute("b", {6, 0}, {9, 0}),
    input("b", {6, 0}, "in", "a.out", 11),
    reaction("b", {6, 0}, "on_in"),
    execute("a", {9, 0}, forever),
    action("a", {9, 0}, "x", 1),
    reaction("a", {9, 0}, "on_x"),
    send("a", {9, 0}, "out", "b.in", {9, 0}, 19),
    shutdown("a", {9, 0}, "done"),
    exit("a"),
    tardy("b", "in", "a.out", {9, 0}, forever),
    shutdown("b", {6, 0}, "done"),
    exit("b"),
    end(),
  };
}

trace last_tag() {
  return trace{
    application(),
    node_line{"a"}.output("out").at_shutdown("at_end").str(),
    node_line{"b"}.input("in").output("out").reaction("on_in", {"in"}).str(),
    node_line{"c"}.input("in").reaction("on_in", {"in"}).str(),
    connection("a.out", "b.in"),
    connection("b.out", "c.in", {2, 0}),
    start("a"),
    start("b"),
    start("c"),
    execute("a", {5, 0}, forever),
    resume("a", {5, 0}),
    send("a", {5, 0}, "out", "b.in", {5, 0}, 1),
    done("a", {5, 0}),
    execute("b", {5, 0}, forever),
    input("b", {5, 0}, "in", "a.out", 1),
    reaction("b", {5, 0}, "on_in"),
    send("b", {5, 0}, "out", "c.in", {7, 0}, 2),
    done("b", {5, 0}),
    execute("c", {7, 0}, forever),
    input("c", {7, 0}, "in", "b.out", 2),
    reaction("c", {7, 0}, "on_in"),
    shutdown("c", {7, 0}, "done"),
    exit("c"),
    final_tag({7, 0}),
    final_taken("a", {7, 0}),
    execute_last("a", {7, 1}),
    reaction("a", {7, 1}, "at_end"),
    send("a", {7, 1}, "out", "b.in", {7, 1}, 3),
    shutdown("a", {7, 1}, "final"),
    exit("a"),
    final_taken("b", {7, 0}),
    execute_last("b", {7, 1}),
    input("b", {7, 1}, "in", "a.out", 3),
    reaction("b", {7, 1}, "on_in"),
    shutdown("b", {7, 1}, "final"),
    exit("b"),
    end(),
  };
}

trace expiring_watchdogs(std::string_view application_members) {
  return trace{
    application(application_members),
    node_line{"b"}
      .watchdog("v", 5)
      .watchdog("w", 7)
      .reaction_on("on_v", "v")
      .reaction_on("on_w", "w")
      .str(),
    start("b"),
    watchdog("b", origin, "v", 5),
    expire("b", "v", {5, 0}, 6),
    execute("b", {5, 0}, forever),
    action("b", {5, 0}, "v", 1),
    reaction("b", {5, 0}, "on_v"),
    watchdog("b", {5, 0}, "w", 15),
    watchdog("b", {5, 0}, "v", 20),
    watchdog("b", {5, 0}, "w", 12),
    expire("b", "w", {12, 0}, 30),
    expire("b", "v", {20, 0}, 30),
    execute("b", {12, 0}, forever),
    action("b", {12, 0}, "w", 1),
    reaction("b", {12, 0}, "on_w"),
    watchdog("b", {12, 0}, "w", 19),
    watchdog("b", {12, 0}, "w", -1),
    execute("b", {20, 0}, forever),
    action("b", {20, 0}, "v", 1),
    reaction("b", {20, 0}, "on_v"),
    shutdown("b", {20, 0}, "done"),
    exit("b"),
    end(),
  };
}

trace switched_modes() {
  return trace{
    application(),
    node_line{"b"}
      .mode("m")
      .mode("n")
      .action_of("m", "x")
      .tick_of("n", "t", 3, 9)
      .reaction_on("on_m", "m")
      .reaction_on("on_x", "x")
      .of_mode("m")
      .reaction_on("on_n", "n")
      .of_mode("n")
      .reaction_on("on_t", "t")
      .of_mode("n")
      .str(),
    start("b"),
    execute("b", {0, 0}, forever),
    action("b", {0, 0}, "m", 0),
    reaction("b", {0, 0}, "on_m"),
    schedule("b", {0, 0}, "x", {5, 0}, 1),
    schedule("b", {0, 0}, "x", {9, 0}, 2),
    execute("b", {5, 0}, forever),
    action("b", {5, 0}, "x", 1),
    reaction("b", {5, 0}, "on_x"),
    schedule("b", {5, 0}, "m", {5, 1}, 0),
    withdraw("b", {5, 0}, "m", {5, 1}),
    schedule("b", {5, 0}, "n", {5, 1}, 0),
    execute("b", {5, 1}, forever),
    mode("b", {5, 1}, "n", false),
    action("b", {5, 1}, "n", 0),
    reaction("b", {5, 1}, "on_n"),
    execute("b", {8, 0}, forever),
    action("b", {8, 0}, "t", 1),
    reaction("b", {8, 0}, "on_t"),
    schedule("b", {8, 0}, "m", {8, 1}, 1),
    execute("b", {8, 1}, forever),
    mode("b", {8, 1}, "m", true),
    action("b", {8, 1}, "m", 1),
    reaction("b", {8, 1}, "on_m"),
    execute("b", {12, 0}, forever),
    action("b", {12, 0}, "x", 2),
    reaction("b", {12, 0}, "on_x"),
    shutdown("b", {12, 0}, "done"),
    exit("b"),
    end(),
  };
}

trace missed_deadlines(std::string_view application_members) {
  return trace{
    application(application_members),
    node_line{"b"}
      .action("x")
      .reaction_on("first", "x")
      .deadline(3)
      .reaction_on("second", "x")
      .deadline("limit")
      .reaction_on("third", "x")
      .str(),
    start("b"),
    schedule("b", origin, "x", {5, 0}, 1),
    schedule("b", origin, "x", {7, 0}, 1),
    execute("b", {5, 0}, forever),
    action("b", {5, 0}, "x", 1),
    reaction("b", {5, 0}, "first"),
    missed("b", {5, 0}, "first", 3),
    ran("b", {5, 0}, "first", 7, 8),
    reaction("b", {5, 0}, "second"),
    ran("b", {5, 0}, "second", 90, 95),
    reaction("b", {5, 0}, "third"),
    ran("b", {5, 0}, "third", 96, 97),
    execute("b", {7, 0}, forever),
    action("b", {7, 0}, "x", 1),
    reaction("b", {7, 0}, "first"),
    ran("b", {7, 0}, "first", 9, 95),
    reaction("b", {7, 0}, "second"),
    missed("b", {7, 0}, "second", 4),
    ran("b", {7, 0}, "second", 96, 97),
    reaction("b", {7, 0}, "third"),
    ran("b", {7, 0}, "third", 97, 98),
    shutdown("b", {7, 0}, "done"),
    exit("b"),
    end(),
  };
}

trace physical_run() {
  return {
    application(),
    node_line{"sensor"}
      .input("raw", true)
      .output("sample")
      .reaction("on_sample", {"raw"})
      .str(),
    node_line{"log"}
      .input("sample", true)
      .reaction("on_value", {"sample"})
      .str(),
    connection("sensor.sample", "log.sample", origin, true),
    start("log"),
    start("sensor"),
    execute("sensor", {4, 0}, forever),
    input("sensor", {4, 0}, "raw", "", 1),
    reaction("sensor", {4, 0}, "on_sample"),
    send_physical("sensor", {4, 0}, "sample", "log.sample", 1),
    execute("sensor", {5, 0}, forever),
    input("sensor", {5, 0}, "raw", "", 2),
    reaction("sensor", {5, 0}, "on_sample"),
    send_physical("sensor", {5, 0}, "sample", "log.sample", 2),
    drop("log", "sample", "queue full"),
    execute("sensor", {5, 1}, forever),
    input("sensor", {5, 1}, "raw", "", 3),
    reaction("sensor", {5, 1}, "on_sample"),
    send_physical("sensor", {5, 1}, "sample", "log.sample", 3),
    execute("log", {6, 0}, forever),
    input("log", {6, 0}, "sample", "sensor.sample", 1),
    reaction("log", {6, 0}, "on_value"),
    execute("log", {7, 0}, forever),
    input("log", {7, 0}, "sample", "sensor.sample", 3),
    reaction("log", {7, 0}, "on_value"),
    execute("log", {9, 0}, forever),
    input("log", {9, 0}, "sample", "", 77),
    reaction("log", {9, 0}, "on_value"),
    request_outside(never),
    asked("log", never),
    answer("log", {9, 0}),
    asked("sensor", never),
    answer("sensor", {5, 1}),
    final_tag({9, 0}),
    final_taken("sensor", {9, 0}),
    shutdown("sensor", {5, 1}, "final"),
    exit("sensor"),
    final_taken("log", {9, 0}),
    shutdown("log", {9, 0}, "final"),
    drop("sensor", "raw", "refused"),
    exit("log"),
    end(),
  };
}

namespace {

void add(trace& to, const trace& more) {
  to.lines.insert(to.lines.end(), more.lines.begin(), more.lines.end());
}

trace head_of_saved() {
  return {
    application(),
    node_line{"a"}
      .output("out")
      .action("next")
      .reaction_on("on_next", "next")
      .str(),
    node_line{"b"}.input("in").reaction("on_in", {"in"}).str(),
    connection("a.out", "b.in", {5, 0}),
  };
}

/// @param stat of `a` at 3 ns.
trace until_checkpoint(logical_time stat) {
  return {
    start("a"),
    schedule("a", origin, "next", {3, 0}, 1),
    start("b"),
    execute("a", {3, 0}, stat),
    action("a", {3, 0}, "next", 1),
    reaction("a", {3, 0}, "on_next"),
    schedule("a", {3, 0}, "next", {6, 0}, 2),
    send("a", {3, 0}, "out", "b.in", {8, 0}, 10),
  };
}

trace beyond_checkpoint() {
  return {
    execute("a", {6, 0}, forever),
    action("a", {6, 0}, "next", 2),
    reaction("a", {6, 0}, "on_next"),
    send("a", {6, 0}, "out", "b.in", {11, 0}, 20),
    execute("b", {8, 0}, {11, 0}),
    input("b", {8, 0}, "in", "a.out", 10),
    reaction("b", {8, 0}, "on_in"),
  };
}

trace end_of_saved() {
  return {
    shutdown("a", {6, 0}, "done"),
    exit("a"),
    execute("b", {11, 0}, forever),
    input("b", {11, 0}, "in", "a.out", 20),
    reaction("b", {11, 0}, "on_in"),
    shutdown("b", {11, 0}, "done"),
    exit("b"),
    end(),
  };
}

} // namespace

trace saved_run() {
  auto result = head_of_saved();
  add(result, until_checkpoint(forever));
  add(result, {promise("a", "out", "b.in", {11, 0})});
  add(result, beyond_checkpoint());
  return result;
}

trace continued_run() {
  auto result = head_of_saved();
  add(result,
      {
        resumed({4, 0}),
        restored("a", {3, 0}),
        pending("a", "next", {6, 0}, 2),
        restored("b", origin),
        in_transit("b", "in", "a.out", {8, 0}, 10),
        start("a"),
        start("b"),
      });
  add(result, beyond_checkpoint());
  add(result, end_of_saved());
  return result;
}

trace whole_run() {
  auto result = head_of_saved();
  add(result, until_checkpoint({4, 1}));
  add(result, beyond_checkpoint());
  add(result, end_of_saved());
  return result;
}

} // namespace trace_test
