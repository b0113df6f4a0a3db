// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/negotiation.hpp"

#include "record.hpp"

#include "catch.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace negotiation_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;

namespace {

constexpr logical_time at(std::int64_t ns) {
  return {ns, 0};
}

/// Records a coordinator's decisions.
class listener : public negotiation::host {
public:
  using event = std::pair<node_id, logical_time>;

  void ask(node_id node, logical_time proposal) override {
    asked.emplace_back(node, proposal);
  }

  void tell_final(node_id node, logical_time final,
                  logical_time wanted) override {
    finals.emplace_back(node, final);
    requested = wanted;
  }

  void abort_node(node_id node) override {
    aborted.push_back(node);
  }

  void agreed(logical_time final) override {
    agreements.push_back(final);
  }

  void ignored(logical_time proposal, logical_time) override {
    ignored_proposals.push_back(proposal);
  }

  void entered(negotiation::stage stage, std::uint64_t number) override {
    stages.push_back(stage);
    deadline = number;
  }

  void late(node_id node, negotiation::stage stage) override {
    late_nodes.emplace_back(node, stage);
  }

  void finished(int x) override {
    REQUIRE_FALSE(status);
    status = x;
  }

  std::vector<event> asked, finals;
  std::vector<node_id> aborted;
  std::vector<negotiation::stage> stages;
  std::vector<std::pair<node_id, negotiation::stage>> late_nodes;
  std::uint64_t deadline = 0;
  std::vector<logical_time> agreements, ignored_proposals;
  logical_time requested = forever;
  std::optional<int> status;
};

using events = std::vector<listener::event>;

} // namespace

TEST_CASE("5.6 the coordinator asks every node that is alive") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.exited(1, ending::done, at(2));
  x.request(at(5), 0);
  CHECK(env.asked == events{{0, at(5)}, {2, at(5)}});
  CHECK(x.current() == negotiation::stage::asking);
  CHECK(x.owes_answer(0));
  CHECK_FALSE(x.owes_answer(1));
}

TEST_CASE(
  "the maximum of the answers is the final tag, sent to all alive nodes") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.request(at(5), 0);
  x.answer(0, at(5));
  x.answer(1, at(9));
  CHECK(env.finals.empty());
  CHECK(x.final() == forever);
  x.answer(2, at(7));
  CHECK(env.agreements == std::vector{at(9)});
  CHECK(env.finals == events{{0, at(9)}, {1, at(9)}, {2, at(9)}});
  CHECK(env.requested == at(5));
  CHECK(x.final() == at(9));
  CHECK(x.current() != negotiation::stage::asking);
}

TEST_CASE("the final tag is at or after the request") {
  listener env;
  negotiation x{1, std::nullopt, env};
  x.request(at(5), 0);
  x.exited(0, ending::done, at(2));
  CHECK(env.agreements == std::vector{at(5)});
}

TEST_CASE("5.7 a node that exits during a round counts as answered") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.request(never, 0);
  x.answer(0, at(3));
  x.exited(1, ending::done, at(80));
  CHECK(env.agreements.empty());
  x.answer(2, at(4));
  // It had ended by itself, so its last tag does not matter.
  CHECK(env.agreements == std::vector{at(4)});
  CHECK(env.finals == events{{0, at(4)}, {2, at(4)}});
}

TEST_CASE("an answer counts even if its node exits before the other answers") {
  listener env;
  negotiation x{2, std::nullopt, env};
  x.request(never, 0);
  x.answer(0, at(30));
  x.exited(0, ending::done, at(30));
  x.answer(1, at(4));
  CHECK(env.agreements == std::vector{at(30)});
}

TEST_CASE("unexpected answers have no effect") {
  listener env;
  negotiation x{2, std::nullopt, env};
  x.answer(0, at(99));
  x.request(at(1), 0);
  x.answer(0, at(1));
  x.answer(0, at(99));
  x.answer(1, at(2));
  x.answer(1, at(99));
  CHECK(env.agreements == std::vector{at(2)});
}

TEST_CASE("the coordinator takes the first request; a later one at or above "
          "the final tag has no effect") {
  listener env;
  negotiation x{1, std::nullopt, env};
  x.request(at(5), 0);
  x.request(at(8), 0); // while the round is open
  x.answer(0, at(8));
  CHECK(env.agreements == std::vector{at(8)});
  CHECK(env.ignored_proposals == std::vector{at(8)});
  x.request(at(8), 0);
  x.request(at(90), 0);
  CHECK(env.ignored_proposals == std::vector{at(8), at(8), at(90)});
  CHECK(env.asked.size() == 1);
}

