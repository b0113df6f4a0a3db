// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "actor_probe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/attachable.hpp>
#include <caf/detail/tuple_vals.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>
#include <caf/upstream_msg.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// What is being put into a mailbox by this thread: a library that logs may
/// look at it then.
thread_local const caf::mailbox_element* being_sent = nullptr;

/// Reaches members that CAF keeps to actors themselves.
class actor_access : public caf::scheduled_actor {
public:
  static std::size_t unanswered(caf::scheduled_actor& x) {
    return (x.*(&actor_access::multiplexed_responses_)).size();
  }

  static auto& awaited(caf::scheduled_actor& x) {
    return x.*(&actor_access::awaited_responses_);
  }
};

/// What all actors understand, and keep quiet about if nobody is to be
/// answered.
const caf::message& question_without_answer() {
  static const auto result
    = caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"});
  // What is shared is never moved from.
  static const auto shared = result;
  return shared;
}

caf::exit_msg make_exit(const caf::abstract_actor& receiver, bool forcibly) {
  return {receiver.address(),
          forcibly ? caf::exit_reason::kill : caf::exit_reason::user_shutdown};
}

caf::message_id priority_of(bool forcibly) {
  return caf::make_message_id(
    forcibly ? caf::message_priority::high : caf::message_priority::normal);
}

/// A message whose receiver learns what it is when it looks at it.
class probe : public caf::mailbox_element {
public:
  explicit probe(caf::message_id number)
    : caf::mailbox_element(nullptr, number, {}) {
    // nop
  }

  caf::type_erased_tuple& content() override {
    if (being_sent != this)
      on_look();
    return const_cast<caf::type_erased_tuple&>(now());
  }

  const caf::type_erased_tuple& content() const override {
    return now();
  }

  caf::message move_content_to_message() override {
    return caf::message::copy(now());
  }

  caf::message copy_content_to_message() const override {
    return caf::message::copy(now());
  }

protected:
  /// Called in the receiver's thread, maybe more than once.
  virtual void on_look() = 0;

  /// What it is at present. CAF only reads it.
  virtual const caf::type_erased_tuple& now() const = 0;
};

/// CAF's own messages are no letters, nor are ours.
bool is_letter(const caf::mailbox_element& x) {
  if (dynamic_cast<const probe*>(&x) != nullptr)
    return false;
  auto type = x.content().type_token();
  return type != caf::make_type_token<caf::exit_msg>()
         && type != caf::make_type_token<caf::down_msg>()
         && type != caf::make_type_token<caf::timeout_msg>();
}

/// Memory of objects that are made together, and that others delete. It goes
/// with the last of them.
class slab {
public:
  explicit slab(std::size_t bytes, std::size_t shares)
    : memory_(new std::byte[bytes]), shares_(shares) {
    // nop
  }

  std::byte* memory() {
    return memory_.get();
  }

  /// One of its objects is gone.
  void release() noexcept {
    if (--shares_ == 0)
      delete this;
  }

private:
  std::unique_ptr<std::byte[]> memory_;
  std::atomic<std::size_t> shares_;
};

/// The first base of an object in a slab, because it is destroyed last.
class lives_in_slab {
public:
  explicit lives_in_slab(slab& home) noexcept : home_(home) {
    // nop
  }

  ~lives_in_slab() {
    home_.release();
  }

  lives_in_slab(const lives_in_slab&) = delete;
  lives_in_slab& operator=(const lives_in_slab&) = delete;

private:
  slab& home_;
};

/// Becomes an exit, or nothing. There is one for each actor, so it is small.
class end_probe : private lives_in_slab, public probe {
public:
  static void operator delete(void*) noexcept {
    // The slab has gone with it, or goes later.
  }

  /// @param to has it in its mailbox, and so outlives it.
  end_probe(slab& home, observed_actor& to, bool forcibly)
    : lives_in_slab(home), probe(priority_of(forcibly)), to_(to),
      forcibly_(forcibly) {
    // nop
  }

  ~end_probe() override {
    if (exit_ && exit_->observer)
      exit_->observer->handled_exit(to_);
  }

protected:
  void on_look() override {
    auto& self = *to_.self;
    // Who awaits an answer skips it, even if it is logged.
    if (!actor_access::awaited(self).empty() || std::exchange(seen_, true))
      return;
    self.mailbox().fetch_more();
    caf::strong_actor_ptr linked;
    if (!forcibly_
        && !to_.observer->may_end(
          to_,
          {actor_access::unanswered(self),
           self.get_urgent_queue().total_task_size() > 0},
          linked))
      return;
    if (linked)
      self.unlink_from(linked->get()->address());
    exit_ = std::make_unique<exit>(make_exit(self, forcibly_));
    tell_unread();
  }

  const caf::type_erased_tuple& now() const override {
    if (exit_)
      return exit_->content;
    return question_without_answer().content();
  }

private:
  void tell_unread() {
    auto& mailbox = to_.self->mailbox();
    // What was skipped comes back after this message anyway.
    mailbox.flush_cache();
    std::size_t unread = 0;
    std::vector<letter> letters;
    auto wanted = to_.observer->wants_letters();
    auto add = [&](const caf::mailbox_element& x) {
      if (!is_letter(x))
        return;
      ++unread;
      if (wanted)
        letters.push_back({x.sender, x.copy_content_to_message()});
    };
    to_.self->get_urgent_queue().peek_all(add);
    to_.self->get_normal_queue().peek_all(add);
    if (unread == 0)
      return;
    exit_->observer = to_.observer->share();
    exit_->observer->meets_exit(to_, unread, std::move(letters));
  }

