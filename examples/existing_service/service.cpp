// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "service.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "service_errc.hpp"

namespace existing_service {

namespace {

using namespace std::chrono_literals;

/// Each request gets exactly one answer, however the service ends:
///
/// - The acceptor and the workers delegate. So only the actor whose mailbox
///   holds the request owes the answer, and no pending promise can be lost.
/// - The store commits and answers in one handler. An aborted actor still
///   finishes its current handler, so commit and answer belong together.
/// - CAF answers requests to an actor that has ended, and those left in its
///   mailbox, with `sec::request_receiver_down`. None of them is stored.
class store_actor : public store_handle::base {
public:
  store_actor(caf::actor_config& cfg, database data,
              std::chrono::nanoseconds slowness)
    : store_handle::base(cfg), data_(std::move(data)), slowness_(slowness) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](const std::string& key, const std::string& value,
                   std::uint32_t checksum) {
      return store({key, value, checksum});
    }};
  }

  void on_exit() override {
    data_.reset(); // handles may keep this actor alive for longer
  }

private:
  caf::result<std::int64_t> store(const entry& x) {
    std::this_thread::sleep_for(slowness_);
    try {
      return data_->insert(x);
    } catch (const database_error& problem) {
      // An exception would end the store.
      return make_error(service_errc::not_stored, problem.what());
    }
  }

  std::optional<database> data_;
  std::chrono::nanoseconds slowness_;
};

class worker_actor : public worker_handle::base {
public:
  worker_actor(caf::actor_config& cfg, store_handle store)
    : worker_handle::base(cfg), store_(std::move(store)) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](const std::string& request) { return work(request); }};
  }

  void on_exit() override {
    store_ = nullptr;
  }

private:
  caf::result<std::int64_t> work(const std::string& request) {
    auto parsed = parse_request(request);
    if (!parsed)
      return std::move(parsed.error());
    return delegate(store_, std::move(parsed->key), std::move(parsed->value),
                    parsed->checksum);
  }

  store_handle store_;
};

/// The only entrance. An admitted request is processed, unless the deadline
/// passes.
class acceptor_actor : public acceptor_handle::base {
public:
  acceptor_actor(caf::actor_config& cfg, std::vector<worker_handle> workers,
                 std::stop_token closed, std::shared_ptr<door_figures> figures)
    : acceptor_handle::base(cfg), workers_(std::move(workers)),
      closed_(std::move(closed)), figures_(std::move(figures)) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](const std::string& request) { return accept(request); }};
  }

  void on_exit() override {
    workers_.clear();
  }

private:
  caf::result<std::int64_t> accept(const std::string& request) {
    // Counted before the answer is sent.
    if (closed_.stop_requested()) {
      ++figures_->refused;
      return make_error(service_errc::shutting_down, "the service shuts down");
    }
    ++figures_->accepted;
    next_ = (next_ + 1) % workers_.size();
    return delegate(workers_[next_], request);
  }

  std::vector<worker_handle> workers_;
  std::size_t next_ = 0;
  std::stop_token closed_;
  std::shared_ptr<door_figures> figures_;
};

caf::rosia::part_options in_phase(const char* name) {
  caf::rosia::part_options result;
  result.phase = name;
  return result;
}

/// Phases follow the direction of the requests. When a phase begins, its
/// actors' mailboxes hold all requests of the earlier phases.
void add_phases(caf::rosia::shutdown& to, std::chrono::nanoseconds deadline) {
  auto add = [&](const char* name, std::vector<std::string> after,
                 std::chrono::nanoseconds timeout) {
    caf::rosia::phase_options opts;
    opts.after = std::move(after);
    opts.timeout = timeout;
    to.phase(name, std::move(opts));
  };
  add("accept", {"threads"}, 2s);
  add("work", {"accept"}, 5s);
  add("store", {"work"}, deadline + 1s); // so that the deadline passes first
  add("final", {"actors", "store"}, 5s);
}

} // namespace

acceptor_handle start_service(
  caf::actor_system& sys, caf::rosia::shutdown& shutdown, database data,
  const service_options& wanted, std::shared_ptr<door_figures> figures) {
  add_phases(shutdown, wanted.deadline);
  // Detached, because it waits for the disk.
  store_handle store
    = sys.spawn<store_actor, caf::detached>(std::move(data), wanted.slowness);
  shutdown.adopt(store, "store", in_phase("store"));
  std::vector<worker_handle> workers;
  for (std::size_t i = 1; i <= wanted.workers; ++i) {
    workers.push_back(sys.spawn<worker_actor>(store));
    shutdown.adopt(
      workers.back(), "worker " + std::to_string(i), in_phase("work"));
  }
  acceptor_handle result = sys.spawn<acceptor_actor>(
    std::move(workers), shutdown.token(), std::move(figures));
  shutdown.adopt(result, "acceptor", in_phase("accept"));
  return result;
}

} // namespace existing_service
