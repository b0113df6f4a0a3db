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

  /// How many requests a client has sent that are not answered.
  std::size_t in_flight = 16;

  /// How many requests are sent in all; without limit if there is none.
  std::optional<std::uint64_t> requests = {};

  /// A client gives a request up after this time. That makes the figures
  /// inexact, as nobody knows what becomes of it.
  std::chrono::nanoseconds patience = std::chrono::seconds{60};

  /// What all keys begin with; then comes the number of the request.
  std::string prefix = "";

  /// The keys of requests that need not be sent, because an earlier run of the
  /// service has stored them.
  std::unordered_set<std::string> stored_before = {};

  /// Called once, by some client, when so many requests are acknowledged.
  std::uint64_t announce_at = 0;
  std::function<void()> announce = {};

  /// Called by the last client when it has sent all that it wants, and has got
  /// all answers.
  std::function<void()> all_done = {};
};

/// What the clients know.
struct load_figures {
  std::uint64_t sent = 0;

  /// The keys of the requests that are stored, so the service says.
  std::vector<std::string> acknowledged = {};

  /// Answered with `service_errc::shutting_down`.
  std::uint64_t refused = 0;

  /// Answered by CAF: whoever had the request, or should get it, has ended.
  std::uint64_t turned_back = 0;

  /// Answered with another error, and what the first of these said.
  std::uint64_t failed = 0;
  std::string first_failure = {};

  /// Not answered.
  std::uint64_t given_up = 0;
};

/// What a client sends for a key.
std::string value_of(const std::string& key);

/// Clients, each on a thread of its own, which send as fast as the answers
/// come. They go on when they are refused, as clients do, until nobody is
/// there. They take no part in the shutdown: a client ends when it has got all
/// answers.
class load {
public:
  /// @param to is asked to store.
  load(caf::actor_system& sys, const acceptor_handle& to, load_options wanted);

  load(const load&) = delete;

  load& operator=(const load&) = delete;

  /// Stops the clients.
  ~load();

  /// Waits until every client has got all its answers.
  /// @returns the figures of all clients.
  load_figures join();

private:
  class client;

  /// Whether a client that sends requests may send one more.
  bool goes_on(const load_figures& so_far) const;

  /// A request is acknowledged.
  void note_acknowledged();

  /// A client ends.
  void note_end(load_figures figures);

  std::uint64_t last_number() const;

  const load_options wanted_;
  std::atomic<std::uint64_t> acknowledged_ = 0;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  std::size_t busy_;
  load_figures figures_; // of those that have ended
};

} // namespace existing_service
