// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/logical_time.hpp"
#include "trace/trace_text.hpp"

namespace parsing_test {

using namespace rosia_trace;
namespace text = trace_test;

TEST_CASE("logical time: arithmetic is that of the semantics", "[trace]") {
  CHECK(logical_time{5, 3} + time_delay{2, 0} == logical_time{7, 0});
  CHECK(logical_time{5, 3} + time_delay{2, 4} == logical_time{7, 4});
  CHECK(logical_time{5, 3} + time_delay{0, 2} == logical_time{5, 5});
  CHECK(logical_time{5, 3} + time_delay{} == logical_time{5, 3});
  CHECK(next_microstep({5, 3}) == logical_time{5, 4});
  CHECK(never + time_delay{5, 0} == never);
  CHECK(forever + time_delay{5, 0} == forever);
  constexpr auto max_ns = forever.ns;
  CHECK(
    logical_time{max_ns - 1, 3} + time_delay{1, 0} == logical_time{max_ns, 0});
  CHECK(logical_time{max_ns, 3} + time_delay{1, 0} == forever);
  CHECK(logical_time{5, max_microstep} + time_delay{0, 1} == forever);
  CHECK(never < logical_time{never.ns, 0});
  CHECK(logical_time{max_ns, max_microstep} < forever);
  CHECK(logical_time{4, 9} < logical_time{5, 0});
}

TEST_CASE("logical time: formatted as in a trace", "[trace]") {
  CHECK(to_json(logical_time{5, 1}) == "[5,1]");
  CHECK(to_json(never) == "\"never\"");
  CHECK(to_json(forever) == "\"forever\"");
}

TEST_CASE("logical time: formatted for reading", "[trace]") {
  CHECK(to_string(origin) == "0s");
  CHECK(to_string(logical_time{5, 0}) == "5ns");
  CHECK(to_string(logical_time{1500, 0}) == "1.5us");
  CHECK(to_string(logical_time{20'000'000, 1}) == "20ms+1");
  CHECK(to_string(logical_time{1'000'000'000, 0}) == "1s");
  CHECK(to_string(logical_time{90'000'000'001, 0}) == "90.000000001s");
  CHECK(to_string(logical_time{-1500, 0}) == "-1.5us");
  CHECK(to_string(never) == "never");
  CHECK(to_string(forever) == "forever");
}

TEST_CASE("logical time: read from the command line", "[trace]") {
  for (auto tag :
       {origin, logical_time{5, 0}, logical_time{41'184'983, 0},
        logical_time{20'000'000, 3}, logical_time{-1500, 0},
        logical_time{5, max_microstep}, never, forever}) {
    INFO(to_string(tag));
    CHECK(parse_logical_time(to_string(tag)) == tag);
    if (is_tag(tag))
      CHECK(parse_logical_time(to_json(tag)) == tag);
  }
  for (auto wrong :
       {"", "5", "5:3", "[5,3", "[5]", "[5,]", "[,3]", "[5ns,3]", "5,3", "5ns+",
        "+3", "5ns+-1", "5ns+4294967296", "5ns ", " 5ns", "+5ns", "0x5ns",
        "9223372036854775808ns", "5ns+3+1"}) {
    INFO(wrong);
    CHECK(!parse_logical_time(wrong));
  }
}

TEST_CASE("parsing: the order of members does not matter", "[trace]") {
  line_parser parser;
  REQUIRE(parser.parse(R"( { "tag" : [ 5 , 1 ] , "event":"answer",)"
                       R"("node":"b" } )")
          == parse_result::event);
  CHECK(parser.get().kind == event_kind::answer);
  CHECK(parser.get().node == "b");
  CHECK(parser.get().tag == logical_time{5, 1});
}

TEST_CASE("parsing: every event of the format", "[trace]") {
  line_parser parser;
  auto parse = [&](const std::string& line) -> const event& {
    INFO(line);
    REQUIRE(parser.parse(line) == parse_result::event);
    return parser.get();
  };
  CHECK(parse(text::application()).format == 3);
  CHECK(!parse(text::application()).has(member::stop_after));
  CHECK(parse(text::application(R"(,"stop_after":[10,0])")).stop_after
        == logical_time{10, 0});
  {
    const auto& x = parse(
      text::node_line{"a"}
        .input("i", true)
        .input("j")
        .output("o", "double")
        .reaction("r", {"i", "j"})
        .str());
    REQUIRE(x.inputs.size() == 2);
    CHECK(x.inputs[0].physical);
    CHECK(!x.inputs[1].physical);
    REQUIRE(x.outputs.size() == 1);
    CHECK(x.outputs[0].type == "double");
    REQUIRE(x.reactions.size() == 1);
    CHECK(x.reactions[0].name == "r");
    CHECK(x.reactions[0].triggers.first == 0);
    CHECK(x.reactions[0].triggers.last == 2);
    CHECK(x.names == std::vector<std::string_view>{"i", "j"});
  }
  CHECK(parse(text::connection("a.o", "b.i", {0, 1}, true)).delay
        == time_delay{0, 1});
  CHECK(parse(text::start("a")).node == "a");
  CHECK(parse(text::execute("a", {1, 0}, forever)).stat == forever);
  CHECK(parse(text::resume("a", {1, 0})).reaction == "start");
  CHECK(!parse(text::input("a", {1, 0}, "i", "", 5)).has(member::from));
  CHECK(parse(text::input("a", {1, 0}, "i", "b.o", ~0ull)).digest == ~0ull);
  CHECK(parse(text::reaction("a", {1, 0}, "r")).reaction == "r");
  CHECK(parse(text::send("a", {1, 0}, "o", "b.i", {2, 0}, 5)).arrival
        == logical_time{2, 0});
  CHECK(!parse(text::send_physical("a", {1, 0}, "o", "b.i", 5))
           .has(member::arrival));
  CHECK(parse(text::promise("a", "o", "b.i", {9, 0})).to == "b.i");
  CHECK(parse(text::drop("a", "i", "refused")).reason == "refused");
  CHECK(parse(text::request("a", {1, 0}, {2, 0}, 3)).status == 3);
  CHECK(!parse(text::request_outside(never)).has(member::node));
  CHECK(parse(text::asked("a", never)).proposal == never);
  CHECK(parse(text::answer("a", {1, 0})).tag == logical_time{1, 0});
  CHECK(parse(text::final_tag({1, 0})).kind == event_kind::final);
  CHECK(parse(text::final_taken("a", {1, 0})).kind == event_kind::final_taken);
  CHECK(parse(text::error("a", "r", {1, 0}, "no")).text == "no");
  CHECK(parse(text::aborted()).kind == event_kind::aborted);
  CHECK(!parse(text::aborted()).has(member::started));
  CHECK(!parse(text::unstarted()).started);
  CHECK(parse(text::shutdown("a", {1, 0}, "done")).ending == "done");
  CHECK(parse(text::exit("a")).kind == event_kind::exit);
  CHECK(parse(text::end(-1)).status == -1);
}

TEST_CASE("parsing: numbers of 64 bits are read in full", "[trace]") {
  line_parser parser;
  for (auto ns : {std::int64_t{4'294'967'296}, std::int64_t{-4'294'967'296},
                  forever.ns, never.ns}) {
    REQUIRE(parser.parse(text::answer("a", {ns, 4'294'967'295}))
            == parse_result::event);
    CHECK(parser.get().tag == logical_time{ns, 4'294'967'295});
  }
}

TEST_CASE("parsing: the parser continues after a refused line", "[trace]") {
  line_parser parser;
  CHECK(parser.parse("{") == parse_result::not_json);
  CHECK(parser.parse("") == parse_result::not_json);
  CHECK(parser.parse("7") == parse_result::not_json);
  CHECK(parser.parse("{}") == parse_result::not_an_event);
  CHECK(parser.parse(R"({"event":"exit"})") == parse_result::not_an_event);
  CHECK(parser.parse(text::exit("a")) == parse_result::event);
  CHECK(parser.parse(R"({"event":"exit","node":)") == parse_result::not_json);
  CHECK(parser.parse(text::exit("a")) == parse_result::event);
}

TEST_CASE("parsing: texts are UTF-8", "[trace]") {
  line_parser parser;
  CHECK(parser.parse(text::exit("caf\xc3\xa9")) == parse_result::event);
  CHECK(parser.get().node == "caf\xc3\xa9");
  CHECK(parser.parse(text::exit("\\u00e9\\n")) == parse_result::event);
  CHECK(parser.get().node == "\xc3\xa9\n");
  CHECK(parser.parse(text::exit("caf\xc3")) == parse_result::not_json);
  CHECK(parser.parse(text::exit("\\ud800")) == parse_result::not_json);
  CHECK(parser.parse(text::exit("a\nb")) == parse_result::not_json);
}

} // namespace parsing_test
