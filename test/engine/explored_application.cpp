// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "explored_application.hpp"

#include "oracle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace engine_test {

namespace {

using stage = engine::negotiation::stage;

} // namespace

// -- constructors, destructors ------------------------------------------------

explored_application::explored_application(const exploration& app)
  : simulated_application(app.subject), explored_(app),
    pledges_(app.subject.nodes.size()),
    requests_left_((1u << app.subject.outside_requests.size()) - 1),
    deadlines_left_(app.deadlines), second_signal_left_(app.second_signal),
    vanish_left_(app.vanishes.has_value()),
    stick_left_(app.sticks.has_value()) {
  announce_stop();
}

// -- events -------------------------------------------------------------------

constexpr explored_application::decoded explored_application::compute_decoded(
  event x) {
  constexpr auto n = max_nodes;
  if (x < 4 * n)
    return {static_cast<kind>(x / n), x % n};
  x -= 4 * n;
  if (x < n * n)
    return {kind::deliver, x / n, x % n};
  x -= n * n;
  if (x < 2)
    return {kind::request, x};
  return {static_cast<kind>(x - 2 + static_cast<event>(kind::second_signal))};
}

explored_application::decoded explored_application::decode(event x) {
  static constexpr auto all = [] {
    std::array<decoded, std::numeric_limits<event_set>::digits> result{};
    for (event i = 0; i < result.size(); ++i)
      result[i] = compute_decoded(i);
    return result;
  }();
  return all[x];
}

explored_application::event explored_application::encode(
  kind type, std::uint32_t first, std::uint32_t second) {
  constexpr auto n = max_nodes;
  auto number = static_cast<event>(type);
  if (type < kind::deliver)
    return number * n + first;
  if (type == kind::deliver)
    return 4 * n + first * n + second;
  if (type == kind::request)
    return 4 * n + n * n + first;
  return 4 * n + n * n + 2 + number - static_cast<event>(kind::second_signal);
}

explored_application::event_set explored_application::possible() const {
  event_set result = 0;
  if (over())
    return result;
  auto add = [&](bool condition, event x) {
    if (condition)
      result |= 1u << x;
  };
  auto count = static_cast<node_id>(size());
  for (node_id i = 0; i < count; ++i) {
    add(alive(i) && !started(i), encode(kind::start, i));
    // Before start() it could only receive messages, unseen by other nodes.
    add(alive(i) && started(i) && scheduled(i), encode(kind::activate, i));
    add(alive(i) && !notices_[i].empty(), encode(kind::notice, i));
    add(!reports_[i].empty(), encode(kind::report, i));
    for (node_id j = 0; j < count; ++j)
      add(alive(j) && in_transit(i, j), encode(kind::deliver, i, j));
  }
  for (std::uint32_t i = 0; i < 2; ++i)
    add((requests_left_ >> i & 1u) != 0, encode(kind::request, i));
  auto alarm = next_alarm();
  add(signalled_ && second_signal_left_, encode(kind::second_signal));
  add(vanish_left_ && alive(*explored_.vanishes), encode(kind::vanish));
  add(stick_left_ && alive(*explored_.sticks), encode(kind::stick));
  add(deadlines_left_ > 0 && negotiation_.current() != stage::running,
      encode(kind::overdue));
  add(alarm != engine::node::no_wake && alarm > clock(), encode(kind::clock));
  add(next_call_ < plan_.calls.size(), encode(kind::call));
  return result;
}

std::int64_t explored_application::next_alarm() const {
  auto result = engine::node::no_wake;
  for (node_id i = 0; i < size(); ++i)
    if (alive(i))
      result = std::min(result, wake_of(i));
  return result;
}

bool explored_application::is_silent(const decoded& x) const {
  if (x.type != kind::report)
    return false;
  auto type = reports_[x.first].front().type;
  auto owed = 0;
  for (node_id i = 0; i < size(); ++i)
    owed += negotiation_.owes_answer(i);
  auto owes = negotiation_.owes_answer(x.first);
  // An answer, or an exit in its place, matters only if it is the last one.
  // Other reports before it do not change the coordinator's action.
  if (owes && owed == 1)
    return false;
  if (type == report::kind::answer)
    return true;
  // The number of alive nodes matters only for a later round and for the end.
  // The end matters only for later aborts.
  return type == report::kind::exit && negotiation_.alive() > 1
         && !reacts_to_last_tag() && !requests_may_come()
         && !second_signal_left_ && deadlines_left_ == 0;
}

