// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "load.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>
#include <caf/typed_actor.hpp>

#include <deque>
#include <iterator>
#include <limits>
#include <utility>

#include "service_errc.hpp"

namespace existing_service {

namespace {

/// Keeps some requests in flight.
class client {
public:
  client(caf::actor_system& sys, acceptor_handle to, std::string prefix,
         std::chrono::nanoseconds patience)
    : self_(sys), to_(std::move(to)), prefix_(std::move(prefix)),
      patience_(patience) {
    // nop
  }

  void send() {
    auto key = prefix_ + std::to_string(++figures_.sent);
    auto request = key + '=' + value_of(key);
    pending_.push_back(
      {std::move(key), self_->request(to_, patience_, std::move(request))});
  }

  /// Waits for the answer to the oldest request.
  /// @returns whether it is acknowledged.
  bool receive() {
    auto [key, answer] = std::move(pending_.front());
    pending_.pop_front();
    auto stored = false;
    answer.receive([&](std::int64_t) { stored = true; },
                   [this](const caf::error& x) { note(x); });
    if (stored)
      figures_.acknowledged.push_back(std::move(key));
    return stored;
  }

  std::size_t in_flight() const noexcept {
    return pending_.size();
  }

  const load_figures& figures() const noexcept {
    return figures_;
  }

private:
  using answer_handle = decltype(std::declval<caf::scoped_actor&>()->request(
    std::declval<acceptor_handle&>(), std::chrono::nanoseconds{},
    std::string{}));

  struct pending {
    std::string key;
    answer_handle answer;
  };

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

  caf::scoped_actor self_;
  acceptor_handle to_;
  std::string prefix_;
  std::chrono::nanoseconds patience_;
  std::deque<pending> pending_;
  load_figures figures_;
};

void add(load_figures& to, load_figures& x) {
  to.sent += x.sent;
  to.acknowledged.insert(
    to.acknowledged.end(), std::make_move_iterator(x.acknowledged.begin()),
    std::make_move_iterator(x.acknowledged.end()));
  to.refused += x.refused;
  to.turned_back += x.turned_back;
  to.failed += x.failed;
  if (to.first_failure.empty())
    to.first_failure = x.first_failure;
  to.given_up += x.given_up;
}

} // namespace

std::string value_of(const std::string& key) {
  return "what belongs to " + key;
}

load::load(caf::actor_system& sys, const acceptor_handle& to,
           load_options wanted)
  : wanted_(std::move(wanted)), figures_(wanted_.clients),
    busy_(wanted_.clients) {
  for (std::size_t i = 0; i < wanted_.clients; ++i)
    threads_.emplace_back([this, &sys, to, i] { run_client(sys, to, i); });
}

load::~load() {
  stopped_ = true;
}

load_figures load::join() {
  threads_.clear();
  load_figures result;
  for (auto& x : figures_)
    add(result, x);
  return result;
}

void load::run_client(caf::actor_system& sys, acceptor_handle to,
                      std::size_t index) {
  client one{
    sys, std::move(to), wanted_.prefix + std::to_string(index + 1) + '-',
    wanted_.patience};
  const auto limit = share_of(index);
  auto goes_on = [&] {
    auto& x = one.figures();
    return !stopped_ && x.sent < limit && x.turned_back == 0 && x.given_up == 0;
  };
  while (goes_on() || one.in_flight() > 0) {
    while (goes_on() && one.in_flight() < wanted_.in_flight)
      one.send();
    if (one.receive() && ++acknowledged_ == wanted_.announce_at)
      wanted_.announce();
  }
  figures_[index] = one.figures();
  if (--busy_ == 0 && wanted_.all_done)
    wanted_.all_done();
}

std::uint64_t load::share_of(std::size_t index) const {
  if (!wanted_.requests)
    return std::numeric_limits<std::uint64_t>::max();
  const auto more = index < *wanted_.requests % wanted_.clients;
  return *wanted_.requests / wanted_.clients + (more ? 1 : 0);
}

} // namespace existing_service
