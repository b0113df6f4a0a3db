// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/page_board.hpp"

#include "base/thread_usage.hpp"
#include "caf/rosia/version.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <map>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using detail::put;

/// The minimal time between two updates.
constexpr std::chrono::milliseconds period{500};

/// The pause after an update by the page itself, in multiples of the processor
/// time that the update took.
constexpr int pause_per_look = 30;

/// The pause after requested answers, so that frequent requests only take a
/// part of a processor.
constexpr int pause_per_answer = 3;

/// The pages of this process that sources may share, by their addresses. Never
/// destroyed, because a page may end as late as static objects do.
struct page_list {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<page_board>> pages;
};

page_list& all_pages() {
  static auto* result = new page_list;
  return *result;
}

void put(json_writer& to, const std::vector<log_ring::line>& lines) {
  put_list(to, "log", lines, [&to](auto& x) {
    put_object(to, [&] {
      put(to, "number", x.number);
      put(to, "time", x.time);
      put(to, "level", x.level);
      put(to, "logger", x.logger);
      put(to, "text", x.text);
    });
  });
}

std::string host_name() {
  std::array<char, 256> result{};
  if (::gethostname(result.data(), result.size() - 1) != 0)
    return {};
  return result.data();
}

/// Returns an empty text after an exception, for example without memory: the
/// program continues without it.
template <class Fun>
std::string attempt(Fun fun) {
  try {
    return fun();
  } catch (const std::exception&) {
    return {};
  }
}

/// Returns the processor time of a call.
template <class Fun>
std::chrono::nanoseconds cost_of(Fun fun) {
  auto begin = thread_usage::now().cpu;
  fun();
  return std::chrono::nanoseconds{thread_usage::now().cpu - begin};
}

} // namespace

watch_source::~watch_source() {
  // nop
}

// -- constructors, destructors ------------------------------------------------

std::shared_ptr<page_board> page_board::open(const page_config& config) {
  // With port 0, each page gets a separate port.
  if (config.port == 0)
    return std::make_shared<page_board>(config);
  auto address = config.host + ':' + std::to_string(config.port);
  auto& all = all_pages();
  std::lock_guard guard{all.mutex};
  auto& known = all.pages[address];
  auto result = known.lock();
  if (!result) {
    result = std::make_shared<page_board>(config);
    known = result;
  }
  return result;
}

page_board::page_board(const page_config& config)
  : config_(config), server_(std::make_unique<page_server>(config, *this)) {
  // The server may call this already; the thread answers once it runs.
  thread_ = std::thread{[this] { run(); }};
}

page_board::~page_board() {
  {
    std::lock_guard guard{mutex_};
    stops_ = true;
    changed_.notify_all();
  }
  thread_.join();
  server_->stop(make_last());
  // Unanswered inquiries hold connections of the server.
  inquiries_.clear();
}

// -- sources ------------------------------------------------------------------

void page_board::add(std::shared_ptr<watch_source> x) {
  x->log_to(log_);
  std::lock_guard guard{mutex_};
  sources_.push_back({next_number_++, std::move(x)});
}

void page_board::remove(const std::vector<std::shared_ptr<watch_source>>& xs) {
  auto goes = [&](const shown& x) {
    return std::find(xs.begin(), xs.end(), x.source) != xs.end();
  };
  std::lock_guard guard{mutex_};
  if (!std::all_of(sources_.begin(), sources_.end(), goes))
    std::erase_if(sources_, goes);
}

std::vector<page_board::shown> page_board::sources() const {
  std::lock_guard guard{mutex_};
  return sources_;
}

// -- overridden functions of page_content -------------------------------------

void page_board::request(document kind,
                         std::function<void(std::string)> reply) {
  std::lock_guard guard{mutex_};
  inquiries_.emplace_back(kind, std::move(reply));
  changed_.notify_all();
}

void page_board::perform(action kind) {
  std::lock_guard guard{mutex_};
  // A pending action answers all requests for it.
  if (std::find(actions_.begin(), actions_.end(), kind) == actions_.end())
    actions_.push_back(kind);
  changed_.notify_all();
}

