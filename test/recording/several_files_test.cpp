// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The tools for run files of several processes.

#include "support.hpp"

#include "rosia_trace/commands.hpp"
#include "saved_run.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>

namespace several_files_test {

namespace {

using test::checkpoint_of;
using test::save;

/// Returns the printed checkpoints, with DATE for each date.
std::string info(const std::string& file) {
  std::ostringstream out;
  CHECK(rosia_trace::info_command({file}, out) == rosia_trace::exit_good);
  auto text = out.str();
  text.erase(0, text.find("checkpoint at"));
  return std::regex_replace(text, std::regex{"20[0-9-]*T[0-9:.]*Z"}, "DATE");
}

std::string verify(const std::string& file, int expected) {
  std::ostringstream out;
  CHECK(rosia_trace::verify_command({file}, out) == expected);
  return out.str();
}

} // namespace

TEST_CASE("rosia-trace info lists the checkpoints of several processes in the "
          "order of their tags",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto take = [&](const std::string& process, std::chrono::milliseconds tag,
                  bool complete, bool final) {
    auto x = checkpoint_of("a run", process, 2, at(tag));
    x.complete = complete;
    x.final = final;
    save(file, x);
  };
  // Its nodes are idle, so it writes its part of the end early.
  take("left", 300ms, false, true);
  take("left", 100ms, false, false);
  take("left", 200ms, false, false);
  take("coordinator", 100ms, true, false);
  take("coordinator", 200ms, true, false);
  auto expected
    = "checkpoint at 100ms, DATE, complete\n"
      "  run 1 over 2 processes: 0 nodes, 0 bytes of values\n"
      "checkpoint at 200ms, DATE, complete\n"
      "  run 1 over 2 processes: 0 nodes, 0 bytes of values\n"
      "checkpoint at 300ms, DATE, not complete: the parts of 1 of 2 "
      "processes\n"
      "  run 1 over 2 processes: 0 nodes, 0 bytes of values\n";
  CHECK(info(file) == expected);
  CHECK(verify(file, rosia_trace::exit_good)
        == file + ": sound, 2 complete checkpoints\n");
  // A final tag, and a lower one.
  take("coordinator", 300ms, true, true);
  take("coordinator", 150ms, true, true);
  take("left", 150ms, false, true);
  CHECK_THAT(
    info(file),
    ContainsSubstring("at 150ms, DATE, complete, at the end\n")
      && ContainsSubstring("at 200ms, DATE, complete, beyond the end\n")
      && ContainsSubstring("at 300ms, DATE, complete, beyond the end\n"));
}

TEST_CASE("rosia-trace verify names what prevents a run from continuing",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  for (auto process : {"coordinator", "left"})
    save(file, checkpoint_of("a run", process, 2, at(100ms)));
  SECTION("the files of all processes") {
    CHECK(verify(file, rosia_trace::exit_good)
          == file + ": sound, 1 complete checkpoint\n");
  }
  SECTION("a missing file") {
    std::filesystem::remove(file + ".left");
    CHECK(verify(file, rosia_trace::exit_bad)
          == file
               + ": the checkpoint at tag 100ms needs the files of 2 "
                 "processes, and there are those of 1; put all of them into "
                 "one folder\n"
               + file + ": not sound, 1 complete checkpoint\n");
  }
  SECTION("files of two runs") {
    save(file, checkpoint_of("another run", "", 1, at(50ms)));
    auto mixture
      = "the files of '" + file + "' have checkpoints of different runs: '"
        + file + "' (1 process, last checkpoint at tag 50ms, ";
    CHECK_THAT(verify(file, rosia_trace::exit_bad), ContainsSubstring(mixture));
    CHECK_THAT(info(file), ContainsSubstring(mixture.substr(0, 20)));
  }
  SECTION("a run that continued in fewer processes") {
    auto x = checkpoint_of("a run.2", "", 1, at(200ms));
    x.number = 2;
    save(file, x);
    CHECK(verify(file, rosia_trace::exit_good)
          == file + ": sound, 2 complete checkpoints\n");
  }
  SECTION("a copy of another run") {
    save(folder.file("other.db"), checkpoint_of("b", "left", 2, at(50ms)));
    std::filesystem::rename(folder.file("other.db.left"), file + ".left.bak");
    CHECK(verify(file, rosia_trace::exit_good)
          == file + ": sound, 1 complete checkpoint\n");
  }
}

} // namespace several_files_test
