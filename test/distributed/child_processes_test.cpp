// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/child_processes.hpp"

#include "support.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace child_processes_test {

using rosia::detail::child_processes;

namespace {

using strings = std::vector<std::string>;

/// Records events of processes.
class witness {
public:
  struct record {
    strings out;
    strings err;
    std::vector<int> ended;
    /// Whether it printed after its end.
    bool late = false;
  };

  child_processes::events events() {
    return {[this](auto child, auto line, bool error) {
              std::lock_guard guard{mutex_};
              auto& x = records_[child];
              (error ? x.err : x.out).emplace_back(line);
              x.late |= !x.ended.empty();
            },
            [this](auto child, auto status) {
              std::lock_guard guard{mutex_};
              records_[child].ended.push_back(status);
            }};
  }

  record of(std::size_t child) {
    std::lock_guard guard{mutex_};
    return records_[child];
  }

private:
  std::mutex mutex_;
  std::map<std::size_t, record> records_;
};

strings shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

/// Returns the state of a process in /proc; 0 if there is none.
char state_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  std::getline(in, line);
  auto end = line.rfind(')');
  return end == std::string::npos || end + 2 >= line.size()
           ? '\0'
           : line[end + 2];
}

const auto endless = shell("echo ready; exec sleep 10000");

/// A limit against hangs.
auto soon() {
  return std::chrono::steady_clock::now() + 10min;
}

/// Runs one program to its end.
witness::record outcome(const strings& arguments,
                        const strings& environment = {}) {
  witness seen;
  child_processes sut{seen.events()};
  auto child = sut.start(arguments, environment);
  REQUIRE(sut.wait(soon()));
  CHECK_FALSE(sut.running(child));
  auto result = seen.of(child);
  CHECK(result.ended.size() == 1);
  CHECK_FALSE(result.late);
  return result;
}

/// Returns whether this process has a child, even a zombie.
bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0;
}

} // namespace

// -- output -------------------------------------------------------------------

TEST_CASE("child processes: their output is relayed line by line") {
  auto x = outcome(shell("echo one; echo two >&2; echo; printf three"));
  CHECK(x.out == strings{"one", "", "three"});
  CHECK(x.err == strings{"two"});
  CHECK(x.ended == std::vector{0});
}

TEST_CASE("child processes: a process can start with a blocked signal") {
  witness seen;
  child_processes sut{seen.events()};
  auto script = "kill -USR2 $$; echo it still runs";
  auto blocked = sut.start(shell(script), {}, {SIGUSR2});
  auto open = sut.start(shell(script), {});
  REQUIRE(sut.wait(soon()));
  CHECK(seen.of(blocked).out == strings{"it still runs"});
  CHECK(seen.of(open).out.empty());
  CHECK(seen.of(open).ended == std::vector{128 + SIGUSR2});
}

TEST_CASE("child processes: a long line is relayed in pieces of 64 KiB") {
  constexpr auto limit = child_processes::max_line;
  auto print = [](std::size_t count) {
    return "head -c " + std::to_string(count) + " /dev/zero | tr '\\0' x;";
  };
  auto x = outcome(shell(print(limit) + "echo;" + print(limit + 1) + "echo;"
                         + print(3 * limit + 7)));
  std::vector<std::size_t> sizes;
  for (auto& line : x.out) {
    CHECK(line.find_first_not_of('x') == std::string::npos);
    sizes.push_back(line.size());
  }
  CHECK(sizes == std::vector{limit, limit, 1ul, limit, limit, limit, 7ul});
}

