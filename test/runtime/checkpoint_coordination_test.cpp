// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The coordinator's part of checkpoints, in isolation.

#include "runtime/checkpoint_coordination.hpp"

#include "support.hpp"

namespace checkpoint_coordination_test {

namespace {

using rosia::checkpoint_command;
using rosia::checkpoint_reply;
using rosia::detail::checkpoint_coordination;
using kind = checkpoint_command::kind;
using reply = checkpoint_reply::kind;

/// Records the coordinator's messages.
struct recording_host : checkpoint_coordination::host {
  struct told {
    std::uint32_t process;
    kind type;
    logical_time tag;
  };

  void command(std::uint32_t process, const checkpoint_command& x) override {
    commands.push_back({process, x.type, x.tag});
  }

  void concluded(logical_time tag, bool is_final, bool,
                 const std::string& problem) override {
    conclusions.push_back(to_string(tag) + (is_final ? " final" : "")
                          + (problem.empty() ? " complete" : ": " + problem));
  }

  void skipped(logical_time tag, logical_time next) override {
    skips.push_back(to_string(tag) + " to " + to_string(next));
  }

  /// Returns the messages since the last call, grouped by equal content.
  std::vector<std::string> news() {
    std::vector<std::string> result;
    constexpr const char* names[]
      = {"ask",     "periodic", "agreed",   "final",
         "release", "mark",     "complete", "failed"};
    for (auto& x : std::exchange(commands, {}))
      result.push_back(
        std::to_string(x.process) + ' ' + names[static_cast<int>(x.type)] + ' '
        + to_string(x.tag));
    return result;
  }

