// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The channel between two processes, without threads and network: every
// interleaving of what their nodes send, of flushes, and of arriving frames.

#include "distributed/gateway.hpp"

#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "compat/scheduling.hpp"
#include "nodes/node_access.hpp"

#include "caf_version.hpp"
#include "catch.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace channel_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;
using engine::envelope;
using engine::envelope_kind;
using engine::node_id;

namespace {

struct source : node {
  explicit source(const std::string& name) {
    node_access::complete(*this, node_type_of<source>(), nullptr);
    node_access::name(*this, name);
  }

  output_port<int> out{this, "out"};
};

struct sink : node {
  explicit sink(const std::string& name) {
    node_access::complete(*this, node_type_of<sink>(), nullptr);
    node_access::name(*this, name);
  }

  input_port<int> in{this, "in"};
  reaction on_in{this, "on_in", {in}, [] {}};
};

/// A link whose frames wait until the test passes them on.
class waiting_frames : public frame_link {
public:
  explicit waiting_frames(caf::node_id peer) : peer_(std::move(peer)) {
    // nop
  }

  void add_frame(std::span<const std::string_view> pieces) override {
    auto& bytes = unsent_.emplace_back();
    for (auto x : pieces)
      bytes += x;
  }

  void flush() override {
    std::ranges::move(unsent_, std::back_inserter(sent));
    unsent_.clear();
  }

  caf::node_id peer() const override {
    return peer_;
  }

  std::deque<std::string> sent;

private:
  caf::node_id peer_;
  std::vector<std::string> unsent_;
};

constexpr node_id a = 0, b = 1, first_sink = 2;
constexpr std::uint32_t sinks = 2;

/// Returns a graph in which both sources send to all sinks. Connections of the
/// same index lead to the same sink at a source, and are from the same source
/// at a sink.
engine::topology all_to_all(std::uint32_t receivers) {
  std::vector<engine::connection_spec> connections;
  for (auto from : {a, b})
    for (std::uint32_t i = 0; i < receivers; ++i)
      connections.push_back({from, 0, first_sink + i, 0, {}});
  return {std::vector<bool>(first_sink + receivers), std::move(connections),
          [](auto...) { return std::string{}; }};
}

/// The nodes of both processes, and the actor system of the gateways.
struct nodes_of_both {
  explicit nodes_of_both(std::uint32_t receivers) {
    for (std::uint32_t i = 0; i < receivers; ++i)
      to.push_back(std::make_unique<sink>("sink " + std::to_string(i)));
    all.assign({&from_a, &from_b});
    for (auto& x : to)
      all.push_back(x.get());
  }

  node_directory directory_of(engine::process_id self) const {
    std::vector<engine::process_id> homes;
    std::vector<graph_description::node> described;
    auto here = all;
    for (node_id i = 0; i < all.size(); ++i) {
      homes.push_back(i < first_sink ? 0 : 1);
      described.push_back(describe(*all[i]));
      if (homes.back() != self)
        here[i] = nullptr;
    }
    return {here, described, homes, {"left", "right"}, self};
  }

  struct options : caf::actor_system_config {
    options() {
      ::test::set_caf_option(*this, "scheduler.max-threads", 1);
    }
  };

  options cfg;
  caf::actor_system system{cfg};
  source from_a{"a"};
  source from_b{"b"};
  std::vector<std::unique_ptr<sink>> to;
  std::vector<node*> all;
};

/// One of the two processes: the sources are in 0, the sinks in 1.
class process {
public:
  process(nodes_of_both& both, engine::process_id self)
    : frames(std::make_shared<waiting_frames>(both.system.node())),
      system_(both.system), nodes_(both.directory_of(self)),
      graph_(
        all_to_all(static_cast<std::uint32_t>(both.to.size())), std::nullopt) {
    std::vector<frame_link_ptr> links(2);
    links[1 - self] = frames;
    links_.emplace(
      7, std::move(links), nodes_, graph_, 1024,
      gateway::local{
        [this](auto, auto) {
          ++wakes;
          return true;
        },
        [this](auto) { return awaits_promises; }, &system_, &unexecuted_,
        std::make_shared<gateway_slot>(),
        [this](auto, auto problem) { problems.push_back(problem); }});
  }

