// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/node.hpp"

#include "base/duration.hpp"
#include "base/ended_thread.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/mode.hpp"
#include "caf/rosia/parameter.hpp"
#include "caf/rosia/physical_action.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/reaction.hpp"
#include "engine/deadline_code.hpp"
#include "engine/group.hpp"
#include "engine/reaction_graph.hpp"
#include "nodes/node_access.hpp"
#include "nodes/reaction_ended.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace caf::rosia {

using detail::node_access;

namespace detail {

node_environment::~node_environment() {
  // nop
}

const saved_members& node_access::saved(const node& x) noexcept {
  static const saved_members none;
  auto& rare = x.core_->rare;
  return rare && rare->saved ? *rare->saved : none;
}

saved_members& node_access::make_saved(node& x) {
  auto& result = x.core_->make_rare().saved;
  if (!result)
    result = std::make_unique<saved_members>();
  return *result;
}

const std::vector<parameter_base*>& node_access::parameters(
  const node& x) noexcept {
  static const std::vector<parameter_base*> none;
  auto& rare = x.core_->rare;
  return rare && rare->parameters ? *rare->parameters : none;
}

std::vector<parameter_base*>& node_access::make_parameters(node& x) {
  auto& result = x.core_->make_rare().parameters;
  if (!result)
    result = std::make_unique<std::vector<parameter_base*>>();
  return *result;
}

bool node_access::declares_state(const node& x) noexcept {
  return !saved(x).states.empty()
         || (x.core_->type != nullptr && x.core_->type->stateless);
}

std::string node_access::port_name(node& x, bool output, std::uint32_t index) {
  return x.name_ + '.'
         + (output ? x.core_->outputs[index]->name()
                   : x.core_->inputs[index]->name());
}

construction& node_access::under_construction(node& x) {
  auto& result = x.core_->make_rare().construction;
  if (!result)
    result = std::make_unique<construction>();
  return *result;
}

node* node_access::enter(const member_parent& x, const std::string& name) {
  if (x.parent == nullptr)
    throw graph_error(
      "member '" + name
      + "' has a mode that comes after it; declare the mode before member '"
      + name + "': members are made in the order of their declaration");
  if (x.in_mode != nullptr && x.parent->core_->type != nullptr)
    throw graph_error(
      "member '" + name + "' has the mode '" + x.in_mode->name()
      + "' of another node, '" + x.parent->name()
      + "'; a member takes a mode of its own node, in place of `this`");
  if (x.start != nullptr)
    if (auto& notes = under_construction(*x.parent); notes.start == nullptr)
      notes.start = x.start;
  return x.parent;
}

declared_access& node_access::make_declared(node& x) {
  auto& result = x.core_->make_rare().access;
  if (!result)
    result = std::make_unique<declared_access>(x);
  return *result;
}

std::span<engine::input* const> node_access::input_states(
  const node& x) noexcept {
  auto* access = declared(x);
  return access != nullptr ? access->inputs() : x.core_->inputs.states();
}

std::span<engine::output* const> node_access::output_states(
  const node& x) noexcept {
  auto* access = declared(x);
  return access != nullptr ? access->outputs() : x.core_->outputs.states();
}

void node_access::refuse_late(const member_base& x) {
  using enum member_use;
  auto& rare = x.parent()->core_->rare;
  auto* notes = rare ? rare->construction.get() : nullptr;
  if (notes == nullptr || notes->member != &x)
    return;
  auto& reaction = notes->reaction->name();
  auto name = "'" + x.name() + "'";
  auto is_action = notes->use == action_trigger;
  auto uses
    = notes->use == read ? "reads the input " + name
      : notes->use == write
        ? "writes the output " + name
        : std::string{"has the "} + (is_action ? "action " : "input ") + name
            + " as a trigger";
  throw graph_error(
    "reaction '" + reaction + "' " + uses + ", which comes after it; declare "
    + (is_action ? "action " : "port ") + name + " before reaction '" + reaction
    + "': members are made in the order of their declaration");
}

std::vector<std::string> node_access::empty_channels(
  const node& x, bool output) {
  std::vector<std::string> result;
  if (auto& rare = x.core_->rare; rare && rare->construction)
    for (auto* channel : rare->construction->channels)
      if (channel->empty() && member_access::is_output(*channel) == output)
        result.push_back(channel->name());
  return result;
}

std::string node_access::complete(
  node& x, const node_type& type,
  const std::function<std::string(const member_base*)>& find) {
  x.core_->type = &type;
  auto& rare = x.core_->rare;
  if (rare && rare->access)
    rare->access->guard_ports();
  if (auto lead = least_after(x); !lead.is_zero())
    x.core_->engine.set_lead(lead);
  auto notes = rare ? std::move(rare->construction) : nullptr;
  if (!notes)
    return {};
  if (!rare->logger && !rare->saved && !rare->parameters && !rare->access)
    rare.reset();
  if (notes->reaction != nullptr) {
    if (notes->use == member_use::action_trigger)
      throw graph_error(
        "reaction '" + notes->reaction->name()
        + "' has an action as a trigger that is not one of its node; a node "
          "schedules its own actions only: connect the other node's output to "
          "an input of this one instead");
    auto writes = notes->use == member_use::write;
    if (writes || notes->use == member_use::read)
      throw graph_error(
        "reaction '" + notes->reaction->name() + "' declares that it "
        + (writes ? "writes a port that is not an output"
                  : "reads a port that is not an input")
        + " of its node; a reaction accesses ports of its own node only");
    auto name = find ? find(notes->member) : std::string{};
    throw graph_error(
      "reaction '" + notes->reaction->name() + "' has "
      + (name.empty() ? "a port that is not an input of its node"
                      : "the input '" + name + "' of another node")
      + " as a trigger; connect that node's output to an input of this node "
        "instead");
  }
  auto* hides = type.info();
  if (notes->start == nullptr || notes->start->is_virtual || hides == nullptr
      || *hides->owner == *notes->start->owner)
    return {};
  auto base = detail::type_name(*notes->start->owner);
  return "start() of '" + base + "' is hidden by start() of '"
         + detail::type_name(*hides->owner)
         + "', and runs only if that one calls it; make it a rosia::startup "
           "of '"
         + base + "', or virtual if it is meant to be replaced";
}

engine::stamped_queue::spaced_action* node_access::spaced_action(
  input_port_base& x) noexcept {
  return x.parent()->core_->engine.spaced_action(x.index());
}

delay node_access::least_after(node& x) {
  std::optional<delay> result;
  for (auto* port : x.core_->inputs)
    if (port->is_physical()) {
      auto* action = spaced_action(*port);
      auto after = action == nullptr ? delay{} : action->options.after;
      result = std::min(result.value_or(after), after);
    }
  return result.value_or(delay{});
}

bool node_access::external(node& x) noexcept {
  return std::any_of(x.core_->inputs.begin(), x.core_->inputs.end(),
                     [](auto* port) { return port->is_physical(); });
}

// -- node_core ----------------------------------------------------------------

void node_core::start() {
  try {
    task_access::run(type->start(*self), engine);
  } catch (const reaction_ended&) {
    // `end_reaction` was called.
  }
}

std::uint32_t node_core::next_startup(std::uint32_t from) const noexcept {
  for (auto i = from; i < reactions.size(); ++i)
    if (reactions[i]->kind() == graph_description::reaction_kind::startup)
      return i;
  return no_startup;
}

std::uint32_t node_core::next_at_shutdown(std::uint32_t from) const noexcept {
  for (auto i = from; i < reactions.size(); ++i)
    if (engine::is_at_shutdown(reactions[i]->triggers()))
      return i;
  return no_reaction;
}

void node_core::react(std::uint32_t reaction) {
  try {
    code_of(reaction)->run(engine);
  } catch (const reaction_ended&) {
    // `end_reaction` was called.
  }
}

engine::reaction_code* node_core::code_of(
  std::uint32_t reaction) const noexcept {
  return member_access::code(*reactions[reaction]);
}

bool node_core::ends_early() const noexcept {
  if (is_end_of_thread())
    return false;
  try {
    throw;
  } catch (const reaction_ended&) {
    return true;
  } catch (...) {
    return false;
  }
}

void node_core::resume(void* token) {
  task_access::resume(token);
}

void node_core::discard(void* token) noexcept {
  task_access::discard(token);
}

void node_core::consumed(std::uint32_t input) noexcept {
  member_access::waiting(*inputs[input])
    .fetch_sub(1, std::memory_order_relaxed);
}

void node_core::expire(std::uint32_t action) {
  auto* dog = static_cast<rosia::watchdog*>(rare->saved->actions[action]);
  try {
    member_access::handler(*dog)->run(engine);
  } catch (const reaction_ended&) {
    // `end_reaction` was called.
  }
}

void node_core::reset(std::uint32_t action) {
  auto& of = *static_cast<rosia::mode*>(rare->saved->actions[action]);
  for (auto& [state, value] : member_access::initial(of))
    member_access::restore(*state, value);
}

void node_core::shutdown() {
  if (type->shutdown == nullptr)
    return;
  try {
    type->shutdown(*self);
  } catch (const reaction_ended&) {
    // `end_reaction` was called.
  }
}

void node_core::resumed() {
  if (type->resumed != nullptr)
    type->resumed(*self);
}

std::string_view node_core::reaction_name(std::uint32_t reaction) const {
  return reactions[reaction]->name();
}

std::string_view node_core::action_name(std::uint32_t action) const {
  return rare->saved->actions[action]->name();
}

std::string_view node_core::output_name(std::uint32_t output) const {
  return outputs[output]->name();
}

} // namespace detail

