// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Breaks every rule by hand in all possible ways, and no other rule.

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "trace/trace_text.hpp"

namespace broken_rules_test {

using namespace trace_test;
using rosia_trace::rule;

namespace {

// Parts of lines.
constexpr auto of_final = R"("event":"final")";
constexpr auto of_relay = R"("node":"relay")";
constexpr auto of_sink = R"("node":"sink")";
constexpr auto of_source = R"("node":"source")";
constexpr auto of_sensor = R"("node":"sensor")";
constexpr auto of_log = R"("node":"log")";
constexpr auto of_left = R"("node":"left")";
constexpr auto of_right = R"("node":"right")";
constexpr auto of_b = R"("node":"b")";
constexpr auto of_c = R"("node":"c")";

} // namespace

// -- readable -----------------------------------------------------------------

TEST_CASE("readable: a line that is not JSON", "[trace]") {
  auto t = natural_end();
  require_broken(t.inserted(5, R"({"event":"start",)"), rule::readable, 5,
                 {"not JSON at column 18"});
  require_broken(t.inserted(5, ""), rule::readable, 5);
  require_broken(
    t.inserted(5, "[1,2]"), rule::readable, 5, {"one JSON object"});
  require_broken(t.inserted(5, aborted() + aborted()), rule::readable, 5);
  require_broken(t.inserted(5, aborted() + std::string("\0x", 2)),
                 rule::readable, 5, {"zero byte"});
  require_broken(t.with(2, "source", "sour\xff"), rule::readable, 2);
}

TEST_CASE("readable: an empty trace", "[trace]") {
  auto found = rosia_trace::check("");
  REQUIRE(found);
  CHECK(found->broken == rule::readable);
  CHECK(found->line == 0);
}

TEST_CASE("readable: a trace of a different format", "[trace]") {
  require_broken(natural_end().with(1, "\"format\":3", "\"format\":4"),
                 rule::readable, 1, {"format 4"});
}

// -- format -------------------------------------------------------------------

TEST_CASE("format: an unknown event", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"promise"});
  require_broken(
    t.with(line, "promise", "premise"), rule::format, line, {"premise"});
}

TEST_CASE(
  "format: a member that is missing, repeated, unknown or not of this event",
  "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute"});
  require_broken(t.with(line, ",\"elapsed\":12", ""), rule::format, line,
                 {"lacks the member \"elapsed\""});
  require_broken(
    t.with(line, ",\"elapsed\":12", ",\"elapsed\":1,\"elapsed\":1"),
    rule::format, line, {"\"elapsed\" occurs twice"});
  require_broken(
    t.with(line, "elapsed", "lapsed"), rule::format, line, {"\"lapsed\""});
  require_broken(t.with(line, "{", "{\"what\":\"x\","), rule::format, line,
                 {"has no member \"what\""});
  require_broken(t.with(line, "\"event\":\"execute\",", ""), rule::format, line,
                 {"\"event\" is missing"});
}

TEST_CASE("format: a member of the wrong type", "[trace]") {
  auto t = natural_end();
  auto execute_line = t.find({"execute"});
  for (auto wrong :
       {"5", "[5]", "[5,0,0]", "[5,-1]", "[5,4294967296]",
        "[9223372036854775808,0]", "[5.0,0]", "\"soon\"", "null", "true", "{}",
        "[[5,0]]", "[\"5\",0]", "1e999", "[1e400,0]"}) {
    INFO(wrong);
    auto bad
      = t.with(execute_line, "\"tag\":[0,0]", "\"tag\":" + std::string{wrong});
    auto found = rosia_trace::check(bad.text());
    REQUIRE(found);
    // Numbers that are out of range are not even readable.
    CHECK(found->broken
          == (std::string{wrong}.find("1e") == std::string::npos
                ? rule::format
                : rule::readable));
    CHECK(found->line == execute_line);
  }
  auto send_line = t.find({"send"});
  for (auto wrong : {"\"12\"", "\"000000000000000g\"", "12", "true", "[0,0]"}) {
    INFO(wrong);
    require_broken(t.with(send_line, digest(1), wrong), rule::format, send_line,
                   {"16 hex digits"});
  }
  require_broken(t.with(execute_line, "12", "\"12\""), rule::format,
                 execute_line, {"an integer"});
  require_broken(t.with(execute_line, "\"relay\"", "7"), rule::format,
                 execute_line, {"a text"});
  require_broken(t.with(5, "\"delay\":[0,0]", "\"delay\":\"never\""),
                 rule::format, 5, {"a delay"});
  require_broken(t.with(5, "false", "0"), rule::format, 5, {"true or false"});
  require_broken(t.with(1, "\"realtime\":false", "\"realtime\":null"),
                 rule::format, 1, {"true or false"});
}

TEST_CASE("format: an invalid declaration of a node", "[trace]") {
  auto t = natural_end();
  require_broken(t.with(3, ",\"physical\":false", ""), rule::format, 3,
                 {"\"inputs\" lacks the member \"physical\""});
  require_broken(t.with(3, "\"eager\":false", "\"eager\":0"), rule::format, 3);
  require_broken(
    t.with(3, "\"eager\"", "\"eaten\""), rule::format, 3, {"\"eaten\""});
  require_broken(t.with(3, "[\"in\"]", "\"in\""), rule::format, 3);
  require_broken(t.with(3, "[\"in\"]", "[1]"), rule::format, 3);
  require_broken(
    t.with(3, "[\"in\"]", "[\"on\"]"), rule::format, 3, {"no input \"on\""});
  require_broken(
    t.with(2, "\"inputs\":[]", "\"inputs\":[[]]"), rule::format, 2);
  require_broken(
    t.with(2, "\"inputs\":[]", "\"inputs\":[\"in\"]"), rule::format, 2);
  require_broken(
    t.with(2, "\"name\":\"out\"", "\"name\":\"out\",\"name\":\"o\""),
    rule::format, 2, {"twice"});
}

TEST_CASE("format: the application is first, and once", "[trace]") {
  auto t = natural_end();
  require_broken(t.without(1), rule::format, 1, {"before \"application\""});
  require_broken(
    t.inserted(2, application()), rule::format, 2, {"second \"application\""});
}

TEST_CASE("format: the end is last", "[trace]") {
  auto t = natural_end();
  require_broken(t.inserted(t.lines.size() + 1, end()), rule::format,
                 t.lines.size() + 1, {"after \"end\""});
  require_broken(t.inserted(t.lines.size() + 1, aborted()), rule::format,
                 t.lines.size() + 1, {"after \"end\""});
}

TEST_CASE("format: the graph is declared before anything starts", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"start", of_relay});
  require_broken(t.inserted(line, node_line{"late"}.str()), rule::format, line,
                 {"declared after"});
  require_broken(t.inserted(line, connection("relay.out", "sink.fast")),
                 rule::format, line, {"declared after"});
}

TEST_CASE("format: only declared names are used", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute"});
  require_broken(
    t.with(line, "relay", "delay"), rule::format, line, {"no node \"delay\""});
  line = t.find({"\"input\""});
  require_broken(t.with(line, "\"in\"", "\"on\""), rule::format, line,
                 {"\"relay\" has no input \"on\""});
  require_broken(t.with(line, "source.out", "source.in"), rule::format, line,
                 {"no output \"source.in\""});
  require_broken(t.with(line, "source.out", "relay.out"), rule::format, line,
                 {"not connected"});
  line = t.find({"\"reaction\"", of_relay});
  require_broken(t.with(line, "hand_on", "hand_off"), rule::format, line,
                 {"\"relay\" has no reaction \"hand_off\""});
  line = t.find({"send"});
  require_broken(t.with(line, "\"port\":\"out\"", "\"port\":\"in\""),
                 rule::format, line, {"\"source\" has no output \"in\""});
  require_broken(t.with(line, "relay.in", "sink.slow"), rule::format, line,
                 {"\"source.out\" is not connected to \"sink.slow\""});
  require_broken(t.with(line, "relay.in", "missing.in"), rule::format, line,
                 {"no input \"missing.in\""});
  line = t.find({"promise"});
  require_broken(t.with(line, "relay.in", "sink.slow"), rule::format, line);
  line = t.find({"resume"});
  require_broken(t.with(line, "\"start\"", "\"stop\""), rule::format, line,
                 {"no reaction \"stop\""});
  require_broken(t.with(5, "relay.in", "relay.out"), rule::format, 5,
                 {"no input \"relay.out\""});
  require_broken(t.with(5, "source.out", "source.in"), rule::format, 5,
                 {"no output \"source.in\""});
  t = aborted_end();
  line = t.find({"error"});
  require_broken(t.with(line, "hand_on", "hand_off"), rule::format, line);
}

TEST_CASE("format: every node starts once, before it does anything",
          "[trace]") {
  auto t = natural_end();
  auto line = t.find({"start", of_relay});
  require_broken(t.inserted(line + 1, start("relay")), rule::format, line + 1,
                 {"a second time"});
  require_broken(t.without(line), rule::format, t.find({"execute"}) - 1,
                 {"\"relay\" has \"execute\" before its start"});
  require_broken(
    t.without(t.find({"start", of_source})), rule::format, t.find({"send"}) - 1,
    {"\"source\" has \"send\" before its start"});
  // A node without events must start as well.
  trace idle{
    application(), node_line{"a"}.str(),
    start("a"),    shutdown("a", origin, "done"),
    exit("a"),     end(),
  };
  require_good(idle);
  require_broken(idle.without(3), rule::format, 3,
                 {"\"a\" has \"shutdown\" before its start"});
  require_broken(idle.without(5).without(4).without(3), rule::format, 3,
                 {"\"a\" never started"});
}

TEST_CASE("format: an abort may precede the start", "[trace]") {
  auto t = aborted_end();
  auto line = t.find({"start", of_sink});
  auto last = t.find({"shutdown", of_sink});
  require_good(t.without(line));
  require_broken(t.moved(line, last), rule::cleanup, last,
                 {"\"sink\" has \"start\" after its shutdown"});
  require_broken(t.without(last + 1).without(last).without(line), rule::format,
                 t.lines.size() - 3, {"\"sink\" never started"});
}

TEST_CASE("format: after its exit, a node has only refused values", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"exit", of_source}) + 1;
  auto late = promise("source", "out", "relay.in", forever);
  require_good(t.inserted(line - 1, late));
  require_broken(
    t.inserted(line, late), rule::format, line, {"\"promise\" after its exit"});
  t = physical_run();
  line = t.find({"exit", of_sensor}) + 1;
  require_good(t.inserted(line, drop("sensor", "raw", "refused")));
  require_broken(
    t.inserted(line, final_taken("sensor", {9, 0})), rule::format, line);
}

TEST_CASE("format: a shutdown is done, final or aborted", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown"});
  require_broken(
    t.with(line, "\"done\"", "\"gone\""), rule::format, line, {"\"gone\""});
}

TEST_CASE("format: drops have known reasons and places", "[trace]") {
  auto t = physical_run();
  auto line = t.find({"drop"});
  require_broken(
    t.with(line, "queue full", "too lazy"), rule::format, line, {"too lazy"});
  require_broken(t.with(line, "\"sample\"", "\"simple\""), rule::format, line);
}

TEST_CASE("format: only logical connections have arrival tags", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"send"});
  require_broken(t.with(line, "\"arrival\":[0,0]", "\"arrival\":null"),
                 rule::format, line, {"is logical"});
  t = physical_run();
  line = t.find({"send"});
  require_broken(t.with(line, "\"arrival\":null", "\"arrival\":[4,0]"),
                 rule::format, line, {"is physical"});
  require_broken(
    t.inserted(line, promise("sensor", "sample", "log.sample", {9, 0})),
    rule::format, line, {"is physical"});
}

TEST_CASE("format: a node's request has a tag", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"request"});
  require_broken(
    t.with(line, "\"tag\":[3,0]", "\"tag\":null"), rule::format, line);
}

// -- graph --------------------------------------------------------------------

TEST_CASE("graph: names are unique", "[trace]") {
  auto t = natural_end();
  require_broken(t.inserted(3, node_line{"source"}.str()), rule::graph, 3,
                 {"second node", "\"source\""});
  require_broken(t.with(4, "\"fast\"", "\"slow\""), rule::graph, 4,
                 {"two inputs called \"slow\""});
  require_broken(t.with(4, "\"on_any\"", "\"on_slow\""), rule::graph, 4,
                 {"two reactions called \"on_slow\""});
  require_broken(t.inserted(2, node_line{"x"}.output("o").output("o").str()),
                 rule::graph, 2, {"two outputs called \"o\""});
  require_broken(
    t.inserted(2, node_line{"a.b"}.input("c").str())
      .inserted(2, node_line{"a"}.input("b.c").str()),
    rule::graph, 3, {"\"a.b.c\""});
}

