// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"
#include "property/model/graph.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace model {

/// The value of a message.
struct message {
  /// The output that first wrote it, see `origin_of`; 0 if it is from outside.
  std::uint64_t origin = 0;
  std::uint64_t content = 0;

  friend auto operator<=>(const message&, const message&) = default;
};

/// Makes a message serialisable by CAF.
template <class Inspector>
auto inspect(Inspector& f, message& x) {
  return caf::rosia::inspect_members(f, x, x.origin, x.content);
}

/// A reaction's view of an input.
struct view {
  bool has_value = false;
  bool is_present = false;
  std::vector<message> all; // of the current tag
  message last;             // if it has a value

  /// The intended tag of a tardy value that is present; `never` without one.
  logical_time intended = never;
};

/// The environment of a machine: a node of the library, or of the oracle.
class world {
public:
  virtual ~world();

  virtual logical_time now() = 0;

  /// Fills in `into`, which may have the content of an earlier call.
  virtual void look(std::uint32_t input, view& into) = 0;

  virtual void write(std::uint32_t output, const message& x,
                     const std::optional<delay>& promise)
    = 0;

  virtual void forward(std::uint32_t output, std::uint32_t input,
                       const std::optional<delay>& promise)
    = 0;

  virtual void promise(std::uint32_t output, const delay& d) = 0;

  /// @returns whether there is such an event.
  virtual bool schedule(std::uint32_t action, const delay& d, const message& x)
    = 0;

  /// Returns whether the reaction that runs misses its deadline.
  virtual bool is_late() = 0;

  /// The state of a mode, as its node sees it.
  struct mode_view {
    bool is_present = false;
    bool is_active = false;
    bool by_history = false;
    std::uint64_t entries = 0;

    /// The number of reactions of the mode that began since it was reset.
    std::uint64_t reactions = 0;
  };

  virtual mode_view look_at_mode(std::uint32_t mode) = 0;

  /// Counts a reaction of a mode.
  virtual void count_reaction(std::uint32_t mode) = 0;

  virtual void enter(std::uint32_t mode, bool by_history) = 0;

  virtual bool has_expired(std::uint32_t watchdog) = 0;

  virtual void start_watchdog(std::uint32_t watchdog, const delay& extra) = 0;

  virtual void stop_watchdog(std::uint32_t watchdog) = 0;

  /// Fills in the values of an action at this tag.
  virtual void look_at_action(std::uint32_t action, std::vector<message>& into)
    = 0;

  /// @returns whether the request counts: at the last tag, none does.
  virtual bool request(const std::optional<delay>& d, std::int32_t status) = 0;

  virtual void call(std::uint32_t node, std::uint32_t input,
                    std::uint64_t value)
    = 0;

  /// Causes an error. Throws, except in the oracle.
  virtual void fail(std::uint32_t kind) = 0;
};

/// A hash of a reaction's input and output.
struct log_entry {
  static constexpr std::uint32_t start = 0xffff;

  logical_time tag;
  std::uint32_t reaction = 0;
  bool resumed = false;
  std::uint64_t seen = 0;

  friend bool operator==(const log_entry&, const log_entry&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, log_entry& x) {
  return caf::rosia::inspect_members(
    f, x, x.tag, x.reaction, x.resumed, x.seen);
}

std::string to_string(const log_entry& x);

/// A value from a physical connection, or from outside.
struct stamp {
  logical_time tag;
  std::uint32_t input = 0;
  message content;

  friend bool operator==(const stamp&, const stamp&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, stamp& x) {
  return caf::rosia::inspect_members(f, x, x.tag, x.input, x.content);
}

/// A watchdog was present at a tag.
struct expiry {
  logical_time tag;
  std::uint32_t watchdog = 0;

  friend bool operator==(const expiry&, const expiry&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, expiry& x) {
  return caf::rosia::inspect_members(f, x, x.tag, x.watchdog);
}

/// Whether a deadline had passed: when a reaction with a handler was about to
/// run, or when its code asked.
struct lateness {
  logical_time tag;
  bool is_late = false;

