// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/observed_actor.hpp"

#include "base/exception_text.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/private_thread.hpp>
#include <caf/detail/tuple_vals.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>
#include <caf/upstream_msg.hpp>

#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The element that this thread is putting into a mailbox. If CAF logs, it
/// reads the element's content then.
thread_local const caf::mailbox_element* being_sent = nullptr;

/// Accesses members that CAF makes available to derived actors only.
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

  static auto& thread(caf::scheduled_actor& x) {
    return x.*(&actor_access::private_thread_);
  }
};

/// Ends the thread of a detached actor while handles of the actor still exist.
/// Otherwise the thread would end when the actor is destroyed. The destructor
/// of the actor system would wait forever if the registry or a static variable
/// keeps a handle.
/// @pre The actor exited, and is not destroyed during the call.
void release_thread(caf::scheduled_actor& x) {
  // Several observers of one actor may call this at the same time.
  static std::mutex mutex;
  std::lock_guard guard{mutex};
  // CAF uses the pointer only before the exit of the actor and, if it is not
  // null, in the destructor.
  if (auto* thread = std::exchange(actor_access::thread(x), nullptr))
    thread->notify_self_destroyed();
}

/// Returns a request that every actor handles without an effect, because it has
/// no sender to answer.
const caf::message& silent_request() {
  static const auto result
    = caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"});
  // A shared message is never moved from.
  static const auto shared = result;
  return shared;
}

caf::exit_msg make_exit(const caf::abstract_actor& receiver, bool aborts) {
  return {receiver.address(),
          aborts ? caf::exit_reason::kill : caf::exit_reason::user_shutdown};
}

caf::message_id priority_of(bool aborts) {
  return caf::make_message_id(
    aborts ? caf::message_priority::high : caf::message_priority::normal);
}

/// CAF's own messages and Rosia's are no letters.
bool is_letter(const caf::mailbox_element& x) {
  if (dynamic_cast<const deferred_element*>(&x) != nullptr)
    return false;
  auto type = x.content().type_token();
  return type != caf::make_type_token<caf::exit_msg>()
         && type != caf::make_type_token<caf::down_msg>()
         && type != caf::make_type_token<caf::timeout_msg>();
}

/// Returns whether another message follows the current one.
template <class Queue>
bool has_more(Queue& x) {
  return !x.empty() || !x.cache().empty();
}

/// Reaches its receiver even in `await`, and makes it forget what it waits for.
/// CAF ignores it, because it belongs to no stream.
class await_breaker : public deferred_element {
public:
  /// @param receiver has it in its mailbox, and so outlives it.
  explicit await_breaker(caf::scheduled_actor& receiver)
    : deferred_element(caf::make_message_id().with_category(
      caf::message_id::upstream_message_category)),
      receiver_(receiver),
      content_(caf::make_message(caf::upstream_msg{
        {caf::invalid_stream_slot, caf::invalid_stream_slot},
        caf::actor_addr{},
        caf::upstream_msg::drop{}})) {
    // nop
  }

protected:
  void on_read() override {
    actor_access::awaited(receiver_).clear();
    // CAF would keep skipped urgent messages until another urgent one arrives.
    receiver_.mailbox().flush_cache();
  }

  const caf::type_erased_tuple& current() const override {
    return content_.content();
  }

private:
  caf::scheduled_actor& receiver_;
  caf::message content_;
};

void put(caf::scheduled_actor& to, caf::mailbox_element* message) {
  being_sent = message;
  to.enqueue(caf::mailbox_element_ptr{message}, nullptr);
  being_sent = nullptr;
}

void send_exit(caf::abstract_actor& to, bool aborts) {
  to.enqueue(nullptr, priority_of(aborts),
             caf::make_message(make_exit(to, aborts)), nullptr);
}

/// Calls `fun` while this thread owns an actor's token, and schedules the
/// actor. Does nothing if another thread owns the token, or if workers do not
/// run the actor.
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

// -- deferred_element ---------------------------------------------------------

deferred_element::deferred_element(caf::message_id number)
  : caf::mailbox_element(nullptr, number, {}) {
  // nop
}

caf::type_erased_tuple& deferred_element::content() {
  if (being_sent != this)
    on_read();
  return const_cast<caf::type_erased_tuple&>(current());
}

caf::message deferred_element::move_content_to_message() {
  return caf::message::copy(current());
}

caf::message deferred_element::copy_content_to_message() const {
  return caf::message::copy(current());
}

// -- guarded_exit -------------------------------------------------------------

/// Ends an actor whose `on_exit` throws. CAF would call `on_exit` again, and
/// then `std::terminate`.
class guarded_exit {
public:
  using handler = caf::scheduled_actor::exit_handler;

  /// Called in the actor's thread before it handles an exit message.
  static void prepare(observed_actor& observer, caf::scheduled_actor& self,
                      bool aborts) {
    // On an abort, CAF does not call the actor's exit handler.
    if (aborts)
      actor_access::on_exception(self) = [&observer](auto* x, auto& thrown) {
        finish(observer, *x, thrown, caf::exit_reason::kill);
        return caf::error{caf::exit_reason::kill};
      };
    else
      wrap(observer, actor_access::on_exit_message(self));
  }

private:
  using plain_handler = void (*)(caf::scheduled_actor*, caf::exit_msg&);

  /// The usual handler, which needs no memory.
  struct with_default_handler {
    observed_actor* observer;

    void operator()(caf::scheduled_actor* self, caf::exit_msg& x) const {
      caf::scheduled_actor::default_exit_handler(self, x);
      end(*observer, *self);
    }
  };

