// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Runs random applications of up to 40 nodes under random schedules with
// faults: messages and nodes are late, nodes pause, vanish, hang or fail, and
// deadlines and signals happen at any time.
//
//   ROSIA_PROPERTY_GRAPHS  number of applications (15000)
//   ROSIA_FIRST_SEED       seed of the first one (1)
//   ROSIA_SEED             repeats one seed, with a full description

#include "oracle.hpp"
#include "plan.hpp"
#include "simulator.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace random_graph_test {

using namespace engine_test;

namespace {

/// Numbers of events over several runs, which show that the runs are not
/// trivial.
using statistics = std::map<std::string, std::uint64_t>;

history until(const history& xs, logical_time last) {
  history result;
  for (auto& x : xs)
    if (x.tag <= last)
      result.push_back(x);
  return result;
}

/// Moves the inputs and actions of each tag to its begin. In a loop without
/// delay, some of them follow a reaction that does not read them.
/// @param is_prefix whether the last tag may be incomplete; it is removed.
void sort_arrivals(history& xs, bool is_prefix) {
  if (is_prefix && !xs.empty())
    std::erase_if(xs, [last = xs.back().tag](auto& x) {
      return x.tag == last;
    });
  auto key = [](const record& x) {
    auto is_input = x.type == record::kind::input;
    return std::tuple{
      x.tag,
      is_input ? 0
      : x.type == record::kind::action
        ? 1
        : 2,
      is_input ? x.from : 0};
  };
  std::stable_sort(xs.begin(), xs.end(), [key](auto& x, auto& y) {
    return key(x) < key(y);
  });
}

void compare(const plan& planned, node_id id, history actual, history expected,
             bool is_prefix) {
  if (planned.declares()) {
    sort_arrivals(actual, is_prefix);
    sort_arrivals(expected, false);
  }
  auto [x, y] = std::mismatch(
    actual.begin(), actual.end(), expected.begin(), expected.end());
  if (x == actual.end() && (is_prefix || y == expected.end()))
    return;
  auto text = [](auto i, auto end) {
    return i == end ? std::string{"nothing"} : to_string(*i);
  };
  throw broken_rule(
    "node " + std::to_string(id) + " does " + text(x, actual.end())
    + " instead of " + text(y, expected.end()));
}

/// How applications are run.
struct setting {
  std::uint32_t most_processes = 1; // maximum number of processes, chosen at
                                    // random
  bool regroups = false;            // groups are fused and split
  bool schedules = false;           // some nodes schedule events
  bool spaces = false;              // some of their actions have a spacing
  bool waits = false;               // some connections have a maximal wait
  bool last_tags = false;           // some nodes react to the last tag
  bool declares = false;            // reactions declare the ports they access
  bool modes = false;               // some nodes have modes
  bool saves = false;               // checkpoints are taken
  bool resumes = false;             // and runs resume from them
  bool traced = true;               // if not, only states are compared
};

/// Returns whether nodes take physical values, which only traces show.
bool takes_physical(const plan& x) {
  return std::any_of(
           x.nodes.begin(), x.nodes.end(), [](auto& y) { return y.external(); })
         || std::any_of(x.connections.begin(), x.connections.end(),
                        [](auto& y) { return y.physical; });
}

/// Returns whether the run had a last tag, and a node that reacts to it.
bool has_last_tag(const simulator& sim, const plan& x) {
  return !sim.aborted() && sim.final_tag() != forever
         && std::any_of(x.nodes.begin(), x.nodes.end(), [](auto& y) {
              return std::any_of(y.reactions.begin(), y.reactions.end(),
                                 [](auto& z) { return z.at_shutdown; });
            });
}

/// Returns the last tag up to which a node does what the oracle does. A node
/// that is done may have passed the final tag before it was agreed on, and one
/// that left before an abort may have executed the last tag.
logical_time limit_of(const simulator& sim, node_id id, logical_time limit,
                      bool has_last) {
  auto outcome = sim.at(id).outcome();
  if (sim.aborted() && outcome == engine::ending::final_tag)
    return std::min(limit, sim.final_tag());
  return has_last && outcome != engine::ending::done
           ? engine::just_past(limit)
           : limit;
}

history states_of(history xs) {
  std::erase_if(xs, [](auto& x) { return x.type != record::kind::state; });
  return xs;
}

/// Joins two parts of a history.
/// @param before without the last tag of its run, which the checkpoint lacks
///        even if it is for a later tag
history join(const history& before, logical_time tag, const history& after) {
  auto result = until(before, tag);
  for (auto& x : after) {
    if (x.tag <= tag)
      throw broken_rule("what was saved happens again: " + to_string(x));
    result.push_back(x);
  }
  return result;
}

/// Returns random options for checkpoints.
simulation_options make_simulation(
  const plan& planned, const setting& settings, random_source& rng) {
  simulation_options result;
  result.regroups = settings.regroups || (settings.resumes && rng.chance(50));
  if (!settings.saves)
    return result;
  // At a checkpoint, all nodes check each other, which is slow with many nodes.
  result.checkpoint_period
    = planned.nodes.size() < 10
        ? rng.pick({0, 2, 5, 7, 20, 50, 200})
        : rng.pick({0, 50, 200});
  result.demands = rng.pick({0u, 1u, 10u});
  return result;
}

/// Returns possible tags of checkpoints.
std::vector<logical_time> find_tags(const simulator& sim, random_source& rng) {
  auto result = sim.demanded();
  if (sim.final_tag() != forever)
    result.push_back(sim.final_tag());
  for (node_id i = 0; i < sim.size(); ++i)
    for (auto& part : sim.parts_of(i)) {
      result.push_back(part.kept.logical);
      if (part.kept.until != forever)
        result.push_back({part.kept.until.ns - rng.below(2), 0});
    }
  return result;
}

/// Resumes from a checkpoint of a run, and then from a checkpoint of the
/// resumed run.
class resuming {
public:
  resuming(const plan& planned, const setting& settings, random_source& rng,
           statistics& sum)
    : planned_(planned), settings_(settings), rng_(rng), sum_(sum) {
    // nop
  }

