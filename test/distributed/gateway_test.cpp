// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Messages that no correct process sends are refused.

#include "distributed/gateway.hpp"

#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "compat/scheduling.hpp"
#include "nodes/node_access.hpp"

#include "caf_version.hpp"
#include "catch.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;
using engine::envelope;
using engine::envelope_kind;

namespace {

struct source : node {
  source() {
    node_access::complete(*this, node_type_of<source>(), nullptr);
    node_access::name(*this, "source");
  }

  output_port<int> out{this, "out"};
};

struct sink : node {
  sink() {
    node_access::complete(*this, node_type_of<sink>(), nullptr);
    node_access::name(*this, "sink");
  }

  input_port<int> logical{this, "logical"};
  input_port<int> physical{this, "physical"};
  reaction on_any{this, "on_any", {logical, physical}, [] {}};
};

/// A link that sends nothing.
class idle_link : public frame_link {
public:
  explicit idle_link(caf::node_id peer) : peer_(std::move(peer)) {
    // nop
  }

  void add_frame(std::span<const std::string_view>) override {
    // nop
  }

  void flush() override {
    // nop
  }

  caf::node_id peer() const override {
    return peer_;
  }

private:
  caf::node_id peer_;
};

/// Returns a connection without delay, and a physical one.
engine::topology two_connections() {
  engine::topology result{
    {false, false},
    {{0, 0, 1, 0, {}}, {.target = 1, .input = 1, .physical = true}},
    [](auto...) { return std::string{}; }};
  result.find_last_tag({true, false});
  return result;
}

/// The gateway of a process that has the sink; the coordinator's process has
/// the source.
class receiver {
public:
  receiver() {
    std::vector<frame_link_ptr> links{
      std::make_shared<idle_link>(system_.node()), nullptr};
    gateway_.emplace(
      session, std::move(links), receiving_, graph_, 1024,
      gateway::local{
        [](auto...) { return true; }, [](auto) { return true; }, &system_,
        &unexecuted_, std::make_shared<gateway_slot>(),
        [this](auto, auto problem) { problem_ = std::move(problem); }});
  }

  /// Receives a message from the source.
  /// @returns why it is refused; empty if it is not.
  std::string receive(envelope message) {
    value_frame frame;
    auto problem
      = codec_.begin(frame, {session, 0, 1}, 1, {std::move(message)});
    REQUIRE(problem == "");
    frame_codec::finish(frame, {}, ++sent_);
    std::string bytes;
    frame_pieces pieces{frame};
    for (auto x : pieces.all())
      bytes += x;
    gateway_->receive(
      system_.node(), bytes, *caf::rosia::detail::launcher_of(system_));
    return problem_;
  }

private:
  static constexpr std::uint64_t session = 7;

  struct options : caf::actor_system_config {
    options() {
      ::test::set_caf_option(*this, "scheduler.max-threads", 1);
    }
  };

  options options_;
  caf::actor_system system_{options_};
  source from_;
  sink to_;
  std::vector<std::string> names_{"coordinator", "right"};
  node_directory sending_{
    {&from_, nullptr}, {describe(from_), describe(to_)}, {0, 1}, names_, 0};
  node_directory receiving_{
    {nullptr, &to_}, {describe(from_), describe(to_)}, {0, 1}, names_, 1};
  wired_graph graph_{two_connections(), std::nullopt};
  frame_codec codec_{system_, sending_, graph_.topology()};
  unexecuted_values unexecuted_;
  std::uint64_t sent_ = 0;
  std::string problem_;
  std::optional<gateway> gateway_;
};

envelope value_at(std::int64_t ns) {
  return {.tag = {ns, 0}, .content = engine::make_value<int>(1)};
}

envelope last_value() {
  auto result = value_at(0);
  result.kind = envelope_kind::last_tag;
  return result;
}

envelope physical_value() {
  auto result = value_at(0);
  result.kind = envelope_kind::physical;
  result.connection = 1;
  return result;
}

constexpr auto too_late = "sent a value after the end of its connection";

} // namespace

TEST_CASE("10.6.4 a value after done is refused", "[gateway]") {
  receiver x;
  REQUIRE(x.receive(value_at(1)) == "");
  REQUIRE(x.receive({.kind = envelope_kind::done}) == "");
  CHECK(x.receive(value_at(2)) == too_late);
}

TEST_CASE("10.6.4 one value at the last tag, and no_more, may follow done",
          "[gateway]") {
  receiver x;
  REQUIRE(x.receive({.kind = envelope_kind::done}) == "");
  CHECK(x.receive(last_value()) == "");
  SECTION("with no_more after it") {
    CHECK(x.receive({.kind = envelope_kind::no_more}) == "");
  }
  SECTION("without a second value") {
    CHECK(x.receive(last_value()) == too_late);
  }
  SECTION("without a value at another tag") {
    CHECK(x.receive(value_at(1)) == too_late);
  }
}

TEST_CASE("a value after no_more is refused", "[gateway]") {
  receiver x;
  SECTION("on a logical connection") {
    REQUIRE(x.receive({.kind = envelope_kind::no_more}) == "");
    CHECK(x.receive(value_at(1)) == too_late);
  }
  SECTION("on a physical connection") {
    REQUIRE(x.receive(physical_value()) == "");
    REQUIRE(x.receive({.kind = envelope_kind::no_more, .connection = 1}) == "");
    CHECK(x.receive(physical_value()) == too_late);
  }
  SECTION("at the last tag") {
    REQUIRE(x.receive({.kind = envelope_kind::no_more}) == "");
    CHECK(x.receive(last_value()) == too_late);
  }
}

} // namespace gateway_test
