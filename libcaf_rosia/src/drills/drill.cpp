// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drills/drill.hpp"

#include "base/text.hpp"
#include "caf/rosia/options.hpp"
#include "engine/node.hpp"
#include "time/clocks.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using std::chrono::nanoseconds;

/// The environment variable of processes that the tool started.
constexpr const char* socket_variable = "ROSIA_DRILL";

/// The length of each sleep of a node that hangs forever.
constexpr std::chrono::hours a_while{1};

std::int64_t number(const std::string& text) {
  std::int64_t result = 0;
  auto last = text.data() + text.size();
  if (auto [end, error] = std::from_chars(text.data(), last, result);
      error != std::errc{} || end != last)
    throw std::runtime_error(
      "the drill's tool sent '" + text + "' where a number is expected");
  return result;
}

logical_time tag_of(const std::string& ns, const std::string& microstep) {
  return {number(ns), static_cast<std::uint32_t>(number(microstep))};
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::system_error(
      ENAMETOOLONG, std::generic_category(), "the drill's socket " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  auto result = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (result < 0
      || ::connect(
           result, reinterpret_cast<sockaddr*>(&address), sizeof address)
           != 0) {
    auto error = errno;
    if (result >= 0)
      ::close(result);
    throw std::system_error(
      error, std::generic_category(), "the drill's socket " + path);
  }
  return result;
}

} // namespace

// -- what nodes do ------------------------------------------------------------

/// A failure of a node in one of its reactions.
struct drill::fault {
  std::string number; // from the tool
  std::string kind;
  std::string node;
  nanoseconds by;       // of `slow`; the status of `request`
  nanoseconds duration; // zero: forever
  logical_time from;    // `forever` if the tool starts it
  std::atomic<bool> armed;
  bool done = false; // the members from here on are for the node's thread
  std::int64_t begun = 0;
};

/// A node's code with injected failures.
class drill::disturbed_body : public engine::body {
public:
  disturbed_body(drill& owner, std::string name, engine::body& code,
                 engine::node& engine)
    : owner_(&owner), name_(std::move(name)), code_(&code), engine_(&engine) {
    for (auto& x : owner.milestones_)
      if (x.node == name_)
        milestones_.push_back(x);
    for (auto& x : owner.faults_)
      if (x->node == name_)
        faults_.push_back(x.get());
  }

  void start() override {
    before();
    fail();
    code_->start();
  }

  std::uint32_t next_startup(std::uint32_t from) const noexcept override {
    return code_->next_startup(from);
  }

  std::uint32_t next_at_shutdown(std::uint32_t from) const noexcept override {
    return code_->next_at_shutdown(from);
  }

  void resumed() override {
    code_->resumed();
  }

  void react(std::uint32_t reaction) override {
    before();
    fail();
    code_->react(reaction);
  }

  void resume(void* token) override {
    before();
    code_->resume(token);
    // Fail only now, because only `resume` frees the suspended coroutine.
    fail();
  }

  void discard(void* token) noexcept override {
    code_->discard(token);
  }

  void consumed(std::uint32_t input) noexcept override {
    code_->consumed(input);
  }

  void expire(std::uint32_t action) override {
    code_->expire(action);
  }

  void reset(std::uint32_t action) override {
    code_->reset(action);
  }

  void shutdown() override {
    owner_->step("shutdown_begun", name_, engine_->logical());
    code_->shutdown();
    owner_->step("shutdown_ended", name_, engine_->logical());
  }

  std::string_view reaction_name(std::uint32_t reaction) const override {
    return code_->reaction_name(reaction);
  }

  std::string_view action_name(std::uint32_t action) const override {
    return code_->action_name(action);
  }

  std::string_view output_name(std::uint32_t output) const override {
    return code_->output_name(output);
  }

private:
  bool due(const fault& x) const {
    return !x.done && (x.armed || engine_->now() >= x.from);
  }

  void before() {
    std::erase_if(milestones_, [this](auto& x) {
      if (engine_->now() < x.tag)
        return false;
      owner_->wait("reached:" + x.number, name_, engine_->now(), true);
      return true;
    });
    for (auto* x : faults_)
      if (due(*x) && x->kind != "throw")
        suffer(*x);
  }

  void fail() {
    for (auto* x : faults_)
      if (due(*x) && x->kind == "throw") {
        x->done = true;
        owner_->did(*x, engine_->now());
        throw std::runtime_error("a drill lets this fail");
      }
  }

  void suffer(fault& x) {
    auto now = now_by<std::chrono::steady_clock>();
    auto begins = x.begun == 0;
    if (begins) {
      x.begun = now;
      owner_->did(x, engine_->now());
    }
    if (x.kind == "request") {
      x.done = true;
      engine_->request_shutdown(delay{}, static_cast<int>(x.by.count()));
    } else if (x.kind == "hang") {
      x.done = true;
      do
        std::this_thread::sleep_for(
          x.duration.count() > 0 ? x.duration : nanoseconds{a_while});
      while (x.duration.count() == 0);
    } else {
      x.done = x.duration.count() > 0 && now > x.begun + x.duration.count();
      if (!x.done)
        std::this_thread::sleep_for(x.by);
    }
  }

  drill* owner_;
  std::string name_;
  engine::body* code_;
  engine::node* engine_;
  std::vector<milestone> milestones_;
  std::vector<fault*> faults_;
};