TEST_CASE("graph: ports are connected once, with one type", "[trace]") {
  auto t = natural_end();
  require_broken(t.inserted(6, connection("source.out", "relay.in", {1, 0})),
                 rule::graph, 6, {"connected twice"});
  require_broken(t.with(2, "\"int\"", "\"double\""), rule::graph, 5,
                 {"\"double\"", "\"int\""});
}

TEST_CASE("graph: no delay is negative", "[trace]") {
  require_broken(
    natural_end().with(7, "[3,0]", "[-3,0]"), rule::graph, 7, {"negative"});
}

TEST_CASE("graph: no loop has zero delay", "[trace]") {
  auto t = loop_end();
  require_broken(t.with(5, "[0,1]", "[0,0]"), rule::graph, t.find({"start"}),
                 {"loop of zero delay"});
  // A physical connection closes no loop.
  trace physical{
    application(),
    node_line{"a"}.input("in").output("out").reaction("r", {"in"}).str(),
    connection("a.out", "a.in", origin, true),
    start("a"),
    request_outside(never),
    asked("a", never),
    answer("a", origin),
    final_tag(origin),
    final_taken("a", origin),
    shutdown("a", origin, "final"),
    exit("a"),
    end(),
  };
  require_good(physical);
  require_broken(physical.with(3, "true", "false"), rule::graph, 4);
}

// -- tag-order ----------------------------------------------------------------

TEST_CASE("tag-order: the tags of a node strictly increase", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_source}, 2);
  require_broken(t.with(line, "[10,0]", "[5,0]"), rule::tag_order, line,
                 {"node \"source\" executes 5ns after 5ns"});
  require_broken(t.with(line, "[10,0]", "[4,9]"), rule::tag_order, line,
                 {"node \"source\" executes 4ns+9 after 5ns"});
}

TEST_CASE("tag-order: no tag is below the first or beyond all", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_source});
  for (auto wrong : {"[-1,0]", "\"never\"", "\"forever\""})
    require_broken(t.with(line, "[5,0]", wrong), rule::tag_order, line);
}

TEST_CASE("tag-order: after start() the first tag may be repeated once",
          "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").reaction("r", {"in"}).str(),
    connection("a.out", "b.in"),
    start("a"),
    send("a", origin, "out", "b.in", origin, 1),
    start("b"),
    execute("b", origin, forever),
    input("b", origin, "in", "a.out", 1),
    reaction("b", origin, "r"),
    shutdown("a", origin, "done"),
    exit("a"),
    shutdown("b", origin, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(
    t.inserted(11, execute("b", origin, forever)), rule::tag_order, 11);
}

// -- stat ---------------------------------------------------------------------

TEST_CASE("stat: a tag is executed below STAT only", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_relay}, 2);
  require_broken(t.with(line, "[10,0]", "[5,0]"), rule::stat, line,
                 {"\"relay\" executes 5ns with STAT 5ns"});
  require_broken(t.with(line, "[10,0]", "\"never\""), rule::stat, line);
}

TEST_CASE("stat: nothing arrives below a used STAT", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_relay}, 2);
  require_broken(
    t.with(line, "\"stat\":[10,0]", "\"stat\":[10,1]"), rule::stat,
    t.find({"send", "relay.in"}, 3), {"had STAT 10ns+1", "arrives at 10ns"});
  // The barrier of a shutdown lowers later values; the earlier one remains
  // valid.
  t = requested_end();
  line = t.find({"execute", of_relay});
  require_broken(t.with(line, "\"stat\":[5,0]", "\"stat\":[5,1]"), rule::stat,
                 t.find({"send", "relay.in"}, 2));
}

// -- no-late-message ----------------------------------------------------------

TEST_CASE("no-late-message: nothing is sent to an executed tag", "[trace]") {
  // relay executes [5,0] for other reasons before the message is sent.
  auto t = natural_end();
  auto send_line = t.find({"send", "relay.in"}, 2);
  auto execute_line = t.find({"execute", of_relay}, 2);
  // The sink's fast connection must be served as well: move both.
  auto bad = t.moved(execute_line, send_line);
  require_broken(
    bad, rule::no_late_message, send_line + 1,
    {"\"source.out\" -> \"relay.in\"", "arrives at 5ns",
     "\"relay\" already executed 5ns"});
}

TEST_CASE("no-late-message: an input has the executed tag", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", of_relay}, 2);
  require_broken(t.with(line, "[5,0]", "[4,0]"), rule::no_late_message, line,
                 {"4ns while it executes 5ns"});
  require_broken(t.with(line, "[5,0]", "[6,0]"), rule::no_late_message, line);
  line = t.find({"execute", of_relay});
  require_broken(t.without(line), rule::no_late_message, line,
                 {"before it executes any tag"});
}

// -- arrival-tags -------------------------------------------------------------

TEST_CASE("arrival-tags: tag plus delay", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"send", "sink.slow"}, 2);
  for (auto wrong : {"[7,0]", "[9,0]", "[8,1]", "\"forever\"", "\"never\""})
    require_broken(
      t.with(line, "\"arrival\":[8,0]", "\"arrival\":" + std::string{wrong}),
      rule::arrival_tags, line,
      {"\"relay.out\" -> \"sink.slow\"", "sent at 5ns", "expected 8ns",
       "delay 3ns"});
}

TEST_CASE(
  "arrival-tags: a microstep after the previous arrival, if that is later",
  "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").str(),
    connection("a.out", "b.in", {2, 0}),
    start("a"),
    start("b"),
    execute("a", {1, 0}, forever),
    resume("a", {1, 0}),
    send("a", {1, 0}, "out", "b.in", {3, 0}, 1),
    execute("a", {1, 1}, forever),
    resume("a", {1, 1}),
    send("a", {1, 1}, "out", "b.in", {3, 1}, 2),
    execute("a", {1, 2}, forever),
    resume("a", {1, 2}),
    send("a", {1, 2}, "out", "b.in", {3, 2}, 3),
    shutdown("a", {1, 2}, "done"),
    exit("a"),
    execute("b", {3, 0}, forever),
    input("b", {3, 0}, "in", "a.out", 1),
    execute("b", {3, 1}, forever),
    input("b", {3, 1}, "in", "a.out", 2),
    execute("b", {3, 2}, forever),
    input("b", {3, 2}, "in", "a.out", 3),
    shutdown("b", {3, 2}, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.with(12, "[3,1]", "[3,0]"), rule::arrival_tags, 12,
                 {"expected 3ns+1", "previous arrival 3ns"});
  require_broken(t.with(15, "[3,2]", "[3,3]"), rule::arrival_tags, 15);
}

TEST_CASE("arrival-tags: arithmetic saturates at forever", "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").str(),
    connection("a.out", "b.in", {9'223'372'036'854'775'807, 0}),
    start("a"),
    start("b"),
    execute("a", {1, 0}, forever),
    resume("a", {1, 0}),
    send("a", {1, 0}, "out", "b.in", forever, 1),
    execute("a", {2, 0}, forever),
    resume("a", {2, 0}),
    send("a", {2, 0}, "out", "b.in", forever, 1),
    shutdown("a", {2, 0}, "done"),
    exit("a"),
    shutdown("b", {0, 0}, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  // A message that never arrives need not be sent.
  require_good(t.without(12).without(9));
  require_broken(t.with(9, "\"forever\"", "[-9223372036854775808,0]"),
                 rule::arrival_tags, 9, {"expected forever"});
}

// -- promises -----------------------------------------------------------------

TEST_CASE("promises: nothing arrives below a promise", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"promise", "relay.in"});
  require_broken(
    t.with(line, "[5,0]", "[5,1]"), rule::promises,
    t.find({"send", "relay.in"}, 2),
    {"arrives at 5ns", "nothing was to arrive before 5ns+1",
     "line " + std::to_string(line)});
  require_broken(t.with(line, "[5,0]", "\"forever\""), rule::promises,
                 t.find({"send", "relay.in"}, 2));
}

TEST_CASE("promises: they do not decrease", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"promise", "relay.in"}) + 1;
  require_good(t.inserted(line, promise("source", "out", "relay.in", {5, 0})));
  require_broken(t.inserted(line, promise("source", "out", "relay.in", {4, 0})),
                 rule::promises, line, {"4ns, below the earlier 5ns"});
}

// -- inputs -------------------------------------------------------------------

TEST_CASE("inputs: a value is set as sent", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", of_relay}, 2);
  require_broken(t.with(line, digest(2), digest(3)), rule::inputs, line,
                 {digest(2), digest(3)});
  require_broken(t.with(line, digest(2), "null"), rule::inputs, line);
  auto send_line = t.find({"send", "relay.in"}, 2);
  require_broken(t.with(send_line, digest(2), "null"), rule::inputs, line);
  require_good(
    t.with(send_line, digest(2), "null").with(line, digest(2), "null"));
}

TEST_CASE("inputs: only values that arrive at the tag are set", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", of_sink, "fast"});
  require_broken(
    t.inserted(line, input("sink", {0, 1}, "slow", "relay.out", 1)),
    rule::inputs, line, {"was not sent to arrive there", "arrives at 3ns"});
  require_broken(t.inserted(line + 1, t.lines[line - 1]), rule::inputs,
                 line + 1, {"none is pending"});
}

TEST_CASE("inputs: all values that arrive at the tag are set", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", of_relay}, 2);
  require_broken(t.without(line), rule::inputs, line,
                 {"did not set the message on \"source.out\" -> \"relay.in\""});
  // Without a reaction it is detected at the end of the tag.
  auto bare = t.without(t.find({"\"reaction\"", of_sink, "on_slow"}))
                .without(t.find({"\"reaction\"", of_sink, "on_any"}, 2) - 1);
  line = bare.find({"\"input\"", of_sink, "slow"});
  require_broken(
    bare.without(line), rule::inputs, t.find({"execute", of_sink}, 3) - 3);
}

TEST_CASE("inputs: values on one port are set in the order of the connections",
          "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").output("other").str(),
    node_line{"b"}.input("in").reaction("r", {"in"}).str(),
    connection("a.other", "b.in"),
    connection("a.out", "b.in"),
    start("a"),
    send("a", origin, "out", "b.in", origin, 1),
    send("a", origin, "other", "b.in", origin, 2),
    shutdown("a", origin, "done"),
    exit("a"),
    start("b"),
    execute("b", origin, forever),
    input("b", origin, "in", "a.other", 2),
    input("b", origin, "in", "a.out", 1),
    reaction("b", origin, "r"),
    shutdown("b", origin, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.swapped(13, 14), rule::inputs, 14, {"declared later"});
}

TEST_CASE("inputs: all are set before the first reaction", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", of_relay});
  require_broken(
    t.swapped(line, line + 1), rule::inputs, line, {"did not set"});
  t = physical_run();
  line = t.find({"\"input\"", of_log});
  // A physical value after a reaction is not awaited there.
  auto bad = t.inserted(line + 2, t.lines[line - 1]);
  require_broken(bad, rule::inputs, line + 2, {"after a reaction ran"});
}

TEST_CASE("inputs: a physical value was sent before, and keeps its order",
          "[trace]") {
  auto t = physical_run();
  auto line = t.find({"\"input\"", of_log}, 2);
  require_broken(t.with(line, digest(3), digest(4)), rule::inputs, line,
                 {"no such one is on its way"});
  require_broken(t.with(line, digest(3), digest(1)), rule::inputs, line);
  require_good(t.with(line, digest(3), digest(2)));
  // A receiver in a replay may be ahead of the sender.
  auto first = t.find({"\"execute\"", of_log});
  auto early = t;
  for (std::size_t i = 0; i < 3; ++i)
    early = early.moved(first + i, t.find({"\"execute\""}) + i);
  require_broken(early, rule::inputs, t.find({"\"execute\""}) + 1);
  require_good(early.with(1, "false}", "false,\"replay\":true}"));
}

TEST_CASE("inputs: only physical actions have values from outside", "[trace]") {
  auto t = physical_run();
  require_broken(
    t.with(3, "\"physical\":true", "\"physical\":false"), rule::inputs,
    t.find({"\"from\":null", of_log}), {"not a physical action"});
}

TEST_CASE("inputs: every physical value has a separate tag", "[trace]") {
  auto t = physical_run();
  auto line = t.find({"\"from\":null"});
  require_broken(t.inserted(line, t.lines[line - 1]), rule::inputs, line + 1,
                 {"second physical value"});
}

// -- reactions ----------------------------------------------------------------

