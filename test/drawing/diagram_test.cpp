// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/diagram.hpp"
#include "drawing/label.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include <sys/stat.h>

namespace diagram_test {

using namespace caf::rosia;
using namespace std::chrono_literals;
using caf::rosia::detail::label_of;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::temporary_folder;

namespace {

using enum graph_description::trigger_kind;
using enum graph_description::reaction_kind;

/// A name that is problematic in every format.
const std::string hostile = "a\"b<c>&lt;\\N\\n\n#35;`$$%%{fa:fa-x}\xc3\xa9\xff";

graph_description::node node_called(std::string name) {
  return {std::move(name),          {}, {}, {{"in", "int"}}, {{"out", "int"}},
          {{"on_in", {{input, 0}}}}};
}

/// Returns nodes in a row, each connected to the next.
graph_description chain(std::uint32_t length) {
  graph_description result;
  for (std::uint32_t i = 0; i < length; ++i)
    result.nodes.push_back(node_called("node" + std::to_string(i)));
  for (std::uint32_t i = 1; i < length; ++i)
    result.connections.push_back({i - 1, 0, i, 0});
  return result;
}

std::string content_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

/// Sets a PATH without programs while this object exists.
class empty_search_path {
public:
  empty_search_path() : before_(std::getenv("PATH")) {
    ::setenv("PATH", folder_.path().c_str(), 1);
  }

