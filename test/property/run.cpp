// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/run.hpp"

#include "application/application_access.hpp"
#include "caf/rosia/application.hpp"
#include "nodes/node_access.hpp"
#include "property/declaration.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace property {

using caf::rosia::to_string;
using model::forever;
using model::graph_spec;
using model::logical_time;
using rosia::detail::node_access;
using rosia::engine::ending;

namespace {

/// Far longer than a run; the watchdog is faster.
constexpr auto an_hour = std::chrono::hours{1};

void take_part(rosia::options& opts, const share& part) {
  auto address = "127.0.0.1:" + std::to_string(part.port);
  opts.network.insecure = part.insecure;
  opts.network.token = "property";
  opts.network.join_timeout = std::chrono::minutes{1};
  // A machine under load may be slow.
  opts.network.heartbeat = std::chrono::seconds{10};
  opts.network.connection_timeout = std::chrono::minutes{1};
  opts.network.process = part.processes[part.self];
  if (part.self > 0) {
    opts.network.join = address;
    return;
  }
  opts.network.listen = address;
  for (std::size_t i = 1; i < part.processes.size(); ++i)
    opts.network.expect += (i > 1 ? "," : "") + part.processes[i];
}

rosia::options options_of(const graph_spec& graph, const manner& settings) {
  auto* ending = settings.ending;
  rosia::options result;
  if (settings.part != nullptr)
    take_part(result, *settings.part);
  result.realtime = graph.realtime;
  result.stop_after = graph.stop_after;
  result.max_in_flight = graph.max_in_flight;
  result.groups = settings.groups;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  result.grace_period = an_hour;
  result.record.file = settings.record;
  result.replay = settings.replay;
  result.checkpoint.file = settings.checkpoint;
  result.checkpoint.every = settings.checkpoint_every;
  result.checkpoint.keep = 1'000'000;
  result.checkpoint.timeout = an_hour;
  result.resume.file = settings.resume;
  result.resume.at = settings.resume_at;
  result.negotiation_timeout = an_hour;
  result.end_timeout = an_hour;
  if (ending == nullptr)
    return result;
  if (ending->has_signals())
    result.signals = rosia::signal_behavior::handle;
  result.timeout = ending->timeout;
  result.negotiation_timeout = ending->negotiation_timeout.value_or(an_hour);
  return result;
}

/// An application made of a graph.
class built_graph {
public:
  built_graph(const graph_spec& graph, caf::actor_system& sys,
              const manner& settings)
    : app_(sys, options_of(graph, settings)) {
    all_.graph = &graph;
    declaration declared{graph, all_, app_};
    for (auto& ref : declared.nodes())
      add_node(ref, settings.part);
  }

  rosia::application& app() noexcept {
    return app_;
  }

  company& all() noexcept {
    return all_;
  }

  bool is_here(std::uint32_t node) const {
    return all_.nodes[node] != nullptr;
  }

  /// Makes a call from outside, if this process has the node. May be called
  /// from any thread.
  bool make(const model::call_spec& x) {
    return all_.call(x.node, x.input, x.value);
  }

private:
  void add_node(const rosia::node_ref<random_node>& ref, const share* part) {
    auto id = all_.nodes.size();
    if (part != nullptr)
      app_.place(ref, part->processes[part->homes[id]]);
    if (!ref.is_local()) {
      all_.nodes.push_back(nullptr);
      return;
    }
    if (auto& realtime = all_.graph->nodes[id].realtime)
      ref->realtime(*realtime);
    all_.nodes.push_back(&*ref);
  }

  company all_;
  rosia::application app_;
};

/// Threads that make calls while a graph runs.
class callers {
public:
  explicit callers(built_graph& to, const graph_spec& graph) : to_(&to) {
    for (auto& list : graph.calls) {
      std::size_t early = 0;
      for (; early < list.size() && list[early].early; ++early)
        to.make(list[early]);
      auto repeat = graph.stopped_by_call && &list == &graph.calls.front()
                    && to.is_here(list.back().node);
      if (early < list.size())
        threads_.emplace_back([this, &list, early, repeat] {
          make(list, early, repeat);
        });
    }
  }

  ~callers() {
    over_ = true;
    for (auto& x : threads_)
      x.join();
  }

private:
  void make(const std::vector<model::call_spec>& list, std::size_t first,
            bool repeat) {
    for (auto i = first; i < list.size() && !over_; ++i) {
      for (std::uint32_t j = 0; j < list[i].gap * 10 && !over_; ++j)
        std::this_thread::yield();
      auto insist = repeat && i + 1 == list.size();
      while (!to_->make(list[i]) && insist && !over_)
        std::this_thread::yield();
    }
  }

