// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/observed_actor.hpp"

#include "base/exception_text.hpp"
#include "compat/scheduling_token.hpp"

#include <caf/action.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/intrusive/stack.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_id.hpp>

#include <exception>
#include <string>
#include <utility>

namespace caf::rosia::detail {

// -- access to private members of CAF -----------------------------------------

namespace {

using stash = caf::intrusive::stack<caf::mailbox_element>;

/// Returns the messages that an actor skipped since it last handled one.
stash& skipped_by(caf::scheduled_actor& x);

/// An explicit instantiation, like the one below, may name private members.
template <stash caf::scheduled_actor::*Member>
struct stash_access {
  friend stash& skipped_by(caf::scheduled_actor& x) {
    return x.*Member;
  }
};

template struct stash_access<&caf::scheduled_actor::stash_>;

/// Accesses members that CAF makes available to derived actors only.
class actor_access : public caf::scheduled_actor {
public:
  static std::size_t unanswered(caf::scheduled_actor& x) {
    return (x.*(&actor_access::multiplexed_responses_)).size();
  }

  static bool awaits(caf::scheduled_actor& x) {
    return !(x.*(&actor_access::awaited_responses_)).empty();
  }
};

// -- letters ------------------------------------------------------------------

/// CAF's own messages and Rosia's are no letters.
bool is_letter(const caf::mailbox_element& x) {
  if (x.payload.size() != 1)
    return true;
  switch (x.payload.type_at(0)) {
    case caf::type_id_v<caf::action>:
    case caf::type_id_v<caf::down_msg>:
    case caf::type_id_v<caf::exit_msg>:
    case caf::type_id_v<caf::timeout_msg>:
      return false;
    default:
      return true;
  }
}

/// Calls `fun` for all unhandled messages of an actor.
template <class Fun>
void for_each_unread(caf::scheduled_actor& self, Fun fun) {
  auto& mailbox = self.mailbox();
  // CAF also puts these back after a message is handled, such as this one.
  while (auto* x = skipped_by(self).pop())
    mailbox.push_front(caf::mailbox_element_ptr{x});
  std::vector<caf::mailbox_element_ptr> all;
  while (auto x = mailbox.pop_front()) {
    fun(*x);
    all.push_back(std::move(x));
  }
  while (!all.empty()) {
    mailbox.push_front(std::move(all.back()));
    all.pop_back();
  }
}

// -- exits --------------------------------------------------------------------

caf::mailbox_element_ptr make_exit(
  const caf::abstract_actor& receiver, bool aborts) {
  return caf::make_mailbox_element(
    nullptr,
    caf::make_message_id(
      aborts ? caf::message_priority::high : caf::message_priority::normal),
    caf::exit_msg{
      receiver.address(),
      aborts ? caf::exit_reason::kill : caf::exit_reason::user_shutdown});
}

void send_exit(caf::abstract_actor& to, bool aborts) {
  to.enqueue(make_exit(to, aborts), nullptr);
}

} // namespace

// -- exit_request -------------------------------------------------------------

/// A request to exit, which CAF runs in the actor's thread when the actor
/// handles it. `observer` outlives this object.
class exit_request {
public:
  exit_request(observed_actor& observer, bool aborts)
    : observer_(&observer), aborts_(aborts) {
    observer.uses_ += observed_actor::requested;
  }

  exit_request(exit_request&& other) noexcept
    : observer_(std::exchange(other.observer_, nullptr)),
      aborts_(other.aborts_) {
    // nop
  }

  exit_request& operator=(exit_request&&) = delete;

  ~exit_request() {
    if (observer_ != nullptr)
      observer_->drop(observed_actor::requested);
  }

  /// Makes the action that CAF runs.
  static caf::action wrap(exit_request x) {
    return caf::make_single_shot_action([x = std::move(x)]() mutable {
      auto request = std::move(x);
      request.run();
    });
  }

private:
  class scope;

  void run() {
    auto& self = *observer_->self();
    if (self.getf(caf::abstract_actor::is_shutting_down_flag
                  | caf::abstract_actor::is_terminated_flag))
      return;
    if (!aborts_ && actor_access::awaits(self)) {
      postpone(self);
      return;
    }
    caf::strong_actor_ptr linked;
    if (!aborts_
        && !observer_->may_end(
          {actor_access::unanswered(self) - observer_->postponed_}, linked))
      return;
    if (linked)
      self.unlink_from(linked->get()->address());
    exit(self);
  }

