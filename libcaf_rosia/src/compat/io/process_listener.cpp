// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/process_listener.hpp"

#include "base/duration.hpp"
#include "base/exception_text.hpp"
#include "network/introduction.hpp"

#include <caf/io/abstract_broker.hpp>
#include <caf/io/network/native_socket.hpp>
#include <caf/io/network/operation.hpp>
#include <caf/make_counted.hpp>
#include <caf/ref_counted.hpp>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using caf::io::network::operation;

/// Pause before the next attempt to accept a connection without a free
/// descriptor.
constexpr std::chrono::milliseconds pause_without_descriptors{100};

/// Number of checks of the time within the time limit of a peer. If a check is
/// late by more than the time between two checks, this process stood still and
/// could not read what its peers sent. The peers may have stood still as well.
constexpr int looks_at_time = 4;

int make_timer() {
  auto result = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (result < 0)
    throw std::system_error(
      errno, std::generic_category(), "cannot make a timer");
  return result;
}

} // namespace

// -- events of the loop -------------------------------------------------------

/// Accepts connections.
class process_listener::gate : public caf::io::network::acceptor {
public:
  gate(process_listener& owner, int fd)
    : acceptor(owner.home_, fd), owner_(owner) {
    // nop
  }

  void handle_event(operation event) override {
    handle_event_impl(event, *this);
  }

  /// Called by CAF.
  bool try_accept(caf::io::network::native_socket& result,
                  caf::io::network::native_socket) {
    result = owner_.accept();
    return result >= 0;
  }

private:
  process_listener& owner_;
};

/// Calls `look_at_time` at a given time.
class process_listener::alarm : public caf::io::network::event_handler {
public:
  explicit alarm(process_listener& owner)
    : event_handler(owner.home_, make_timer()), owner_(owner) {
    // nop
  }

  using event_handler::activate;

  void set(clock::time_point when) noexcept {
    using namespace std::chrono;
    itimerspec x{};
    if (when != clock::time_point::max()) {
      auto ns = std::max<std::int64_t>(
        duration_cast<nanoseconds>(when.time_since_epoch()).count(), 1);
      x.it_value.tv_sec = ns / 1'000'000'000;
      x.it_value.tv_nsec = ns % 1'000'000'000;
    }
    timerfd_settime(fd(), TFD_TIMER_ABSTIME, &x, nullptr);
  }

  void handle_event(operation) override {
    std::uint64_t count = 0;
    if (::read(fd(), &count, sizeof(count)) == sizeof(count))
      owner_.look_at_time();
  }

  void removed_from_loop(operation) override {
    // nop
  }

  void graceful_shutdown() override {
    // nop
  }

private:
  process_listener& owner_;
};

/// A connection that is not admitted yet.
class process_listener::stranger
  : public caf::io::network::event_handler,
    public caf::ref_counted {
public:
  stranger(process_listener& owner, descriptor socket)
    : event_handler(owner.home_, socket.release()), owner_(owner),
      peer_(peer_text(fd())), until_(clock::now() + owner.terms_->patience),
      introduction_(owner.terms_->make_channel(fd(), true),
                    admission::side::accepts, owner.terms_->token) {
    // nop
  }

  const std::string& peer() const noexcept {
    return peer_;
  }

  clock::time_point until() const noexcept {
    return until_;
  }

  void until(clock::time_point x) noexcept {
    until_ = x;
  }

  /// Continues the introduction as far as possible, and then waits for the
  /// socket.
  void go_on() {
    switch (introduction_.go_on()) {
      case introduction::step::read:
        wait_for(operation::read);
        break;
      case introduction::step::write:
        wait_for(operation::write);
        break;
      case introduction::step::done:
        owner_.admit(*this);
        break;
      case introduction::step::failed:
        owner_.send_away(*this, introduction_.problem());
        break;
    }
  }

  /// Stops waiting for the socket.
  void stop() {
    over_ = true;
    for (auto x : {operation::read, operation::write})
      backend().del(x, fd(), this);
  }

  /// Returns the channel, with the socket. The caller must close it.
  channel release() {
    fd_ = caf::io::network::invalid_native_socket;
    return std::move(introduction_.way());
  }

  void handle_event(operation event) override {
    if (over_)
      return;
    if (event == operation::propagate_error) {
      owner_.send_away(*this, "it closed the connection");
      return;
    }
    try {
      go_on();
    } catch (const std::exception& e) {
      owner_.send_away(*this, exception_text(e));
    }
  }

  void removed_from_loop(operation) override {
    // nop
  }

  void graceful_shutdown() override {
    // nop
  }

private:
  void wait_for(operation event) {
    auto other = event == operation::read ? operation::write : operation::read;
    backend().add(event, fd(), this);
    backend().del(other, fd(), this);
  }

  process_listener& owner_;
  std::string peer_;
  clock::time_point until_;
  introduction introduction_;
  bool over_ = false;
};

// -- constructors, destructors ------------------------------------------------

process_listener::process_listener(
  caf::io::network::default_multiplexer& home, descriptor socket,
  connection_terms_ptr terms)
  : doorman(caf::io::network::accept_hdl_from_socket(socket.get())),
    home_(home), terms_(std::move(terms)) {
  auto domain = AF_UNSPEC;
  socklen_t size = sizeof(domain);
  getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size);
  local_ = domain == AF_UNIX;
  alarm_ = std::make_unique<alarm>(*this);
  gate_ = std::make_unique<gate>(*this, socket.get());
  socket.release();
}

