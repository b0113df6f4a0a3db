// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network/introduction.hpp"

#include "network/sockets.hpp"

#include <utility>

namespace caf::rosia::detail {

introduction::introduction(channel way, admission::side self, std::string token)
  : way_(std::move(way)), self_(self), token_(std::move(token)) {
  // nop
}

introduction::step introduction::go_on() {
  if (!admission_) {
    if (auto x = way_.shake_hands(); x != channel::state::done) {
      stop(x);
      return step_;
    }
    admission_.emplace(self_, token_, way_.binding());
  }
  for (;;) {
    output_ += admission_->output();
    // A process that is not admitted is notified.
    if (!write_all())
      return step_;
    if (admission_->wanted() == 0)
      break;
    if (!read_wanted())
      return step_;
    admission_->take(std::exchange(input_, {}));
  }
  if (admission_->current() == admission::state::admitted)
    step_ = step::done;
  else
    fail(admission_->problem());
  return step_;
}

bool introduction::finish(std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    auto next = go_on();
    if (next == step::done || next == step::failed)
      return next == step::done;
    if (!wait_for(way_.fd(), next == step::write, deadline))
      return false;
  }
}

bool introduction::write_all() {
  while (!output_.empty()) {
    std::size_t n = 0;
    if (auto x = way_.write(output_.data(), output_.size(), n);
        x != channel::state::done)
      return stop(x);
    output_.erase(0, n);
  }
  return true;
}

bool introduction::read_wanted() {
  auto size = admission_->wanted();
  while (input_.size() < size) {
    auto has = input_.size();
    std::size_t n = 0;
    input_.resize(size);
    auto x = way_.read(input_.data() + has, size - has, n);
    input_.resize(has + n);
    if (x != channel::state::done)
      return stop(x);
  }
  return true;
}

bool introduction::stop(channel::state x) {
  switch (x) {
    case channel::state::wants_read:
      step_ = step::read;
      break;
    case channel::state::wants_write:
      step_ = step::write;
      break;
    default:
      fail(way_.problem());
  }
  return false;
}

void introduction::fail(std::string problem) {
  step_ = step::failed;
  problem_ = std::move(problem);
}

} // namespace caf::rosia::detail
