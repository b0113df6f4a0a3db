// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of a message between two processes: two actor systems of this
// process that share nothing, over the loopback device, with or without TLS.
// Compared with bare CAF's requests and sends between two systems with its
// default settings, and with an echo over a plain TCP connection between two
// threads.

#include "pairs.hpp"

#include "free_port.hpp"
#include "rosia_certs/certificate_authority.hpp"
#include "system_as_process.hpp"
#include "temporary_folder.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/multiplexer.hpp"
#include "caf_version.hpp"

#include <benchmark/benchmark.h>

#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t small = 64;
constexpr std::size_t large = 8 * 1024 * 1024;
constexpr int small_laps = 5'000;
constexpr int large_laps = 10;
constexpr int stream_length = 300'000;

// -- sockets ------------------------------------------------------------------

int loopback_socket(sockaddr_in& address) {
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// Creates a listening socket, and stores its port in `address`.
int listen_anywhere(sockaddr_in& address) {
  auto fd = loopback_socket(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (bind(fd, generic, size) != 0 || listen(fd, 1) != 0
      || getsockname(fd, generic, &size) != 0)
    std::abort();
  return fd;
}

void set_no_delay(int fd) {
  auto on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool transfer(ssize_t (*fun)(int, char*, std::size_t), int fd, char* data,
              std::size_t size) {
  while (size > 0) {
    auto n = fun(fd, data, size);
    if (n <= 0)
      return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

ssize_t receive_some(int fd, char* data, std::size_t size) {
  return recv(fd, data, size, 0);
}

ssize_t send_some(int fd, char* data, std::size_t size) {
  return send(fd, data, size, MSG_NOSIGNAL);
}

double tcp_round_trip() {
  sockaddr_in address{};
  auto listener = listen_anywhere(address);
  std::thread echo{[listener] {
    auto fd = accept(listener, nullptr, nullptr);
    set_no_delay(fd);
    std::array<char, small> data{};
    while (transfer(receive_some, fd, data.data(), data.size()))
      transfer(send_some, fd, data.data(), data.size());
    close(fd);
  }};
  sockaddr_in unused{};
  auto fd = loopback_socket(unused);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    std::abort();
  set_no_delay(fd);
  std::array<char, small> data{};
  auto start = bench::clock::now();
  for (auto i = 0; i < small_laps; ++i) {
    transfer(send_some, fd, data.data(), data.size());
    transfer(receive_some, fd, data.data(), data.size());
  }
  auto result = bench::seconds_since(start) / small_laps;
  close(fd);
  echo.join();
  close(listener);
  return result;
}

/// While this object exists, threads run on the first processor that this
/// process may use, if they are started by this thread or its descendants.
class one_processor {
public:
  one_processor() {
    sched_getaffinity(0, sizeof(before_), &before_);
    auto first = 0;
    while (!CPU_ISSET(first, &before_))
      ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof(one), &one);
  }

  one_processor(const one_processor&) = delete;

  one_processor& operator=(const one_processor&) = delete;

  ~one_processor() {
    sched_setaffinity(0, sizeof(before_), &before_);
  }

private:
  cpu_set_t before_{};
};

// -- Rosia --------------------------------------------------------------------

/// Certificates of a CA for the processes.
class certificates {
public:
  certificates()
    : files_{folder_.file("certificate.pem"), folder_.file("key.pem"),
             folder_.file("ca.pem")} {
    using std::chrono::hours;
    auto ca
      = rosia_certs::certificate_authority::create("Benchmark CA", hours{24});
    ca.issue({"benchmark", {"localhost"}, hours{24}}, files_);
  }

  void use(rosia::options& opts) const {
    opts.network.insecure = false;
    opts.tls.certificate = files_.certificate;
    opts.tls.key = files_.key;
    opts.tls.ca = files_.ca;
  }

private:
  test::temporary_folder folder_;
  rosia::detail::tls_files files_;
};

enum class protection { none, tls };

/// A config as made by `exec_main`.
struct process_config : rosia::config {
  process_config() {
    rosia::load_multiplexer(*this);
    test::set_caf_option(*this, "middleman.workers", 0);
    test::set_caf_option(*this, "middleman.max-consecutive-reads", 2);
  }
};

/// Runs a graph over two processes; nodes are placed in "near" and "far".
void run_both(const std::function<void(rosia::application&)>& build,
              protection which) {
  static const certificates issued;
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = bench::fast();
    test::take_part(opts, name, "near", "far", address);
    if (which == protection::tls)
      issued.use(opts);
    rosia::application app{sys, opts};
    build(app);
    app.run();
  };
  std::thread far{[&] { run("far"); }};
  run("near");
  far.join();
}

struct server : rosia::node {
  server(std::size_t size, int laps, double& result)
    : payload(size, 'x'), left(laps), each(laps), seconds(result) {
    // nop
  }

  rosia::input_port<std::string> in{this, "in"};
  rosia::output_port<std::string> out{this, "out"};

  void start() {
    began = bench::clock::now();
    out(payload);
  }

  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    [this] {
      if (--left > 0)
        out(payload);
      else
        seconds = bench::seconds_since(began) / each;
    },
    rosia::eager};

  std::string payload;
  int left;
  int each;
  double& seconds;
  bench::clock::time_point began;
};

struct returner : rosia::node {
  rosia::input_port<std::string> in{this, "in"};
  rosia::output_port<std::string> out{this, "out"};

  // A copy, as on the far side of a request.
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(std::string{*in}); }};
};

