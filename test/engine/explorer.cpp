// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "explorer.hpp"

#include "oracle.hpp"
#include "random.hpp"
#include "state_table.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace engine_test {

namespace {

using event = explored_application::event;
using event_set = explored_application::event_set;

/// Explores depth first. To continue from an earlier state, restores the
/// application to it.
class explorer {
public:
  explorer(const exploration& app, const application_factory& make,
           const limits& limit)
    : explored_(app), make_(make), limit_(limit) {
    follows_clock_ = std::any_of(
      app.subject.connections.begin(), app.subject.connections.end(),
      [](auto& x) { return x.physical; });
    for (auto& x : app.subject.nodes)
      follows_clock_ = follows_clock_ || x.external();
    expected_ = run_oracle(app.subject, forever, {});
  }

  findings run() {
    try {
      app_.emplace(make_);
      visit(0);
    } catch (const std::exception& e) {
      result_.mistake = e.what();
    }
    app_.reset();
    if (result_.mistake) {
      shorten();
      describe();
    }
    return std::move(result_);
  }

private:
  /// @param asleep events that need not happen next, because they happened
  /// before on another branch with the same result.
  void visit(event_set asleep) {
    auto& app = *app_;
    auto state = app->state();
    seen_.prefetch(state);
    auto possible = app->possible();
    // The events omitted when the state was visited.
    auto [left_out, is_new] = seen_.try_emplace(state, asleep);
    event_set todo;
    if (is_new) {
      ++result_.states;
      check(*app, possible);
      if (result_.states >= limit_.states) {
        result_.cut_off = true;
        return;
      }
      todo = limit_.all_orders ? possible : app->enough(possible) & ~asleep;
    } else {
      if (std::find(open_.begin(), open_.end(), state) != open_.end())
        throw broken_rule("it runs in circles, " + app->situation());
      todo = limit_.all_orders ? 0 : app->enough(possible) & left_out & ~asleep;
      left_out &= asleep;
    }
    if (todo == 0)
      return;
    auto depth = path_.size();
    if (depth == snapshots_.size())
      snapshots_.emplace_back();
    if (!std::has_single_bit(todo))
      app.save(snapshots_[depth]);
    open_.push_back(state);
    for (auto is_first = true; todo != 0 && !result_.cut_off;
         todo &= todo - 1) {
      auto x = static_cast<event>(std::countr_zero(todo));
      if (!is_first)
        app.restore(snapshots_[depth]);
      is_first = false;
      event_set still = 0;
      for (auto rest = asleep & possible; rest != 0; rest &= rest - 1) {
        auto y = static_cast<event>(std::countr_zero(rest));
        if (app->independent(x, y))
          still |= 1u << y;
      }
      path_.push_back(x);
      ++result_.transitions;
      app.perform(x);
      visit(still);
      path_.pop_back();
      asleep |= 1u << x;
    }
    open_.pop_back();
  }

  void check(explored_application& app, event_set possible) {
    if (app.over()) {
      ++result_.ends;
      result_.outcomes.insert(app.outcome());
      result_.longest = std::max<std::uint64_t>(result_.longest, path_.size());
      check_end(app);
    } else if (app.progress(possible) == 0) {
      throw broken_rule("no node continues, " + app.situation());
    }
  }

  void check_end(explored_application& app) {
    std::vector<stamp> stamps;
    if (follows_clock_)
      stamps = stamps_of(app, explored_.subject);
    std::vector<history> with_last;
    if (app.has_last_tag())
      with_last = run_oracle(explored_.subject, app.final_tag(), stamps, true);
    app.check_end(
      follows_clock_ ? run_oracle(explored_.subject, forever, stamps)
                     : expected_,
      with_last);
  }

  /// Returns the error on a path; nothing if there is none. Removes impossible
  /// events, and those after the error.
  std::optional<std::string> try_out(std::vector<event>& path) {
    std::vector<event> taken;
    std::vector<fingerprint> states;
    auto app = make_();
    std::optional<std::string> result;
    try {
      auto possible = app->possible();
      states.push_back(app->state());
      for (auto x : path) {
        if ((possible >> x & 1u) == 0)
          continue;
        taken.push_back(x);
        app->perform(x);
        possible = app->possible();
        check(*app, possible);
        states.push_back(app->state());
        if (std::count(states.begin(), states.end(), states.back()) > 1)
          throw broken_rule("it runs in circles, " + app->situation());
      }
    } catch (const std::exception& e) {
      result = e.what();
      path = std::move(taken);
    }
    return result;
  }

