// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "engine/stamp_log.hpp"
#include "engine/stamped_queue.hpp"
#include "engine/topology.hpp"
#include "engine/tracer.hpp"
#include "nodes/value_text.hpp"
#include "run_file/recording.hpp"
#include "run_file/writer.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/timekeeper.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The graph as a run file has it. @param opts name the recorded ports.
run_file::graph_record describe_graph(
  const options& opts, const node_directory& nodes,
  const engine::topology& graph);

/// How a run file names a connection: "camera.image to filter.in".
std::string connection_name(
  const node_directory& nodes, const engine::connection_spec& x);

/// Records a run: section 8.1 of the semantics. What nodes tell is kept in
/// memory, up to a limit, until the file's thread takes it, a few times a
/// second. As a tracer it is for those nodes only that have recorded ports.
class recorder final : public engine::tracer, public engine::stamp_log {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Writes what the run is.
  /// @param file nodes, time outlive it.
  /// @param uuid the same in all processes.
  /// @throws graph_error if the values of a trigger, of an input that takes
  ///         values from outside, or of a recorded port, cannot be saved; and
  ///         if no port fits a name in `record_ports`.
  /// @throws std::runtime_error if the file cannot be written.
  recorder(run_file::writer& file, const options& opts,
           const node_directory& nodes, const engine::topology& graph,
           const timekeeper& time, const std::string& uuid);

  recorder(const recorder&) = delete;

  recorder& operator=(const recorder&) = delete;

  ~recorder() override;

  /// Whether a node has ports that are recorded.
  bool traces(engine::node_id node) const noexcept {
    return buffers_[node] != nullptr;
  }

  /// What is not recorded, although somebody wants it.
  const std::vector<std::string>& warnings() const noexcept {
    return warnings_;
  }

  /// Called when the run starts.
  void begin();

  /// Writes the end, and waits until the disk has it. Called when no node runs
  /// any more. @returns what the recording lacks; empty if nothing.
  std::string finish(const run_file::end_record& end);

  // -- overridden functions of engine::stamp_log ------------------------------

  void add(engine::node_id node, const engine::stamped_value& x) override;

  // -- overridden functions of engine::tracer ---------------------------------

  void input(engine::node_id node, logical_time tag, std::uint32_t port,
             std::uint32_t connection, const engine::value& content) override;

  void send(engine::node_id node, logical_time tag, std::uint32_t connection,
            logical_time arrival, const engine::value& content) override;

  /// It is of no interest, and reading the clock takes longer than the rest.
  std::int64_t elapsed(engine::host&) override {
    return 0;
  }

  // What follows is of no interest, either.

  void start(engine::node_id, std::int64_t) override {}

  void execute(engine::node_id, logical_time, logical_time,
               std::int64_t) override {}

  void resume(engine::node_id, logical_time, std::uint32_t) override {}

  void trigger(engine::node_id, logical_time, std::uint32_t,
               const engine::value&) override {}

  void schedule(engine::node_id, logical_time, std::uint32_t, logical_time,
                const engine::value&) override {}

  void action(engine::node_id, logical_time, std::uint32_t,
              const engine::value&) override {}

  void reaction(engine::node_id, logical_time, std::uint32_t) override {}

  void promise(engine::node_id, std::uint32_t, logical_time) override {}

  void drop(engine::node_id, bool, std::uint32_t,
            engine::drop_reason) override {}

  void proposal(engine::node_id, logical_time) override {}

  void answer(engine::node_id, logical_time) override {}

  void final_taken(engine::node_id, logical_time) override {}

  void error(engine::node_id, const engine::failure&) override {}

  void shutdown(engine::node_id, logical_time, engine::ending) override {}

  void exit(engine::node_id) override {}

private:
  struct event_entry {
    engine::node_id node;
    std::size_t size; // bytes, about
    engine::stamped_value value;
  };

  /// A value that passed a recorded port.
  struct value_entry {
    std::uint32_t port; // its index in ports_
    std::uint32_t size; // bytes, about
    logical_time tag;
    engine::value content;
  };

  /// A recorded port.
  struct port_entry {
    explicit port_entry(std::int64_t x) noexcept : row(x) {
      // nop
    }

    std::int64_t row;                   // in the file
    std::atomic<std::uint32_t> size{0}; // bytes of its latest value
  };

  /// What a node has told since it was written last.
  struct buffer {
    std::mutex mutex;
    std::vector<value_entry> values;   // guarded by mutex
    std::size_t uncharged = 0;         // bytes that pending_ does not have yet
    std::vector<std::uint32_t> inputs; // by input: in ports_, or none
  };

  /// What a transaction takes.
  struct batch {
    std::uint64_t events = 0;
    std::uint64_t values = 0;
    std::int64_t reached = 0; // before
  };

  static constexpr auto none = ~std::uint32_t{0};

  void select_ports(const run_file::graph_record& record);

  void require_savable(const run_file::graph_record& record) const;

  void keep(engine::node_id node, std::uint32_t port, logical_time tag,
            const engine::value& content);

  /// Has everything written that was told until then, again and again.
  void post();

  /// Posts nothing any more.
  void stop();

  // -- on the file's thread ---------------------------------------------------

  void write(run_file::database& to, batch& taken);

  void write_events(run_file::database& to,
                    const std::vector<event_entry>& events);

  void write_values(run_file::database& to,
                    const std::vector<value_entry>& values);

  /// Binds a value's bytes and text from this parameter on.
  void bind(run_file::statement& to, int index, const engine::value& x);

  /// What was taken is not in the file.
  void note_loss(const batch& taken);

  std::vector<std::string> warnings_;
  run_file::writer& file_;
  const node_directory& nodes_;
  const engine::topology& graph_;
  const timekeeper& time_;
  run_file::run_rows rows_; // written by the constructor
  std::deque<port_entry> ports_;
  std::vector<std::uint32_t> outputs_; // by connection: in ports_, or none
  std::vector<std::unique_ptr<buffer>> buffers_; // by node; null if none
  std::vector<event_entry> events_;      // guarded by the stamp log's mutex
  std::atomic<std::size_t> pending_ = 0; // bytes of values and events, about
  std::atomic<std::uint64_t> lost_events_ = 0;
  std::atomic<std::uint64_t> lost_values_ = 0;
  std::atomic<std::uint32_t> event_size_ = 0; // bytes of the latest event
  std::mutex post_mutex_;
  bool over_ = false; // guarded by post_mutex_

  // Used by the file's thread.
  run_file::reach_record reach_;
  value_text text_;
  std::vector<char> bytes_;
};

} // namespace caf::rosia::detail
