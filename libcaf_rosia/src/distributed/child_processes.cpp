// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/child_processes.hpp"

#include "base/closed_descriptor.hpp"
#include "base/descriptor.hpp"
#include "base/program_start.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using strings = std::vector<std::string>;

/// Throws if the result of a system call is negative.
int checked(int result) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category());
  return result;
}

struct pipe_ends {
  pipe_ends() {
    int ends[2];
    checked(::pipe2(ends, O_CLOEXEC));
    read = descriptor{ends[0]};
    write = descriptor{ends[1]};
    checked(::fcntl(read.get(), F_SETFL, O_NONBLOCK));
    // The program's standard descriptors are set one by one, so setting one
    // must not overwrite the source of another.
    if (write.get() <= STDERR_FILENO)
      write = descriptor{
        checked(::fcntl(write.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1))};
  }

  descriptor read;
  descriptor write;
};

/// Starts a program that prints to pipes.
pid_t spawn(const strings& arguments, const strings& environment, int out,
            int err, const std::vector<int>& blocked) {
  program_start settings;
  settings.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  settings.duplicate(out, STDOUT_FILENO);
  settings.duplicate(err, STDERR_FILENO);
  settings.lead_group();
  settings.block(blocked);
  return settings.run(arguments, environment);
}

/// Waits for a process, and returns its status as a shell does.
int reap(pid_t pid) {
  int status = 0;
  pid_t result = 0;
  do
    result = ::waitpid(pid, &status, 0);
  while (result < 0 && errno == EINTR);
  if (result < 0)
    return 127;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

// -- a process ----------------------------------------------------------------

/// The read end of a pipe that a process prints to.
class child_processes::output {
public:
  explicit output(descriptor from) : from_(std::move(from)) {
    // nop
  }

  int get() const noexcept {
    return from_.get();
  }

  /// Reads once, without waiting, at most `limit` bytes, and calls `line(text)`
  /// for each line.
  /// @returns the number of bytes read.
  template <class Fun>
  std::size_t read(std::size_t limit, Fun&& line) {
    auto room = std::min(limit, text_.size() - used_);
    auto count = ::read(from_.get(), text_.data() + used_, room);
    if (count < 0)
      return 0;
    if (count == 0) {
      finish(line);
      return 0;
    }
    add(static_cast<std::size_t>(count), line);
    return static_cast<std::size_t>(count);
  }

  /// Reads only the bytes in the pipe, because descendants may still write.
  template <class Fun>
  void drain(Fun&& line) {
    int there = 0;
    if (from_.get() >= 0)
      ::ioctl(from_.get(), FIONREAD, &there);
    for (auto rest = static_cast<std::size_t>(there); rest > 0;) {
      auto count = read(rest, line);
      if (count == 0)
        break;
      rest -= count;
    }
    finish(line);
  }

private:
  std::string_view text(std::size_t begin, std::size_t end) const {
    return {text_.data() + begin, end - begin};
  }

  /// Splits the bytes that were read after the text into lines.
  template <class Fun>
  void add(std::size_t count, Fun&& line) {
    std::size_t begin = 0;
    auto end = used_ + count;
    for (auto i = used_; i < end; ++i)
      if (text_[i] == '\n') {
        line(text(begin, i));
        begin = i + 1;
      }
    // The buffer has room for one byte more than a line, which shows that the
    // line is too long.
    if (begin == 0 && end == text_.size()) {
      line(text(0, max_line));
      begin = max_line;
    }
    std::copy(text_.data() + begin, text_.data() + end, text_.data());
    used_ = end - begin;
  }

  template <class Fun>
  void finish(Fun&& line) {
    if (used_ > 0)
      line(text(0, std::exchange(used_, 0)));
    from_.close();
  }

  descriptor from_;
  std::vector<char> text_ = std::vector<char>(max_line + 1);
  std::size_t used_ = 0; // bytes of an incomplete line
};

struct child_processes::process {
  process(std::size_t num, descriptor stdout_end, descriptor stderr_end)
    : number(num), out(std::move(stdout_end)), err(std::move(stderr_end)) {
    // nop
  }

  process(const process&) = delete;

  process& operator=(const process&) = delete;

  /// Kills a running process, because no thread takes care of it.
  ~process() {
    if (running) {
      ::kill(pid, SIGKILL);
      reap(pid);
    }
  }

  void signal(int signal_number) const {
    ::syscall(SYS_pidfd_send_signal, handle.get(), signal_number, nullptr, 0);
  }

  std::size_t number;
  pid_t pid = 0;
  descriptor handle; // a pidfd: stays valid when the id is reused
  output out;
  output err;
  std::atomic<bool> running = false;
};

// -- constructors, destructors ------------------------------------------------

child_processes::child_processes(events on)
  : on_(std::move(on)), relay_([this] { relay(); }) {
  // nop
}

child_processes::~child_processes() {
  {
    std::lock_guard guard{mutex_};
    closing_ = true;
  }
  kill_all();
  wake_.notify();
  relay_.join();
}

// -- for the owner ------------------------------------------------------------

std::size_t child_processes::start(
  const strings& arguments, const strings& environment,
  const std::vector<int>& blocked) try {
  pipe_ends out;
  pipe_ends err;
  auto number = size();
  auto x = std::make_unique<process>(
    number, std::move(out.read), std::move(err.read));
  x->pid
    = spawn(arguments, environment, out.write.get(), err.write.get(), blocked);
  x->running = true;
  x->handle = descriptor{
    checked(static_cast<int>(::syscall(SYS_pidfd_open, x->pid, 0)))};
  stops_.add(x->handle.get());
  {
    std::lock_guard guard{mutex_};
    children_.push_back(std::move(x));
  }
  wake_.notify();
  return number;
} catch (const std::system_error& e) {
  throw std::system_error(
    e.code(), "cannot start the program '" + arguments.front() + "'");
}

std::size_t child_processes::size() const {
  std::lock_guard guard{mutex_};
  return children_.size();
}

pid_t child_processes::pid_of(std::size_t child) const {
  std::lock_guard guard{mutex_};
  return children_.at(child)->pid;
}

bool child_processes::running(std::size_t child) const {
  std::lock_guard guard{mutex_};
  return children_.at(child)->running;
}

void child_processes::signal(std::size_t child, int number) {
  std::lock_guard guard{mutex_};
  children_.at(child)->signal(number);
}

void child_processes::kill_all() {
  std::lock_guard guard{mutex_};
  for (auto& x : children_)
    x->signal(SIGKILL);
}

void child_processes::look_again() {
  wake_.notify();
}

bool child_processes::wait(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock guard{mutex_};
  return changed_.wait_until(guard, deadline, [this] {
    return reported_ == children_.size();
  });
}

// -- the relaying thread ------------------------------------------------------

void child_processes::relay() {
  std::vector<process*> living;
  while (take_started(living)) {
    serve(living);
    std::erase_if(living, [](auto* x) { return !x->running; });
  }
}

bool child_processes::take_started(std::vector<process*>& living) {
  std::lock_guard guard{mutex_};
  for (; taken_ < children_.size(); ++taken_)
    living.push_back(children_[taken_].get());
  return !closing_ || !living.empty();
}

void child_processes::serve(const std::vector<process*>& living) {
  constexpr auto unwatched = -1;
  auto wanted = [this](bool error) { return !on_.wanted || on_.wanted(error); };
  auto out = wanted(false);
  auto err = wanted(true);
  std::vector<pollfd> watched{{wake_.get(), POLLIN, 0}};
  for (auto* x : living)
    for (auto fd : {x->handle.get(), out ? x->out.get() : unwatched,
                    err ? x->err.get() : unwatched})
      watched.push_back({fd, POLLIN, 0});
  if (::poll(watched.data(), watched.size(), -1) < 0)
    return;
  // The process could neither wait for its children nor kill them.
  if (std::any_of(watched.begin(), watched.end(), [](auto& x) {
        return (x.revents & POLLNVAL) != 0;
      }))
    end_without_descriptor();
  if (watched[0].revents != 0)
    wake_.wait(std::chrono::nanoseconds{0});
  for (std::size_t i = 0; i < living.size(); ++i) {
    auto* ready = &watched[1 + 3 * i];
    if (ready[0].revents != 0) {
      finish(*living[i]);
      continue;
    }
    if (ready[1].revents != 0)
      living[i]->out.read(max_line, line_of(*living[i], false));
    if (ready[2].revents != 0)
      living[i]->err.read(max_line, line_of(*living[i], true));
  }
}

void child_processes::finish(process& x) {
  x.out.drain(line_of(x, false));
  x.err.drain(line_of(x, true));
  stops_.remove(x.handle.get());
  auto status = reap(x.pid);
  x.running = false;
  if (on_.ended)
    on_.ended(x.number, status);
  std::lock_guard guard{mutex_};
  ++reported_;
  changed_.notify_all();
}

std::function<void(std::string_view)> child_processes::line_of(
  const process& x, bool error) const {
  return [this, number = x.number, error](std::string_view text) {
    if (on_.line)
      on_.line(number, text, error);
  };
}

} // namespace caf::rosia::detail