// -- node ---------------------------------------------------------------------

node::node()
  : core_(std::make_unique<detail::node_core>(*this)),
    now_(&core_->engine.now()) {
  // nop
}

node::~node() {
  core_->inbox.close();
}

logical_time node::final_tag() const noexcept {
  return core_->engine.final();
}

void node::lag_warn(physical_time_span limit) {
  if (limit.count() < 0)
    throw std::invalid_argument(
      "lag_warn(" + detail::time_text(limit)
      + ") of a node: a lag is not negative");
  core_->make_rare().lag_warn = limit;
}

void node::realtime(bool value) noexcept {
  core_->realtime = value;
}

std::chrono::nanoseconds node::elapsed() const {
  return std::chrono::nanoseconds{
    core_->environment == nullptr ? 0 : core_->environment->elapsed()};
}

spdlog::logger& node::log() {
  auto& result = core_->make_rare().logger;
  if (!result) {
    if (core_->environment == nullptr)
      throw std::logic_error(
        "log() while the node does not run, for example in its constructor; "
        "use it from start() on");
    result = core_->environment->make_logger(name_);
  }
  return *result;
}

node_actor* node::self() const {
  auto result
    = core_->environment == nullptr ? nullptr : core_->environment->self();
  if (result == nullptr)
    throw std::logic_error("self() while the node is not run by an actor");
  return result;
}

