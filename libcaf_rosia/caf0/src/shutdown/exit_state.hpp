// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <memory>

namespace caf::rosia::detail {

class observed_actor;

/// A mailbox element whose content is decided when the receiver reads it.
/// Tests: test/shutdown.
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
  /// Called in the receiver's thread, possibly more than once.
  virtual void on_read() = 0;

  /// Returns the present content. CAF only reads it.
  virtual const caf::type_erased_tuple& current() const = 0;
};

/// Becomes an exit message when it is read, or has no effect. Tests:
/// test/shutdown.
class exit_request : public deferred_element {
public:
  explicit exit_request(bool aborts);

  ~exit_request() override;

protected:
  virtual observed_actor& receiver() noexcept = 0;

  void on_read() override;

  const caf::type_erased_tuple& current() const override;

  /// Called after it was handled. It may then be put into a mailbox again.
  void finish() noexcept;

private:
  struct exit;

  void note_unread();

  std::unique_ptr<exit> exit_;
  bool aborts_ : 1;
  bool read_ : 1 = false;
  bool has_noted_ : 1 = false; // something unread
};

/// The first request to exit is a part of the observer itself. Tests:
/// test/shutdown.
class exit_state : public exit_request {
public:
  exit_state() : exit_request(false) {
    // nop
  }

  /// Does not free the object, although CAF deletes mailbox elements.
  void request_deletion(bool) const noexcept final;

  /// Returns a request that is in no mailbox.
  caf::mailbox_element* make_request(bool aborts);

private:
  observed_actor& receiver() noexcept final;
};

} // namespace caf::rosia::detail