TEST_CASE("reactions: each with a present trigger runs", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_sink, "on_fast"});
  require_broken(
    t.without(line), rule::reactions, t.find({"execute", of_sink}, 2) - 1,
    {"node \"sink\" at 0s+1", "without the reaction \"on_fast\""});
  // A node leaves its last tag by its shutdown.
  line = t.find({"\"reaction\"", of_sink, "on_any"}, 6);
  require_broken(t.without(line), rule::reactions,
                 t.find({"shutdown", of_sink}) - 1, {"\"on_any\""});
  t = requested_end();
  line = t.find({"\"reaction\"", of_sink, "on_any"}, 4);
  require_broken(t.without(line), rule::reactions,
                 t.find({"shutdown", of_sink}) - 1, {"\"on_any\""});
}

TEST_CASE("reactions: each runs once", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_relay});
  require_broken(t.inserted(line + 1, t.lines[line - 1]), rule::reactions,
                 line + 1, {"a second time"});
}

TEST_CASE("reactions: none runs without a present trigger", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_sink, "on_any"});
  require_broken(t.inserted(line, reaction("sink", {0, 1}, "on_slow")),
                 rule::reactions, line, {"none of its triggers is present"});
}

TEST_CASE("reactions: they run in the order of their declaration", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_sink, "on_any"});
  require_broken(t.swapped(line, line + 1), rule::reactions, line + 1,
                 {"\"on_any\" after \"on_fast\""});
}

TEST_CASE("reactions: they have the executed tag", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_relay}, 2);
  require_broken(t.with(line, "[5,0]", "[6,0]"), rule::reactions, line);
  line = t.find({"resume"});
  require_broken(t.with(line, "[5,0]", "[6,0]"), rule::reactions, line);
  line = t.find({"send", "relay.in"}, 2);
  require_broken(t.with(line, "\"tag\":[5,0]", "\"tag\":[6,0]"),
                 rule::reactions, line, {"it is at 5ns"});
}

TEST_CASE(
  "reactions: a physical action's runs if and only if a value was accepted",
  "[trace]") {
  auto t = physical_run();
  auto line = t.find({"\"input\"", "[5,0]"});
  require_broken(t.without(line), rule::reactions, line,
                 {"none of its triggers is present"});
  // Without the output of its reaction.
  auto silent = t.without(line + 2).without(line + 1);
  require_broken(silent, rule::reactions, t.find({"execute", "[5,1]"}) - 2,
                 {"without the reaction \"on_sample\""});
}

TEST_CASE("reactions: every startup runs once, after start()", "[trace]") {
  trace t{
    application(),
    node_line{"a"}.startup("one").startup("two").str(),
    start("a"),
    reaction("a", origin, "one"),
    reaction("a", origin, "two"),
    execute("a", {1, 0}, forever),
    resume("a", {1, 0}, "one"),
    resume("a", {1, 0}, "two"),
    shutdown("a", {1, 0}, "done"),
    exit("a"),
    end(),
  };
  require_good(t);
  require_broken(
    t.without(8).without(7).without(6).without(5).with(5, "[1,0]", "[0,0]"),
    rule::reactions, 5, {"its startup \"two\""});
  require_broken(t.without(5), rule::reactions, 5, {"its startup \"two\""});
  require_broken(
    t.swapped(4, 5), rule::reactions, 5, {"\"one\"", "runs after \"two\""});
  require_broken(t.inserted(5, reaction("a", origin, "one")), rule::reactions,
                 5, {"a second time"});
  require_broken(
    t.with(5, "[0,0]", "[0,1]"), rule::reactions, 5, {"expected at 0s"});
  require_broken(
    t.inserted(8, reaction("a", {1, 0}, "one")), rule::reactions, 8);
  require_broken(t.inserted(8, resume("a", {1, 0}, "one")), rule::reactions, 8,
                 {"resumes \"one\" a second time"});
  require_broken(t.moved(4, 3), rule::format, 3, {"before its start"});
}

TEST_CASE("reactions: resumes precede inputs and reactions", "[trace]") {
  // A coroutine reaction that yields for 1 ns, while inputs arrive every 1 ns.
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").reaction("r", {"in"}).str(),
    connection("a.out", "b.in"),
    start("a"),
    send("a", origin, "out", "b.in", origin, 1),
    start("b"),
    execute("b", origin, {1, 0}),
    input("b", origin, "in", "a.out", 1),
    reaction("b", origin, "r"),
    execute("a", {1, 0}, forever),
    resume("a", {1, 0}),
    send("a", {1, 0}, "out", "b.in", {1, 0}, 2),
    shutdown("a", {1, 0}, "done"),
    exit("a"),
    execute("b", {1, 0}, forever),
    resume("b", {1, 0}, "r"),
    input("b", {1, 0}, "in", "a.out", 2),
    reaction("b", {1, 0}, "r"),
    execute("b", {2, 0}, forever),
    resume("b", {2, 0}, "r"),
    execute("b", {2, 1}, forever),
    resume("b", {2, 1}, "r"),
    shutdown("b", {2, 1}, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.swapped(17, 18), rule::reactions, 18,
                 {"resumes \"r\" after it set an input"});
  require_broken(t.swapped(17, 18).swapped(18, 19), rule::reactions, 19);
  SECTION("and one instance of a reaction at a tag") {
    require_broken(
      t.inserted(18, t.lines[16]), rule::reactions, 18, {"a second time"});
    require_broken(
      t.inserted(21, t.lines[20]), rule::reactions, 22, {"a second time"});
  }
  SECTION("and none that could not have yielded") {
    require_broken(t.inserted(9, resume("b", origin, "r")), rule::reactions, 9);
    require_broken(t.inserted(12, t.lines[11]), rule::reactions, 13,
                   {"\"start\", which could not have yielded"});
    require_broken(t.inserted(9, resume("b", origin)), rule::reactions, 9,
                   {"\"start\", which could not have yielded"});
  }
}

TEST_CASE("reactions: a tag is executed only for an event", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_source}, 2);
  require_broken(t.inserted(line, execute("source", {6, 0}, forever)),
                 rule::reactions, line + 1, {"6ns", "nothing to do"});
  // Nor before the shutdown.
  line = t.find({"shutdown", of_relay});
  require_broken(
    t.inserted(line, execute("relay", {11, 0}, forever))
      .with(line + 1, "[10,0]", "[11,0]"),
    rule::reactions, line + 1, {"nothing to do"});
}

TEST_CASE("reactions: a message needs running code", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_relay});
  require_broken(
    t.without(line), rule::reactions, line, {"nothing ran or resumed"});
  line = t.find({"resume"});
  require_broken(
    t.without(line), rule::reactions, line, {"nothing ran or resumed"});
}

// -- actions ------------------------------------------------------------------

TEST_CASE("actions: events scheduled for a tag are present there, unchanged, "
          "in the order of scheduling",
          "[trace]") {
  auto t = scheduled_events();
  require_good(t);
  require_broken(t.without(4), rule::actions, 6, {"the next", "\"y\""});
  require_broken(t.without(7), rule::actions, 7, {"\"x\"", "line 4"});
  require_broken(t.without(8), rule::actions, 8, {"\"y\"", "line 5"});
  require_broken(t.swapped(7, 8), rule::actions, 7, {"the next", "line 4"});
  require_broken(t.with(7, digest(1), digest(9)), rule::actions, 7,
                 {digest(9), digest(1), "line 4"});
  require_broken(
    t.inserted(9, t.lines[7]), rule::actions, 9, {"nothing that was"});
  require_broken(t.moved(8, 9), rule::actions, 8, {"line 5"});
  require_broken(
    t.inserted(10, t.lines[7]), rule::actions, 10, {"after a reaction ran"});
  require_broken(t.with(13, "[5,1]", "[5,0]"), rule::actions, 13, {"5ns"});
}

TEST_CASE("actions: a node schedules at its tag for a later one", "[trace]") {
  auto t = scheduled_events();
  for (auto wrong : {"[5,0]", "[4,7]", "\"forever\"", "\"never\""})
    require_broken(
      t.with(10, "[5,1]", wrong), rule::actions, 10, {"expected a later tag"});
  require_broken(
    t.with(10, "\"tag\":[5,0]", "\"tag\":[4,0]"), rule::actions, 10, {"4ns"});
  require_broken(t.moved(10, 7), rule::actions, 7, {"nothing ran"});
  require_broken(t.moved(10, 3), rule::format, 3, {"before its start"});
}

TEST_CASE("actions: they trigger their reactions", "[trace]") {
  auto t = scheduled_events();
  require_broken(t.without(9).without(9), rule::reactions, 10, {"\"on_x\""});
  require_broken(t.without(4).without(6), rule::reactions, 7, {"\"on_x\""});
}

TEST_CASE("actions: no scheduled event is lost", "[trace]") {
  auto t = scheduled_events();
  require_broken(
    t.without(12).without(12).without(12).with(12, "[5,1]", "[5,0]"),
    rule::nothing_lost, 12, {"5ns+1", "line 10"});
  require_broken(t.with(12, "[5,1]", "[6,0]"), rule::nothing_lost, 12,
                 {"5ns+1", "never present"});
}

namespace {

/// A tick at 0, 5, ... and one at 2.
const auto ticks
  = R"({"name":"t","type":"","offset":0,"period":5},)"
    R"({"name":"o","type":"","offset":2,"period":0})";

std::string ticking_node() {
  auto result
    = node_line{"b"}
        .action("t")
        .action("o")
        .reaction_on("on_t", "t")
        .reaction_on("on_o", "o")
        .str();
  auto at = result.find(R"({"name":"t","type")");
  return result.substr(0, at) + ticks + "]}";
}

std::vector<std::string> end_of_ticking() {
  return {
    execute("b", {10, 0}, forever),
    action("b", {10, 0}, "t", 1),
    reaction("b", {10, 0}, "on_t"),
    request("b", {10, 0}, {14, 0}),
    asked("b", {14, 0}),
    answer("b", {14, 0}),
    final_tag({14, 0}),
    final_taken("b", {14, 0}),
    shutdown("b", {10, 0}, "final"),
    exit("b"),
    end(),
  };
}

} // namespace

TEST_CASE("10.4.1 actions: ticks are present at their times", "[trace]") {
  trace t{
    application(),
    ticking_node(),
    start("b"),
    execute("b", origin, forever),
    action("b", origin, "t", 1),
    reaction("b", origin, "on_t"),
    execute("b", {2, 0}, forever),
    action("b", {2, 0}, "o", 1),
    reaction("b", {2, 0}, "on_o"),
    execute("b", {5, 0}, forever),
    action("b", {5, 0}, "t", 1),
    reaction("b", {5, 0}, "on_t"),
  };
  for (auto& line : end_of_ticking())
    t.lines.push_back(line);
  require_good(t);
  require_broken(t.with(10, "[5,0]", "[6,0]"), rule::nothing_lost, 10,
                 {"5ns", "never present"});
  require_broken(t.without(10).without(10).without(10), rule::nothing_lost, 10,
                 {"5ns", "never present"});
  require_broken(
    t.inserted(12, t.lines[10]), rule::actions, 12, {"nothing that was"});
  require_broken(
    t.inserted(7, execute("b", {1, 0}, forever))
      .inserted(8, action("b", {1, 0}, "t", 1)),
    rule::actions, 8, {"nothing that was"});
  require_broken(t.with(2, "\"period\":0", "\"period\":9"), rule::nothing_lost,
                 21, {"11ns"});
  require_broken(t.inserted(7, schedule("b", origin, "t", {3, 0}, 1)),
                 rule::actions, 7, {"the tick \"t\" is scheduled by code"});
  require_broken(t.with(2, "\"period\":5", "\"period\":-5"), rule::graph, 2,
                 {"\"t\"", "negative"});
  require_broken(
    t.with(2, ",\"period\":5", ""), rule::format, 2, {"\"period\""});
}

TEST_CASE("10.4.2 actions: a run that resumes continues the ticks", "[trace]") {
  trace t{
    application(),         ticking_node(), resumed({7, 0}),
    restored("b", {5, 0}), start("b"),
  };
  for (auto& line : end_of_ticking())
    t.lines.push_back(line);
  require_good(t);
  require_broken(t.inserted(5, pending("b", "t", {10, 0}, 1)), rule::actions, 5,
                 {"the tick \"t\" is scheduled by code, or by a checkpoint"});
  require_broken(t.with(3, "[7,0]", "[10,0]"), rule::tag_order, 6);
}

