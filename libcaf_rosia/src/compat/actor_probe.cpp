// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/actor_probe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/tuple_vals.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>
#include <caf/upstream_msg.hpp>

#include <exception>
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

  static auto& on_exit_message(caf::scheduled_actor& x) {
    return x.*(&actor_access::exit_handler_);
  }

  static auto& on_exception(caf::scheduled_actor& x) {
    return x.*(&actor_access::exception_handler_);
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

/// CAF's own messages are no letters, nor are ours.
bool is_letter(const caf::mailbox_element& x) {
  if (dynamic_cast<const probe*>(&x) != nullptr)
    return false;
  auto type = x.content().type_token();
  return type != caf::make_type_token<caf::exit_msg>()
         && type != caf::make_type_token<caf::down_msg>()
         && type != caf::make_type_token<caf::timeout_msg>();
}

/// Whether something comes after the message that is being handled.
template <class Queue>
bool has_more(Queue& x) {
  return !x.empty() || !x.cache().empty();
}

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

void send_exit(caf::abstract_actor& to, bool forcibly) {
  to.enqueue(nullptr, priority_of(forcibly),
             caf::make_message(make_exit(to, forcibly)), nullptr);
}

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

// -- probe --------------------------------------------------------------------

probe::probe(caf::message_id number)
  : caf::mailbox_element(nullptr, number, {}) {
  // nop
}

caf::type_erased_tuple& probe::content() {
  if (being_sent != this)
    on_look();
  return const_cast<caf::type_erased_tuple&>(now());
}

caf::message probe::move_content_to_message() {
  return caf::message::copy(now());
}

caf::message probe::copy_content_to_message() const {
  return caf::message::copy(now());
}

// -- safe_exit ----------------------------------------------------------------

/// Lets an actor end that throws in its `on_exit`. CAF would call that once
/// more, and then the program's `std::terminate`.
class safe_exit {
public:
  using handler = caf::scheduled_actor::exit_handler;

  /// An actor is about to handle an exit. In its thread.
  static void prepare(observed_actor& who, caf::scheduled_actor& self,
                      bool forcibly) {
    // CAF does not ask an actor's own handler about an abort.
    if (forcibly)
      actor_access::on_exception(self) = [&who](auto* x, auto& thrown) {
        finish(who, *x, thrown, caf::exit_reason::kill);
        return caf::error{caf::exit_reason::kill};
      };
    else
      wrap(who, actor_access::on_exit_message(self));
  }

private:
  using plain_handler = void (*)(caf::scheduled_actor*, caf::exit_msg&);

  /// What nearly all actors have: it needs no memory.
  struct with_default_handler {
    observed_actor* who;

    void operator()(caf::scheduled_actor* self, caf::exit_msg& x) const {
      caf::scheduled_actor::default_exit_handler(self, x);
      end(*who, *self);
    }
  };

  struct with_own_handler {
    observed_actor* who;
    handler own;

    void operator()(caf::scheduled_actor* self, caf::exit_msg& x) const {
      own(self, x);
      end(*who, *self);
    }
  };

  static void wrap(observed_actor& who, handler& x) {
    if (x.target<with_default_handler>() != nullptr
        || x.target<with_own_handler>() != nullptr)
      return; // it has survived an exit
    auto* plain = x.target<plain_handler>();
    if (plain != nullptr
        && *plain == &caf::scheduled_actor::default_exit_handler)
      x = with_default_handler{&who};
    else
      x = with_own_handler{&who, std::move(x)};
  }

  /// Does what CAF does next, unless the actor survives its exit.
  static void end(observed_actor& who, caf::scheduled_actor& self) {
    try {
      self.finalize();
    } catch (...) {
      finish(
        who, self, std::current_exception(), caf::exit_reason::user_shutdown);
    }
  }

  /// Does what CAF does after `on_exit`.
  static void finish(
    observed_actor& who, caf::scheduled_actor& self,
    const std::exception_ptr& thrown, caf::exit_reason reason) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      who.failed(e.what());
    } catch (...) {
      who.failed("an exception that is not derived from std::exception");
    }
    self.cleanup(reason, self.context());
  }
};

// -- end_probe ----------------------------------------------------------------

struct end_probe::exit {
  explicit exit(caf::exit_msg x) : content(std::move(x)) {
    // nop
  }

  caf::detail::tuple_vals_impl<caf::type_erased_tuple, caf::exit_msg> content;
};

end_probe::end_probe(bool forcibly)
  : probe(priority_of(forcibly)), forcibly_(forcibly) {
  // nop
}

end_probe::~end_probe() {
  // nop
}

void end_probe::on_look() {
  auto& to = receiver();
  auto& self = *to.self();
  // Who awaits an answer skips it, even if it is logged.
  if (!actor_access::awaited(self).empty() || seen_)
    return;
  seen_ = true;
  self.mailbox().fetch_more();
  caf::strong_actor_ptr linked;
  if (!forcibly_
      && !to.may_end({actor_access::unanswered(self),
                      self.get_urgent_queue().total_task_size() > 0},
                     linked))
    return;
  if (linked)
    self.unlink_from(linked->get()->address());
  exit_ = std::make_unique<exit>(make_exit(self, forcibly_));
  safe_exit::prepare(to, self, forcibly_);
  if (has_more(self.get_urgent_queue()) || has_more(self.get_normal_queue()))
    tell_unread();
}

