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

/// The hook for `rosia-drill`: tells that tool about the steps of this process,
/// waits for it at those that it wants to act at, and makes nodes fail as it
/// says. There is one only if the environment names the tool's socket
/// (`ROSIA_DRILL`), and the process was started with drills allowed.
///
/// Both sides send lines, whose fields are separated by tabs. If the tool goes
/// away, the process goes on undisturbed. All members may be called from any
/// thread.
class drill {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Connects to the tool, and gets its instructions.
  /// @param process the name of this process.
  /// @returns null if the environment names no tool, or drills are not allowed,
  ///          which is logged.
  /// @throws std::system_error if nobody listens there.
  static std::shared_ptr<drill> join(
    const options& opts, const std::string& process, spdlog::logger& log);

  /// @param socket connected to the tool; the drill closes it.
  drill(int socket, const std::string& process);

  drill(const drill&) = delete;

  drill& operator=(const drill&) = delete;

  ~drill();

  // -- injection points -------------------------------------------------------

  /// Tells which nodes this process runs.
  void introduce(const std::vector<std::string>& nodes);

  /// Tells that logical time began at `at`, by the monotonic clock.
  void started(std::int64_t at);

  /// Tells about a step of the protocol, and waits as long as the tool wants.
  /// @param node empty for a step of the whole application.
  void step(std::string_view name, std::string_view node = {},
            logical_time tag = never);

  // -- what the tool wants ----------------------------------------------------

  /// The code of a node, with the faults that the tool wants it to have. Lives
  /// as long as the drill.
  engine::body& disturb(const std::string& node, engine::body& code,
                        engine::node& engine);

  /// Where another process is reached, if not where it says.
  /// @returns false if the tool has nothing to say about it.
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
  std::string input_; // read, but not obeyed
  std::vector<std::pair<std::string, std::string>> watched_; // step, node
  std::vector<milestone> milestones_;
  std::vector<std::unique_ptr<fault>> faults_;
  std::map<std::string, std::pair<std::string, std::uint16_t>> addresses_;
  std::vector<std::unique_ptr<disturbed_body>> bodies_;
  std::mutex mutex_; // protects what follows, and the socket's output
  std::condition_variable changed_;
  std::uint64_t steps_ = 0;
  std::set<std::uint64_t> waiting_; // steps
  bool alone_ = false;              // the tool has gone
  std::thread listener_;            // last: uses the others
};

} // namespace caf::rosia::detail
