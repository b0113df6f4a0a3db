// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Connections between actor systems of one program, with CAF's and Rosia's
// loop.

#include "compat/io/process_network.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "compat/actor_calls.hpp"
#include "compat/io/middleman.hpp"
#include "compat/io/process_connection.hpp"
#include "compat/worker.hpp"
#include "files_in.hpp"
#include "network/introduction.hpp"
#include "network/sockets.hpp"
#include "rosia_certs/certificate_authority.hpp"
#include "temporary_folder.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/system_messages.hpp>
#include <caf/make_counted.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace process_network_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

using clock = std::chrono::steady_clock;

/// A limit against hangs.
constexpr auto limit = 600s;

/// More than the buffers of two sockets.
constexpr std::size_t large = 32 * 1024 * 1024;

/// The registered name of a process's actor.
const auto name = ::test::to_word("test");

enum class loop { of_caf, of_rosia };

struct settings : caf::actor_system_config {
  /// @param silence time after which CAF considers another process dead, if
  /// any.
  explicit settings(loop which, caf::timespan silence = {}) {
    load_middleman(
      *this,
      which == loop::of_caf ? multiplexer_kind::caf : multiplexer_kind::rosia);
    if (silence.count() > 0) {
      ::test::set_caf_option(
        *this, "middleman.heartbeat-interval", silence / 40);
      ::test::set_caf_option(*this, "middleman.connection-timeout", silence);
    }
    ::test::set_caf_option(*this, "middleman.workers", 0);
  }
};

std::shared_ptr<spdlog::logger> no_log() {
  return std::make_shared<spdlog::logger>(
    "test", std::make_shared<spdlog::sinks::null_sink_mt>());
}

/// Certificates of a CA for the processes of a test.
class certificates {
public:
  certificates()
    : files_{folder_.file("certificate.pem"), folder_.file("key.pem"),
             folder_.file("ca.pem")} {
    auto ca = rosia_certs::certificate_authority::create(
      "Test CA", std::chrono::hours{24});
    ca.issue({"test", {"localhost"}, std::chrono::hours{24}}, files_);
  }

  const tls_files& files() const noexcept {
    return files_;
  }

private:
  ::test::temporary_folder folder_;
  tls_files files_;
};

/// Collects received frames. The first byte of a frame identifies its sender.
class frame_collector : public frame_receiver {
public:
  void receive(const caf::node_id& from, std::string_view bytes,
               worker&) override {
    std::lock_guard guard{mutex_};
    from_ = from;
    frames_[bytes.front()].emplace_back(bytes.substr(1));
    ++count_;
    changed_.notify_all();
  }

  /// Waits for this number of frames. @returns the frames by sender.
  std::map<char, std::vector<std::string>> await(std::size_t count) {
    std::unique_lock guard{mutex_};
    CHECK(changed_.wait_for(guard, limit, [&] { return count_ >= count; }));
    CHECK(count_ == count);
    return frames_;
  }

  /// Returns the frames so far, by sender.
  std::map<char, std::vector<std::string>> all() {
    std::lock_guard guard{mutex_};
    return frames_;
  }

  /// Waits for this number of frames, as long as their connection exists.
  /// @returns whether they arrived.
  bool arrive(std::size_t count, process_link& way) {
    auto end = clock::now() + limit;
    for (;;) {
      // A closed connection may still deliver them before its end.
      auto over = way.over() || clock::now() > end;
      {
        std::lock_guard guard{mutex_};
        if (count_ >= count)
          return true;
      }
      if (over)
        return false;
      std::this_thread::yield();
    }
  }