bool node::deadline_missed() {
  return core_->engine.deadline_missed();
}

void node::request_shutdown() {
  core_->engine.request_shutdown(delay{}, 0);
}

void node::request_shutdown(const delay& d, int status) {
  core_->engine.request_shutdown(d, status);
}

// -- member_base, typed_member ------------------------------------------------

member_base::member_base(const detail::member_parent& parent, std::string name)
  : parent_(node_access::enter(parent, name)), name_(std::move(name)) {
  // nop
}

template <class Members>
void member_base::join(const char* kind, Members& members,
                       typename Members::value_type self) {
  if (auto problem = detail::problem_of_name(kind, name_); !problem.empty())
    throw graph_error(problem);
  auto quoted = std::string{kind} + " '" + name_ + "'";
  if (name_.empty() || name_.find('.') != std::string::npos)
    throw graph_error(
      quoted
      + " has a bad name: names are not empty, and have no "
        "dots, because 'node.port' names a port");
  if (!node_access::under_construction(*parent()).add_name(members, name_))
    throw graph_error(
      "a node has " + quoted + " twice; give one of the two another name");
  index_ = static_cast<std::uint32_t>(members.size());
  members.push_back(self);
}

typed_member::typed_member(const detail::member_parent& parent,
                           std::string name, const engine::payload_type& type)
  : member_base(parent, std::move(name)), type_(&type) {
  // nop
}