bool explored_application::requests_may_come() const {
  if (requests_left_ != 0 || !rules_.knows_no_other_request())
    return true;
  std::size_t planned = 0;
  for (node_id i = 0; i < size(); ++i) {
    planned += plan_.nodes[i].requests.size();
    for (auto& x : reports_[i])
      if (x.type == report::kind::request)
        return true;
  }
  return planned > requests.size();
}

explored_application::event_set explored_application::enough(
  event_set possible) const {
  for (auto rest = possible; rest != 0; rest &= rest - 1) {
    auto x = static_cast<event>(std::countr_zero(rest));
    if (is_silent(decode(x)))
      return 1u << x;
  }
  return possible;
}

explored_application::event_set explored_application::progress(
  event_set possible) const {
  event_set result = 0;
  for (auto rest = possible; rest != 0; rest &= rest - 1) {
    auto x = static_cast<event>(std::countr_zero(rest));
    auto type = decode(x).type;
    auto counts
      = type <= kind::deliver || type == kind::clock
        || (type == kind::request && explored_.bound_to_come)
        || (type == kind::overdue && stuck_);
    if (counts)
      result |= 1u << x;
  }
  return result;
}

bool explored_application::neighbours(node_id x, node_id y) const {
  if (graph().in_same_loop(x, y))
    return true;
  return std::any_of(
    plan_.connections.begin(), plan_.connections.end(), [=](auto& c) {
      return (c.source == x && c.target == y)
             || (c.source == y && c.target == x);
    });
}

bool explored_application::independent(event x, event y) const {
  // The participants of an event: a node, or only the coordinator.
  struct concern {
    bool coordinator = false;
    bool everybody = false;
    bool shared = false; // reads or changes memory shared by nodes
    node_id node = 0;
  };
  auto concern_of = [this](event e) {
    concern result;
    auto d = decode(e);
    result.node = d.first;
    switch (d.type) {
      case kind::start:
      case kind::activate:
        result.shared = true;
        break;
      case kind::notice:
        result.shared = notices_[d.first].front().type == notice::kind::abort;
        break;
      case kind::deliver:
        result.node = d.second;
        break;
      case kind::vanish:
        result.node = *explored_.vanishes;
        break;
      case kind::stick:
        result.node = *explored_.sticks;
        break;
      case kind::call:
        result.node = plan_.calls[next_call_].node;
        break;
      case kind::clock:
        result.everybody = true;
        break;
      case kind::overdue:
        // When nodes are given up, no event follows.
        result.everybody = negotiation_.current() == stage::aborted;
        result.coordinator = !result.everybody;
        break;
      default:
        result.coordinator = true;
    }
    return result;
  };
  auto l = concern_of(x);
  auto r = concern_of(y);
  if (l.everybody || r.everybody)
    return false;
  if (l.coordinator != r.coordinator)
    return true; // their messages are in transit for a while
  if (l.coordinator || l.node == r.node)
    return false;
  return !l.shared || !r.shared || !neighbours(l.node, r.node);
}

void explored_application::perform(event e) {
  auto x = decode(e);
  auto id = x.first;
  switch (x.type) {
    case kind::start:
      network::start(id);
      break;
    case kind::activate:
      activate(id);
      break;
    case kind::notice:
      serve_node(id);
      break;
    case kind::report:
      serve_coordinator(id);
      break;
    case kind::deliver:
      deliver(x.first, x.second);
      // The woken node may be late as well, so wakes are delivered at once.
      while (in_transit(x.first, x.second)
             && under_way(x.first, x.second).front().is_wake())
        deliver(x.first, x.second);
      break;
    case kind::request: {
      auto proposal = plan_.outside_requests[id].proposal;
      requests_left_ &= ~(1u << id);
      signalled_ = signalled_ || proposal == never;
      coordinator::request(proposal, 0);
      break;
    }
    case kind::second_signal:
      second_signal_left_ = false;
      second_signal();
      break;
    case kind::vanish:
      vanish_left_ = false;
      vanish(*explored_.vanishes);
      break;
    case kind::stick:
      stick_left_ = false;
      stuck_ = *explored_.sticks;
      break;
    case kind::overdue:
      --deadlines_left_;
      overdue();
      break;
    case kind::clock:
      set_clock(next_alarm());
      break;
    case kind::call:
      call_next();
      break;
  }
  // Other events do not change the coordinator.
  if (x.type == kind::report || x.type >= kind::request)
    check_late_deadlines();
  check_failures();
}

