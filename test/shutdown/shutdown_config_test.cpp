// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A shutdown's options and phases on the command line and in the config file.

#include "config_syntax.hpp"
#include "shutdown_support.hpp"
#include "support.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace shutdown_config_test {

using rosia::shutdown_options_from;

namespace {

/// The config of a program that uses only the shutdown.
struct plain_config : caf::actor_system_config {
  plain_config() {
    rosia::add_shutdown_options(custom_options_, {"stores"});
  }
};

/// Returns options with phases of the program.
shutdown_options with_stores() {
  shutdown_options result;
  result.phases["stores"].after = {"actors"};
  result.phases["final"].after = {"stores"};
  return result;
}

shutdown_options read(const strings& arguments, const std::string& file = {}) {
  plain_config cfg;
  std::istringstream in{test::in_syntax(file)};
  REQUIRE(!cfg.parse(arguments, in));
  return shutdown_options_from(cfg, with_stores());
}

std::string error_in(const std::string& file) {
  return error_of<std::invalid_argument>([&] { read({}, file); });
}

std::string error_on_cli(const std::string& argument) {
  return error_of<std::invalid_argument>([&] { read({argument}); });
}

} // namespace

// -- valid options ------------------------------------------------------------

TEST_CASE("a shutdown's options are read from the command line", "[shutdown]") {
  auto x = read(
    {"--rosia.shutdown.deadline=1min", "--rosia.shutdown.grace_period=1.5s",
     "--rosia.shutdown.on_signal_timeout=2s",
     "--rosia.shutdown.backup_timeout=3s", "--rosia.shutdown.signals=none",
     "--rosia.shutdown.sighup=true", "--rosia.shutdown.log_level=error",
     "--rosia.shutdown.phases.actors.timeout=10s",
     "--rosia.shutdown.phases.stores.recover=false",
     "--rosia.shutdown.phases.stores.together=true",
     "--rosia.shutdown.phases.final.one_by_one=true"});
  CHECK(x.deadline == 1min);
  CHECK(x.grace_period == 1500ms);
  CHECK(x.on_signal_timeout == 2s);
  CHECK(x.backup_timeout == 3s);
  CHECK(x.signals == rosia::signal_behavior::none);
  CHECK(x.sighup);
  CHECK(x.log_level == "error");
  CHECK(x.phases.at("actors").timeout == 10s);
  CHECK(x.phases.at("actors").after == strings{"threads"});
  CHECK_FALSE(x.phases.at("stores").recover);
  CHECK(x.phases.at("stores").together);
  CHECK(x.phases.at("final").one_by_one);
  CHECK(x.phases.at("final").after == strings{"stores"});
}

TEST_CASE("a shutdown's options are read from the config file, declared or not",
          "[shutdown]") {
  auto declared = GENERATE(true, false);
  auto text = GENERATE(
    std::string{
      "[rosia.shutdown]\ndeadline=1min\nsighup=true\n"
      "log_level=\"error\"\nsignals='none'\n"
      "phases {\nactors { timeout=10s }\n"
      "more { after=[\"final\"] }\n}\n"},
    std::string{
      "rosia { shutdown { deadline = 1min, sighup = true, "
      "log_level = \"error\", signals = 'none', phases { "
      "actors { timeout = 10s }, more { after = [\"final\"] } } } "
      "}\n"});
  caf::actor_system_config undeclared;
  plain_config own;
  auto& cfg
    = declared ? static_cast<caf::actor_system_config&>(own) : undeclared;
  std::istringstream in{test::in_syntax(text)};
  REQUIRE(!cfg.parse(strings{}, in));
  auto x = shutdown_options_from(cfg, with_stores());
  CHECK(x.deadline == 1min);
  CHECK(x.sighup);
  CHECK(x.log_level == "error");
  CHECK(x.signals == rosia::signal_behavior::none);
  CHECK(x.phases.at("actors").timeout == 10s);
  CHECK(x.phases.at("actors").after == strings{"threads"});
  CHECK(x.phases.at("more").after == strings{"final"});
  CHECK(x.grace_period == 5s);
}

TEST_CASE("options of a shutdown that a config does not set are unchanged",
          "[shutdown]") {
  caf::actor_system_config cfg;
  auto defaults = with_stores();
  defaults.deadline = 7s;
  defaults.backup = [] {};
  auto x = shutdown_options_from(cfg, defaults);
  CHECK(x.deadline == 7s);
  CHECK(x.backup);
  CHECK(x.phases.size() == 4);
}

TEST_CASE(
  "the command line also takes precedence over the config file for a shutdown",
  "[shutdown]") {
  auto x = read({"--rosia.shutdown.phases.actors.timeout=2s"},
                "[rosia.shutdown.phases.actors]\ntimeout=1s\nrecover=false\n");
  CHECK(x.phases.at("actors").timeout == 2s);
  CHECK_FALSE(x.phases.at("actors").recover);
}