/// Adds a server, and a node in the other process that returns what it gets.
template <class Server>
rosia::node_ref<Server> add_round_trip(
  rosia::application& app, std::size_t size, int laps, double& result) {
  auto a = app.create<Server>("a", size, laps, result);
  auto b = app.create<returner>("b");
  app.place(a, "near");
  app.place(b, "far");
  app.connect(a, &server::out, b, &returner::in);
  app.connect(b, &returner::out, a, &server::in);
  return a;
}

double rosia_round_trip(std::size_t size, int laps,
                        protection which = protection::none) {
  double result = 0;
  run_both(
    [&](rosia::application& app) {
      add_round_trip<server>(app, size, laps, result);
    },
    which);
  return result;
}

struct source : rosia::node {
  rosia::output_port<std::string> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < stream_length; ++i) {
      out(std::string(small, 'x'));
      co_await rosia::after(1us);
    }
  }
};

struct sink : rosia::node {
  explicit sink(double& result) : seconds(result) {
    // nop
  }

  rosia::input_port<std::string> in{this, "in"};

  void start() {
    began = bench::clock::now();
  }

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      if (++count == stream_length)
        seconds = bench::seconds_since(began) / stream_length;
    }};

  double& seconds;
  int count = 0;
  bench::clock::time_point began;
};

double rosia_stream(protection which = protection::none) {
  double result = 0;
  run_both(
    [&](rosia::application& app) {
      auto from = app.create<source>("from");
      auto to = app.create<sink>("to", result);
      app.place(from, "near");
      app.place(to, "far");
      app.connect(from, &source::out, to, &sink::in);
    },
    which);
  return result;
}

/// A server with silent connections: it never writes to `quiet`.
struct quiet_server : server {
  using server::server;

  rosia::output_port<int> quiet{this, "quiet"};
};

struct waiting_sink : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

struct quiet_relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

/// The ends of the silent connections between two processes.
enum class silent_ends {
  one_sender, // to as many receivers
  pairs       // of a sender and a receiver
};

/// Returns the seconds of a round trip, for each of which the server promises
/// once more that silent connections stay silent.
double rosia_silent_connections(int connections, silent_ends ends) {
  constexpr int laps = 500;
  double result = 0;
  run_both(
    [&](rosia::application& app) {
      auto a = add_round_trip<quiet_server>(app, small, laps, result);
      for (auto i = 0; i < connections; ++i) {
        auto number = std::to_string(i);
        auto to = app.create<waiting_sink>("to " + number);
        app.place(to, "far");
        if (ends == silent_ends::one_sender) {
          app.connect(a, &quiet_server::quiet, to, &waiting_sink::in);
          continue;
        }
        auto from = app.create<quiet_relay>("from " + number);
        app.place(from, "near");
        app.connect(a, &quiet_server::quiet, from, &quiet_relay::in);
        app.connect(from, &quiet_relay::out, to, &waiting_sink::in);
      }
    },
    protection::none);
  return result;
}

// -- bare CAF -----------------------------------------------------------------

/// Two systems with CAF's default settings.
struct bare_pair {
  struct config : caf::actor_system_config {
    config() {
      load<caf::io::middleman>();
    }
  };

  config far_config;
  caf::actor_system far{far_config};
  config near_config;
  caf::actor_system near{near_config};

  /// Publishes an actor of the far system. @returns its handle in the near one.
  caf::actor reach(const caf::actor& x) {
    auto port = far.middleman().publish(x, 0, "127.0.0.1");
    if (!port)
      std::abort();
    auto result = near.middleman().remote_actor("127.0.0.1", *port);
    if (!result)
      std::abort();
    return *result;
  }
};

caf::behavior answer(caf::event_based_actor*) {
  return {[](const std::string& x) { return x; }};
}

caf::behavior ask(
  caf::stateful_actor<int>* self, const caf::actor& other,
  const std::string& payload, int laps, const caf::actor& listener) {
  test::state_of(self) = laps;
  auto next = std::make_shared<std::function<void()>>();
  *next = [=] {
    self->request(other, caf::infinite, payload).then([=](const std::string&) {
      if (--test::state_of(self) > 0)
        (*next)();
      else
        self->send(listener, caf::ok_atom_v);
    });
  };
  return {[=](caf::ok_atom) { (*next)(); },
          [next](caf::leave_atom) { *next = nullptr; }};
}

