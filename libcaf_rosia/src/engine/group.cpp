// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/group.hpp"

#include "engine/hand_over_timer.hpp"
#include "engine/instant_loop.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

namespace caf::rosia::engine {

namespace {

constexpr delay step{microsteps(1)};

/// The maximal time that a host needs to read the time of a thread, in
/// nanoseconds.
constexpr std::int64_t longest_reading = 2'500;

constexpr std::size_t cache_line = 64;

/// The cache lines of a node that most messages need.
constexpr std::size_t lines_of_node = 4;

/// The cache lines of the receiver's end of a connection.
constexpr auto lines_of_connection = sizeof(in_connection) / cache_line + 1;

/// The cache lines of the user's object, from the port on.
constexpr std::size_t lines_of_user = 6;

/// The number of carried messages from which on they exceed a cache.
constexpr std::uint32_t many_messages = 128;

[[gnu::always_inline]] inline void prefetch_lines(
  const void* begin, std::size_t count) noexcept {
  // The address may be null, and lines may lie beyond the object.
  auto address = reinterpret_cast<std::uintptr_t>(begin);
  for (std::size_t i = 0; i < count; ++i)
    __builtin_prefetch(reinterpret_cast<const void*>(address + i * cache_line));
}

/// Returns the first elements: a message usually needs few of many ports.
template <class Range>
auto first_of(Range& all) noexcept {
  return std::span{all}.first(std::min<std::size_t>(all.size(), 4));
}

/// Returns whether a member of another group may send promises.
bool comes_from_outside(const in_connection& x) noexcept {
  return x.fused == nullptr && !x.physical && !x.no_more;
}

/// Returns whether a member of another group may need promises.
bool leads_outside(const out_connection& x) noexcept {
  return x.fused == nullptr && !x.physical && !x.shared->gone.load();
}

constexpr auto all_visited = std::numeric_limits<std::uint32_t>::max();

} // namespace

// -- members ------------------------------------------------------------------

void group::add(std::span<node* const> xs) {
  remove_left();
  deliver_carried();
  for (auto* x : xs)
    seats_.push_back({.member = x});
  seat_members();
  // Earlier messages are queued before later ones.
  take_in_before_fusing();
  fuse_connections();
}

void group::fuse(std::span<group* const> others) {
  remove_left();
  deliver_carried();
  for (auto* x : others) {
    x->remove_left();
    x->deliver_carried();
  }
  // Earlier messages are queued before later ones.
  take_in_before_fusing();
  for (auto* x : others)
    x->take_in_before_fusing();
  for (auto* other : others) {
    for (auto& x : other->seats_)
      seats_.push_back(
        {.member = x.member, .abandoned = x.abandoned, .newcomer = x.newcomer});
    other->seats_.clear();
    other->calendar_.clear();
    other->find_outer();
  }
  seat_members();
  fuse_connections();
}

void group::take_in_before_fusing() {
  departed_ = true; // from one of the groups, perhaps
  scratch::lease lease{scratch_};
  begin_call();
  take_in();
  end_call();
}

void group::split(std::span<node* const> leaving,
                  std::span<group* const> apart) {
  settle_for_observer();
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    auto& x = seats_[leaving[i]->parts_.seat];
    apart[i]->seats_.push_back({.member = x.member, .abandoned = x.abandoned});
    x.left = true;
  }
  std::erase_if(seats_, [](auto& x) { return x.left; });
  seat_members();
  std::vector<group*> sides{this};
  for (std::size_t i = 0; i < leaving.size(); ++i)
    if (leaving[i]->parts_.group != apart[i]) {
      apart[i]->seat_members();
      sides.push_back(apart[i]);
    }
  auto each_in_loop = [&](auto&& fun) {
    for (auto* side : sides)
      for (auto& x : side->seats_)
        if (auto& parts = x.member->parts_; parts.bounds.loop().suspended())
          fun(*x.member, parts.config.loop_time_table, side);
  };
  // The side of each loop; null if it is on several.
  std::unordered_map<const loop_time_table*, group*> loops;
  each_in_loop([&](auto&, auto* loop, auto* side) {
    if (auto& found = loops.try_emplace(loop, side).first->second;
        found != side)
      found = nullptr;
  });
  std::vector<node*> resumed;
  each_in_loop([&](auto& x, auto* loop, auto*) {
    if (loops[loop] == nullptr)
      resumed.push_back(&x);
  });
  for (auto* side : sides)
    for (auto& x : side->seats_)
      split_connections(*x.member, resumed);
  resume_loops(resumed);
  for (auto* side : sides)
    side->find_outer();
}

void group::add_newcomers(std::span<node* const> xs) noexcept {
  for (auto* x : xs) {
    auto& seat = seats_[x->parts_.seat];
    seat.newcomer = true;
    seat.free_below = never;
  }
  find_quick();
}

void group::keep_newcomer(node& x) noexcept {
  seats_[x.parts_.seat].newcomer = seats_[x.parts_.seat].newcomer_due = false;
  newcomers_due_ = false;
  find_quick();
}

std::vector<node*> group::due_newcomers() const {
  std::vector<node*> result;
  for (auto& x : seats_)
    if (x.newcomer_due && !x.left)
      result.push_back(x.member);
  return result;
}

// -- parts of a loop ----------------------------------------------------------

bool group::is_loop() const {
  if (seats_.empty() || some_left_)
    return false;
  auto* table = seats_.front().member->config().loop_time_table;
  return table != nullptr && table->nodes().size() == seats_.size()
         && std::ranges::all_of(seats_, [table](auto& x) {
              return executes(x) && x.member->config().loop_time_table == table
                     && x.member->parts_.bounds.loop().suspended();
            });
}

std::vector<loop_time_table::edge> group::loop_edges() const {
  std::vector<loop_time_table::edge> result;
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    for (auto& [out, target] : inner_connections(i))
      result.push_back({i, target, out->distance});
  return result;
}

std::optional<loop_division> group::find_division(std::size_t parts) const {
  return loop_division::find(seats_.size(), loop_edges(), parts);
}

void group::divide(const loop_division& division,
                   std::span<group* const> others, const table_maker& make) {
  settle_for_observer();
  using member = loop_time_table::member;
  auto count = division.parts();
  std::vector<node_id> nodes(count); // one of each part
  std::vector<bool> clocked(count);
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto& parts = seats_[i].member->parts_;
    auto part = division.part_of(i);
    nodes[part] = parts.config.id;
    if (parts.config.loop_time_table->clocked(parts.config.member))
      clocked[part] = true;
    parts.config.member = part;
    for (auto& [out, target] : inner_connections(i))
      if (out->intra_loop)
        out->target_member = division.part_of(target);
  }
  auto& table
    = make(std::move(nodes), division.distances(loop_edges()), clocked);
  std::vector<group*> all{this};
  all.insert(all.end(), others.begin(), others.end());
  auto seats = std::exchange(seats_, {});
  for (auto& x : seats) {
    x.member->parts_.config.loop_time_table = &table;
    all[x.member->config().member]->seats_.push_back({.member = x.member});
  }
  for (auto* part : all)
    part->seat_members();
  for (auto& x : seats)
    split_connections(*x.member, {});
  std::vector<node_id> woken; // unused, because all are called anyway
  std::lock_guard guard{table};
  for (member i = 0; i < count; ++i) {
    all[i]->entry_.emplace(loop_entry{.table = &table, .member = i});
    table.update(i, all[i]->least_tag(), woken);
  }
  for (member i = 0; i < count; ++i) {
    for (auto& x : all[i]->seats_)
      x.member->parts_.bounds.loop().share();
    all[i]->find_outer();
    all[i]->take_bound(table.bound(i), false);
  }
}