std::string explored_application::name_of(event e) const {
  using std::to_string;
  auto x = decode(e);
  auto id = to_string(x.first);
  switch (x.type) {
    case kind::start:
      return "node " + id + " starts";
    case kind::activate:
      return "node " + id + " continues";
    case kind::notice:
      switch (auto& next = notices_[x.first].front(); next.type) {
        case notice::kind::ask:
          return "node " + id + " is asked for " + to_string(next.tag);
        case notice::kind::final:
          return "node " + id + " learns of the final tag "
                 + to_string(next.tag);
        default:
          return "node " + id + " is aborted";
      }
    case kind::report:
      switch (auto& next = reports_[x.first].front(); next.type) {
        case report::kind::request:
          return "the request of node " + id + " for " + to_string(next.tag)
                 + " is handled";
        case report::kind::answer:
          return "the answer of node " + id + ", " + to_string(next.tag)
                 + ", is handled";
        case report::kind::failed:
          return "the failure of node " + id + " is handled";
        case report::kind::exit:
          return "the exit of node " + id + " at " + to_string(next.tag)
                 + " is handled";
        case report::kind::done:
          return "the report of node " + id + " that it is done at "
                 + to_string(next.tag) + " is handled";
        default:
          return "node " + id + " is missed";
      }
    case kind::deliver:
      return "a frame of node " + id + " reaches node " + to_string(x.second);
    case kind::request:
      return "outside request "
             + to_string(plan_.outside_requests[x.first].proposal);
    case kind::second_signal:
      return "second signal";
    case kind::vanish:
      return "node " + to_string(*explored_.vanishes) + " vanishes";
    case kind::stick:
      return "node " + to_string(*explored_.sticks) + " gets stuck";
    case kind::overdue:
      return "the deadline of stage "
             + to_string(static_cast<int>(negotiation_.current())) + " passes";
    case kind::clock:
      return "time passes until " + to_string(next_alarm());
    default:
      return "a value from outside";
  }
}

// -- checks -------------------------------------------------------------------

bool explored_application::reacts_to_last_tag() const {
  return std::any_of(plan_.nodes.begin(), plan_.nodes.end(), [](auto& x) {
    return std::any_of(x.reactions.begin(), x.reactions.end(), [](auto& y) {
      return y.at_shutdown;
    });
  });
}

bool explored_application::has_last_tag() const {
  return reacts_to_last_tag() && !aborted() && final_tag() != forever;
}

void explored_application::check_end(
  const std::vector<history>& expected, const std::vector<history>& with_last) {
  simulated_application::check_end();
  auto until = [](const history& xs, logical_time last) {
    history result;
    std::copy_if(xs.begin(), xs.end(), std::back_inserter(result),
                 [=](auto& x) { return x.tag <= last; });
    return result;
  };
  for (node_id i = 0; i < size(); ++i) {
    auto outcome = left(i) ? at(i).outcome() : engine::ending::aborted;
    // A node that was not aborted executes everything up to its final tag,
    // unless a lower tag was agreed on. No node executes anything else. A
    // node whose senders left at the final tag is done as well, but this does
    // not count as an end by itself if events were pending.
    auto limit = at(i).logical();
    if (outcome == engine::ending::final_tag)
      limit = std::min(at(i).final(), final_tag());
    else if (outcome == engine::ending::done)
      limit = history_of(i) == expected[i] ? forever : final_tag();
    if (outcome != engine::ending::aborted && limit != forever
        && at(i).last_before_end() > final_tag())
      broken(i, "ends at " + to_string(at(i).logical())
                  + ", past the final tag " + to_string(final_tag()));
    auto actual = history_of(i);
    auto wanted = until(expected[i], limit);
    if (outcome == engine::ending::final_tag && has_last_tag())
      wanted = with_last[i];
    else if (at(i).logical() > at(i).final()) // the last tag before an abort
      actual = until(actual, at(i).final());
    auto [x, y] = std::mismatch(
      actual.begin(), actual.end(), wanted.begin(), wanted.end());
    if (x != actual.end()
        || (y != wanted.end() && outcome != engine::ending::aborted))
      broken(i, "does " + (x == actual.end() ? "nothing" : to_string(*x))
                  + " instead of "
                  + (y == wanted.end() ? "nothing" : to_string(*y)));
  }
}

// -- fingerprints -------------------------------------------------------------

