// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Connections between actor systems of one program, over CAF's loop and ours.

#include "compat/io/process_network.hpp"

#include "caf/rosia/multiplexer.hpp"
#include "catch.hpp"
#include "compat/io/process_connection.hpp"
#include "files_in.hpp"
#include "network/introduction.hpp"
#include "network/sockets.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/make_counted.hpp>
#include <caf/send.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

using namespace caf::rosia;
using namespace caf::rosia::detail;
using namespace std::chrono_literals;

namespace {

using clock = std::chrono::steady_clock;

/// Against hangs only.
constexpr auto limit = 60s;

/// More than two sockets take at once.
constexpr std::size_t large = 32 * 1024 * 1024;

/// By which a process's actor is found.
constexpr auto name = caf::atom("test");

enum class loop { of_caf, of_rosia };

struct settings : caf::actor_system_config {
  explicit settings(loop which) {
    set("scheduler.max-threads", 2);
    set("middleman.workers", 0);
    if (which == loop::of_caf)
      load<caf::io::middleman>();
    else
      load<caf::io::middleman, multiplexer>();
  }
};

std::shared_ptr<spdlog::logger> no_log() {
  return std::make_shared<spdlog::logger>(
    "test", std::make_shared<spdlog::sinks::null_sink_mt>());
}

process_network::settings network_settings(clock::duration patience) {
  process_network::settings result;
  result.token = "sesame";
  result.patience = patience;
  result.max_message = 2 * large;
  result.processes = 2;
  result.log = no_log();
  return result;
}

/// A process that others can reach.
class process {
public:
  explicit process(loop which, clock::duration patience = limit)
    : config_(which), system_(config_),
      network_(system_, network_settings(patience)) {
    // CAF's way with a function that has no argument is undefined behavior.
    auto listen = [](const promise_ptr& heard) -> caf::behavior {
      return {[heard](const std::string& x) { heard->set_value(x.size()); }};
    };
    gate_ = system_.spawn(listen, heard_);
    ear_ = system_.spawn(listen, heard_);
    system_.registry().put(name, caf::actor_cast<caf::strong_actor_ptr>(ear_));
    port_ = network_.open(
      caf::actor_cast<caf::strong_actor_ptr>(gate_), "127.0.0.1", 0);
  }

  ~process() {
    system_.registry().erase(name);
    network_.close(caf::actor_cast<caf::strong_actor_ptr>(gate_));
    for (auto& x : {gate_, ear_})
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  }

  std::uint16_t port() const noexcept {
    return port_;
  }

  process_network& network() {
    return network_;
  }

  caf::actor_system& system() {
    return system_;
  }

  /// The size of what somebody has said to this process's actor.
  std::size_t heard() {
    auto result = heard_->get_future();
    REQUIRE(result.wait_for(limit) == std::future_status::ready);
    return result.get();
  }

private:
  using promise_ptr = std::shared_ptr<std::promise<std::size_t>>;

  settings config_;
  caf::actor_system system_;
  process_network network_;
  promise_ptr heard_ = std::make_shared<std::promise<std::size_t>>();
  caf::actor gate_; // what others find
  caf::actor ear_;  // what they talk to
  std::uint16_t port_ = 0;
};

/// Lets the one process connect to the other.
/// @returns the actor of `to`, for `from` to speak to.
caf::actor connect(process& from, process& to, bool from_connects) {
  auto& caller = from_connects ? from : to;
  auto& called = from_connects ? to : from;
  auto x = caller.network().connect(
    "127.0.0.1", called.port(), clock::now() + limit);
  CAPTURE(x.problem);
  REQUIRE(x.who);
  // Once the one that was called has answered, it knows the way back.
  auto find = [](process& self, process& other) {
    return self.system().middleman().remote_lookup(name, other.system().node());
  };
  REQUIRE(find(caller, called));
  auto result = find(from, to);
  REQUIRE(result);
  return caf::actor_cast<caf::actor>(result);
}

/// Keeps the loop of a process from doing anything for as long as this lives.
class standstill {
public:
  explicit standstill(process& x) {
    std::promise<void> begun;
    auto end = std::make_shared<std::promise<void>>();
    x.system().middleman().backend().post([&begun, end] {
      begun.set_value();
      end->get_future().wait();
    });
    begun.get_future().wait();
    end_ = end;
  }