  /// @param histories up to the checkpoint from which `sim` resumed.
  void run(const simulator& sim, logical_time since,
           const std::vector<history>& histories,
           const std::vector<stamp>& stamps, int generation) {
    auto kept = histories;
    for (node_id i = 0; i < kept.size(); ++i)
      kept[i] = until(kept[i], std::max(since, sim.at(i).last_before_end()));
    auto tags = find_tags(sim, rng_);
    for (auto attempt = 0; attempt < 3 && !tags.empty(); ++attempt) {
      auto from = sim.find_checkpoint(rng_.pick(tags), rng_);
      if (!from || from->tag < since)
        continue;
      if (std::any_of(from->parts.begin(), from->parts.end(), [](auto& x) {
            return !x.kept.yielded.empty();
          })) {
        ++sum_["impossible"];
        continue;
      }
      resume(*from, kept, stamps, generation);
      return;
    }
  }

private:
  void resume(const checkpoint& from, const std::vector<history>& before,
              const std::vector<stamp>& stamps_before, int generation) {
    count(from, generation);
    auto planned = make_resumed_plan(planned_, from.tag, rng_);
    auto options = make_simulation(planned, settings_, rng_);
    options.from = &from;
    simulator sim{planned, rng_.next(), options};
    sim.run();
    auto stamps = stamps_before;
    std::erase_if(stamps, [&](auto& x) { return x.tag > from.tag; });
    stamps.insert(stamps.end(), sim.stamps().begin(), sim.stamps().end());
    auto last = from.tag;
    for (node_id i = 0; i < sim.size(); ++i)
      last = std::max(last, sim.at(i).last_before_end());
    auto limit = sim.aborted() ? last : std::max(sim.final_tag(), from.tag);
    auto has_last = has_last_tag(sim, planned);
    auto expected = run_oracle(planned, limit, stamps, has_last);
    std::vector<history> histories;
    for (node_id i = 0; i < sim.size(); ++i) {
      histories.push_back(join(before[i], from.tag, sim.history_of(i)));
      auto most = limit_of(sim, i, limit, has_last);
      try {
        compare(planned, i, until(histories[i], most), until(expected[i], most),
                sim.aborted());
      } catch (const broken_rule& e) {
        throw broken_rule(
          std::string{e.what()} + ", resumed at " + to_string(from.tag));
      }
    }
    if (generation < 3)
      run(sim, from.tag, histories, stamps, generation + 1);
  }