TEST_CASE(
  "10.3.1 deadlines: a reaction that misses its deadline runs late, and "
  "no other reaction does",
  "[trace]") {
  auto t = missed_deadlines();
  require_good(t);
  // Times.
  require_broken(t.with(10, "\"ended\":8", "\"ended\":7"), rule::deadlines, 10,
                 {"\"first\"", "misses its deadline", "7 ns", "8 ns"});
  require_broken(t.without(9).with(9, "\"began\":7", "\"began\":8"),
                 rule::deadlines, 9, {"does not miss its deadline", "8 ns"});
  require_good(t.without(9));
  // Deadlines.
  require_broken(t.with(9, "\"deadline\":3", "\"deadline\":4"), rule::deadlines,
                 9, {"4 ns", "3 ns"});
  require_broken(t.inserted(14, missed("b", {5, 0}, "third", 3)),
                 rule::deadlines, 14, {"\"third\"", "it has none"});
  require_broken(
    t.with(20, "\"deadline\":4", "\"deadline\":-4"), rule::deadlines, 20);
  // Order.
  require_broken(
    t.inserted(10, t.lines[8]), rule::deadlines, 10, {"not about to run"});
  require_broken(t.swapped(8, 9), rule::deadlines, 8, {"not about to run"});
  require_broken(t.inserted(12, t.lines[8]), rule::deadlines, 12);
  // A replay takes misses from a file.
  auto again = missed_deadlines(R"(,"replay":true)");
  require_good(again.with(10, "\"ended\":8", "\"ended\":7"));
  require_good(again.without(9).with(9, "\"began\":7", "\"began\":8"));
  require_broken(t.with(2, "\"deadline\":3", "\"deadline\":\"3\""),
                 rule::format, 2, {"\"reactions\""});
}

TEST_CASE("10.5.2 actions: events of an action with a spacing keep it",
          "[trace]") {
  auto run_with = [](std::string_view policy) {
    return trace{
      application(),
      node_line{"b"}.spaced("x", 5, policy).reaction_on("on_x", "x").str(),
      start("b"),
      schedule("b", origin, "x", {5, 0}, 1),
      schedule("b", origin, "x", {10, 0}, 2),
      execute("b", {5, 0}, forever),
      action("b", {5, 0}, "x", 1),
      reaction("b", {5, 0}, "on_x"),
      withdraw("b", {5, 0}, "x", {10, 0}),
      schedule("b", {5, 0}, "x", {12, 0}, 3),
      execute("b", {12, 0}, forever),
      action("b", {12, 0}, "x", 3),
      reaction("b", {12, 0}, "on_x"),
      shutdown("b", {12, 0}, "done"),
      exit("b"),
      end(),
    };
  };
  auto t = run_with("update");
  require_good(t);
  require_good(run_with("replace"));
  for (auto* policy : {"defer", "drop"})
    require_broken(
      run_with(policy), rule::actions, 9, {"\"x\"", "withdraws none"});
  require_broken(run_with("other"), rule::graph, 2, {"\"other\""});
  // The distance.
  require_broken(t.with(5, "[10,0]", "[9,0]"), rule::actions, 5,
                 {"schedules \"x\" for 9ns", "5ns", "5 ns"});
  require_broken(t.with(10, "[12,0]", "[9,0]"), rule::actions, 10,
                 {"schedules \"x\" for 9ns", "5ns"});
  require_broken(t.without(9), rule::actions, 9, {"12ns", "10ns"});
  // Only the last event is withdrawn, while it is pending.
  require_broken(
    t.with(9, "[10,0]", "[5,0]"), rule::actions, 9, {"not pending"});
  require_broken(t.inserted(10, t.lines[8]), rule::actions, 10);
  require_broken(
    t.swapped(8, 9), rule::actions, 8, {"nothing ran or resumed before"});
  require_broken(
    t.with(2, ",\"policy\":\"update\"", ""), rule::format, 2, {"\"policy\""});
}