process_listener::~process_listener() {
  // nop
}

// -- overridden functions of CAF ----------------------------------------------

bool process_listener::new_connection() {
  descriptor socket{gate_->accepted_socket()};
  // The loop may not know yet that this listener is closed.
  if (closed_ || detached())
    return false;
  try {
    take_in(std::move(socket));
  } catch (const std::exception& e) {
    note("somebody", exception_text(e));
  }
  return true;
}

void process_listener::graceful_shutdown() {
  if (std::exchange(closed_, true))
    return;
  // Keeps this listener until the loop has removed its sockets. If the loop had
  // not added the gate yet, CAF drops both events, and the gate would keep this
  // listener forever.
  home_.post([self = caf::intrusive_ptr<process_listener>(this)] {
    self->gate_->removed_from_loop(operation::read);
  });
  gate_->graceful_shutdown();
  home_.del(operation::read, gate_->fd(), gate_.get());
  home_.del(operation::read, alarm_->fd(), alarm_.get());
  while (!strangers_.empty())
    forget(*strangers_.front());
  detach(&home_, false);
}

void process_listener::launch() {
  alarm_->activate();
  gate_->start(this);
  next_look_ = clock::now() + terms_->patience / looks_at_time;
  set_alarm();
}

std::string process_listener::addr() const {
  auto x = caf::io::network::local_addr_of_fd(gate_->fd());
  return !local_ && x ? *x : std::string{};
}

std::uint16_t process_listener::port() const {
  if (local_)
    return 0;
  auto x = caf::io::network::local_port_of_fd(gate_->fd());
  return x ? *x : std::uint16_t{0};
}

void process_listener::add_to_loop() {
  gate_->activate(this);
}

void process_listener::remove_from_loop() {
  gate_->passivate();
}

// -- connecting peers ---------------------------------------------------------

int process_listener::accept() {
  auto result
    = accept4(gate_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (result >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR
      || errno == ECONNABORTED || closed_)
    return result;
  // A connection is still pending, so the loop would retry at once.
  terms_->refused->note_waiting(std::generic_category().message(errno));
  open_again_ = clock::now() + pause_without_descriptors;
  gate_->passivate();
  set_alarm();
  return -1;
}

void process_listener::take_in(descriptor socket) {
  if (local_ && !same_user(socket.get())) {
    note(peer_text(socket.get()), "it belongs to another user");
    return;
  }
  auto x = caf::make_counted<stranger>(*this, std::move(socket));
  strangers_.push_back(x);
  if (strangers_.size() > terms_->most_strangers)
    send_away(
      *strangers_.front(), "too many connections wait for authentication");
  x->go_on();
  set_alarm();
}

void process_listener::admit(stranger& x) {
  stranger_ptr guest{&x};
  forget(x);
  // Posted, because the loop must remove the socket before another handler can
  // wait for it.
  caf::intrusive_ptr<process_listener> self{this};
  home_.post([self, guest] {
    if (self->closed_ || self->detached())
      return;
    auto connection = caf::make_counted<process_connection>(
      self->home_, *self->terms_, guest->release());
    self->silent_.push_back(
      {connection->link(), guest->peer(),
       clock::now() + self->terms_->patience});
    self->set_alarm();
    auto handle = connection->hdl();
    self->parent()->add_scribe(std::move(connection));
    self->doorman::new_connection(&self->home_, handle);
  });
}

void process_listener::send_away(stranger& x, const std::string& problem) {
  stranger_ptr guest{&x};
  forget(x);
  note(guest->peer(), problem);
}

void process_listener::forget(stranger& x) {
  stranger_ptr guest{&x};
  std::erase(strangers_, guest);
  x.stop();
  // Keeps the stranger until no event for it is pending. This frees its
  // descriptor.
  home_.post([guest] {});
}

// -- time ---------------------------------------------------------------------

void process_listener::look_at_time() {
  if (closed_)
    return;
  auto now = clock::now();
  auto pause = terms_->patience / looks_at_time;
  if (next_look_ <= now) {
    if (now - next_look_ > pause)
      excuse_others();
    next_look_ = now + pause;
  }
  auto limit = time_text(terms_->patience);
  while (!strangers_.empty() && strangers_.front()->until() <= now)
    send_away(*strangers_.front(),
              "it has not shown within network.connection_timeout (" + limit
                + ") that it belongs here");
  while (!silent_.empty() && silent_.front().until <= now) {
    auto& x = silent_.front();
    if (!x.connection->has_received && !x.connection->over()) {
      note(x.peer,
           "it sent nothing within network.connection_timeout (" + limit + ')');
      x.connection->hang_up();
    }
    silent_.pop_front();
  }
  if (open_again_ <= now) {
    open_again_ = clock::time_point::max();
    gate_->activate(this);
  }
  set_alarm();
}

void process_listener::excuse_others() {
  auto until = clock::now() + terms_->patience;
  for (auto& x : strangers_)
    x->until(until);
  for (auto& x : silent_)
    x.until = until;
  for (auto& x : terms_->links->all())
    x->excuse_silence();
}

void process_listener::set_alarm() {
  auto when = std::min(open_again_, next_look_);
  if (!strangers_.empty())
    when = std::min(when, strangers_.front()->until());
  if (!silent_.empty())
    when = std::min(when, silent_.front().until);
  alarm_->set(when);
}

void process_listener::note(
  const std::string& peer, const std::string& problem) {
  terms_->refused->note(peer, problem);
}

} // namespace caf::rosia::detail