  struct with_own_handler {
    observed_actor* observer;
    handler own;

    void operator()(caf::scheduled_actor* self, caf::exit_msg& x) const {
      own(self, x);
      end(*observer, *self);
    }
  };

  static void wrap(observed_actor& observer, handler& x) {
    if (x.target<with_default_handler>() != nullptr
        || x.target<with_own_handler>() != nullptr)
      return; // it survived an exit message
    auto* plain = x.target<plain_handler>();
    if (plain != nullptr
        && *plain == &caf::scheduled_actor::default_exit_handler)
      x = with_default_handler{&observer};
    else
      x = with_own_handler{&observer, std::move(x)};
  }

  /// Does what CAF does next, unless the actor survives the exit message.
  static void end(observed_actor& observer, caf::scheduled_actor& self) {
    try {
      self.finalize();
    } catch (...) {
      finish(observer, self, std::current_exception(),
             caf::exit_reason::user_shutdown);
    }
  }

  /// Does what CAF does after `on_exit`.
  static void finish(
    observed_actor& observer, caf::scheduled_actor& self,
    const std::exception_ptr& thrown, caf::exit_reason reason) {
    try {
      std::rethrow_exception(thrown);
    } catch (...) {
      observer.failed(current_exception_text());
    }
    self.cleanup(reason, self.context());
  }
};

// -- exit_request -------------------------------------------------------------

struct exit_request::exit {
  explicit exit(caf::exit_msg x) : content(std::move(x)) {
    // nop
  }

  caf::detail::tuple_vals_impl<caf::type_erased_tuple, caf::exit_msg> content;
};

exit_request::exit_request(bool aborts)
  : deferred_element(priority_of(aborts)), aborts_(aborts) {
  // nop
}

exit_request::~exit_request() {
  // nop
}

void exit_request::on_read() {
  auto& to = receiver();
  auto& self = *to.self();
  // In `await`, the actor skips this message, even if it is logged.
  if (!actor_access::awaited(self).empty() || read_)
    return;
  read_ = true;
  self.mailbox().fetch_more();
  caf::strong_actor_ptr linked;
  if (!aborts_
      && !to.may_end({actor_access::unanswered(self),
                      self.get_urgent_queue().total_task_size() > 0},
                     linked))
    return;
  if (linked)
    self.unlink_from(linked->get()->address());
  exit_ = std::make_unique<exit>(make_exit(self, aborts_));
  guarded_exit::prepare(to, self, aborts_);
  if (has_more(self.get_urgent_queue()) || has_more(self.get_normal_queue()))
    note_unread();
}

const caf::type_erased_tuple& exit_request::current() const {
  if (exit_)
    return exit_->content;
  return silent_request().content();
}

void exit_request::note_unread() {
  auto& to = receiver();
  auto& self = *to.self();
  // Skipped messages return after this message anyway.
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
  has_noted_ = true;
  to.reads_exit(unread, std::move(letters));
}

void exit_request::finish() noexcept {
  if (has_noted_)
    receiver().handled_exit();
  exit_ = nullptr;
  has_noted_ = false;
  read_ = false;
}

// -- spare_exit_request -------------------------------------------------------

/// A request for an actor that did not read the previous one yet.
class spare_exit_request : public exit_request {
public:
  spare_exit_request(observed_actor& to, bool aborts)
    : exit_request(aborts), to_(to) {
    // nop
  }

  void request_deletion(bool) const noexcept override {
    auto& to = to_;
    const_cast<spare_exit_request*>(this)->finish();
    delete this;
    to.drop(observed_actor::requested_again);
  }

protected:
  observed_actor& receiver() noexcept override {
    return to_;
  }

private:
  observed_actor& to_;
};

// -- exit_state ---------------------------------------------------------------

void exit_state::request_deletion(bool) const noexcept {
  auto& self = const_cast<exit_state&>(*this);
  self.finish();
  self.receiver().drop(observed_actor::requested);
}

observed_actor& exit_state::receiver() noexcept {
  return static_cast<observed_actor&>(*this);
}

caf::mailbox_element* exit_state::make_request(bool aborts) {
  auto& to = receiver();
  if (!aborts
      && (to.uses_.fetch_or(observed_actor::requested)
          & observed_actor::requested)
           == 0)
    return this;
  auto* result = new spare_exit_request(to, aborts);
  to.uses_ += observed_actor::requested_again;
  return result;
}

// -- observed_actor -----------------------------------------------------------

void observed_actor::note_end(const caf::error& reason) {
  ended(reason);
  if (self_ != nullptr && self_->getf(caf::abstract_actor::is_detached_flag))
    release_thread(*self_);
}

void request_exit(std::vector<exit_target>& targets) {
  for (auto& x : targets) {
    if (auto* self = x.observer->self())
      put(*self, x.observer->make_request(false));
    else
      send_exit(*x.actor->get(), false);
    x.actor = nullptr;
  }
}

void abort_actor(const exit_target& to) {
  auto* self = to.observer->self();
  if (self == nullptr)
    return send_exit(*to.actor->get(), true);
  put(*self, to.observer->make_request(true));
  put(*self, new await_breaker(*self));
}

std::optional<idle_actor> look_at(const exit_target& x) {
  std::optional<idle_actor> result;
  if (x.observer->self() != nullptr)
    run_as(*x.observer->self(), [&](auto& self) {
      result.emplace(idle_actor{!actor_access::awaited(self).empty(),
                                actor_access::unanswered(self) > 0});
    });
  return result;
}

} // namespace caf::rosia::detail