void group::find_entrances() {
  // Dijkstra's algorithm from all members that other parts send to.
  using item = std::pair<delay, std::uint32_t>;
  std::priority_queue<item, std::vector<item>, std::greater<>> frontier;
  auto& distances = entry_->distances;
  distances.assign(seats_.size(), std::nullopt);
  entry_->entrances.clear();
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    if (std::ranges::any_of(seats_[i].member->config().in, [](auto& in) {
          return in.intra_loop && in.fused == nullptr && !in.no_more;
        })) {
      frontier.push({delay{}, i});
      entry_->entrances.emplace(seats_[i].member->id(), seats_[i].member);
    }
  while (!frontier.empty()) {
    auto [distance, i] = frontier.top();
    frontier.pop();
    if (distances[i])
      continue;
    distances[i] = distance;
    for (auto& [out, target] : inner_connections(i))
      if (!distances[target])
        frontier.push({compose(distance, out->distance), target});
  }
}

logical_time group::least_tag() {
  auto result = std::min(entry_->aborted, first_tag());
  for (auto i : attended_)
    if (auto& x = seats_[i]; !x.left)
      result = std::min(
        result,
        executes(x)
          ? x.member->parts_.bounds.outer_loop_entry(x.member->next_tag())
          : std::min(x.member->logical(), entry_->sent_below));
  return result;
}

bool group::exchange_with_parts() {
  auto& table = *entry_->table;
  auto ended = false;
  logical_time bound;
  for (auto i : attended_)
    if (auto& x = seats_[i]; executes(x))
      x.member->parts_.bounds.publish_clock(
        x.member->parts_, x.member->parts_.clock, x.member->logical());
  {
    std::lock_guard guard{table};
    table.take_mail(entry_->member, entry_->mail);
    // Messages in the mailbox are still in transit.
    if (entry_->mail.empty())
      table.absorb(entry_->member);
    send_to_parts(*scratch_);
    table.update(entry_->member, least_tag(), scratch_->wake);
    ended = table.ended();
    bound = table.bound(entry_->member);
    entry_->sent_below = std::min(table.low(entry_->member), bound);
  }
  wake_listed();
  auto is_new = take_bound(bound, ended);
  auto has_mail = take_mail();
  if (is_new || has_mail)
    find_safe();
  return has_mail;
}

bool group::take_mail() {
  auto& mail = entry_->mail;
  if (mail.empty())
    return false;
  for (auto& [receiver, content] : mail) {
    auto at = entry_->entrances.find(receiver);
    auto* to = at != entry_->entrances.end() ? at->second : nullptr;
    auto is_value = content.kind == envelope_kind::data;
    if (to != nullptr && is_value && carries_ && !some_left_) {
      carry({.to = to, .connection = content.connection}, content.tag,
            content.content);
    } else if (to != nullptr && to->parts_.group == this && runs(*to)) {
      auto index = to->parts_.seat;
      visit(index);
      to->take_in({&content, 1});
      enter(index);
    } else if (is_value) {
      seats_.front().member->parts_.host->unexecuted(receiver, 1);
    }
  }
  mail.clear();
  if (mail.capacity() > outbox::max_added)
    mail.shrink_to_fit();
  return true;
}

void group::send_to_parts(scratch& memory) {
  for (auto& [part, message] : entry_->unsent) {
    auto receiver = message.receiver;
    if (!entry_->table->deliver(part, std::move(message), memory.wake))
      seats_.front().member->parts_.host->unexecuted(receiver, 1);
  }
  entry_->unsent.clear();
}

void group::wake_listed() {
  visit(0);
  seats_.front().member->parts_.wake_listed();
}

bool group::may_continue_in_part() {
  auto tag = first_tag();
  if (tag == forever || waits_for_parts_only())
    return false;
  auto& front = calendar_.front();
  auto* message = carried(front);
  auto index = message ? message->to->parts_.seat : front.seat;
  // The calendar does not order the members that are due at one tag. The limits
  // of a member count only if the members before it were tried.
  if (!only_loop_)
    for (std::uint32_t i = 0; i < index; ++i)
      if (executes(seats_[i]) && seats_[i].member->next_tag() == tag)
        index = i;
  visit(index);
  share_bound(index);
  auto& first = *seats_[index].member;
  return (all_run_ || tag < first.stat()) && may_execute(index, tag)
         && !flow_control::holds_back_inside(first.config(), tag);
}

bool group::waits_for_parts_only() {
  return only_loop_ && first_tag() >= safe_;
}

std::optional<logical_time> group::find_awaited() {
  std::optional<logical_time> result;
  if (waits_for_parts_only()) {
    if (auto tag = first_tag(); tag != forever)
      result = tag;
    // A member may have to save or to leave at an earlier tag.
    if (first_stop_ != forever)
      for (auto& x : seats_)
        if (auto last = x.member->parts_.bounds.barrier().last();
            last != forever && last >= entry_->bound)
          result = std::min(result.value_or(forever), last);
    return result;
  }
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto& x = seats_[i];
    auto& distance = entry_->distances[i];
    if (!distance || !executes(x))
      continue;
    visit(i);
    share_bound(i);
    bound_requests::collect(x.member->parts_, x.member->next_tag());
    for (auto bound : scratch_->requested_bounds) {
      // Do not wait for tags that are held back inside of the part only.
      auto arrival = inverse(bound, *distance);
      if (arrival == never || arrival < entry_->bound)
        continue;
      result = std::min(result.value_or(forever), arrival);
      break;
    }
  }
  return result;
}

bool group::wait_for_parts() {
  auto awaited = find_awaited();
  auto& table = *entry_->table;
  auto goes_on = false;
  auto is_new = false;
  {
    std::lock_guard guard{table};
    // The part may not have been woken for a message since the exchange.
    goes_on
      = table.has_mail(entry_->member)
        || (awaited && !table.wait(entry_->member, *awaited, scratch_->wake));
    if (!awaited || goes_on)
      table.stop_waiting(entry_->member);
    is_new = take_bound(table.bound(entry_->member), table.ended());
  }
  wake_listed();
  if (is_new)
    find_safe();
  return !goes_on;
}

bool group::take_bound(logical_time bound, bool ended) {
  if (only_loop_ && bound == entry_->bound && ended == entry_->ended)
    return false;
  entry_->bound = bound;
  // Members may be done.
  if (std::exchange(entry_->ended, ended) != ended)
    examines_all_ = true;
  for (auto i : attended_)
    share_bound(i);
  return true;
}

void group::share_bounds() noexcept {
  if (entry_)
    for (std::uint32_t i = 0; i < seats_.size(); ++i)
      share_bound(i);
}

void group::share_bound(std::uint32_t index) noexcept {
  auto& bounds = seats_[index].member->parts_.bounds;
  auto is_entrance = entry_->distances[index] == delay{};
  bounds.loop().set(is_entrance ? entry_->bound : forever, entry_->ended);
  bounds.raise();
}

void group::leave_part(node& x, bool aborted) {
  auto& table = *entry_->table;
  std::lock_guard guard{table};
  send_to_parts(*x.parts_.scratch);
  if (aborted) {
    entry_->aborted
      = std::min({entry_->aborted, x.logical(), entry_->sent_below});
    table.in_transit(entry_->member, entry_->aborted);
  }
  auto rest = std::ranges::find(seats_, false, &seat::left);
  if (rest != seats_.end()) {
    // The table has the member to wake for the part.
    if (table.nodes()[entry_->member] == x.id())
      table.rename(entry_->member, rest->member->id());
    return;
  }
  table.stop_waiting(entry_->member);
  table.close_mail(entry_->member);
  table.take_mail(entry_->member, entry_->mail);
  for (auto& [receiver, content] : entry_->mail)
    if (content.kind == envelope_kind::data)
      x.parts_.host->unexecuted(receiver, 1);
  entry_->mail.clear();
  if (entry_->aborted != forever)
    return;
  table.absorb(entry_->member);
  table.update(entry_->member, forever, x.parts_.scratch->wake);
}

void group::abandon(node& x) {
  if (x.parts_.group != this)
    return;
  seats_[x.parts_.seat].abandoned = true;
  attend(x.parts_.seat);
  find_safe();
}

void group::remove_left() {
  if (!std::exchange(some_left_, false))
    return;
  // The calendar refers to the seats.
  deliver_carried();
  std::erase_if(seats_, [](auto& x) { return x.left; });
  seat_members();
  find_outer();
}