TEST_CASE("10.5.2 actions: the last tag may withdraw later events, but not "
          "those that were due there",
          "[trace]") {
  trace t{
    application(R"(,"stop_after":[7,0])"),
    node_line{"b"}.spaced("x", 5, "replace").at_shutdown("at_end").str(),
    start("b"),
    schedule("b", origin, "x", {10, 0}, 1),
    final_tag({7, 0}),
    final_taken("b", {7, 0}),
    execute_last("b", {7, 1}),
    reaction("b", {7, 1}, "at_end"),
    withdraw("b", {7, 1}, "x", {10, 0}),
    schedule("b", {7, 1}, "x", {10, 0}, 2),
    shutdown("b", {7, 1}, "final"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.with(4, "[10,0]", "[7,1]").with(9, "[10,0]", "[7,1]"),
                 rule::actions, 9, {"not pending"});
}

TEST_CASE("10.5.2 actions: values from outside keep the spacing of their "
          "action",
          "[trace]") {
  trace t{
    application(),
    node_line{"b"}.spaced_input("x", 5).reaction("on_x", {"x"}).str(),
    start("b"),
    execute("b", {7, 0}, forever),
    input("b", {7, 0}, "x", "", 1),
    reaction("b", {7, 0}, "on_x"),
    drop("b", "x", "spacing"),
    execute("b", {12, 0}, forever),
    input("b", {12, 0}, "x", "", 2),
    reaction("b", {12, 0}, "on_x"),
    request("b", {12, 0}, {12, 0}),
    asked("b", {12, 0}),
    answer("b", {12, 0}),
    final_tag({12, 0}),
    final_taken("b", {12, 0}),
    shutdown("b", {12, 0}, "final"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.with(8, "[12,0]", "[11,9]").with(9, "[12,0]", "[11,9]"),
                 rule::actions, 9, {"\"b.x\"", "11ns+9", "7ns", "5 ns"});
}

TEST_CASE("10.5.3 actions: a run that resumes continues the spacing of pending "
          "events",
          "[trace]") {
  trace t{
    application(),
    node_line{"b"}.spaced("x", 5, "update").reaction_on("on_x", "x").str(),
    resumed({7, 0}),
    restored("b", {6, 0}),
    pending("b", "x", {8, 0}, 1),
    pending("b", "x", {13, 0}, 2),
    start("b"),
    execute("b", {8, 0}, forever),
    action("b", {8, 0}, "x", 1),
    reaction("b", {8, 0}, "on_x"),
    withdraw("b", {8, 0}, "x", {13, 0}),
    schedule("b", {8, 0}, "x", {14, 0}, 3),
    execute("b", {14, 0}, forever),
    action("b", {14, 0}, "x", 3),
    reaction("b", {14, 0}, "on_x"),
    shutdown("b", {14, 0}, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.with(12, "[14,0]", "[12,0]"), rule::actions, 12, {"8ns"});
}

TEST_CASE("10.6.1 last-tag: a node executes it once, after the final tag, with "
          "its reactions",
          "[trace]") {
  auto t = last_tag();
  require_good(t);
  require_broken(t.with(26, "[7,1]", "[8,0]"), rule::last_tag, 26,
                 {"at 8ns", "the final tag is 7ns"});
  require_broken(t.without(25), rule::last_tag, 25, {"it took no final tag"});
  require_broken(t.without(27).without(27), rule::reactions, 27,
                 {"without the reaction \"at_end\""});
  require_broken(t.inserted(29, execute("a", {8, 0}, forever)), rule::last_tag,
                 29, {"after the last tag (line 26)"});
  require_broken(
    t.with(26, ",\"last\":true", ""), rule::agreement, 26, {"executes 7ns+1"});
  require_broken(t.without(32).without(32).without(32), rule::cleanup, 32);
}

TEST_CASE("10.6.1 last-tag: a tardy value that was due there has no effect",
          "[trace]") {
  trace t{
    application(R"(,"stop_after":[7,0])"),
    node_line{"a"}.output("out").at_shutdown("at_end").str(),
    node_line{"b"}.input("in").reaction("on_in", {"in"}).str(),
    waiting_connection("a.out", "b.in", 2),
    start("a"),
    send("a", origin, "out", "b.in", origin, 1),
    start("b"),
    tardy("b", "in", "a.out", origin, {7, 1}),
    final_tag({7, 0}),
    final_taken("a", {7, 0}),
    execute_last("a", {7, 1}),
    reaction("a", {7, 1}, "at_end"),
    send("a", {7, 1}, "out", "b.in", {7, 1}, 2),
    shutdown("a", {7, 1}, "final"),
    exit("a"),
    final_taken("b", {7, 0}),
    execute_last("b", {7, 1}),
    input("b", {7, 1}, "in", "a.out", 2),
    reaction("b", {7, 1}, "on_in"),
    shutdown("b", {7, 1}, "final"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(
    t.with(8, "[7,1]", "[7,0]"), rule::nothing_lost, 19, {"for 7ns"});
  require_broken(
    t.with(18, digest(2), digest(1)), rule::inputs, 18, {"line 13"});
}

TEST_CASE("10.6.1 last-tag: an expiry that was due there has no effect",
          "[trace]") {
  trace t{
    application(R"(,"stop_after":[7,0])"),
    node_line{"b"}
      .watchdog("w", 5)
      .reaction_on("on_w", "w")
      .at_shutdown("at_end")
      .str(),
    start("b"),
    watchdog("b", origin, "w", 5),
    expire("b", "w", {7, 1}, 8),
    final_tag({7, 0}),
    final_taken("b", {7, 0}),
    execute_last("b", {7, 1}),
    reaction("b", {7, 1}, "at_end"),
    shutdown("b", {7, 1}, "final"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.with(5, "[7,1]", "[7,0]"), rule::watchdogs, 9,
                 {"\"w\" is not present at 7ns"});
}

TEST_CASE("10.6.2 last-tag: all that send to a node without delay ended",
          "[trace]") {
  auto t = last_tag();
  require_broken(t.moved(31, 26).moved(32, 27), rule::last_tag, 27,
                 {"\"a\"", "has not ended"});
  require_broken(t.without(33), rule::inputs, 33);
}

TEST_CASE("10.6.4 last-tag: without a request, the final tag is the greatest "
          "tag that was executed",
          "[trace]") {
  auto t = last_tag();
  require_broken(t.with(24, "[7,0]", "[8,0]"), rule::last_tag, 24,
                 {"the final tag is 8ns", "7ns"});
  require_broken(t.without(18), rule::natural_end, 21, {"\"c\" is done"});
  require_broken(t.without(22).without(22), rule::agreement, 22,
                 {"no shutdown was requested", "\"c\" is not done"});
  require_broken(t.without(13), rule::natural_end, 17, {"\"b\" is done"});
  require_broken(
    t.with(13, "[5,0]", "[4,0]"), rule::last_tag, 13, {"its last tag is 5ns"});
  require_broken(t.inserted(14, execute("a", {6, 0}, forever)), rule::agreement,
                 14, {"executes 6ns"});
}

TEST_CASE("10.6.5 last-tag: nothing leaves it with a delay", "[trace]") {
  auto t = last_tag();
  require_broken(t.inserted(35, send("b", {7, 1}, "out", "c.in", {9, 0}, 4)),
                 rule::last_tag, 35, {"\"b.out\" -> \"c.in\"", "has a delay"});
}

TEST_CASE("10.6.5 last-tag: a node at the last tag answers with its final tag",
          "[trace]") {
  auto t
    = last_tag()
        .inserted(35, request_outside({3, 0}))
        .inserted(36, asked("b", {3, 0}))
        .inserted(37, answer("b", {7, 0}))
        .inserted(38, final_tag({7, 0}))
        .inserted(39, final_taken("b", {7, 0}));
  require_good(t);
  require_broken(
    t.with(37, "[7,0]", "[7,1]"), rule::agreement, 37, {"expected 7ns"});
}

TEST_CASE("10.7.1 modes: the reactions of a mode run only while it is active",
          "[trace]") {
  auto t = switched_modes();
  require_good(t);
  require_broken(t.with(18, "on_n", "on_x"), rule::modes, 18,
                 {"runs \"on_x\" while its mode", "\"m\" is not active"});
  // Without the reaction of the active mode.
  require_broken(t.without(18), rule::reactions, 18);
  require_broken(t.with(2, R"("mode":"m"})", R"("mode":"x"})"), rule::graph, 2,
                 {"members of the mode \"x\", which is an action"});
}

TEST_CASE("10.7.2 modes: a mode is entered at the microstep after the last "
          "call, before all else",
          "[trace]") {
  auto t = switched_modes();
  require_broken(t.without(16), rule::modes, 16,
                 {"mode \"n\" is present at 5ns+1", "does not switch"});
  require_broken(t.swapped(16, 17), rule::modes, 16, {"does not switch"});
  require_broken(t.with(16, "\"n\"", "\"m\""), rule::modes, 16,
                 {"\"m\" is entered at 5ns+1, where no code wants it"});
  require_broken(t.without(13), rule::modes, 13, {"after another mode was"});
  require_broken(t.with(13, "\"m\"", "\"n\""), rule::modes, 13,
                 {"\"n\" is not to be entered at 5ns+1"});
  require_broken(t.with(14, "[5,1]", "[6,0]"), rule::modes, 14,
                 {"is entered for 6ns", "the microstep after 5ns"});
  require_broken(t.inserted(16, t.lines[20]), rule::reactions, 16);
}

TEST_CASE("10.7.3 modes: the events of a mode that is left occur as far from "
          "where it is entered with its history",
          "[trace]") {
  auto t = switched_modes();
  require_broken(t.with(16, "false", "true"), rule::modes, 16,
                 {"\"n\" is entered with its history, but was never active"});
  require_broken(t.with(27, "[12,0]", "[11,0]").with(28, "[12,0]", "[11,0]"),
                 rule::actions, 28);
  // The events of a mode that is reset are dropped.
  require_broken(t.with(24, "true", "false"), rule::actions, 28);
  require_broken(
    t.with(2, R"("offset":3)", R"("offset":4)"), rule::actions, 20);
  // The mode without the event is suspended again.
  require_broken(t.without(22).without(22).without(22).without(22).without(22),
                 rule::actions, 23);
}

TEST_CASE("10.7.4 modes: an action is scheduled only while its mode is active",
          "[trace]") {
  auto t = switched_modes();
  require_broken(
    t.inserted(22, schedule("b", {8, 0}, "x", {9, 0}, 3)), rule::modes, 22,
    {"schedules \"x\" while its mode \"m\" is not active"});
}

TEST_CASE("10.7.6 modes: a reaction to the last tag runs if its mode was ever "
          "active",
          "[trace]") {
  trace t{
    application(),
    node_line{"b"}
      .mode("m")
      .mode("n")
      .reaction_on("on_m", "m")
      .at_shutdown("of_m")
      .of_mode("m")
      .at_shutdown("of_n")
      .of_mode("n")
      .str(),
    start("b"),
    execute("b", {0, 0}, forever),
    action("b", {0, 0}, "m", 0),
    reaction("b", {0, 0}, "on_m"),
    request_outside({3, 0}),
    asked("b", {3, 0}),
    answer("b", {3, 0}),
    final_tag({3, 0}),
    final_taken("b", {3, 0}),
    execute_last("b", {3, 1}),
    reaction("b", {3, 1}, "of_m"),
    shutdown("b", {3, 1}, "final"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(
    t.inserted(14, reaction("b", {3, 1}, "of_n")), rule::reactions, 14);
  require_broken(t.without(13), rule::reactions, 13);
}

TEST_CASE(
  "10.7.5 modes: a run that resumes continues with the active mode, and "
  "with the suspended events",
  "[trace]") {
  trace t{
    application(),
    switched_modes().lines[1],
    resumed({6, 0}),
    restored("b", {5, 1}),
    visited("b", "m", false),
    visited("b", "n", true),
    suspended("b", "x", {4, 0}, 2),
    pending("b", "t", {8, 0}, 1),
    start("b"),
  };
  auto whole = switched_modes();
  t.lines.insert(t.lines.end(), whole.lines.begin() + 18, whole.lines.end());
  require_good(t);
  require_broken(t.without(6), rule::modes, 7, {"\"t\" while its mode \"n\""});
  require_broken(
    t.with(5, "\"m\"", "\"x\""), rule::modes, 5, {"declared as an action"});
  require_broken(t.without(5), rule::modes, 6, {"has a suspended event"});
  require_broken(t.without(7), rule::actions, 18);
  require_broken(t.inserted(7, visited("b", "m", true)), rule::modes, 7,
                 {"was active at the checkpoint, as was mode \"n\""});
  auto nothing = t.without(6).without(6).without(6);
  require_broken(nothing, rule::modes, 6, {"starts without an active mode"});
}

TEST_CASE("10.7.5 modes: a node that had left before the checkpoint has no "
          "active mode when it starts",
          "[trace]") {
  require_good(trace{
    application(),
    switched_modes().lines[1],
    resumed({6, 0}),
    restored("b", {5, 1}, true),
    start("b"),
    shutdown("b", {5, 1}, "done"),
    exit("b"),
    end(),
  });
}

TEST_CASE("10.8.1 watchdogs: a watchdog that code started expires once "
          "elapsed time is its expiry",
          "[trace]") {
  auto t = expiring_watchdogs();
  require_good(t);
  require_broken(t.with(4, "\"expiry\":5", "\"expiry\":4"), rule::watchdogs, 4,
                 {"\"v\"", "at 4 ns", "at 5 ns or later"});
  require_broken(t.with(4, "[0,0]", "[1,0]"), rule::watchdogs, 4,
                 {"is started at 1ns", "the node is at 0s"});
  require_broken(
    t.swapped(7, 9), rule::watchdogs, 7, {"nothing ran or resumed before"});
  require_broken(t.with(5, "\"elapsed\":6", "\"elapsed\":4"), rule::watchdogs,
                 5, {"4 ns after the start", "line 4", "at 5 ns"});
  require_broken(t.without(4), rule::watchdogs, 4, {"does not run"});
  require_broken(
    t.inserted(6, t.lines[4]), rule::watchdogs, 6, {"does not run"});
  require_broken(t.without(10), rule::watchdogs, 12, {"does not run"});
  require_broken(t.with(2, "\"timeout\":7", "\"timeout\":-7"), rule::watchdogs,
                 9, {"declared without a timeout"});
  require_broken(t.inserted(9, schedule("b", {5, 0}, "w", {9, 0}, 1)),
                 rule::actions, 9, {"the watchdog \"w\" is scheduled by code"});
}

TEST_CASE("10.8.2 watchdogs: a watchdog that expired is present once, at or "
          "after its expiry",
          "[trace]") {
  auto t = expiring_watchdogs();
  require_broken(t.with(5, "[5,0]", "[4,0]"), rule::watchdogs, 5,
                 {"expires for 4ns", "5 ns on"});
  require_broken(
    t.swapped(12, 13), rule::watchdogs, 13, {"after the last one, 20ns"});
  require_broken(t.without(5), rule::watchdogs, 6,
                 {"is present at 5ns, but has not expired for it"});
  require_broken(t.with(5, "[5,0]", "[6,0]"), rule::watchdogs, 7);
  require_broken(
    t.without(7), rule::watchdogs, 7, {"is not present at 5ns", "line 5"});
  require_broken(t.inserted(8, t.lines[6]), rule::watchdogs, 8);
  require_broken(
    t.without(19).without(19).without(19).with(19, "[20,0]", "[12,0]"),
    rule::watchdogs, 19, {"\"v\" is not present at 20ns"});
}

TEST_CASE("10.8.3 watchdogs: no node is done while a watchdog runs; a replay "
          "does not say when one expires",
          "[trace]") {
  auto t = expiring_watchdogs();
  require_broken(
    t.without(18), rule::watchdogs, 21, {"\"w\" runs (line 17)", "done"});
  auto again = expiring_watchdogs(R"(,"replay":true)");
  require_broken(again, rule::watchdogs, 5, {"expires in a replay"});
  again = again.without(5).without(11).without(11);
  require_good(again);
  require_broken(again.without(4), rule::watchdogs, 5, {"never started"});
}

TEST_CASE("10.10.1 max-waits: values of a replay may be tardy before the start "
          "of their receiver",
          "[trace]") {
  auto run_with = [](std::string_view more) {
    return trace{
      application(more),
      node_line{"a"}.output("out").action("x").reaction_on("on_x", "x").str(),
      node_line{"b"}.input("in").reaction("on_in", {"in"}).str(),
      waiting_connection("a.out", "b.in", 2),
      start("a"),
      schedule("a", origin, "x", {1, 0}, 1),
      execute("a", {1, 0}, forever),
      action("a", {1, 0}, "x", 1),
      reaction("a", {1, 0}, "on_x"),
      send("a", {1, 0}, "out", "b.in", {1, 0}, 11),
      shutdown("a", {1, 0}, "done"),
      exit("a"),
      tardy("b", "in", "a.out", {1, 0}, {6, 0}),
      start("b"),
      execute("b", {6, 0}, forever),
      input("b", {6, 0}, "in", "a.out", 11),
      reaction("b", {6, 0}, "on_in"),
      shutdown("b", {6, 0}, "done"),
      exit("b"),
      end(),
    };
  };
  require_good(run_with(R"(,"replay":true)"));
  require_broken(run_with(""), rule::format, 13, {"before its start"});
}

TEST_CASE("10.10.1 max-waits: a value of a connection with a maximal wait is "
          "in time, tardy or dropped, once",
          "[trace]") {
  auto t = tardy_values();
  require_good(t);
  require_broken(t.with(22, "[6,0]", "[3,0]"), rule::max_waits, 22,
                 {"arrives at 1ns", "is for 3ns", "(2 ns)"});
  require_broken(t.with(22, "[1,0]", "[2,0]"), rule::max_waits, 22,
                 {"takes as tardy", "arrives at 2ns", "on its way"});
  require_broken(
    t.without(22), rule::max_waits, 26, {"sets in time", "arrives at 6ns"});
  require_broken(t.inserted(23, t.lines[21]), rule::max_waits, 23,
                 {"no such one is on its way"});
  require_broken(t.with(24, digest(13), digest(14)), rule::inputs, 24,
                 {"\"a.out\" -> \"b.in\"", "line 21"});
  require_broken(
    t.with(27, digest(11), digest(14)), rule::inputs, 27, {"line 17"});
  require_broken(
    t.with(4, ",\"wait\":2", ""), rule::no_late_message, 17, {"1ns"});
  require_broken(
    t.with(4, "\"wait\":2", "\"wait\":9"), rule::max_waits, 22, {"(9 ns)"});
}

TEST_CASE("10.10.2 max-waits: a receiver does not end before all values are "
          "known",
          "[trace]") {
  auto t = tardy_values();
  require_broken(t.without(35), rule::nothing_lost, 35,
                 {"line 32", "arrives at 9ns", "was not tardy"});
  require_broken(
    t.with(22, "[6,0]", "[7,0]")
      .without(26)
      .without(26)
      .without(26)
      .with(33, "[6,0]", "[3,0]"),
    rule::nothing_lost, 33, {"tardy value", "for 7ns"});
}

TEST_CASE("10.8.3 watchdogs: a run that resumes continues with those that ran, "
          "and with those that had expired",
          "[trace]") {
  trace t{
    application(),
    node_line{"b"}
      .watchdog("v", 5)
      .watchdog("w", 7)
      .reaction_on("on_v", "v")
      .reaction_on("on_w", "w")
      .str(),
    resumed({7, 0}),
    restored("b", {5, 0}),
    running("b", "v", 11),
    pending("b", "w", {9, 0}, 1),
    start("b"),
    execute("b", {9, 0}, forever),
    action("b", {9, 0}, "w", 1),
    reaction("b", {9, 0}, "on_w"),
    expire("b", "v", {11, 0}, 11),
    execute("b", {11, 0}, forever),
    action("b", {11, 0}, "v", 1),
    reaction("b", {11, 0}, "on_v"),
    shutdown("b", {11, 0}, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  require_broken(t.without(5), rule::watchdogs, 10, {"does not run"});
  require_broken(t.without(6), rule::watchdogs, 8, {"has not expired"});
  require_broken(
    t.with(6, "[9,0]", "[7,0]"), rule::watchdogs, 6, {"beyond the checkpoint"});
  require_broken(t.swapped(5, 7), rule::format, 6);
}

TEST_CASE("an error may name the handler of a watchdog", "[trace]") {
  trace t{
    application(),
    node_line{"b"}.watchdog("v", 5).str(),
    start("b"),
    watchdog("b", origin, "v", 5),
    expire("b", "v", {5, 0}, 6),
    error("b", "handler of v", {5, 0}, "no light"),
    aborted(),
    shutdown("b", origin, "aborted"),
    exit("b"),
    end(1),
  };
  require_good(t);
  require_broken(t.with(6, "of v", "of x"), rule::format, 6, {"\"x\""});
}

TEST_CASE("format: undeclared actions", "[trace]") {
  auto t = scheduled_events();
  require_broken(t.with(4, "\"x\"", "\"z\""), rule::format, 4, {"\"z\""});
  require_broken(t.with(7, "\"x\"", "\"z\""), rule::format, 7, {"\"z\""});
  require_broken(t.with(2, "[\"x\"]", "[\"z\"]"), rule::format, 2, {"\"z\""});
  require_broken(t.with(2, "{\"name\":\"y\"", "{\"name\":\"x\""), rule::graph,
                 2, {"two actions"});
}

TEST_CASE("reactions: a reaction that declares its ports writes only these",
          "[trace]") {
  auto lines = [](std::string_view early, std::string_view late) {
    return trace{
      application(),
      node_line{"a"}
        .input("in")
        .output("x")
        .output("y")
        .declaring("r", "in", "x", "y")
        .str(),
      node_line{"b"}.output("out").str(),
      node_line{"c"}.input("x").input("y").str(),
      connection("b.out", "a.in"),
      connection("a.x", "c.x"),
      connection("a.y", "c.y"),
      start("a"),
      start("b"),
      send("b", origin, "out", "a.in", origin, 1),
      start("c"),
      execute("a", origin, forever),
      input("a", origin, "in", "b.out", 1),
      reaction("a", origin, "r"),
      send("a", origin, early, "c." + std::string{early}, origin, 2),
      execute("a", {1, 0}, forever),
      resume("a", {1, 0}, "r"),
      send("a", {1, 0}, late, "c." + std::string{late}, {1, 0}, 3),
    };
  };
  require_broken(
    lines("y", "y"), rule::reactions, 15,
    {"the reaction \"r\" of node \"a\" writes", "which it does not declare"});
  // Without an error of this kind, the trace is only not complete.
  for (auto late : {"x", "y"})
    require_broken(lines("x", late), rule::termination, 18);
  // A port that the node does not have.
  auto t = lines("x", "x");
  require_broken(t.with(2, "\"writes\":[\"x\"]", "\"writes\":[\"z\"]"),
                 rule::format, 2, {"\"z\""});
  require_broken(t.with(2, ",\"writes_later\":[\"y\"]", ""), rule::format, 2,
                 {"lacks the member \"writes_later\""});
}

// -- loops without delay ------------------------------------------------------

namespace {

/// A plant `a` and a controller `b`, in a loop without delay. The plant writes
/// its speed at 5 ns, and takes the force at the same tag.
trace instant_loop() {
  return {
    application(),
    node_line{"a"}
      .input("force")
      .output("speed")
      .action("step")
      .declaring_on("on_step", "step", "speed")
      .declaring("on_force", "force", "", "")
      .str(),
    node_line{"b"}
      .input("speed")
      .output("force")
      .reaction("on_speed", {"speed"})
      .str(),
    connection("a.speed", "b.speed"),
    connection("b.force", "a.force"),
    start("a"),
    schedule("a", origin, "step", {5, 0}, 1),
    start("b"),
    execute("a", {5, 0}, {5, 1}),
    action("a", {5, 0}, "step", 1),
    reaction("a", {5, 0}, "on_step"),
    send("a", {5, 0}, "speed", "b.speed", {5, 0}, 2),
    execute("b", {5, 0}, {5, 1}),
    input("b", {5, 0}, "speed", "a.speed", 2),
    reaction("b", {5, 0}, "on_speed"),
    send("b", {5, 0}, "force", "a.force", {5, 0}, 3),
    go_on("a", {5, 0}, "on_force"),
    input("a", {5, 0}, "force", "b.force", 3),
    reaction("a", {5, 0}, "on_force"),
    shutdown("a", {5, 0}, "done"),
    exit("a"),
    shutdown("b", {5, 0}, "done"),
    exit("b"),
    end(),
  };
}

} // namespace

TEST_CASE("10.1.3 graph: no reaction in a loop without delay depends on itself",
          "[trace]") {
  auto t = instant_loop();
  require_good(t);
  // on_step reads the force as well.
  require_broken(t.with(2, R"("reads":[])", R"("reads":["force"])"),
                 rule::graph, 6, {"is on a loop of zero delay"});
}

TEST_CASE("10.7.6 graph: reactions of different modes have no order",
          "[trace]") {
  trace t{
    application(),
    node_line{"a"}
      .input("force")
      .output("speed")
      .mode("m")
      .mode("n")
      .declaring("on_force", "force", "", "")
      .of_mode("n")
      .declaring_on("on_m", "m", "speed")
      .of_mode("m")
      .str(),
    node_line{"b"}
      .input("speed")
      .output("force")
      .reaction("on_speed", {"speed"})
      .str(),
    connection("a.speed", "b.speed"),
    connection("b.force", "a.force"),
    start("a"),
    start("b"),
    execute("a", origin, {0, 1}),
    action("a", origin, "m", 0),
    reaction("a", origin, "on_m"),
    send("a", origin, "speed", "b.speed", origin, 2),
    execute("b", origin, {0, 1}),
    input("b", origin, "speed", "a.speed", 2),
    reaction("b", origin, "on_speed"),
    send("b", origin, "force", "a.force", origin, 3),
    go_on("a", origin, "on_force"),
    input("a", origin, "force", "b.force", 3),
    shutdown("a", origin, "done"),
    exit("a"),
    shutdown("b", origin, "done"),
    exit("b"),
    end(),
  };
  require_good(t);
  auto is_closed = [&](const trace& x) {
    require_broken(x, rule::graph, 6, {"is on a loop of zero delay"});
  };
  is_closed(t.with(2, R"(,"mode":"n"})", "}"));
  is_closed(t.with(2, R"("mode":"n"})", R"("mode":"m"})"));
}

TEST_CASE("10.1.5 inputs: in a loop without delay, an input is set before the "
          "first reaction that may read it",
          "[trace]") {
  auto t = instant_loop();
  require_broken(t.without(18).without(18), rule::inputs, 18,
                 {"did not set the message on \"b.force\" -> \"a.force\""});
  require_broken(t.swapped(18, 19), rule::inputs, 18,
                 {"runs \"on_force\" before it set the message"});
}

TEST_CASE("10.1.10 reactions: only a node in a loop without delay continues a "
          "tag",
          "[trace]") {
  auto t = instant_loop();
  require_broken(
    t.with(17, "[5,0]", "[6,0]"), rule::reactions, 17, {"it executes 5ns"});
  require_broken(
    t.with(17, "on_force", "on_x"), rule::format, 17, {"\"on_x\""});
  // With a delay, these are no such nodes.
  auto apart = t.with(5, R"("delay":[0,0])", R"("delay":[0,1])");
  require_broken(
    apart.without(16), rule::reactions, 16, {"is in no loop without delay"});
}

// -- one-write ----------------------------------------------------------------

TEST_CASE("one-write: an output is written once at a tag", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"send", "sink.slow"}, 2);
  require_broken(
    t.inserted(line + 1, t.lines[line - 1]), rule::one_write, line + 1,
    {"\"relay.out\" -> \"sink.slow\" at 5ns", "a second time"});
}

TEST_CASE("one-write: writes of start() count for its tag", "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").output("out").reaction("r", {"in"}).str(),
    node_line{"c"}.input("in").str(),
    connection("a.out", "b.in"),
    connection("b.out", "c.in"),
    start("a"),
    send("a", origin, "out", "b.in", origin, 1),
    start("b"),
    send("b", origin, "out", "c.in", origin, 1),
    start("c"),
    execute("b", origin, forever),
    input("b", origin, "in", "a.out", 1),
    reaction("b", origin, "r"),
    send("b", origin, "out", "c.in", {0, 1}, 2),
  };
  require_broken(t, rule::one_write, 15, {"a second time"});
}

TEST_CASE("one-write: it is sent on all connections", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"send", "sink.fast"}, 3);
  require_broken(
    t.without(line), rule::one_write, t.find({"shutdown", of_source}) - 1,
    {"wrote at 10ns", "\"source.out\" -> \"sink.fast\""});
  line = t.find({"send", "sink.fast"});
  // Here the receiver misses nothing yet, but the sender continues.
  auto bad = t.without(line);
  for (auto i = 0; i < 4; ++i)
    bad = bad.without(bad.find({"\"node\":\"sink\"", "[0,1]"}));
  require_broken(
    bad, rule::one_write, bad.find({"execute", of_source}), {"wrote at 0s"});
}

TEST_CASE("one-write: a full queue may drop values of a physical connection",
          "[trace]") {
  auto t = physical_run();
  auto line = t.find({"\"send\"", of_sensor}, 2);
  require_good(t.without(line));
}

TEST_CASE("one-write: a message to a receiver that ended is no exception",
          "[trace]") {
  // b ends at an early final tag that a has not reached.
  trace t{
    application(R"(,"stop_after":[2,0])"),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").str(),
    node_line{"c"}.input("in").str(),
    connection("a.out", "b.in", {5, 0}),
    connection("a.out", "c.in"),
    start("a"),
    start("b"),
    start("c"),
    final_tag({2, 0}),
    final_taken("a", {2, 0}),
    final_taken("b", {2, 0}),
    final_taken("c", {2, 0}),
    shutdown("b", origin, "final"),
    exit("b"),
    execute("a", {1, 0}, forever),
    resume("a", {1, 0}),
    send("a", {1, 0}, "out", "b.in", {6, 0}, 1),
    send("a", {1, 0}, "out", "c.in", {1, 0}, 1),
    shutdown("a", {1, 0}, "final"),
    exit("a"),
    execute("c", {1, 0}, {2, 1}),
    input("c", {1, 0}, "in", "a.out", 1),
    shutdown("c", {1, 0}, "final"),
    exit("c"),
    end(),
  };
  require_good(t);
  require_broken(t.without(18), rule::one_write, 19,
                 {"did not go to \"a.out\" -> \"b.in\""});
}

// -- nothing-lost -------------------------------------------------------------

TEST_CASE("nothing-lost: no pending message is skipped", "[trace]") {
  auto t = natural_end();
  // The whole execution at [3,0] is missing.
  auto line = t.find({"execute", of_sink}, 2);
  auto bad = t.without(line).without(line).without(line).without(line);
  require_broken(
    bad, rule::nothing_lost, t.find({"execute", of_sink}, 3) - 4,
    {"executes 5ns+1", "\"relay.out\" -> \"sink.slow\"",
     "arrives before, at 3ns"});
}

TEST_CASE("nothing-lost: a node that is done has nothing pending", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute", of_sink}, 6);
  auto bad = t.without(line).without(line).without(line).without(line);
  require_broken(bad.with(line, "[13,0]", "[10,1]"), rule::nothing_lost, line,
                 {"node \"sink\" ends", "arrives at 13ns"});
}

TEST_CASE("nothing-lost: everything up to the final tag is executed",
          "[trace]") {
  auto t = requested_end();
  auto line = t.find({"execute", of_sink, "[8,0]"});
  auto bad = t.without(line).without(line).without(line).without(line);
  auto end_line = bad.find({"shutdown", of_sink});
  require_broken(
    bad.with(end_line, "[8,0]", "[5,1]"), rule::nothing_lost, end_line,
    {"\"relay.out\" -> \"sink.slow\"", "arrives at 8ns", "the final tag 10ns"});
}

TEST_CASE("nothing-lost: nothing is sent to a node that is done", "[trace]") {
  // In a loop, a node may be done before its upstream has ended.
  auto t = loop_end();
  auto line = t.find({"shutdown", of_left});
  auto bad
    = t.moved(t.find({"shutdown", of_right}), line)
        .inserted(line + 1, send("left", {0, 3}, "out", "right.in", {0, 3}, 9));
  require_broken(
    bad, rule::nothing_lost, line + 1, {"node \"right\" has shut down"});
}

TEST_CASE("nothing-lost: nothing up to the final tag is sent to a node that "
          "left",
          "[trace]") {
  trace t{
    application(R"(,"stop_after":[9,0])"),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").str(),
    connection("a.out", "b.in"),
    start("a"),
    start("b"),
    final_tag({9, 0}),
    final_taken("a", {9, 0}),
    final_taken("b", {9, 0}),
    shutdown("b", origin, "final"),
    exit("b"),
    execute("a", {9, 0}, forever),
    resume("a", {9, 0}),
    send("a", {9, 0}, "out", "b.in", {9, 0}, 1),
    shutdown("a", {9, 0}, "final"),
    exit("a"),
    end(),
  };
  require_broken(
    t, rule::nothing_lost, 14, {"having executed up to the final tag 9ns"});
  require_good(t.with(4, "[0,0]", "[0,1]")
                 .with(14, "\"arrival\":[9,0]", "\"arrival\":[9,1]"));
}

// -- natural-end --------------------------------------------------------------

TEST_CASE("natural-end: upstream ended", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_relay});
  // After its shutdown, a node's outputs are closed.
  require_good(t.moved(t.find({"exit", of_source}), line));
  auto bad = t.moved(t.find({"shutdown", of_source}), line);
  bad = bad.moved(bad.find({"exit", of_source}), line);
  require_broken(bad, rule::natural_end, bad.find({"shutdown", of_relay}),
                 {"\"relay\" is done", "\"source\"", "has not ended"});
}

TEST_CASE("natural-end: or is in one loop with the node", "[trace]") {
  auto t = loop_end();
  auto line = t.find({"shutdown"});
  require_good(t.swapped(line, line + 1));
}

TEST_CASE("natural-end: a physical connection keeps a loop from ending",
          "[trace]") {
  auto t = loop_end();
  // A logical path back does not help the downstream node either.
  trace physical{
    application(),
    node_line{"a"}.input("in").output("out").str(),
    node_line{"b"}.input("in").output("out").str(),
    connection("a.out", "b.in"),
    connection("b.out", "a.in", origin, true),
    start("a"),
    start("b"),
    shutdown("a", origin, "done"),
  };
  require_broken(physical, rule::natural_end, 8,
                 {"\"a\" is done", "\"b\"", "has not ended"});
}

TEST_CASE("natural-end: a node with a physical action is never done",
          "[trace]") {
  auto t = physical_run();
  auto line = t.find({"shutdown", of_sensor});
  require_broken(t.with(line, "final", "done"), rule::natural_end, line,
                 {"\"sensor\" is done though it has a physical action"});
}

// -- agreement ----------------------------------------------------------------

TEST_CASE("agreement: a request comes from the node's tag and is not before it",
          "[trace]") {
  auto t = requested_end();
  auto line = t.find({"request"});
  require_broken(t.with(line, "\"tag\":[3,0]", "\"tag\":[2,0]"),
                 rule::agreement, line, {"it is at 3ns"});
  require_broken(t.with(line, "\"proposal\":[7,0]", "\"proposal\":[2,0]"),
                 rule::agreement, line, {"before its own tag"});
}

TEST_CASE("agreement: nodes are asked for a requested tag", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"asked", of_sink});
  require_broken(t.without(line - 1), rule::agreement, line - 1,
                 {"\"sink\" is asked", "7ns", "which was not requested"});
  require_broken(t.with(line, "[7,0]", "[6,0]"), rule::agreement, line);
  line = t.find({"asked", of_relay});
  // Two requests; all nodes must be asked for the same one.
  auto two = t.inserted(line - 1, request("source", {5, 0}, {10, 0}));
  require_good(two);
  require_broken(two.with(line + 1, "[7,0]", "[10,0]"), rule::agreement,
                 line + 1, {"other nodes are asked for one from 7ns"});
}

