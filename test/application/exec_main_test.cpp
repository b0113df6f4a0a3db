// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/exec_main.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/timer.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "config_syntax.hpp"
#include "exception_without_text.hpp"
#include "observing.hpp"
#include "temporary_folder.hpp"

#include <caf/all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace exec_main_test {

using namespace caf::rosia;
using Catch::Matchers::ContainsSubstring;
using strings = std::vector<std::string>;

namespace {

// Captures one of the standard streams.
class capture {
public:
  explicit capture(std::ostream& stream)
    : stream_(stream), old_(stream.rdbuf(text_.rdbuf())) {
    // nop
  }

  ~capture() {
    stream_.rdbuf(old_);
  }

  capture(const capture&) = delete;

  capture& operator=(const capture&) = delete;

  std::string text() const {
    return text_.str();
  }

private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* old_;
};

struct outcome {
  int status = 0;
  std::string out;
  std::string err;
};

// Files in the current folder must not affect a test.
void ignore_folder(config& cfg) {
  cfg.config_file_path = "/nonexistent/rosia.ini";
}

template <class Config = config, class Run, class Configure>
outcome execute(const strings& arguments, Run&& run, Configure&& configure) {
  std::vector<const char*> argv{"/usr/bin/demo"};
  for (auto& x : arguments)
    argv.push_back(x.c_str());
  outcome result;
  capture out{std::cout};
  capture err{std::cerr};
  result.status = exec_main<Config>(
    static_cast<int>(argv.size()), argv.data(), std::forward<Run>(run),
    std::forward<Configure>(configure));
  result.out = out.text();
  result.err = err.text();
  return result;
}

template <class Run>
outcome execute(const strings& arguments, Run&& run) {
  return execute(arguments, std::forward<Run>(run), ignore_folder);
}

int return_seven(caf::actor_system&) {
  return 7;
}

int must_not_run(caf::actor_system&) {
  FAIL_CHECK("the program ran");
  return 99;
}

struct demo_config : config {
  demo_config() {
    ignore_folder(*this);
    add_options("global").add<int>(count, "count,c", "how often");
  }

  int count = 1;
};

int return_count(caf::actor_system&, const demo_config& cfg) {
  return cfg.count;
}

// Sends itself a thousand messages, and then ends.
class counter : public caf::event_based_actor {
public:
  counter(caf::actor_config& cfg, std::shared_ptr<int> life)
    : caf::event_based_actor(cfg), life_(std::move(life)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int i) {
      if (i == 1'000)
        quit();
      else
        send(this, i + 1);
    }};
  }

private:
  // Shows that the actor still exists.
  std::shared_ptr<int> life_;
};

// Represents a module such as OpenSSL's, which needs the middleman.
class late_module : public ::test::system_module {
public:
  static inline bool middleman_was_there = false;

  // The function that CAF calls depends on its version.
  template <class... Ts>
  static ::test::system_module* make(caf::actor_system& sys, Ts...) {
    middleman_was_there = sys.has_middleman();
    return new late_module;
  }

  template <class T>
  static void check_abi_compatibility(T) {
    // nop
  }

  static void add_module_options(caf::actor_system_config&) {
    // nop
  }

  void start() override {
    // nop
  }

  void stop() override {
    // nop
  }

  void init(caf::actor_system_config&) override {
    // nop
  }

  id_t id() const override {
    return openssl_manager;
  }

  void* subtype_ptr() override {
    return this;
  }
};

/// Calls a function in start().
struct closer : node, stateless<closer> {
  explicit closer(std::function<void()> fun) : code(std::move(fun)) {
    // nop
  }

  void start() {
    code();
  }

  std::function<void()> code;
};

} // namespace

// -- ordinary use -------------------------------------------------------------

TEST_CASE("the status is the result of run", "[exec_main]") {
  auto x = execute({}, return_seven);
  CHECK(x.status == 7);
  CHECK(x.out.empty());
  CHECK(x.err.empty());
}