  void count(const checkpoint& from, int generation) {
    ++sum_["resumed"];
    sum_["resumed_again"] += generation > 1;
    for (auto& x : from.parts) {
      sum_["restored"] += x.scheduled.size();
      for (auto& mode : x.modes)
        sum_["suspended"] += mode.events.size();
      sum_["had_left"] += x.kept.left;
      for (auto& channel : x.kept.channels)
        for (auto& message : channel.in_transit)
          sum_["in_transit"] += message.tag > from.tag;
    }
  }

  const plan& planned_;
  const setting& settings_;
  random_source& rng_;
  statistics& sum_;
};

/// Runs one random application, and compares it with the oracle.
void run_seed(std::uint64_t seed, const setting& settings, statistics& sum,
              bool verbose) {
  random_source rng{seed};
  auto planned = make_plan(rng);
  if (settings.schedules)
    add_actions(planned, rng);
  if (settings.spaces)
    add_spacings(planned, rng);
  if (settings.waits)
    add_max_waits(planned, rng);
  if (settings.last_tags)
    add_last_tags(planned, rng);
  if (settings.resumes && rng.chance(90))
    make_resumable(planned);
  if (settings.declares)
    add_declarations(planned, rng);
  if (settings.modes)
    add_modes(planned, rng);
  // Modes open some of the loops.
  if (settings.modes && settings.declares)
    remove_delays(planned, rng);
  if (settings.most_processes > 1) {
    auto n = 2 + rng.below(settings.most_processes - 1);
    for (std::size_t i = 0; i < planned.nodes.size(); ++i)
      planned.processes.push_back(rng.below(n));
    if (settings.declares)
      join_processes(planned);
  }
  planned.traced = settings.traced;
  if (!planned.traced && takes_physical(planned))
    return;
  if (verbose)
    std::cout << to_string(planned);
  auto schedule = rng.next();
  simulator sim{planned, schedule, make_simulation(planned, settings, rng)};
  sim.run();
  auto final = sim.final_tag();
  auto last = logical_time{};
  for (node_id i = 0; i < sim.size(); ++i) {
    auto executed = sim.at(i).last_before_end();
    last = std::max(last, executed);
    if (sim.left(i) && sim.at(i).outcome() == engine::ending::final_tag
        && executed > final)
      throw broken_rule(
        "node " + std::to_string(i) + " ends at " + to_string(executed)
        + ", after the final tag " + to_string(final));
  }
  auto limit = sim.aborted() ? last : final;
  auto has_last = has_last_tag(sim, planned);
  auto expected = run_oracle(planned, limit, sim.stamps(), has_last);
  for (node_id i = 0; i < sim.size(); ++i) {
    auto most = limit_of(sim, i, limit, has_last);
    compare(planned, i, until(sim.history_of(i), most),
            until(planned.traced ? expected[i] : states_of(expected[i]), most),
            sim.aborted());
  }
  ++sum["runs"];
  sum["last_tags"] += has_last;
  sum["ended_last"] += has_last && sim.ended_by_itself();
  for (node_id i = 0; i < sim.size(); ++i)
    if (has_last)
      for (auto& x : sim.history_of(i))
        sum["last_inputs"]
          += x.tag == engine::just_past(final) && x.type == record::kind::input;
  for (node_id i = 0; i < sim.size(); ++i)
    sum["tags"] += sim.tags(i).size();
  for (node_id i = 0; i < sim.size(); ++i)
    for (auto& x : sim.history_of(i))
      sum["scheduled"] += x.type == record::kind::action;
  for (node_id i = 0; i < sim.size(); ++i)
    for (auto& x : sim.history_of(i)) {
      sum["resets"] += x.type == record::kind::mode && x.from == 0;
      sum["by_history"] += x.type == record::kind::mode && x.from != 0;
    }
  sum["messages"] += sim.sends.size();
  sum["promises"] += sim.promises.size();
  sum["asks"] += sim.asks.size();
  sum["stamps"] += sim.stamps().size();
  sum["natural"] += final == forever && !sim.aborted();
  sum["requested"] += final != forever && !sim.aborted();
  sum["lowered"] += sim.finals.size() > 1;
  sum["aborted"] += sim.aborted();
  sum["drops"] += sim.drops.size();
  sum["waits"] += sim.waits();
  sum["steps"] += sim.steps();
  sum["paused"] += !planned.pauses.empty();
  sum["stuck"] += planned.sticks.has_value();
  sum["given_up"] += sim.gave_up();
  sum["second_signals"] += sim.status() == 128;
  sum["overdue"] += sim.status() == 129 && !sim.gave_up();
  sum["failed_shutdowns"] += !sim.shutdown_failures.empty();
  sum["vanished"] += planned.vanishes.has_value();
  sum["large"] += sim.size() >= 30;
  sum["crossed"] += sim.crossed;
  sum["lone_views"] += sim.lone_views;
  sum["fused"] += sim.fused();
  sum["split"] += sim.split_groups();
  sum["divided"] += sim.divided();
  sum["demanded"] += sim.demanded().size();
  for (auto& x : planned.connections)
    sum["max_waits"] += x.waits;
  for (node_id i = 0; i < sim.size(); ++i)
    sum["in_instant_loops"] += sim.graph().in_instant_loop(i);
  if (!sim.tardy_values.empty())
    throw broken_rule("a value is tardy, although the waits never end");
  std::vector<history> histories;
  for (node_id i = 0; i < sim.size(); ++i) {
    sum["saved"] += sim.parts_of(i).size();
    histories.push_back(sim.history_of(i));
  }
  if (settings.resumes)
    resuming{planned, settings, rng, sum}.run(
      sim, never, histories, sim.stamps(), 1);
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  auto text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs seeds, and requires that these kinds of events happened.
/// @param usual the number of seeds, unless the environment has one.
void run_seeds(const setting& settings, std::uint64_t usual,
               const std::vector<std::string>& required) {
  statistics sum;
  if (auto seed = number_of("ROSIA_SEED", 0); seed != 0) {
    run_seed(seed, settings, sum, true);
    return;
  }
  auto first = number_of("ROSIA_FIRST_SEED", 1);
  auto count = number_of("ROSIA_PROPERTY_GRAPHS", usual);
  auto failures = 0;
  for (auto seed = first; seed < first + count && failures < 10; ++seed) {
    try {
      run_seed(seed, settings, sum, false);
    } catch (const std::exception& e) {
      ++failures;
      FAIL_CHECK(
        e.what() << "\nseed " << seed << "; again with ROSIA_SEED=" << seed
                 << " engine_test '"
                 << Catch::getResultCapture().getCurrentTestName() << "'");
    }
  }
  // A few runs prove nothing.
  for (auto& name : required)
    if (count >= 1000 && sum[name] == 0)
      FAIL_CHECK("in no run: " << name);
  if (count <= usual)
    return;
  for (auto& [name, number] : sum)
    std::cout << name << ": " << number << '\n';
}

} // namespace

TEST_CASE("random graphs do under any schedule what the oracle does",
          "[random]") {
  run_seeds(
    {}, 15000,
    {"natural", "requested", "lowered", "aborted", "stamps", "asks", "waits",
     "drops", "paused", "given_up", "second_signals", "overdue",
     "failed_shutdowns", "vanished", "large"});
}

TEST_CASE("random graphs do over several processes what the oracle does",
          "[random][loop]") {
  run_seeds({.most_processes = 5}, 4000,
            {"natural", "requested", "aborted", "crossed", "lone_views"});
}

TEST_CASE("groups that are fused and split at any time do what the oracle does",
          "[random][group]") {
  run_seeds({.regroups = true}, 8000,
            {"fused", "split", "divided", "natural", "requested", "aborted",
             "stamps", "asks", "waits", "vanished", "given_up"});
}

TEST_CASE("groups whose nodes are not observed do what the oracle does",
          "[random][group][action]") {
  run_seeds({.regroups = true, .schedules = true, .traced = false}, 8000,
            {"fused", "split", "divided", "natural", "requested", "aborted"});
}

TEST_CASE("groups within several processes do what the oracle does",
          "[random][group][loop]") {
  run_seeds({.most_processes = 3, .regroups = true}, 4000,
            {"fused", "split", "crossed"});
}

TEST_CASE("nodes that schedule events do what the oracle does",
          "[random][action]") {
  run_seeds(
    {.schedules = true}, 5000,
    {"scheduled", "natural", "requested", "aborted", "stamps", "waits"});
}

TEST_CASE("events are scheduled in groups and over processes as well",
          "[random][action][group][loop]") {
  run_seeds({.most_processes = 3, .regroups = true, .schedules = true}, 3000,
            {"scheduled", "fused", "split", "crossed"});
}

TEST_CASE("10.5.2 actions with spacings do what the oracle does",
          "[random][action]") {
  run_seeds({.schedules = true, .spaces = true}, 5000,
            {"scheduled", "natural", "requested", "aborted", "stamps", "waits",
             "drops"});
}

TEST_CASE("10.5.2 spacings are kept in groups and over processes as well",
          "[random][action][group][loop]") {
  run_seeds(
    {.most_processes = 3, .regroups = true, .schedules = true, .spaces = true},
    3000, {"scheduled", "fused", "split", "crossed"});
  run_seeds(
    {.regroups = true, .schedules = true, .spaces = true, .traced = false},
    3000, {"fused", "split", "divided"});
}

TEST_CASE("10.5.3 a resumed run continues spacings as the oracle does",
          "[random][checkpoint][action]") {
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .spaces = true,
     .saves = true,
     .resumes = true},
    1000, {"resumed", "resumed_again", "restored", "stamps"});
}

