// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/outside_requests.hpp"

#include "caf/rosia/detail/sending.hpp"
namespace caf::rosia::detail {

void outside_requests::request_end(int signal) {
  std::lock_guard guard{mutex_};
  signal_ = signal;
  if (open_)
    send_request(signal);
}

void outside_requests::abort(int status) {
  std::lock_guard guard{mutex_};
  abort_ = abort_application{status, "a request from outside", {}};
  if (open_)
    run_->actors().send_to_coordinator(*abort_);
}

void outside_requests::request_report() {
  std::lock_guard guard{mutex_};
  if (open_ && run_->actors().coordinator())
    send_anonymously(run_->actors().coordinator(), report_request{});
}

void outside_requests::open() {
  std::lock_guard guard{mutex_};
  open_ = true;
  if (signal_)
    send_request(*signal_);
  if (abort_)
    run_->actors().send_to_coordinator(*abort_);
}

void outside_requests::close() {
  std::lock_guard guard{mutex_};
  open_ = false;
}

void outside_requests::send_request(int signal) {
  run_->actors().send_to_coordinator(
    request_from_outside{never, signal, run_->nodes().self()});
}

} // namespace caf::rosia::detail
