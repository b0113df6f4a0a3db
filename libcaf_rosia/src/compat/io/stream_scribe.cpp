// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/stream_scribe.hpp"

#include "compat/io/loop_events.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/io/network/operation.hpp>

namespace caf::rosia::detail {

late_scribe::late_scribe(caf::io::network::default_multiplexer& home,
                         caf::io::network::native_socket fd)
  : deferred_scribe(home, caf::io::network::conn_hdl_from_socket(fd)) {
  // nop
}

void late_scribe::flush() {
  // CAF flushes after each read, even if there is nothing to write.
  if (!wr_buf().empty() && !defer())
    stream().flush(this);
}

void late_scribe::graceful_shutdown() {
  if (take_back())
    stream().flush(this);
  stream().graceful_shutdown();
  detach(&stream().backend(), false);
}

void late_scribe::write() {
  if (!take_back() || waits_for_socket() || wr_buf().empty())
    return;
  stream().flush(this);
  stream().handle_event(caf::io::network::operation::write);
}

void late_scribe::written() {
  // CAF calls this function for connections that were waiting.
  if (!waits_for_socket())
    stream().removed_from_loop(caf::io::network::operation::write);
}

void late_scribe::stop_reading() {
  auto& loop = stream().backend();
  stream().passivate();
  // If an event is removed before the loop has told the system to add it, CAF
  // reports no removal, and the stream would keep this object forever. The
  // caller still uses this object, so the removal is posted.
  if (!waits_for(stream(), caf::io::network::operation::read))
    loop.post([self = caf::intrusive_ptr<late_scribe>{this}] {
      self->stream().removed_from_loop(caf::io::network::operation::read);
    });
}

bool late_scribe::waits_for_socket() {
  return waits_for(stream(), caf::io::network::operation::write);
}

} // namespace caf::rosia::detail