  gateway& links() {
    return *links_;
  }

  /// Receives the next frame of the other process.
  /// @returns its size.
  std::size_t receive_from(process& other) {
    auto bytes = std::move(other.frames->sent.front());
    other.frames->sent.pop_front();
    receive(bytes);
    return bytes.size();
  }

  void receive(std::string_view bytes) {
    links_->receive(
      system_.node(), bytes, *caf::rosia::detail::launcher_of(system_));
  }

  /// Returns the unread messages of a node of this process.
  std::vector<envelope> mail_of(node_id id) {
    std::vector<envelope> result;
    node_access::inbox(*nodes_.find(id)).drain(result);
    return result;
  }

  std::shared_ptr<waiting_frames> frames;
  std::size_t wakes = 0;
  bool awaits_promises = true;
  std::vector<std::string> problems;

private:
  caf::actor_system& system_;
  node_directory nodes_;
  wired_graph graph_;
  unexecuted_values unexecuted_;
  std::optional<gateway> links_;
};

envelope promise(std::uint32_t connection, std::int64_t ns) {
  return {.kind = envelope_kind::promise,
          .promise = {ns, 0},
          .connection = connection};
}

envelope request(std::uint32_t connection, std::int64_t ns) {
  return {.tag = {ns, 0},
          .kind = envelope_kind::bound_request,
          .connection = connection};
}

envelope value(std::uint32_t connection, std::int64_t ns) {
  return {.tag = {ns, 0},
          .promise = {ns, 1},
          .connection = connection,
          .content = engine::make_value<int>(1)};
}

/// All sequences of choices, one after the other.
class choices {
public:
  /// Returns a number below `count`.
  std::size_t choose(std::size_t count) {
    if (next_ == taken_.size())
      taken_.push_back({0, count});
    return taken_[next_++].number;
  }

  /// Goes on to the next sequence. @returns whether there is one.
  bool advance() {
    next_ = 0;
    while (!taken_.empty() && taken_.back().number + 1 == taken_.back().count)
      taken_.pop_back();
    if (taken_.empty())
      return false;
    ++taken_.back().number;
    return true;
  }

private:
  struct choice {
    std::size_t number;
    std::size_t count;
  };

  std::vector<choice> taken_;
  std::size_t next_ = 0;
};

/// A batch of a node to one node.
struct sending {
  node_id to;
  std::vector<envelope> batch;
};

/// One interleaving of what the sources and a sink send.
class interleaving {
public:
  interleaving(nodes_of_both& both, choices& by)
    : by_(by), left_(both, 0), right_(both, 1) {
    // nop
  }

  void run() {
    while (step())
      check_promises();
    left_.links().flush();
    right_.links().flush();
    while (receive(right_, left_) || receive(left_, right_))
      check_promises();
    check_end();
  }

private:
  /// Lets one of the possible events happen. There is one flush at most before
  /// the end, so that there are not too many interleavings. @returns false if
  /// everything was sent.
  bool step() {
    std::vector<bool (interleaving::*)()> possible;
    if (next_of_a_ < program_of_a.size())
      possible.push_back(&interleaving::send_of_a);
    if (next_of_b_ < program_of_b.size())
      possible.push_back(&interleaving::send_of_b);
    if (next_request_ < program_of_sink.size())
      possible.push_back(&interleaving::send_request);
    if (possible.empty())
      return false;
    if (!flushed_)
      possible.push_back(&interleaving::flush);
    if (!left_.frames->sent.empty())
      possible.push_back(&interleaving::receive_right);
    if (!right_.frames->sent.empty())
      possible.push_back(&interleaving::receive_left);
    return (this->*possible[by_.choose(possible.size())])();
  }