TEST_CASE("shutdown: it has the phases of its options, in any order",
          "[shutdown]") {
  notebook notes;
  test_system sys;
  auto opts = quiet();
  opts.phases["a"].after = {"b"};
  opts.phases["b"].after = {"final"};
  opts.phases["threads"].timeout = 30s;
  rosia::shutdown x{sys, opts};
  for (std::string name : {"a", "b", "final"})
    x.on(name, name, [&notes, name](auto&) { notes.add(name); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"final", "b", "a"});
}

TEST_CASE("shutdown: its standard phases exist even without options for them",
          "[shutdown]") {
  notebook notes;
  test_system sys;
  auto opts = quiet();
  opts.phases.clear();
  rosia::shutdown x{sys, opts};
  for (std::string name : {"final", "actors", "threads"})
    x.on(name, name, [&notes, name](auto&) { notes.add(name); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"threads", "actors", "final"});
}

TEST_CASE("shutdown: a timeout of the config ends a phase", "[shutdown]") {
  std::atomic<bool> let_go = false;
  plain_config cfg;
  std::istringstream in;
  REQUIRE(
    !cfg.parse(strings{"--rosia.shutdown.phases.threads.timeout=10ms"}, in));
  test_system sys;
  rosia::shutdown x{sys, shutdown_options_from(cfg, quiet())};
  x.on("final", "let go", [&](auto&) { let_go = true; });
  x.spawn_thread("late", [&](std::stop_token) {
    eventually([&] { return let_go.load(); });
  });
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
}

// -- invalid options ----------------------------------------------------------

TEST_CASE("a shutdown without options reads them from the config",
          "[shutdown]") {
  plain_config cfg;
  std::istringstream in;
  REQUIRE(!cfg.parse({"--rosia.shutdown.phases.stores.timeout=1s"}, in));
  caf::actor_system sys{cfg};
  CHECK_THAT(error_of<std::invalid_argument>([&] { rosia::shutdown{sys}; }),
             ContainsSubstring("rosia.shutdown.phases.stores"));
  rosia::shutdown with_own_options{sys, quiet()};
  with_own_options.begin();
  CHECK(with_own_options.wait_for_shutdown() == 0);
}

TEST_CASE("a mistake in a shutdown's options is refused by name",
          "[shutdown]") {
  struct mistake {
    std::string file;
    std::string message;
  };
  auto x = GENERATE(values<mistake>({
    {"rosia=1\n", ""},
    {"[rosia]\nshutdown=1\n", "rosia.shutdown: 1 is not a group of options"},
    {"[rosia.shutdown]\ndeadlin=1s\n",
     "rosia.shutdown.deadlin: there is no such option; did you mean "
     "rosia.shutdown.deadline?"},
    {"[rosia.shutdown]\ndeadline=1\n",
     "rosia.shutdown.deadline: 1 is not a time span of zero or more, such as "
     "10ms or \"1.5s\""},
    {"[rosia.shutdown]\ndeadline=-1s\n",
     "rosia.shutdown.deadline: -1s is not a time span of zero or more, such "
     "as 10ms or \"1.5s\""},
    {"[rosia.shutdown]\nsighup=\"yes\"\n",
     "rosia.shutdown.sighup: \"yes\" is not true or false"},
    {"[rosia.shutdown]\nlog_level=\"loud\"\n",
     "rosia.shutdown.log_level: \"loud\" is not trace, debug, info, warning, "
     "error, critical or off"},
    {"[rosia.shutdown]\nsignals=\"some\"\n",
     "rosia.shutdown.signals: \"some\" is not handle, ignore or none"},
    {"[rosia.shutdown]\nphases=3\n",
     "rosia.shutdown.phases: 3 is not a group of options"},
    {"[rosia.shutdown.phases]\nactors=3s\n",
     "rosia.shutdown.phases.actors: 3s is not a group of options"},
    {"[rosia.shutdown.phases.actros]\ntimeout=3s\n",
     "rosia.shutdown.phases.actros: there is no such phase; one that is added "
     "needs an entry after; did you mean rosia.shutdown.phases.actors?"},
    {"[rosia.shutdown.phases.actors]\ntimeot=3s\n",
     "rosia.shutdown.phases.actors.timeot: there is no such option; did you "
     "mean rosia.shutdown.phases.actors.timeout?"},
    {"[rosia.shutdown.phases.actors]\ntimeout=true\n",
     "rosia.shutdown.phases.actors.timeout: true is not a time span of zero "
     "or more, such as 10ms or \"1.5s\""},
    {"[rosia.shutdown.phases.actors]\nafter=\"threads\"\n",
     "rosia.shutdown.phases.actors.after: \"threads\" is not a list of phases, "
     "such as [\"threads\", \"actors\"]"},
    {"[rosia.shutdown.phases.actors]\nafter=[\"lsat\"]\n",
     "rosia.shutdown.phases.actors.after: there is no phase \"lsat\"; there "
     "is 'actors', 'final', 'stores' and 'threads'"},
    {"[rosia.shutdown.phases.threads]\nafter=[\"final\"]\n",
     "rosia.shutdown.phases: the phases follow each other in a circle: threads "
     "after "
     "final after stores after actors after threads"},
  }));
  INFO(x.file);
  if (x.message.empty())
    CHECK(error_in(x.file) == "no exception"); // the group of other options
  else
    CHECK(error_in(x.file) == x.message);
}

