// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/node.hpp"

#include "caf/rosia/detail/reaction_ended.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"

#include <algorithm>
#include <stdexcept>

namespace caf::rosia {

using detail::node_access;

namespace {

/// Checks a member's name against those that the node has, and numbers it.
template <class Ts>
std::uint32_t add_member(const char* what, const std::string& name, Ts& members,
                         typename Ts::value_type member) {
  auto quoted = std::string{what} + " '" + name + "'";
  if (name.empty() || name.find('.') != std::string::npos)
    throw graph_error(
      quoted
      + " has a bad name: names are not empty, and have no "
        "dots, because 'node.port' names a port");
  for (auto& x : members)
    if (x->name() == name)
      throw graph_error(
        "a node has " + quoted + " twice; give one of the two another name");
  members.push_back(member);
  return static_cast<std::uint32_t>(members.size() - 1);
}

} // namespace

namespace detail {

node_environment::~node_environment() {
  // nop
}

std::string node_access::port_name(node& x, bool output, std::uint32_t index) {
  return x.name_ + '.'
         + (output ? x.outputs_[index]->name() : x.inputs_[index]->name());
}

bool node_access::external(node& x) noexcept {
  return std::any_of(x.inputs_.begin(), x.inputs_.end(),
                     [](auto* port) { return port->is_physical(); })
         || std::any_of(x.reactions_.begin(), x.reactions_.end(),
                        [](auto* reaction) { return reaction->is_trigger(); });
}

} // namespace detail

// -- node ---------------------------------------------------------------------

node::node() {
  // nop
}

node::~node() {
  inbox_.close();
}

std::chrono::nanoseconds node::elapsed() const {
  return std::chrono::nanoseconds{
    environment_ == nullptr ? 0 : environment_->elapsed()};
}

spdlog::logger& node::log() {
  if (!logger_) {
    if (environment_ == nullptr)
      throw std::logic_error(
        "log() while the node does not run, for example in its constructor; "
        "use it from start() on");
    logger_ = environment_->make_logger(name_);
  }
  return *logger_;
}

node_actor* node::self() const {
  auto result = environment_ == nullptr ? nullptr : environment_->self();
  if (result == nullptr)
    throw std::logic_error("self() while the node is not run by an actor");
  return result;
}

void node::request_shutdown() {
  engine_.request_shutdown(delay{}, 0);
}

void node::request_shutdown(const delay& d, int status) {
  engine_.request_shutdown(d, status);
}

// -- node::engine_body
// ---------------------------------------------------------------

void node::engine_body::start() {
  try {
    task::run(self_->type_->start(*self_), self_->engine_);
  } catch (const detail::reaction_ended&) {
    // It wanted to end.
  }
}

void node::engine_body::react(std::uint32_t reaction) {
  react(reaction, nullptr);
}

void node::engine_body::react(
  std::uint32_t reaction, const engine::value_ptr& content) {
  try {
    task::run(
      self_->reactions_[reaction]->run(content), self_->engine_, content);
  } catch (const detail::reaction_ended&) {
    // It wanted to end.
  }
}

void node::engine_body::resume(void* token) {
  task::resume(token);
}

void node::engine_body::discard(void* token) noexcept {
  task::discard(token);
}

void node::engine_body::took(bool trigger, std::uint32_t index) noexcept {
  if (trigger)
    self_->reactions_[index]->took();
  else
    self_->inputs_[index]->waiting().fetch_sub(1, std::memory_order_relaxed);
}

void node::engine_body::shutdown() {
  try {
    self_->type_->shutdown(*self_);
  } catch (const detail::reaction_ended&) {
    // It wanted to end.
  }
}

std::string_view node::engine_body::reaction_name(
  std::uint32_t reaction) const {
  return self_->reactions_[reaction]->name();
}

std::string_view node::engine_body::output_name(std::uint32_t output) const {
  return self_->outputs_[output]->name();
}

// -- input_port_base ----------------------------------------------------------

input_port_base::input_port_base(
  node* parent, std::string name, const engine::payload_type& type,
  bool is_physical)
  : parent_(parent), name_(std::move(name)), type_(&type),
    index_(add_member("input", name_, node_access::inputs(*parent), this)),
    physical_(is_physical) {
  // nop
}

void input_port_base::throw_no_value() const {
  throw std::logic_error(
    "input '" + name_
    + "' was read before its first value; ask "
      "has_value() first");
}

// -- output_port_base ---------------------------------------------------------

output_port_base::output_port_base(
  node* parent, std::string name, const engine::payload_type& type)
  : parent_(parent), name_(std::move(name)), type_(&type),
    index_(add_member("output", name_, node_access::outputs(*parent), this)) {
  // nop
}

void output_port_base::promise(const delay& d) {
  // The engine cannot name the output before it is wired.
  if (!node_access::runs(*parent_))
    throw std::logic_error(
      "a promise for output '" + name_
      + "' was made outside of the node's reactions");
  node_access::engine(*parent_).promise(index_, d);
}

void output_port_base::write(engine::value_ptr content) {
  if (!node_access::runs(*parent_))
    throw std::logic_error(
      "output '" + name_
      + "' was written outside of the node's reactions; "
        "call a trigger instead");
  node_access::engine(*parent_).write(index_, std::move(content));
}

// -- reaction_base, reaction --------------------------------------------------

reaction_base::reaction_base(node* parent, std::string name)
  : parent_(parent), name_(std::move(name)),
    index_(
      add_member("reaction", name_, node_access::reactions(*parent), this)) {
  // nop
}

void reaction_base::took() noexcept {
  // nop
}

reaction::reaction(
  node* parent, std::string name,
  std::initializer_list<std::reference_wrapper<input_port_base>> triggers,
  std::function<task()> fun, bool is_eager)
  : reaction_base(parent, std::move(name)), fun_(std::move(fun)),
    eager_(is_eager) {
  if (triggers.size() == 0)
    throw graph_error(
      "reaction '" + this->name()
      + "' has no triggers, and would never run; name an input "
        "port, or use start() or a rosia::trigger");
  triggers_.reserve(triggers.size());
  for (input_port_base& x : triggers) {
    if (x.parent() != parent)
      throw graph_error(
        "reaction '" + this->name() + "' has the input '" + x.name()
        + "' of another node as a trigger; connect that node's "
          "output to an input of this node instead");
    if (std::find(triggers_.begin(), triggers_.end(), x.index())
        != triggers_.end())
      throw graph_error("reaction '" + this->name() + "' names its trigger '"
                        + x.name() + "' twice; once is enough");
    triggers_.push_back(x.index());
    x.state().reactions.push_back(index());
  }
}

// -- trigger_base -------------------------------------------------------------

const std::vector<std::uint32_t>& trigger_base::triggers() const noexcept {
  static const std::vector<std::uint32_t> none;
  return none;
}

void trigger_base::took() noexcept {
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

bool trigger_base::call(engine::value_ptr content) {
  engine::envelope x;
  x.what = engine::envelope::kind::trigger;
  x.connection = index();
  x.content = std::move(content);
  return node_access::inbox(*parent()).offer(std::move(x), waiting_);
}

} // namespace caf::rosia