TEST_CASE("10.7.2 nodes with modes do what the oracle does", "[random][mode]") {
  run_seeds({.schedules = true, .modes = true}, 5000,
            {"resets", "by_history", "natural", "requested", "aborted",
             "stamps", "waits"});
  run_seeds(
    {.schedules = true, .spaces = true, .last_tags = true, .modes = true}, 3000,
    {"resets", "by_history", "last_tags"});
}

TEST_CASE("10.7.3 modes suspend events in groups and over processes as well",
          "[random][mode][group][loop]") {
  run_seeds(
    {.most_processes = 3, .regroups = true, .schedules = true, .modes = true},
    3000, {"resets", "by_history", "fused", "split", "crossed"});
  run_seeds(
    {.regroups = true, .schedules = true, .modes = true, .traced = false}, 3000,
    {"fused", "split", "divided"});
}

TEST_CASE("10.7.5 a run that resumes continues modes as the oracle does",
          "[random][mode][checkpoint]") {
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .modes = true,
     .saves = true,
     .resumes = true},
    1000, {"resumed", "resumed_again", "restored", "suspended", "by_history"});
}

TEST_CASE("10.10.1 connections whose maximal wait never ends do what the "
          "oracle does",
          "[random]") {
  run_seeds({.waits = true}, 4000,
            {"max_waits", "natural", "requested", "aborted", "stamps"});
  run_seeds({.most_processes = 3, .regroups = true, .waits = true}, 2000,
            {"max_waits", "fused", "split", "crossed"});
  run_seeds({.schedules = true, .waits = true, .saves = true, .resumes = true},
            500, {"max_waits", "resumed"});
}