TEST_CASE(
  "5.10 a later request below the final tag starts another round after the "
  "current one") {
  listener env;
  negotiation x{2, std::nullopt, env};
  x.request(at(50), 0);
  x.answer(0, at(50));
  x.request(at(20), 0);
  CHECK(env.asked.size() == 2); // not yet
  x.answer(1, at(50));
  CHECK(env.asked.size() == 4);
  CHECK(env.asked.back() == listener::event{1, at(20)});
  x.answer(0, at(20));
  x.answer(1, at(33));
  CHECK(env.agreements == std::vector{at(50), at(33)});
  CHECK(env.finals.back() == listener::event{1, at(33)});
  CHECK(x.final() == at(33));
}

TEST_CASE("a node that already left counts with its last logical time") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.request(at(50), 0);
  for (node_id i = 0; i < 3; ++i)
    x.answer(i, at(50));
  x.exited(0, ending::final_tag, at(45)); // may have executed more
  x.exited(1, ending::done, at(40));
  x.request(at(20), 0);
  CHECK(env.asked.back() == listener::event{2, at(20)});
  x.answer(2, at(30));
  CHECK(env.agreements == std::vector{at(50), at(45)});
}

TEST_CASE("a node that is done because its senders left at the final tag "
          "counts with its last logical time as well") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.request(at(5), 0);
  for (node_id i = 0; i < 3; ++i)
    x.answer(i, at(5));
  x.exited(0, ending::final_tag, at(0));
  // It has all messages of node 0, and its no_more.
  x.exited(1, ending::done, at(1));
  x.request(never, 0);
  x.answer(2, at(0));
  CHECK(env.agreements == std::vector{at(5), at(1)});
}

TEST_CASE("10.6.4 the final tag is the greatest last tag of the nodes that are "
          "done") {
  listener env;
  negotiation x{4, std::nullopt, env};
  x.exited(3, ending::done, at(20)); // does not wait for the end
  x.done(0, at(7));
  x.done(0, at(30)); // twice
  x.done(1, at(9));
  CHECK(env.stages.empty());
  SECTION("the last node is done") {
    x.done(2, at(8));
    CHECK(env.finals == events{{0, at(20)}, {1, at(20)}, {2, at(20)}});
    CHECK(env.stages.back() == negotiation::stage::executing);
  }
  SECTION("the last node leaves") {
    x.exited(2, ending::done, at(8));
    CHECK(env.finals == events{{0, at(20)}, {1, at(20)}});
  }
  SECTION("a node that waits ends in another way") {
    x.exited(1, ending::aborted, at(9));
    CHECK(env.stages.empty());
    x.done(2, at(8));
    CHECK(env.finals == events{{0, at(20)}, {2, at(20)}});
  }
  SECTION("a request comes before the last node") {
    x.request(at(5), 0);
    x.done(2, at(8));
    CHECK(env.finals.empty());
    x.answer(0, at(7));
    x.answer(1, at(9));
    x.answer(2, at(8));
    CHECK(env.finals == events{{0, at(9)}, {1, at(9)}, {2, at(9)}});
  }
  SECTION("an abort comes before the last node") {
    x.abort(3);
    x.done(2, at(8));
    CHECK(env.finals.empty());
    CHECK(env.aborted == std::vector<node_id>{0, 1, 2});
  }
  for (node_id i = 0; i < 3; ++i)
    x.exited(i, ending::final_tag, at(20));
  CHECK(env.status);
}

TEST_CASE("10.6.4 the final tag of a resumed run is not below its "
          "checkpoint") {
  listener env;
  negotiation x{1, std::nullopt, env};
  x.begin_at(at(50));
  x.begin();
  x.done(0, at(7));
  CHECK(env.finals == events{{0, at(50)}});
}

TEST_CASE("5.12 stop_after is a request made before the start") {
  listener env;
  negotiation x{1, at(40), env};
  CHECK(x.final() == at(40));
  x.request(at(40), 0);
  CHECK(env.ignored_proposals == std::vector{at(40)});
  x.request(at(10), 0);
  CHECK(env.asked == events{{0, at(10)}});
  x.answer(0, at(12));
  CHECK(x.final() == at(12));
}

TEST_CASE("5.11 the first non-zero status wins") {
  listener env;
  negotiation x{1, std::nullopt, env};
  x.request(at(5), 0);
  x.request(at(9), 3);
  x.request(at(2), 4);
  x.answer(0, at(5));
  x.answer(0, at(5));
  x.exited(0, ending::final_tag, at(5));
  CHECK(env.status == 3);
}

TEST_CASE("an application without a request has status 0") {
  listener env;
  negotiation x{2, std::nullopt, env};
  x.exited(0, ending::done, at(1));
  CHECK_FALSE(env.status);
  x.exited(1, ending::done, at(1));
  CHECK(env.status == 0);
  x.exited(1, ending::done, at(1));
  x.request(at(1), 7);
  CHECK(env.asked.empty());
}

