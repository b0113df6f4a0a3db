// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The list of active actors, `rosia::actor_names`, in a program that is
// compiled for it.

#include "caf/rosia/shutdown/actor_names.hpp"

#include "support.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <set>

namespace actor_names_test {

using rosia::actor_names;
using rosia::named_actor;

namespace {

// -- systems ------------------------------------------------------------------

struct names_config : workers_config {
  names_config() : workers_config(2) {
    names.attach_to(*this);
    load<caf::io::middleman>();
  }

  actor_names names;
};

/// An actor system that knows the names of its actors.
class named_system {
public:
  named_system() : system_(config_) {
    // nop
  }

  caf::actor_system& get() {
    return system_;
  }

  /// Returns the active actors without hidden ones. CAF's own actors, which are
  /// hidden, are listed if the linker makes them use the test's copy of a
  /// template.
  std::vector<named_actor> living() const {
    auto result = config_.names.living();
    std::erase_if(result, [](const named_actor& x) { return x.hidden; });
    return result;
  }

  std::vector<named_actor> hidden() const {
    auto result = config_.names.living();
    std::erase_if(result, [](const named_actor& x) { return !x.hidden; });
    return result;
  }

private:
  names_config config_;
  caf::actor_system system_;
};

/// Adds an actor as if CAF reported it.
void report(actor_names& names, const caf::local_actor& actor) {
  caf::actor_system_config cfg;
  names.attach_to(cfg);
  cfg.profiler->add_actor(actor, nullptr);
}

// -- actors -------------------------------------------------------------------

/// An actor that does nothing and does not override name().
class plain : public caf::event_based_actor {
public:
  explicit plain(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[](int) {}};
  }
};

/// An actor with a name.
class store : public plain {
public:
  using plain::plain;

  const char* name() const override {
    return "store";
  }
};

/// An actor whose name is empty.
class nameless : public plain {
public:
  using plain::plain;

  const char* name() const override {
    return nullptr;
  }
};

struct fixed_state {
  static constexpr const char* name = "fixed";
};

/// A state whose name its behavior changes.
struct changing_state {
  std::string name = "before";
};

struct nameless_state {
  int value = 0;
};

caf::behavior fixed(caf::stateful_actor<fixed_state>*, int) {
  return {[](int) {}};
}

caf::behavior changing(caf::stateful_actor<changing_state>* self, int) {
  test::state_of(self).name = "after";
  return {[](int) {}};
}

caf::behavior without_name(caf::stateful_actor<nameless_state>*, int) {
  return {[](int) {}};
}

caf::behavior function(caf::event_based_actor*, int) {
  return {[](int) {}};
}

using typed_handle = caf::typed_actor<rosia::detail::signature<void, int>>;

class typed : public typed_handle::base {
public:
  explicit typed(caf::actor_config& cfg) : typed_handle::base(cfg) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[](int) {}};
  }
};

/// An actor that ends at its first message.
class blocking : public caf::blocking_actor {
public:
  explicit blocking(caf::actor_config& cfg) : caf::blocking_actor(cfg) {
    // nop
  }

  void act() override {
    receive([](int) {});
  }
};

caf::behavior idle_broker(caf::io::broker*, int) {
  return {[](int) {}};
}

/// Spawns an actor and keeps its handle.
class parent_actor : public caf::event_based_actor {
public:
  explicit parent_actor(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
    // nop
  }

  caf::behavior make_behavior() override {
    child_ = spawn<store>();
    return {[](int) {}};
  }

  void on_exit() override {
    child_ = nullptr;
  }

private:
  caf::actor child_;
};

template <class Handle>
void end(const Handle& x) {
  caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
}

/// Returns the entry of an actor.
template <class Handle>
std::optional<named_actor> find(
  const std::vector<named_actor>& xs, const Handle& x) {
  auto i = std::find_if(xs.begin(), xs.end(), [&](const named_actor& entry) {
    return entry.id == x.id();
  });
  return i == xs.end() ? std::nullopt : std::optional{*i};
}

} // namespace

// -- names --------------------------------------------------------------------

TEST_CASE("an actor is listed with the result of its name(), and its class",
          "[actor_names]") {
  named_system sys;
  auto check
    = [&](const auto& actor, const std::string& name, const std::string& type) {
        auto found = find(sys.living(), actor);
        REQUIRE(found);
        CHECK(found->name == name);
        CHECK_THAT(found->type, ContainsSubstring(type));
        CHECK(found->parent == caf::invalid_actor_id);
        end(actor);
      };
  check(sys.get().spawn<store>(), "store", "store");
  check(sys.get().spawn<nameless>(), "", "nameless");
  check(sys.get().spawn<plain>(), "scheduled_actor", "plain");
  check(sys.get().spawn<plain, caf::detached>(), "scheduled_actor", "plain");
  check(sys.get().spawn<typed>(), "scheduled_actor", "typed");
  check(sys.get().spawn(function, 1), "scheduled_actor",
        "caf::event_based_actor");
  check(sys.get().spawn(fixed, 1), "fixed", "fixed_state");
  check(sys.get().spawn(without_name, 1), "scheduled_actor", "nameless_state");
  check(sys.get().middleman().spawn_broker(idle_broker, 1), "broker",
        "caf::io::broker");
  auto receiver = sys.get().spawn<blocking>();
  check(receiver, "blocking_actor", "blocking");
  caf::anon_send(receiver, 1);
}