  ~standstill() {
    end_->set_value();
  }

private:
  std::shared_ptr<std::promise<void>> end_;
};

/// Introduces itself to whoever connects first, and says nothing else.
/// @returns the connection.
unique_socket be_silent(int listener, const std::string& token) {
  auto deadline = clock::now() + limit;
  if (!wait_for(listener, false, deadline))
    return {};
  unique_socket result{
    accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  introduction x{channel{result.get()}, admission::side::accepts, token};
  return x.finish(deadline) ? std::move(result) : unique_socket{};
}

/// Reads to the end. @returns whether there is one.
bool ends(const unique_socket& x) {
  char buffer[4096];
  for (;;) {
    if (!wait_for(x.get(), false, clock::now() + limit))
      return false;
    auto n = read(x.get(), buffer, sizeof(buffer));
    if (n == 0 || (n < 0 && errno == ECONNRESET))
      return true;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      return false;
  }
}

constexpr loop both_loops[] = {loop::of_caf, loop::of_rosia};

} // namespace

TEST_CASE("a process ends though somebody does not read what it has sent") {
  for (auto which : both_loops)
    for (auto connects : {true, false}) {
      CAPTURE(which == loop::of_caf, connects);
      process deaf{loop::of_rosia};
      auto speaker = std::make_unique<process>(which, 100ms);
      auto target = connect(*speaker, deaf, connects);
      standstill pause{deaf};
      caf::anon_send(target, std::string(large, 'x'));
      target = nullptr;
      speaker = nullptr;
    }
}

TEST_CASE("what a process has said before its end arrives") {
  for (auto which : both_loops)
    for (auto connects : {true, false}) {
      CAPTURE(which == loop::of_caf, connects);
      process other{loop::of_rosia};
      auto speaker = std::make_unique<process>(which);
      caf::anon_send(
        connect(*speaker, other, connects), std::string(large, 'x'));
      speaker = nullptr;
      CHECK(other.heard() == large);
    }
}

TEST_CASE("who does not get to know whom it has reached hangs up") {
  for (auto which : both_loops) {
    CAPTURE(which == loop::of_caf);
    process caller{which};
    auto listener = listen_at("127.0.0.1", 0);
    auto port = caf::io::network::local_port_of_fd(listener.get());
    REQUIRE(port);
    std::promise<unique_socket> met;
    std::thread silent{[&] {
      met.set_value(be_silent(listener.get(), "sesame"));
    }};
    auto x = caller.network().connect("127.0.0.1", *port, clock::now() + 500ms);
    silent.join();
    auto connection = met.get_future().get();
    CHECK_FALSE(x.who);
    CHECK_FALSE(x.problem.empty());
    REQUIRE(connection);
    CHECK(ends(connection));
  }
}

TEST_CASE("a connection that is closed before the loop knows it is closed") {
  for (auto which : both_loops) {
    CAPTURE(which == loop::of_caf);
    auto before = test::files_in("/proc/self/fd");
    {
      settings config{which};
      caf::actor_system system{config};
      auto& home = dynamic_cast<caf::io::network::default_multiplexer&>(
        system.middleman().backend());
      int fds[2];
      REQUIRE(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds)
        == 0);
      unique_socket other{fds[1]};
      connection_terms terms;
      terms.connections = std::make_shared<process_connections>();
      std::promise<void> done;
      system.middleman().spawn_broker(
        [&](caf::io::broker* self, int fd) -> caf::behavior {
          auto x
            = caf::make_counted<process_connection>(home, terms, channel{fd});
          auto handle = x->hdl();
          self->add_scribe(std::move(x));
          self->configure_read(handle, caf::io::receive_policy::exactly(1));
          self->close(handle);
          done.set_value();
          return {};
        },
        fds[0]);
      done.get_future().wait();
      CHECK(ends(other));
      // The loop lets go of it before it does what comes later.
      std::promise<void> later;
      home.post([&] { home.post([&] { later.set_value(); }); });
      later.get_future().wait();
      CHECK(terms.connections->all().empty());
    }
    CHECK(test::files_in("/proc/self/fd") == before);
  }
}

TEST_CASE("the addresses of a host are tried one after the other") {
  dial_problem problem;
  auto listener = listen_at("127.0.0.1", 0);
  auto port = caf::io::network::local_port_of_fd(listener.get());
  REQUIRE(port);
  auto x = dial("localhost", *port, clock::now() + limit, problem);
  CAPTURE(problem.text);
  CHECK(x);
}

TEST_CASE("a port that cannot be opened says why") {
  auto listener = listen_at("", 0);
  auto port = caf::io::network::local_port_of_fd(listener.get());
  REQUIRE(port);
  CHECK_THROWS_WITH(listen_at("", *port), "Address already in use");
  CHECK_THROWS_WITH(
    listen_at("192.0.2.1", 0), "Cannot assign requested address");
}

TEST_CASE("a local name that is too long is an error") {
  dial_problem problem;
  std::string host(200, '@');
  CHECK_FALSE(dial(host, 0, clock::now() + limit, problem));
  CHECK(problem.text == "File name too long");
}