  std::vector<told> commands;
  std::vector<std::string> conclusions;
  std::vector<std::string> skips;
};

using texts = std::vector<std::string>;

checkpoint_reply from(
  std::uint32_t process, reply kind, logical_time tag = rosia::never,
  std::string problem = {}, logical_time reached = rosia::never) {
  return {process, kind, tag, reached, std::move(problem)};
}

/// Reports the start of all processes' nodes.
void start(checkpoint_coordination& x, std::uint32_t processes) {
  for (std::uint32_t i = 0; i < processes; ++i)
    x.note(from(i, reply::ready));
}

} // namespace

TEST_CASE("8.4 planned checkpoints follow each other", "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 10, logical_time{25, 0}, host};
  start(x, 1);
  CHECK(host.news() == texts{"0 periodic 30ns"});
  x.note(from(0, reply::written, {30, 0}));
  CHECK(host.news() == texts{"0 complete 30ns", "0 periodic 40ns"});
  x.note(from(0, reply::failed, {40, 0}, "full"));
  CHECK(host.news() == texts{"0 failed 40ns", "0 periodic 50ns"});
  CHECK(host.conclusions == texts{"30ns complete", "40ns: full"});
}

TEST_CASE("8.4 a planned checkpoint that nodes passed is skipped",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  start(x, 2);
  host.news();
  x.note(from(0, reply::passed, {10, 0}, {}, {45, 0}));
  CHECK(host.news().empty());
  x.note(from(1, reply::written, {10, 0}));
  CHECK(host.news()
        == texts{"0 failed 10ns", "1 failed 10ns", "0 periodic 50ns",
                 "1 periodic 50ns"});
  CHECK(host.skips == texts{"10ns to 50ns"});
  CHECK(host.conclusions.empty());
}

TEST_CASE("8.5 a checkpoint whose parts may have been removed for a later one "
          "is not complete",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  start(x, 2);
  x.note(from(0, reply::demand));
  x.note(from(0, reply::answer, {12, 0}));
  x.note(from(1, reply::answer, {3, 0}));
  CHECK(host.news()
        == texts{"0 periodic 10ns", "1 periodic 10ns", "0 ask never",
                 "1 ask never", "0 agreed 12ns", "1 agreed 12ns"});
  x.note(from(1, reply::written, {10, 0}));
  for (auto process : {0u, 1u})
    x.note(from(process, reply::written, {12, 0}));
  CHECK(host.news() == texts{"0 mark 12ns"});
  SECTION("the later one is complete when the earlier one is written") {
    x.note(from(0, reply::marked, {12, 0}));
    CHECK(host.news() == texts{"0 complete 12ns", "1 complete 12ns"});
    x.note(from(0, reply::written, {10, 0}));
    CHECK(host.news()
          == texts{"0 failed 10ns", "1 failed 10ns", "0 periodic 20ns",
                   "1 periodic 20ns"});
  }
  SECTION("the later one becomes complete before") {
    x.note(from(0, reply::written, {10, 0}));
    CHECK(host.news().empty());
    x.note(from(0, reply::marked, {12, 0}));
    CHECK(host.news()
          == texts{"0 complete 12ns", "1 complete 12ns", "0 failed 10ns",
                   "1 failed 10ns", "0 periodic 20ns", "1 periodic 20ns"});
  }
  SECTION("the later one fails") {
    x.note(from(0, reply::written, {10, 0}));
    x.note(from(0, reply::failed, {12, 0}, "full"));
    CHECK(host.conclusions == texts{"12ns: full"});
    CHECK(
      host.news() == texts{"0 failed 12ns", "1 failed 12ns", "0 mark 10ns"});
    x.note(from(0, reply::marked, {10, 0}));
    CHECK(host.news()
          == texts{"0 complete 10ns", "1 complete 10ns", "0 periodic 20ns",
                   "1 periodic 20ns"});
  }
}

TEST_CASE(
  "8.5 the checkpoint at the end is complete, whatever checkpoints follow it",
  "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  start(x, 2);
  for (auto process : {0u, 1u})
    x.note(from(process, reply::written, {10, 0}));
  x.note(from(0, reply::marked, {10, 0}));
  x.end_at({7, 0});
  host.news();
  for (auto process : {0u, 1u})
    x.note(from(process, reply::final_written, {7, 0}));
  CHECK(host.news() == texts{"0 mark 7ns"});
  x.note(from(0, reply::marked, {7, 0}));
  CHECK(host.conclusions.back() == "7ns final complete");
}

TEST_CASE(
  "8.5 the checkpoint at the end is written again if one exists at its tag",
  "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  start(x, 2);
  host.news();
  SECTION("that is complete") {
    for (auto process : {0u, 1u})
      x.note(from(process, reply::written, {10, 0}));
    x.note(from(0, reply::marked, {10, 0}));
  }
  SECTION("that a process gave up") {
    x.note(from(1, reply::passed, {10, 0}, {}, {15, 0}));
  }
  SECTION("that is being marked") {
    for (auto process : {0u, 1u})
      x.note(from(process, reply::written, {10, 0}));
  }
  host.news();
  host.conclusions.clear();
  x.end_at({10, 0});
  CHECK(host.news() == texts{"0 final 10ns", "1 final 10ns"});
  // These replies refer to the earlier checkpoint.
  x.note(from(0, reply::marked, {10, 0}));
  x.note(from(0, reply::passed, {10, 0}, {}, {15, 0}));
  x.note(from(1, reply::written, {10, 0}));
  CHECK(host.news().empty());
  CHECK(x.awaited() == std::vector<std::uint32_t>{0, 1});
  for (auto process : {0u, 1u})
    x.note(from(process, reply::final_written, {10, 0}));
  CHECK(host.news() == texts{"0 mark 10ns"});
  x.note(from(0, reply::marked, {10, 0}));
  CHECK(host.news() == texts{"0 complete 10ns", "1 complete 10ns"});
  CHECK(host.conclusions == texts{"10ns final complete"});
  CHECK(!x.awaits_final());
}

TEST_CASE(
  "8.5 a checkpoint is complete when all parts are, and this is written",
  "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 0, {}, host};
  start(x, 2);
  CHECK(host.news().empty());
  x.note(from(1, reply::demand));
  CHECK(host.news() == texts{"0 ask never", "1 ask never"});
  x.note(from(1, reply::answer, {7, 1}));
  x.note(from(0, reply::answer, {7, 0}));
  CHECK(host.news() == texts{"0 agreed 7ns+1", "1 agreed 7ns+1"});
  x.note(from(1, reply::written, {7, 1}));
  x.note(from(1, reply::written, {7, 1}));
  CHECK(host.news().empty());
  x.note(from(0, reply::written, {7, 1}));
  CHECK(host.news() == texts{"0 mark 7ns+1"});
  CHECK(host.conclusions.empty());
  x.note(from(0, reply::marked, {7, 1}));
  CHECK(host.news() == texts{"0 complete 7ns+1", "1 complete 7ns+1"});
  CHECK(host.conclusions == texts{"7ns+1 complete"});
  // No event happened since, so it is the same checkpoint.
  x.note(from(0, reply::demand));
  host.news();
  x.note(from(0, reply::answer, {7, 1}));
  x.note(from(1, reply::answer, {7, 1}));
  CHECK(host.news()
        == texts{"0 release 7ns+1", "1 release 7ns+1", "0 complete 7ns+1",
                 "1 complete 7ns+1"});
}

TEST_CASE("8.4 a demand while nodes are asked leads to a separate checkpoint",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 0, {}, host};
  start(x, 1);
  x.note(from(0, reply::demand));
  x.note(from(0, reply::demand));
  x.note(from(0, reply::demand));
  CHECK(host.news() == texts{"0 ask never"});
  x.note(from(0, reply::answer, {3, 0}));
  CHECK(host.news() == texts{"0 agreed 3ns", "0 ask never"});
  x.note(from(0, reply::answer, {4, 0}));
  CHECK(host.news() == texts{"0 agreed 4ns"});
}

