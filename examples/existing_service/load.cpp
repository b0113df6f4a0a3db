// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "load.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "service_errc.hpp"

namespace existing_service {

namespace {

void add(load_figures& to, load_figures x) {
  to.sent += x.sent;
  std::move(x.acknowledged.begin(), x.acknowledged.end(),
            std::back_inserter(to.acknowledged));
  to.refused += x.refused;
  to.turned_back += x.turned_back;
  to.failed += x.failed;
  if (to.first_failure.empty())
    to.first_failure = std::move(x.first_failure);
  to.given_up += x.given_up;
}

} // namespace

std::string value_of(const std::string& key) {
  return "what belongs to " + key;
}

/// Keeps a number of requests in flight.
class load::client : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, load& parent, acceptor_handle to,
         std::size_t index)
    : caf::event_based_actor(cfg), parent_(parent), to_(std::move(to)),
      next_(index + 1), last_(parent.last_number()) {
    // nop
  }

  /// No behavior: the actor ends when no request is in flight.
  caf::behavior make_behavior() override {
    for (std::size_t i = 0; i < parent_.wanted_.in_flight; ++i)
      send_next();
    return {};
  }

  void on_exit() override {
    to_ = nullptr;
    parent_.note_end(std::move(figures_));
  }

private:
  void send_next() {
    if (!parent_.goes_on(figures_))
      return;
    auto key = next_key();
    if (key.empty())
      return;
    ++figures_.sent;
    auto text = key + '=' + value_of(key);
    request(to_, parent_.wanted_.patience, std::move(text))
      .then(
        [this, key = std::move(key)](std::int64_t) {
          figures_.acknowledged.push_back(key);
          parent_.note_acknowledged();
          send_next();
        },
        [this](const caf::error& x) {
          note(x);
          send_next();
        });
  }

  /// Returns the next key of this client, which uses every n-th number.
  /// @returns an empty text if all requests were sent.
  std::string next_key() {
    auto& wanted = parent_.wanted_;
    while (next_ <= last_) {
      auto key = wanted.prefix + std::to_string(next_);
      next_ += wanted.clients;
      if (!wanted.stored_before.contains(key))
        return key;
    }
    return {};
  }

  void note(const caf::error& x) {
    if (is(x, service_errc::shutting_down)) {
      ++figures_.refused;
    } else if (x == caf::sec::request_receiver_down) {
      ++figures_.turned_back;
    } else if (x == caf::sec::request_timeout) {
      ++figures_.given_up;
    } else if (++figures_.failed == 1) {
      figures_.first_failure = text_of(x);
    }
  }

  load& parent_; // until on_exit
  acceptor_handle to_;
  std::uint64_t next_;
  const std::uint64_t last_;
  load_figures figures_;
};

load::load(caf::actor_system& sys, const acceptor_handle& to,
           load_options wanted)
  : wanted_(std::move(wanted)), busy_(wanted_.clients) {
  for (std::size_t i = 0; i < wanted_.clients; ++i)
    sys.spawn<client, caf::detached>(*this, to, i);
}

load::~load() {
  stopped_ = true;
  join();
}

load_figures load::join() {
  std::unique_lock guard{mutex_};
  changed_.wait(guard, [this] { return busy_ == 0; });
  return std::exchange(figures_, {});
}

bool load::goes_on(const load_figures& so_far) const {
  return !stopped_ && so_far.turned_back == 0 && so_far.given_up == 0;
}

void load::note_acknowledged() {
  if (++acknowledged_ == wanted_.announce_at)
    wanted_.announce();
}

void load::note_end(load_figures figures) {
  std::lock_guard guard{mutex_};
  add(figures_, std::move(figures));
  if (--busy_ > 0)
    return;
  if (wanted_.all_done)
    wanted_.all_done();
  changed_.notify_all();
}

std::uint64_t load::last_number() const {
  // Half of the range, so that the clients' counters cannot overflow.
  return wanted_.requests.value_or(
    std::numeric_limits<std::uint64_t>::max() / 2);
}

} // namespace existing_service