TEST_CASE("run may be any callable, even one that cannot be copied",
          "[exec_main]") {
  auto value = std::make_unique<int>(3);
  auto run = [value = std::move(value)](caf::actor_system&) { return *value; };
  CHECK(execute({}, std::move(run)).status == 3);
}

TEST_CASE("main's arguments are passed on unchanged", "[exec_main]") {
  // The call of an ordinary main(), whose default config file does not exist.
  auto folder = std::filesystem::current_path();
  std::filesystem::current_path("/");
  std::string name = "demo";
  std::vector<char*> argv{name.data(), nullptr};
  CHECK(exec_main(1, argv.data(), return_seven) == 7);
  std::filesystem::current_path(folder);
}

TEST_CASE("a program without a name runs", "[exec_main]") {
  CHECK(exec_main(0, nullptr, return_seven, ignore_folder) == 7);
}

TEST_CASE("the options reach the system's config", "[exec_main]") {
  auto x = execute(
    {"--rosia.realtime=false", "--rosia.max_in_flight=5"},
    [](caf::actor_system& sys) {
      auto opts = options_from(sys.config());
      CHECK_FALSE(opts.realtime);
      return static_cast<int>(opts.max_in_flight);
    });
  CHECK(x.status == 5);
}

TEST_CASE(
  "run receives the config and further arguments if it has parameters for them",
  "[exec_main]") {
  strings seen;
  auto x = execute(
    {"in.csv", "--rosia.trace=t", "--", "-x"},
    [&](caf::actor_system&, const config& cfg) {
      seen = cfg.remainder;
      return 0;
    });
  CHECK(x.status == 0);
  CHECK(seen == strings{"in.csv", "-x"});
}

TEST_CASE("a program has its own config", "[exec_main]") {
  CHECK(
    execute<demo_config>({}, return_count, [](demo_config&) {}).status == 1);
  CHECK(
    execute<demo_config>({"-c", "4"}, return_count, [](demo_config&) {}).status
    == 4);
  auto doubled = [](demo_config& cfg) { cfg.count = 2; };
  CHECK(execute<demo_config>({}, return_count, doubled).status == 2);
}

TEST_CASE("configure adds options", "[exec_main]") {
  std::string output;
  auto configure = [&](config& cfg) {
    ignore_folder(cfg);
    cfg.add_options("global").add<std::string>(output, "output,o", "a file");
  };
  auto x = execute({"-o", "track.csv"}, return_seven, configure);
  CHECK(x.status == 7);
  CHECK(output == "track.csv");
}

// -- the actor system ---------------------------------------------------------

TEST_CASE("the middleman is loaded before all other modules", "[exec_main]") {
  late_module::middleman_was_there = false;
  auto x = execute(
    {},
    [](caf::actor_system& sys) {
      return sys.has_middleman() && sys.has_openssl_manager() ? 0 : 1;
    },
    [](config& cfg) {
      ignore_folder(cfg);
      cfg.load<late_module>();
    });
  CHECK(x.status == 0);
  CHECK(late_module::middleman_was_there);
}

TEST_CASE("OpenSSL is not loaded", "[exec_main]") {
  auto x = execute({}, [](caf::actor_system& sys) {
    return sys.has_openssl_manager() ? 1 : 0;
  });
  CHECK(x.status == 0);
}

TEST_CASE("all actors have ended when it returns", "[exec_main]") {
  auto life = std::make_shared<int>(0);
  std::weak_ptr<int> watch = life;
  auto x = execute({}, [&](caf::actor_system& sys) {
    caf::anon_send(sys.spawn<counter>(std::move(life)), 1);
    return 0;
  });
  CHECK(x.status == 0);
  CHECK(watch.expired());
}

TEST_CASE("the scheduler has Rosia's defaults", "[exec_main]") {
  auto x = execute({}, [](caf::actor_system& sys) {
    auto throughput = ::test::caf_option("scheduler.max-throughput");
    CHECK(caf::get_or(sys.config(), throughput, 0) == 50);
    CHECK(::test::policy_of(sys.config()) == "sharing");
    return 0;
  });
  CHECK(x.status == 0);
}

