// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "explorer.hpp"

#include "oracle.hpp"
#include "random.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace engine_test {

namespace {

using event = explored_application::event;
using event_set = explored_application::event_set;

/// Depth first. A node of the engine cannot be copied: to get back to a state,
/// what has led to it happens once more from the start.
class explorer {
public:
  explorer(const exploration& what, const application_factory& make,
           const limits& limit)
    : what_(what), make_(make), limit_(limit) {
    follows_clock_ = std::any_of(
      what.what.connections.begin(), what.what.connections.end(),
      [](auto& x) { return x.physical; });
    for (auto& x : what.what.nodes)
      follows_clock_ = follows_clock_ || x.external();
    expected_ = run_oracle(what.what, forever, {});
  }

  findings run() {
    try {
      restart();
      visit(0);
    } catch (const std::exception& e) {
      result_.mistake = e.what();
      shorten();
      describe();
    }
    return std::move(result_);
  }

private:
  struct entry {
    event_set asleep = 0; // what was left out when the state was visited
    bool open = false;    // it is being visited
  };

  void restart() {
    app_.reset();
    app_ = make_();
    for (auto x : path_)
      app_->perform(x);
    fresh_ = true;
  }

  /// @param asleep what need not happen next, because it happened before
  ///        instead and would lead to the same.
  void visit(event_set asleep) {
    auto possible = app_->possible();
    auto [i, is_new] = seen_.try_emplace(app_->state());
    auto& known = i->second;
    if (known.open)
      throw broken_rule("it runs in circles, " + app_->situation());
    event_set todo;
    if (is_new) {
      ++result_.states;
      check(possible);
      if (result_.states >= limit_.states) {
        result_.cut_off = true;
        return;
      }
      todo = limit_.all_orders ? possible : app_->enough(possible) & ~asleep;
      known.asleep = asleep;
    } else {
      todo = limit_.all_orders
               ? 0
               : app_->enough(possible) & known.asleep & ~asleep;
      known.asleep &= asleep;
    }
    known.open = true;
    for (; todo != 0 && !result_.cut_off; todo &= todo - 1) {
      auto x = static_cast<event>(std::countr_zero(todo));
      if (!fresh_)
        restart();
      event_set still = 0;
      for (auto rest = asleep & possible; rest != 0; rest &= rest - 1) {
        auto y = static_cast<event>(std::countr_zero(rest));
        if (app_->independent(x, y))
          still |= 1u << y;
      }
      path_.push_back(x);
      ++result_.transitions;
      app_->perform(x);
      visit(still);
      path_.pop_back();
      fresh_ = false;
      asleep |= 1u << x;
    }
    known.open = false;
  }

  void check(event_set possible) {
    if (app_->over()) {
      ++result_.ends;
      result_.outcomes.insert(app_->outcome());
      result_.longest = std::max<std::uint64_t>(result_.longest, path_.size());
      check_end(*app_);
    } else if (app_->progress(possible) == 0) {
      throw broken_rule("nobody goes on, " + app_->situation());
    }
  }

  void check_end(explored_application& app) {
    if (!follows_clock_) {
      app.check_end(expected_);
      return;
    }
    app.check_end(run_oracle(what_.what, forever, stamps_of(app, what_.what)));
  }

  /// What goes wrong on a path; nothing if it does not. Leaves out what is not
  /// possible, and what comes after the mistake.
  std::optional<std::string> try_out(std::vector<event>& path) {
    std::vector<event> taken;
    std::vector<fingerprint> states;
    app_.reset();
    app_ = make_();
    std::optional<std::string> result;
    try {
      auto possible = app_->possible();
      states.push_back(app_->state());
      for (auto x : path) {
        if ((possible >> x & 1u) == 0)
          continue;
        taken.push_back(x);
        app_->perform(x);
        possible = app_->possible();
        check(possible);
        states.push_back(app_->state());
        if (std::count(states.begin(), states.end(), states.back()) > 1)
          throw broken_rule("it runs in circles, " + app_->situation());
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
    app_.reset();
    app_ = make_();
    try {
      for (auto x : path_) {
        result_.path.push_back(app_->name_of(x));
        app_->perform(x);
      }
    } catch (const std::exception&) {
      // It is known what goes wrong.
    }
  }

  const exploration& what_;
  const application_factory& make_;
  limits limit_;
  bool follows_clock_ = false;
  std::vector<history> expected_;
  std::unique_ptr<explored_application> app_;
  bool fresh_ = true; // path_ has led to app_
  std::vector<event> path_;
  std::unordered_map<fingerprint, entry> seen_;
  findings result_;
};

} // namespace

application_factory faultless(const exploration& what) {
  return [&what] { return std::make_unique<explored_application>(what); };
}

findings explore(const exploration& what, const application_factory& make,
                 const limits& limit) {
  return explorer{what, make, limit}.run();
}

std::uint64_t compare_futures(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks) {
  using path = std::vector<event>;
  random_source rng{seed};
  auto pick = [&rng](event_set xs) {
    for (auto n = rng.below(static_cast<std::size_t>(std::popcount(xs))); n > 0;
         --n)
      xs &= xs - 1;
    return static_cast<event>(std::countr_zero(xs));
  };
  auto replay = [&make](const path& xs) {
    auto result = make();
    for (auto x : xs)
      result->perform(x);
    return result;
  };
  std::unordered_map<fingerprint, path> ways;
  std::uint64_t result = 0;
  for (; walks > 0; --walks) {
    auto app = make();
    path taken;
    while (auto possible = app->possible()) {
      auto x = pick(possible);
      taken.push_back(x);
      app->perform(x);
      auto [way, is_new] = ways.try_emplace(app->state(), taken);
      if (is_new || way->second == taken)
        continue;
      ++result;
      auto other = replay(way->second);
      way->second = taken;
      while (auto events = app->possible()) {
        x = pick(events);
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
