// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_requests.hpp"

#include <exception>
#include <stdexcept>

namespace caf::rosia::detail {

namespace {

void fail(std::promise<logical_time>& x, const std::string& reason) {
  x.set_exception(std::make_exception_ptr(std::runtime_error(reason)));
}

} // namespace

std::future<logical_time> checkpoint_requests::add() {
  return all_.emplace_back().result.get_future();
}

void checkpoint_requests::note_asked() {
  for (auto& x : all_)
    x.asked = true;
}

void checkpoint_requests::note_agreed(logical_time tag) {
  for (auto& x : all_)
    if (x.asked && x.tag == forever)
      x.tag = tag;
}

void checkpoint_requests::conclude(
  logical_time tag, bool complete, bool final) {
  std::erase_if(all_, [&](auto& x) {
    // A planned checkpoint before the agreed tag may lack what preceded the
    // request.
    if (!final && tag != x.tag && !(complete && tag > x.tag))
      return false;
    if (complete)
      x.result.set_value(tag);
    else
      fail(x.result, "the checkpoint at tag " + to_string(tag)
                       + " was not taken; the log tells why");
    return true;
  });
}

void checkpoint_requests::refuse() {
  for (auto& x : all_)
    fail(x.result, "no checkpoint was taken: the application ended");
  all_.clear();
}

} // namespace caf::rosia::detail