TEST_CASE("agreement: a node is asked once, and answers this question",
          "[trace]") {
  auto t = requested_end();
  auto line = t.find({"asked", of_sink});
  require_broken(t.inserted(line + 1, t.lines[line - 1]), rule::agreement,
                 line + 1, {"asked a second time"});
  require_broken(t.inserted(line + 2, t.lines[line]), rule::agreement, line + 2,
                 {"was not asked"});
  require_broken(t.without(line), rule::agreement, line, {"was not asked"});
}

TEST_CASE("agreement: the answer is the later of tag and proposal", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"answer", of_sink});
  for (auto wrong : {"[3,0]", "[8,0]", "[7,1]"})
    require_broken(
      t.with(line, "[7,0]", wrong), rule::agreement, line, {"expected 7ns"});
  line = t.find({"answer", of_source});
  require_broken(
    t.with(line, "[10,0]", "[7,0]"), rule::agreement, line, {"expected 10ns"});
  t = physical_run();
  line = t.find({"answer", of_log});
  require_broken(t.with(line, "[9,0]", "\"never\""), rule::agreement, line,
                 {"expected 9ns"});
}

TEST_CASE("agreement: no node executes beyond its answer before the final tag",
          "[trace]") {
  auto t = requested_end();
  auto taken = t.find({"final_taken", of_sink});
  auto line = t.find({"execute", of_sink, "[8,0]"});
  // The final tag is fixed, but this node does not know it yet.
  require_broken(t.moved(taken, line + 3), rule::agreement, line - 1,
                 {"executes 8ns", "answered", "7ns"});
}

