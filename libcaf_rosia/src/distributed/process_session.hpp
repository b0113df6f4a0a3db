// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/network_runner.hpp"
#include "distributed/gateway.hpp"
#include "distributed/membership.hpp"
#include "distributed/process_messages.hpp"
#include "distributed/validation.hpp"
#include "runtime/session.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The communication between the processes of a running application, by their
/// actors and by the gateway. Tests: test/distributed.
class process_session final : public session {
public:
  /// @param group must outlive the run, and need not outlive this object.
  /// @param number,processes as agreed by all processes.
  process_session(caf::actor_system& sys, membership& group,
                  std::uint64_t number, std::size_t processes);

  ~process_session() override;

  // -- overridden functions of session ----------------------------------------

  void meet(const std::vector<engine::process_id>& processes) override;

  void open(run_context& run) override;

  std::int64_t begin(const std::shared_ptr<runtime>& run) override;

  void dismiss() override;

  void close_links() override;

  void close() override;

  void end_all(int status, logical_time final,
               std::chrono::nanoseconds patience,
               std::function<void()> done) override;

  void hurry() override;

  void kill_others() noexcept override;

  void send(engine::node_id from, engine::node_id to,
            std::vector<engine::envelope>& batch) override;

  void note_restored(std::uint32_t connection, std::uint64_t count) override;

  void note_idle(engine::node_id id, bool owes_acks) override;

  void note_exit(engine::node_id id) override;

  void flush() override;

  std::optional<traffic> sent() const override;

  caf::actor self() const override;

  caf::actor peer(engine::process_id process) const override;

  void abort(engine::process_id process, std::string reason) override;

  void announce_end(const std::string& reason) override;

  void request_progress(logical_time final) override;

  void note_progress(engine::process_id process,
                     std::uint64_t progress) noexcept override;

  std::uint64_t progress() const noexcept override;

  void lose(engine::process_id process) override;

  bool has_lost(engine::process_id process) const noexcept override;

  void give_report() override;

  void watch_lag() override;

  void leave_coordinator(std::string reason, int status) override;

  answers request_reports(engine::process_id first,
                          engine::process_id last) override;

  std::optional<caf::expected<application_report>> request_report_of_all()
    override;

private:
  correspondence way_from(engine::process_id process) const;

  caf::actor_system* system_;
  membership* group_;
  std::uint64_t number_;
  engine::process_id self_;
  std::vector<process_handle> peers_; // by process
  caf::actor_addr own_address_;       // of the actor of this process
  run_context* run_ = nullptr;
  std::shared_ptr<network_runner> runner_; // with the gateway

  // By process.
  std::unique_ptr<std::atomic<bool>[]> lost_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> progress_;
  std::vector<bool> aborted_; // for the coordinator

  mutable std::mutex mutex_; // protects changes of the members below
  std::unique_ptr<gateway> gateway_;
  process_handle own_process_; // until the end of the run
};

} // namespace caf::rosia::detail