TEST_CASE("child processes: unwanted output is not read before the end") {
  witness seen;
  auto events = seen.events();
  std::atomic<bool> wanted{false};
  events.wanted = [&wanted](bool error) { return error || wanted; };
  child_processes sut{events};
  auto script = "seq 100000; echo through >&2; exec sleep 10000";
  auto held_up = sut.start(shell(script), {});
  auto other = sut.start(shell("exit 3"), {});
  // Other processes are not held up.
  while (seen.of(other).ended.empty())
    std::this_thread::yield();
  CHECK(seen.of(held_up).out.empty());
  CHECK(seen.of(held_up).err.empty());
  SECTION("it is read when it is wanted") {
    wanted = true;
    sut.look_again();
    while (seen.of(held_up).err.empty())
      std::this_thread::yield();
    CHECK(seen.of(held_up).out.size() == 100'000);
  }
  SECTION("its end is noticed") {
    sut.kill_all();
    REQUIRE(sut.wait(soon()));
    CHECK(seen.of(held_up).ended == std::vector{128 + SIGKILL});
    CHECK_FALSE(seen.of(held_up).late);
  }
}

TEST_CASE(
  "child processes: large output of many processes at once is complete") {
  constexpr std::size_t count = 5;
  witness seen;
  child_processes sut{seen.events()};
  for (std::size_t i = 0; i < count; ++i)
    CHECK(sut.start({"/usr/bin/seq", "20000"}, {}) == i);
  CHECK(sut.size() == count);
  REQUIRE(sut.wait(soon()));
  strings expected;
  for (auto i = 1; i <= 20'000; ++i)
    expected.push_back(std::to_string(i));
  for (std::size_t i = 0; i < count; ++i)
    CHECK(seen.of(i).out == expected);
}

TEST_CASE("child processes: one that closes its outputs still runs") {
  witness seen;
  child_processes sut{seen.events()};
  auto child
    = sut.start(shell("echo ready; exec >&- 2>&-; exec sleep 10000"), {});
  REQUIRE(eventually([&] { return seen.of(child).out == strings{"ready"}; }));
  CHECK(sut.running(child));
  sut.kill_all();
  REQUIRE(sut.wait(soon()));
  CHECK(seen.of(child).ended == std::vector{137});
}

// -- environment --------------------------------------------------------------

TEST_CASE("child processes: their standard input is empty") {
  CHECK(outcome({"/bin/cat"}).out.empty());
  CHECK(outcome(shell("cat; echo done")).out == strings{"done"});
}

TEST_CASE("child processes: variables are added to the environment, or replace "
          "existing ones") {
  ::setenv("CHILD_KEPT", "kept", 1);
  ::setenv("CHILD_REPLACED", "before", 1);
  auto all = outcome({"/usr/bin/env"}, {"CHILD_REPLACED=after", "CHILD_NEW="});
  strings ours;
  for (auto& line : all.out)
    if (line.starts_with("CHILD_"))
      ours.push_back(line);
  CHECK(
    ours == strings{"CHILD_KEPT=kept", "CHILD_REPLACED=after", "CHILD_NEW="});
  ::unsetenv("CHILD_KEPT");
  ::unsetenv("CHILD_REPLACED");
}

TEST_CASE("child processes: they have no descriptor of this process") {
  auto fd = ::open("/dev/null", O_RDONLY);
  REQUIRE(fd > 2);
  // The last one is the descriptor of the folder.
  CHECK(
    outcome({"/bin/ls", "/proc/self/fd"}).out == strings{"0", "1", "2", "3"});
  ::close(fd);
}

TEST_CASE("child processes: they neither block nor ignore signals") {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto previous = ::signal(SIGHUP, SIG_IGN);
  auto status = outcome({"/bin/cat", "/proc/self/status"}).out;
  ::signal(SIGHUP, previous);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Signals 32 and 33 are reserved by the C library.
  constexpr auto of_c_library = 0x180000000ull;
  auto sets = 0;
  for (auto& line : status)
    if (line.starts_with("SigBlk:") || line.starts_with("SigIgn:")) {
      CHECK((std::stoull(line.substr(8), nullptr, 16) & ~of_c_library) == 0);
      ++sets;
    }
  CHECK(sets == 2);
}

TEST_CASE("child processes: each is in a separate process group") {
  witness seen;
  child_processes sut{seen.events()};
  auto first = sut.start(endless, {});
  auto second = sut.start(endless, {});
  CHECK(sut.running(first));
  CHECK(::getpgid(sut.pid_of(first)) == sut.pid_of(first));
  CHECK(::getpgid(sut.pid_of(second)) == sut.pid_of(second));
}

TEST_CASE("child processes: they stop when the terminal stops this process, "
          "and continue with it") {
  auto signal = GENERATE(SIGTSTP, SIGTTIN, SIGTTOU);
  auto status = status_in_child([signal] {
    // Simulates a shell and its job. A process that no shell could continue is
    // not stopped.
    ::setsid();
    int ends[2];
    if (::pipe(ends) != 0)
      return 1;
    auto job = ::fork();
    if (job == 0) {
      ::setpgid(0, 0);
      ::signal(signal, SIG_DFL);
      witness seen;
      child_processes sut{seen.events()};
      auto pid = sut.pid_of(sut.start(endless, {}));
      if (::write(ends[1], &pid, sizeof(pid)) == sizeof(pid))
        for (;;)
          ::pause();
      std::_Exit(1);
    }
    pid_t child = 0;
    if (::read(ends[0], &child, sizeof(child)) != sizeof(child))
      return 2;
    auto result = 0;
    auto status = 0;
    ::kill(job, signal);
    if (::waitpid(job, &status, WUNTRACED) != job || !WIFSTOPPED(status))
      result = 3;
    else if (!eventually([=] { return state_of(child) == 'T'; }))
      result = 4;
    else if (::kill(job, SIGCONT);
             !eventually([=] { return state_of(child) == 'S'; }))
      result = 5;
    ::kill(job, SIGKILL);
    ::kill(child, SIGKILL);
    return result;
  });
  CHECK(status == 0);
}

TEST_CASE("child processes: they get pipes even if this process has no "
          "standard streams") {
  auto status = status_in_child([] {
    for (auto fd : {0, 1, 2})
      ::close(fd);
    witness seen;
    child_processes sut{seen.events()};
    auto child = sut.start(shell("cat; echo out; echo err >&2"), {});
    if (!sut.wait(soon()))
      return 1;
    auto x = seen.of(child);
    return x.out == strings{"out"} && x.err == strings{"err"} ? 0 : 2;
  });
  CHECK(status == 0);
}

// -- end ----------------------------------------------------------------------

TEST_CASE("child processes: their statuses are known even if SIGCHLD was "
          "inherited as ignored") {
  struct sigaction inherited = {};
  struct sigaction before = {};
  auto no_wait = GENERATE(false, true);
  inherited.sa_handler = no_wait ? SIG_DFL : SIG_IGN;
  inherited.sa_flags = no_wait ? SA_NOCLDWAIT : 0;
  ::sigaction(SIGCHLD, &inherited, &before);
  CHECK(outcome(shell("exit 7")).ended == std::vector{7});
  struct sigaction after = {};
  ::sigaction(SIGCHLD, &before, &after);
  CHECK(after.sa_handler == inherited.sa_handler);
  CHECK((after.sa_flags & SA_NOCLDWAIT) == inherited.sa_flags);
}

TEST_CASE("child processes: a status is the same as in a shell") {
  CHECK(outcome(shell("exit 3")).ended == std::vector{3});
  CHECK(outcome(shell("kill -TERM $$")).ended == std::vector{143});
  CHECK(outcome(shell("printf begun; kill -KILL $$")).out == strings{"begun"});
}

TEST_CASE("child processes: descendants of a process do not hold up its end") {
  SECTION("it is silent") {
    auto x = outcome(shell("sleep 10000 & echo $!; echo last"));
    REQUIRE(x.out.size() == 2);
    CHECK(x.out[1] == "last");
    ::kill(std::stoi(x.out[0]), SIGKILL);
  }
  SECTION("it never stops printing") {
    auto x = outcome(shell("yes & exit 5"));
    CHECK(x.ended == std::vector{5});
  }
}

TEST_CASE("child processes: a signal reaches a running process, and is "
          "harmless otherwise") {
  witness seen;
  child_processes sut{seen.events()};
  auto trapping = sut.start(
    shell("trap 'echo caught; exit 4' TERM; echo ready; while :; do sleep 0; "
          "done"),
    {});
  auto other = sut.start(endless, {});
  REQUIRE(eventually([&] { return !seen.of(trapping).out.empty(); }));
  sut.signal(trapping, SIGTERM);
  REQUIRE(eventually([&] { return !sut.running(trapping); }));
  CHECK(sut.running(other));
  CHECK_FALSE(sut.wait(std::chrono::steady_clock::now()));
  sut.signal(trapping, SIGTERM);
  sut.kill_all();
  REQUIRE(sut.wait(soon()));
  sut.kill_all();
  CHECK(seen.of(trapping).out == strings{"ready", "caught"});
  CHECK(seen.of(trapping).ended == std::vector{4});
  CHECK(seen.of(other).ended == std::vector{137});
}

TEST_CASE(
  "child processes: the callback for an end can end the other processes") {
  std::vector<int> statuses(2);
  std::vector<bool> running;
  child_processes* self = nullptr;
  child_processes sut{{{}, [&](auto child, auto status) {
                         running.push_back(self->running(child));
                         statuses[child] = status;
                         self->signal(1 - child, SIGTERM);
                       }}};
  self = &sut;
  sut.start(endless, {});
  sut.start(endless, {});
  sut.signal(0, SIGKILL);
  REQUIRE(sut.wait(soon()));
  CHECK(statuses == std::vector{137, 143});
  CHECK(running == std::vector{false, false});
}

TEST_CASE(
  "child processes: they may be started after all other processes ended") {
  witness seen;
  child_processes sut{seen.events()};
  CHECK(sut.wait(std::chrono::steady_clock::now()));
  for (auto i = 0; i < 10; ++i) {
    auto child = sut.start(shell("echo " + std::to_string(i)), {});
    REQUIRE(sut.wait(soon()));
    CHECK(seen.of(child).out == strings{std::to_string(i)});
  }
}

TEST_CASE("child processes: no process remains") {
  auto before = test::files_in("/proc/self/fd");
  witness seen;
  {
    child_processes sut{seen.events()};
    for (auto i = 0; i < 3; ++i)
      sut.start(endless, {});
    sut.start(shell("exit 1"), {});
    CHECK(has_children());
  }
  CHECK_FALSE(has_children());
  CHECK(test::files_in("/proc/self/fd") == before);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(seen.of(i).ended == std::vector{137});
  CHECK(seen.of(3).ended.size() == 1);
}

TEST_CASE("child processes: a program that cannot be started is named") {
  auto before = test::files_in("/proc/self/fd");
  {
    child_processes sut{{}};
    CHECK_THROWS_AS(sut.start({"/no/such/program"}, {}), std::system_error);
    CHECK_THROWS_WITH(
      sut.start({"/no/such/program", "x"}, {}),
      "cannot start the program '/no/such/program': No such "
      "file or directory");
    CHECK(sut.size() == 0);
    CHECK(sut.wait(std::chrono::steady_clock::now()));
  }
  CHECK(test::files_in("/proc/self/fd") == before);
  CHECK_FALSE(has_children());
}

} // namespace child_processes_test
