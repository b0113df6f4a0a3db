// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "actor_probe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/attachable.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>
#include <caf/upstream_msg.hpp>

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
  return result;
}

caf::message make_exit(const caf::abstract_actor& receiver, bool forcibly) {
  return caf::make_message(caf::exit_msg{
    receiver.address(),
    forcibly ? caf::exit_reason::kill : caf::exit_reason::user_shutdown});
}

caf::message_id priority_of(bool forcibly) {
  return caf::make_message_id(
    forcibly ? caf::message_priority::high : caf::message_priority::normal);
}

/// A message whose receiver learns what it is when it looks at it.
class probe : public caf::mailbox_element {
public:
  /// @param receiver has it in its mailbox, and so outlives it.
  probe(caf::scheduled_actor& receiver, caf::message_id number,
        caf::message content)
    : caf::mailbox_element(nullptr, number, {}), receiver_(receiver),
      content_(std::move(content)) {
    // nop
  }

  caf::type_erased_tuple& content() override {
    if (being_sent != this)
      on_look();
    return content_;
  }

  const caf::type_erased_tuple& content() const override {
    return content_.content();
  }

  caf::message move_content_to_message() override {
    return std::move(content_);
  }

  caf::message copy_content_to_message() const override {
    return content_;
  }

protected:
  /// Called in the receiver's thread, maybe more than once.
  virtual void on_look() = 0;

  caf::scheduled_actor& receiver_;
  caf::message content_;
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

/// Becomes an exit, or nothing.
class end_probe : public probe {
public:
  end_probe(caf::scheduled_actor& receiver, bool forcibly,
            actor_observer& observer, std::uint32_t id)
    : probe(receiver, priority_of(forcibly), question_without_answer()),
      observer_(observer), id_(id), forcibly_(forcibly) {
    // nop
  }

  ~end_probe() override {
    if (kept_)
      kept_->handled_exit(id_);
  }

protected:
  void on_look() override {
    // Who awaits an answer skips it, even if it is logged.
    if (!actor_access::awaited(receiver_).empty() || std::exchange(seen_, true))
      return;
    auto& mailbox = receiver_.mailbox();
    mailbox.fetch_more();
    caf::strong_actor_ptr linked;
    if (!forcibly_
        && !observer_.may_end(
          id_,
          {actor_access::unanswered(receiver_),
           receiver_.get_urgent_queue().total_task_size() > 0},
          linked))
      return;
    if (linked)
      receiver_.unlink_from(linked->get()->address());
    content_ = make_exit(receiver_, forcibly_);
    tell_unread();
  }

private:
  void tell_unread() {
    std::size_t unread = 0;
    std::vector<letter> letters;
    auto wanted = observer_.wants_letters();
    auto add = [&](const caf::mailbox_element& x) {
      if (!is_letter(x))
        return;
      ++unread;
      if (wanted)
        letters.push_back({x.sender, x.copy_content_to_message()});
    };
    // What was skipped comes back after this message anyway.
    receiver_.mailbox().flush_cache();
    receiver_.get_urgent_queue().peek_all(add);
    receiver_.get_normal_queue().peek_all(add);
    if (unread == 0)
      return;
    kept_ = observer_.share();
    kept_->meets_exit(id_, unread, std::move(letters));
  }

  actor_observer& observer_;
  std::shared_ptr<actor_observer> kept_; // the same, beyond the actor's end
  std::uint32_t id_;
  bool forcibly_;
  bool seen_ = false;
};

/// Reaches its receiver even in `await`, and lets it forget what it waits for.
/// CAF does nothing about it, because it belongs to no stream.
class await_breaker : public probe {
public:
  explicit await_breaker(caf::scheduled_actor& receiver)
    : probe(
      receiver,
      caf::make_message_id().with_category(
        caf::message_id::upstream_message_category),
      caf::make_message(caf::upstream_msg{
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
};

void put(caf::scheduled_actor& to, caf::mailbox_element* what) {
  being_sent = what;
  to.enqueue(caf::mailbox_element_ptr{what}, nullptr);
  being_sent = nullptr;
}

void send(const exit_target& to, bool forcibly, actor_observer& observer,
          std::uint32_t id) {
  auto& receiver = *to.actor->get();
  if (to.observable == nullptr) {
    receiver.enqueue(
      nullptr, priority_of(forcibly), make_exit(receiver, forcibly), nullptr);
    return;
  }
  put(*to.observable, new end_probe(*to.observable, forcibly, observer, id));
  if (forcibly)
    put(*to.observable, new await_breaker(*to.observable));
}

/// Comes last of all that was attached to an actor when it ended. CAF calls
/// them in the reverse order.
class end_listener : public caf::attachable {
public:
  end_listener(std::shared_ptr<actor_observer> observer, std::uint32_t id,
               bool is_last)
    : observer_(std::move(observer)), id_(id), is_last_(is_last) {
    // nop
  }

  void actor_exited(const caf::error&, caf::execution_unit*) override {
    if (is_last_ || next == nullptr) {
      observer_->ended(id_);
      return;
    }
    // The list is nobody else's any more.
    auto* last = next.get();
    while (last->next != nullptr)
      last = last->next.get();
    last->next.reset(new end_listener(std::move(observer_), id_, true));
  }

private:
  std::shared_ptr<actor_observer> observer_;
  std::uint32_t id_;
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

void ask_to_end(const exit_target& to, actor_observer& observer,
                std::uint32_t id) {
  send(to, false, observer, id);
}

void force_to_end(const exit_target& to, actor_observer& observer,
                  std::uint32_t id) {
  send(to, true, observer, id);
}

void watch_end(const caf::strong_actor_ptr& actor,
               std::shared_ptr<actor_observer> observer, std::uint32_t id) {
  actor->get()->attach(
    caf::attachable_ptr{new end_listener(std::move(observer), id, false)});
}

std::optional<idle_actor> look_at(const exit_target& x) {
  std::optional<idle_actor> result;
  if (x.observable != nullptr)
    run_as(*x.observable, [&](auto& self) {
      result.emplace(idle_actor{!actor_access::awaited(self).empty(),
                                actor_access::unanswered(self) > 0});
    });
  return result;
}

} // namespace caf::rosia::detail
