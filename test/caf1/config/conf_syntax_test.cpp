// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The syntax of config files in CAF 1.

#include "config/config_support.hpp"

#include <caf/all.hpp>

namespace conf_syntax_test {

TEST_CASE("a config file that cannot be parsed is refused with line and reason",
          "[config]") {
  auto newline = "the line ends in the middle of a name, a value or a group";
  auto eof = "the file ends in the middle of a name, a value or a group";
  CHECK_THAT(file_error("rosia {\n  max_in_flight =\n}\n"),
             ContainsSubstring("file:2: ") && ContainsSubstring(newline));
  CHECK_THAT(file_error("rosia {\n  trace = \"x\n}\n"),
             ContainsSubstring("file:2: ") && ContainsSubstring(newline));
  CHECK_THAT(file_error("rosia {\n  max_in_flight ="),
             ContainsSubstring("file:2: ") && ContainsSubstring(eof));
  CHECK_THAT(
    file_error("rosia {\n  max_in_flight = 5\n"), ContainsSubstring(eof));
  CHECK_THAT(file_error("x = [1,\n 2,\n"), ContainsSubstring(eof));
  CHECK_THAT(file_error("rosia {\n  lag_warn = 1ms\n  trace = x.jsonl\n}\n"),
             ContainsSubstring("file:3: unexpected 'x'")
               && ContainsSubstring("text needs quotes"));
  CHECK(file_error("rosia {\n  lag_warn = 1.5ms\n}\n")
        == "file:2: a time span has no fraction: write 1500ms");
  CHECK_THAT(file_error("max_in_flight 5\n"),
             ContainsSubstring("file:1: unexpected '5'"));
  CHECK_THAT(
    file_error("x = 1\n; no comment\n"),
    ContainsSubstring("file:2: unexpected ';' (comments begin with #)"));
  CHECK_THAT(file_error("[rosia]\ntrace = \"x\"\n"),
             ContainsSubstring("file:1: unexpected '[' (a section is written "
                               "name { ... })"));
  CHECK(file_error({"x = 1\n\0y = 2\n", 13}) == "file:2: a zero byte");
}

TEST_CASE("lines may end as on Windows", "[config]") {
  CHECK(
    from_file("rosia {\r\n  max_in_flight = 5\r\n}\r\n").max_in_flight == 5);
}

TEST_CASE("a section is written in braces, or with dots", "[config]") {
  CHECK(from_file("rosia { max_in_flight = 5 }\n").max_in_flight == 5);
  CHECK(from_file("rosia.max_in_flight = 5\n").max_in_flight == 5);
  CHECK(from_file("{ rosia { max_in_flight = 5 } }\n").max_in_flight == 5);
  CHECK(
    from_file("rosia {\n  max_in_flight = 5, lag_warn = 1ms\n}\n").max_in_flight
    == 5);
}

TEST_CASE("a name that is set twice is refused with both lines", "[config]") {
  CHECK(file_error("rosia {\n  trace = \"a\"\n  trace = \"b\"\n}\n")
        == "file:3: rosia.trace: line 2 sets this already");
  CHECK(file_error("a {\n  x = [1]\n}\nb { x = 1 }\na.x = [2]\n")
        == "file:5: a.x: line 2 sets this already");
  CHECK(file_error("trace = 1\nx = 1\nx { y = 1 }\n")
        == "file:3: x: line 2 sets this already");
  CHECK(file_error("x { y = 1 }\nx = 1\n")
        == "file:2: x: line 1 sets this already");
}

TEST_CASE("a value of a wrong type for one of CAF's options is refused",
          "[config]") {
  CHECK(file_error("caf {\n  scheduler { max-threads = \"four\" }\n}\n")
        == "file:2: caf.scheduler.max-threads: \"four\" is not of type "
           "uint64_t");
  CHECK(file_error("caf.scheduler {\n  max-threads = -1\n}\n")
        == "file:2: caf.scheduler.max-threads: -1 is not of type uint64_t");
}

TEST_CASE("a time span out of range is refused", "[config]") {
  CHECK(file_error("rosia {\n  timeout = 9999999h\n}\n")
        == "file:2: rosia.timeout: 9999999h is too long");
  CHECK(file_error("rosia {\n  timeout = 99999999999s # long\n}\n")
        == "file:2: rosia.timeout: 99999999999s is too long");
  CHECK(from_file("rosia { timeout = +2000000h }\n").timeout == 2000000h);
}

TEST_CASE("undeclared names can be read, with a warning", "[config]") {
  const std::string text
    = "alpha = 1\n"
      "beta = [{ a = 1, b = [1ms] }, { a = 2 }] # comment\n"
      "gamma { delta { epsilon = \"x\" } }\n"
      "zeta.eta {\n"
      "  theta = 'iota'\n"
      "}\n"
      "caf.scheduler {\n"
      "  max-threads = 3\n"
      "}\n";
  config cfg;
  {
    captured_cerr warnings;
    config_file file{text};
    read(cfg, {"--config-file=" + file.path()});
  }
  CHECK(caf::get_or(cfg, "alpha", 0) == 1);
  CHECK(caf::get_or(cfg, "gamma.delta.epsilon", "") == "x");
  CHECK(caf::get_or(cfg, "zeta.eta.theta", "") == "iota");
  CHECK(caf::get_or(cfg, "caf.scheduler.max-threads", 0) == 3);
  auto warnings = file_warning(text);
  CHECK_THAT(
    warnings, Catch::Matchers::StartsWith(
                "file:1: warning: this program declared no option alpha\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":2: warning: this program declared no "
                                "option beta\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":3: warning: this program declared no "
                                "section gamma { }\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":4: warning: this program declared no "
                                "section zeta { }\n"));
  CHECK_THAT(warnings, !ContainsSubstring("scheduler"));
}

TEST_CASE("a misspelt section is refused, and the closest one named",
          "[config]") {
  CHECK_THAT(file_error("Rosia { realtime = false }\n"),
             ContainsSubstring("did you mean rosia { }?"));
  CHECK_THAT(file_error("cav { scheduler { max-threads = 2 } }\n"),
             ContainsSubstring("did you mean caf { }?"));
}

TEST_CASE(
  "a misspelt option of a known section is refused, and the closest one "
  "named",
  "[config]") {
  CHECK(file_error("caf.scheduler {\n  max_threads = 2\n}\n")
        == "file:2: caf.scheduler.max_threads: there is no such option; did "
           "you mean caf.scheduler.max-threads?");
  CHECK(file_error("caf.middleman { worker = 2 }\n")
        == "file:1: caf.middleman.worker: there is no such option; did you "
           "mean caf.middleman.workers?");
  // The section is missing.
  CHECK(file_error("realtime = false\n")
        == "file:1: realtime: there is no such option; did you mean "
           "rosia.realtime?");
  CHECK_THAT(file_error("confg-file = \"x\"\n"),
             ContainsSubstring("did you mean config-file?"));
}

TEST_CASE("sections and options that a program declares are known",
          "[config]") {
  auto error_in = [](const std::string& text) {
    captured_cerr warnings;
    config_file file{text};
    config cfg;
    cfg.add_options("robot").add<int>("rate", "in Hz");
    cfg.add_options("robot.arm").add<int>("length", "in mm");
    cfg.add_options("global").add<int>("count", "how many");
    auto result = without_folder(
      file, error_of([&] { read(cfg, {"--config-file=" + file.path()}); }));
    return result + warnings.text();
  };
  CHECK(error_in("count = 3\nrobot { rate = 5, arm { length = 1 } }\n")
        == "no error");
  CHECK(error_in("robot.rate = 5\nrobot.arm.length = 1\n") == "no error");
  CHECK_THAT(error_in("robto { rate = 5 }\n"),
             ContainsSubstring("did you mean robot { }?"));
  CHECK_THAT(
    error_in("robot {\n  rat = 5\n}\n"),
    ContainsSubstring("file:2: robot.rat: there is no such option; did "
                      "you mean robot.rate?"));
  CHECK_THAT(error_in("robot.arm { colour = 5 }\n"),
             Catch::Matchers::EndsWith("colour: there is no such option"));
  CHECK_THAT(error_in("coutn = 3\n"), ContainsSubstring("did you mean count?"));
}

TEST_CASE(
  "a config file that is nested deeply is refused with its line, however "
  "deep",
  "[config]") {
  check_nesting(
    {.section = "a { }\n",
     .before_path = "",
     .behind_path = " = 1\n",
     .most_lists = 100});
}

TEST_CASE("a config file may lack the last line break", "[config]") {
  CHECK(from_file("rosia.max_in_flight = 5").max_in_flight == 5);
  CHECK(from_file("rosia { max_in_flight = 5 } # five").max_in_flight == 5);
  CHECK(from_file("# nothing").max_in_flight == 1024);
}

TEST_CASE("any config file is read, or refused with its line", "[config]") {
  check_any_files({"#", "x {", "y.x {"});
}

} // namespace conf_syntax_test