  struct exit {
    explicit exit(caf::exit_msg x) : content(std::move(x)) {
      // nop
    }

    caf::detail::tuple_vals_impl<caf::type_erased_tuple, caf::exit_msg> content;

    /// Hears that it was handled, beyond the actor's end.
    std::shared_ptr<actor_observer> observer;
  };

  observed_actor& to_;
  std::unique_ptr<exit> exit_;
  bool forcibly_;
  bool seen_ = false;
};

/// Reaches its receiver even in `await`, and lets it forget what it waits for.
/// CAF does nothing about it, because it belongs to no stream.
class await_breaker : public probe {
public:
  /// @param receiver has it in its mailbox, and so outlives it.
  explicit await_breaker(caf::scheduled_actor& receiver)
    : probe(caf::make_message_id().with_category(
      caf::message_id::upstream_message_category)),
      receiver_(receiver),
      content_(caf::make_message(caf::upstream_msg{
        {caf::invalid_stream_slot, caf::invalid_stream_slot},
        caf::actor_addr{},
        caf::upstream_msg::drop{}})) {
    // nop
  }

protected:
  void on_look() override {
    actor_access::awaited(receiver_).clear();
    // CAF would leave what is urgent, and was skipped, until something else
    // that is urgent comes.
    receiver_.mailbox().flush_cache();
  }

  const caf::type_erased_tuple& now() const override {
    return content_.content();
  }

private:
  caf::scheduled_actor& receiver_;
  caf::message content_;
};

void put(caf::scheduled_actor& to, caf::mailbox_element* what) {
  being_sent = what;
  to.enqueue(caf::mailbox_element_ptr{what}, nullptr);
  being_sent = nullptr;
}

void send(const exit_target* first, std::size_t n, bool forcibly) {
  auto* home = new slab{n * sizeof(end_probe), n};
  auto* next = home->memory();
  for (auto* to = first; to != first + n; ++to, next += sizeof(end_probe))
    put(*to->who->self, ::new (next) end_probe(*home, *to->who, forcibly));
}

void send_exit(caf::abstract_actor& to, bool forcibly) {
  to.enqueue(nullptr, priority_of(forcibly),
             caf::make_message(make_exit(to, forcibly)), nullptr);
}

/// Comes last of all that was attached to an actor when it ended. CAF calls
/// them in the reverse order.
class end_listener : public caf::attachable {
public:
  end_listener(std::shared_ptr<actor_observer> observer, observed_actor& who,
               bool is_last)
    : observer_(std::move(observer)), who_(who), is_last_(is_last) {
    // nop
  }

  void actor_exited(const caf::error&, caf::execution_unit*) override {
    if (is_last_ || next == nullptr) {
      observer_->ended(who_);
      return;
    }
    // The list is nobody else's any more.
    auto* last = next.get();
    while (last->next != nullptr)
      last = last->next.get();
    last->next.reset(new end_listener(std::move(observer_), who_, true));
  }

private:
  std::shared_ptr<actor_observer> observer_;
  observed_actor& who_;
  bool is_last_;
};

/// Calls `fun` while this thread is who runs an actor; not if somebody else
/// does, or if it is one that workers do not run. It is scheduled afterwards.
template <class Fun>
void run_as(caf::scheduled_actor& x, Fun fun) {
  if (x.getf(caf::abstract_actor::is_detached_flag)
      || x.subtype() != caf::resumable::scheduled_actor
      || !x.mailbox().blocked() || !x.mailbox().try_unblock())
    return;
  fun(x);
  caf::intrusive_ptr_add_ref(x.ctrl());
  x.home_system().scheduler().enqueue(&x);
}

} // namespace

actor_observer::~actor_observer() {
  // nop
}

caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor) {
  return dynamic_cast<caf::scheduled_actor*>(actor->get());
}

void ask_to_end(const std::vector<exit_target>& targets) {
  auto is_remote = [](auto& x) { return x.who->self == nullptr; };
  for (auto i = targets.begin(); i != targets.end();) {
    if (is_remote(*i)) {
      send_exit(*i->actor->get(), false);
      ++i;
      continue;
    }
    auto last = std::find_if(i, targets.end(), is_remote);
    send(&*i, static_cast<std::size_t>(last - i), false);
    i = last;
  }
}

void force_to_end(const exit_target& to) {
  auto* self = to.who->self;
  if (self == nullptr)
    return send_exit(*to.actor->get(), true);
  send(&to, 1, true);
  put(*self, new await_breaker(*self));
}

void watch_end(const caf::strong_actor_ptr& actor,
               std::shared_ptr<actor_observer> observer, observed_actor& who) {
  actor->get()->attach(
    caf::attachable_ptr{new end_listener(std::move(observer), who, false)});
}

std::optional<idle_actor> look_at(const exit_target& x) {
  std::optional<idle_actor> result;
  if (x.who->self != nullptr)
    run_as(*x.who->self, [&](auto& self) {
      result.emplace(idle_actor{!actor_access::awaited(self).empty(),
                                actor_access::unanswered(self) > 0});
    });
  return result;
}

} // namespace caf::rosia::detail