TEST_CASE("a wrong value for a shutdown on the command line is refused by name",
          "[shutdown]") {
  CHECK(error_on_cli("--rosia.shutdown.deadline=soon")
        == "rosia.shutdown.deadline: \"soon\" is not a time span of zero or "
           "more, such as 10ms or \"1.5s\"");
  CHECK(error_on_cli("--rosia.shutdown.phases.stores.recover=maybe")
        == "rosia.shutdown.phases.stores.recover: \"maybe\" is not true or "
           "false");
}

TEST_CASE("shutdown: inconsistent phases in its options are refused",
          "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.phases["threads"].after = {"final"};
  CHECK(error_of<std::invalid_argument>([&] {
          rosia::shutdown{sys, opts};
        })
        == "the phases follow each other in a circle: threads after final "
           "after actors "
           "after threads");
  opts.phases["threads"].after = {"fianl"};
  CHECK(error_of<std::invalid_argument>([&] {
          rosia::shutdown{sys, opts};
        })
        == "there is no phase 'fianl'; did you mean 'final'?");
  opts.phases["threads"] = {.timeout = -1s};
  CHECK(error_of<std::invalid_argument>([&] {
          rosia::shutdown{sys, opts};
        })
        == "phase 'threads' has a negative timeout");
}

// -- with Rosia's config ------------------------------------------------------

namespace {

/// Reads a command line, and a config file if a text is given.
std::string error_of_reading(rosia::config& cfg, const std::string& argument,
                             const std::string& text = {}) {
  auto name = std::filesystem::temp_directory_path()
              / ("rosia_shutdown_config_" + std::to_string(::getpid()));
  std::ofstream{name} << test::in_syntax(text);
  auto file = "--config-file=" + name.string();
  std::vector<const char*> arguments{"program", file.c_str()};
  if (!argument.empty())
    arguments.push_back(argument.c_str());
  auto result = error_of<std::invalid_argument>([&] {
    cfg.read(static_cast<int>(arguments.size()), arguments.data());
  });
  std::filesystem::remove(name);
  return result;
}

} // namespace

TEST_CASE("Rosia's config declares a shutdown's options on request",
          "[shutdown]") {
  rosia::config cfg;
  cfg.add_shutdown_options({"stores"});
  CHECK_THAT(
    cfg.help_text(false),
    ContainsSubstring("--rosia.shutdown.deadline=<timespan>")
      && ContainsSubstring("--rosia.shutdown.phases.stores.timeout="
                           "<timespan>"));
  CHECK(error_of_reading(cfg, "--rosia.shutdown.phases.stores.timeout=3s",
                         "[rosia]\nrealtime=false\n[rosia.shutdown]\n"
                         "deadline=4s\nphases { more { after=[\"final\"] } }\n")
        == "no exception");
  auto x = shutdown_options_from(cfg, with_stores());
  CHECK(x.phases.at("stores").timeout == 3s);
  CHECK(x.deadline == 4s);
  CHECK(x.phases.contains("more"));
  CHECK_FALSE(rosia::options_from(cfg).realtime);
}

TEST_CASE("Rosia's config refuses mistakes in a shutdown's options",
          "[shutdown]") {
  rosia::config cfg;
  cfg.add_shutdown_options();
  CHECK_THAT(error_of_reading(cfg, "--rosia.shutdown.deadline=soon"),
             ContainsSubstring("rosia.shutdown.deadline: \"soon\" is not"));
  rosia::config other;
  other.add_shutdown_options();
  CHECK_THAT(
    error_of_reading(other, "", "[rosia.shutdown]\ndeadlin=4s\n"),
    ContainsSubstring(
      ":2: rosia.shutdown.deadlin: there is no such option; did you "
      "mean rosia.shutdown.deadline?"));
  rosia::config phases;
  phases.add_shutdown_options();
  CHECK(
    error_of_reading(phases, "", "[rosia.shutdown.phases.actors]\ntimeot=4s\n")
    == "rosia.shutdown.phases.actors.timeot: there is no such option; did "
       "you mean rosia.shutdown.phases.actors.timeout?");
  rosia::config lost;
  lost.add_shutdown_options();
  auto said = error_of_reading(
    lost, "",
    "[rosia.shutdown]\ndeadline=4s\n"
    "[rosia.shutdown.phases.actors]\ntimeout=4s\n");
  if (test::caf_is_1) {
    CHECK(said == "no exception");
    CHECK(shutdown_options_from(lost, {}).deadline == 4s);
    CHECK(shutdown_options_from(lost, {}).phases.at("actors").timeout == 4s);
  } else {
    CHECK_THAT(
      said,
      ContainsSubstring(
        ":2: rosia.shutdown.deadline: CAF "
        "forgets it, because of a later "
        "section"));
  }
  rosia::config none;
  CHECK_THAT(error_of_reading(none, "", "[rosia.shutdown]\ndeadline=4s\n"),
             ContainsSubstring("rosia.shutdown: there is no such option"));
}

} // namespace shutdown_config_test