// -- exceptions ---------------------------------------------------------------

TEST_CASE("an exception out of run is status 1 and a line on stderr",
          "[exec_main]") {
  auto x = execute({}, [](caf::actor_system&) -> int {
    throw std::runtime_error("no landmark 7");
  });
  CHECK(x.status == 1);
  CHECK(x.err == "demo: no landmark 7\n");
}

TEST_CASE("an exception of any type is status 1", "[exec_main]") {
  auto x = execute({}, [](caf::actor_system&) -> int { throw 42; });
  CHECK(x.status == 1);
  CHECK(
    x.err == "demo: an exception that is not derived from std::exception\n");
}

TEST_CASE("an exception whose what() is null is status 1", "[exec_main]") {
  auto x = execute({}, [](caf::actor_system&) -> int {
    throw exception_without_text{};
  });
  CHECK(x.status == 1);
  CHECK(x.err
        == "demo: an exception of type exception_without_text without a "
           "text\n");
}

TEST_CASE("an exception out of configure is a line on stderr", "[exec_main]") {
  auto x = execute({}, must_not_run, [](config&) {
    throw std::runtime_error("nothing to configure");
  });
  CHECK(x.status == 2);
  CHECK(x.err == "demo: nothing to configure\n");
}

// -- signals ------------------------------------------------------------------

namespace {

sighandler_t handler_of_reports() {
  struct sigaction result = {};
  ::sigaction(SIGUSR1, nullptr, &result);
  return result.sa_handler;
}

} // namespace

TEST_CASE("SIGUSR1 has no effect while no application exists to report on",
          "[exec_main]") {
  REQUIRE(handler_of_reports() == SIG_DFL);
  auto x = execute(
    {},
    [](caf::actor_system&) {
      REQUIRE(handler_of_reports() != SIG_DFL);
      std::raise(SIGUSR1);
      return 3;
    },
    [](config&) {
      REQUIRE(handler_of_reports() != SIG_DFL);
      std::raise(SIGUSR1);
    });
  CHECK(x.status == 3);
  CHECK(handler_of_reports() == SIG_DFL);
}

TEST_CASE("SIGUSR1 keeps its effect if signals are not handled",
          "[exec_main]") {
  auto x = execute({"--rosia.signals=none"}, [](caf::actor_system&) {
    CHECK(handler_of_reports() == SIG_DFL);
    return 0;
  });
  CHECK(x.status == 0);
}

TEST_CASE("a program keeps its own handler of SIGUSR1", "[exec_main]") {
  sighandler_t own = [](int) {};
  std::signal(SIGUSR1, own);
  auto x = execute({}, [&](caf::actor_system&) {
    CHECK(handler_of_reports() == own);
    return 0;
  });
  CHECK(x.status == 0);
  CHECK(handler_of_reports() == own);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("SIGPIPE and SIGXFSZ have no effect, and child processes have the "
          "default handlers",
          "[exec_main]") {
  auto behavior = GENERATE("handle", "ignore", "none");
  auto status = status_in_child([&] {
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    auto is_left_alone
      = [](int signal) { return handler_of(signal) == SIG_DFL; };
    auto x = execute(
      {"--rosia.signals=" + std::string{behavior}}, [&](caf::actor_system&) {
        return is_left_alone(SIGPIPE) + 2 * is_left_alone(SIGXFSZ)
               + 4 * (handler_of(SIGPIPE) == SIG_IGN);
      });
    return x.status;
  });
  CHECK(status == (behavior == std::string{"none"} ? 3 : 0));
}

TEST_CASE("output that is not read does not end a program", "[exec_main]") {
  auto status = status_in_child([] {
    std::signal(SIGPIPE, SIG_DFL);
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0)
      return 1;
    ::close(ends[0]);
    ::close(ends[1]);
    const char* name = "demo";
    auto run = [](caf::actor_system&) {
      std::cout << "a result, which is not flushed";
      return 7;
    };
    auto result = exec_main(1, &name, run, ignore_folder);
    // As at the end of a process, when the signal has its effect again.
    std::fflush(stdout);
    return handler_of(SIGPIPE) == SIG_DFL ? result : 2;
  });
  CHECK(status == 7);
}