  bool send_of_a() {
    return send(left_, a, program_of_a[next_of_a_++]);
  }

  bool send_of_b() {
    return send(left_, b, program_of_b[next_of_b_++]);
  }

  bool send_request() {
    return send(right_, first_sink, program_of_sink[next_request_++]);
  }

  bool send(process& from, node_id node, sending x) {
    from.links().send(node, x.to, x.batch);
    return true;
  }

  bool flush() {
    flushed_ = true;
    left_.links().flush();
    right_.links().flush();
    return true;
  }

  bool receive_right() {
    return receive(right_, left_);
  }

  bool receive_left() {
    return receive(left_, right_);
  }

  static bool receive(process& to, process& from) {
    if (from.frames->sent.empty())
      return false;
    to.receive_from(from);
    return true;
  }

  /// No value arrives below a promise that arrived before [4.2].
  void check_promises() {
    for (std::uint32_t i = 0; i < sinks; ++i)
      for (auto& x : right_.mail_of(first_sink + i)) {
        auto& known = promised_[i][x.connection];
        if (x.kind == envelope_kind::data) {
          ++values_;
          if (x.tag < known)
            FAIL("a promise was broken");
        }
        known = std::max(known, x.promise);
      }
  }

  void check_end() {
    CHECK(values_ == 3);
    CHECK(promised_[0][0] == logical_time{9, 0});
    CHECK(promised_[1][1] == logical_time{8, 0});
    auto requests = left_.mail_of(a);
    REQUIRE_FALSE(requests.empty());
    CHECK(requests.back().kind == envelope_kind::bound_request);
    CHECK(requests.back().tag == logical_time{6, 0});
    CHECK(left_.mail_of(b).empty());
    CHECK(left_.problems.empty());
    CHECK(right_.problems.empty());
  }

  // Connection 0 of a sink is from `a`, 1 from `b`. Connection i of a source
  // leads to sink i.
  static inline const std::vector<sending> program_of_a{
    {first_sink, {promise(0, 5)}},
    {first_sink, {value(0, 6), promise(0, 7)}},
    {first_sink, {promise(0, 9)}}};
  static inline const std::vector<sending> program_of_b{
    {first_sink + 1, {value(1, 4), value(1, 5)}},
    {first_sink + 1, {promise(1, 8)}}};
  static inline const std::vector<sending> program_of_sink{
    {a, {request(0, 3)}}, {a, {request(0, 6)}}};

  choices& by_;
  process left_;
  process right_;
  std::size_t next_of_a_ = 0;
  std::size_t next_of_b_ = 0;
  std::size_t next_request_ = 0;
  bool flushed_ = false;
  int values_ = 0;
  std::array<std::array<logical_time, 2>, sinks> promised_{}; // by sink
};

/// Returns a frame of the left process that has only bounds.
std::string frame_with(nodes_of_both& both, std::uint64_t number,
                       frame_news news) {
  auto nodes = both.directory_of(0);
  auto graph = all_to_all(static_cast<std::uint32_t>(both.to.size()));
  frame_codec codec{both.system, nodes, graph};
  value_frame frame;
  REQUIRE(codec.begin(frame, {7, 0, 1}, frame_content::none, {}) == "");
  frame_codec::finish(frame, news, number);
  std::string result;
  frame_pieces pieces{frame};
  for (auto x : pieces.all())
    result += x;
  return result;
}

} // namespace

TEST_CASE("4.2 4.6 4.11 no interleaving breaks or loses a promise or request",
          "[channel]") {
  nodes_of_both both{sinks};
  choices all;
  auto count = 0;
  do {
    interleaving{both, all}.run();
    ++count;
  } while (all.advance());
  CHECK(count > 1000);
}