void group::seat_members() {
  std::sort(seats_.begin(), seats_.end(), [](auto& x, auto& y) {
    return x.member->config().rank < y.member->config().rank;
  });
  calendar_.clear();
  auto loads = std::exchange(
    loads_, std::vector<member_load>(measures_ ? seats_.size() : 0));
  due_.resize(seats_.size());
  attend_all();
  follows_clock_ = true;
  has_instant_loops_ = false;
  const instant_loop* last = nullptr;
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto& parts = seats_[i].member->parts_;
    if (measures_ && parts.group == this)
      loads_[i] = loads[parts.seat];
    parts.group = this;
    parts.seat = i;
    // The members of a loop have adjacent seats.
    auto* loop = parts.config.instant_loop;
    if (loop != nullptr) {
      if (loop != last)
        loop->seat_from(i);
      loop->add(*seats_[i].member);
      has_instant_loops_ = true;
    }
    last = loop;
    seats_[i].in_instant_loop = loop != nullptr;
    seats_[i].plain
      = parts.trace == nullptr && loop == nullptr
        && parts.config.lag_warn == no_lag_warning;
    seats_[i].queued = forever;
    seats_[i].newcomer_due = false;
    enter(i);
  }
  newcomers_due_ = false;
}

void group::fuse_connections() {
  // A loop of which only a part is in the group keeps its table, which sees all
  // members at once, and so all paths that lead through other groups.
  std::unordered_map<const loop_time_table*, std::size_t> members;
  std::unordered_map<node_id, node*> nodes;
  for (auto& x : seats_) {
    nodes.emplace(x.member->id(), x.member);
    if (auto* loop = x.member->config().loop_time_table; loop && runs(x))
      ++members[loop];
  }
  auto has_all_of = [&](const loop_time_table* loop) {
    return members[loop] == loop->nodes().size();
  };
  for (auto& x : seats_) {
    auto& parts = x.member->parts_;
    for (auto& out : parts.config.out) {
      if (out.fused != nullptr || out.physical || out.shared->gone.load())
        continue;
      auto to = nodes.find(parts.outbox.receiver(out));
      if (to == nodes.end() || !runs(x) || !runs(*to->second)
          || (out.intra_loop && !has_all_of(parts.config.loop_time_table)))
        continue;
      fuse_connection(*x.member, out, *to->second);
    }
  }
  for (auto& x : seats_)
    if (auto& parts = x.member->parts_;
        parts.bounds.loop().exists()
        && has_all_of(parts.config.loop_time_table))
      parts.bounds.loop().suspend(parts.config);
  find_outer();
}

void group::fuse_connection(node& from, out_connection& out, node& to) {
  auto& in = to.parts_.config.in[out.target_index];
  auto& bounds = to.parts_.bounds;
  auto promised
    = in.intra_loop
        ? bounds.loop().bound()
        : bounds.upstreams().promise_of(out.target_index);
  bounds.set_inner(std::min(bounds.inner(), promised));
  if (!in.intra_loop)
    bounds.upstreams().fuse(out.target_index);
  from.parts_.flow.fuse(from.config(), out);
  out.clock.forget_request();
  to.requests_.forget(out.target_index);
  out.fused = &to;
  out.port = to.parts_.config.inputs[in.input];
  in.fused = &from;
}

void group::split_connections(node& x, std::span<node* const> resumed) {
  auto resumes = std::find(resumed.begin(), resumed.end(), &x) != resumed.end();
  auto& to = x.parts_;
  to.events.forget_senders();
  auto keeps_some = false;
  for (std::uint32_t i = 0; i < to.config.in.size(); ++i) {
    auto& in = to.config.in[i];
    if (in.fused == nullptr)
      continue;
    auto& from = in.fused->parts_;
    if (from.group == to.group && !(in.intra_loop && resumes)) {
      keeps_some = true;
      continue;
    }
    auto& out = from.config.out[in.source_index];
    if (!in.intra_loop) {
      auto basis = in.fused->basis();
      // If the sender stops for now, it may have promised more before.
      auto promise = out.clock.announced();
      if (runs(*in.fused))
        promise
          = std::max(promise, outbox::promise_over(from.config, out, basis));
      to.bounds.upstreams().split(i, in, promise);
      out.clock.announce(promise, basis);
    }
    from.flow.split(from.config, out, in, to.events);
    out.fused = in.fused = nullptr;
  }
  if (!keeps_some)
    to.bounds.set_inner(forever);
  x.requests_.forget();
}

void group::resume_loops(std::span<node* const> members) {
  // Update all entries before any bound is read: a bound that only some entries
  // allow would be wrong.
  std::vector<node_id> woken;
  for (auto* x : members) {
    auto& parts = x->parts_;
    // The queued events of an aborted member were dropped, not executed.
    auto next = x->next_tag();
    if (!runs(*x) || x->outcome() == ending::aborted)
      next = std::min(next, x->logical());
    std::lock_guard guard{*parts.config.loop_time_table};
    parts.config.loop_time_table->update(
      parts.config.member, parts.bounds.loop_entry(next), woken);
  }
  for (auto* x : members) {
    auto& bounds = x->parts_.bounds;
    bounds.loop().resume();
    bounds.loop().refresh(x->config());
    bounds.raise();
  }
}

// -- driving ------------------------------------------------------------------

node::state group::advance(std::size_t budget, hand_over_timer& timer) {
  remove_left();
  wake_at_ = node::no_wake;
  if (seats_.empty())
    return node::state::left;
  scratch::lease lease{scratch_};
  begin_call();
  auto result = run(budget, timer);
  report_executed();
  end_call();
  return seats_.empty() ? node::state::left : result;
}

node::state group::run(std::size_t budget, hand_over_timer& timer) {
  take_in();
  for (;;) {
    auto& env = *seats_.front().member->parts_.host;
    if (!timer.run(env, [&] { return execute_some(budget, timer); }))
      return end_early();
    if (!only_loop_)
      deliver_carried();
    if (exchange_in_loops())
      continue;
    if (leave_some(budget)) {
      if (budget > 0)
        continue;
      return end_early();
    }
    if (seats_.empty() || go_idle())
      return node::state::idle;
  }
}

node::state group::end_early() {
  flush();
  // Visiting all is cheaper than a long list.
  if (unexamined_.size() > seats_.size())
    examines_all_ = true;
  else
    unexamined_.insert(unexamined_.end(), visited_.begin(), visited_.end());
  return node::state::more;
}

bool group::awaits_promises() const noexcept {
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    if (!seats_[i].left
        && seats_[i].member->awaits_promises(inner_connections(i).size()))
      return true;
  return false;
}

void group::begin_call() {
  is_settled_ = false;
  if (std::exchange(limits_changed_, false))
    attend_all();
  else if (attended_.size() >= seats_.size())
    find_attended();
  if (follows_clock_ && !seats_.empty())
    elapsed_ = seats_.front().member->parts_.host->elapsed();
  for (auto i : attended_)
    visit(i);
}

void group::end_call() {
  for (auto* x : visited_) {
    x->parts_.scratch = nullptr;
    messages_ += x->messages();
    if (x->parts_.group == this)
      wake_at_ = std::min(wake_at_, x->wake_at());
  }
  visited_.clear();
}

void group::begin_visit(std::uint32_t index) {
  auto& x = *seats_[index].member;
  x.parts_.scratch = scratch_;
  x.parts_.clock.forget_wake();
  x.execution_.begin_call();
  if (follows_clock_)
    x.parts_.clock.set(elapsed_);
  messages_ -= x.messages();
  visited_.push_back(&x);
}

void group::revisit(std::uint32_t index) {
  if (scratch_ != nullptr)
    visit(index);
  else
    examines_all_ = true;
}

void group::take_in() {
  for (auto i : attended_) {
    if (seats_[i].outer && runs(seats_[i]))
      seats_[i].member->take_in();
    enter(i);
  }
  find_safe();
  // Messages in the mailbox limit the bound until they were taken.
  if (entry_ && exchange_with_parts())
    exchange_with_parts();
}