TEST_CASE("agreement: no node executes beyond the final tag", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"shutdown", of_sink});
  require_broken(
    t.inserted(line, execute("sink", {10, 1}, {13, 0})), rule::agreement, line,
    {"executes 10ns+1", "the final tag that it took is 10ns"});
}

TEST_CASE("agreement: a final tag needs a request", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"resume"});
  require_broken(t.inserted(line, final_tag({20, 0})), rule::agreement, line,
                 {"no shutdown was requested"});
}

TEST_CASE("agreement: a final tag needs the answer of every alive node",
          "[trace]") {
  auto t = requested_end();
  auto line = t.find({"answer", of_relay});
  require_broken(t.without(line), rule::agreement, t.find({of_final}) - 1,
                 {"node \"relay\" has not left and did not answer"});
  require_broken(t.without(line).without(line - 1), rule::agreement,
                 t.find({of_final}) - 2, {"did not answer"});
}

TEST_CASE("agreement: the final tag is the greatest answer", "[trace]") {
  auto t = requested_end();
  auto line = t.find({of_final});
  require_broken(t.with(line, "[10,0]", "[9,0]"), rule::agreement, line,
                 {"node \"source\" answered 10ns"});
  require_broken(t.with(line, "[10,0]", "[6,0]"), rule::agreement, line,
                 {"requested was 7ns"});
  require_broken(t.with(line, "[10,0]", "[10,1]"), rule::agreement, line,
                 {"expected the greatest answer, 10ns"});
}

TEST_CASE("agreement: a saved end includes the tags of nodes that had ended",
          "[trace]") {
  auto node = [](std::string_view name) {
    return node_line{name}.action("x").reaction_on("on_x", "x").str();
  };
  trace t{
    application(R"(,"checkpoints":true)"),
    node("early"),
    node("late"),
    start("early"),
    schedule("early", origin, "x", {5, 0}, 1),
    start("late"),
    schedule("late", origin, "x", {9, 0}, 2),
    execute("early", {5, 0}, forever),
    action("early", {5, 0}, "x", 1),
    reaction("early", {5, 0}, "on_x"),
    shutdown("early", {5, 0}, "done"),
    exit("early"),
    request("late", origin, {2, 0}),
    asked("late", {2, 0}),
    answer("late", {2, 0}),
    final_tag({5, 0}),
    final_taken("late", {5, 0}),
    shutdown("late", origin, "final"),
    exit("late"),
    end(),
  };
  require_good(t);
  auto line = t.find({of_final});
  require_broken(t.with(line, "[5,0]", "[6,0]"), rule::agreement, line,
                 {"expected the greatest answer, 5ns"});
  require_broken(t.with(1, R"(,"checkpoints":true)", ""), rule::agreement, line,
                 {"expected the greatest answer, 2ns"});
}

TEST_CASE("agreement: every node takes the fixed final tag", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"final_taken", of_relay});
  require_broken(t.with(line, "[10,0]", "[11,0]"), rule::agreement, line,
                 {"takes the final tag 11ns", "expected 10ns"});
  require_broken(t.inserted(line + 1, t.lines[line - 1]), rule::agreement,
                 line + 1, {"none was fixed that it has not taken"});
  require_broken(
    t.moved(line, t.find({of_final})), rule::agreement, t.find({of_final}));
}

TEST_CASE("agreement: a node that ends at a final tag took one", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_relay});
  require_broken(t.with(line, "done", "final"), rule::agreement, line,
                 {"shuts down for a final tag, but took none"});
}

namespace {

/// `a` requests 9 ns, then `b` requests 4 ns; `c` leaves between the two.
trace two_rounds() {
  return {
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.output("out").str(),
    node_line{"c"}.str(),
    start("a"),
    start("b"),
    start("c"),
    request("a", origin, {9, 0}),
    asked("a", {9, 0}),
    answer("a", {9, 0}),
    asked("b", {9, 0}),
    answer("b", {9, 0}),
    asked("c", {9, 0}),
    answer("c", {9, 0}),
    final_tag({9, 0}),
    final_taken("a", {9, 0}),
    final_taken("b", {9, 0}),
    final_taken("c", {9, 0}),
    execute("c", {3, 0}, forever),
    resume("c", {3, 0}),
    shutdown("c", {3, 0}, "final"),
    exit("c"),
    execute("b", {4, 0}, forever),
    resume("b", {4, 0}),
    request("b", {4, 0}, {4, 0}),
    asked("b", {4, 0}),
    answer("b", {4, 0}),
    execute("a", {6, 0}, forever),
    resume("a", {6, 0}),
    asked("a", {4, 0}),
    answer("a", {6, 0}),
    final_tag({6, 0}),
    final_taken("a", {6, 0}),
    shutdown("a", {6, 0}, "final"),
    exit("a"),
    final_taken("b", {6, 0}),
    execute("b", {5, 0}, forever),
    resume("b", {5, 0}),
    shutdown("b", {5, 0}, "final"),
    exit("b"),
    end(),
  };
}

} // namespace

TEST_CASE("agreement: a later request lowers the final tag in a separate round",
          "[trace]") {
  auto t = two_rounds();
  require_good(t);
  SECTION("not for a tag at or above the final one") {
    require_broken(
      t.with(25, "\"proposal\":[4,0]", "\"proposal\":[9,0]")
        .with(26, "[4,0]", "[9,0]"),
      rule::agreement, 26, {"fixed already"});
  }
  SECTION("the final tag does not rise") {
    require_broken(t.with(32, "[6,0]", "[9,1]"), rule::agreement, 32,
                   {"none above the earlier one, 9ns"});
  }
  SECTION("a second final tag needs questions") {
    require_broken(
      t.inserted(16, t.lines[14]), rule::agreement, 16, {"did not answer"});
  }
  SECTION("not below the executed tags of a node that left") {
    auto line = t.find({"execute", of_c});
    require_broken(
      t.with(line, "[3,0]", "[7,0]")
        .with(line + 1, "[3,0]", "[7,0]")
        .with(line + 2, "[3,0]", "[7,0]"),
      rule::agreement, 32, {"\"c\" executed 7ns"});
  }
  SECTION("nor below the executed tags of a node that was done then") {
    auto line = t.find({"execute", of_c});
    auto done
      = t.with(line, "[3,0]", "[7,0]")
          .with(line + 1, "[3,0]", "[7,0]")
          .with(line + 2, "[3,0]", "[7,0]")
          .with(line + 2, "\"final\"", "\"done\"");
    require_broken(done, rule::agreement, 32, {"\"c\" executed 7ns"});
    require_good(
      done.with(32, "[6,0]", "[7,0]")
        .with(33, "[6,0]", "[7,0]")
        .with(36, "[6,0]", "[7,0]"));
  }
  SECTION("a node that was done before a final tag may count or not") {
    auto early = t.without(18);
    for (auto line = 18u; line < 22; ++line)
      early = early.moved(line, line - 3);
    for (auto line = 15u; line < 18; ++line)
      early = early.with(line, "[3,0]", "[7,0]");
    early = early.with(17, "\"final\"", "\"done\"");
    require_good(early);
    require_good(
      early.with(31, "[6,0]", "[7,0]")
        .with(32, "[6,0]", "[7,0]")
        .with(35, "[6,0]", "[7,0]"));
  }
  SECTION("the barrier is lowered") {
    require_broken(t.with(37, "[5,0]", "[7,0]"), rule::agreement, 37,
                   {"the final tag that it took is 6ns"});
    auto early = t.moved(37, 28).moved(38, 29);
    require_broken(early, rule::agreement, 28, {"answered", "4ns"});
  }
  SECTION(
    "a requesting node does not pass its own request before the decision") {
    require_broken(t.moved(37, 26).moved(38, 27), rule::agreement, 26,
                   {"\"b\" executes 5ns", "requested an end at 4ns"});
    // The decision also holds if the abort begins before.
    require_good(
      t.inserted(36, aborted()).with(42, "\"status\":0", "\"status\":1"));
  }
  SECTION("no node takes an earlier one again") {
    require_broken(
      t.with(36, "[6,0]", "[9,0]"), rule::agreement, 36, {"expected 6ns"});
  }
  SECTION("no node that missed it executes beyond it") {
    // b does not take the second final tag, and continues to the first. It made
    // no request, which would hold it.
    auto deaf = t.without(25).inserted(25, request_outside({4, 0}));
    deaf = deaf.without(36).without(26).without(26);
    deaf = deaf.moved(deaf.find({"execute", of_b, "[5,0]"}), 26);
    deaf = deaf.moved(deaf.find({"resume", of_b, "[5,0]"}), 27)
             .with(26, "[5,0]", "[7,0]")
             .with(27, "[5,0]", "[7,0]");
    deaf = deaf.moved(deaf.find({"shutdown", of_b}), 28)
             .with(28, "[5,0]", "[7,0]");
    require_broken(
      deaf, rule::agreement, deaf.find({of_final}, 2), {"\"b\" executed 7ns"});
    // As long as it is alive, it must answer.
    deaf = deaf.moved(28, deaf.find({of_final}, 2));
    require_broken(deaf, rule::agreement, deaf.find({of_final}, 2),
                   {"\"b\" has not left and did not answer"});
  }
}