TEST_CASE("4.6 a thousand silent connections cost one null message",
          "[channel]") {
  constexpr std::uint32_t receivers = 1000;
  nodes_of_both both{receivers};
  process left{both, 0};
  process right{both, 1};
  std::size_t bytes = 0;
  for (std::int64_t tag = 1; tag <= 3; ++tag) {
    for (std::uint32_t i = 0; i < receivers; ++i) {
      std::vector<envelope> batch{promise(0, tag)};
      left.links().send(a, first_sink + i, batch);
      CHECK(batch.empty());
    }
    left.links().flush();
    REQUIRE(left.frames->sent.size() == 1);
    bytes = right.receive_from(left);
  }
  CHECK(bytes < 50);
  CHECK(left.links().sent().frames == 3);
  CHECK(left.links().sent().without_messages == 3);
  for (std::uint32_t i = 0; i < receivers; ++i) {
    auto mail = right.mail_of(first_sink + i);
    REQUIRE(mail.size() == 1);
    CHECK(mail[0].promise == logical_time{3, 0});
  }
}

TEST_CASE("a node that awaits no promise is not woken for one", "[channel]") {
  nodes_of_both both{sinks};
  process left{both, 0};
  process right{both, 1};
  right.awaits_promises = false;
  std::int64_t tag = 0;
  auto send = [&](auto make) {
    std::vector<envelope> batch{make(0, ++tag)};
    left.links().send(a, first_sink, batch);
    left.links().flush();
    right.receive_from(left);
  };
  for (auto i = 0; i < 1000; ++i)
    send(promise);
  CHECK(right.wakes == 0);
  send(value);
  CHECK(right.wakes == 1);
  CHECK(right.mail_of(first_sink).size() == 1);
  SECTION("unless its inbox would grow") {
    for (auto i = 0; i < 1000; ++i) {
      send(promise);
      std::vector<envelope> batch{promise(1, tag)};
      left.links().send(b, first_sink, batch);
    }
    CHECK(right.wakes > 1);
  }
}

TEST_CASE("4.6 null messages travel with the next values", "[channel]") {
  nodes_of_both both{sinks};
  process left{both, 0};
  process right{both, 1};
  std::vector<envelope> batch{promise(1, 5)};
  left.links().send(b, first_sink, batch);
  batch = {value(0, 1)};
  left.links().send(a, first_sink + 1, batch);
  left.links().flush();
  REQUIRE(left.frames->sent.size() == 1);
  right.receive_from(left);
  CHECK(right.mail_of(first_sink).size() == 1);
  CHECK(right.mail_of(first_sink + 1).size() == 1);
}

TEST_CASE("a bound for connections that the channel lacks is refused",
          "[channel]") {
  nodes_of_both both{sinks};
  process right{both, 1};
  constexpr auto most = ~std::uint32_t{0};
  struct {
    bound_range range;
    std::string problem;
  } impossible[] = {
    {{0, 0, {1, 0}},
     "sent a bound for 0 connections from connection 0 on, "
     "of 4"},
    {{4, 1, {1, 0}},
     "sent a bound for 1 connection from connection 4 on, of 4"},
    {{1, 4, {1, 0}},
     "sent a bound for 4 connections from connection 1 on, of 4"},
    {{1, most, {1, 0}},
     "sent a bound for 4294967295 connections from connection 1 on, of 4"},
  };
  auto i = GENERATE(0, 1, 2, 3);
  right.receive(frame_with(both, 1, {.promises = {{0, 4, {1, 0}}}}));
  REQUIRE(right.problems.empty());
  CHECK(right.wakes > 0);
  SECTION("in a null message") {
    right.receive(frame_with(both, 2, {.promises = {impossible[i].range}}));
    REQUIRE(right.problems.size() == 1);
    CHECK(right.problems[0] == impossible[i].problem);
  }
  SECTION("in a request") {
    // The left process receives nothing from the right one.
    right.receive(frame_with(both, 2, {.requests = {{0, 1, {1, 0}}}}));
    REQUIRE(right.problems.size() == 1);
    CHECK(right.problems[0]
          == "sent a bound for 1 connection from connection 0 on, of 0");
  }
  CHECK(right.mail_of(first_sink).size() == 2);
}

} // namespace channel_test
