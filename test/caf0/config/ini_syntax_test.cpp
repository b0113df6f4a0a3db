// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The syntax of config files in CAF 0.17.

#include "config/config_support.hpp"

#include <caf/all.hpp>

namespace ini_syntax_test {

TEST_CASE("a config file that cannot be parsed is refused with line and reason",
          "[config]") {
  auto newline = "the line ends in the middle of a name, a value or a group";
  auto eof = "the file ends in the middle of a name, a value or a group";
  CHECK_THAT(file_error("[rosia]\nmax_in_flight =\n"),
             ContainsSubstring("file:2: ") && ContainsSubstring(newline));
  CHECK_THAT(file_error("\n[rosia\n"),
             ContainsSubstring("file:2: ") && ContainsSubstring(newline));
  CHECK_THAT(file_error("[rosia]\ntrace = \"x\n"),
             ContainsSubstring("file:2: ") && ContainsSubstring(newline));
  // CAF accepts a file if only its end is missing.
  CHECK_THAT(file_error("[rosia]\nmax_in_flight ="),
             ContainsSubstring("file:2: ") && ContainsSubstring(eof));
  CHECK_THAT(file_error("[rosia"),
             ContainsSubstring("file:1: ") && ContainsSubstring(eof));
  CHECK_THAT(
    file_error("rosia {\n  max_in_flight = 5\n"), ContainsSubstring(eof));
  CHECK_THAT(file_error("x = [1,\n 2,\n"), ContainsSubstring(eof));
  CHECK_THAT(file_error("[rosia]\nlag_warn = 1ms\ntrace = x.jsonl\n"),
             ContainsSubstring("file:3: unexpected 'x'")
               && ContainsSubstring("text needs quotes"));
  CHECK(file_error("[rosia]\nlag_warn = 1.5ms\n")
        == "file:2: a time span has no fraction: write 1500ms");
  CHECK_THAT(file_error("max_in_flight 5\n"),
             ContainsSubstring("file:1: unexpected '5'"));
  CHECK_THAT(
    file_error("x = 1\n# no comment\n"),
    ContainsSubstring("file:2: unexpected '#' (comments begin with ;"));
  CHECK_THAT(file_error("x = 1\r\ny = 2\r\n"),
             ContainsSubstring("file:1: the line ends as on Windows"));
  CHECK(file_error({"x = 1\n\0y = 2\n", 13}) == "file:2: a zero byte");
}

TEST_CASE("a config file with a byte order mark is refused with this reason",
          "[config]") {
  std::string advice = ": save it as UTF-8 without a byte order mark";
  for (std::string text :
       {"[rosia]\ntrace = \"x\"\n", "[rosia]\r\ntrace = \"x\"\r\n", ""})
    CHECK(file_error("\xef\xbb\xbf" + text)
          == "file:1: the file begins with a byte order mark (BOM)" + advice);
  CHECK(file_error({"\xff\xfe[\0r\0", 6})
        == "file:1: the file is in UTF-16" + advice);
  CHECK(file_error({"\xfe\xff\0[\0r", 6})
        == "file:1: the file is in UTF-16" + advice);
}

TEST_CASE("a name that is set twice is refused with both lines", "[config]") {
  CHECK(file_error("[rosia]\ntrace = \"a\"\ntrace = \"b\"\n")
        == "file:3: rosia.trace: line 2 sets this already");
  CHECK(file_error("[a]\nx = [1]\n[b]\nx = 1\n[a]\nx = [2]\n")
        == "file:6: a.x: line 2 sets this already");
  CHECK(file_error("trace = 1\nx = 1\n[x]\ny = 1\n")
        == "file:3: x: line 2 sets this already");
  CHECK(file_error("x { y = 1 }\nx = 1\n")
        == "file:2: x: line 1 sets this already");
  CHECK(file_error("[rosia]\nlag_warn = 1ms\n[rosia]\ntrace = \"b\"\n")
        == "no error");
}

TEST_CASE("a value of a wrong type for one of CAF's options is refused",
          "[config]") {
  CHECK(file_error("[scheduler]\nmax-threads = \"four\"\n")
        == "file:2: scheduler.max-threads: \"four\" is not of type uint64");
  CHECK(file_error("scheduler {\n  max-threads = -1\n}\n")
        == "file:2: scheduler.max-threads: -1 is not of type uint64");
  CHECK(file_error("[scheduler]\npolicy = \"sharing\"\n")
        == "file:2: scheduler.policy: \"sharing\" is not of type atom");
  CHECK(file_error("[middleman]\nheartbeat-interval = 5\n")
        == "file:2: middleman.heartbeat-interval: 5 is not of type timespan");
}

TEST_CASE("a time span out of range is refused", "[config]") {
  CHECK(file_error("[rosia]\ntimeout = 9999999h\n")
        == "file:2: rosia.timeout: 9999999h is too long");
  CHECK(file_error("[rosia]\ntimeout = 99999999999s ; long\n")
        == "file:2: rosia.timeout: 99999999999s is too long");
  CHECK(from_file("[rosia]\ntimeout = +2000000h\n").timeout == 2000000h);
  CHECK_THAT(cli_error({"--rosia.timeout=9999999h"}),
             ContainsSubstring("\"9999999h\" is not a time span"));
}

TEST_CASE("undeclared names can be read, with a warning", "[config]") {
  const std::string text
    = "alpha = 1\n"
      "beta = [{ a = 1, b = [1ms] }, { a = 2 }] ; comment\n"
      "gamma { delta { epsilon = \"x\" } }\n"
      "[zeta.eta]\n"
      "theta = 'iota'\n"
      "[scheduler]\n"
      "max-threads = 3\n";
  config cfg;
  {
    captured_cerr warnings;
    config_file file{text};
    read(cfg, {"--config-file=" + file.path()});
  }
  CHECK(caf::get_or(cfg, "alpha", 0) == 1);
  CHECK(caf::get_or(cfg, "gamma.delta.epsilon", "") == "x");
  CHECK(caf::holds_alternative<caf::atom_value>(cfg.content, "zeta.eta.theta"));
  CHECK(caf::get_or(cfg, "scheduler.max-threads", 0) == 3);
  auto warnings = file_warning(text);
  CHECK_THAT(
    warnings, Catch::Matchers::StartsWith(
                "file:1: warning: this program declared no option alpha\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":2: warning: this program declared no "
                                "option beta\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":3: warning: this program declared no "
                                "section [gamma]\n"));
  CHECK_THAT(
    warnings, ContainsSubstring(":4: warning: this program declared no "
                                "section [zeta]\n"));
  CHECK_THAT(warnings, !ContainsSubstring("scheduler"));
}

TEST_CASE("a misspelt section is refused, and the closest one named",
          "[config]") {
  CHECK(file_error("\n[sheduler]\nmax-threads = 2\n")
        == "file:2: there is no section [sheduler]; did you mean "
           "[scheduler]?");
  CHECK(file_error("midleman { workers = 1 }\n")
        == "file:1: there is no section [midleman]; did you mean "
           "[middleman]?");
  CHECK_THAT(file_error("[Rosia]\nrealtime = false\n"),
             ContainsSubstring("did you mean [rosia]?"));
}

TEST_CASE(
  "a misspelt option of a known section is refused, and the closest one "
  "named",
  "[config]") {
  CHECK(file_error("[scheduler]\nmax_threads = 2\n")
        == "file:2: scheduler.max_threads: there is no such option; did you "
           "mean scheduler.max-threads?");
  CHECK(file_error("scheduler { threads { most = 2 } }\n")
        == "file:1: scheduler.threads: there is no such option");
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
  CHECK(error_in("count = 3\n[robot]\nrate = 5\n[robot.arm]\nlength = 1\n")
        == "no error");
  CHECK(error_in("robot { rate = 5, arm { length = 1 } }\n") == "no error");
  CHECK_THAT(error_in("[robto]\nrate = 5\n"),
             ContainsSubstring("file:1: there is no section [robto]; did you "
                               "mean [robot]?"));
  CHECK_THAT(
    error_in("[robot]\nrat = 5\n"),
    ContainsSubstring("file:2: robot.rat: there is no such option; did "
                      "you mean robot.rate?"));
  CHECK_THAT(error_in("[robot.arm]\ncolour = 5\n"),
             Catch::Matchers::EndsWith("colour: there is no such option"));
  CHECK_THAT(error_in("coutn = 3\n"), ContainsSubstring("did you mean count?"));
}

TEST_CASE("a config file may contain everything from CAF's dump", "[config]") {
  config cfg;
  captured_cerr warnings;
  auto known = cfg.dump_content();
  for (auto& [group, values] : known) {
    REQUIRE(caf::holds_alternative<caf::settings>(values));
    for (auto& [name, value] : caf::get<caf::settings>(values)) {
      INFO(group << '.' << name);
      if (caf::holds_alternative<caf::settings>(value))
        continue;
      auto error = file_error(
        '[' + group + "]\n" + name + " = " + caf::to_string(value) + '\n');
      CHECK_THAT(error, !ContainsSubstring("there is no"));
    }
  }
  CHECK(warnings.text().empty());
}

TEST_CASE(
  "a config file that is nested deeply is refused with its line, however "
  "deep",
  "[config]") {
  // The group around the first names of the file counts.
  check_nesting(
    {.section = "[a]\n",
     .before_path = "[",
     .behind_path = "]\n",
     .most_lists = 99});
}

TEST_CASE("a config file may lack the last line break", "[config]") {
  CHECK(from_file("[rosia]\nmax_in_flight = 5").max_in_flight == 5);
  CHECK(from_file("[rosia]\nmax_in_flight = 5 ; five").max_in_flight == 5);
  CHECK(from_file("; nothing").max_in_flight == 1024);
}

TEST_CASE("any config file is read, or refused with its line", "[config]") {
  check_any_files({";", "[x]", "[y.x]"});
}

} // namespace ini_syntax_test
