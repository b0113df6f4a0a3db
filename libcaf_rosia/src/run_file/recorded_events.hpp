// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "run_file/database.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::run_file {

/// An external event with a value.
struct event_record {
  std::string node;
  std::string source; // "action", "physical" or "watchdog"
  std::string name;   // of the action or watchdog, or "from to input"
  logical_time tag;
  std::vector<char> bytes;
  std::optional<std::string> text; // only if the events of all nodes are read
};

/// A deadline of a reaction that has passed. Tests:
/// test/recording/deadlines_test.cpp.
struct deadline_record {
  /// The point at which it was checked; see `engine::passed_deadline`.
  enum class point : std::uint8_t { start, reaction, resumption };

  std::string node;
  std::string reaction;
  logical_time tag;
  point where = point::start;
  std::uint64_t calls = 0;
};

/// Returns the text of a deadline in run files: "at the
/// start", "in the reaction, calls: 3" or "after a yield, calls: 3".
std::string text_of(const deadline_record& x);

/// A value that arrived too late over a connection with a maximal wait. The
/// value is not recorded, because its sender sends it in a replay as well.
/// Tests: test/recording/max_waits_test.cpp.
struct tardy_record {
  std::string node;
  std::string connection; // "from to input"
  logical_time intended;
  logical_time tag; // `forever` if it was dropped
};

/// Returns the text of a tardy value in run files: "at 5ms" or "dropped".
std::string text_of(const tardy_record& x);

/// The external events of a run, in the files of its processes, which stay
/// open. Any thread may use it. Tests: test/run_file/recorded_events_test.cpp.
class recorded_events {
public:
  /// The recording of one process.
  struct part {
    std::unique_ptr<database> file;
    std::int64_t run = 0; // the run's row
  };

  /// @param final the last tag of the events, except those of nodes in `done`.
  /// @param done the nodes with events up to a later tag.
  recorded_events(std::vector<part> parts, logical_time final,
                  std::map<std::string, logical_time> done);

  /// Closes the files. There are no further events.
  void close();

private:
  friend class event_reader;
  friend class text_event_reader;

  logical_time last_of(const std::string& node) const;

  std::mutex mutex_;
  std::vector<part> parts_; // guarded by mutex_
  logical_time final_;
  std::map<std::string, logical_time> done_;
};

/// Reads the values of one node, or of all nodes, several at a time. One thread
/// at a time may use it. Tests: test/run_file/recorded_events_test.cpp.
class event_reader {
public:
  /// Reads the events of all nodes, process by process, in the order of
  /// recording.
  explicit event_reader(std::shared_ptr<recorded_events> from);

  /// Reads the events of a node, in the order of their tags.
  event_reader(std::shared_ptr<recorded_events> from, std::string node);

  /// Returns the next events; none at the end.
  /// @param bytes the approximate memory for the result; a single event may
  ///   exceed it.
  /// @throws std::runtime_error if the file is damaged.
  std::vector<event_record> next(std::size_t bytes);

private:
  void read(recorded_events::part& from, std::size_t bytes,
            std::vector<event_record>& to);

  statement& select(recorded_events::part& from) const;

  /// Adds the event in a row.
  /// @returns whether there may be later events.
  bool add(const database& file, const statement& row,
           std::vector<event_record>& to);

  std::shared_ptr<recorded_events> from_;
  std::optional<std::string> node_; // none if the events of all nodes are read
  std::size_t part_ = 0;
  std::int64_t row_ = 0;                     // the last row that was read
  std::map<std::string, logical_time> last_; // by node
};

/// Reads the events of one source without a value, several at a time. One
/// thread at a time may use it. Tests: test/recording.
class text_event_reader {
public:
  struct entry {
    logical_time tag;
    std::string text;
  };

  /// @param source "deadline" or "tardy".
  /// @param name of the reaction, or of the connection.
  text_event_reader(std::shared_ptr<recorded_events> from, std::string source,
                    std::string node, std::string name);

  /// Returns the next ones, in the order of their tags; none at the end.
  /// @throws std::runtime_error if the file is damaged.
  std::vector<entry> next();

  /// @throws std::runtime_error because the text of `x` has no meaning, or it
  /// is not in order.
  [[noreturn]] void refuse(const entry& x) const;

private:
  /// @returns whether the part may have more.
  bool read(recorded_events::part& from, std::vector<entry>& to);

  std::shared_ptr<recorded_events> from_;
  std::string source_;
  std::string node_;
  std::string name_;
  std::size_t part_ = 0;
  std::int64_t row_ = 0; // the last row that was read
  logical_time last_ = never;
};

/// Reads the deadlines of a reaction that have passed, several at a time. One
/// thread at a time may use it. Tests: test/recording/deadlines_test.cpp.
class deadline_reader {
public:
  deadline_reader(std::shared_ptr<recorded_events> from, std::string node,
                  std::string reaction);

  /// Returns the next ones, in the order of their tags; none at the end.
  /// @throws std::runtime_error if the file is damaged.
  std::vector<deadline_record> next();

private:
  text_event_reader reader_;
  std::string node_;
  std::string reaction_;
};

/// Reads the tardy values of a connection, several at a time. One thread at a
/// time may use it. Tests: test/recording/max_waits_test.cpp.
class tardy_reader {
public:
  /// @param connection "from to input", where the input is one of `node`.
  tardy_reader(std::shared_ptr<recorded_events> from, std::string node,
               std::string connection);

  /// Returns the next ones, in the order of their arrivals; none at the end.
  /// @throws std::runtime_error if the file is damaged.
  std::vector<tardy_record> next();

private:
  text_event_reader reader_;
  std::string node_;
  std::string connection_;
};

} // namespace caf::rosia::run_file