TEST_CASE("10.6.1 nodes do at the last tag what the oracle does",
          "[random][last_tag]") {
  run_seeds({.last_tags = true}, 10000,
            {"last_tags", "ended_last", "last_inputs", "natural", "requested",
             "lowered", "aborted", "stamps", "given_up", "vanished"});
}

TEST_CASE("10.6.2 the last tag is the same in groups and over processes",
          "[random][last_tag][group][loop]") {
  run_seeds(
    {.most_processes = 3,
     .regroups = true,
     .schedules = true,
     .last_tags = true},
    3000,
    {"last_tags", "ended_last", "last_inputs", "fused", "split", "crossed"});
  run_seeds(
    {.regroups = true, .schedules = true, .last_tags = true, .traced = false},
    3000, {"last_tags", "ended_last", "fused", "split", "divided"});
}

TEST_CASE("10.6.5 a run that resumes has not executed the last tag",
          "[random][last_tag][checkpoint]") {
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .last_tags = true,
     .saves = true,
     .resumes = true},
    1000, {"last_tags", "ended_last", "resumed", "resumed_again", "restored"});
}

TEST_CASE("10.1.5 loops of nodes without delay do what the oracle does",
          "[random][instant_loop]") {
  run_seeds({.declares = true}, 8000,
            {"in_instant_loops", "natural", "requested", "lowered", "aborted",
             "stamps", "asks", "waits", "paused", "given_up", "vanished"});
  run_seeds({.regroups = true, .schedules = true, .declares = true}, 4000,
            {"in_instant_loops", "scheduled", "fused", "split", "divided"});
  run_seeds({.schedules = true, .declares = true, .traced = false}, 4000,
            {"in_instant_loops"});
}

