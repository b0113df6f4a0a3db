// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "existing_service/service.hpp"

#include "catch.hpp"
#include "existing_service/load.hpp"
#include "existing_service/service_errc.hpp"
#include "temporary_folder.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <optional>

namespace service_test {

using namespace existing_service;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace rosia = caf::rosia;

namespace {

rosia::shutdown_options quiet() {
  rosia::shutdown_options result;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  return result;
}

/// A service in a separate folder.
class fixture {
public:
  fixture() {
    start();
  }

  /// Sends a request to the service.
  caf::expected<std::int64_t> ask(const std::string& request) {
    caf::scoped_actor self{system_};
    caf::expected<std::int64_t> result{caf::sec::none};
    self->request(acceptor, 60s, request)
      .receive([&](std::int64_t row) { result = row; },
               [&](const caf::error& x) { result = x; });
    return result;
  }

  std::vector<entry> stored() {
    database result{file, database::access::read};
    return result.entries_after(0);
  }

  load_figures run_load(load_options wanted) {
    return load{system_, acceptor, std::move(wanted)}.join();
  }

  test::temporary_folder folder;
  std::string file = folder.file("a.db");
  std::shared_ptr<door_figures> door = std::make_shared<door_figures>();

private:
  void start() {
    acceptor = start_service(system_, shutdown, database{file}, {}, door);
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};

public:
  acceptor_handle acceptor;
  rosia::shutdown shutdown{system_, quiet()};
};

} // namespace

TEST_CASE("service: the answer is the row of the entry") {
  fixture x;
  CHECK(x.ask("a=1") == 1);
  CHECK(x.ask("b=2") == 2);
  x.shutdown.begin();
  CHECK(x.shutdown.wait_for_shutdown() == 0);
  CHECK(x.stored()
        == std::vector<entry>{*parse_request("a=1"), *parse_request("b=2")});
  CHECK(x.door->accepted == 2);
  CHECK(x.door->refused == 0);
}

TEST_CASE("service: a request that cannot be stored is answered, and the "
          "service continues") {
  fixture x;
  auto malformed = x.ask("nothing");
  REQUIRE_FALSE(malformed);
  CHECK(is(malformed.error(), service_errc::malformed));
  CHECK(x.ask("a=1"));
  auto twice = x.ask("a=2");
  REQUIRE_FALSE(twice);
  CHECK(is(twice.error(), service_errc::not_stored));
  CHECK_THAT(text_of(twice.error()), ContainsSubstring("UNIQUE"));
  CHECK(x.ask("b=1"));
}

TEST_CASE("service: it refuses requests from the start of the shutdown, and "
          "exited after it") {
  fixture x;
  CHECK(x.ask("a=1"));
  // Holds the shutdown up before the acceptor ends.
  auto held = x.shutdown.guard("held");
  std::atomic<bool> begun = false;
  std::stop_callback note{
    x.shutdown.token(), [&] {
      begun = true;
      begun.notify_all();
    }};
  x.shutdown.begin();
  begun.wait(false);
  auto refused = x.ask("b=1");
  REQUIRE_FALSE(refused);
  CHECK(is(refused.error(), service_errc::shutting_down));
  CHECK(text_of(refused.error()) == "the service shuts down");
  CHECK(x.door->accepted == 1);
  CHECK(x.door->refused == 1);
  held.drop();
  CHECK(x.shutdown.wait_for_shutdown() == 0);
  auto late = x.ask("c=1");
  REQUIRE_FALSE(late);
  CHECK(late.error() == caf::sec::request_receiver_down);
  CHECK(text_of(late.error()) == "request_receiver_down");
  CHECK(x.stored().size() == 1);
}

TEST_CASE("load: all requests are sent, by all clients, with different keys") {
  fixture x;
  load_options wanted;
  wanted.clients = 3;
  wanted.in_flight = 5;
  wanted.requests = 100;
  wanted.prefix = "p";
  std::atomic<int> announced = 0;
  std::atomic<int> done = 0;
  wanted.announce_at = 50;
  wanted.announce = [&] { ++announced; };
  wanted.all_done = [&] { ++done; };
  const auto figures = x.run_load(wanted);
  CHECK(figures.sent == 100);
  CHECK(figures.acknowledged.size() == 100);
  CHECK(figures.refused + figures.turned_back + figures.failed == 0);
  CHECK(announced == 1);
  CHECK(done == 1);
  CHECK(x.door->accepted == 100);
}

TEST_CASE("load: stored keys are not sent again, for any number of clients") {
  fixture x;
  load_options wanted;
  wanted.clients = 3;
  wanted.requests = 10;
  const auto first = x.run_load(wanted).acknowledged;
  CHECK(first.size() == 10);
  wanted.stored_before = {first.begin(), first.end()};
  wanted.clients = 2;
  wanted.requests = 25;
  const auto again = x.run_load(wanted);
  CHECK(again.sent == 15);
  CHECK(again.acknowledged.size() == 15);
}

TEST_CASE("load: failures are distinguished from refusals") {
  fixture x;
  load_options wanted;
  wanted.clients = 1;
  wanted.requests = 10;
  CHECK(x.run_load(wanted).acknowledged.size() == 10);
  const auto again = x.run_load(wanted);
  CHECK(again.acknowledged.empty());
  CHECK(again.failed == 10);
  CHECK_THAT(again.first_failure, ContainsSubstring("UNIQUE"));
}

TEST_CASE("load: without a limit it continues until the service ended") {
  fixture x;
  load_options wanted;
  wanted.announce_at = 20;
  wanted.announce = [&] { x.shutdown.begin(); };
  const auto figures = x.run_load(wanted);
  CHECK(x.shutdown.wait_for_shutdown() == 0);
  CHECK(figures.acknowledged.size() == x.door->accepted);
  CHECK(figures.refused == x.door->refused);
  CHECK(figures.turned_back > 0);
  CHECK(figures.sent
        == figures.acknowledged.size() + figures.refused + figures.turned_back);
  CHECK(x.stored().size() == figures.acknowledged.size());
}

} // namespace service_test