  ~empty_search_path() {
    ::setenv("PATH", before_.c_str(), 1);
  }

private:
  temporary_folder folder_;
  std::string before_;
};

/// Returns the line that contains a text.
std::string line_with(const std::string& text, const std::string& part) {
  auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  auto begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

} // namespace

// -- labels -------------------------------------------------------------------

TEST_CASE("a label is the name as one line of UTF-8", "[diagram]") {
  CHECK(label_of("count") == "count");
  CHECK(label_of("gr\xc3\xb6\xc3\x9f\x65 \xe2\x86\x92 \xf0\x9f\x98\x80")
        == "gr\xc3\xb6\xc3\x9f\x65 \xe2\x86\x92 \xf0\x9f\x98\x80");
  CHECK(label_of("a\nb\tc\rd\x1b[0m\x7f") == "a\\nb\\tc\\rd\\x1b[0m\\x7f");
  CHECK(label_of(std::string{"a\0b", 3}) == "a\\x00b");
  CHECK(label_of("") == " ");
}

TEST_CASE("a label contains nothing that changes the text around it",
          "[diagram]") {
  CHECK(label_of("\xe2\x80\xae"
                 "abc")
        == "\\u202eabc");
  CHECK(label_of("\xe2\x80\xa8") == "\\u2028");
  CHECK(label_of("\xc2\x85") == "\\x85");
  CHECK(label_of("\xef\xbf\xbe") == "\\ufffe");
}

TEST_CASE("bytes of invalid UTF-8 are replaced one by one", "[diagram]") {
  const std::string bad = "\xef\xbf\xbd";
  CHECK(label_of("a\xff"
                 "b")
        == "a" + bad + "b");
  CHECK(label_of("\xc3") == bad);
  CHECK(label_of("\xc3(") == bad + "(");
  // Overlong, half of a surrogate pair, beyond Unicode, truncated.
  CHECK(label_of("\xc0\x80") == bad + bad);
  CHECK(label_of("\xe0\x80\x80") == bad + bad + bad);
  CHECK(label_of("\xed\xa0\x80") == bad + bad + bad);
  CHECK(label_of("\xf4\x90\x80\x80") == bad + bad + bad + bad);
  CHECK(label_of("\xf0\x9f\x98") == bad + bad + bad);
}

TEST_CASE("a label that is too long is truncated", "[diagram]") {
  CHECK(label_of("abcd", 4) == "abcd");
  CHECK(label_of("abcde", 4) == "abcd\xe2\x80\xa6");
  CHECK(
    label_of("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
  CHECK(label_of(std::string(100'000, 'x')).size() == 63);
}

// -- formats ------------------------------------------------------------------

TEST_CASE("the extension of a file's name selects the format", "[diagram]") {
  using enum diagram_format;
  CHECK(diagram_format_of("x.svg") == svg);
  CHECK(diagram_format_of("a.b/x.dot") == dot);
  CHECK(diagram_format_of("x.gv") == dot);
  CHECK(diagram_format_of("x.mmd") == mermaid);
  CHECK(diagram_format_of("x.mermaid") == mermaid);
  for (auto file :
       {"", "x", "svg", "x.png", "x.svg.gz", "x.SVG", "/dev/stdout"})
    CHECK(diagram_format_of(file) == std::nullopt);
}

TEST_CASE("DOT: nodes have their ports, and their reactions in order",
          "[diagram]") {
  graph_description x;
  auto& node = x.nodes.emplace_back(node_called("count"));
  node.inputs.push_back({"reset", "bool", true});
  node.reactions = {
    {"first", {{input, 1}, {input, 0}}},
    {"hurry", {{input, 0}}, eager},
    {"begin", {}, startup},
    {"again", {{action, 1}, {input, 0}, {action, 0}}},
    {.name = "soon",
     .triggers = {{input, 0}},
     .kind = eager,
     .deadline = 20'000'000},
    {.name = "later", .triggers = {{input, 0}}, .deadline_state = "limit"}};
  node.reactions.push_back({"guard", {{action, 2}}});
  node.actions
    = {{"retry", "int"}, {"<tick>"}, {.name = "dog", .timeout = 500'000'000}};
  auto text = to_dot(x);
  CHECK_THAT(text, ContainsSubstring("<B>count</B>"));
  CHECK_THAT(text, ContainsSubstring("PORT=\"i0\" ALIGN=\"LEFT\">in</TD>"));
  CHECK_THAT(
    line_with(text, "PORT=\"i1\""),
    ContainsSubstring("reset <FONT") && ContainsSubstring(">from outside<"));
  CHECK_THAT(text, ContainsSubstring("PORT=\"o0\" ALIGN=\"RIGHT\">out</TD>"));
  CHECK_THAT(line_with(text, ">1 first<"),
             ContainsSubstring(">physical action reset, in<"));
  CHECK_THAT(line_with(text, ">2 hurry<"), ContainsSubstring(">eager, in<"));
  CHECK_THAT(line_with(text, ">3 begin<"), ContainsSubstring(">at the start<"));
  CHECK_THAT(line_with(text, ">4 again<"),
             ContainsSubstring(">action &lt;tick&gt;, in, action retry<"));
  CHECK_THAT(line_with(text, ">5 soon<"),
             ContainsSubstring(">eager, deadline 20ms, in<"));
  CHECK_THAT(
    line_with(text, ">6 later<"), ContainsSubstring(">deadline limit, in<"));
  CHECK_THAT(
    line_with(text, ">7 guard<"), ContainsSubstring(">watchdog dog (500ms)<"));
}

TEST_CASE("10.7.7 diagrams frame the reactions of each mode", "[diagram]") {
  graph_description x;
  auto& node = x.nodes.emplace_back(node_called("pump"));
  node.actions
    = {{.name = "normal", .is_mode = true},
       {.name = "retry", .type = "int"},
       {.name = "<failed>", .is_mode = true}};
  node.reactions
    = {{.name = "of_failed", .triggers = {{input, 0}}, .mode = 2},
       {.name = "of_normal", .triggers = {{action, 2}}, .mode = 0},
       {.name = "of_none", .triggers = {{input, 0}}}};
  auto dot = to_dot(x);
  auto position = [&](std::string_view text) {
    auto result = dot.find(text);
    CHECK(result != std::string::npos);
    return result;
  };
  CHECK(position(">3 of_none<") < position(">mode normal<"));
  CHECK(position(">mode normal<") < position(">2 of_normal<"));
  CHECK(position(">2 of_normal<") < position(">mode &lt;failed&gt;<"));
  CHECK(position(">mode &lt;failed&gt;<") < position(">1 of_failed<"));
  CHECK_THAT(dot, ContainsSubstring("STYLE=\"ROUNDED,DASHED\""));
  CHECK_THAT(
    to_mermaid(x),
    ContainsSubstring(
      "3. of_none by in<br/>mode normal<br/>"
      "2. of_normal by mode #60;failed#62;<br/>"
      "mode #60;failed#62;<br/>1. of_failed by in"));
  CHECK_THAT(to_dot(chain(2)), !ContainsSubstring("DASHED"));
}

TEST_CASE("10.1.1 diagrams show the ports that a reaction declares",
          "[diagram]") {
  graph_description x;
  auto& node = x.nodes.emplace_back(node_called("plant"));
  node.inputs.push_back({"<i>", "int"});
  node.outputs.push_back({"rate", "int"});
  node.reactions = {
    {.name = "all",
     .triggers = {{input, 0}},
     .declares = true,
     .reads = {0, 1},
     .writes = {0},
     .writes_later = {1}},
    {.name = "none", .triggers = {{input, 0}}, .declares = true},
    {.name = "any", .triggers = {{input, 0}}}};
  auto dot = to_dot(x);
  CHECK_THAT(
    line_with(dot, ">1 all<"),
    ContainsSubstring(">reads in, &lt;i&gt;; writes out; later writes rate<"));
  CHECK_THAT(line_with(dot, ">2 none<"), ContainsSubstring(">writes nothing<"));
  CHECK_THAT(line_with(dot, ">3 any<"), !ContainsSubstring("writes"));
  auto mermaid = to_mermaid(x);
  CHECK_THAT(mermaid, ContainsSubstring("2. none by in#59; writes nothing"));
  CHECK_THAT(mermaid, ContainsSubstring("writes out#59; later writes rate"));
}

TEST_CASE("each kind of connection has a distinct style", "[diagram]") {
  auto x = chain(6);
  x.connections[1].distance = 10ms;
  x.connections[2].physical = true;
  x.connections[3].in_loop = true;
  x.connections[4].in_loop = true;
  x.connections[4].distance = microsteps(1);
  auto dot = to_dot(x);
  auto plain = line_with(dot, "n0:o0:e -> n1:i0:w");
  CHECK_THAT(
    plain, ContainsSubstring("class=plain") && !ContainsSubstring("label"));
  CHECK_THAT(plain, ContainsSubstring("\"node0.out to node1.in: int\""));
  CHECK_THAT(
    line_with(dot, "n1:o0:e -> n2:i0:w"),
    ContainsSubstring("class=delayed") && ContainsSubstring("\"after 10ms\""));
  CHECK_THAT(
    line_with(dot, "n2:o0:e -> n3:i0:w"),
    ContainsSubstring("class=physical") && ContainsSubstring("dashed"));
  CHECK_THAT(line_with(dot, "n3:o0:e -> n4:i0:w"),
             ContainsSubstring("class=loop") && !ContainsSubstring("label"));
  CHECK_THAT(line_with(dot, "n4:o0:e -> n5:i0:w"),
             ContainsSubstring("class=loop")
               && ContainsSubstring("\"after 1 microstep\""));
  auto mermaid = to_mermaid(x);
  CHECK_THAT(mermaid, ContainsSubstring("  n0 -->|\"out to in\"| n1\n"));
  CHECK_THAT(
    mermaid, ContainsSubstring("  n1 -->|\"out to in<br/>after 10ms\"| n2\n"));
  CHECK_THAT(
    mermaid, ContainsSubstring("  n2 -.->|\"out to in<br/>physical\"| n3\n"));
  CHECK_THAT(mermaid, ContainsSubstring("  n3 ==>|\"out to in\"| n4\n"));
  CHECK_THAT(mermaid, ContainsSubstring("linkStyle 1 stroke"));
  CHECK_THAT(mermaid, ContainsSubstring("linkStyle 2 stroke"));
  CHECK_THAT(mermaid, ContainsSubstring("linkStyle 3,4 stroke"));
}

TEST_CASE("processes are frames, and groups are frames in them", "[diagram]") {
  auto x = chain(5);
  for (auto i : {0u, 2u, 3u})
    x.nodes[i].process = "left";
  for (auto i : {1u, 4u})
    x.nodes[i].process = "right";
  x.nodes[0].group = x.nodes[3].group = 7;
  // A group of one node.
  x.nodes[1].group = 8;
  CHECK(
    to_mermaid(x).substr(0, to_mermaid(x).find("  n0 -->"))
    == "%% Drawn by libcaf_rosia.\n"
       "flowchart LR\n"
       "  subgraph p0[\"process left\"]\n"
       "  subgraph g0[\"executed as one\"]\n"
       "  n0[\"node0<br/>1. on_in by in\"]\n"
       "  n3[\"node3<br/>1. on_in by in\"]\n"
       "  end\n"
       "  n2[\"node2<br/>1. on_in by in\"]\n"
       "  end\n"
       "  subgraph p1[\"process right\"]\n"
       "  n1[\"node1<br/>1. on_in by in\"]\n"
       "  n4[\"node4<br/>1. on_in by in\"]\n"
       "  end\n");
  auto dot = to_dot(x);
  auto process = dot.find("cluster_process_0");
  auto group = dot.find("cluster_group_0");
  auto other = dot.find("cluster_process_1");
  CHECK(process < group);
  CHECK(group < dot.find("  n3 ["));
  CHECK(dot.find("  n3 [") < dot.find("  n2 ["));
  CHECK(dot.find("  n2 [") < other);
  CHECK(other < dot.find("  n1 ["));
  CHECK(dot.find("cluster_group_1") == std::string::npos);
}

TEST_CASE("10.9.3 composites are frames, and in the frames of processes",
          "[diagram]") {
  auto x = chain(5);
  x.nodes[0].name = "robot.leg[0].control";
  x.nodes[1].name = "robot.leg[0].drive";
  x.nodes[3].name = "robot.head";
  for (auto i : {0u, 1u, 2u, 3u})
    x.nodes[i].process = "left";
  x.nodes[4].name = "robot.leg[1].drive";
  x.nodes[4].process = "right";
  CHECK(
    to_mermaid(x).substr(0, to_mermaid(x).find("  n0 -->"))
    == "%% Drawn by libcaf_rosia.\n"
       "flowchart LR\n"
       "  subgraph p0[\"process left\"]\n"
       "  subgraph c0[\"robot\"]\n"
       "  subgraph c1[\"leg#91;0#93;\"]\n"
       "  n0[\"control<br/>1. on_in by in\"]\n"
       "  n1[\"drive<br/>1. on_in by in\"]\n"
       "  end\n"
       "  n3[\"head<br/>1. on_in by in\"]\n"
       "  end\n"
       "  n2[\"node2<br/>1. on_in by in\"]\n"
       "  end\n"
       "  subgraph p1[\"process right\"]\n"
       "  subgraph c2[\"robot\"]\n"
       "  subgraph c3[\"leg#91;1#93;\"]\n"
       "  n4[\"drive<br/>1. on_in by in\"]\n"
       "  end\n"
       "  end\n"
       "  end\n");
  auto dot = to_dot(x);
  CHECK(dot.find("tooltip=\"composite robot.leg[0]\"") < dot.find("  n0 ["));
  CHECK(dot.find("  n1 [") < dot.find("  n3 ["));
  CHECK(dot.find("tooltip=\"node robot.leg[0].control\"") != std::string::npos);
  CHECK(dot.find("<B>control</B>") != std::string::npos);
}

TEST_CASE("a graph without processes has no frame", "[diagram]") {
  CHECK(to_dot(chain(2)).find("cluster") == std::string::npos);
  CHECK(to_mermaid(chain(2)).find("subgraph") == std::string::npos);
}

TEST_CASE("an empty graph also has a diagram", "[diagram]") {
  CHECK_THAT(to_dot({}), StartsWith("// Drawn by libcaf_rosia."));
  CHECK(to_mermaid({}) == "%% Drawn by libcaf_rosia.\nflowchart LR\n");
}

// -- hostile names ------------------------------------------------------------

TEST_CASE("DOT: no name ends a label or a quoted text", "[diagram]") {
  graph_description x;
  x.nodes = {node_called(hostile)};
  x.nodes[0].process = hostile;
  auto text = to_dot(x);
  CHECK_THAT(
    text, ContainsSubstring("<B>a&quot;b&lt;c&gt;&amp;lt;\\\\N\\\\n\\\\n#35;"
                            "`$$%%{fa:fa-x}\xc3\xa9\xef\xbf\xbd</B>"));
  CHECK_THAT(
    text,
    ContainsSubstring("tooltip=\"node a\\\"b<c>&amp;lt;\\\\N\\\\n\\\\n#35;"));
}

TEST_CASE("Mermaid: special characters are written as their codes",
          "[diagram]") {
  graph_description x;
  x.nodes = {{hostile}};
  CHECK_THAT(
    to_mermaid(x),
    ContainsSubstring(
      "  "
      "n0[\"a#34;b#60;c#62;#38;lt#59;#92;#8203;N#92;#8203;n#92;#8203;n#35;35#"
      "59;#96;"
      "#36;#36;#37;#37;#123;fa#58;#8203;fa-x#125;\xc3\xa9\xef\xbf\xbd\"]\n"));
}

TEST_CASE("SVG: all names may be empty", "[diagram]") {
  graph_description x;
  x.nodes = {{"", "", {}, {{""}}, {{""}}, {{"", {{input, 0}}}, {""}}}};
  x.connections = {{0, 0, 0, 0}};
  CHECK_THAT(to_svg(x), ContainsSubstring("</svg>"));
  CHECK_THAT(to_mermaid(x), ContainsSubstring("n0[\" <br/>1.  "));
}

TEST_CASE("SVG: a name is shown as it is", "[diagram]") {
  graph_description x;
  x.nodes = {node_called(hostile), node_called("plain")};
  x.nodes[0].inputs[0].name = "<b>\\N</b>";
  x.nodes[0].process = "-->";
  x.connections = {{0, 0, 1, 0}};
  auto text = to_svg(x);
  CHECK_THAT(text, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<!-- Drawn by libcaf_rosia. -->\n<svg "));
  CHECK_THAT(
    text, ContainsSubstring("a&quot;b&lt;c&gt;&amp;lt;\\N\\n\\n#35;"
                            "`$$%%{fa:fa&#45;x}\xc3\xa9\xef\xbf\xbd</text>"));
  CHECK_THAT(text, ContainsSubstring("&lt;b&gt;\\N&lt;/b&gt;</text>"));
  CHECK_THAT(text, ContainsSubstring("prefers-color-scheme: dark"));
}

// -- size ---------------------------------------------------------------------

TEST_CASE("the text of a large graph grows with the graph", "[diagram]") {
  auto small = to_dot(chain(1000)).size();
  CHECK(to_dot(chain(10'000)).size() < 12 * small);
  CHECK(to_mermaid(chain(10'000)).size() < 12 * to_mermaid(chain(1000)).size());
}

TEST_CASE("Graphviz draws a few hundred nodes", "[diagram]") {
  auto text = to_svg(chain(200));
  CHECK_THAT(text, ContainsSubstring(">node0</text>")
                     && ContainsSubstring(">node199</text>"));
}

// -- files --------------------------------------------------------------------

TEST_CASE("a file has the format of its name, and is replaced", "[diagram]") {
  temporary_folder folder;
  for (auto name : {"x.dot", "x.gv", "x.mmd", "x.mermaid"}) {
    auto file = folder.file(name);
    write_diagram(file, chain(1));
    write_diagram(file, chain(2));
    CHECK(content_of(file)
          == (diagram_format_of(file) == diagram_format::dot
                ? to_dot(chain(2))
                : to_mermaid(chain(2))));
  }
  CHECK(folder.files() == 4);
}

TEST_CASE("a picture is also replaced", "[diagram]") {
  temporary_folder folder;
  auto file = folder.file("x.svg");
  write_diagram(file, chain(1));
  write_diagram(file, chain(2));
  CHECK(content_of(file) == to_svg(chain(2)));
}

TEST_CASE("a file that is not a diagram is not replaced", "[diagram]") {
  temporary_folder folder;
  auto file = folder.write("notes.dot", "digraph mine {}\n");
  CHECK_THROWS_WITH(
    write_diagram(file, chain(1)),
    ContainsSubstring("notes.dot': there is a file of that name "
                      "that is no diagram"));
  CHECK(content_of(file) == "digraph mine {}\n");
}

TEST_CASE("a link to a diagram remains", "[diagram]") {
  temporary_folder folder;
  auto file = folder.file("x.dot");
  std::filesystem::create_symlink("target", file);
  write_diagram(file, chain(1));
  write_diagram(file, chain(2));
  CHECK(std::filesystem::is_symlink(file));
  CHECK(content_of(folder.file("target")) == to_dot(chain(2)));
  CHECK(folder.files() == 2);
}

TEST_CASE("only a file is replaced by a diagram", "[diagram]") {
  temporary_folder folder;
  auto pipe = folder.file("pipe.dot");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(
    write_diagram(pipe, chain(1)),
    "cannot replace '" + pipe + "', which is no regular file: File exists");
  auto sub = folder.file("sub.dot");
  std::filesystem::create_directory(sub);
  CHECK_THROWS_WITH(
    write_diagram(sub, chain(1)), "cannot write '" + sub + "': Is a directory");
  CHECK(folder.files() == 2);
}

TEST_CASE("a file that cannot be written is named", "[diagram]") {
  temporary_folder folder;
  auto file = folder.file("nowhere/x.dot");
  CHECK_THROWS_AS(write_diagram(file, {}), std::system_error);
  CHECK_THROWS_WITH(
    write_diagram(file, {}),
    ContainsSubstring("cannot write '" + file)
      && ContainsSubstring("No such file or directory"));
}

TEST_CASE("a name without a format is refused", "[diagram]") {
  CHECK_THROWS_AS(write_diagram("x.png", {}), std::invalid_argument);
  CHECK_THROWS_WITH(
    write_diagram("x.png", {}),
    ContainsSubstring("'x.png'") && ContainsSubstring(".svg, .dot, .gv, .mmd"));
}

TEST_CASE("without Graphviz the message suggests a solution", "[diagram]") {
  temporary_folder folder;
  empty_search_path nothing;
  CHECK_THROWS_WITH(
    write_diagram(folder.file("x.svg"), chain(1)),
    ContainsSubstring("'dot' of Graphviz")
      && ContainsSubstring("apt-get install graphviz")
      && ContainsSubstring(".mmd"));
  CHECK(folder.files() == 0);
  // The other formats do not need it.
  write_diagram(folder.file("x.dot"), chain(1));
  write_diagram(folder.file("x.mmd"), chain(1));
}

TEST_CASE("the error of Graphviz is quoted", "[diagram]") {
  temporary_folder folder;
  auto program
    = folder.write("dot", "#!/bin/sh\necho 'out of ink' >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  std::string before = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ':' + before).c_str(), 1);
  CHECK_THROWS_WITH(to_svg(chain(1)), ContainsSubstring("out of ink"));
  ::setenv("PATH", before.c_str(), 1);
}

} // namespace diagram_test