void group::find_safe() {
  auto before = std::exchange(safe_, entry_ ? entry_->bound : forever);
  all_run_ = true;
  for (auto i : attended_) {
    auto& x = seats_[i];
    all_run_ = all_run_ && executes(x);
    if (!x.outer && executes(x))
      continue;
    safe_ = std::min({safe_, outside(x), x.member->least_stamp()});
  }
  auto has_aborted = entry_ && entry_->aborted != forever;
  only_loop_ = entry_ && attended_.empty() && !has_aborted;
  // The bounds of members alone never decrease.
  if (safe_ < before || !all_run_ || has_aborted || has_instant_loops_)
    forget_limits();
  carries_ = may_carry_ && all_run_ && (!entry_ || only_loop_);
  if (!carries_)
    deliver_carried();
}

void group::attend(std::uint32_t index) {
  auto& x = seats_[index];
  if (!x.outer || x.only_loop)
    attended_.push_back(index);
}

void group::attend_all() {
  attended_.resize(seats_.size());
  std::iota(attended_.begin(), attended_.end(), 0);
}

void group::find_attended() {
  attended_.clear();
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    if (auto& x = seats_[i];
        !executes(x) || has_instant_loops_
        || (!x.only_loop
            && (x.outer || x.member->parts_.bounds.loop().exists())))
      attended_.push_back(i);
}

void group::forget_limits() noexcept {
  for (auto& x : seats_)
    x.free_below = never;
}

bool group::runs(const seat& x) noexcept {
  return !x.abandoned && !x.member->execution_.failed();
}

bool group::executes(const seat& x) noexcept {
  return runs(x) && x.member->execution_.started();
}

bool group::runs(const node& x) noexcept {
  return runs(x.parts_.group->seats_[x.parts_.seat]);
}

logical_time group::outside(const seat& x) const {
  // A stopped member may have sent messages with tags up to its last one.
  if (!runs(x))
    return x.member->logical();
  return x.member->execution_.started()
           ? x.member->parts_.bounds.outside()
           : logical_time{};
}

void group::enter(std::uint32_t index) {
  auto& x = seats_[index];
  if (!runs(x))
    return;
  auto& events = x.member->parts_.events;
  expect(index, events.next_tag());
}

void node_context::forget_next_tag() {
  if (group != nullptr)
    group->forget_next_tag(seat);
}

void group::forget_next_tag(std::uint32_t index) noexcept {
  seats_[index].queued = forever;
}

// -- messages in the calendar -------------------------------------------------

void group::carry(const carried_message& empty, logical_time tag,
                  const value& content) {
  auto slot = free_slot_;
  if (slot == no_slot) {
    slot = static_cast<std::uint32_t>(carried_.size());
    carried_.emplace_back();
  } else {
    free_slot_ = carried_[slot].connection;
  }
  auto& message = carried_[slot];
  message.to = empty.to;
  message.port = empty.port;
  message.connection = empty.connection;
  message.content.fill(content);
  ++carried_count_;
  is_settled_ = false;
  calendar_.push(tag, slot | carried_bit);
}

std::uint32_t group::arrive(std::uint32_t slot, logical_time tag) {
  auto& message = carried_[slot];
  auto& parts = message.to->parts_;
  if (message.port == nullptr)
    message.to->take_message(message.connection, tag, message.content);
  else
    parts.events.push_inside(
      parts.config.in, message.connection, *message.port, tag, message.content);
  message.content = {};
  message.connection = std::exchange(free_slot_, slot);
  --carried_count_;
  return parts.seat;
}

// A compiler drops calls of a function that only reads ahead.
[[gnu::always_inline]] inline void group::prefetch() const noexcept {
  auto upcoming = [this](std::uint32_t index) -> const carried_message* {
    return index < calendar_.upcoming()
             ? carried(calendar_.upcoming(index))
             : nullptr;
  };
  // Each step reads the pointers that the step before it has read into the
  // cache, two messages earlier.
  if (auto* message = upcoming(7))
    __builtin_prefetch(message);
  if (auto* message = upcoming(5)) {
    prefetch_lines(message->to, lines_of_node);
    __builtin_prefetch(&message->to->parts_.config.counts);
    prefetch_lines(message->port, lines_of_user);
  }
  if (auto* message = upcoming(3)) {
    auto& parts = message->to->parts_;
    __builtin_prefetch(&seats_[parts.seat]);
    __builtin_prefetch(parts.config.counts);
    if (message->port != nullptr)
      __builtin_prefetch(message->port->code);
    else
      prefetch_lines(
        &parts.config.in[message->connection], lines_of_connection);
    __builtin_prefetch(parts.config.outputs.data());
    prefetch_lines(parts.config.out.data(), 2);
  }
  if (auto* message = upcoming(1))
    for (auto* output : first_of(message->to->config().outputs))
      __builtin_prefetch(output);
}

void group::deliver_carried() {
  if (carried_count_ == 0)
    return;
  // The messages of a connection arrive in the order of their tags.
  for (auto& [tag, index] : calendar_.take_all())
    if ((index & carried_bit) != 0)
      expect(arrive(index & ~carried_bit, tag), tag);
    else if (seats_[index].queued == tag)
      calendar_.push(tag, index);
}

// -- the calendar -------------------------------------------------------------

logical_time group::first_tag() {
  while (!calendar_.empty()) {
    auto [tag, index] = calendar_.front();
    if ((index & carried_bit) != 0 || seats_[index].queued == tag)
      return tag;
    calendar_.pop();
  }
  return forever;
}

bool group::advance_to_next_tag() {
  auto found = false;
  while (!calendar_.empty()) {
    auto [tag, index] = calendar_.front();
    if (found && tag != now_)
      break;
    calendar_.pop();
    if ((index & carried_bit) != 0) {
      due_.insert(arrive(index & ~carried_bit, tag));
    } else {
      auto& queued = seats_[index].queued;
      if (queued != tag)
        continue;
      copy_tag(queued, forever);
      due_.insert(index);
    }
    now_ = tag;
    found = true;
  }
  in_order_ = found && held_.empty();
  if (carried_count_ >= many_messages)
    prefetch();
  return found;
}

void group::end_tag() {
  in_order_ = false;
  auto tag = std::exchange(now_, never);
  for (auto i = due_.take_first(); i != index_set::none; i = due_.take_first())
    expect(i, tag);
}

// -- measuring ----------------------------------------------------------------

void group::measure(bool each) noexcept {
  if (measures_ == each)
    return;
  measures_ = each;
  loads_ = std::vector<member_load>(each ? seats_.size() : 0);
  find_quick();
}

// -- executing ----------------------------------------------------------------

bool group::execute_some(std::size_t& total, hand_over_timer& timer) {
  limits_known_ = goes_on_ = holds_ = false;
  std::size_t chunk = 0; // as many tags as `timer` has room for
  std::size_t budget = 0;
  auto next_chunk = [&] {
    timer.note_executed(chunk - budget);
    executed_ += chunk - budget;
    total -= chunk - budget;
    chunk = budget = std::min(total, timer.room());
  };
  next_chunk();
  auto result = true;
  for (;;) {
    auto index = execute_quickly(budget);
    if (index == index_set::none)
      break;
    auto& x = seats_[index];
    auto tag = now_;
    auto free = is_free(x, tag);
    if (!free && !runs(x))
      continue;
    if (budget == 0) {
      next_chunk();
      if (total > 0 && budget == 0 && !timer.is_due(*x.member->parts_.host))
        next_chunk();
      if (budget == 0) {
        due_.insert(index);
        result = false;
        break;
      }
    }
    visit(index);
    if (!free) {
      if (!may_execute(index, tag)) {
        hold(index, tag);
        continue;
      }
      if (held_.empty())
        find_free(index);
    }
    --budget;
    if (last_ != x.member && (last_ != nullptr || x.outer)) {
      report_executed();
      last_ = x.outer ? x.member : nullptr;
    }
    auto& node = *x.member;
    if (!x.plain || measures_ || !execute_only<true>(node))
      execute(index, tag, timer);
    if (node.execution_.failed()) {
      fail(index, tag);
      continue;
    }
    if (auto& events = node.parts_.events; !events.empty())
      expect(index, events.next_tag());
    if (has_many_unsent(x)) {
      result = false;
      break;
    }
  }
  in_order_up_to_ = held_.empty() ? std::min(now_, safe_) : never;
  end_tag();
  for (auto [tag, index] : held_)
    each_with(index, [this](auto i) {
      seats_[i].held = forever;
      enter(i);
    });
  held_.clear();
  limits_known_ = false;
  next_chunk();
  return result;
}