  built_graph* to_;
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

/// A thread that demands checkpoints, one after the other.
class saver {
public:
  saver(rosia::application& app, std::size_t demands) {
    if (demands > 0)
      thread_ = std::thread{[this, &app, demands] { save(app, demands); }};
  }

  ~saver() {
    over_ = true;
    if (thread_.joinable())
      thread_.join();
  }

private:
  void save(rosia::application& app, std::size_t demands) {
    while (demands > 0 && !over_)
      try {
        app.checkpoint().get();
        --demands;
      } catch (const std::logic_error&) {
        std::this_thread::yield(); // it does not run yet, or no longer
      } catch (const std::runtime_error&) {
        --demands; // it has ended, or waits for an event
      }
  }

  std::atomic<bool> over_{false};
  std::thread thread_;
};

} // namespace

graph_spec continued(graph_spec graph) {
  std::optional<model::call_spec> last;
  if (graph.stopped_by_call)
    last = graph.calls.front().back();
  graph.calls.clear();
  if (last) {
    // A different value than before.
    ++last->value;
    graph.calls = {{*last}};
  }
  return graph;
}

logical_time final_tag_in(const std::string& trace) {
  constexpr std::string_view head = "\"event\":\"final\",\"tag\":";
  auto at = trace.rfind(head);
  if (at == std::string::npos)
    return forever;
  auto text = trace.c_str() + at + head.size();
  if (*text != '[')
    return *text == '"' && text[1] == 'n' ? rosia::never : forever;
  char* end = nullptr;
  auto ns = std::strtoll(text + 1, &end, 10);
  return {ns, static_cast<std::uint32_t>(std::strtoul(end + 1, &end, 10))};
}

namespace {

/// Returns the lowest final tag at which a node ended, or after which it
/// failed. The application's final tag may be lower, if it was lowered after
/// some nodes had left.
logical_time final_tag_of(company& all) {
  auto result = forever;
  for (auto* x : all.nodes) {
    if (x == nullptr)
      continue;
    if (auto& engine = node_access::engine(*x);
        engine.outcome() == ending::final_tag || x->is_at_last_tag())
      result = std::min(result, engine.final());
  }
  return result;
}

/// The handler of a watchdog runs whenever it expires, but not in a replay.
void check_handlers(const random_node& node, const manner& settings,
                    std::vector<std::string>& problems) {
  auto& watchdogs = node.code().spec().watchdogs;
  auto& expiries = node.code().expiries();
  auto handled = std::count_if(expiries.begin(), expiries.end(), [&](auto& y) {
    return watchdogs[y.watchdog].has_handler;
  });
  auto runs = node.handlers();
  if (!settings.replay.empty() && runs > 0)
    problems.push_back(
      node.name() + ": a handler of a watchdog ran in a replay");
  else if (settings.replay.empty() && settings.resume.empty()
           && runs < static_cast<std::size_t>(handled))
    problems.push_back(node.name() + ": a handler of a watchdog did not run");
}

void collect(company& all, const manner& settings, outcome& into) {
  for (auto* node : all.nodes) {
    if (node == nullptr) {
      into.nodes.emplace_back();
      continue;
    }
    auto& code = node->code();
    auto& engine = node_access::engine(*node);
    auto vanished = node->shutdowns() == 0 && into.done.kills > 0;
    into.nodes.push_back(
      {code.log(), code.stamps(), code.deadlines(), code.expiries(),
       engine.outcome(), engine.last_before_end(), vanished, node->ran_early(),
       node->failed()});
    into.proposals.insert(
      into.proposals.end(), code.proposals().begin(), code.proposals().end());
    into.statuses.insert(
      into.statuses.end(), code.statuses().begin(), code.statuses().end());
    into.failed |= node->failed();
    // A node that had left before a checkpoint does not leave again.
    auto had_left = !settings.resume.empty() && node->shutdowns() == 0;
    if (node->shutdowns() != 1 && !vanished && !had_left)
      into.problems.push_back(
        node->name() + ": shutdown() ran " + std::to_string(node->shutdowns())
        + " times");
    check_handlers(*node, settings, into.problems);
    if (node->present_was_wrong())
      into.problems.push_back(
        node->name() + ": present() has other ports than those with a value");
  }
  auto vanished = std::count_if(
    into.nodes.begin(), into.nodes.end(), [](auto& x) { return x.vanished; });
  if (vanished > into.done.kills)
    into.problems.push_back(
      std::to_string(vanished) + " nodes vanished, of "
      + std::to_string(into.done.kills) + " that were killed");
  into.taken = all.all_taken;
}

} // namespace

std::optional<std::size_t> some_piece(std::uint64_t random) {
  constexpr std::optional<std::size_t> values[] = {1, 1000, std::nullopt};
  return values[random % std::size(values)];
}

const char* some_groups(std::uint64_t random) {
  constexpr const char* values[] = {"off", "auto", "all", "shuffle", "shuffle"};
  return values[random % std::size(values)];
}

outcome run(const graph_spec& graph, caf::actor_system& sys,
            const manner& settings, watchdog& dog, const std::string& label) {
  static const ending_plan no_plan;
  static std::mutex signals;
  auto& plan = settings.ending != nullptr ? *settings.ending : no_plan;
  std::unique_lock turn{signals, std::defer_lock};
  if (plan.has_signals())
    turn.lock();
  outcome result;
  built_graph built{graph, sys, settings};
  built.all().dallies = settings.dallies;
  ending_maker ending{plan, [&] { built.app().status(); }};
  if (settings.ending != nullptr)
    built.all().ending = &ending;
  built.all().fails_in_shutdown = plan.fails_in_shutdown;
  if (settings.traced)
    rosia::detail::application_access::trace(
      built.app(), [&result](std::string_view x) { result.trace += x; });
  if (settings.replay_piece)
    rosia::detail::application_access::replay_piece(
      built.app(), *settings.replay_piece);
  {
    watchdog::scope watched{dog, label, built.all()};
    callers others{built, graph};
    saver demands{built.app(), settings.demands};
    result.status = built.app().run();
  }
  ending.stop();
  result.done = ending.done();
  result.has_deadline = plan.has_deadline();
  result.resumed = !settings.resume.empty();
  collect(built.all(), settings, result);
  result.final = final_tag_of(built.all());
  // Calls before a replay are not accepted either.
  if (!settings.replay.empty() && !built.all().all_taken.empty())
    result.problems.push_back("a value was taken in a replay");
  if (settings.traced && settings.part == nullptr) {
    auto told = final_tag_in(result.trace);
    if (told > result.final)
      result.problems.push_back(
        "a node ended at " + to_string(result.final) + ", but the final tag is "
        + to_string(told));
    result.final = told;
  }
  for (auto& list : graph.calls)
    for (auto& x : list)
      if (built.make(x))
        result.problems.push_back("a value was taken after the end");
  return result;
}

std::span<const model::log_entry> entries_until(
  const std::vector<model::log_entry>& log, logical_time last) {
  auto end
    = std::ranges::find_if(log, [last](auto& x) { return x.tag > last; });
  return {log.begin(), end};
}

std::vector<std::string> replay_differences(
  const outcome& recorded, const outcome& repeated) {
  auto result = repeated.problems;
  auto ends_before_error
    = repeated.status == 0
      && std::ranges::equal(
        recorded.nodes, repeated.nodes,
        [](auto& x, auto& y) { return !x.failed || y.last < x.last; });
  if (recorded.status != repeated.status
      && !(recorded.failed && ends_before_error))
    result.push_back("the status is " + std::to_string(repeated.status)
                     + ", recorded was " + std::to_string(recorded.status));
  for (std::size_t i = 0; i < recorded.nodes.size(); ++i) {
    auto& original = recorded.nodes[i];
    auto& replayed = repeated.nodes[i];
    auto name = "node " + std::to_string(i);
    auto until
      = recorded.failed ? std::min(original.last, replayed.last) : forever;
    auto before = entries_until(original.log, until);
    auto after = entries_until(replayed.log, until);
    auto same = recorded.failed ? std::min(before.size(), after.size())
                                : std::max(before.size(), after.size());
    for (std::size_t j = 0; j < same; ++j)
      if (j >= before.size() || j >= after.size() || before[j] != after[j]) {
        auto text = [j](auto& log) {
          return j < log.size() ? to_string(log[j]) : std::string{"nothing"};
        };
        result.push_back(name + " does " + text(after) + " where "
                         + text(before) + " was recorded");
        break;
      }
    // Whether it was done before it knew the final tag depends on the timing.
    if (!recorded.failed && original.last != replayed.last)
      result.push_back(name + " ends at " + to_string(replayed.last)
                       + ", recorded was " + to_string(original.last));
  }
  return result;
}

outcome join(const share& parts, std::vector<outcome>&& xs) {
  auto result = std::move(xs.front());
  for (std::size_t i = 0; i < result.nodes.size(); ++i)
    if (auto home = parts.homes[i]; home > 0)
      result.nodes[i] = std::move(xs[home].nodes[i]);
  auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
  };
  for (std::size_t i = 1; i < xs.size(); ++i) {
    auto& part = xs[i];
    if (part.status != result.status)
      result.problems.push_back(
        parts.processes[i] + " ended with status " + std::to_string(part.status)
        + ", the coordinator with " + std::to_string(result.status));
    result.final = std::min(result.final, part.final);
    append(result.proposals, part.proposals);
    append(result.statuses, part.statuses);
    append(result.taken, part.taken);
    append(result.problems, part.problems);
    result.failed = result.failed || part.failed;
  }
  return result;
}

} // namespace property
