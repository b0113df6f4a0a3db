// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "service.hpp"

namespace existing_service {

struct load_options {
  std::size_t clients = 4;

  /// Number of unanswered requests per client.
  std::size_t in_flight = 16;

  /// Number of requests in total; unlimited if empty.
  std::optional<std::uint64_t> requests = {};

  /// A client gives up a request after this time. Its outcome is then unknown,
  /// which makes the figures inexact.
  std::chrono::nanoseconds patience = std::chrono::seconds{60};

  /// Common prefix of all keys, followed by the number of the request.
  std::string prefix = "";

  /// The keys that an earlier run of the service stored. They are not sent
  /// again.
  std::unordered_set<std::string> stored_before = {};

  /// Called once, when this number of requests is acknowledged.
  std::uint64_t announce_at = 0;
  std::function<void()> announce = {};

  /// Called by the last client when it has sent all requests and received all
  /// answers.
  std::function<void()> all_done = {};
};

/// The clients' counters.
struct load_figures {
  std::uint64_t sent = 0;

  /// The keys that the service reported as stored.
  std::vector<std::string> acknowledged = {};

  /// Answered with `service_errc::shutting_down`.
  std::uint64_t refused = 0;

  /// Answered by CAF: an actor that held the request, or its receiver, had
  /// ended.
  std::uint64_t turned_back = 0;

  /// Answered with another error, and the text of the first such error.
  std::uint64_t failed = 0;
  std::string first_failure = {};

  /// Number of requests without an answer.
  std::uint64_t given_up = 0;
};

/// Returns the value that a client sends with a key.
std::string value_of(const std::string& key);

/// Clients, each on its own thread, that send as fast as answers arrive. Like
/// real clients they continue after a refusal, until the service has exited.
/// They take no part in the shutdown: a client ends when all its requests are
/// answered.
class load {
public:
  /// @param to receives the requests.
  load(caf::actor_system& sys, const acceptor_handle& to, load_options wanted);

  load(const load&) = delete;

  load& operator=(const load&) = delete;

  /// Stops the clients.
  ~load();

  /// Waits until all requests of all clients are answered.
  /// @returns the sums of the clients' figures.
  load_figures join();

private:
  class client;

  /// Returns whether a client may send another request.
  bool goes_on(const load_figures& so_far) const;

  /// Counts an acknowledged request.
  void note_acknowledged();

  /// Adds the figures of a client that ends.
  void note_end(load_figures figures);

  std::uint64_t last_number() const;

  const load_options wanted_;
  std::atomic<std::uint64_t> acknowledged_ = 0;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  std::size_t busy_;
  load_figures figures_; // sums over the clients that have ended
};

} // namespace existing_service
