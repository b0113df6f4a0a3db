// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <future>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Pending requests of the program for a checkpoint. Tests:
/// test/application/checkpoint_test.cpp.
class checkpoint_requests {
public:
  /// @returns the tag of the checkpoint, once it is complete.
  std::future<logical_time> add();

  /// Notes that the nodes are asked where they can stop.
  void note_asked();

  /// Sets the agreed tag of the requests that the nodes were asked about.
  void note_agreed(logical_time tag);

  /// Answers the requests that the checkpoint at a tag concerns.
  /// @param complete false if it failed.
  /// @param final whether it is the last one, which concerns all requests.
  void conclude(logical_time tag, bool complete, bool final);

  /// Answers all requests, because no further checkpoint is taken.
  void refuse();

private:
  struct request {
    std::promise<logical_time> result;
    bool asked = false;         // the nodes were asked after this request
    logical_time tag = forever; // the agreed tag
  };

  std::vector<request> all_;
};

} // namespace caf::rosia::detail
