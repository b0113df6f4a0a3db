// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/trace_file.hpp"
#include "temporary_folder.hpp"
#include "trace/trace_text.hpp"

#include <rapidjson/document.h>

#include <sstream>
#include <string>
#include <vector>

namespace perfetto_test {

using namespace trace_test;
using Catch::Matchers::ContainsSubstring;
using test::temporary_folder;

namespace {

struct converted {
  explicit converted(const std::string& text) {
    temporary_folder folder;
    std::ostringstream out;
    std::ostringstream err;
    CHECK(
      rosia_trace::perfetto_command({folder.write("trace", text), {}}, out, err)
      == 0);
    warnings = err.str();
    document.Parse(out.str().c_str());
    REQUIRE(!document.HasParseError());
  }

  /// Returns each event with this member as text, such as "X on_in 1.5 2 ".
  std::vector<std::string> with(
    const char* member, const std::string& value) const {
    std::vector<std::string> result;
    for (auto& x : document["traceEvents"].GetArray())
      if (x.HasMember(member) && value == x[member].GetString())
        result.push_back(text_of(x));
    return result;
  }

  static std::string text_of(const rapidjson::Value& x) {
    std::ostringstream result;
    result << x["pid"].GetUint64() << '/' << x["tid"].GetUint64() << ' '
           << x["name"].GetString();
    for (auto key : {"ts", "dur"})
      if (x.HasMember(key))
        result << ' ' << x[key].GetDouble();
    if (x.HasMember("id"))
      result << " #" << x["id"].GetUint64();
    if (!x.HasMember("args"))
      return result.str();
    for (auto& member : x["args"].GetObject())
      if (member.value.IsString())
        result << ' ' << member.value.GetString();
      else
        result << ' ' << member.value.GetDouble();
    return result.str();
  }