TEST_CASE("8.4 none is taken beyond the end, and none is waited for",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 100, {}, host};
  start(x, 1);
  x.note(from(0, reply::demand));
  host.news();
  x.end_at({50, 0});
  CHECK(host.news() == texts{"0 final 50ns"});
  CHECK(x.awaits_final());
  x.note(from(0, reply::answer, {60, 0}));
  CHECK(host.news() == texts{"0 release 60ns"});
  x.note(from(0, reply::written, {100, 0}));
  CHECK(host.news().empty());
  // An earlier end was requested.
  x.end_at({20, 0});
  CHECK(host.news() == texts{"0 final 20ns"});
  x.note(from(0, reply::written, {50, 0}));
  CHECK(x.awaits_final());
  x.note(from(0, reply::final_written, {20, 0}));
  CHECK(!x.awaits_final());
  CHECK(host.conclusions == texts{"20ns final complete"});
}

TEST_CASE("8.4 after the checkpoint at the end failed, none is planned there",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 10, {}, host};
  start(x, 1);
  x.end_at({20, 0});
  host.news();
  x.note(from(0, reply::failed, {20, 0}, "full"));
  x.note(from(0, reply::written, {10, 0}));
  CHECK(host.news() == texts{"0 failed 20ns", "0 complete 10ns"});
  CHECK(host.conclusions == texts{"20ns final: full", "10ns complete"});
  CHECK(!x.awaits_final());
}

TEST_CASE("8.4 an abort takes none", "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 10, {}, host};
  start(x, 1);
  x.end_at({50, 0});
  host.news();
  x.stop();
  CHECK(!x.awaits_final());
  x.note(from(0, reply::written, {50, 0}));
  x.note(from(0, reply::demand));
  x.end_at({60, 0});
  CHECK(host.news().empty());
  CHECK(host.conclusions.empty());
}

TEST_CASE("impossible replies of a process have no effect", "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  start(x, 2);
  host.news();
  x.note(from(2, reply::written, {10, 0}));
  x.note(from(0, reply::marked, {10, 0}));
  x.note(from(0, reply::answer, {10, 0}));
  x.note(from(0, reply::written, {11, 0}));
  x.note(from(0, reply::failed, {11, 0}, "no"));
  CHECK(host.news().empty());
  CHECK(host.conclusions.empty());
}

TEST_CASE("demands before all nodes started are handled at the start",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{2, 10, {}, host};
  x.note(from(0, reply::ready));
  x.note(from(0, reply::ready));
  x.note(from(0, reply::demand));
  CHECK(!x.awaits_final());
  x.end_at({50, 0});
  CHECK(x.awaits_final());
  CHECK(x.awaited() == std::vector<std::uint32_t>{1});
  CHECK(host.news().empty());
  x.note(from(1, reply::ready));
  CHECK(host.news()
        == texts{"0 periodic 10ns", "1 periodic 10ns", "0 final 50ns",
                 "1 final 50ns", "0 ask never", "1 ask never"});
}

TEST_CASE("8.4 a demand before a known end leads to a checkpoint before it",
          "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 0, {}, host};
  x.end_at({50, 0});
  start(x, 1);
  x.note(from(0, reply::demand));
  CHECK(host.news() == texts{"0 final 50ns", "0 ask never"});
  x.note(from(0, reply::answer, {30, 0}));
  x.note(from(0, reply::written, {30, 0}));
  CHECK(host.news() == texts{"0 agreed 30ns", "0 complete 30ns"});
  x.note(from(0, reply::demand));
  x.note(from(0, reply::answer, {50, 0}));
  CHECK(host.news() == texts{"0 ask never", "0 release 50ns"});
  x.note(from(0, reply::final_written, {50, 0}));
  CHECK(host.news() == texts{"0 complete 50ns"});
  x.note(from(0, reply::demand));
  x.note(from(0, reply::answer, {50, 0}));
  CHECK(
    host.news() == texts{"0 ask never", "0 release 50ns", "0 complete 50ns"});
  CHECK(!x.awaits_final());
}

TEST_CASE(
  "8.4 planned checkpoints continue after a demanded one at the same tag",
  "[checkpoint]") {
  recording_host host;
  checkpoint_coordination x{1, 10, {}, host};
  start(x, 1);
  x.note(from(0, reply::demand));
  x.note(from(0, reply::answer, {20, 0}));
  CHECK(
    host.news() == texts{"0 periodic 10ns", "0 ask never", "0 agreed 20ns"});
  SECTION("that is in progress") {
    x.note(from(0, reply::written, {10, 0}));
    CHECK(host.news() == texts{"0 complete 10ns"});
    x.note(from(0, reply::written, {20, 0}));
    CHECK(host.news() == texts{"0 complete 20ns", "0 periodic 30ns"});
  }
  SECTION("that is complete") {
    x.note(from(0, reply::written, {20, 0}));
    x.note(from(0, reply::written, {10, 0}));
    CHECK(host.conclusions == texts{"20ns complete", "10ns complete"});
  }
  SECTION("and the end there is one") {
    x.end_at({20, 0});
    CHECK(host.news() == texts{"0 final 20ns"});
    x.note(from(0, reply::written, {10, 0}));
    x.note(from(0, reply::final_written, {20, 0}));
    CHECK(host.conclusions == texts{"10ns complete", "20ns final complete"});
    CHECK(!x.awaits_final());
  }
}

} // namespace checkpoint_coordination_test