TEST_CASE("signals that were inherited as blocked are unblocked",
          "[exec_main]") {
  auto is_blocked = [](int signal) {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return ::sigismember(&now, signal) == 1;
  };
  auto handles = GENERATE(true, false);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  auto x = execute(
    {handles ? "--rosia.signals=handle" : "--rosia.signals=none"},
    [&](caf::actor_system&) {
      for (auto signal : {SIGINT, SIGTERM, SIGUSR1})
        CHECK(is_blocked(signal) == !handles);
      return 0;
    });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(x.status == 0);
}

// -- descriptors --------------------------------------------------------------

TEST_CASE(
  "standard streams that were inherited closed are replaced by /dev/null",
  "[exec_main]") {
  auto closed = GENERATE(1, 2, 4, 6, 7); // one bit per stream
  auto status = status_in_child([closed] {
    for (auto fd : {0, 1, 2})
      if (closed >> fd & 1)
        ::close(fd);
    // No config file, because otherwise it would be opened before the pipe.
    auto run = [closed](caf::actor_system&) {
      struct stat nowhere = {};
      ::stat("/dev/null", &nowhere);
      for (auto fd : {0, 1, 2}) {
        struct stat x = {};
        if (::fstat(fd, &x) != 0)
          return 1;
        if (closed >> fd & 1 && x.st_rdev != nowhere.st_rdev)
          return 2;
        auto way = ::fcntl(fd, F_GETFL) & O_ACCMODE;
        if (closed >> fd & 1 && way != (fd == 0 ? O_RDONLY : O_WRONLY))
          return 3;
        // Child processes inherit them.
        if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0)
          return 4;
      }
      return 7;
    };
    const char* name = "demo";
    return exec_main(1, &name, run, ignore_folder);
  });
  CHECK(status == 7);
}

namespace {

/// Returns the descriptors that a child process would inherit now.
std::set<int> inheritable_descriptors() {
  std::set<int> result;
  for (auto& x : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    auto fd = std::stoi(x.path().filename().string());
    if (auto flags = ::fcntl(fd, F_GETFD); flags >= 0 && flags != FD_CLOEXEC)
      result.insert(fd);
  }
  return result;
}

} // namespace

TEST_CASE("child processes inherit no descriptors of an application",
          "[exec_main]") {
  ::test::temporary_folder folder;
  error_capture capture;
  auto status = status_in_child([&folder] {
    auto before = inheritable_descriptors();
    auto look = [&before] {
      for (auto fd : inheritable_descriptors())
        if (!before.contains(fd)) {
          std::error_code none;
          auto link = "/proc/self/fd/" + std::to_string(fd);
          auto file = std::filesystem::read_symlink(link, none).string();
          std::fputs(("inherited: " + file + '\n').c_str(), stderr);
        }
    };
    return execute(
             {"--rosia.trace=" + folder.file("t"),
              "--rosia.record.file=" + folder.file("r"),
              "--rosia.checkpoint.file=" + folder.file("c"),
              "--rosia.watch.address=127.0.0.1:0", "--rosia.log_level=warning"},
             [&](caf::actor_system& sys) {
               application app{sys};
               app.create<closer>("looker", look);
               return app.run();
             })
      .status;
  });
  CHECK(status == 0);
  CHECK(capture.text() == "");
}