TEST_CASE("an abort ends all alive nodes at once") {
  listener env;
  negotiation x{3, std::nullopt, env};
  x.exited(1, ending::done, at(1));
  x.request(at(5), 3);
  x.answer(0, at(5));
  x.abort(1);
  CHECK(x.aborted());
  CHECK(env.aborted == std::vector<node_id>{0, 2});
  // Later events have no effect.
  x.answer(2, at(5));
  x.request(at(1), 9);
  x.abort(129);
  CHECK(env.agreements.empty());
  CHECK(env.asked.size() == 2);
  CHECK(env.aborted.size() == 2);
  x.exited(0, ending::aborted, at(1));
  CHECK_FALSE(env.status);
  x.exited(2, ending::aborted, at(1));
  // The status of the error.
  CHECK(env.status == 1);
}

TEST_CASE("after an abort no node owes an answer") {
  listener env;
  negotiation x{2, std::nullopt, env};
  x.request(at(5), 0);
  x.abort(1);
  CHECK(x.current() != negotiation::stage::asking);
  CHECK_FALSE(x.owes_answer(0));
}

TEST_CASE("every stage of an end has a deadline") {
  using stage = negotiation::stage;
  listener env;
  negotiation x{3, std::nullopt, env};
  x.begin();
  CHECK(x.current() == stage::running);
  CHECK(env.stages.empty());
  x.request(at(5), 0);
  CHECK(x.current() == stage::asking);
  for (node_id i = 0; i < 3; ++i)
    x.answer(i, at(5));
  CHECK(x.current() == stage::executing);
  for (node_id i = 0; i < 3; ++i)
    x.exited(i, ending::final_tag, at(5));
  CHECK(x.current() == stage::over);
  using stages = std::vector<stage>;
  CHECK(env.stages == stages{stage::asking, stage::executing, stage::over});
  CHECK(env.status == 0);
}

TEST_CASE("with stop_after the nodes execute up to the final tag from the "
          "start") {
  listener env;
  negotiation x{1, at(7), env};
  x.begin();
  CHECK(x.current() == negotiation::stage::executing);
  x.overdue(env.deadline);
  CHECK(env.aborted == std::vector<node_id>{0});
}

TEST_CASE(
  "6.3 a node that does not answer in time is named, and all are aborted") {
  using stage = negotiation::stage;
  listener env;
  negotiation x{3, std::nullopt, env};
  x.request(at(5), 3);
  x.answer(1, at(5));
  x.overdue(env.deadline);
  using late = std::vector<std::pair<node_id, stage>>;
  CHECK(env.late_nodes == late{{0, stage::asking}, {2, stage::asking}});
  CHECK(env.aborted == std::vector<node_id>{0, 1, 2});
  for (node_id i = 0; i < 3; ++i)
    x.exited(i, ending::aborted, at(5));
  CHECK(env.status == 129);
}

TEST_CASE(
  "a node that does not leave at the final tag is named, and all are aborted") {
  using stage = negotiation::stage;
  listener env;
  negotiation x{2, std::nullopt, env};
  x.request(at(5), 0);
  x.answer(0, at(5));
  x.answer(1, at(5));
  x.exited(0, ending::final_tag, at(5));
  x.overdue(env.deadline);
  using late = std::vector<std::pair<node_id, stage>>;
  CHECK(env.late_nodes == late{{1, stage::executing}});
  CHECK(env.aborted == std::vector<node_id>{1});
}

TEST_CASE("a node that does not leave although aborted is given up") {
  using stage = negotiation::stage;
  listener env;
  negotiation x{2, std::nullopt, env};
  x.abort(1);
  x.exited(1, ending::aborted, at(5));
  x.overdue(env.deadline);
  using late = std::vector<std::pair<node_id, stage>>;
  CHECK(env.late_nodes == late{{0, stage::aborted}});
  CHECK(env.status == 129);
  CHECK(x.current() == stage::over);
  // It may still exit later.
  x.exited(0, ending::aborted, at(5));
  x.abort(1);
  CHECK(x.alive() == 0);
}

TEST_CASE("the deadline of an earlier stage has no effect") {
  listener env;
  negotiation x{1, std::nullopt, env};
  x.overdue(env.deadline);
  CHECK_FALSE(x.aborted());
  x.request(at(9), 0);
  auto asking = env.deadline;
  x.answer(0, at(9));
  auto executing = env.deadline;
  x.overdue(asking);
  CHECK_FALSE(x.aborted());
  // A lower tag starts another round with another deadline.
  x.request(at(5), 0);
  x.overdue(asking);
  x.overdue(executing);
  CHECK_FALSE(x.aborted());
  x.abort(1);
  auto aborted = env.deadline;
  x.overdue(executing);
  CHECK_FALSE(env.status);
  x.exited(0, ending::aborted, at(1));
  CHECK(env.status == 1);
  x.overdue(aborted);
  CHECK(env.late_nodes.empty());
}

} // namespace negotiation_test
