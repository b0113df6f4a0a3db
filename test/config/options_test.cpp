// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/options.hpp"

#include "base/closest_name.hpp"
#include "base/duration.hpp"
#include "config/config_support.hpp"
#include "time/parse_time.hpp"

#include <caf/all.hpp>

#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace options_test {

using std::chrono::nanoseconds;

namespace {

bool equal(const options& x, const options& y) {
  return x.realtime == y.realtime && x.lag_warn == y.lag_warn
         && x.stop_after == y.stop_after && x.timeout == y.timeout
         && x.diagram == y.diagram && x.trace == y.trace && x.report == y.report
         && x.record.file == y.record.file && x.record.ports == y.record.ports
         && x.replay == y.replay && x.max_in_flight == y.max_in_flight
         && x.network.max_message == y.network.max_message
         && x.grace_period == y.grace_period
         && x.negotiation_timeout == y.negotiation_timeout
         && x.end_timeout == y.end_timeout && x.signals == y.signals
         && x.sighup == y.sighup && x.log_level == y.log_level
         && x.drills == y.drills && x.groups == y.groups
         && x.verbose_end == y.verbose_end && x.watch.address == y.watch.address
         && x.watch.control == y.watch.control
         && x.watch.token_file == y.watch.token_file;
}

// An option, how it is written in both places, and its effect.
struct setting {
  std::string name;
  std::string on_cli;
  std::string in_file;
  std::function<void(options&)> effect;
};

std::vector<setting> all_settings() {
  return {
    {"realtime", "false", "false", [](options& x) { x.realtime = false; }},
    {"realtime", "true", "true", [](options& x) { x.realtime = true; }},
    {"lag_warn", "10ms", "10ms", [](options& x) { x.lag_warn = 10ms; }},
    {"lag_warn", "1.5ms", R"("1.5ms")",
     [](options& x) { x.lag_warn = 1500us; }},
    {"stop_after", "10s", "10s",
     [](options& x) {
       x.stop_after = logical_time{10'000'000'000, 0};
     }},
    {"stop_after", "0s", "0s",
     [](options& x) { x.stop_after = logical_time{}; }},
    {"stop_after", "1.5s+3", R"("1.5s+3")",
     [](options& x) {
       x.stop_after = logical_time{1'500'000'000, 3};
     }},
    {"timeout", "2min", "2min", [](options& x) { x.timeout = 2min; }},
    {"timeout", "0s", "0s", [](options& x) { x.timeout = 0s; }},
    {"diagram", "/tmp/a b.svg", R"("/tmp/a b.svg")",
     [](options& x) { x.diagram = "/tmp/a b.svg"; }},
    {"trace", "/tmp/a b.jsonl", R"("/tmp/a b.jsonl")",
     [](options& x) { x.trace = "/tmp/a b.jsonl"; }},
    {"report", "/tmp/a b.json", R"("/tmp/a b.json")",
     [](options& x) { x.report = "/tmp/a b.json"; }},
    {"trace", "true", R"("true")", [](options& x) { x.trace = "true"; }},
    {"checkpoint.file", "run.db", R"("run.db")",
     [](options& x) { x.checkpoint.file = "run.db"; }},
    {"checkpoint.every", "10s", "10s",
     [](options& x) { x.checkpoint.every = 10s; }},
    {"checkpoint.keep", "7", "7", [](options& x) { x.checkpoint.keep = 7; }},
    {"checkpoint.signal", "USR2", R"("USR2")",
     [](options& x) { x.checkpoint.signal = "USR2"; }},
    {"checkpoint.timeout", "1min", "60s",
     [](options& x) { x.checkpoint.timeout = 1min; }},
    {"checkpoint.backup", "copy.db", R"("copy.db")",
     [](options& x) { x.checkpoint.backup = "copy.db"; }},
    {"resume.file", "run.db", R"("run.db")",
     [](options& x) { x.resume.file = "run.db"; }},
    {"resume.at", "10s", "10s", [](options& x) { x.resume.at = 10s; }},
    {"record.file", "run.db", R"("run.db")",
     [](options& x) { x.record.file = "run.db"; }},
    {"record.ports", "a.b,c*.*", R"("a.b,c*.*")",
     [](options& x) { x.record.ports = "a.b,c*.*"; }},
    {"replay", "run.db", R"("run.db")",
     [](options& x) { x.replay = "run.db"; }},
    {"watch.address", "127.0.0.1:8080", R"("127.0.0.1:8080")",
     [](options& x) { x.watch.address = "127.0.0.1:8080"; }},
    {"watch.address", "[::1]:0", R"("[::1]:0")",
     [](options& x) { x.watch.address = "[::1]:0"; }},
    {"watch.control", "true", "true",
     [](options& x) { x.watch.control = true; }},
    {"watch.token_file", "/tmp/a b", R"("/tmp/a b")",
     [](options& x) { x.watch.token_file = "/tmp/a b"; }},
    {"verbose_end", "true", "true", [](options& x) { x.verbose_end = true; }},
    {"max_in_flight", "1", "1", [](options& x) { x.max_in_flight = 1; }},
    {"network.max_message", "65536", "65536",
     [](options& x) { x.network.max_message = 65'536; }},
    {"max_in_flight", "4096", "4096",
     [](options& x) { x.max_in_flight = 4096; }},
    {"grace_period", "250ms", "250ms",
     [](options& x) { x.grace_period = 250ms; }},
    {"negotiation_timeout", "1h", "1h",
     [](options& x) { x.negotiation_timeout = 1h; }},
    {"end_timeout", "30s", "30s", [](options& x) { x.end_timeout = 30s; }},
    {"signals", "handle", R"("handle")",
     [](options& x) { x.signals = signal_behavior::handle; }},
    {"signals", "ignore", "'ignore'",
     [](options& x) { x.signals = signal_behavior::ignore; }},
    {"signals", "none", R"("none")",
     [](options& x) { x.signals = signal_behavior::none; }},
    {"sighup", "true", "true", [](options& x) { x.sighup = true; }},
    {"log_level", "warning", R"("warning")",
     [](options& x) { x.log_level = "warning"; }},
    {"log_level", "off", "'off'", [](options& x) { x.log_level = "off"; }},
    {"drills", "allow", R"("allow")", [](options& x) { x.drills = "allow"; }},
    {"groups", "all", R"("all")", [](options& x) { x.groups = "all"; }},
  };
}

/// Returns the section of a config file with one option.
std::string section(const std::string& name, const std::string& value) {
  auto dot = name.find('.');
  if (dot == std::string::npos)
    return "[rosia]\n" + name + " = " + value + "\n";
  return "[rosia." + name.substr(0, dot) + "]\n" + name.substr(dot + 1) + " = "
         + value + "\n";
}

/// Returns the same with groups in braces.
std::string braces(const std::string& name, const std::string& value) {
  auto dot = name.find('.');
  if (dot == std::string::npos)
    return "rosia {\n  " + name + " = " + value + "\n}\n";
  return "rosia {\n  " + name.substr(0, dot) + " {\n    " + name.substr(dot + 1)
         + " = " + value + "\n  }\n}\n";
}

// A refused value: as written, as shown in the message, and the suggested form.
struct mistake {
  std::string name;
  std::string on_cli;
  std::string in_file;
  std::string shown;
  std::string expected;
};

constexpr auto positive_span_hint
  = R"(a time span of more than zero, such as 10ms or "1.5s")";
constexpr auto span_hint
  = R"(a time span of zero or more, such as 10ms or "1.5s")";
constexpr auto tag_hint
  = R"(a tag from 0s on, such as 10s, "1.5s" or "20ms+3")";
constexpr auto level_hint
  = "trace, debug, info, warning, error, critical or off";

std::vector<mistake> all_mistakes() {
  return {
    {"realtime", "maybe", R"("maybe")", R"("maybe")", "true or false"},
    {"realtime", "1", "1", "1", "true or false"},
    {"verbose_end", "yes", R"("yes")", R"("yes")", "true or false"},
    {"lag_warn", "-5ms", "-5ms", "-5ms", span_hint},
    {"lag_warn", "10", "10", "10", span_hint},
    {"lag_warn", "soon", R"("soon")", R"("soon")", span_hint},
    {"stop_after", "-1s", "-1s", "-1s", tag_hint},
    {"stop_after", "10s+x", R"("10s+x")", R"("10s+x")", tag_hint},
    {"stop_after", "forever", R"("forever")", R"("forever")", tag_hint},
    {"stop_after", "never", R"("never")", R"("never")", tag_hint},
    {"timeout", "-1ns", "-1ns", "-1ns", span_hint},
    {"timeout", "true", "true", "true", span_hint},
    {"max_in_flight", "0", "0", "0", "a number of messages, 1 or more"},
    {"network.max_message", "0", "0", "0", "a number of bytes, 1 or more"},
    {"max_in_flight", "-1", "-1", "-1", "a number of messages, 1 or more"},
    {"max_in_flight", "many", R"("many")", R"("many")",
     "a number of messages, 1 or more"},
    {"max_in_flight", "1.5", "1.5", "1.5", "a number of messages, 1 or more"},
    {"grace_period", "-1s", "-1s", "-1s", positive_span_hint},
    {"grace_period", "0s", "0s", "0s", positive_span_hint},
    {"negotiation_timeout", "-10s", "-10s", "-10s", positive_span_hint},
    {"negotiation_timeout", "0s", "0s", "0s", positive_span_hint},
    {"end_timeout", "0s", "0s", "0s", positive_span_hint},
    {"signals", "catch", R"("catch")", R"("catch")", "handle, ignore or none"},
    {"signals", "Handle", "true", "", "handle, ignore or none"},
    {"sighup", "yes", "3", "", "true or false"},
    {"drills", "maybe", R"("maybe")", R"("maybe")", "allow or refuse"},
    {"log_level", "loud", R"("loud")", R"("loud")", level_hint},
    {"log_level", "3", "3", "3", level_hint},
  };
}

} // namespace

// -- times as text ------------------------------------------------------------

TEST_CASE("a time span has a unit, and is never rounded", "[options]") {
  using detail::parse_timespan;
  CHECK(parse_timespan("0s") == 0ns);
  CHECK(parse_timespan("7ns") == 7ns);
  CHECK(parse_timespan("7us") == 7us);
  CHECK(parse_timespan("7ms") == 7ms);
  CHECK(parse_timespan("7s") == 7s);
  CHECK(parse_timespan("7min") == 7min);
  CHECK(parse_timespan("7h") == 7h);
  CHECK(parse_timespan("-7s") == -7s);
  CHECK(parse_timespan("1.5s") == 1500ms);
  CHECK(parse_timespan("-1.05s") == -1050ms);
  CHECK(parse_timespan("0.25h") == 15min);
  CHECK(parse_timespan("1.000000001s") == 1000000001ns);
  CHECK(parse_timespan("1.00ns") == 1ns);
  CHECK(parse_timespan("9223372036854775807ns") == nanoseconds::max());
  for (auto wrong :
       {"",
        "-",
        "s",
        "1",
        "1x",
        "1 s",
        " 1s",
        "1s ",
        "1.s",
        ".5s",
        "1.5",
        "1.5ns",
        "1.0000000001s",
        "--1s",
        "+1s",
        "1e3s",
        "1s1s",
        "9223372036854775808ns",
        "9223372037s",
        "9999999h",
        "99999999999999999999s",
        "9223372036.9s"}) {
    INFO(wrong);
    CHECK(parse_timespan(wrong) == std::nullopt);
  }
}

TEST_CASE("a tag is read as it is printed", "[options]") {
  using detail::parse_logical_time;
  auto tag = GENERATE(values<logical_time>(
    {{0, 0},
     {0, 1},
     {1, 0},
     {20'000'000, 3},
     {1'500'000'000, 4'294'967'295},
     {-2'500, 7},
     {9'223'372'036'854'775'806, 1},
     never,
     forever}));
  CHECK(parse_logical_time(to_string(tag)) == tag);
}

TEST_CASE("a tag with an invalid microstep is refused", "[options]") {
  using detail::parse_logical_time;
  for (auto wrong : {"", "1s+", "1s+-1", "1s++1", "+1", "1s+1s", "1s + 1",
                     "1s+4294967296", "Forever"}) {
    INFO(wrong);
    CHECK(parse_logical_time(wrong) == std::nullopt);
  }
}

// -- names --------------------------------------------------------------------

TEST_CASE("the closest name is a similar one", "[options]") {
  using detail::closest_name;
  strings names{"lag_warn", "log_level", "trace"};
  CHECK(closest_name("lag_wran", names) == "lag_warn");
  CHECK(closest_name("lag-warn", names) == "lag_warn");
  CHECK(closest_name("LogLevel", names) == "log_level");
  CHECK(closest_name("trac", names) == "trace");
  CHECK(closest_name("elephant", names) == "");
  CHECK(closest_name("", names) == "");
  CHECK(closest_name("trace", {}) == "");
}

// -- values -------------------------------------------------------------------

TEST_CASE("options have the documented defaults", "[options]") {
  options x;
  CHECK(x.realtime);
  CHECK(x.lag_warn == std::nullopt);
  CHECK(x.stop_after == std::nullopt);
  CHECK(x.timeout == std::nullopt);
  CHECK(x.trace.empty());
  CHECK(x.max_in_flight == 1024);
  CHECK(x.grace_period == 5s);
  CHECK(x.negotiation_timeout == 10s);
  CHECK(x.end_timeout == 1min);
  CHECK(x.signals == signal_behavior::handle);
  CHECK(x.log_level == "info");
  CHECK(x.drills == "refuse");
  CHECK_NOTHROW(validate(x));
}

TEST_CASE("options missing in a config keep their defaults", "[options]") {
  CHECK(equal(from_cli({}), options{}));
  CHECK(equal(from_file(""), options{}));
  CHECK(equal(options_from(caf::actor_system_config{}), options{}));
}

TEST_CASE("every option is read from the command line", "[options]") {
  auto x = GENERATE(from_range(all_settings()));
  options expected;
  x.effect(expected);
  INFO(x.name << " = " << x.on_cli);
  CHECK(equal(from_cli({"--rosia." + x.name + "=" + x.on_cli}), expected));
}

TEST_CASE("every option is read from the config file", "[options]") {
  auto x = GENERATE(from_range(all_settings()));
  options expected;
  x.effect(expected);
  INFO(x.name << " = " << x.in_file);
  CHECK(equal(from_file(in_syntax(section(x.name, x.in_file))), expected));
  CHECK(equal(from_file(braces(x.name, x.in_file)), expected));
}

TEST_CASE("every option is read from a config that does not declare it",
          "[options]") {
  auto x = GENERATE(from_range(all_settings()));
  options expected;
  x.effect(expected);
  INFO(x.name << " = " << x.in_file);
  caf::actor_system_config cfg;
  std::istringstream in{in_syntax(section(x.name, x.in_file))};
  REQUIRE(!cfg.parse(strings{}, in));
  CHECK(equal(options_from(cfg), expected));
}

TEST_CASE("CAF's own parse reads the options as well", "[options]") {
  auto x = GENERATE(from_range(all_settings()));
  options expected;
  x.effect(expected);
  INFO(x.name << " = " << x.in_file);
  config cfg;
  std::istringstream empty;
  REQUIRE(!cfg.parse({"--rosia." + x.name + "=" + x.on_cli}, empty));
  CHECK(equal(options_from(cfg), expected));
}

TEST_CASE("the command line takes precedence over the config file",
          "[options]") {
  config_file file{in_syntax("[rosia]\nmax_in_flight = 7\nlag_warn = 1ms\n")};
  auto x
    = from_cli({"--config-file=" + file.path(), "--rosia.max_in_flight=8"});
  CHECK(x.max_in_flight == 8);
  CHECK(x.lag_warn == 1ms);
}

TEST_CASE("a value set by the program is read", "[options]") {
  config cfg;
  cfg.set("rosia.max_in_flight", 3).set("rosia.trace", "x.jsonl");
  auto x = options_from(cfg);
  CHECK(x.max_in_flight == 3);
  CHECK(x.trace == "x.jsonl");
  cfg.set("rosia.checkpoint.file", std::string{"run.db"});
  cfg.set("rosia.checkpoint.every", "10s");
  x = options_from(cfg);
  CHECK(x.checkpoint.file == "run.db");
  CHECK(x.checkpoint.every == 10s);
  cfg.set("rosia.max_in_flight", 0);
  CHECK(error_of([&] { options_from(cfg); })
        == "rosia.max_in_flight: 0 is not a number of messages, 1 or more");
  config other;
  other.set("rosia.checkpoint_every", "10s");
  CHECK(error_of([&] { options_from(other); })
        == "rosia.checkpoint_every: there is no such option; it is called "
           "rosia.checkpoint.every now");
}

TEST_CASE("the command line overrides a value set by the program",
          "[options]") {
  config cfg;
  cfg.set("rosia.checkpoint.every", "10s");
  const char* arguments[] = {
    "program", "--rosia.checkpoint.every=3s", "--rosia.checkpoint.file=run.db"};
  cfg.read(3, arguments);
  auto x = options_from(cfg);
  CHECK(x.checkpoint.every == 3s);
  CHECK(x.checkpoint.file == "run.db");
}

TEST_CASE("parameters are set on the command line and in the config file",
          "[options]") {
  CHECK(from_cli({"--set=a.x=1", "--set", "b[*].y=c=d, e"}).set
        == strings{"a.x=1", "b[*].y=c=d, e"});
  auto both = strings{"filter.gain=2.5", "filter.on=true", "other.wait=10ms"};
  CHECK(
    from_file("rosia {\n  set {\n    filter {\n      gain = 2.5\n      on = "
              "true\n    }\n    other {\n      wait = 10ms\n    }\n  }\n}\n")
      .set
    == both);
  auto list = "[rosia]\nset = [\"w[*].gain=2\", \"a.x=1\"]\n";
  CHECK(from_file(in_syntax(list)).set == strings{"w[*].gain=2", "a.x=1"});
  CHECK(
    from_file(in_syntax("[rosia]\nset = \"a.x=1\"\n")).set == strings{"a.x=1"});
  // The command line has the last word.
  config_file file{in_syntax("[rosia]\nset = \"a.x=1\"\n")};
  CHECK(from_cli({"--config-file=" + file.path(), "--set=a.x=2"}).set
        == strings{"a.x=1", "a.x=2"});
  CHECK(from_cli({"--config-file=" + file.path(), "--set=help"}).set
        == strings{"help"});
}

TEST_CASE("values of parameters with another form are refused", "[options]") {
  for (auto value : {"x=1", "a.x", ".x=1", "a.=1"}) {
    CAPTURE(value);
    CHECK_THAT(cli_error({std::string{"--set="} + value}),
               ContainsSubstring("rosia.set: "));
  }
  CHECK_THAT(cli_error({"--set="}), ContainsSubstring("a value is missing"));
  CHECK_THAT(cli_error({"--set"}), ContainsSubstring("a value is missing"));
}

// -- wrong values -------------------------------------------------------------

TEST_CASE("a wrong value on the command line is refused by name", "[options]") {
  auto x = GENERATE(from_range(all_mistakes()));
  INFO(x.name << " = " << x.in_file);
  CHECK(cli_error({"--rosia." + x.name + "=" + x.on_cli})
        == "rosia." + x.name + ": \"" + x.on_cli + "\" is not " + x.expected);
}

TEST_CASE("a wrong value in the config file is refused with its line",
          "[options]") {
  auto x = GENERATE(from_range(all_mistakes()));
  INFO(x.name << " = " << x.in_file);
  auto error
    = file_error(in_syntax("; a comment\n" + section(x.name, x.in_file)));
  CHECK_THAT(
    error, ContainsSubstring("file:3: rosia." + x.name + ": " + x.shown));
  CHECK_THAT(error, ContainsSubstring(" is not " + x.expected));
}

TEST_CASE("a wrong value is refused without Rosia's config", "[options]") {
  auto x = GENERATE(from_range(all_mistakes()));
  INFO(x.name << " = " << x.in_file);
  caf::actor_system_config cfg;
  std::istringstream in{in_syntax(section(x.name, x.in_file))};
  REQUIRE(!cfg.parse(strings{}, in));
  auto error = error_of([&] { options_from(cfg); });
  CHECK_THAT(error, ContainsSubstring("rosia." + x.name + ": " + x.shown));
  CHECK_THAT(error, ContainsSubstring(" is not " + x.expected));
}

TEST_CASE("an unknown option is refused, and the closest one named",
          "[options]") {
  CHECK(cli_error({"--rosia.max-in-flight=5"})
        == "--rosia.max-in-flight=5: there is no such option; did you mean "
           "--rosia.max_in_flight? (--help lists them)");
  CHECK(cli_error({"--lag_warn=5ms"})
        == "--lag_warn=5ms: there is no such option; did you mean "
           "--rosia.lag_warn? (--help lists them)");
  CHECK(cli_error({"--elephant"})
        == "--elephant: there is no such option (--help lists them)");
  CHECK(cli_error({"-x"}) == "-x: there is no such option (--help lists them)");
  CHECK(file_error(in_syntax("[rosia]\nmax-in-flight = 5\n"))
        == "file:2: rosia.max-in-flight: there is no such option; did you mean "
           "rosia.max_in_flight?");
  CHECK(file_error("rosia {\n  elephant = 5\n}")
        == "file:2: rosia.elephant: there is no such option");
  CHECK(file_error(in_syntax("[rosia.trace]\nfile = \"x\"\n"))
        == std::string{"file:1: rosia.trace: "}
             + (test::caf_is_1 ? "{file = \"x\"}" : "{\"file\" = \"x\"}")
             + " is not the name of a file, as text");
  caf::actor_system_config cfg;
  std::istringstream in{in_syntax("[rosia]\ntrce = \"x\"\n")};
  REQUIRE(!cfg.parse(strings{}, in));
  CHECK(error_of([&] { options_from(cfg); })
        == "rosia.trce: there is no such option; did you mean rosia.trace?");
}

TEST_CASE("a name of an earlier version is refused, and the new one named",
          "[options]") {
  CHECK(
    cli_error({"--rosia.checkpoint_every=10s"})
    == "--rosia.checkpoint_every=10s: there is no such option; it is called "
       "--rosia.checkpoint.every now (--help lists them)");
  CHECK(cli_error({"--rosia.record=run.db"})
        == "--rosia.record=run.db: there is no such option; it is called "
           "--rosia.record.file now (--help lists them)");
  CHECK(file_error(in_syntax("[rosia]\nlisten = \"127.0.0.1:0\"\n"))
        == "file:2: rosia.listen: there is no such option; it is called "
           "rosia.network.listen now");
  CHECK(file_error(in_syntax("[rosia]\nwatch = \"127.0.0.1:0\"\n"))
        == "file:2: rosia.watch: there is no such option; it is called "
           "rosia.watch.address now");
  CHECK_THAT(file_error(in_syntax("[rosia.checkpoint]\nevry = 10s\n")),
             ContainsSubstring("did you mean rosia.checkpoint.every?"));
}

TEST_CASE("a group that is a value is refused", "[options]") {
  CHECK(
    file_error("rosia = 5\n") == "file:1: rosia: 5 is not a group of options");
  caf::actor_system_config cfg;
  caf::put(cfg.content, "rosia", 5);
  CHECK_THAT(error_of([&] { options_from(cfg); }),
             ContainsSubstring("rosia: 5 is not a group of options"));
}

TEST_CASE("a program may say when to stop as a duration, or as a tag",
          "[options]") {
  options x;
  CHECK_FALSE(x.stop_after.has_value());
  x.stop_after = 1s;
  CHECK(x.stop_after == logical_time{1'000'000'000, 0});
  x.stop_after = 1500us;
  CHECK(*x.stop_after == logical_time{1'500'000, 0});
  x.stop_after = 0s;
  CHECK(x.stop_after == logical_time{});
  x.stop_after = std::chrono::duration<double>{0.25};
  CHECK(x.stop_after == logical_time{250'000'000, 0});
  x.stop_after = logical_time{5, 3};
  CHECK(x.stop_after == logical_time{5, 3});
  x.stop_after = std::optional<logical_time>{logical_time{7, 0}};
  CHECK(x.stop_after != options{}.stop_after);
  x.stop_after = std::nullopt;
  CHECK(x.stop_after == options{}.stop_after);
  CHECK(x.stop_after == std::nullopt);
  CHECK(x.stop_after != logical_time{});
  CHECK(x.stop_after == std::optional<logical_time>{});
  x = {.stop_after = 2ms};
  CHECK(x.stop_after == logical_time{2'000'000, 0});
  x.stop_after = -1s;
  CHECK_THROWS_AS(validate(x), std::invalid_argument);
}

TEST_CASE("times out of range become the longest ones", "[options]") {
  options x;
  x.stop_after = std::chrono::years{600};
  CHECK(*x.stop_after == logical_time{forever.ns - 1, 0});
  x.timeout = std::chrono::hours::max();
  x.lag_warn = std::chrono::nanoseconds::max();
  x.grace_period = std::chrono::seconds::max();
  x.network.join_timeout = std::chrono::duration<double>{1e300};
  x.checkpoint.every = std::chrono::years{1000};
  CHECK(*x.timeout == nanoseconds::max());
  for (auto span : {nanoseconds{*x.lag_warn}, nanoseconds{x.grace_period},
                    nanoseconds{x.network.join_timeout}})
    CHECK(span == nanoseconds::max() / 4);
  CHECK(*x.checkpoint.every == nanoseconds::max());
  CHECK_NOTHROW(validate(x));
  x.stop_after = logical_time{forever.ns, 3};
  CHECK_THROWS_AS(validate(x), std::invalid_argument);
}

TEST_CASE("options of the live page are refused without its address",
          "[options]") {
  options x;
  x.watch.control = true;
  CHECK_THROWS_WITH(
    validate(x),
    "rosia.watch.control: it needs rosia.watch.address, the address of "
    "the live page");
  x.watch.control = false;
  x.watch.token_file = "token";
  CHECK_THROWS_WITH(
    validate(x),
    "rosia.watch.token_file: it needs rosia.watch.address, the address of "
    "the live page");
  x.watch.address = "127.0.0.1:0";
  CHECK_NOTHROW(validate(x));
}

TEST_CASE("options that a program fills in are validated", "[options]") {
  auto problem_of = [](auto effect) {
    options x;
    effect(x);
    return error_of([&] { validate(x); });
  };
  CHECK(problem_of([](options& x) { x.max_in_flight = 0; })
        == "rosia.max_in_flight: 0 is not a number of messages, 1 or more");
  CHECK_THAT(problem_of([](options& x) { x.lag_warn = -1500us; }),
             ContainsSubstring(R"(rosia.lag_warn: "-1.5ms" is not a time)"));
  CHECK_THAT(problem_of([](options& x) { x.timeout = -1s; }),
             ContainsSubstring("rosia.timeout: -1s is not"));
  CHECK_THAT(problem_of([](options& x) { x.grace_period = -1s; }),
             ContainsSubstring("rosia.grace_period: -1s is not"));
  CHECK_THAT(problem_of([](options& x) { x.negotiation_timeout = -1s; }),
             ContainsSubstring("rosia.negotiation_timeout: -1s is not"));
  CHECK_THAT(problem_of([](options& x) { x.stop_after = never; }),
             ContainsSubstring(R"(rosia.stop_after: "never" is not a tag)"));
  CHECK_THAT(problem_of([](options& x) { x.stop_after = forever; }),
             ContainsSubstring(R"(rosia.stop_after: "forever" is not a tag)"));
  CHECK_THAT(problem_of([](options& x) { x.log_level = ""; }),
             ContainsSubstring(R"(rosia.log_level: "" is not trace)"));
  CHECK_THAT(
    problem_of([](options& x) { x.signals = static_cast<signal_behavior>(7); }),
    ContainsSubstring(R"(rosia.signals: "7" is not handle)"));
}

// -- the command line ---------------------------------------------------------

TEST_CASE("options may stand before, between and behind other arguments",
          "[config]") {
  config cfg;
  read(cfg, {"--rosia.trace=t", "one", "--rosia.max_in_flight=2", "-", "",
             "--rosia.lag_warn=1ms"});
  auto x = options_from(cfg);
  CHECK(x.trace == "t");
  CHECK(x.max_in_flight == 2);
  CHECK(x.lag_warn == 1ms);
  CHECK(cfg.remainder == strings{"one", "-", ""});
}

TEST_CASE("arguments after -- are not options", "[config]") {
  config cfg;
  read(cfg, {"--rosia.trace=t", "--rosia.max_in_flight=2", "one", "--",
             "--rosia.trace=u", "--", "--help", "--config-file=/nonexistent"});
  CHECK(options_from(cfg).trace == "t");
  CHECK(cfg.remainder
        == strings{"one", "--rosia.trace=u", "--", "--help",
                   "--config-file=/nonexistent"});
}

TEST_CASE("a bare --rosia.realtime stands for true", "[config]") {
  config_file file{in_syntax("[rosia]\nrealtime = false\n")};
  auto name = "--config-file=" + file.path();
  CHECK_FALSE(from_cli({name}).realtime);
  CHECK(from_cli({name, "--rosia.realtime"}).realtime);
  CHECK_FALSE(from_cli({"--rosia.realtime=false"}).realtime);
}

TEST_CASE("the last of several values counts", "[config]") {
  CHECK(from_cli({"--rosia.trace=a", "--rosia.trace=b"}).trace == "b");
}

TEST_CASE("a missing value is refused with the right spelling", "[config]") {
  CHECK(cli_error({"--rosia.trace", "x"})
        == "--rosia.trace: a value is missing: --rosia.trace=<file>");
  CHECK(cli_error({"--rosia.trace="})
        == "--rosia.trace=: a value is missing: --rosia.trace=<file>");
  CHECK(cli_error({"--config-file"})
        == "--config-file: a value is missing: --config-file=<"
             + caf_type("string") + ">");
}

TEST_CASE("a program declares its own options", "[config]") {
  std::string output;
  int count = 0;
  bool fast = false;
  config cfg;
  cfg.add_options("global")
    .add<std::string>(output, "output,o", "a file")
    .add<int>(count, "count,c", "a number");
  cfg.add_options("demo").add<bool>(fast, "fast,f", "a flag");
  SECTION("long names") {
    read(cfg, {"--output=x", "--count=3", "--demo.fast"});
    CHECK(output == "x");
    CHECK(count == 3);
    CHECK(fast);
  }
  SECTION("short names, whose value may be a separate argument") {
    read(cfg, {"-o", "x", "in", "-c3", "-f"});
    CHECK(output == "x");
    CHECK(count == 3);
    CHECK(fast);
    CHECK(cfg.remainder == strings{"in"});
  }
  SECTION("from the config file") {
    config_file file{
      in_syntax("output = \"x\"\ncount = 3\n[demo]\nfast = true\n")};
    read(cfg, {"--config-file=" + file.path()});
    CHECK(output == "x");
    CHECK(count == 3);
    CHECK(fast);
  }
  SECTION("wrong values on the command line are refused") {
    auto problem_with
      = [&](const strings& args) { return error_of([&] { read(cfg, args); }); };
    CHECK(problem_with({"--count=x"})
          == "--count=x: \"x\" is not of type " + caf_type("int32"));
    CHECK(problem_with({"-cx"})
          == "-cx: \"x\" is not of type " + caf_type("int32"));
    CHECK(problem_with({"-c", "x"})
          == "-c: \"x\" is not of type " + caf_type("int32"));
    CHECK(problem_with({"-c"})
          == "-c: a value is missing: -c <" + caf_type("int32") + ">");
    CHECK(problem_with({"--demo.fast=true"})
          == "--demo.fast=true: this is a flag, which takes no value");
    CHECK(problem_with({"--demo.fast="})
          == "--demo.fast=: this is a flag, which takes no value");
    CHECK(problem_with({"-fo"}) == "-fo: this is a flag, which takes no value");
    CHECK_THAT(problem_with({"--ouptut=x"}),
               ContainsSubstring("did you mean --output?"));
    CHECK_THAT(
      problem_with({"--fast"}), ContainsSubstring("did you mean --demo.fast?"));
  }
  SECTION("wrong types in the config file are refused with their line") {
    auto problem_with = [&](const std::string& text) {
      config_file file{text};
      return error_of([&] { read(cfg, {"--config-file=" + file.path()}); });
    };
    // CAF 1 accepts anything as text.
    if (!test::caf_is_1)
      CHECK_THAT(problem_with("output = 5\n"),
                 ContainsSubstring(":1: output: 5 is not of type string"));
    CHECK_THAT(problem_with("count = \"x\"\n"),
               ContainsSubstring(
                 ":1: count: \"x\" is not of type " + caf_type("int32")));
    CHECK_THAT(problem_with(in_syntax("\n[demo]\nfast = 1\n")),
               ContainsSubstring(
                 ":3: demo.fast: 1 is not of type " + caf_type("boolean")));
  }
}

// -- the config file ----------------------------------------------------------

TEST_CASE("a named config file must exist", "[config]") {
  CHECK(cli_error({"--config-file=/nonexistent/x.ini"})
        == "/nonexistent/x.ini: cannot read the config file: No such file or "
           "directory");
  CHECK(cli_error({"--config-file=/"})
        == "/: cannot read the config file: it is a folder");
  CHECK(cli_error({"--config-file=/dev/zero"})
        == "/dev/zero: cannot read the config file: it is neither a regular "
           "file nor a pipe");
}

TEST_CASE("the default config file is read if it exists", "[config]") {
  config cfg;
  CHECK_NOTHROW(read(cfg, {}));
  config_file file{in_syntax("[rosia]\nmax_in_flight = 5\n")};
  config other;
  other.config_file_path = file.path();
  read(other, {});
  CHECK(options_from(other).max_in_flight == 5);
  config_file number{in_syntax("[rosia]\nprocesses = 2\n")};
  config fourth;
  fourth.config_file_path = number.path();
  read(fourth, {});
  CHECK(options_from(fourth).processes == "2");
  config_file broken{"[rosia\n"}; // invalid in every syntax
  config third;
  third.config_file_path = broken.path();
  CHECK_THROWS_AS(read(third, {}), std::invalid_argument);
}

// -- the scheduler ------------------------------------------------------------

TEST_CASE("the scheduler shares work and yields by default", "[config]") {
  using test::policy_of;
  auto policy_name = test::caf_option("scheduler.policy");
  auto throughput_name = test::caf_option("scheduler.max-throughput");
  auto throughput
    = [&](const config& cfg) { return caf::get_or(cfg, throughput_name, 0); };
  config cfg;
  CHECK(policy_of(cfg) == "sharing");
  CHECK(throughput(cfg) == 50);
  SECTION("on the command line") {
    read(cfg,
         {"--" + policy_name + "=stealing", "--" + throughput_name + "=7"});
    CHECK(policy_of(cfg) == "stealing");
    CHECK(throughput(cfg) == 7);
  }
  SECTION("in the config file") {
    config_file file{in_syntax(
      "[" + test::caf_option("scheduler") + "]\npolicy = 'stealing'\n")};
    read(cfg, {"--config-file=" + file.path()});
    CHECK(policy_of(cfg) == "stealing");
    CHECK(throughput(cfg) == 50);
  }
}

TEST_CASE("a scheduler without a worker is refused", "[config]") {
  auto threads = test::caf_option("scheduler.max-threads");
  auto throughput = test::caf_option("scheduler.max-throughput");
  auto policy = test::caf_option("scheduler.policy");
  CHECK(cli_error({"--" + threads + "=0"}) == threads + ": 0 is not 1 or more");
  CHECK(cli_error({"--" + throughput + "=0"})
        == throughput + ": 0 is not 1 or more");
  CHECK(cli_error({"--" + policy + "=shring"})
        == policy + ": shring is not sharing or stealing");
}

// -- output -------------------------------------------------------------------

TEST_CASE("the help text has Rosia's options and the program's own",
          "[config]") {
  config cfg;
  cfg.add_options("demo").add<std::string>("landmarks", "a file");
  auto text = cfg.help_text(false);
  for (auto line :
       {"--help", "--rosia.realtime=<true|false>",
        "--rosia.lag_warn=<timespan>", "--rosia.stop_after=<logical time>",
        "--rosia.timeout=<timespan>", "--rosia.trace=<file>",
        "--rosia.report=<file>", "--rosia.verbose_end=<true|false>",
        "--rosia.max_in_flight=<number>", "--rosia.grace_period=<timespan>",
        "--rosia.negotiation_timeout=<timespan>",
        "--rosia.end_timeout=<timespan>",
        "--rosia.signals=<handle|ignore|none>", "--rosia.sighup=<true|false>",
        "--rosia.log_level=<level>"})
    CHECK_THAT(text, ContainsSubstring(line));
  for (std::string option : {"--config-file", "--demo.landmarks"})
    CHECK_THAT(
      text, ContainsSubstring(option + "=<" + caf_type("string") + ">"));
  auto policy = "--" + test::caf_option("scheduler.policy");
  CHECK_THAT(text, !ContainsSubstring(policy));
  // The log's destination.
  for (auto all : {false, true}) {
    CHECK_THAT(cfg.help_text(all), !ContainsSubstring("STDERR"));
    CHECK_THAT(cfg.help_text(all),
               ContainsSubstring("print help text to stdout "
                                 "and exit"));
  }
  CHECK_THAT(cfg.help_text(true),
             ContainsSubstring(policy) && ContainsSubstring("--rosia.trace"));
}

TEST_CASE("the dump has every option that has a value, with its default",
          "[config]") {
  config cfg;
  cfg.set("rosia.max_in_flight", 3);
  auto dump = cfg.dump_content();
  CHECK(test::policy_of(dump) == "sharing");
  CHECK(caf::get_if(&dump, "rosia.lag_warn") == nullptr);
  for (auto name :
       {"realtime", "max_in_flight", "grace_period", "negotiation_timeout",
        "end_timeout", "signals", "log_level", "checkpoint.keep",
        "network.heartbeat"}) {
    INFO(name);
    CHECK(caf::get_if(&dump, std::string{"rosia."} + name) != nullptr);
  }
  config again;
  again.content = dump;
  options expected;
  expected.max_in_flight = 3;
  CHECK(equal(options_from(again), expected));
}

} // namespace options_test