namespace {

/// Refuses a negative duration of an action.
void require_not_negative(const char* part, const std::string& action,
                          std::chrono::nanoseconds x) {
  if (x.count() < 0)
    throw graph_error("the " + std::string{part} + " of " + action + " is "
                      + detail::time_text(x) + "; it must not be negative");
}

} // namespace

// -- parameter_base -----------------------------------------------------------

parameter_base::parameter_base(const detail::member_parent& parent_node,
                               std::string name, std::string values)
  : member_base(parent_node, std::move(name)), values_(std::move(values)) {
  join("parameter", node_access::make_parameters(*parent()), this);
}

// -- input_port_base ----------------------------------------------------------

input_port_base::input_port_base(
  const detail::member_parent& parent_node, std::string name,
  const engine::payload_type& type, kind mode)
  : typed_member(parent_node, std::move(name), type),
    physical_(mode == kind::from_outside), optional_(mode == kind::may_lack) {
  join(physical_ ? "physical action" : "input", node_access::inputs(*parent()),
       this);
  node_access::refuse_late(*this);
}

void input_port_base::set(const detail::physical_action_options& x) {
  auto action = "physical action '" + name() + "'";
  if (x.spacing)
    require_not_negative("spacing", action, x.spacing->distance);
  require_not_negative("delay", action, std::chrono::nanoseconds{x.after.ns()});
  node_access::engine(*parent()).add({index(), x.spacing, x.after});
}

bool input_port_base::offer(engine::value content) {
  engine::envelope x;
  x.kind = engine::envelope_kind::action;
  x.connection = index();
  x.content = std::move(content);
  return node_access::inbox(*parent()).offer(std::move(x), waiting_);
}

const logical_time* input_port_base::intended_tag() const {
  return node_access::engine(*parent()).intended(index());
}

logical_time input_port_base::intended() const {
  return is_tardy() ? *intended_tag() : parent()->now();
}

const engine::input& input_port_base::readable() const {
  return node_access::declared(*parent())->readable(*this);
}

const engine::value& input_port_base::guarded_last() const {
  if (!guarded)
    throw_no_value();
  auto& from = readable();
  if (from.values.empty())
    throw_no_value();
  return from.values.back();
}

void input_port_base::throw_no_value() const {
  throw std::logic_error(
    (physical_ ? "physical action '" : "input '") + name()
    + "' was read before its first value; ask has_value() first"
    + (physical_ ? "" : ", and see that the input is connected"));
}

// -- output_port_base ---------------------------------------------------------

output_port_base::output_port_base(
  const detail::member_parent& parent_node, std::string name,
  const engine::payload_type& type)
  : typed_member(parent_node, std::move(name), type) {
  join("output", node_access::outputs(*parent()), this);
  node_access::refuse_late(*this);
}

void output_port_base::promise(const delay& d) {
  // Either the engine cannot name the output, because it is not wired, or the
  // engine uses another state.
  if (owner == nullptr) {
    auto* access = node_access::declared(*parent());
    if (access == nullptr || !access->is_wired(*this))
      throw std::logic_error(
        "a promise for output '" + name()
        + "' was made outside of the node's reactions");
    access->require_writable(*this);
  }
  node_access::engine(*parent()).promise(index(), d);
}

void output_port_base::write(const engine::value& content) {
  if (owner == nullptr)
    return write_guarded(content);
  owner->write(*this, content);
}

void output_port_base::write_guarded(const engine::value& content) {
  auto* access = node_access::declared(*parent());
  // The engine cannot name the output before it is wired.
  if (access == nullptr || !access->is_wired(*this))
    throw std::logic_error(
      "output '" + name()
      + "' was written outside of the node's reactions; "
        "schedule a physical action instead");
  access->require_writable(*this);
  node_access::engine(*parent()).write(access->state(*this), content);
}