template <bool Recorded>
[[gnu::always_inline]] inline bool group::execute_only(node& x) {
  auto& parts = x.parts_;
  auto& code = x.execution_;
  if (parts.events.has_only_direct(now_)) {
    if constexpr (Recorded)
      code.record_direct(parts);
    code.run_direct(x, parts, now_);
  } else if (parts.events.has_only_behind_lane(now_)) {
    return code.run_behind_lane(x, parts, now_);
  } else if (parts.events.has_only_resumption(now_)) {
    code.run_resumption(parts, now_);
  } else if (parts.events.has_only_scheduled(now_)) {
    code.run_scheduled(parts, now_);
  } else {
    return false;
  }
  return true;
}

std::uint32_t group::execute_quickly(std::size_t& budget) {
  auto left = budget;
  auto quick = in_order_ && last_ == nullptr;
  std::uint32_t index;
  for (;;) {
    index = due_.take_first();
    if (index == index_set::none) {
      if ((all_wait_ && next_waits_for_clock())
          || (waits_for_parts_only() && held_.empty())
          || !advance_to_next_tag())
        break;
      quick = in_order_ && last_ == nullptr;
      continue;
    }
    auto& x = seats_[index];
    if (left == 0 || !quick || !x.quick || !(now_ < x.free_below))
      break;
    visit(index);
    auto& node = *x.member;
    if (!execute_only<false>(node))
      break;
    --left;
    if (node.execution_.failed()) {
      fail(index, now_);
      quick = false;
      continue;
    }
    if (auto& events = node.parts_.events; !events.empty())
      expect(index, events.next_tag());
  }
  budget = left;
  return index;
}

bool group::next_waits_for_clock() {
  auto tag = first_tag();
  // Past a requested end, members do not wait [3.20].
  if (tag.ns <= elapsed_ || tag == forever || tag > first_stop_)
    return false;
  elapsed_ = seats_.front().member->parts_.host->elapsed();
  if (tag.ns <= elapsed_)
    return false;
  auto& first = calendar_.front();
  auto* message = carried(first);
  auto index = message ? message->to->parts_.seat : first.seat;
  visit(index);
  seats_[index].member->parts_.clock.wake_no_later_than(tag.ns);
  return true;
}

void group::fail(std::uint32_t index, logical_time tag) {
  last_ = nullptr;
  attend(index);
  scratch_->clear();
  find_safe();
  hold(index, tag);
}

void group::deliver_to_all(
  const output& out, const logical_time& tag, const value& content) {
  auto count = out.last - out.first;
  for (std::uint32_t i = 0; i < count; ++i)
    deliver_besides(out.routes[i], tag, content);
}

void group::deliver_besides(
  const direct_route& route, const logical_time& tag, const value& content) {
  due_.insert(route.seat);
  auto& parts = route.to->parts_;
  parts.events.push_inside(
    parts.config.in, route.connection, *route.port, tag, content);
}

void group::execute(std::uint32_t index, logical_time tag,
                    hand_over_timer& timer) {
  if (auto* loop = instant_loop_at(index)) {
    execute(*loop, index, tag);
    return;
  }
  auto& node = *seats_[index].member;
  if (!measures_) {
    node.execute(tag);
    return;
  }
  auto& env = *node.parts_.host;
  auto& load = loads_[index];
  auto messages = node.messages();
  auto before = load.precise ? env.elapsed() : 0;
  auto begin = env.time(load.precise);
  node.execute(tag);
  auto took = env.time(load.precise).since(begin);
  if (load.precise)
    timer.exclude(2 * std::min(begin.elapsed - before, longest_reading));
  auto for_messages
    = static_cast<std::int64_t>(node.messages() - messages) * message_cost;
  load.add(std::max(took - for_messages, std::int64_t{0}));
}

void group::find_free(std::uint32_t index) noexcept {
  if (entry_)
    share_bound(index);
  auto* loop = instant_loop_at(index);
  if (loop == nullptr) {
    seats_[index].free_below = free_below(seats_[index]);
    return;
  }
  auto limit = loop->is_complete() ? forever : never;
  for (auto& x : seats_of(*loop))
    limit = std::min(limit, x.outer ? never : free_below(x));
  each_with(index, [&](auto i) { seats_[i].free_below = limit; });
}

logical_time group::free_below(const seat& x) const noexcept {
  if (!all_run_ || (entry_ && entry_->aborted != forever))
    return never;
  auto& parts = x.member->parts_;
  auto result = parts.bounds.stat(x.inner ? safe_ : parts.bounds.lbts());
  return x.member->realtime()
           ? std::min(result, logical_time{parts.clock.elapsed(), 0})
           : result;
}

bool group::may_execute(std::uint32_t index, logical_time tag) {
  if (auto* loop = instant_loop_at(index))
    return may_execute(*loop, tag);
  auto& x = seats_[index];
  auto& node = *x.member;
  auto& parts = node.parts_;
  auto& bounds = parts.bounds;
  if (!node.execution_.started() || tag > bounds.barrier().last()
      || (entry_ && tag >= entry_->aborted))
    return false;
  // Nothing can arrive for this tag, because all members were visited in order.
  auto in_order = held_.empty() && tag < safe_ && x.inner;
  if (entry_ && !in_order)
    share_bound(index);
  if (!in_order && tag >= node.stat()) {
    if (bounds.inner() != forever && tag < inner_limit(index))
      bounds.raise_inner(saturating_add(tag, step));
    if (tag >= node.stat()
        && (!bounds.refresh(node.config()) || tag >= node.stat()))
      return false;
  }
  if (waits_for_clock(node, tag))
    return false;
  if (parts.flow.holds_back(parts.config, tag)
      || (!(held_.empty() && all_run_)
          && flow_control::holds_back_inside(parts.config, tag)))
    return false;
  if (x.newcomer)
    x.newcomer_due = newcomers_due_ = true;
  return !x.newcomer;
}

bool group::waits_for_clock(node& x, logical_time tag) {
  auto& parts = x.parts_;
  if (!x.realtime() || tag.ns <= parts.clock.elapsed()
      || tag > parts.bounds.barrier().requested()
      || tag.ns <= parts.clock.read(*parts.host))
    return false;
  parts.clock.wake_no_later_than(tag.ns);
  return true;
}

// -- loops without delay ------------------------------------------------------

bool group::may_execute(const instant_loop& x, logical_time tag) {
  auto seats = seats_of(x);
  auto is_ready = [tag](auto& y) {
    return executes(y) && !y.left && tag < y.held
           && tag <= y.member->parts_.bounds.barrier().last();
  };
  if (!x.is_complete() || !std::ranges::all_of(seats, is_ready))
    return false;
  // The limits do not include the loop's own events, because none is held.
  auto in_order = held_.empty() && tag < safe_;
  if (!in_order && tag >= inner_limit(x.first_seat()))
    return false;
  return std::ranges::none_of(seats, [&](auto& y) {
    auto& parts = y.member->parts_;
    return (!in_order && may_stamp(y, tag)) || waits_for_clock(*y.member, tag)
           || parts.flow.holds_back(parts.config, tag)
           || (!(held_.empty() && all_run_)
               && flow_control::holds_back_inside(parts.config, tag));
  });
}

bool group::may_stamp(const seat& x, logical_time tag) {
  auto& parts = x.member->parts_;
  // After a tag that the member executes itself, stamps are later.
  if (x.member->least_stamp() > tag || x.member->next_tag() == tag)
    return false;
  parts.clock.read(*parts.host);
  if (x.member->least_stamp() > tag)
    return false;
  // In the same call, the member refuses values whose time is over.
  auto& barrier = parts.bounds.barrier();
  if (barrier.final() == forever
      || logical_time{parts.clock.elapsed(), 0} <= barrier.requested())
    parts.clock.wake_no_later_than(bounds::time_beyond(parts, tag));
  return true;
}