  /// Returns the process that sent the last frame.
  caf::node_id from() {
    std::lock_guard guard{mutex_};
    return from_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<char, std::vector<std::string>> frames_;
  caf::node_id from_;
  std::size_t count_ = 0;
};

process_network::settings network_settings(
  clock::duration patience, const std::shared_ptr<frame_collector>& frames,
  const certificates* tls) {
  process_network::settings result;
  if (tls != nullptr)
    result.tls = tls->files();
  result.frames = frames;
  result.token = "sesame";
  result.patience = patience;
  result.max_message = 2 * large;
  result.processes = 2;
  result.log = no_log();
  return result;
}

/// A process that accepts connections.
class process {
public:
  explicit process(
    loop which, clock::duration patience = limit,
    const certificates* tls = nullptr, caf::timespan silence = {})
    : config_(which, silence), system_(config_),
      network_(system_, network_settings(patience, frames_, tls)) {
    // CAF's overload for a function without arguments has undefined behavior.
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

  frame_collector& frames() {
    return *frames_;
  }

  /// Returns the size of the message that this process's actor received.
  std::size_t heard() {
    auto result = heard_->get_future();
    REQUIRE(result.wait_for(limit) == std::future_status::ready);
    return result.get();
  }

private:
  using promise_ptr = std::shared_ptr<std::promise<std::size_t>>;

  std::shared_ptr<frame_collector> frames_
    = std::make_shared<frame_collector>();
  settings config_;
  caf::actor_system system_;
  process_network network_;
  promise_ptr heard_ = std::make_shared<std::promise<std::size_t>>();
  caf::actor gate_; // found by other processes
  caf::actor ear_;  // receives their messages
  std::uint16_t port_ = 0;
};

/// Connects one process to the other.
/// @returns the actor of `to`, for use by `from`.
caf::actor connect(process& from, process& to, bool from_connects) {
  auto& caller = from_connects ? from : to;
  auto& called = from_connects ? to : from;
  auto x = caller.network().connect(
    "127.0.0.1", called.port(), clock::now() + limit);
  CAPTURE(x.problem);
  REQUIRE(x.actor);
  // After its answer, the called process can use the connection as well.
  auto find = [](process& self, process& other) {
    return self.system().middleman().remote_lookup(name, other.system().node());
  };
  REQUIRE(find(caller, called));
  auto result = find(from, to);
  REQUIRE(result);
  return caf::actor_cast<caf::actor>(result);
}

/// Returns the link for frames from one process to the other, after they are
/// connected.
process_link_ptr link(process& from, process& to) {
  auto result = from.network().link_to(to.system().node());
  REQUIRE(result);
  return result;
}

void send_frame(process_link& x, char sender, const std::string& content) {
  std::string_view pieces[] = {{&sender, 1}, content};
  x.add_frame(pieces);
}

/// Blocks the loop of a process while this object exists.
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

/// Introduces itself to the first client, and then stays silent.
/// @returns the connection.
descriptor be_silent(int listener, const std::string& token) {
  auto deadline = clock::now() + limit;
  if (!wait_for(listener, false, deadline))
    return {};
  descriptor result{
    accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  introduction x{channel{result.get()}, admission::side::accepts, token};
  return x.finish(deadline) ? std::move(result) : descriptor{};
}

/// Reads until the end. @returns whether the connection ends.
bool ends(const descriptor& x) {
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

/// Calls `fun` with both loops, with and without certificates.
template <class Fun>
void for_all_ways(Fun fun) {
  certificates tls;
  for (auto which : both_loops)
    for (auto* files : {static_cast<const certificates*>(nullptr),
                        static_cast<const certificates*>(&tls)}) {
      CAPTURE(which == loop::of_caf, files != nullptr);
      fun(which, files);
    }
}

/// Returns the content of the frame with this number. Some frames are larger
/// than a read buffer.
std::string content_of(int number) {
  auto size = number % 100 == 0 ? 100'000 + number : number % 300;
  return std::to_string(number) + ' '
         + std::string(static_cast<std::size_t>(size), 'x');
}

/// Connects to a process, introduces itself, and then sends a text.
descriptor connect_and_say(std::uint16_t port, const std::string& bytes) {
  dial_problem problem;
  auto deadline = clock::now() + limit;
  auto result = dial("127.0.0.1", port, deadline, problem);
  REQUIRE(result);
  introduction x{channel{result.get()}, admission::side::connects, "sesame"};
  REQUIRE(x.finish(deadline));
  std::size_t n = 0;
  REQUIRE(x.way().write(bytes.data(), bytes.size(), n) == channel::state::done);
  REQUIRE(n == bytes.size());
  return result;
}

using texts = std::vector<std::string>;

/// Returns invalid data of any protocol, large enough that no receiver waits
/// for more.
std::string nonsense() {
  return std::string(3 * large, '\xff');
}

/// CAF's messages on a new connection may be sent between the parts that a test
/// sends. The invalid data that follows then ends the connection.
/// @returns whether in one of many tries this did not happen and `works` was
/// true.
template <class Fun>
bool once(Fun&& works) {
  for (auto i = 0; i < 50; ++i)
    if (works())
      return true;
  return false;
}

} // namespace

TEST_CASE("a process ends even if its data is not read") {
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

TEST_CASE("data sent by a process before its end arrives") {
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

TEST_CASE("a client that cannot identify its server closes the connection") {
  for (auto which : both_loops) {
    CAPTURE(which == loop::of_caf);
    process caller{which};
    auto listener = listen_at("127.0.0.1", 0);
    auto port = caf::io::network::local_port_of_fd(listener.get());
    REQUIRE(port);
    std::promise<descriptor> met;
    std::thread silent{[&] {
      met.set_value(be_silent(listener.get(), "sesame"));
    }};
    auto x = caller.network().connect("127.0.0.1", *port, clock::now() + 500ms);
    silent.join();
    auto connection = met.get_future().get();
    CHECK_FALSE(x.actor);
    CHECK_FALSE(x.problem.empty());
    REQUIRE(connection);
    CHECK(ends(connection));
  }
}

TEST_CASE("a connection that was closed before the loop got it is closed") {
  for (auto which : both_loops) {
    CAPTURE(which == loop::of_caf);
    auto before = ::test::files_in("/proc/self/fd");
    {
      settings config{which};
      caf::actor_system system{config};
      auto& home = dynamic_cast<caf::io::network::default_multiplexer&>(
        system.middleman().backend());
      int fds[2];
      REQUIRE(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds)
        == 0);
      descriptor other{fds[1]};
      connection_terms terms;
      terms.links = std::make_shared<process_links>();
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
      // The loop releases it before later functions.
      std::promise<void> later;
      home.post([&] { home.post([&] { later.set_value(); }); });
      later.get_future().wait();
      CHECK(terms.links->all().empty());
    }
    CHECK(::test::files_in("/proc/self/fd") == before);
  }
}

TEST_CASE("frames of several threads arrive whole, each thread's in order") {
  constexpr auto count = 500;
  constexpr char senders[] = {'a', 'b', 'c'};
  for_all_ways([&](loop which, const certificates* tls) {
    process from{which, limit, tls};
    process to{which, limit, tls};
    auto talk = connect(from, to, true);
    auto way = link(from, to);
    std::vector<std::thread> threads;
    for (auto sender : senders)
      threads.emplace_back([&way, sender] {
        for (auto i = 0; i < count; ++i) {
          send_frame(*way, sender, content_of(i));
          // The other frames are flushed together.
          if (i % 3 == 0)
            way->flush();
        }
        way->flush();
      });
    caf::anon_send(talk, std::string(200'000, 'x'));
    auto frames = to.frames().await(count * std::size(senders));
    for (auto& x : threads)
      x.join();
    for (auto sender : senders) {
      REQUIRE(frames[sender].size() == count);
      for (auto i = 0; i < count; ++i)
        if (frames[sender][static_cast<std::size_t>(i)] != content_of(i))
          FAIL_CHECK(sender << ' ' << i);
    }
    CHECK(to.frames().from() == from.system().node());
    CHECK(to.heard() == 200'000);
  });
}

TEST_CASE("frames that a socket does not accept at once arrive later") {
  for_all_ways([](loop which, const certificates* tls) {
    process from{which, limit, tls};
    process to{which, limit, tls};
    connect(from, to, false);
    auto way = link(from, to);
    {
      standstill pause{to};
      send_frame(*way, 'a', std::string(large, 'x'));
      way->flush();
      send_frame(*way, 'a', "last");
      way->flush();
    }
    auto frames = to.frames().await(2);
    CHECK(frames['a'].front() == std::string(large, 'x'));
    CHECK(frames['a'].back() == "last");
    // The connection still works.
    send_frame(*way, 'a', "again");
    way->flush();
    CHECK(to.frames().await(3)['a'].back() == "again");
  });
}

TEST_CASE("frames flushed before a process's end arrive") {
  for_all_ways([](loop which, const certificates* tls) {
    process to{which, limit, tls};
    auto from = std::make_unique<process>(which, limit, tls);
    connect(*from, to, true);
    auto way = link(*from, to);
    send_frame(*way, 'a', std::string(large, 'x'));
    way->flush();
    from = nullptr;
    CHECK(way->over());
    // Without a receiver.
    send_frame(*way, 'a', "late");
    way->flush();
    CHECK(to.frames().await(1)['a'].front().size() == large);
  });
}

TEST_CASE("the other end of a link closes while threads send") {
  for_all_ways([](loop which, const certificates* tls) {
    process from{which, limit, tls};
    auto to = std::make_unique<process>(which, limit, tls);
    connect(from, *to, true);
    auto way = link(from, *to);
    std::vector<std::thread> threads;
    for (auto sender : {'a', 'b'})
      threads.emplace_back([&way, sender] {
        while (!way->over()) {
          send_frame(*way, sender, content_of(1));
          way->flush();
        }
      });
    to->network().link_to(from.system().node())->hang_up();
    for (auto& x : threads)
      x.join();
    CHECK_FALSE(from.network().link_to(to->system().node()));
  });
}

TEST_CASE("a process that only sends frames is not considered dead") {
  constexpr auto silence = 1s;
  // CAF itself does not receive these frames.
  process from{loop::of_rosia};
  process to{loop::of_rosia, limit, nullptr, silence};
  connect(from, to, true);
  auto way = link(from, to);
  auto end = clock::now() + 3 * silence;
  for (std::size_t n = 1; clock::now() < end; ++n) {
    send_frame(*way, 'a', "alive");
    way->flush();
    to.frames().await(n);
  }
  CHECK_FALSE(way->over());
}

TEST_CASE("a ping is not sent inside one of CAF's frames") {
  CHECK(once([] {
    process from{loop::of_rosia};
    process to{loop::of_rosia};
    connect(from, to, true);
    auto way = link(from, to);
    // A message without receiver, whose payload follows later.
    auto payload = "\0\0\0\x08@<>+@i32\0\0\0\1"s;
    auto header
      = "\2\0\0\0\0\0\0"s + static_cast<char>(payload.size())
        + "\x10\0\0\0\0\0\0\0"s + std::string(8, '\0') + "\0\0\0\0\0\1\0\0"s;
    send_frame(*way, 'a', "first");
    way->add(header);
    way->flush();
    if (!to.frames().arrive(1, *way))
      return false;
    way->add(payload);
    send_frame(*way, 'a', "last");
    way->add(nonsense());
    way->flush();
    return to.frames().arrive(2, *way)
           && to.frames().all()['a'] == texts{"first", "last"};
  }));
}

TEST_CASE("half of a frame's header does not end a connection") {
  CHECK(once([] {
    process from{loop::of_rosia};
    process to{loop::of_rosia};
    connect(from, to, true);
    auto way = link(from, to);
    way->add(std::string{"\x80\0\0"s});
    way->flush();
    way->add("\0\2ab"s);
    way->add(nonsense());
    way->flush();
    return to.frames().arrive(1, *way) && to.frames().all()['a'] == texts{"b"};
  }));
}

TEST_CASE("frames from a process without a name, or too large ones, end the "
          "connection") {
  process x{loop::of_rosia};
  // A frame of CAF's protocol must be first.
  CHECK(ends(connect_and_say(x.port(), "\x80\0\0\0\1x"s)));
  process other{loop::of_rosia};
  connect(other, x, true);
  auto way = link(other, x);
  send_frame(*way, 'a', "b");
  way->flush();
  CHECK(x.frames().await(1)['a'].front() == "b");
  way->add("\x80\xff\xff\xff\xff"s);
  way->flush();
  while (!way->over())
    std::this_thread::yield();
}

TEST_CASE("the addresses of a host are tried in order") {
  dial_problem problem;
  auto listener = listen_at("127.0.0.1", 0);
  auto port = caf::io::network::local_port_of_fd(listener.get());
  REQUIRE(port);
  auto x = dial("localhost", *port, clock::now() + limit, problem);
  CAPTURE(problem.text);
  CHECK(x);
}

TEST_CASE("a port that cannot be opened reports the reason") {
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

TEST_CASE("a broker that writes invalid data finishes its handler first") {
  for (auto which : both_loops)
    for (auto closes : {false, true}) {
      CAPTURE(which == loop::of_caf, closes);
      std::vector<bool> told; // per end, whether it was inside a handler
      {
        settings config{which};
        caf::actor_system system{config};
        auto& home = dynamic_cast<caf::io::network::default_multiplexer&>(
          system.middleman().backend());
        int fds[2];
        REQUIRE(socketpair(
                  AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds)
                == 0);
        descriptor other{fds[1]};
        // Only writing detects this.
        REQUIRE(::shutdown(other.get(), SHUT_RD) == 0);
        connection_terms terms;
        terms.links = std::make_shared<process_links>();
        std::promise<void> over;
        auto handles = false;
        auto broker = system.middleman().spawn_broker(
          [&](caf::io::broker* self, int fd) -> caf::behavior {
            auto x
              = caf::make_counted<process_connection>(home, terms, channel{fd});
            auto handle = x->hdl();
            self->add_scribe(std::move(x));
            self->configure_read(handle, caf::io::receive_policy::exactly(1));
            return {[&, self, handle, closes](int number) {
                      handles = true;
                      self->write(handle, 1, "x");
                      self->flush(handle);
                      if (closes)
                        self->close(handle);
                      handles = false;
                      return number + 1;
                    },
                    [&](const caf::io::connection_closed_msg&) {
                      told.push_back(handles);
                      over.set_value();
                    }};
          },
          fds[0]);
        caf::scoped_actor self{system};
        auto answer = 0;
        detail::request(*self, broker, limit, 7)
          .receive([&](int x) { answer = x; },
                   [&](const caf::error& e) { FAIL(caf::to_string(e)); });
        CHECK(answer == 8);
        // A broker that closes the connection itself gets no notification.
        if (!closes)
          CHECK(over.get_future().wait_for(limit) == std::future_status::ready);
        caf::anon_send_exit(broker, caf::exit_reason::user_shutdown);
      }
      CHECK(told == (closes ? std::vector<bool>{} : std::vector{false}));
    }
}

} // namespace process_network_test