// -- ports_base ---------------------------------------------------------------

ports_base::ports_base(const detail::member_parent& parent_node,
                       std::string name, direction kind, std::size_t size)
  : member_base(parent_node, std::move(name)), size_(size), kind_(kind) {
  constexpr std::size_t most = 1'000'000;
  auto* text = kind == direction::in ? "input" : "output";
  if (size > most)
    throw graph_error(
      std::string{text} + " '" + this->name() + "' has " + std::to_string(size)
      + " channels; the most is " + std::to_string(most));
  auto first
    = kind == direction::in
        ? node_access::inputs(*parent()).size()
        : node_access::outputs(*parent()).size();
  first_ = static_cast<std::uint32_t>(first);
  join(text, node_access::under_construction(*parent()).channels, this);
  node_access::refuse_late(*this);
}

void ports_base::throw_no_port(std::size_t index) const {
  throw std::out_of_range(
    "channel '" + name() + "' has no port '" + name_of(index) + "', but "
    + std::to_string(size_) + (size_ == 1 ? " port" : " ports"));
}

void ports_base::number(input_port_base& port) noexcept {
  detail::member_access::state(port).numbered = true;
}

void ports_base::find_present(std::vector<std::uint32_t>& indices) const {
  indices.clear();
  auto* access = node_access::declared(*parent());
  if (access != nullptr)
    access->require_readable(*this, first_);
  node_access::engine(*parent()).each_present_input([&](auto& state) {
    auto index
      = access != nullptr
          ? access->index_of(state)
          : detail::member_access::port_of(state).index();
    // For an earlier port, the difference is a large number.
    if (auto i = index - first_; i < size_)
      indices.push_back(i);
  });
  if (!std::is_sorted(indices.begin(), indices.end()))
    std::sort(indices.begin(), indices.end());
}

// -- action_base --------------------------------------------------------------

action_base::action_base(const detail::member_parent& parent_node,
                         std::string name, const engine::payload_type& type)
  : typed_member(parent_node, std::move(name), type) {
  join("action", node_access::make_saved(*parent()).actions, this);
  node_access::refuse_late(*this);
}

void action_base::set(const rosia::spacing& x) {
  require_not_negative("spacing", "action '" + name() + "'", x.distance);
  spacing_state = &node_access::make_saved(*parent()).spacings.emplace_front(x);
}

void action_base::join_mode(const detail::member_parent& x) {
  if (x.in_mode != nullptr)
    node_access::engine(*parent()).make_modes().add_action(
      *this, index(), detail::member_access::number(*x.in_mode));
}

bool action_base::add(const delay& d, engine::value content) {
  // The engine cannot name the action before it is wired.
  if (!node_access::runs(*parent()))
    throw std::logic_error(
      "action '" + name()
      + "' was scheduled outside of the node's reactions; schedule a "
        "physical action instead");
  return node_access::engine(*parent()).schedule(
    *this, index(), d, std::move(content));
}

void action_base::throw_no_value() const {
  throw std::logic_error(
    "action '" + name()
    + "' was read at a tag at which it is not present; ask is_present() first, "
      "and keep in a state what is needed later");
}

// -- state_base ---------------------------------------------------------------

state_base::state_base(
  const detail::member_parent& parent_node, std::string name,
  const engine::payload_type& type, std::vector<detail::state_upgrade> older)
  : typed_member(parent_node, std::move(name), type),
    upgrades_(std::move(older)) {
  join("state", node_access::make_saved(*parent()).states, this);
}

void state_base::keep_initial(mode& of) {
  of.initial_.emplace_back(this, copy());
}

// -- reaction_base, reaction, startup -----------------------------------------

namespace detail {

void reaction_parts::declare(
  access_kind kind, std::span<const member_source> ports) {
  if (!declared)
    declared = std::make_unique<declared_members>();
  auto& to = (*declared)[static_cast<std::size_t>(kind)];
  to.insert(to.end(), ports.begin(), ports.end());
}

} // namespace detail

