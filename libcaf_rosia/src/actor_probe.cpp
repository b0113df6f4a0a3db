// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "actor_probe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>

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

caf::scheduled_actor* scheduled(const caf::strong_actor_ptr& x) {
  return dynamic_cast<caf::scheduled_actor*>(x->get());
}

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

bool is_letter(const caf::mailbox_element& x);

/// A message that becomes what it is when its receiver looks at it.
class end_probe : public caf::mailbox_element {
public:
  /// @param receiver has it in its mailbox, and so outlives it.
  end_probe(caf::scheduled_actor& receiver, bool forcibly,
            std::shared_ptr<actor_observer> observer, std::uint32_t id)
    : caf::mailbox_element(nullptr, priority_of(forcibly), {}),
      receiver_(receiver), observer_(std::move(observer)), id_(id),
      forcibly_(forcibly), content_(question_without_answer()) {
    // nop
  }

  ~end_probe() override {
    if (has_unread_)
      observer_->handled_exit(id_);
  }

  caf::type_erased_tuple& content() override {
    if (being_sent != this && !std::exchange(seen_, true))
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

private:
  void on_look() {
    if (!forcibly_
        && !observer_->may_end(id_, actor_access::unanswered(receiver_)))
      return;
    content_ = make_exit(receiver_, forcibly_);
    std::size_t unread = 0;
    std::vector<letter> letters;
    auto wanted = observer_->wants_letters();
    auto add = [&](const caf::mailbox_element& x) {
      if (!is_letter(x))
        return;
      ++unread;
      if (wanted)
        letters.push_back({x.sender, x.copy_content_to_message()});
    };
    auto& mailbox = receiver_.mailbox();
    mailbox.fetch_more();
    // What was skipped comes back after this message anyway.
    mailbox.flush_cache();
    receiver_.get_urgent_queue().peek_all(add);
    receiver_.get_normal_queue().peek_all(add);
    has_unread_ = unread > 0;
    if (has_unread_)
      observer_->meets_exit(id_, unread, std::move(letters));
  }

  caf::scheduled_actor& receiver_;
  std::shared_ptr<actor_observer> observer_;
  std::uint32_t id_;
  bool forcibly_;
  bool seen_ = false;
  bool has_unread_ = false;
  caf::message content_;
};

/// CAF's own messages are no letters.
bool is_letter(const caf::mailbox_element& x) {
  if (dynamic_cast<const end_probe*>(&x) != nullptr)
    return false;
  auto type = x.content().type_token();
  return type != caf::make_type_token<caf::exit_msg>()
         && type != caf::make_type_token<caf::down_msg>()
         && type != caf::make_type_token<caf::timeout_msg>();
}

void send(const caf::strong_actor_ptr& actor, bool forcibly,
          std::shared_ptr<actor_observer> observer, std::uint32_t id) {
  if (!observer) {
    actor->enqueue(nullptr, priority_of(forcibly),
                   make_exit(*actor->get(), forcibly), nullptr);
    return;
  }
  caf::mailbox_element_ptr what{
    new end_probe(*scheduled(actor), forcibly, std::move(observer), id)};
  being_sent = what.get();
  actor->get()->enqueue(std::move(what), nullptr);
  being_sent = nullptr;
}

/// Calls `fun` while this thread is who runs an actor; not if somebody else
/// does, or if it is one that workers do not run. It is scheduled afterwards.
template <class Fun>
void run_as(const caf::strong_actor_ptr& actor, Fun fun) {
  auto& x = *scheduled(actor);
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

bool is_observable(const caf::strong_actor_ptr& actor) {
  return scheduled(actor) != nullptr;
}

void ask_to_end(const caf::strong_actor_ptr& actor,
                std::shared_ptr<actor_observer> observer, std::uint32_t id) {
  send(actor, false, std::move(observer), id);
}

void force_to_end(const caf::strong_actor_ptr& actor,
                  std::shared_ptr<actor_observer> observer, std::uint32_t id) {
  send(actor, true, std::move(observer), id);
}

bool awaits_answer(const caf::strong_actor_ptr& actor) {
  auto result = false;
  run_as(actor, [&](auto& x) { result = !actor_access::awaited(x).empty(); });
  return result;
}

void stop_awaiting(const caf::strong_actor_ptr& actor) {
  run_as(actor, [](auto& x) {
    actor_access::awaited(x).clear();
    // CAF would leave what is urgent, and was skipped, until something else
    // that is urgent comes.
    x.mailbox().flush_cache();
  });
}

} // namespace caf::rosia::detail