TEST_CASE("4.10 requests do not go around loops without delay",
          "[random][instant_loop]") {
  // In loops with delay, whose messages enter a loop without delay at several
  // nodes.
  statistics sum;
  for (auto seed : {1862, 2081})
    run_seed(static_cast<std::uint64_t>(seed), {.declares = true}, sum, false);
}

TEST_CASE("10.6.2 loops of nodes without delay execute the last tag",
          "[random][instant_loop][last_tag]") {
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .last_tags = true,
     .declares = true},
    4000, {"in_instant_loops", "last_tags", "ended_last", "last_inputs"});
}

TEST_CASE("10.1.8 a resumed run continues loops of nodes without delay",
          "[random][instant_loop][checkpoint]") {
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .last_tags = true,
     .declares = true,
     .saves = true,
     .resumes = true},
    1000, {"in_instant_loops", "resumed", "resumed_again", "restored"});
}

TEST_CASE(
  "10.7.6 modes in loops of nodes without delay do what the oracle does",
  "[random][mode][instant_loop]") {
  run_seeds(
    {.most_processes = 3,
     .regroups = true,
     .schedules = true,
     .last_tags = true,
     .declares = true,
     .modes = true},
    3000,
    {"in_instant_loops", "resets", "by_history", "last_tags", "fused", "split",
     "crossed"});
  run_seeds(
    {.most_processes = 3,
     .schedules = true,
     .last_tags = true,
     .declares = true,
     .modes = true,
     .saves = true,
     .resumes = true},
    1000,
    {"in_instant_loops", "resumed", "resumed_again", "suspended",
     "by_history"});
}

TEST_CASE("runs in which checkpoints are taken do what the oracle does",
          "[random][checkpoint]") {
  run_seeds({.saves = true}, 2000,
            {"saved", "demanded", "aborted", "given_up", "vanished"});
}

TEST_CASE("checkpoints are taken in groups and over processes as well",
          "[random][checkpoint][group][loop]") {
  run_seeds(
    {.most_processes = 3, .regroups = true, .schedules = true, .saves = true},
    1000, {"saved", "demanded", "crossed"});
}

TEST_CASE("a resumed run continues as the oracle does",
          "[random][checkpoint][group][loop]") {
  run_seeds(
    {.most_processes = 3, .schedules = true, .saves = true, .resumes = true},
    1000,
    {"resumed", "resumed_again", "restored", "in_transit", "had_left",
     "impossible", "stamps"});
}

TEST_CASE("a seed reproduces its run exactly", "[random]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    auto run = [seed] {
      random_source rng{seed};
      auto planned = make_plan(rng);
      simulator sim{planned, rng.next()};
      sim.run();
      std::vector<history> histories;
      for (node_id i = 0; i < sim.size(); ++i)
        histories.push_back(sim.history_of(i));
      return std::tuple{
        histories, sim.steps(),     sim.clock(),      sim.activations,
        sim.wakes, sim.final_tag(), sim.sends.size(), sim.status()};
    };
    CHECK((run() == run()));
  }
}

} // namespace random_graph_test