void page_board::viewers(std::size_t count) {
  std::lock_guard guard{mutex_};
  has_new_viewer_ = has_new_viewer_ || count > viewers_;
  viewers_ = count;
  changed_.notify_all();
}

// -- the thread ---------------------------------------------------------------

void page_board::run() {
  std::unique_lock held{mutex_};
  while (await(held)) {
    auto now = clock::now();
    auto answers = now >= next_answer_;
    auto pushes
      = viewers_ > 0 && (now >= next_push_ || (answers && has_new_viewer_));
    std::vector<inquiry> asked;
    std::vector<action> wanted;
    if (answers) {
      asked.swap(inquiries_);
      wanted.swap(actions_);
    }
    if (pushes)
      has_new_viewer_ = false;
    held.unlock();
    auto cost = cost_of([&] {
      for (auto x : wanted)
        perform_now(x);
      answer(std::move(asked));
    });
    if (pushes) {
      auto of_push = cost_of([this] { push(); });
      next_push_
        = clock::now()
          + std::max<std::chrono::nanoseconds>(
            period, of_push * pause_per_look);
      cost += of_push;
    }
    next_answer_ = clock::now() + cost * pause_per_answer;
    held.lock();
  }
}

bool page_board::await(std::unique_lock<std::mutex>& held) {
  while (!stops_) {
    auto is_asked
      = !inquiries_.empty() || !actions_.empty()
        || (viewers_ > 0 && has_new_viewer_);
    auto next = clock::time_point::max();
    if (viewers_ > 0)
      next = next_push_;
    if (is_asked)
      next = std::min(next, next_answer_);
    if (next <= clock::now())
      return true;
    if (next == clock::time_point::max())
      changed_.wait(held);
    else
      changed_.wait_until(held, next);
  }
  return false;
}

void page_board::answer(std::vector<inquiry> xs) {
  // Equal requests share one answer.
  std::map<document, std::string> made;
  for (auto& [kind, reply] : xs) {
    auto [i, is_new] = made.try_emplace(kind);
    if (is_new)
      i->second = attempt([this, x = kind] { return make(x); });
    reply(i->second);
  }
}

void page_board::push() {
  auto lines = log_->since(pushed_lines_);
  if (!lines.empty())
    pushed_lines_ = lines.back().number;
  if (auto text = attempt([&] { return state_text(lines); }); !text.empty())
    server_->push(std::make_shared<const std::string>(std::move(text)));
}

std::string page_board::make_last() {
  return attempt([this] { return state_text(log_->since(pushed_lines_)); });
}

void page_board::perform_now(action kind) {
  attempt([&] {
    for (auto& x : sources())
      if (kind == action::request_end)
        x.source->request_end();
      else
        x.source->give_report();
    return std::string{};
  });
}

// -- documents ----------------------------------------------------------------

std::string page_board::make(document kind) {
  switch (kind) {
    case document::graph:
      return graph_text();
    case document::state:
      return state_text({});
    case document::log:
      return log_text();
    default:
      return metric_text();
  }
}

std::string page_board::graph_text() {
  return render_object(0, [this](auto& to) {
    put_list(to, "sources", sources(), [&to](auto& x) {
      put_object(to, [&] {
        put(to, "number", x.number);
        x.source->put_graph(to);
      });
    });
  });
}

std::string page_board::state_text(const std::vector<log_ring::line>& lines) {
  return render_object(0, [&](auto& to) {
    put(to, "control", config_.control);
    put(to, "program", program_invocation_short_name);
    put(to, "host", host_name());
    put(to, "pid", ::getpid());
    put_list(to, "sources", sources(), [&to](auto& x) {
      put_object(to, [&] {
        put(to, "number", x.number);
        x.source->put_state(to);
      });
    });
    put(to, lines);
  });
}

std::string page_board::log_text() {
  return render_object(0, [this](auto& to) { put(to, log_->since(0)); });
}

std::string page_board::metric_text() {
  metric_writer to;
  to.add_gauge("rosia_build_info", "The version of libcaf_rosia; always 1.",
               {{"version", std::string{version}}}, 1);
  for (auto& [number, source] : sources())
    source->add_metrics(to, std::to_string(number));
  return to.text();
}

} // namespace caf::rosia::detail