fingerprint explored_application::state() const {
  hasher h;
  add_state(h, negotiation_);
  for (node_id i = 0; i < size(); ++i)
    add_node(h, i);
  for (node_id i = 0; i < size(); ++i) {
    auto loop_time_table = at(i).config().loop_time_table;
    auto is_new = loop_time_table != nullptr;
    for (node_id j = 0; j < i; ++j)
      is_new = is_new && at(j).config().loop_time_table != loop_time_table;
    if (is_new)
      add_state(h, *loop_time_table);
  }
  rules_.add_to(h);
  h.add(clock(), requests_left_, deadlines_left_, next_call_, signalled_,
        second_signal_left_, vanish_left_, stuck_.value_or(~node_id{0}),
        over());
  return h.get();
}

fingerprint explored_application::outcome() const {
  hasher h;
  h.add(status(), final_tag());
  for (node_id i = 0; i < size(); ++i) {
    h.add(left(i), left(i) ? at(i).outcome() : engine::ending::aborted);
    add_history(h, i);
  }
  return h.get();
}

void explored_application::add_history(hasher& h, node_id id) const {
  auto& trace = history_of(id);
  h.add(trace.size());
  for (auto& x : trace)
    h.add(x.tag, x.type, x.index, x.from, x.value);
}

void explored_application::add_node(hasher& h, node_id id) const {
  auto add_envelopes = [&h](auto& xs) {
    h.add(xs.size());
    for (auto& x : xs)
      h.add(x.kind, x.connection, x.tag, x.promise,
            x.content ? number_in(x.content) : 0);
  };
  h.add(left(id), vanished(id));
  // A node's next actions are a function of its history.
  add_history(h, id);
  h.add(reports_[id].size());
  for (auto& x : reports_[id])
    h.add(x.type, x.tag, x.status, x.outcome);
  auto& code = *nodes_[id];
  h.add(code.pending, code.shutdowns);
  if (left(id))
    h.add(at(id).outcome(), at(id).logical(), at(id).final());
  if (!alive(id))
    return;
  h.add(started(id), scheduled(id), wake_of(id), closed(id),
        pledges_[id].barrier, pledges_[id].own);
  add_state(h, at(id), [](void* token) {
    auto& x = *static_cast<continuation*>(token);
    return x.reaction * std::uint64_t{8} + static_cast<std::uint64_t>(x.where);
  });
  add_envelopes(inbox_of(id));
  h.add(notices_[id].size());
  for (auto& x : notices_[id])
    h.add(x.type, x.tag, x.requested);
  for (node_id from = 0; from < size(); ++from) {
    auto frames = under_way(from, id);
    h.add(frames.size());
    for (auto& x : frames)
      add_envelopes(x.batch);
  }
}

// -- the protocol -------------------------------------------------------------

void explored_application::inform(node_id id, const notice& x) {
  if (left(id))
    return;
  switch (x.type) {
    case notice::kind::ask:
      pledges_[id].barrier = std::max(last_tag(id), x.tag);
      break;
    case notice::kind::final:
      pledges_[id].barrier = x.tag;
      if (x.requested == pledges_[id].own)
        pledges_[id].own = forever;
      break;
    default:
      break;
  }
  simulated_application::inform(id, x);
}

void explored_application::pledge_only(node_id id, logical_time proposal) {
  pledges_[id].barrier = std::max(last_tag(id), proposal);
  on_report(id, {report::kind::answer, pledges_[id].barrier, 0, {}});
}

// -- overridden functions of network ------------------------------------------

void explored_application::on_channel(node_id from, node_id to) {
  // A woken node may wait for its turn, so the wake itself need not be late.
  if (under_way(from, to).front().is_wake())
    deliver(from, to);
}

void explored_application::on_report(node_id id, const report& x) {
  if (x.type == report::kind::request)
    pledges_[id].own = std::min(pledges_[id].own, x.tag);
  simulated_application::on_report(id, x);
}

// -- overridden functions of tracer -------------------------------------------

void explored_application::execute(
  node_id node, logical_time tag, logical_time stat, std::int64_t elapsed) {
  network::execute(node, tag, stat, elapsed);
  if (tag > pledges_[node].barrier)
    broken(node, "executes " + to_string(tag) + " past its barrier "
                   + to_string(pledges_[node].barrier));
  if (tag > pledges_[node].own)
    broken(node, "executes " + to_string(tag) + " past its own request "
                   + to_string(pledges_[node].own));
}

} // namespace engine_test