void group::wait_for_stamps(const seat& x, logical_time bound) {
  if (x.member->least_stamp() > bound)
    return;
  auto& parts = x.member->parts_;
  parts.clock.wake_no_later_than(bounds::time_beyond(parts, bound));
}

void group::execute(instant_loop& x, std::uint32_t index, logical_time tag) {
  if (x.execute(tag, index)) {
    for (auto i : x.executed())
      enter(x.first_seat() + i);
    return;
  }
  while (take_due(x.end_of_seats()) != index_set::none)
    ; // the loop is held from now on
  for (auto i = x.first_seat(); i < x.end_of_seats(); ++i)
    if (!seats_[i].member->execution_.failed())
      enter(i);
    else if (i != index) // the caller handles this one
      fail(i, tag);
}

bool group::is_ready_to_end(const instant_loop& x) {
  return x.is_complete() && std::ranges::all_of(seats_of(x), [](auto& y) {
           return executes(y) && !y.left && y.member->past_final()
                  && y.member->is_ready_to_end();
         });
}

void group::leave(instant_loop& x) {
  report_executed();
  // An observer may call `remove_left`. It must find nothing to do before all
  // members of the loop have executed the last tag.
  remove_left();
  std::vector<node*> members;
  for (auto& y : seats_of(x))
    members.push_back(y.member);
  for (auto* y : members)
    y->end_at_final_tag();
  x.execute_last();
  if (std::ranges::any_of(members, [](auto* y) { return y->failed(); })) {
    scratch_->clear();
    find_safe();
    return;
  }
  for (auto* y : members) {
    y->leave_at_once(ending::final_tag);
    y->parts_.scratch = nullptr;
  }
}

bool group::exchange_in_loops() {
  if (entry_)
    return exchange_with_parts() || may_continue_in_part();
  auto result = false;
  do {
    auto settled = false;
    for (auto i : attended_) {
      auto& x = seats_[i];
      if (!x.member->parts_.bounds.loop().exists() || !executes(x))
        continue;
      if (!std::exchange(settled, true))
        settle();
      if (x.member->flush_intra_loop()) {
        x.member->take_in();
        enter(i);
        result = true;
        settled = false;
      } else if (auto tag = x.member->next_tag();
                 tag < x.member->stat() && may_execute(i, tag)
                 && !flow_control::holds_back_inside(x.member->config(), tag)) {
        result = true;
      }
    }
    // A new bound in one loop may let a member in another loop promise more.
    entry_rises_ = false;
    if (settled && !result)
      settle();
  } while (entry_rises_);
  if (result)
    find_safe();
  return result;
}

bool group::go_idle() {
  // No outside node depends on this group; members compute bounds on demand.
  if (!outer_)
    return true;
  if (waits_for_parts_only())
    return wait_for_parts();
  deliver_carried();
  inherited_.clear(); // an earlier call may have ended before its requests
  if (!inner_connections_.empty() && (connected_ || holds_ || awaits_stop_)) {
    settle();
    // Elapsed time may allow more now.
    if (std::exchange(goes_on_, false))
      return false;
    find_inherited_requests();
  }
  if (entry_ && !wait_for_parts())
    return false;
  auto result = true;
  for (auto i : attended_) {
    auto& x = seats_[i];
    if (!x.outer || !executes(x))
      continue;
    auto& parts = x.member->parts_;
    bound_requests::collect(parts, x.member->next_tag());
    add_inherited_requests(i);
    if (!x.member->requests_.wait_in_loop(parts)) {
      result = false;
      break;
    }
    auto limits = x.member->basis();
    parts.outbox.send(parts, parts.flow, limits);
    bound_requests::wait_for_clock(parts, limits);
    x.member->requests_.send(parts);
  }
  return result;
}

void group::flush() {
  if (!outer_)
    return;
  if (entry_)
    exchange_with_parts();
  if (only_loop_)
    return;
  // If the members executed all tags up to the same one, nothing arrives below
  // it. Exact bounds would need a visit of all connections.
  auto in_order = in_order_up_to_ != never && in_order_up_to_ < safe_;
  if (!in_order && promises_)
    settle();
  for (auto i : attended_) {
    auto& x = seats_[i];
    if (!x.outer || !executes(x))
      continue;
    if (in_order && x.inner)
      x.member->parts_.bounds.raise_inner(in_order_up_to_);
    auto& parts = x.member->parts_;
    if (!entry_)
      x.member->flush_intra_loop();
    parts.outbox.send(parts, parts.flow, x.member->basis());
  }
}

// -- leaving ------------------------------------------------------------------

bool group::leave_some(std::size_t& budget) {
  for (auto* x : unexamined_)
    if (x->parts_.group == this)
      visit(x->parts_.seat);
  unexamined_.clear();
  // A member may have to stop: what it has queued counts.
  if (examines_all_ || first_stop_ != forever)
    deliver_carried();
  auto result = false;
  auto settled = inner_connections_.empty();
  awaits_stop_ = false;
  end_loops();
  auto examine = [&](std::uint32_t i) {
    auto& x = seats_[i];
    auto& node = *x.member;
    if (x.left || !executes(x))
      return;
    if (!settled && node.waits_to_be_past()) {
      settled = awaits_stop_ = true;
      settle();
    }
    if (node.save_if_due()) {
      // As in `node::advance`, the call ends.
      budget = 0;
      enter(i);
      result = true;
    } else if (node.close_physical()) {
      enter(i);
      find_safe();
      result = true;
    } else if (auto* loop = instant_loop_at(i);
               loop != nullptr && !node.leaves_when_done()
               && node.past_final()) {
      if (i + 1 == loop->end_of_seats() && is_ready_to_end(*loop)) {
        leave(*loop);
        result = true;
      }
    } else if (node.past_final() && node.is_ready_to_end()) {
      leave(node, ending::final_tag);
      result = true;
    } else if (node.done()) {
      if (node.leaves_when_done()) {
        leave(node, ending::done);
        result = true;
      } else if (node.report_done()) {
        result = true;
      }
    }
  };
  if (std::exchange(examines_all_, false) || first_tag() > first_stop_) {
    first_stop_ = forever;
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
      if (seats_[i].left)
        continue;
      visit(i);
      if (entry_)
        share_bound(i);
      auto& barrier = seats_[i].member->parts_.bounds.barrier();
      first_stop_
        = std::min({first_stop_, barrier.last(), barrier.requested()});
      examine(i);
    }
    all_wait_ = all_realtime_ && !examines_all_;
  } else {
    // More may be visited on the way.
    for (std::size_t i = 0; i < visited_.size(); ++i)
      if (visited_[i]->parts_.group == this)
        examine(visited_[i]->parts_.seat);
  }
  remove_left();
  return result && !seats_.empty();
}

void group::end_loops() {
  for (auto* x : visited_)
    if (x->parts_.group == this && x->parts_.bounds.loop().suspended()) {
      auto& loop = loop_at(x->parts_.seat);
      loop.visited = true;
      loop.has_events = loop.has_events || x->next_tag() != forever;
    }
  for (auto& x : loops_) {
    auto visited = std::exchange(x.visited, false) || examines_all_;
    auto has_events = std::exchange(x.has_events, false);
    if (!visited || has_events || !loop_is_over(x))
      continue;
    for (auto i = x.first; i < x.end; ++i) {
      auto& bounds = seats_[i].member->parts_.bounds;
      if (seats_[i].left || !executes(seats_[i]) || !bounds.loop().suspended())
        continue;
      bounds.loop().set_ended(true);
      // Even if a member stopped, and would promise less.
      bounds.raise_inner(forever);
      visit(i);
    }
  }
}

group::whole_loop& group::loop_at(std::uint32_t index) {
  return *std::prev(
    std::ranges::upper_bound(loops_, index, {}, &whole_loop::first));
}

