// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/attachable.hpp>
#include <caf/config.hpp>
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

class exit_request;
class observed_actor;

/// Who gets an exit.
struct exit_target {
  caf::strong_actor_ptr actor;
  observed_actor* who; // the same
};

#if CAF_MAJOR_VERSION < 1

/// A mailbox element whose content is decided when the receiver reads it.
class deferred_element : public caf::mailbox_element {
public:
  explicit deferred_element(caf::message_id number);

  caf::type_erased_tuple& content() override;

  const caf::type_erased_tuple& content() const override {
    return current();
  }

  caf::message move_content_to_message() override;

  caf::message copy_content_to_message() const override;

protected:
  /// Called in the receiver's thread, maybe more than once.
  virtual void on_read() = 0;

  /// The content at present. CAF only reads it.
  virtual const caf::type_erased_tuple& current() const = 0;
};

/// Becomes an exit when it is read, or stays without effect.
class exit_request : public deferred_element {
public:
  explicit exit_request(bool aborts);

  ~exit_request() override;

protected:
  virtual observed_actor& receiver() noexcept = 0;

  void on_read() override;

  const caf::type_erased_tuple& current() const override;

  /// It was handled, and may be put into a mailbox again.
  void finish() noexcept;

private:
  struct exit;

  void note_unread();

  std::unique_ptr<exit> exit_;
  bool aborts_ : 1;
  bool read_ : 1 = false;
  bool has_noted_ : 1 = false; // something unread
};

#endif

/// What an idle actor waits for. Known only of actors that workers run.
struct idle_actor {
  /// It handles nothing but an answer: it is in `await`.
  bool awaits = false;

  /// Some of its requests are unanswered.
  bool has_unanswered = false;
};

/// Observes an actor from its own thread, where its state can be read without a
/// race. The virtual functions are called while the actor handles a message,
/// and must not block.
///
/// The object itself is in the actor's list of attachables, and in its mailbox
/// as the request to exit. There may be hundreds of thousands that exit at the
/// same time, and what an exit touches should lie together. So the owner must
/// not free it before `abandon` allows it.
///
/// In CAF 1, whose mailbox takes nothing of this kind, the request is an object
/// of its own.
class observed_actor
  : public caf::attachable
#if CAF_MAJOR_VERSION < 1
  ,
    public exit_request
#endif
{
public:
  /// What an actor has handled of the backlog that it had when `request_exit`
  /// was called.
  struct progress {
    /// How many of its own requests are still unanswered.
    std::size_t unanswered = 0;

    /// Whether something urgent is left: CAF lets the rest overtake it.
    bool urgent_left = false;
  };

  /// @param self see `self`.
  explicit observed_actor(caf::scheduled_actor* self);

  /// Null if it cannot be observed: a blocking actor, and the proxy of a remote
  /// one.
  caf::scheduled_actor* self() const noexcept {
    return self_;
  }

  /// Nobody but CAF refers to this any more. Called once.
  /// @returns whether CAF does not either. If it still does, `let_go` follows.
  bool abandon() noexcept;

  // -- what CAF calls ---------------------------------------------------------

  /// Comes after all that was attached before.
  void actor_exited(const caf::error& why, worker* host) final;

  /// CAF deletes what was attached: this stays where it is.
  static void operator delete(observed_actor* x, std::destroying_delete_t);

#if CAF_MAJOR_VERSION < 1
  /// Nor does CAF delete what was in a mailbox.
  void request_deletion(bool) const noexcept final;
#endif

protected:
  ~observed_actor() override;

#if CAF_MAJOR_VERSION < 1
  observed_actor& receiver() noexcept final {
    return *this;
  }
#endif

  /// The actor has handled its backlog. @returns whether that is its exit; if
  /// not, it goes on.
  /// @param linked is set to an actor that must not end because this one does.
  virtual bool may_end(const progress& so_far, caf::strong_actor_ptr& linked)
    = 0;

  /// Tells whether `reads_exit` is to be given the letters, not only their
  /// number.
  virtual bool wants_letters() const = 0;

  /// The actor is about to handle its exit. If that ends it, these messages
  /// stay unread.
  virtual void reads_exit(std::size_t unread, std::vector<letter> letters) = 0;

  /// The actor has handled an exit for which `reads_exit` was called.
  virtual void handled_exit() = 0;

  /// The exit that was sent has ended the actor, whose `on_exit` has thrown
  /// something.
  virtual void failed(const std::string& error) = 0;

  /// The actor has ended. @param why empty if that is not known.
  virtual void ended(const caf::error& why) = 0;

  /// CAF does not refer to this any more. Called only if `abandon` has returned
  /// false.
  virtual void let_go() noexcept = 0;

private:
  friend class exit_request;
  friend class guarded_exit;
  friend class spare_exit_request;
  friend void request_exit(std::vector<exit_target>&);
  friend void abort_actor(const exit_target&);
  friend void watch_end(const caf::strong_actor_ptr&, observed_actor&);
  friend std::optional<idle_actor> look_at(const exit_target&);

  /// How CAF refers to this, and whether nobody else does. In CAF 1 all
  /// requests are multiples of the first one.
  enum : std::uint32_t {
    attached = 1,
    requested = 2,
    requested_again = 4, // and multiples of it: further requests
    abandoned = 0x8000'0000
  };

#if CAF_MAJOR_VERSION < 1
  caf::mailbox_element* make_request(bool aborts);
#endif

  /// `ended`. In CAF 1, not before the actor has handled an exit of this
  /// object.
  void note_end(const caf::error& why);

  /// CAF has dropped one of its references.
  void drop(std::uint32_t use) noexcept;

  std::atomic<std::uint32_t> uses_ = 0;
  caf::scheduled_actor* self_;
#if CAF_MAJOR_VERSION >= 1
  // For who runs the actor.
  std::uint32_t postponed_ = 0; // requests, until an answer is there
  bool exits_ = false;          // handles an exit of this object
  bool has_ended_ = false;      // meanwhile
#endif
};

/// Finds what can be observed of an actor, see `observed_actor::self`.
caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor);

/// Prefetches an actor's memory, because it is to run soon.
/// @param x nothing is read of it: it may be gone.
void prefetch_actor(const caf::scheduled_actor* x);

/// Puts a request to exit behind the backlog of each actor. An actor that may
/// not end yet does not notice. One that cannot be observed gets a plain exit.
/// @param targets lose their handles, which may be the last ones: each at once,
///                because others will want to count them, too.
void request_exit(std::vector<exit_target>& targets);

/// Sends an actor an exit that overtakes its mailbox, but for urgent messages.
/// The actor forgets what it awaits.
void abort_actor(const exit_target& to);

/// Tells `who` when an actor has ended, and others have been told who
/// monitor it or are linked to it; at once if it is dead already.
/// @param who the same; called once for it.
void watch_end(const caf::strong_actor_ptr& actor, observed_actor& who);

/// Looks at an actor without a message. @returns nothing if it is not idle.
std::optional<idle_actor> look_at(const exit_target& x);

} // namespace caf::rosia::detail