TEST_CASE(
  "termination: an end before the start is in order if it was requested",
  "[trace]") {
  trace t{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").reaction("r", {"in"}).str(),
    connection("a.out", "b.in"),
    request_outside(never, 0),
    unstarted(),
    shutdown("a", origin, "aborted"),
    exit("a"),
    shutdown("b", origin, "aborted"),
    exit("b"),
    end(0),
  };
  require_good(t);
  SECTION("according to the coordinator, it had started") {
    require_broken(t.with(6, ",\"started\":false", ""), rule::termination, 11,
                   {"ends with status 0; expected 1"});
    require_broken(t.with(6, "false", "true"), rule::termination, 11,
                   {"ends with status 0; expected 1"});
  }
  SECTION("it did not start for another reason") {
    auto failed = t.without(5);
    require_broken(failed, rule::termination, 10, {"ends with status 0"});
    require_good(failed.with(10, "\"status\":0", "\"status\":1"));
  }
  SECTION("no request") {
    require_broken(t.without(6), rule::termination, 6, {"nothing aborted"});
  }
  SECTION("a node had started") {
    require_broken(
      t.inserted(5, start("a")), rule::format, 7,
      {"the application ended before it had started, but node "
       "\"a\" started"});
    require_broken(t.inserted(7, start("a")), rule::format, 7,
                   {"\"a\" has \"start\", but the application ended before"});
  }
  SECTION("a process left no trace") {
    auto without = t.without(8).without(7);
    require_good(without);
    require_good(without.without(8).without(7));
    // A node that is lost after the start is a different case.
    auto line = without.lines.size();
    require_broken(without.with(6, ",\"started\":false", ""), rule::format,
                   line, {"\"a\" never started"});
  }
  SECTION("a node is lost while it leaves") {
    require_broken(t.without(8), rule::cleanup, 10, {"\"a\" did not exit"});
  }
}

TEST_CASE("agreement: stop_after needs no question", "[trace]") {
  trace t{
    application(R"(,"stop_after":[9,0])"),
    node_line{"a"}.str(),
    start("a"),
    request_outside({9, 0}),
    final_tag({9, 0}),
    final_taken("a", {9, 0}),
    shutdown("a", origin, "final"),
    exit("a"),
    end(),
  };
  require_good(t);
  require_good(t.without(4));
  require_good(t.moved(4, 2));
  require_good(
    t.inserted(5, answer("a", {9, 0})).inserted(5, asked("a", {9, 0})));
  require_broken(
    t.with(5, "[9,0]", "[8,0]"), rule::agreement, 5, {"did not answer"});
  require_broken(t.with(1, ",\"stop_after\":[9,0]", ""), rule::agreement, 5,
                 {"did not answer"});
}

TEST_CASE("8.2 agreement: the requests of a replay change nothing", "[trace]") {
  auto run_with = [](std::string_view more) {
    return trace{
      application(more),
      node_line{"a"}.str(),
      start("a"),
      request("a", origin, {4, 0}),
      final_tag({9, 0}),
      final_taken("a", {9, 0}),
      execute("a", {6, 0}, forever),
      resume("a", {6, 0}),
      shutdown("a", {6, 0}, "final"),
      exit("a"),
      end(),
    };
  };
  require_good(run_with(R"(,"stop_after":[9,0],"replay":true)"));
  require_broken(run_with(R"(,"stop_after":[9,0])"), rule::agreement, 7,
                 {"had requested an end at 4ns"});
}

// -- cleanup ------------------------------------------------------------------

TEST_CASE("cleanup: every node shuts down once, then exits once", "[trace]") {
  for (auto t : {natural_end(), requested_end(), aborted_end()}) {
    auto last = t.lines.size();
    auto line = t.find({"shutdown", of_relay});
    require_broken(t.inserted(line + 1, t.lines[line - 1]), rule::cleanup,
                   line + 1, {"\"relay\" shuts down a second time"});
    auto exit_line = t.find({"exit", of_relay});
    require_broken(t.inserted(last, t.lines[line - 1]), rule::cleanup, last,
                   {"a second time"});
    require_broken(
      t.inserted(exit_line + 1, t.lines[exit_line - 1]), rule::cleanup,
      exit_line + 1, {"\"relay\" exits a second time"});
    require_broken(t.without(exit_line), rule::cleanup, last - 1,
                   {"\"relay\" did not exit"});
    auto without = t.without(line);
    require_broken(without, rule::cleanup, exit_line - 1,
                   {"\"relay\" exits without a shutdown"});
    line = t.find({"shutdown", of_sink});
    exit_line = t.find({"exit", of_sink});
    require_broken(t.without(exit_line).without(line), rule::cleanup, last - 2,
                   {"\"sink\" did not shut down"});
  }
}

TEST_CASE("cleanup: a shutdown has the last tag", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_sink});
  require_broken(t.with(line, "[13,0]", "[14,0]"), rule::cleanup, line,
                 {"expected that of its last execution, 13ns"});
  t = aborted_end();
  line = t.find({"shutdown", of_sink});
  require_broken(t.with(line, "[0,0]", "[5,0]"), rule::cleanup, line);
}

TEST_CASE("cleanup: after its shutdown a node does nothing", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_source}) + 1;
  for (const auto& late :
       {execute("source", {11, 0}, forever), resume("source", {10, 0}),
        send("source", {10, 0}, "out", "relay.in", {10, 1}, 1),
        request("source", {10, 0}, {10, 0})})
    require_broken(t.inserted(line, late), rule::cleanup, line,
                   {"\"source\"", "after its shutdown"});
  line = t.find({"shutdown", of_relay}) + 1;
  for (const auto& late : {reaction("relay", {10, 0}, "hand_on"),
                           input("relay", {10, 0}, "in", "source.out", 1)})
    require_broken(t.inserted(line, late), rule::cleanup, line,
                   {"\"relay\"", "after its shutdown"});
  t = physical_run();
  line = t.find({"shutdown", of_sensor}) + 1;
  require_broken(t.inserted(line, input("sensor", {5, 1}, "raw", "", 1)),
                 rule::cleanup, line, {"after its shutdown"});
}

TEST_CASE("cleanup: an error in shutdown() is only logged", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_source}) + 1;
  require_good(
    t.inserted(line, error("source", "shutdown", {10, 0}, "wrote an output")));
}

// -- termination --------------------------------------------------------------

TEST_CASE("termination: a trace without an end is truncated", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"exit", of_relay});
  trace cut;
  cut.lines.assign(
    t.lines.begin(), t.lines.begin() + static_cast<std::ptrdiff_t>(line));
  require_broken(
    cut, rule::termination, line,
    {"breaks off after this line", "crashed",
     "1 of 3 nodes had not exited (\"sink\")"});
  cut.lines.resize(3);
  require_broken(cut, rule::termination, 3, {"2 of 2 nodes had not exited"});
}

TEST_CASE("termination: a trace that ends within a line is truncated",
          "[trace]") {
  auto t = natural_end();
  auto text = t.text();
  text.resize(text.size() - 5);
  auto found = rosia_trace::check(text);
  REQUIRE(found);
  CHECK(found->broken == rule::termination);
  CHECK(found->line == t.lines.size());
  CHECK_THAT(found->text, Catch::Matchers::ContainsSubstring("in the middle"));
}

TEST_CASE("termination: many nodes that did not exit are not all named",
          "[trace]") {
  trace t{application()};
  for (auto i = 0; i < 9; ++i)
    t.lines.push_back(node_line{"n" + std::to_string(i)}.str());
  require_broken(t, rule::termination, 10, {"9 of 9", "\"n4\", ...)"});
}

TEST_CASE("termination: the status is that of the requests", "[trace]") {
  auto t = requested_end();
  auto request_line = t.find({"request"});
  auto last = t.lines.size();
  require_broken(
    t.with(last, "0", "3"), rule::termination, last, {"status 3; expected 0"});
  auto three = t.with(request_line, "\"status\":0", "\"status\":3");
  require_broken(three, rule::termination, last, {"status 0; expected 3"});
  require_good(three.with(last, "0", "3"));
  // A second request may be too late to change it.
  auto two = three.inserted(request_line + 1, request("sink", {3, 0}, {9, 0}));
  require_good(two);
  require_good(two.with(last + 1, "0", "3"));
  require_broken(two.with(last + 1, "0", "1"), rule::termination, last + 1,
                 {"expected 0 or 3"});
}

TEST_CASE("termination: the status of an abort is not 0", "[trace]") {
  auto t = aborted_end();
  auto last = t.lines.size();
  require_good(t.with(last, "1", "128"));
  require_good(t.with(last, "1", "129"));
  require_broken(t.with(last, "1", "0"), rule::termination, last,
                 {"status 0; expected 1 or 128 or 129"});
  require_broken(t.with(last, "1", "7"), rule::termination, last);
}

TEST_CASE("termination: an error aborts the application", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"reaction\"", of_relay}) + 1;
  auto last = t.lines.size() + 1;
  require_broken(
    t.inserted(line, error("relay", "hand_on", {0, 0}, "no")),
    rule::termination, last,
    {"in spite of the error in line " + std::to_string(line)});
}

TEST_CASE("termination: no node is aborted without a reason", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"shutdown", of_sink});
  require_broken(t.with(line, "done", "aborted"), rule::termination, line,
                 {"\"sink\" is aborted"});
  t = aborted_end();
  // A failed node may end before the coordinator aborts the other nodes.
  line = t.find({"\"aborted\"}"});
  require_good(t.swapped(line, line + 1));
}

TEST_CASE("an abort excuses unfinished work", "[trace]") {
  auto t = aborted_end();
  // relay had not set its input yet, nor run its reaction.
  auto line = t.find({"\"input\"", of_relay}, 2);
  require_good(t.without(line + 1).without(line));
  // sink was in the middle of a tag.
  auto sink = t.find({"shutdown", of_sink});
  auto busy
    = t.inserted(sink, execute("sink", {0, 1}, {3, 0}))
        .inserted(sink + 1, input("sink", {0, 1}, "fast", "source.out", 1))
        .inserted(sink + 2, reaction("sink", {0, 1}, "on_any"))
        .with(sink + 3, "[0,0]", "[0,1]");
  require_good(busy);
  // Its earlier events must still be right.
  require_broken(
    busy.with(sink + 1, digest(1), digest(2)), rule::inputs, sink + 1);
}

// -- runs that resume ---------------------------------------------------------

TEST_CASE("a run that resumes begins with the content of the checkpoint",
          "[trace]") {
  auto t = continued_run();
  auto go_on = t.find({"resumed"});
  auto first = t.find({"restored", R"("node":"a")"});
  require_broken(t.without(go_on), rule::format, first - 1,
                 {"the run continues from no checkpoint"});
  require_broken(t.inserted(go_on, resumed({4, 0})), rule::format, go_on + 1,
                 {"a second checkpoint"});
  require_broken(t.inserted(first, restored("a", {3, 0})), rule::format,
                 first + 1, {"restored a second time"});
  require_broken(t.without(first), rule::format, t.find({"start"}) - 1,
                 {"starts without what the checkpoint has of it"});
  auto began = t.find({R"("event":"start")"});
  require_broken(t.inserted(began + 1, pending("a", "next", {7, 0}, 3)),
                 rule::format, began + 1, {"after its start"});
  require_broken(
    t.inserted(first, restored("a", {5, 0})).without(first + 1),
    rule::tag_order, first, {"expected a tag up to that of the checkpoint"});
}

TEST_CASE("tag-order: a run that resumes repeats no executed tag", "[trace]") {
  auto t = continued_run();
  auto line = t.find({"execute", R"("node":"a")"});
  require_broken(t.inserted(line, execute("a", {4, 0}, forever)),
                 rule::tag_order, line, {"beyond the checkpoint at 4ns"});
}

TEST_CASE("arrival-tags: messages in transit arrive beyond the checkpoint",
          "[trace]") {
  auto t = continued_run();
  auto line = t.find({"in_transit"});
  auto with = [&](logical_time arrival) {
    return t.without(line).inserted(
      line, in_transit("b", "in", "a.out", arrival, 10));
  };
  require_broken(with({4, 0}), rule::arrival_tags, line,
                 {"expected beyond the checkpoint, up to 9ns"});
  require_broken(with({10, 0}), rule::arrival_tags, line, {"up to 9ns"});
  require_broken(
    t.inserted(line + 1, in_transit("b", "in", "a.out", {8, 0}, 11)),
    rule::arrival_tags, line + 1, {"after the previous one"});
}

TEST_CASE("inputs, actions: a run that resumes has exactly the pending "
          "messages and events",
          "[trace]") {
  auto t = continued_run();
  auto line = t.find({"in_transit"});
  require_broken(
    t.without(line), rule::inputs, t.find({R"("event":"input")"}) - 1,
    {"that was not sent to arrive there"});
  require_broken(t.inserted(line, in_transit("b", "in", "a.out", {7, 0}, 9)),
                 rule::nothing_lost, t.find({"execute", R"("node":"b")"}) + 1);
  line = t.find({"pending"});
  require_broken(
    t.without(line), rule::actions, t.find({R"("event":"action")"}) - 1,
    {"nothing that was scheduled for this tag is left"});
  require_broken(
    t.without(line).inserted(line, pending("a", "next", {4, 0}, 2)),
    rule::actions, line, {"expected a tag beyond the checkpoint"});
}

} // namespace broken_rules_test