void group::leave(node& x, ending outcome) {
  report_executed();
  x.leave(outcome);
  if (x.execution_.failed()) {
    attend(x.parts_.seat);
    scratch_->clear();
    find_safe();
    return;
  }
  x.parts_.scratch = nullptr;
}

void group::note_done(node& x) {
  for (auto& out : x.parts_.config.out)
    if (out.fused != nullptr) {
      auto& to = out.fused->parts_;
      to.bounds.upstreams().take_done(
        out.target_index, to.config.in[out.target_index]);
      to.group->revisit(to.seat);
    }
}

void group::part_with(node& x, bool aborted) {
  auto& parts = x.parts_;
  // An aborted node's silence is no promise, so its last entry stays in the
  // loop time table.
  if (aborted && parts.bounds.loop().suspended()) {
    std::vector<node*> resumed;
    for (auto& y : seats_)
      if (!y.left
          && y.member->config().loop_time_table == parts.config.loop_time_table)
        resumed.push_back(y.member);
    for (auto* y : resumed)
      split_connections(*y, resumed);
    resume_loops(resumed);
  }
  for (auto& in : parts.config.in)
    if (in.fused != nullptr) {
      in.fused->parts_.config.out[in.source_index].fused = nullptr;
      in.fused = nullptr;
    }
  for (auto& out : parts.config.out)
    if (out.fused != nullptr) {
      auto& to = out.fused->parts_;
      to.events.forget_senders();
      auto& in = to.config.in[out.target_index];
      in.fused = nullptr;
      if (!aborted)
        to.bounds.upstreams().take_no_more(out.target_index, in);
      else
        to.bounds.upstreams().split(out.target_index, in, logical_time{});
      if (std::none_of(to.config.in.begin(), to.config.in.end(), [](auto& y) {
            return y.fused != nullptr;
          }))
        to.bounds.set_inner(forever);
      to.bounds.raise();
      revisit(to.seat);
    }
  for (auto* port : parts.config.outputs)
    port->routes = nullptr;
  seats_[parts.seat].left = some_left_ = departed_ = true;
  parts.group = nullptr;
  if (!entry_)
    return;
  leave_part(x, aborted);
}

bool group::loop_is_over(const whole_loop& loop) const {
  auto seats = std::span{seats_}.subspan(loop.first, loop.end - loop.first);
  return std::ranges::none_of(seats, [](auto& x) {
    auto& parts = x.member->parts_;
    if (x.left)
      return false;
    // A failed node's silence is no promise.
    return !runs(x) || x.member->next_tag() != forever
           || parts.bounds.upstreams().bound() != forever
           || parts.bounds.upstreams().takes_physical()
           || std::any_of(
             parts.config.in.begin(), parts.config.in.end(), [](auto& in) {
               return in.fused != nullptr && !in.intra_loop && !in.done;
             });
  });
}

// -- bounds -------------------------------------------------------------------

void group::settle_for_observer() {
  remove_left();
  // The code of a member may call this while the group has a scratch.
  std::optional<scratch::lease> lease;
  if (scratch_ == nullptr) {
    lease.emplace(scratch_);
    take_mail_for_observer();
  }
  if (std::exchange(is_settled_, true))
    return;
  share_bounds();
  settle();
}

void group::take_mail_for_observer() {
  if (!entry_ || seats_.empty())
    return;
  {
    // The messages count as in transit until the next exchange.
    std::lock_guard guard{*entry_->table};
    entry_->table->take_mail(entry_->member, entry_->mail);
  }
  if (!take_mail())
    return;
  is_settled_ = false;
  end_call();
}

void group::settle() {
  deliver_carried();
  if (inner_connections_.empty())
    return;
  for (auto& x : seats_)
    x.held = x.member->next_tag();
  find_limits();
  auto limit_of_loop = forever;
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto& x = seats_[i];
    x.held = forever;
    auto* loop = instant_loop_at(i);
    if (loop != nullptr && i == loop->first_seat())
      limit_of_loop = settle(*loop);
    auto& bounds = x.member->parts_.bounds;
    if (bounds.inner() == forever)
      continue;
    auto next = x.member->next_tag();
    auto waited = next >= bounds.stat();
    auto before = bounds.inner();
    auto limit = loop ? limit_of_loop : scratch_->limits[i].inner;
    if (bounds.raise_inner(limit) && waited && next < bounds.stat())
      goes_on_ = true;
    if (bounds.loop().exists() && bounds.inner() > before)
      entry_rises_ = true;
  }
  limits_known_ = false;
}

logical_time group::settle(instant_loop& x) {
  auto next = forever;
  for (auto& y : seats_of(x))
    next = std::min(next, y.member->next_tag());
  auto& limits = scratch_->limits[x.first_seat()];
  if (x.raise_bound(limits.inner, next))
    goes_on_ = true;
  return std::min({next, limits.inner, limits.arrival});
}

logical_time group::inner_limit(std::uint32_t index) {
  if (!limits_known_) {
    find_limits();
    limits_known_ = true;
  }
  return scratch_->limits[index].inner;
}

void group::find_limits() {
  share_bounds();
  auto& limits = scratch_->limits;
  limits.clear();
  for (auto& x : seats_)
    limits.push_back({.arrival = outside(x)});
  if (has_instant_loops_)
    share_limits();
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    lower_downstream(i, i);
  lower_further();
}

void group::hold(std::uint32_t index, logical_time tag) {
  deliver_carried();
  in_order_ = false;
  // Drops a later entry of the calendar. The entries of the rest of its loop
  // stay: each pass would add them again.
  seats_[index].queued = forever;
  holds_ = true;
  if (seats_[index].held <= tag) // with the rest of its loop
    return;
  held_.push_back({tag, index});
  each_with(index, [&](auto i) { seats_[i].held = tag; });
  if (!limits_known_)
    return;
  each_with(index, [this](auto i) { lower_downstream(i, all_visited); });
  lower_further();
}

void group::share_limits() {
  auto& limits = scratch_->limits;
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto* loop = instant_loop_at(i);
    if (loop == nullptr)
      continue;
    auto arrival = forever;
    auto stamp = forever;
    auto held = forever;
    for (auto& x : seats_of(*loop)) {
      held = std::min(held, x.held);
      arrival = std::min(arrival, outside(x));
      if (executes(x))
        stamp = std::min(stamp, x.member->least_stamp());
    }
    for (; i < loop->end_of_seats(); ++i) {
      seats_[i].held = held;
      limits[i] = {.arrival = std::min(arrival, stamp), .inner = arrival};
    }
    --i;
  }
}

void group::lower(
  const instant_loop& x, std::uint32_t target, std::uint32_t via,
  logical_time promise, std::uint32_t visited) {
  // The limits of all members are the same.
  if (promise >= scratch_->limits[target].inner)
    return;
  for (auto i = x.first_seat(); i < x.end_of_seats(); ++i) {
    auto& to = scratch_->limits[i];
    to.inner = promise;
    if (promise >= to.arrival)
      continue;
    to.arrival = promise;
    // One path to the source of the limit is enough: the rest may be cycles.
    to.via = i == target ? via : member_limits::own;
    if (i <= visited)
      scratch_->lowered.push(promise, i);
  }
}

void group::lower_downstream(std::uint32_t index, std::uint32_t visited) {
  auto& from = seats_[index];
  if (from.left || inner_connections(index).empty())
    return;
  auto& parts = from.member->parts_;
  auto basis = basis_of(index);
  auto* loop = instant_loop_at(index);
  for (auto& [out, target] : inner_connections(index)) {
    auto* loop_of_target = instant_loop_at(target);
    if (loop_of_target != nullptr && loop_of_target == loop)
      continue;
    auto& to = scratch_->limits[target];
    // The unsent messages of a stopped member are lost.
    auto promise = runs(from) ? outbox::promise_over(parts.config, *out, basis)
                              : saturating_add(outside(from), out->distance);
    if (loop_of_target != nullptr) {
      lower(*loop_of_target, target, out->target_index, promise, visited);
      continue;
    }
    if (promise >= to.inner)
      continue;
    to.inner = promise;
    if (promise >= to.arrival)
      continue;
    to.arrival = promise;
    to.via = out->target_index;
    if (target <= visited)
      scratch_->lowered.push(promise, target);
  }
}