double bare_round_trip(std::size_t size, int laps) {
  bare_pair both;
  auto far = both.far.spawn(answer);
  auto other = both.reach(far);
  caf::scoped_actor self{both.near};
  auto near = both.near.spawn(
    ask, other, std::string(size, 'x'), laps,
    caf::actor_cast<caf::actor>(self));
  auto start = bench::clock::now();
  self->send(near, caf::ok_atom_v);
  self->receive([](caf::ok_atom) {
    // done
  });
  auto result = bench::seconds_since(start) / laps;
  self->send(near, caf::leave_atom_v);
  self->send_exit(near, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(far, caf::exit_reason::kill);
  return result;
}

caf::behavior count(caf::stateful_actor<int>* self,
                    const caf::actor& listener) {
  return {[=](const std::string&) {
    if (++test::state_of(self) == stream_length)
      self->send(listener, caf::ok_atom_v);
  }};
}

caf::behavior send_all(caf::event_based_actor* self, const caf::actor& to) {
  return {[=](caf::ok_atom) {
    for (auto i = 0; i < stream_length; ++i)
      self->send(to, std::string(small, 'x'));
  }};
}

double bare_stream() {
  bare_pair both;
  caf::scoped_actor self{both.far};
  auto far = both.far.spawn(count, caf::actor_cast<caf::actor>(self));
  auto near = both.near.spawn(send_all, both.reach(far));
  auto start = bench::clock::now();
  caf::anon_send(near, caf::ok_atom_v);
  self->receive([](caf::ok_atom) {
    // done
  });
  auto result = bench::seconds_since(start) / stream_length;
  caf::anon_send_exit(near, caf::exit_reason::kill);
  caf::anon_send_exit(far, caf::exit_reason::kill);
  return result;
}

// -- rows ---------------------------------------------------------------------

constexpr double us_per_second = 1e6;

double small_round_trip() {
  return rosia_round_trip(small, small_laps);
}

void processes_round_trip(benchmark::State& state) {
  bench::run_by_turns(
    state, small_round_trip, [] { return bare_round_trip(small, small_laps); },
    {.name = "processes, round trip",
     .quantity = "64 bytes there and back, against a request",
     .unit = "us",
     .limit = 0.6},
    us_per_second);
}

void processes_round_trip_tcp(benchmark::State& state) {
  bench::run_by_turns(
    state, small_round_trip, tcp_round_trip,
    {.name = "processes, round trip, TCP",
     .quantity = "the same against an echo over a TCP connection",
     .unit = "us",
     .limit = 2.5},
    us_per_second);
}

void processes_round_trip_pinned(benchmark::State& state) {
  one_processor scope;
  bench::run_by_turns(
    state, small_round_trip, tcp_round_trip,
    {.name = "processes, round trip, pinned",
     .quantity = "the same, both on one processor",
     .unit = "us",
     .limit = 2.5},
    us_per_second);
}

void processes_round_trip_tls(benchmark::State& state) {
  bench::run_by_turns(
    state, [] { return rosia_round_trip(small, small_laps, protection::tls); },
    small_round_trip,
    {.name = "processes, round trip, TLS",
     .quantity = "with TLS, against without",
     .unit = "us",
     .limit = 1.5},
    us_per_second);
}

void processes_stream_tls(benchmark::State& state) {
  bench::run_by_turns(
    state, [] { return rosia_stream(protection::tls); },
    [] { return rosia_stream(); },
    {.name = "processes, stream, TLS",
     .quantity = "with TLS, per message, against without",
     .unit = "us",
     .limit = 1.5},
    us_per_second);
}

void processes_large(benchmark::State& state) {
  bench::run_by_turns(
    state, [] { return rosia_round_trip(large, large_laps); },
    [] { return bare_round_trip(large, large_laps); },
    {.name = "processes, large",
     .quantity = "8 MiB there and back, against a request",
     .unit = "us",
     .limit = 1.1},
    us_per_second);
}

void processes_stream(benchmark::State& state) {
  bench::run_by_turns(
    state, [] { return rosia_stream(); }, bare_stream,
    {.name = "processes, stream",
     .quantity = "a source to a sink, 64 bytes, per message, against sends",
     .unit = "us",
     .limit = 0.08},
    us_per_second);
}

void processes_silent(benchmark::State& state) {
  bench::run_by_turns(
    state,
    [] { return rosia_silent_connections(1000, silent_ends::one_sender); },
    [] { return rosia_silent_connections(1, silent_ends::one_sender); },
    {.name = "processes, silent",
     .quantity = "a round trip beside 1,000 silent connections, against 1",
     .unit = "us",
     .limit = 6},
    us_per_second);
}

BENCHMARK(processes_silent)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_round_trip)->Iterations(7)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_round_trip_tcp)
  ->Iterations(9)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(processes_round_trip_pinned)
  ->Iterations(9)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(processes_round_trip_tls)
  ->Iterations(9)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(processes_large)->Iterations(7)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_stream)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_stream_tls)->Iterations(9)->Unit(benchmark::kMillisecond);

} // namespace
