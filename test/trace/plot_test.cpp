// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/trace_file.hpp"
#include "temporary_folder.hpp"
#include "trace/random_trace.hpp"
#include "trace/trace_text.hpp"

#include <rapidjson/document.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace plot_test {

using namespace trace_test;
using Catch::Matchers::ContainsSubstring;
using test::temporary_folder;

namespace {

std::string page_of(const std::string& text) {
  temporary_folder folder;
  std::ostringstream out;
  CHECK(rosia_trace::plot_command({folder.write("trace", text), {}}, out) == 0);
  return out.str();
}

/// Returns the data in the page.
rapidjson::Document data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  auto first = page.find(begin) + begin.size();
  auto last = page.find("</script>", first);
  rapidjson::Document result;
  result.Parse(page.substr(first, last - first).c_str());
  REQUIRE(!result.HasParseError());
  return result;
}

/// Returns a trace in which `a` sends at the tag 1 us, and `b` takes the value
/// 95 us later.
trace small() {
  logical_time tag{1000, 0};
  return {
    application(),
    node_line{"a"}.output("out").startup("begin").str(),
    node_line{"b"}.input("in").reaction("on_in", {"in"}).str(),
    connection("a.out", "b.in"),
    start("a"),
    start("b"),
    at(execute("a", tag, forever), 5'000),
    send("a", tag, "out", "b.in", tag, 1),
    ran("a", tag, "on_in", 6'000, 90'000),
    at(execute("b", tag, forever), 100'000),
    input("b", tag, "in", "a.out", 1),
    reaction("b", tag, "on_in"),
    ran("b", tag, "on_in", 100'001, 102'503),
  };
}

/// Returns the numbers in the row `total` of `rosia-trace summary`.
std::vector<std::uint64_t> totals_of(const std::string& text) {
  temporary_folder folder;
  std::ostringstream out;
  rosia_trace::summary_command({folder.write("trace", text)}, out);
  auto all = out.str();
  std::istringstream row{all.substr(all.find("\ntotal") + 6)};
  std::vector<std::uint64_t> result(4);
  for (auto& x : result)
    row >> x;
  return result;
}

} // namespace

TEST_CASE("plot: the page has each tag, its time, and the ports with values",
          "[trace]") {
  auto data = data_of(page_of(small().text()));
  REQUIRE(data["nodes"].Size() == 2);
  auto& a = data["nodes"][0];
  auto& b = data["nodes"][1];
  CHECK(a["name"].GetString() == std::string{"a"});
  CHECK(a["tag"][1].GetInt64() == 1000);
  CHECK(a["at"][1].GetInt64() == 5'000);
  CHECK(a["number"][1].GetInt64() == 1);
  CHECK(a["busy_before"][1].GetInt64() == 0);
  CHECK(a["busy"].GetInt64() == 84'000);
  CHECK(a["ports"][0]["output"].GetBool());
  REQUIRE(a["ports"][0]["points"].Size() == 1);
  CHECK(a["ports"][0]["points"][0].GetInt() == 1);
  CHECK(b["at"][1].GetInt64() == 100'000);
  CHECK(b["busy"].GetInt64() == 2'502);
  CHECK(b["ports"][0]["points"][0].GetInt() == 1);
  CHECK(data["kept"].GetInt() == 1);
}

TEST_CASE("plot: the page has the delays of logical connections", "[trace]") {
  trace x{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").input("late").str(),
    connection("a.out", "b.in", {5'000, 2}),
    connection("a.out", "b.late", origin, true),
  };
  auto data = data_of(page_of(x.text()));
  REQUIRE(data["connections"].Size() == 1);
  auto& only = data["connections"][0];
  CHECK(only["from"].GetString() == std::string{"a.out"});
  CHECK(only["to"].GetString() == std::string{"b.in"});
  CHECK(only["delay"][0].GetInt64() == 5'000);
  CHECK(only["delay"][1].GetInt64() == 2);
}

TEST_CASE("plot: the sums are those of the summary", "[trace]") {
  auto seed = GENERATE(range(1u, 20u));
  auto text = random_trace(seed).text();
  auto data = data_of(page_of(text));
  std::vector<std::uint64_t> sums(4);
  for (auto& node : data["nodes"].GetArray()) {
    sums[0] += node["tags"].GetUint64();
    sums[1] += node["reactions"].GetUint64();
    sums[2] += node["in"].GetUint64();
    sums[3] += node["out"].GetUint64();
  }
  CHECK(sums == totals_of(text));
}

TEST_CASE("plot: of very many tags some are omitted, the same in all nodes",
          "[trace]") {
  std::string text
    = application() + '\n' + node_line{"a"}.output("out").str() + '\n'
      + node_line{"b"}.input("in").str() + '\n' + connection("a.out", "b.in")
      + '\n';
  constexpr std::int64_t count = 150'000;
  for (std::int64_t i = 1; i <= count; ++i) {
    logical_time tag{i * 1000, 0};
    text += execute("a", tag, forever) + '\n'
            + send("a", tag, "out", "b.in", tag, 1) + '\n'
            + execute("b", tag, forever) + '\n'
            + input("b", tag, "in", "a.out", 1) + '\n';
  }
  auto data = data_of(page_of(text));
  auto& a = data["nodes"][0];
  auto& b = data["nodes"][1];
  CHECK(data["kept"].GetInt() == 2);
  CHECK(a["tags"].GetInt64() == count);
  CHECK(a["tag"].Size() > 50'000);
  CHECK(a["tag"].Size() < 100'000);
  CHECK(a["tag"].Size() == b["tag"].Size());
  CHECK(a["ports"][0]["points"].Size() == a["tag"].Size());
  CHECK(b["ports"][0]["points"].Size() == b["tag"].Size());
}

TEST_CASE("plot: the page is self-contained, with any names", "[trace]") {
  auto name = std::string{"</script><img src=x>/*ROSIA_PLOT_DATA*/"};
  auto text = application() + '\n' + node_line{name}.str() + '\n';
  auto page = page_of(text);
  CHECK_THAT(page, ContainsSubstring("default-src 'none'"));
  CHECK(page.find("http:") == std::string::npos);
  CHECK(page.find("https:") == std::string::npos);
  CHECK(page.find("src=x>") == page.rfind("src=x>"));
  CHECK_THAT(page, ContainsSubstring("\\u003c/script>"));
  CHECK(data_of(page)["nodes"][0]["name"].GetString() == name);
}

TEST_CASE("plot: a file that is not a trace is refused", "[trace]") {
  temporary_folder folder;
  std::ostringstream out;
  CHECK_THROWS_AS(
    rosia_trace::plot_command({folder.write("empty", ""), {}}, out),
    rosia_trace::unreadable_file);
  CHECK_THROWS_AS(
    rosia_trace::plot_command({folder.write("none", "{}\n"), {}}, out),
    rosia_trace::unreadable_file);
  CHECK_THROWS(rosia_trace::plot_command(
    {folder.write("trace", small().text()), folder.file("no/such.html")}, out));
}

} // namespace plot_test
