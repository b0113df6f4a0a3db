// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/multiplexer.hpp"

#include <caf/io/network/operation.hpp>
#include <caf/io/network/scribe_impl.hpp>
#include <caf/make_counted.hpp>

#include <cstddef>
#include <thread>
#include <utility>

namespace caf::rosia {

namespace {

/// How much that was left to do is done before the sockets get their turn.
constexpr std::size_t most_at_once = 64;

} // namespace

/// CAF's, which writes when the loop tells it to.
class multiplexer::scribe : public caf::io::network::scribe_impl {
public:
  scribe(multiplexer& home, caf::io::network::native_socket fd)
    : scribe_impl(home, fd), home_(home) {
    // nop
  }

  void flush() override {
    // CAF flushes after each read, whether there is something to write or not.
    if (!pending_ && !wr_buf().empty()) {
      pending_ = true;
      home_.unwritten_.emplace_back(this);
    }
  }

  void graceful_shutdown() override {
    if (std::exchange(pending_, false))
      scribe_impl::flush();
    scribe_impl::graceful_shutdown();
  }

  /// Writes what the socket takes, unless it is being waited for.
  void write() {
    if (!std::exchange(pending_, false) || waits_for_socket()
        || wr_buf().empty())
      return;
    scribe_impl::flush();
    stream_.handle_event(caf::io::network::operation::write);
  }

  /// The loop knows now whether there is more to write.
  void written() {
    // CAF tells this to who has waited.
    if (!waits_for_socket())
      stream_.removed_from_loop(caf::io::network::operation::write);
  }

private:
  bool waits_for_socket() const {
    return (stream_.eventbf() & caf::io::network::output_mask) != 0;
  }

  multiplexer& home_;
  bool pending_ = false; // is among what is unwritten
};

// -- constructors, destructors ------------------------------------------------

multiplexer::multiplexer(caf::actor_system* sys)
  : caf::io::network::default_multiplexer(sys) {
  // nop
}

multiplexer::~multiplexer() {
  // nop
}

// -- overridden functions of multiplexer --------------------------------------

caf::io::scribe_ptr multiplexer::new_scribe(
  caf::io::network::native_socket fd) {
  caf::io::network::keepalive(fd, true);
  return caf::make_counted<scribe>(*this, fd);
}

void multiplexer::exec_later(caf::resumable* what) {
  auto is_ours = what->subtype() == caf::resumable::io_actor
                 || what->subtype() == caf::resumable::function_object;
  if (is_ours && std::this_thread::get_id() == thread_id())
    posted_.emplace_back(what, false);
  else
    default_multiplexer::exec_later(what);
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
  // Another thread may go on here while something that was posted is busy.
  handle_internal_events();
  auto result = poll_once(may_wait && posted_.empty() && unwritten_.empty());
  for (std::size_t n = 0;;) {
    // First: what was posted may take its time.
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
  // Not empty if a broker's handler has thrown an exception.
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

} // namespace caf::rosia