namespace {

detail::code_ptr code_of(detail::reaction_parts& x) {
  if (!x.limit)
    return std::move(x.code);
  return std::make_unique<engine::deadline_code>(
    std::move(x.code), std::move(x.handler), *x.limit);
}

} // namespace

reaction_base::reaction_base(
  const detail::member_parent& parent_node, std::string name,
  graph_description::reaction_kind kind, detail::reaction_parts&& parts)
  : member_base(parent_node, std::move(name)), code_(code_of(parts)),
    kind_(kind), yields_(parts.yields) {
  join("reaction", node_access::reactions(*parent()), this);
  if (parent_node.in_mode != nullptr)
    node_access::engine(*parent()).make_modes().add_reaction(
      index(), detail::member_access::number(*parent_node.in_mode));
}

void reaction_base::declare(const detail::reaction_parts& parts) {
  if (!parts.declared)
    return;
  auto& ports = node_access::make_declared(*parent()).add(*this);
  auto add = [&](detail::access_kind kind, std::vector<std::uint32_t>& to) {
    for (auto& x : (*parts.declared)[static_cast<std::size_t>(kind)])
      declare(kind, x, to);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  using enum detail::access_kind;
  add(reads, ports.reads);
  add(writes, ports.writes);
  add(writes_later, ports.writes_later);
  if (ports.writes_later.empty())
    return;
  if (!yields_)
    throw graph_error(
      "reaction '" + name()
      + "' declares rosia::writes_later, but never yields; declare "
        "rosia::writes, or return a rosia::task");
  code_ = node_access::declared(*parent())->note_first_part(std::move(code_));
}

void reaction_base::declare(
  detail::access_kind kind, const detail::member_source& ports,
  std::vector<std::uint32_t>& to) {
  struct adder final : detail::member_source::visitor {
    adder(reaction_base& x, detail::access_kind y,
          std::vector<std::uint32_t>& indices)
      : self(x), kind(y), to(indices) {
      // nop
    }

    void operator()(detail::member_source::kind,
                    const typed_member* port) override {
      if (port == nullptr)
        throw graph_error("reaction '" + self.name()
                          + "' declares an empty pointer in place of a port");
      if (auto found = self.find_port(kind, *port))
        to.push_back(*found);
      else
        self.note_missing(use(), *port);
    }

    bool operator()(const ports_base& ports) override {
      if (self.has_channel(ports))
        return true;
      self.note_missing(use(), ports);
      return false;
    }

    detail::member_use use() const noexcept {
      return kind == detail::access_kind::reads
               ? detail::member_use::read
               : detail::member_use::write;
    }

    reaction_base& self;
    detail::access_kind kind;
    std::vector<std::uint32_t>& to;
  } add{*this, kind, to};
  ports.visit(add);
}

std::optional<std::uint32_t> reaction_base::find_port(
  detail::access_kind kind, const typed_member& x) const {
  // Compares only addresses, because the port may not be constructed yet.
  auto find = [&](auto& members) -> std::optional<std::uint32_t> {
    std::uint32_t index = 0;
    for (auto* member : members) {
      if (member == &x)
        return index;
      ++index;
    }
    return std::nullopt;
  };
  return kind == detail::access_kind::reads
           ? find(node_access::inputs(*parent()))
           : find(node_access::outputs(*parent()));
}

bool reaction_base::has_channel(const ports_base& x) const {
  auto& known = node_access::under_construction(*parent()).channels;
  return std::find(known.begin(), known.end(), &x) != known.end();
}

void reaction_base::note_missing(
  detail::member_use use, const member_base& x) const {
  auto& notes = node_access::under_construction(*parent());
  if (notes.reaction != nullptr)
    return;
  notes.reaction = this;
  notes.member = &x;
  notes.use = use;
}

std::span<const graph_description::trigger> reaction_base::triggers()
  const noexcept {
  return {};
}

reaction::reaction(const detail::member_parent& parent, std::string name,
                   std::initializer_list<detail::trigger_source> triggers,
                   detail::reaction_parts parts)
  : reaction_base(
    parent, std::move(name),
    parts.is_eager ? graph_description::reaction_kind::eager
                   : graph_description::reaction_kind::plain,
    std::move(parts)) {
  if (parts.limit)
    require_limit(*parts.limit);
  struct adder final : detail::member_source::visitor {
    explicit adder(reaction& x) : self(x) {
      // nop
    }

    void operator()(detail::member_source::kind kind,
                    const typed_member* trigger) override {
      any = true;
      if (kind == detail::member_source::kind::at_shutdown)
        return self.add_at_shutdown();
      self.add_trigger(
        kind == detail::member_source::kind::action
          ? graph_description::trigger_kind::action
          : graph_description::trigger_kind::input,
        trigger);
    }

    bool operator()(const ports_base& triggers) override {
      any = true;
      if (self.has_channel(triggers))
        return true;
      self.note_missing(detail::member_use::input_trigger, triggers);
      return false;
    }

    reaction& self;
    bool any = false;
  } add{*this};
  for (auto& x : triggers)
    x.visit(add);
  declare(parts);
  if (add.any)
    return;
  throw graph_error(
    "reaction '" + this->name() + "' has no triggers"
    + (triggers.size() == 0
         ? ", and would never run; name an input port or an action, or use "
           "start()"
         : ": the range of its triggers is empty; fill it where it is "
           "declared, before the reaction"));
}

void reaction::require_limit(const engine::deadline_limit& x) const {
  if (x.state == nullptr) {
    if (x.fixed < 0)
      throw graph_error(
        "reaction '" + name() + "' has a deadline of "
        + detail::time_text(std::chrono::nanoseconds{x.fixed})
        + "; a deadline is 0 or more");
    return;
  }
  // Compares only addresses, because the state may not be constructed yet.
  auto& states = node_access::saved(*parent()).states;
  if (std::find(states.begin(), states.end(), x.state) == states.end())
    throw graph_error(
      "the deadline of reaction '" + name()
      + "' is a state that its node does not have yet; declare a state of this "
        "node, before the reaction");
}

// Compares only addresses, because the trigger may not be constructed yet.
void reaction::add_trigger(
  graph_description::trigger_kind kind, const typed_member* x) {
  if (x == nullptr)
    throw graph_error(
      "reaction '" + name() + "' has an empty pointer among its triggers");
  auto state_in = [&](auto& members) -> engine::input* {
    for (auto* member : members)
      if (member == x)
        return &detail::member_access::state(*member);
    return nullptr;
  };
  auto is_input = kind == graph_description::trigger_kind::input;
  auto* state = is_input ? state_in(node_access::inputs(*parent()))
                         : state_in(node_access::saved(*parent()).actions);
  if (state == nullptr) // The node does not have it (yet).
    return note_missing(
      is_input ? detail::member_use::input_trigger
               : detail::member_use::action_trigger,
      *x);
  auto& triggered = state->reactions;
  if (!triggered.empty() && triggered.back() == index())
    refuse_twice(x->name());
  triggered.push_back(index());
  triggers_.push_back({kind, x->index()});
  if (auto* modes = node_access::engine(*parent()).modes();
      modes != nullptr && !is_input
      && modes->mode_of_reaction(index()) != modes->none)
    modes->add_trigger(*state);
}

void reaction::add_at_shutdown() {
  if (engine::is_at_shutdown(triggers()))
    refuse_twice("at_shutdown");
  triggers_.push_back({graph_description::trigger_kind::at_shutdown, 0});
}

void reaction::refuse_twice(const std::string& trigger) const {
  throw graph_error("reaction '" + name() + "' names its trigger '" + trigger
                    + "' twice; once is enough");
}

startup::startup(const detail::member_parent& parent, std::string name,
                 detail::reaction_parts parts)
  : reaction_base(parent, std::move(name),
                  graph_description::reaction_kind::startup, std::move(parts)) {
  declare(parts);
}

} // namespace caf::rosia
