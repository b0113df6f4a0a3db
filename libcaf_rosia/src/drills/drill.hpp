// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"

#include <spdlog/fwd.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// The hook for `rosia-drill`. Reports the steps of this process to that tool,
/// waits at the steps at which the tool wants to act, and injects faults into
/// nodes. It only exists if the environment variable `ROSIA_DRILL` has the path
/// of the tool's socket, and drills are allowed.
///
/// Both sides send lines of fields, which are separated by tabs. If the tool is
/// lost, the process continues undisturbed. Any thread may call all members.
/// Tests: test/drills.
class drill {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Connects to the tool, and receives its instructions.
  /// @param process the name of this process.
  /// @returns null if the environment names no tool, or drills are not allowed,
  ///   which is logged.
  /// @throws std::system_error if the tool does not listen.
  static std::shared_ptr<drill> join(
    const options& opts, const std::string& process, spdlog::logger& log);

  /// @param socket a connection to the tool, which the drill closes.
  drill(int socket, const std::string& process);

  drill(const drill&) = delete;

  drill& operator=(const drill&) = delete;

  ~drill();

  // -- injection points -------------------------------------------------------

  /// Reports the nodes that this process runs.
  void introduce(const std::vector<std::string>& nodes);

  /// Reports that logical time started at `at`, by the monotonic clock.
  void started(std::int64_t at);

  /// Reports a step of the protocol, and waits as long as the tool wants.
  /// @param node empty for a step of the whole application.
  void step(std::string_view name, std::string_view node = {},
            logical_time tag = never);

  // -- instructions of the tool
  // ------------------------------------------------

  /// Returns the code of a node with the faults that the tool injects. Valid as
  /// long as the drill.
  engine::body& disturb(const std::string& node, engine::body& code,
                        engine::node& engine);

  /// Replaces the address of another process.
  /// @returns false if the tool has no other address for it.
  bool redirect(const std::string& process, std::string& host,
                std::uint16_t& port) const;

private:
  struct fault;
  class disturbed_body;

  /// A logical time of a node that the tool waits for.
  struct milestone {
    std::string number;
    std::string node;
    logical_time tag;
  };

  using fields = std::vector<std::string>;

  void get_instructions();

  void obey(const fields& x);

  void listen();

  void did(const fault& x, logical_time tag);

  void wait(std::string_view step, std::string_view node, logical_time tag,
            bool stay);

  bool read_line(std::string& line);

  void send(const std::string& line);

  int socket_;
  std::string input_; // received, but not handled yet
  std::vector<std::pair<std::string, std::string>> watched_; // step, node
  std::vector<milestone> milestones_;
  std::vector<std::unique_ptr<fault>> faults_;
  std::map<std::string, std::pair<std::string, std::uint16_t>> addresses_;
  std::vector<std::unique_ptr<disturbed_body>> bodies_;
  std::mutex mutex_; // protects the members below, and the socket's output
  std::condition_variable changed_;
  std::uint64_t steps_ = 0;
  std::set<std::uint64_t> waiting_; // steps
  bool alone_ = false;              // the tool was lost
  std::thread listener_;            // last: uses the other members
};

} // namespace caf::rosia::detail