  friend bool operator==(const lateness&, const lateness&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, lateness& x) {
  return caf::rosia::inspect_members(f, x, x.tag, x.is_late);
}

/// The code of a node. Independent of threads and of its caller. Used by one
/// thread at a time.
class machine {
public:
  // -- member types -----------------------------------------------------------

  /// A reaction that runs, or has yielded.
  struct instance {
    std::uint32_t reaction = 0;
    const script* code = nullptr;
    std::size_t next = 0; // index of the step
    std::uint32_t rounds = 0;
    bool ended_early = false;
  };

  /// The state of a machine. A checkpoint of its node must contain it.
  struct memory {
    std::uint64_t state = 0;
    std::uint64_t decisions = 0;
    std::uint32_t tags = 0;
    logical_time tag = never;
    std::vector<logical_time> written;    // by output
    std::vector<logical_time> promised;   // by output
    std::vector<logical_time> stamped;    // by input, the last stamp
    std::vector<std::uint64_t> done_once; // steps, by `number_of`
    std::vector<log_entry> log;
    std::vector<stamp> stamps;
    std::vector<lateness> deadlines;
    std::vector<expiry> expiries;
    std::vector<logical_time> proposals;
    std::vector<std::int32_t> statuses;

    template <class Inspector>
    friend auto inspect(Inspector& f, memory& x) {
      return caf::rosia::inspect_members(
        f, x, x.state, x.decisions, x.tags, x.tag, x.written, x.promised,
        x.stamped, x.done_once, x.log, x.stamps, x.deadlines, x.expiries,
        x.proposals, x.statuses);
    }
  };

  // -- constructors -----------------------------------------------------------

  /// @param graph must outlive the machine.
  /// @param mind the machine's memory; must outlive it.
  machine(const graph_spec& graph, std::uint32_t node, memory& mind);

  // -- running ----------------------------------------------------------------

  instance begin_start(world& env);

  /// @param late whether the handler of the deadline runs in its place.
  instance begin(std::uint32_t reaction, world& env, bool late);

  /// Continues until the next yield.
  /// @returns the delay of the yield; nothing if the reaction has ended.
  std::optional<delay> go_on(instance& x, world& env);

  /// Continues as `go_on`, after a yield.
  std::optional<delay> resume(instance& x, world& env);

  // -- properties -------------------------------------------------------------

  const node_spec& spec() const noexcept {
    return *spec_;
  }

  std::uint32_t id() const noexcept {
    return id_;
  }

  const std::vector<log_entry>& log() const noexcept {
    return mind_->log;
  }

  /// Returns the received physical values, in the order of their tags.
  const std::vector<stamp>& stamps() const noexcept {
    return mind_->stamps;
  }

  const std::vector<lateness>& deadlines() const noexcept {
    return mind_->deadlines;
  }

  const std::vector<expiry>& expiries() const noexcept {
    return mind_->expiries;
  }

  /// Returns the tags of shutdown requests, and their statuses.
  const std::vector<logical_time>& proposals() const noexcept {
    return mind_->proposals;
  }

  const std::vector<std::int32_t>& statuses() const noexcept {
    return mind_->statuses;
  }

private:
  void enter(logical_time tag);

  void note(std::uint32_t reaction, bool resumed);

  void note_deadline(bool late);

  /// Reads the inputs that the code of a reaction may access.
  void look_at_inputs(std::uint32_t reaction, world& env);

  void look_at_modes(world& env);

  void look_at_watchdogs(world& env);

  void take_stamps(std::uint32_t input);

  bool wants(const step& x);

  bool may_write(std::uint32_t output) const;

  /// Identifies a step of a machine.
  std::uint64_t number_of(const step& x) const;

  void perform(const step& x, std::uint32_t reaction, world& env);

  const node_spec* spec_;
  std::uint32_t id_;
  memory* mind_;
  std::vector<std::vector<std::uint64_t>> physical_origins_; // by input
  view view_;
  std::vector<message> scheduled_;
};

} // namespace model