  void shorten() {
    for (auto again = true; again;) {
      again = false;
      for (auto i = path_.size(); i-- > 0;) {
        if (i >= path_.size())
          continue;
        auto shorter = path_;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
        if (auto mistake = try_out(shorter)) {
          result_.mistake = mistake;
          path_ = std::move(shorter);
          again = true;
        }
      }
    }
  }

  void describe() {
    auto app = make_();
    try {
      for (auto x : path_) {
        result_.path.push_back(app->name_of(x));
        app->perform(x);
      }
    } catch (const std::exception&) {
      // The error is known.
    }
  }

  const exploration& explored_;
  const application_factory& make_;
  limits limit_;
  bool follows_clock_ = false;
  std::vector<history> expected_;
  std::optional<restorable_application> app_;
  std::vector<event> path_;
  std::vector<fingerprint> open_; // the states on the path, except for the last
  std::vector<arena::snapshot> snapshots_; // snapshots of some of these states
  state_table seen_;
  findings result_;
};

using path = std::vector<event>;

event pick(random_source& rng, event_set xs) {
  for (auto n = rng.below(static_cast<std::size_t>(std::popcount(xs))); n > 0;
       --n)
    xs &= xs - 1;
  return static_cast<event>(std::countr_zero(xs));
}

std::unique_ptr<explored_application> replay(
  const application_factory& make, const path& xs) {
  auto result = make();
  for (auto x : xs)
    result->perform(x);
  return result;
}

} // namespace

application_factory faultless(const exploration& app) {
  return [&app] { return std::make_unique<explored_application>(app); };
}

findings explore(const exploration& app, const application_factory& make,
                 const limits& limit) {
  return explorer{app, make, limit}.run();
}

std::uint64_t compare_futures(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks) {
  random_source rng{seed};
  std::unordered_map<fingerprint, path> ways;
  std::uint64_t result = 0;
  for (; walks > 0; --walks) {
    auto app = make();
    path taken;
    while (auto possible = app->possible()) {
      auto x = pick(rng, possible);
      taken.push_back(x);
      app->perform(x);
      auto [way, is_new] = ways.try_emplace(app->state(), taken);
      if (is_new || way->second == taken)
        continue;
      ++result;
      auto other = replay(make, way->second);
      way->second = taken;
      while (auto events = app->possible()) {
        x = pick(rng, events);
        if (other->possible() != events || other->name_of(x) != app->name_of(x))
          throw broken_rule("the same state leads to different events");
        taken.push_back(x);
        app->perform(x);
        other->perform(x);
        if (app->state() != other->state())
          throw broken_rule("the same state leads to different ones");
      }
    }
  }
  return result;
}

std::uint64_t compare_restored(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks) {
  random_source rng{seed};
  restorable_application app{make};
  std::vector<arena::snapshot> snapshots(1); // one for each state on the path
  app.save(snapshots[0]);
  path taken;
  std::uint64_t result = 0;
  while (walks > 0) {
    if (auto possible = app->possible()) {
      auto x = pick(rng, possible);
      app.perform(x);
      taken.push_back(x);
      app.save(snapshots.emplace_back());
    }
    if (!app->over() && rng.below(8) > 0)
      continue;
    walks -= app->over();
    auto back_to = rng.below(snapshots.size());
    snapshots.resize(back_to + 1);
    taken.resize(back_to);
    app.restore(snapshots.back());
    ++result;
    auto other = replay(make, taken);
    if (app->possible() != other->possible() || app->state() != other->state())
      throw broken_rule("what is restored is in another state than it was");
  }
  return result;
}

std::string to_string(const findings& x) {
  auto result = std::to_string(x.states) + " states";
  if (!x.mistake)
    return result;
  result += "; " + *x.mistake;
  for (auto& line : x.path)
    result += "\n  - " + line;
  return result;
}

} // namespace engine_test