  /// Enqueues this again as an answer, which the actor skips in `await`. CAF
  /// would run the action even then.
  void postpone(caf::scheduled_actor& self) {
    auto id = self.new_request_id(caf::message_priority::normal).response_id();
    auto* observer = observer_;
    ++observer->postponed_;
    self.add_multiplexed_response_handler(
      id, caf::behavior{[observer](caf::action& again) {
        --observer->postponed_;
        again.run();
      }});
    self.push_to_cache(
      caf::make_mailbox_element(nullptr, id, wrap(std::move(*this))));
  }

  void exit(caf::scheduled_actor& self);

  bool note_unread(caf::scheduled_actor& self) {
    std::size_t unread = 0;
    std::vector<letter> letters;
    auto wanted = observer_->wants_letters();
    for_each_unread(self, [&](const caf::mailbox_element& x) {
      if (!is_letter(x))
        return;
      ++unread;
      if (wanted)
        letters.push_back({x.sender, x.payload});
    });
    if (unread > 0)
      observer_->reads_exit(unread, std::move(letters));
    return unread > 0;
  }

  observed_actor* observer_;
  bool aborts_;
};

/// A scope in which an actor handles an exit message. CAF reports the actor's
/// end before it calls `on_exit`. Observers are notified after this scope.
class exit_request::scope {
public:
  scope(observed_actor& observer, caf::scheduled_actor& self)
    : observer_(observer), self_(self), outer_(self.current_mailbox_element()) {
    observer.exits_ = true;
  }

  scope(const scope&) = delete;

  scope& operator=(const scope&) = delete;

  ~scope() {
    self_.current_mailbox_element(outer_);
    observer_.exits_ = false;
    if (std::exchange(observer_.has_ended_, false))
      observer_.ended({});
    if (has_noted_)
      observer_.handled_exit();
  }

  void has_noted(bool x) noexcept {
    has_noted_ = x;
  }

private:
  observed_actor& observer_;
  caf::scheduled_actor& self_;
  caf::mailbox_element* outer_;
  bool has_noted_ = false;
};

void exit_request::exit(caf::scheduled_actor& self) {
  scope handling{*observer_, self};
  handling.has_noted(note_unread(self));
  auto message = make_exit(self, aborts_);
  if (self.consume(*message) == caf::invoke_message_result::skipped) {
    self.push_to_cache(std::move(message));
    return;
  }
  // What CAF does next, unless the actor survives the exit message.
  try {
    self.finalize();
  } catch (...) {
    observer_->failed(current_exception_text());
  }
}

// -- observed_actor -----------------------------------------------------------

void observed_actor::note_end(const caf::error& reason) {
  if (exits_)
    has_ended_ = true;
  else
    ended(reason);
}

namespace {

void put(const exit_target& to, bool aborts) {
  auto* self = to.observer->self();
  if (self == nullptr)
    return send_exit(*to.actor->get(), aborts);
  auto priority
    = aborts ? caf::message_priority::high : caf::message_priority::normal;
  self->enqueue(
    caf::make_mailbox_element(
      nullptr, caf::make_message_id(priority),
      exit_request::wrap(exit_request{*to.observer, aborts})),
    nullptr);
}

} // namespace

void request_exit(std::vector<exit_target>& targets) {
  for (auto& x : targets) {
    put(x, false);
    x.actor = nullptr;
  }
}

void abort_actor(const exit_target& to) {
  put(to, true);
}

std::optional<idle_actor> look_at(const exit_target& x) {
  std::optional<idle_actor> result;
  auto* self = x.observer->self();
  if (self == nullptr || self->getf(caf::abstract_actor::is_detached_flag)
      || self->subtype() != caf::resumable::scheduled_actor
      || !take_token(*self))
    return result;
  result.emplace(idle_actor{
    actor_access::awaits(*self),
    actor_access::unanswered(*self) > x.observer->postponed_});
  schedule(*self, self->home_system());
  return result;
}

} // namespace caf::rosia::detail