void group::lower_further() {
  auto& lowered = scratch_->lowered;
  while (!lowered.empty()) {
    auto [tag, index] = lowered.front();
    lowered.pop();
    if (tag == scratch_->limits[index].arrival)
      lower_downstream(index, all_visited);
  }
}

promise_basis group::basis_of(std::uint32_t index) const {
  auto& x = seats_[index];
  auto& parts = x.member->parts_;
  auto started = x.member->execution_.started();
  auto next = runs(x) && started ? x.held : std::min(x.held, outside(x));
  // A stop to save does not limit promises: nothing happens there, and around a
  // loop, all members would creep from one checkpoint to the next.
  auto last = parts.bounds.barrier().last_before_end();
  auto stat = scratch_->limits[index].arrival;
  if (last != forever)
    stat = std::min(stat, saturating_add(last, step));
  return parts.bounds.basis(
    parts, parts.clock, started, stat, next, x.member->logical());
}

// -- requests -----------------------------------------------------------------

void group::find_inherited_requests() {
  if (std::none_of(seats_.begin(), seats_.end(), [](auto& x) {
        return x.member->requests_.concerns(x.member->parts_);
      }))
    return;
  inherited_.assign(seats_.size(), forever);
  if (has_instant_loops_)
    for (std::uint32_t i = 0; i < seats_.size(); ++i)
      if (auto* loop = instant_loop_at(i))
        loop->forget_requests();
  std::vector<std::uint32_t> lowered; // members whose bound fell
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    auto& x = seats_[i];
    if (x.member->parts_.bounds.inner() == forever || !executes(x))
      continue;
    visit(i);
    auto& parts = x.member->parts_;
    bound_requests::collect(parts, x.member->next_tag());
    if (parts.bounds.loop().exists())
      bound_requests::add_requests_of_loop(parts);
    if (!parts.scratch->requested_bounds.empty())
      request_upstream(i, parts.scratch->requested_bounds.front(), lowered);
  }
  for (std::size_t i = 0; i < lowered.size(); ++i)
    request_upstream(lowered[i], inherited_[lowered[i]], lowered);
}

void group::request_upstream(std::uint32_t index, logical_time bound,
                             std::vector<std::uint32_t>& lowered) {
  auto& config = seats_[index].member->config();
  auto via = scratch_->limits[index].via;
  auto* loop = instant_loop_at(index);
  if (loop != nullptr && loop->request(bound))
    each_with(index, [&](auto i) {
      auto& x = seats_[i];
      if (!executes(x))
        return;
      wait_for_stamps(x, bound);
      if (bound >= inherited_[i])
        return;
      inherited_[i] = bound;
      if (i != index)
        lowered.push_back(i);
    });
  for (std::uint32_t i = 0; i < config.in.size(); ++i) {
    auto& in = config.in[i];
    // Around a loop, one path is enough: an answer causes a call of the group.
    if (in.fused == nullptr || (in.intra_loop && i != via)
        || config.shares_instant_loop(in)
        || in.fused->promise_over(in.source_index) > bound)
      continue;
    auto& from = seats_[in.fused->parts_.seat];
    auto& parts = from.member->parts_;
    auto before = inverse(bound, parts.config.out[in.source_index].distance);
    if (before >= inherited_[parts.seat] || before == never || !executes(from))
      continue;
    visit(parts.seat);
    auto basis = from.member->basis();
    if (basis.physical && basis.bound < basis.events) {
      if (basis.bound <= before)
        parts.clock.wake_no_later_than(bounds::time_beyond(parts, before));
      continue;
    }
    // The member needs the bound for itself, or stops there.
    if (basis.events < scratch_->limits[parts.seat].arrival)
      continue;
    inherited_[parts.seat] = before;
    lowered.push_back(parts.seat);
  }
}

void group::add_inherited_requests(std::uint32_t index) {
  if (inherited_.empty())
    return;
  auto bound = inherited_[index];
  auto& needed = scratch_->requested_bounds;
  if (bound != forever && seats_[index].member->parts_.bounds.lbts() <= bound)
    needed.insert(std::upper_bound(needed.begin(), needed.end(), bound), bound);
}

void group::find_outer() {
  outer_ = connected_ = promises_ = follows_clock_ = false;
  all_realtime_ = examines_all_ = true;
  all_wait_ = false;
  may_carry_ = true;
  loops_.clear();
  inner_connections_.clear();
  inner_begin_.clear();
  for (auto& x : seats_) {
    auto& config = x.member->parts_.config;
    auto before = inner_connections_.size();
    inner_begin_.push_back(static_cast<std::uint32_t>(before));
    for (auto& out : config.out)
      if (out.fused != nullptr)
        inner_connections_.push_back({&out, out.fused->parts_.seat});
    auto in = std::count_if(config.in.begin(), config.in.end(), [](auto& y) {
      return y.fused != nullptr;
    });
    x.inner = in > 0;
    x.outer = static_cast<std::size_t>(in) < config.in.size() || config.external
              || inner_connections_.size() - before < config.out.size();
    outer_ = outer_ || x.outer;
    connected_
      = connected_ || std::ranges::any_of(config.in, comes_from_outside)
        || std::ranges::any_of(config.out, leads_outside);
    promises_ = promises_ || std::ranges::any_of(config.out, [this](auto& y) {
                  return leads_outside(y) && !(entry_ && y.intra_loop);
                });
    all_realtime_ = all_realtime_ && x.member->realtime();
    follows_clock_
      = follows_clock_ || x.member->realtime()
        || x.member->parts_.bounds.upstreams().clocked();
    x.only_loop = entry_ && connects_only_loop(*x.member);
    if (x.member->parts_.bounds.loop().suspended())
      add_to_loop(x);
    // The loop time table needs the next tags of members.
    if (!entry_ && x.member->parts_.bounds.loop().exists())
      may_carry_ = false;
  }
  inner_begin_.push_back(static_cast<std::uint32_t>(inner_connections_.size()));
  if (entry_)
    find_entrances();
  find_routes();
  find_quick();
  forget_limits();
  find_attended();
  find_safe();
}

void group::add_to_loop(const seat& x) {
  // The members of a loop have adjacent seats.
  auto index = x.member->parts_.seat;
  auto* table = x.member->config().loop_time_table;
  if (loops_.empty() || loops_.back().table != table)
    loops_.push_back({.table = table, .first = index});
  loops_.back().end = index + 1;
}

bool group::connects_only_loop(const node& x) {
  auto& config = x.config();
  auto is_in_loop = [](auto& connection) {
    return connection.fused != nullptr || connection.intra_loop;
  };
  auto comes_from_loop = [&](auto& in) { return in.no_more || is_in_loop(in); };
  return !config.external && !x.realtime()
         && !x.parts_.bounds.upstreams().clocked()
         && std::ranges::all_of(config.in, comes_from_loop)
         && std::ranges::all_of(config.out, is_in_loop);
}

void group::find_routes() {
  auto leads_inside = [](const out_connection& out) {
    return out.fused != nullptr && out.distance.is_zero();
  };
  routes_.clear();
  std::vector<output*> routed;
  for (auto& x : seats_) {
    auto& parts = x.member->parts_;
    auto& all = parts.config.out;
    for (auto* port : parts.config.outputs) {
      port->routes = nullptr;
      auto out = std::span{all}.subspan(port->first, port->last - port->first);
      if (parts.trace != nullptr || parts.config.log != nullptr || out.empty()
          || !std::all_of(out.begin(), out.end(), leads_inside))
        continue;
      routed.push_back(port);
      for (auto& connection : out)
        routes_.push_back(
          {connection.fused, connection.port, connection.target_index,
           connection.fused->parts_.seat});
    }
  }
  auto* next = routes_.data();
  for (auto* port : routed) {
    port->routes = next;
    next += port->last - port->first;
  }
}

void group::find_quick() noexcept {
  for (auto& x : seats_)
    x.quick = x.plain && !x.outer && !measures_ && !x.newcomer
              && x.member->config().log == nullptr;
}

} // namespace caf::rosia::engine
