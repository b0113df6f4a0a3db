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

/// A live page: its sources, the thread that reads them, and its server. The
/// thread reads them only while there are viewers or requests, and takes at
/// most a thirtieth of a processor for viewers. Any thread may call all
/// members. Tests: test/watch/live_page_test.cpp.
class page_board final : public page_content {
public:
  /// Opens the page at this address, or returns this process's page there.
  /// @throws std::invalid_argument,std::system_error see `page_server`.
  static std::shared_ptr<page_board> open(const page_config& config);

  explicit page_board(const page_config& config);

  page_board(const page_board&) = delete;

  page_board& operator=(const page_board&) = delete;

  ~page_board() override;

  const std::string& url() const noexcept {
    return server_->url();
  }

  /// Returns the lines that the page shows.
  const std::shared_ptr<log_ring>& log() const noexcept {
    return log_;
  }

  void add(std::shared_ptr<watch_source> x);

  /// Removes sources from the page, unless no other source would remain. In
  /// that case they stay, and the last owner of the page sends their final
  /// state to the viewers. Does not wait for the page's thread.
  void remove(const std::vector<std::shared_ptr<watch_source>>& xs);

  // -- overridden functions of page_content -----------------------------------

  void request(document kind, std::function<void(std::string)> reply) override;

  void perform(action kind) override;

  void viewers(std::size_t count) override;

private:
  using clock = std::chrono::steady_clock;

  struct shown {
    std::uint64_t number;
    std::shared_ptr<watch_source> source;
  };

  using inquiry = std::pair<document, std::function<void(std::string)>>;

  /// Runs the thread until the page ends.
  void run();

  /// Waits until there is something to do.
  /// @returns whether there is; false if the page ends.
  bool await(std::unique_lock<std::mutex>& held);

  void answer(std::vector<inquiry> xs);

  void push();

  /// Returns the last message to viewers.
  std::string make_last();

  void perform_now(action kind);

  std::string make(document kind);

  std::string graph_text();

  /// @param lines lines of the log to include.
  std::string state_text(const std::vector<log_ring::line>& lines);

  std::string log_text();

  std::string metric_text();

  std::vector<shown> sources() const;

  page_config config_;
  std::shared_ptr<log_ring> log_ = std::make_shared<log_ring>();
  mutable std::mutex mutex_; // protects the members up to the thread's own
  std::condition_variable changed_;
  std::vector<shown> sources_;
  std::uint64_t next_number_ = 1;
  std::vector<inquiry> inquiries_;
  std::vector<action> actions_;
  std::size_t viewers_ = 0;
  bool has_new_viewer_ = false;
  bool stops_ = false;
  clock::time_point next_push_;   // for the thread, like the members below
  clock::time_point next_answer_; // earliest time of the next answer
  std::uint64_t pushed_lines_ = 0;
  std::unique_ptr<page_server> server_; // destroyed before the inquiries
  std::thread thread_;
};

} // namespace caf::rosia::detail