// -- constructors, destructors ------------------------------------------------

std::shared_ptr<drill> drill::join(
  const options& opts, const std::string& process, spdlog::logger& log) {
  auto* path = std::getenv(socket_variable);
  if (path == nullptr || *path == '\0')
    return nullptr;
  if (opts.drills != "allow") {
    log.error(
      "{} is set, but drills are not allowed here (rosia.drills): this process "
      "takes part in none",
      socket_variable);
    return nullptr;
  }
  return std::make_shared<drill>(
    connect_to(path), process.empty() ? "coordinator" : process);
}

drill::drill(int socket, const std::string& process) : socket_(socket) {
  send(fmt::format("hello\t{}\t{}", process, ::getpid()));
  try {
    get_instructions();
    listener_ = std::thread{[this] { listen(); }};
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

drill::~drill() {
  ::shutdown(socket_, SHUT_RDWR);
  listener_.join();
  ::close(socket_);
}

// -- injection points ---------------------------------------------------------

void drill::introduce(const std::vector<std::string>& nodes) {
  std::string line = "nodes";
  for (auto& x : nodes)
    (line += '\t') += x;
  send(line);
}

void drill::started(std::int64_t at) {
  send(fmt::format("started\t{}", at));
}

void drill::step(std::string_view name, std::string_view node,
                 logical_time tag) {
  auto stay = false;
  for (auto& [step, whose] : watched_)
    stay = stay || (step == name && (whose == "*" || whose == node));
  wait(name, node, tag, stay);
}

void drill::wait(std::string_view step, std::string_view node, logical_time tag,
                 bool stay) {
  std::unique_lock guard{mutex_};
  if (alone_)
    return;
  auto id = ++steps_;
  if (stay)
    waiting_.insert(id);
  guard.unlock();
  send(fmt::format(
    "step\t{}\t{}\t{}\t{}\t{}\t{}\t{}", id, stay ? "waits" : "goes on", step,
    node, tag.ns, tag.microstep, now_by<std::chrono::steady_clock>()));
  if (!stay)
    return;
  guard.lock();
  changed_.wait(guard, [this, id] {
    return alone_ || waiting_.count(id) == 0;
  });
}

void drill::did(const fault& x, logical_time tag) {
  wait("fault:" + x.number, x.node, tag, false);
}

// -- instructions of the tool ------------------------------------------------

engine::body& drill::disturb(
  const std::string& node, engine::body& code, engine::node& engine) {
  bodies_.push_back(
    std::make_unique<disturbed_body>(*this, node, code, engine));
  return *bodies_.back();
}

bool drill::redirect(const std::string& process, std::string& host,
                     std::uint16_t& port) const {
  auto i = addresses_.find(process);
  if (i == addresses_.end())
    return false;
  std::tie(host, port) = i->second;
  return true;
}

void drill::get_instructions() {
  for (std::string line; read_line(line) && line != "ready";)
    obey(split(line, '\t'));
}

void drill::obey(const fields& x) {
  auto is = [&](const char* word, std::size_t size) {
    return x[0] == word && x.size() == size;
  };
  if (is("watch", 3)) {
    watched_.emplace_back(x[1], x[2]);
  } else if (is("milestone", 5)) {
    milestones_.push_back({x[1], x[2], tag_of(x[3], x[4])});
  } else if (is("fault", 8)) {
    auto& made = faults_.emplace_back(new fault{
      x[1], x[2], x[3], nanoseconds{number(x[4])}, nanoseconds{number(x[5])},
      forever, false});
    if (x[6] != "later")
      made->from = tag_of(x[6], x[7]);
  } else if (is("clock", 2)) {
    set_clocks_ahead(number(x[1]));
  } else if (is("address", 4)) {
    addresses_[x[1]] = {x[2], static_cast<std::uint16_t>(number(x[3]))};
  } else if (is("arm", 2)) {
    for (auto& made : faults_)
      if (made->number == x[1])
        made->armed = true;
  } else if (is("go", 2)) {
    std::lock_guard guard{mutex_};
    waiting_.erase(static_cast<std::uint64_t>(number(x[1])));
    changed_.notify_all();
  } else {
    throw std::runtime_error(
      "the drill's tool sent '" + x[0]
      + "', which is not understood: it is of another version");
  }
}

void drill::listen() {
  try {
    for (std::string line; read_line(line);)
      obey(split(line, '\t'));
  } catch (const std::runtime_error&) {
    // Treat the tool as lost.
  }
  std::lock_guard guard{mutex_};
  alone_ = true;
  changed_.notify_all();
}

// -- the socket ---------------------------------------------------------------

bool drill::read_line(std::string& line) {
  for (;;) {
    if (auto end = input_.find('\n'); end != std::string::npos) {
      line = input_.substr(0, end);
      input_.erase(0, end + 1);
      return true;
    }
    char block[4096];
    auto count = ::recv(socket_, block, sizeof block, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    input_.append(block, static_cast<std::size_t>(count));
  }
}

void drill::send(const std::string& line) {
  auto text = line + '\n';
  std::lock_guard guard{mutex_};
  for (std::size_t at = 0; at < text.size();) {
    auto count
      = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return; // the listener handles the error
    at += static_cast<std::size_t>(count);
  }
}

} // namespace caf::rosia::detail