TEST_CASE("a program that closes foreign descriptors ends, and logs the reason",
          "[exec_main]") {
  auto in_reaction = GENERATE(true, false);
  error_capture capture;
  auto status = status_in_child([in_reaction] {
    std::signal(SIGABRT, SIG_DFL);
    auto close_all = [] {
      for (auto fd = 3; fd < 200; ++fd)
        ::close(fd);
    };
    auto run = [&](caf::actor_system& sys) {
      auto opts = options_from(sys.config());
      application app{sys, opts};
      app.create<timer>("clock", 10ms);
      if (!in_reaction) {
        close_all();
        return 0;
      }
      app.create<closer>("closer", close_all);
      return app.run();
    };
    const char* name = "demo";
    return exec_main(1, &name, run, ignore_folder);
  });
  auto text = capture.text();
  // CAF's own thread may detect this first.
  if (status == 1000 + SIGABRT) {
    CHECK_THAT(text, ContainsSubstring("Bad file descriptor"));
    return;
  }
  CHECK(status == 1);
  CHECK_THAT(
    text, ContainsSubstring("the program closed descriptors that it had "
                            "not opened: the process ends"));
}

// -- help ---------------------------------------------------------------------

TEST_CASE("help is printed instead of running", "[exec_main]") {
  auto flag = GENERATE("--help", "-h", "-?");
  // Help is given even if other arguments are invalid.
  for (auto& arguments :
       {strings{flag}, strings{"x", flag},
        strings{"--config-file=/nonexistent", flag},
        strings{flag, "--rosia.max_in_flight=0"}}) {
    auto x = execute(arguments, must_not_run);
    CHECK(x.status == 0);
    CHECK(x.err.empty());
    CHECK_THAT(x.out, ContainsSubstring("--rosia.realtime=<true|false>"));
    CHECK_THAT(
      x.out, !ContainsSubstring("--" + ::test::caf_option("scheduler.policy")));
  }
}

TEST_CASE("the long help has CAF's options as well", "[exec_main]") {
  auto x = execute({"--long-help"}, must_not_run);
  CHECK(x.status == 0);
  CHECK_THAT(x.out, ContainsSubstring("--rosia.realtime=<true|false>"));
  CHECK_THAT(
    x.out, ContainsSubstring("--" + ::test::caf_option("scheduler.policy")));
}

TEST_CASE("the config is dumped instead of running", "[exec_main]") {
  auto x = execute({"--dump-config", "--rosia.trace=t.jsonl"}, must_not_run);
  CHECK(x.status == 0);
  CHECK_THAT(
    x.out, ContainsSubstring("policy = ") && ContainsSubstring("sharing"));
  CHECK_THAT(x.out, ContainsSubstring("max_in_flight = 1024"));
  CHECK_THAT(x.out, ContainsSubstring("trace = \"t.jsonl\""));
}

// -- refusals -----------------------------------------------------------------

TEST_CASE("an unknown option is refused with status 2", "[exec_main]") {
  auto x = execute({"--rosia.lagwarn=1ms"}, must_not_run);
  CHECK(x.status == 2);
  CHECK(x.err
        == "demo: --rosia.lagwarn=1ms: there is no such option; did you mean "
           "--rosia.lag_warn? (--help lists them)\n");
}

TEST_CASE("a wrong value is refused with status 2", "[exec_main]") {
  auto x = execute({"--rosia.max_in_flight=0"}, must_not_run);
  CHECK(x.status == 2);
  CHECK(x.err
        == "demo: rosia.max_in_flight: \"0\" is not a number of messages, 1 or "
           "more\n");
}

TEST_CASE("an argument without effect is refused with status 2",
          "[exec_main]") {
  auto x = execute({"rosia.trace=t"}, must_not_run);
  CHECK(x.status == 2);
  CHECK_THAT(
    x.err, ContainsSubstring("demo: unexpected argument \"rosia.trace=t\""));
}

TEST_CASE("a wrong config file is refused with status 2, file and line",
          "[exec_main]") {
  auto path = std::filesystem::temp_directory_path()
              / ("rosia_exec_main_test_" + std::to_string(::getpid()) + ".ini");
  std::ofstream{path} << ::test::in_syntax("[rosia]\nrealtime = \"perhaps\"\n");
  auto x = execute({"--config-file=" + path.string()}, must_not_run);
  std::filesystem::remove(path);
  CHECK(x.status == 2);
  CHECK(x.err
        == "demo: " + path.string()
             + ":2: rosia.realtime: \"perhaps\" is not true or false\n");
}

} // namespace exec_main_test
