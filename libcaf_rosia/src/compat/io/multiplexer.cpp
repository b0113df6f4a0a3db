// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/multiplexer.hpp"

#include "compat/io/stream_scribe.hpp"

#include <caf/make_counted.hpp>
#include <caf/policy/tcp.hpp>

#include <cstddef>
#include <thread>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Number of posted jobs that run before the sockets are polled again.
constexpr std::size_t most_at_once = 64;

} // namespace

// -- constructors, destructors ------------------------------------------------

multiplexer::multiplexer(system_handle sys) : multiplexer_base(sys) {
  // nop
}

multiplexer::~multiplexer() {
  // nop
}

// -- overridden functions of multiplexer --------------------------------------

caf::io::scribe_ptr multiplexer::new_scribe(
  caf::io::network::native_socket fd) {
  caf::io::network::keepalive(fd, true);
  return caf::make_counted<stream_scribe<caf::policy::tcp>>(*this, fd);
}

bool multiplexer::take(caf::resumable* job) {
  auto is_ours = job->subtype() == caf::resumable::io_actor
                 || job->subtype() == caf::resumable::function_object;
  if (!is_ours || std::this_thread::get_id() != thread_id())
    return false;
  posted_.emplace_back(job, false);
  return true;
}

bool multiplexer::try_run_once() {
  return pass(false);
}

void multiplexer::run_once() {
  pass(true);
}

void multiplexer::run() {
  while (num_socket_handlers() > 0 || !unwritten_.empty())
    pass(true);
}

// -- passes -------------------------------------------------------------------

bool multiplexer::pass(bool may_wait) {
  // A job may be running, while another thread continues the loop here.
  handle_internal_events();
  auto result = poll_once(may_wait && posted_.empty() && unwritten_.empty());
  for (std::size_t n = 0;;) {
    // Write first, because posted jobs may take long.
    result |= write();
    if (n >= most_at_once || (posted_.empty() && unwritten_.empty()))
      return result;
    auto ran = run_posted();
    result |= ran > 0;
    n += ran + 1;
  }
}

std::size_t multiplexer::run_posted() {
  std::size_t n = 0;
  for (auto last = posted_.size(); n < last && !posted_.empty(); ++n) {
    auto next = std::move(posted_.front());
    posted_.pop_front();
    resume(std::move(next));
  }
  return n;
}

bool multiplexer::write() {
  // Not empty if a broker's handler threw an exception.
  writing_.clear();
  std::swap(unwritten_, writing_);
  for (auto& x : writing_)
    x->write();
  handle_internal_events();
  for (auto& x : writing_)
    x->written();
  auto result = !writing_.empty();
  writing_.clear();
  return result;
}

} // namespace caf::rosia::detail