  rapidjson::Document document;
  std::string warnings;
};

using texts = std::vector<std::string>;

/// Returns a trace in which `a` sends at the tag 1 us, and `b` waits for that.
trace small() {
  logical_time tag{1000, 0};
  return {
    application(),
    node_line{"a"}.output("out").startup("begin").str(),
    node_line{"b"}.input("in").reaction("on_in", {"in"}).str(),
    connection("a.out", "b.in"),
    start("a"),
    ran("a", origin, "start", 100, 1'100),
    start("b"),
    ran("b", origin, "start", 200, 300),
    at(execute("a", tag, forever), 5'000),
    R"({"event":"resume","node":"a","tag":[1000,0],"reaction":"start"})",
    send("a", tag, "out", "b.in", tag, 1),
    ran("a", tag, "start", 6'000, 90'000),
    at(execute("b", tag, forever), 100'000),
    input("b", tag, "in", "a.out", 1),
    reaction("b", tag, "on_in"),
    ran("b", tag, "on_in", 100'001, 102'503),
  };
}

} // namespace

TEST_CASE("perfetto: running code is a slice of its node", "[trace]") {
  converted x{small().text()};
  CHECK(x.with("cat", "start")
        == texts{"1/1 start 0.1 1 0s", "1/2 start 0.2 0.1 0s"});
  CHECK(x.with("cat", "resume") == texts{"1/1 start 6 84 1us"});
  CHECK(x.with("cat", "reaction") == texts{"1/2 on_in 100.001 2.502 1us"});
  CHECK(x.warnings.empty());
}

TEST_CASE("perfetto: an arrow leads from the sender to the receiver",
          "[trace]") {
  converted x{small().text()};
  CHECK(x.with("ph", "s") == texts{"1/1 message 6 #1"});
  CHECK(x.with("ph", "f") == texts{"1/2 message 100.001 #1"});
}

TEST_CASE("perfetto: a waiting node names the node that it waits for",
          "[trace]") {
  converted x{small().text()};
  CHECK(x.with("cat", "wait") == texts{"1/2 waits for \"a\" 5 95 1us"});
}

TEST_CASE("perfetto: counters show lag and queues", "[trace]") {
  converted x{small().text()};
  CHECK(x.with("name", "lag of b") == texts{"1/2 lag of b 100 0.099"});
  CHECK(x.with("name", "messages for b") == texts{"1/2 messages for b 100 1"});
}

TEST_CASE("perfetto: nodes have tracks, in the groups of their processes",
          "[trace]") {
  trace declared{
    application(), node_line{R"(a\"<\\>)", "left"}.str(),
    node_line{"b", "right"}.str(), node_line{"c", "left"}.str(), start("c")};
  converted x{declared.text()};
  CHECK(
    x.with("name", "process_name")
    == texts{"0/0 process_name application", "1/0 process_name process left",
             "2/0 process_name process right"});
  CHECK(x.with("name", "thread_name")
        == texts{"0/0 thread_name coordinator", "1/1 thread_name a\"<\\>",
                 "2/2 thread_name b", "1/3 thread_name c"});
}

TEST_CASE("perfetto: the steps of the end are marks", "[trace]") {
  auto t = small();
  t.lines.push_back(
    R"({"event":"request","node":null,"tag":null,"proposal":[2000,0],"status":3})");
  t.lines.push_back(R"({"event":"asked","node":"a","proposal":[2000,0]})");
  t.lines.push_back(R"({"event":"final","tag":[2000,0]})");
  converted x{t.text()};
  CHECK(x.with("cat", "protocol")
        == texts{"0/0 request 102.503 not before 2us: status 3",
                 "1/1 asked 90 not before 2us", "0/0 final 102.503 tag 2us"});
}

TEST_CASE("perfetto: without durations tags are marks, with a warning",
          "[trace]") {
  trace t{application(), node_line{"a"}.str(), start("a"),
          at(execute("a", {1000, 0}, forever), 5'000)};
  converted x{t.text()};
  CHECK(x.with("name", "tag") == texts{"1/1 tag 5 1us"});
  CHECK_THAT(
    x.warnings, ContainsSubstring("does not say how long reactions ran"));
}

TEST_CASE("perfetto: an unreadable file is an error with file and line",
          "[trace]") {
  temporary_folder folder;
  std::ostringstream out;
  auto convert = [&](const std::string& text) {
    rosia_trace::perfetto_command({folder.write("x", text), {}}, out, out);
  };
  CHECK_THROWS_WITH(convert(""), ContainsSubstring("the trace is empty"));
  CHECK_THROWS_WITH(
    convert(application() + "\n{\n"), ContainsSubstring("x:2: not JSON"));
  CHECK_THROWS_WITH(convert(application() + '\n' + start("a") + '\n'),
                    ContainsSubstring("x:2: no node \"a\" is declared"));
  CHECK_THROWS_AS(
    rosia_trace::perfetto_command(
      {folder.write("x", small().text()), "/nowhere/x"}, out, out),
    std::runtime_error);
}

TEST_CASE("perfetto: it does not replace the trace that it reads", "[trace]") {
  temporary_folder folder;
  std::ostringstream out;
  auto text = small().text();
  auto file = folder.write("x", text);
  CHECK_THROWS_WITH(
    rosia_trace::perfetto_command({file, folder.path() + "/./x"}, out, out),
    ContainsSubstring("it is the file that is read; name another file"));
  CHECK(rosia_trace::read_all(file) == text);
}

TEST_CASE("check: no code ends before it begins", "[trace]") {
  temporary_folder folder;
  std::ostringstream out;
  auto check = [&](std::int64_t ended) {
    auto t = small();
    t.lines[5] = ran("a", origin, "start", 100, ended);
    out.str("");
    rosia_trace::check_command({folder.write("x", t.text()), false}, out);
    return out.str();
  };
  CHECK_THAT(check(99), ContainsSubstring("before it begins"));
  CHECK_THAT(check(100), !ContainsSubstring("before it begins"));
}

} // namespace perfetto_test