const caf::type_erased_tuple& end_probe::now() const {
  if (exit_)
    return exit_->content;
  return question_without_answer().content();
}

void end_probe::tell_unread() {
  auto& to = receiver();
  auto& self = *to.self();
  // What was skipped comes back after this message anyway.
  self.mailbox().flush_cache();
  std::size_t unread = 0;
  std::vector<letter> letters;
  auto wanted = to.wants_letters();
  auto add = [&](const caf::mailbox_element& x) {
    if (!is_letter(x))
      return;
    ++unread;
    if (wanted)
      letters.push_back({x.sender, x.copy_content_to_message()});
  };
  self.get_urgent_queue().peek_all(add);
  self.get_normal_queue().peek_all(add);
  if (unread == 0)
    return;
  has_met_ = true;
  to.meets_exit(unread, std::move(letters));
}

void end_probe::finish() noexcept {
  if (has_met_)
    receiver().handled_exit();
  exit_ = nullptr;
  has_met_ = false;
  seen_ = false;
}

// -- spare_probe --------------------------------------------------------------

/// For an actor that was asked already, and has not got so far.
class spare_probe : public end_probe {
public:
  spare_probe(observed_actor& to, bool forcibly)
    : end_probe(forcibly), to_(to) {
    // nop
  }

  void request_deletion(bool) const noexcept override {
    auto& to = to_;
    const_cast<spare_probe*>(this)->finish();
    delete this;
    to.drop(observed_actor::asked_otherwise);
  }

protected:
  observed_actor& receiver() noexcept override {
    return to_;
  }

private:
  observed_actor& to_;
};

// -- observed_actor -----------------------------------------------------------

observed_actor::observed_actor(caf::scheduled_actor* self)
  : end_probe(false), self_(self) {
  // nop
}

observed_actor::~observed_actor() {
  // nop
}

bool observed_actor::abandon() noexcept {
  return uses_.fetch_or(abandoned) == 0;
}

void observed_actor::actor_exited(
  const caf::error& why, caf::execution_unit* host) {
  // CAF would call these afterwards. The list is nobody else's any more, and
  // others in it of this kind come last, too.
  auto rest = std::move(attachable::next);
  for (auto* x = rest.get(); x != nullptr; x = x->next.get())
    if (dynamic_cast<observed_actor*>(x) == nullptr)
      x->actor_exited(why, host);
  ended();
  for (auto* x = rest.get(); x != nullptr; x = x->next.get())
    if (auto* other = dynamic_cast<observed_actor*>(x))
      other->ended();
}

void observed_actor::operator delete(
  observed_actor* x, std::destroying_delete_t) {
  // A long list must not need a deep stack, see ~attachable.
  auto& next = x->attachable::next;
  while (next != nullptr)
    next = std::exchange(next->next, nullptr);
  x->drop(attached);
}

void observed_actor::request_deletion(bool) const noexcept {
  auto* self = const_cast<observed_actor*>(this);
  self->finish();
  self->drop(asked);
}

caf::mailbox_element* observed_actor::make_probe(bool forcibly) {
  if (!forcibly && (uses_.fetch_or(asked) & asked) == 0)
    return this;
  auto* result = new spare_probe(*this, forcibly);
  uses_ += asked_otherwise;
  return result;
}

void observed_actor::drop(std::uint32_t what) noexcept {
  if (uses_.fetch_sub(what) == (abandoned | what))
    let_go();
}

caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor) {
  return dynamic_cast<caf::scheduled_actor*>(actor->get());
}

void prefetch_actor(const caf::scheduled_actor* x) {
  constexpr std::uintptr_t line = CAF_CACHE_LINE_SIZE;
  // Its control block is right before it.
  auto address = reinterpret_cast<std::uintptr_t>(x);
  auto last = address + sizeof(caf::event_based_actor);
  for (auto i = address - line; i < last; i += line)
    __builtin_prefetch(reinterpret_cast<const void*>(i));
}

void request_exit(std::vector<exit_target>& targets) {
  for (auto& x : targets) {
    if (auto* self = x.who->self())
      put(*self, x.who->make_probe(false));
    else
      send_exit(*x.actor->get(), false);
    x.actor = nullptr;
  }
}

void force_to_end(const exit_target& to) {
  auto* self = to.who->self();
  if (self == nullptr)
    return send_exit(*to.actor->get(), true);
  put(*self, to.who->make_probe(true));
  put(*self, new await_breaker(*self));
}

void watch_end(const caf::strong_actor_ptr& actor, observed_actor& who) {
  who.uses_ += observed_actor::attached;
  actor->get()->attach(caf::attachable_ptr{&who});
}

std::optional<idle_actor> look_at(const exit_target& x) {
  std::optional<idle_actor> result;
  if (x.who->self() != nullptr)
    run_as(*x.who->self(), [&](auto& self) {
      result.emplace(idle_actor{!actor_access::awaited(self).empty(),
                                actor_access::unanswered(self) > 0});
    });
  return result;
}

} // namespace caf::rosia::detail
