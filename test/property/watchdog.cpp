// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/watchdog.hpp"

#include "nodes/node_access.hpp"

#include <cstdio>
#include <cstdlib>

namespace property {

// -- constructors, destructors ------------------------------------------------

watchdog::watchdog(std::chrono::seconds patience)
  : patience_(patience), thread_([this] { watch(); }) {
  // nop
}

watchdog::~watchdog() {
  {
    std::lock_guard guard{mutex_};
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// -- watching -----------------------------------------------------------------

watchdog::scope::scope(watchdog& dog, std::string label, const company& nodes)
  : dog_(&dog), label_(std::move(label)), nodes_(&nodes),
    since_(std::chrono::steady_clock::now()) {
  std::lock_guard guard{dog.mutex_};
  position_ = dog.runs_.insert(dog.runs_.end(), this);
}

watchdog::scope::~scope() {
  std::lock_guard guard{dog_->mutex_};
  dog_->runs_.erase(position_);
}

void watchdog::watch() {
  std::unique_lock guard{mutex_};
  while (!done_) {
    changed_.wait_for(guard, std::chrono::seconds{1});
    auto now = std::chrono::steady_clock::now();
    for (auto* run : runs_) {
      if (now - run->since_ < patience_)
        continue;
      std::fprintf(
        stderr, "\na hang, no end after %lld s: %s\n%s\n",
        static_cast<long long>(patience_.count()), run->label_.c_str(),
        model::to_string(*run->nodes_->graph).c_str());
      for (auto* node : run->nodes_->nodes)
        if (node != nullptr)
          std::fprintf(stderr, "%s\n", describe(*node).c_str());
      std::abort();
    }
  }
}

std::string describe(random_node& node) {
  using rosia::to_string;
  using rosia::detail::node_access;
  auto& engine = node_access::engine(node);
  auto& inbox = node_access::inbox(node);
  auto result
    = node.name() + ": next tag " + to_string(engine.next_tag()) + ", STAT "
      + to_string(engine.stat()) + ", logical " + to_string(engine.logical())
      + (engine.realtime() ? ", realtime" : "")
      + (inbox.has_mail() ? ", has mail" : "")
      + (node.shutdowns() > 0 ? ", has shut down" : "");
  for (auto& c : engine.config().in) {
    result += "\n  in " + std::to_string(c.number) + " from n"
              + std::to_string(c.source) + ": " + std::to_string(c.queue.size())
              + " queued, executed " + std::to_string(c.window.executed());
    result += c.intra_loop ? ", intra-loop" : "";
    result += c.physical ? ", physical" : "";
    result += c.no_more ? ", no more" : "";
    result += c.shared->sender_waits.load() ? ", sender waits" : "";
    result += c.shared->gone.load() ? ", receiver gone" : "";
  }
  for (auto& c : engine.config().out)
    result
      += "\n  out " + std::to_string(c.number) + ": promised "
         + to_string(c.clock.announced()) + ", requested "
         + to_string(c.clock.requested_bound()) + ", "
         + std::to_string(c.window.size()) + " in flight";
  return result;
}

} // namespace property
