// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/attachable.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// What an actor leaves unread.
struct letter {
  caf::strong_actor_ptr sender; // null if it was sent anonymously
  caf::message content;
};

class observed_actor;

/// Who gets an exit.
struct exit_target {
  caf::strong_actor_ptr actor;
  observed_actor* who; // the same
};

/// A message whose receiver learns what it is when it looks at it.
class probe : public caf::mailbox_element {
public:
  explicit probe(caf::message_id number);

  caf::type_erased_tuple& content() override;

  const caf::type_erased_tuple& content() const override {
    return now();
  }

  caf::message move_content_to_message() override;

  caf::message copy_content_to_message() const override;

protected:
  /// Called in the receiver's thread, maybe more than once.
  virtual void on_look() = 0;

  /// What it is at present. CAF only reads it.
  virtual const caf::type_erased_tuple& now() const = 0;
};

/// Becomes an exit, or nothing.
class end_probe : public probe {
public:
  explicit end_probe(bool forcibly);

  ~end_probe() override;

protected:
  virtual observed_actor& receiver() noexcept = 0;

  void on_look() override;

  const caf::type_erased_tuple& now() const override;

  /// It was handled, and may be sent again.
  void finish() noexcept;

private:
  struct exit;

  void tell_unread();

  std::unique_ptr<exit> exit_;
  bool forcibly_ : 1;
  bool seen_ : 1 = false;
  bool has_met_ : 1 = false; // something unread
};

/// An actor, and what hears of it what only it can see without a race. It is
/// told while the actor handles a message, in its thread, and must not block.
///
/// This itself is in the list of what was attached to the actor, and in its
/// mailbox when it is asked to end: there may be hundreds of thousands, which
/// end at the same time, and what an actor touches then should lie together. So
/// whoever owns this must not free it before `abandon` says so.
class observed_actor : public caf::attachable, public end_probe {
public:
  /// What an actor has handled of what was in its mailbox when `request_exit`
  /// was called.
  struct progress {
    /// How many requests it has sent whose answers it still wants to handle.
    std::size_t unanswered = 0;

    /// Whether something urgent is left: CAF lets the rest overtake it.
    bool urgent_left = false;
  };

  /// @param self see `self`.
  explicit observed_actor(caf::scheduled_actor* self);

  /// Null if it is not for us to see: a blocking actor, and one that stands for
  /// a remote one.
  caf::scheduled_actor* self() const noexcept {
    return self_;
  }

  /// Nobody but CAF needs this any more. Called once.
  /// @returns whether CAF does not either. If it does, it is told to `let_go`.
  bool abandon() noexcept;

  // -- what CAF calls ---------------------------------------------------------

  /// Comes after all that was attached before.
  void actor_exited(const caf::error& why, caf::execution_unit* host) final;

  /// CAF deletes what was attached: this stays where it is.
  static void operator delete(observed_actor* x, std::destroying_delete_t);

  /// Nor does CAF delete what was in a mailbox.
  void request_deletion(bool) const noexcept final;

protected:
  ~observed_actor() override;

  observed_actor& receiver() noexcept final {
    return *this;
  }

  /// The actor has handled its backlog. @returns whether that is its exit; if
  /// not, it goes on.
  /// @param linked is set to an actor that must not end because this one does.
  virtual bool may_end(const progress& so_far, caf::strong_actor_ptr& linked)
    = 0;

  /// Tells whether `meets_exit` is to be given the letters, not only their
  /// number.
  virtual bool wants_letters() const = 0;

  /// The actor handles its exit now. If that ends it, these are never read.
  virtual void meets_exit(std::size_t unread, std::vector<letter> letters) = 0;

  /// The actor has handled the exit that it met with something unread.
  virtual void handled_exit() = 0;

  /// The exit that was sent has ended the actor, whose `on_exit` has thrown
  /// something.
  virtual void failed(const std::string& error) = 0;

  /// The actor has ended.
  virtual void ended() = 0;

  /// CAF has nothing of this any more, after `abandon` had to say that it has.
  virtual void let_go() noexcept = 0;

private:
  friend class end_probe;
  friend class safe_exit;
  friend class spare_probe;
  friend void request_exit(std::vector<exit_target>&);
  friend void force_to_end(const exit_target&);
  friend void watch_end(const caf::strong_actor_ptr&, observed_actor&);

  /// What CAF has of this, and whether nobody else needs it.
  enum : std::uint32_t {
    attached = 1,
    asked = 2,
    asked_otherwise = 4, // and multiples of it: it was asked already
    abandoned = 0x8000'0000
  };

  caf::mailbox_element* make_probe(bool forcibly);

  /// CAF has got rid of something.
  void drop(std::uint32_t what) noexcept;

  std::atomic<std::uint32_t> uses_ = 0;
  caf::scheduled_actor* self_;
};

/// Finds what can be observed of an actor, see `observed_actor::self`.
caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor);

/// Fetches an actor from memory, because it is to run soon.
/// @param x nothing is read of it: it may be gone.
void prefetch_actor(const caf::scheduled_actor* x);

/// Sends actors what may be their exit behind their backlogs. Who may not end
/// yet does not notice. One that cannot be observed gets its exit.
/// @param targets lose their handles, which may be the last ones: each at once,
///                because others will want to count them, too.
void request_exit(std::vector<exit_target>& targets);

/// Sends an actor its exit before all that is in its mailbox and not urgent. It
/// forgets what it awaits.
void force_to_end(const exit_target& to);

/// Tells `who` when an actor has ended, and others have been told who
/// monitor it or are linked to it; at once if it is dead already.
/// @param who the same; called once for it.
void watch_end(const caf::strong_actor_ptr& actor, observed_actor& who);

/// What an actor waits for. Known only of one that a worker runs, and that is
/// idle.
struct idle_actor {
  /// It handles nothing but an answer: it is in `await`.
  bool awaits = false;

  /// It wants to handle answers.
  bool has_unanswered = false;
};

/// Looks at an actor without a message. @returns nothing if it is not idle.
std::optional<idle_actor> look_at(const exit_target& x);

} // namespace caf::rosia::detail
