// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/log_ring.hpp"
#include "watch/page_config.hpp"
#include "watch/page_content.hpp"
#include "watch/page_server.hpp"
#include "watch/watch_source.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// A live page: what it shows, the thread that looks at it, and its server. It
/// looks only while somebody watches, or asks; that takes at most a thirtieth
/// of a processor. All members may be called from any thread.
class page_board final : public page_content {
public:
  /// Opens the page at this address, or finds the one that this process has
  /// there.
  /// @throws std::invalid_argument,std::system_error see `page_server`.
  static std::shared_ptr<page_board> open(const page_config& config);

  explicit page_board(const page_config& config);

  page_board(const page_board&) = delete;

  page_board& operator=(const page_board&) = delete;

  ~page_board() override;

  const std::string& url() const noexcept {
    return server_->url();
  }

  /// The lines that the page shows.
  const std::shared_ptr<log_ring>& log() const noexcept {
    return log_;
  }

  void add(std::shared_ptr<watch_source> x);

  /// Takes these off the page, unless nothing else is left on it: then the last
  /// who lets go of the page sends how they are in the end. Does not wait for a
  /// look at them.
  void remove(const std::vector<std::shared_ptr<watch_source>>& xs);

  // -- overridden functions of page_content -----------------------------------

  void request(document what, std::function<void(std::string)> reply) override;

  void perform(action what) override;

  void viewers(std::size_t count) override;

private:
  using clock = std::chrono::steady_clock;

  struct shown {
    std::uint64_t number;
    std::shared_ptr<watch_source> source;
  };

  using inquiry = std::pair<document, std::function<void(std::string)>>;

  /// What the thread does until the page ends.
  void run();

  /// Waits until there is something to do. @returns whether there is.
  bool await(std::unique_lock<std::mutex>& held);

  void answer(std::vector<inquiry> xs);

  void push();

  /// What viewers are told in the end.
  std::string make_last();

  void perform_now(action what);

  std::string make(document what);

  std::string graph_text();

  /// @param lines of the log go with it.
  std::string state_text(const std::vector<log_ring::line>& lines);

  std::string log_text();

  std::string metric_text();

  std::vector<shown> sources() const;

  page_config config_;
  std::shared_ptr<log_ring> log_ = std::make_shared<log_ring>();
  mutable std::mutex mutex_; // protects what follows, up to the thread's own
  std::condition_variable changed_;
  std::vector<shown> sources_;
  std::uint64_t next_number_ = 1;
  std::vector<inquiry> inquiries_;
  std::vector<action> actions_;
  std::size_t viewers_ = 0;
  bool has_new_viewer_ = false;
  bool stops_ = false;
  clock::time_point next_push_;   // the thread's, as what follows
  clock::time_point next_answer_; // and not before it anything that is asked
  std::uint64_t pushed_lines_ = 0;
  std::unique_ptr<page_server> server_; // ends before what was asked for
  std::thread thread_;
};

} // namespace caf::rosia::detail