TEST_CASE("a name changed by a behavior is listed as it was before",
          "[actor_names]") {
  named_system sys;
  auto actor = sys.get().spawn(changing, 1);
  caf::scoped_actor self{sys.get()};
  self->request(actor, caf::infinite, 1).receive([] {}, [](caf::error&) {});
  CHECK(find(sys.living(), actor)->name == "before");
}

TEST_CASE("actors are listed in the order in which they were spawned",
          "[actor_names]") {
  named_system sys;
  std::vector<caf::actor> actors;
  for (auto i = 0; i < 1000; ++i)
    actors.push_back(sys.get().spawn<plain>());
  std::vector<caf::actor_id> expected;
  for (auto& x : actors)
    expected.push_back(x.id());
  std::vector<caf::actor_id> found;
  for (auto& x : sys.living())
    found.push_back(x.id);
  CHECK(found == expected);
}

TEST_CASE("an actor is listed with the one that spawned it", "[actor_names]") {
  named_system sys;
  auto parent = sys.get().spawn<parent_actor>();
  REQUIRE(eventually([&] { return sys.living().size() == 2; }));
  auto found = sys.living();
  CHECK(found[0].id == parent.id());
  CHECK(found[1].name == "store");
  CHECK(found[1].parent == parent.id());
}

TEST_CASE("a hidden actor is marked, as CAF does not count it",
          "[actor_names]") {
  named_system sys;
  auto counted = sys.get().spawn<store>();
  auto hidden = sys.get().spawn<store, caf::hidden>();
  CHECK(find(sys.living(), counted));
  CHECK(!find(sys.living(), hidden));
  CHECK(sys.living().size() == sys.get().registry().running());
  CHECK(find(sys.hidden(), hidden)->name == "store");
  end(hidden);
  REQUIRE(eventually([&] { return !find(sys.hidden(), hidden); }));
}

// -- ends ---------------------------------------------------------------------

TEST_CASE("an actor that ended is no longer listed, even if it has handles",
          "[actor_names]") {
  named_system sys;
  auto gone = sys.get().spawn<store>();
  auto stays = sys.get().spawn<plain>();
  end(gone);
  REQUIRE(eventually([&] { return !find(sys.living(), gone); }));
  CHECK(find(sys.living(), stays));
}

TEST_CASE("an actor without references is no longer listed", "[actor_names]") {
  named_system sys;
  sys.get().spawn<store>();
  sys.get().spawn<store, caf::lazy_init>();
  REQUIRE(eventually([&] { return sys.living().empty(); }));
}

TEST_CASE("thousands of actors start and end in several threads",
          "[actor_names]") {
  constexpr auto threads = 4;
  constexpr auto actors = 2000;
  named_system sys;
  std::atomic<bool> over = false;
  auto reader = std::async(std::launch::async, [&] {
    while (!over)
      for (auto& x : sys.living())
        if (x.name != "store")
          return false;
    return true;
  });
  std::mutex mutex;
  std::set<caf::actor_id> expected;
  std::vector<std::thread> spawners;
  std::vector<caf::actor> kept;
  for (auto t = 0; t < threads; ++t)
    spawners.emplace_back([&] {
      for (auto i = 0; i < actors; ++i) {
        auto actor = sys.get().spawn<store>();
        if (i % 10 != 0) {
          end(actor);
          continue;
        }
        std::lock_guard guard{mutex};
        expected.insert(actor.id());
        kept.push_back(std::move(actor));
      }
    });
  for (auto& x : spawners)
    x.join();
  CHECK(eventually([&] { return sys.living().size() == expected.size(); }));
  std::set<caf::actor_id> found;
  for (auto& x : sys.living())
    found.insert(x.id);
  CHECK(found == expected);
  over = true;
  CHECK(reader.get());
}

TEST_CASE("an actor may outlive the list of names", "[actor_names]") {
  test_system sys;
  auto actor = sys.get().spawn<store>();
  auto& self = dynamic_cast<caf::local_actor&>(
    *caf::actor_cast<caf::abstract_actor*>(actor));
  {
    actor_names names;
    report(names, self);
    CHECK(find(names.living(), actor));
  }
  std::promise<void> ended;
  self.attach_functor([&] { ended.set_value(); });
  end(actor);
  CHECK(ended.get_future().wait_for(10min) == std::future_status::ready);
}

TEST_CASE("an actor that ended before it was added is not listed",
          "[actor_names]") {
  test_system sys;
  auto actor = sys.get().spawn<store>();
  auto& self = dynamic_cast<caf::local_actor&>(
    *caf::actor_cast<caf::abstract_actor*>(actor));
  end(actor);
  std::promise<void> ended;
  self.attach_functor([&] { ended.set_value(); });
  REQUIRE(ended.get_future().wait_for(10min) == std::future_status::ready);
  actor_names names;
  report(names, self);
  CHECK(names.living().empty());
}

} // namespace actor_names_test
