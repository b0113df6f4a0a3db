// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/test/harness.hpp"

#include "base/duration.hpp"
#include "base/suggestion.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/parameter.hpp"
#include "engine/hand_over_timer.hpp"
#include "engine/negotiation.hpp"
#include "engine/topology.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

namespace caf::rosia::test {

using detail::member_access;
using detail::node_access;

namespace {

/// The number of connections to each input for values that are in time.
constexpr std::uint32_t inputs_width = 8;

/// Returns the connection for tardy values of an input. The connections for its
/// other values follow, and those of the next input.
constexpr std::uint32_t tardy_connection(std::uint32_t input) {
  return 1 + input * (inputs_width + 1);
}

/// The number of tags after which `run` gives up. `run_until` gives up after as
/// many tags of one nanosecond.
constexpr std::size_t most_tags = 1'000'000;

/// The nodes of the harness's graph. The tested node's sender and receiver are
/// two nodes, so that there is no loop.
constexpr engine::node_id tested = 0;
constexpr engine::node_id upstream = 1;
constexpr engine::node_id downstream = 2;

/// Keeps log lines. A node's threads may log, too.
class line_sink : public spdlog::sinks::base_sink<std::mutex> {
public:
  std::vector<std::string> lines() {
    std::lock_guard guard{mutex_};
    return lines_;
  }

protected:
  void sink_it_(const spdlog::details::log_msg& x) override {
    auto level = spdlog::level::to_string_view(x.level);
    auto& line = lines_.emplace_back(level.data(), level.size());
    line += ": ";
    line.append(x.payload.data(), x.payload.size());
  }

  void flush_() override {
    // nop
  }

private:
  std::vector<std::string> lines_;
};

/// Simulated physical time in nanoseconds, with the calls scheduled for it.
class simulated_clock {
public:
  std::int64_t now() const noexcept {
    return now_;
  }

  /// Returns physical time while code of the node runs. A lag counts from the
  /// tag, or from the clock's time if that is later.
  /// @param tag the nanoseconds of the node's tag.
  std::int64_t in_code(std::int64_t tag) const noexcept {
    return lag_ == 0 ? now_ : std::max(now_, tag) + lag_;
  }

  /// Returns physical time at a check of a deadline. Each further check by the
  /// same piece of code returns a later time.
  /// @param piece a number that differs between pieces of code.
  std::int64_t at_check(std::int64_t tag, std::uint64_t piece) noexcept {
    if (std::exchange(piece_, piece) != piece)
      checks_ = 0;
    return in_code(tag) + lag_by_call_ * checks_++;
  }

  /// See `harness_base::lag`.
  void lag(std::int64_t late, std::int64_t by_call) {
    if (late < 0 || by_call < 0)
      throw std::logic_error(
        "lag(" + detail::time_text(std::chrono::nanoseconds{late}) + ", "
        + detail::time_text(std::chrono::nanoseconds{by_call})
        + "): a lag is not negative");
    lag_ = late;
    lag_by_call_ = by_call;
  }

  void pass_to(std::int64_t ns) noexcept {
    now_ = std::max(now_, ns);
  }

  /// Schedules a call, whose result is ignored.
  void at(std::int64_t ns, std::function<bool()> call) {
    calls_.emplace(ns, std::move(call));
  }

  /// Returns when the next call is due, or `no_wake`.
  std::int64_t next_call() const noexcept {
    return calls_.empty() ? engine::node::no_wake : calls_.begin()->first;
  }

  /// Makes the calls that are due.
  void make_calls() {
    while (next_call() <= now_ && !calls_.empty()) {
      auto call = std::move(calls_.begin()->second);
      calls_.erase(calls_.begin());
      call();
    }
  }

private:
  std::int64_t now_ = 0;
  std::int64_t lag_ = 0;
  std::int64_t lag_by_call_ = 1'000;
  std::uint64_t piece_ = 0; // whose deadline was checked last
  std::int64_t checks_ = 0; // of that piece
  std::multimap<std::int64_t, std::function<bool()>> calls_;
};

/// The connections of the tested node with the harness: eight to each input,
/// for as many values at a tag, and one from each output.
class tested_graph {
public:
  explicit tested_graph(rosia::node& subject)
    : topology_(make_topology(subject)), wiring_(topology_.make_wiring()) {
    // nop
  }

  /// Returns the configuration of the tested node. It refers to this object.
  /// Called once.
  engine::initial_config make_config(rosia::node& subject) {
    engine::initial_config result;
    auto states = node_access::input_states(subject);
    input_states_.assign(states.begin(), states.end());
    input_states_.push_back(&limit_);
    result.inputs = input_states_;
    result.outputs = node_access::output_states(subject);
    wiring_.wire(tested, result);
    result.realtime = node_access::realtime(subject).value_or(true);
    num_inputs_ = static_cast<std::uint32_t>(result.in.size());
    for (auto& x : result.out)
      sinks_.push_back(x.shared);
    return result;
  }

  /// Returns the number of connections to the tested node.
  std::uint32_t num_inputs() const noexcept {
    return num_inputs_;
  }

  /// Returns the link of a connection from the tested node.
  engine::link& sink(std::uint32_t connection) const noexcept {
    return *sinks_[connection];
  }

private:
  static engine::topology make_topology(rosia::node& subject) {
    auto inputs
      = static_cast<std::uint32_t>(node_access::inputs(subject).size());
    auto outputs
      = static_cast<std::uint32_t>(node_access::outputs(subject).size());
    std::vector<engine::connection_spec> connections;
    // The additional input limits the progress of a node without inputs, too.
    connections.push_back({upstream, 0, tested, inputs, {}, false, false});
    for (std::uint32_t i = 0; i < inputs; ++i)
      for (std::uint32_t j = 0; j <= inputs_width; ++j) {
        auto& added = connections.emplace_back(engine::connection_spec{
          upstream, tardy_connection(i) + j, tested, i, {}, false, false});
        if (j == 0) // the node waits for no other values than those of the test
          added.max_wait = std::numeric_limits<std::int64_t>::max();
      }
    for (std::uint32_t i = 0; i < outputs; ++i)
      connections.push_back({tested, i, downstream, i, {}, false, false});
    engine::topology result{
      {node_access::external(subject), false, false},
      std::move(connections),
      [](auto, auto, auto index) { return std::to_string(index); }};
    auto& body = node_access::body(subject);
    result.find_last_tag(
      {body.next_at_shutdown(0) != body.no_reaction, false, false});
    return result;
  }

  engine::topology topology_;
  engine::topology::wiring wiring_;
  engine::input limit_;
  std::vector<engine::input*> input_states_;
  std::uint32_t num_inputs_ = 0;
  std::vector<engine::link*> sinks_;
};

/// Plays the coordinator: negotiates the end of the tested node.
class played_coordinator : public engine::negotiation::host {
public:
  /// @param on_final called when the node knows the final tag.
  played_coordinator(rosia::node& subject, std::function<void()> on_final)
    : node_(&subject), on_final_(std::move(on_final)) {
    // nop
  }

  void request(const shutdown_request& x) {
    if (!first_request_)
      first_request_ = x;
    requests_.push_back(x);
  }

  /// Ends the node as a signal does.
  void request_by_signal() {
    negotiation_.request(never, 0);
  }

  void answer(logical_time tag) {
    negotiation_.answer(tested, tag);
  }

  void done(logical_time last) {
    done_ = last;
  }

  /// @param failed whether the node had an error.
  /// @returns whether there was something to do.
  bool negotiate(bool failed) {
    if (failed && !negotiation_.aborted()) {
      negotiation_.abort(1);
      return true;
    }
    auto requests = std::exchange(requests_, {});
    for (auto& x : requests)
      negotiation_.request(x.tag, x.status);
    auto done = std::exchange(done_, std::nullopt);
    if (done)
      negotiation_.done(tested, *done);
    return !requests.empty() || done;
  }

  bool has_to_negotiate() const noexcept {
    return !requests_.empty() || done_;
  }

  const std::optional<shutdown_request>& first_request() const noexcept {
    return first_request_;
  }

  int status() const noexcept {
    return negotiation_.status();
  }

private:
  void ask(engine::node_id, logical_time proposal) override {
    node_access::engine(*node_).ask_shutdown(proposal);
  }

  void tell_final(engine::node_id, logical_time final,
                  logical_time requested) override {
    node_access::engine(*node_).take_final(final, requested);
    on_final_();
  }

  void abort_node(engine::node_id) override {
    node_access::engine(*node_).abort();
  }

  void agreed(logical_time) override {
    // nop
  }

  void ignored(logical_time, logical_time) override {
    // nop
  }

  void entered(engine::negotiation::stage, std::uint64_t) override {
    // nop
  }

  void late(engine::node_id, engine::negotiation::stage) override {
    // nop
  }

  void finished(int) override {
    // nop
  }

  rosia::node* node_;
  std::function<void()> on_final_;
  engine::negotiation negotiation_{1, std::nullopt, *this};
  std::vector<shutdown_request> requests_;
  std::optional<shutdown_request> first_request_;
  std::optional<logical_time> done_; // that the node reported
};

} // namespace

// -- harness_base::impl -------------------------------------------------------

/// Surrounds the tested node: implements the host of its engine, and its
/// environment. Most functions of these interfaces are trivial. All run in the
/// thread of the test. Tests: test/nodes/harness_test.cpp.
class harness_base::impl
  : public engine::host,
    public detail::node_environment {
public:
  // -- constructors -----------------------------------------------------------

  impl(rosia::node& subject, const detail::node_type& type)
    : node_(&subject), graph_(subject),
      coordinator_(subject, [this] { close_inputs_at_end(); }),
      outputs_(node_access::outputs(subject).size()),
      log_(std::make_shared<line_sink>()) {
    node_access::name(subject, "node");
    auto warning = node_access::complete(subject, type, nullptr);
    node_access::environment(subject, this);
    if (!warning.empty())
      subject.log().warn(warning);
    engine_node().init(
      graph_.make_config(subject), node_access::body(subject), *this, nullptr);
  }

  // -- input ------------------------------------------------------------------

  void set(const input_port_base& port, logical_time tag,
           engine::value content) {
    auto refuse = [&](const char* problem) {
      throw std::logic_error(
        "input '" + port.name() + "' cannot be set at tag " + to_string(tag)
        + ": " + problem);
    };
    if (ended_)
      refuse("the node ended");
    if (tag < logical_time{} || tag == forever)
      refuse("a node's tags start at 0s, and forever never comes");
    if (tag <= until_)
      refuse("a run left that tag behind");
    auto& values = inputs_[{tag, port.index()}];
    if (values.size() == inputs_width)
      refuse("it has eight values at this tag already, which is the limit");
    values.push_back(std::move(content));
  }

  void set_tardy(const input_port_base& port, logical_time intended,
                 std::int64_t ns, engine::value content) {
    if (ended_ || intended < logical_time{} || intended > logical_time{ns, 0})
      throw std::logic_error(
        "input '" + port.name() + "' cannot get a tardy value for tag "
        + to_string(intended) + " at "
        + detail::time_text(std::chrono::nanoseconds{ns})
        + (ended_
             ? ": the node ended"
             : ": a tardy value is meant for a tag from 0s on, and arrives "
               "at its physical time or later"));
    auto connection = tardy_connection(port.index());
    late_.insert(connection);
    clock_.at(ns, [this, connection, intended, content = std::move(content)] {
      return deliver_late(connection, intended, content);
    });
  }

  // -- running ----------------------------------------------------------------

  void run_until(logical_time until) {
    if (until < until_)
      throw std::logic_error(
        "run_until(" + to_string(until) + ") after a run up to "
        + to_string(until_));
    until_ = until;
    deliver(until);
    promise(saturating_add(until, microsteps(1)));
    close_inputs_at_end();
    advance(until.ns);
    clock_.pass_to(until.ns);
  }

  void run() {
    until_ = forever;
    deliver(forever);
    close_inputs();
    advance(engine::node::no_wake);
    if (ended_)
      return;
    // Only physical actions keep it alive: end it as a signal does.
    coordinator_.request_by_signal();
    advance(engine::node::no_wake);
  }

  engine::node& engine_node() noexcept {
    return node_access::engine(*node_);
  }

  // -- overridden functions of node_environment, and of engine::host for time -

  std::int64_t elapsed() override {
    return engine_node().executing()
             ? clock_.in_code(engine_node().logical().ns)
             : clock_.now();
  }

  std::int64_t elapsed_at_deadline() override {
    return clock_.at_check(
      engine_node().logical().ns, engine_node().progress());
  }

  void warn(const std::string& text) override {
    node_->log().warn(text);
  }

  std::int64_t coarse_elapsed(bool) override {
    return clock_.now();
  }

  std::shared_ptr<spdlog::logger> make_logger(
    const std::string& name) override {
    auto result = std::make_shared<spdlog::logger>(name, log_);
    result->set_level(spdlog::level::trace);
    return result;
  }

  node_actor* self() override {
    return nullptr;
  }

private:
  friend class harness_base;

  // -- overridden functions of engine::host -----------------------------------

  bool has_mail() override {
    return node_access::inbox(*node_).has_mail();
  }

  void drain(std::vector<engine::envelope>& into) override {
    node_access::inbox(*node_).drain(into);
  }

  void send(engine::node_id receiver,
            std::vector<engine::envelope>& batch) override {
    if (receiver == tested) {
      node_access::inbox(*node_).push(batch);
      return;
    }
    // The connections are in the order of the outputs.
    for (auto& x : batch) {
      auto is_data = x.kind == engine::envelope_kind::data;
      if (is_data)
        graph_.sink(x.connection).executed.fetch_add(1);
      if (is_data || x.kind == engine::envelope_kind::last_tag)
        outputs_[x.connection].push_back({x.tag, std::move(x.content)});
    }
    batch.clear();
  }

  void wake(engine::node_id) override {
    // nop: the only node checks for everything anyway
  }

  void close() override {
    node_access::inbox(*node_).refuse();
  }

  void request(logical_time proposal, int status) override {
    coordinator_.request({proposal, status});
  }

  void answer(logical_time tag) override {
    coordinator_.answer(tag);
  }

  void done(logical_time last) override {
    coordinator_.done(last);
  }

  void failed(const engine::failure& error) override {
    error_ = error;
  }

  void shutdown_failed(const engine::failure& error) override {
    shutdown_error_ = error;
  }

  void lagging(logical_time, std::int64_t, bool) override {
    // nop: lags are meaningless in simulated time
  }

  void dropped(engine::drop_reason) override {
    ++dropped_;
  }

  // -- running ----------------------------------------------------------------

  void push(engine::envelope x) {
    std::vector<engine::envelope> batch;
    batch.push_back(std::move(x));
    node_access::inbox(*node_).push(batch);
  }

  /// Sends the values that were set for tags up to and including `until`.
  void deliver(logical_time until) {
    auto end = inputs_.upper_bound({until, ~std::uint32_t{0}});
    for (auto i = inputs_.begin(); i != end; ++i) {
      auto [tag, port] = i->first;
      auto connection = tardy_connection(port);
      for (auto& content : i->second)
        push({.tag = tag,
              .promise = tag,
              .connection = ++connection,
              .content = std::move(content)});
    }
    inputs_.erase(inputs_.begin(), end);
  }

  void promise(logical_time bound) {
    for (std::uint32_t i = 0; i < graph_.num_inputs(); ++i)
      push({.kind = engine::envelope_kind::promise,
            .promise = bound,
            .connection = i});
  }

  /// Lets inputs end, except for those of tardy values that are still to be
  /// delivered.
  void close_inputs() {
    for (std::uint32_t i = 0; i < graph_.num_inputs(); ++i)
      if (late_.contains(i))
        push({.kind = engine::envelope_kind::promise,
              .promise = forever,
              .connection = i});
      else
        push({.kind = engine::envelope_kind::no_more, .connection = i});
  }

  /// Delivers a value after the node was promised that none arrives at `tag`.
  bool deliver_late(std::uint32_t connection, logical_time tag,
                    const engine::value& content) {
    push({.tag = tag, .connection = connection, .content = content});
    late_.erase(late_.find(connection));
    if (until_ == forever && !late_.contains(connection))
      push({.kind = engine::envelope_kind::no_more, .connection = connection});
    return true;
  }

  /// Lets the node advance until it has ended, or waits for physical time after
  /// `until`.
  void advance(std::int64_t until) {
    if (!started_) {
      started_ = true;
      engine_node().start();
    }
    engine::hand_over_timer untimed;
    auto endless = until == engine::node::no_wake;
    auto time = engine_node().logical().ns;
    for (std::size_t tags = 0; !ended_;) {
      if (coordinator_.negotiate(error_.has_value()))
        continue;
      clock_.make_calls();
      // One tag at a time, so that a request is handled before the next tag.
      switch (engine_node().advance(1, untimed)) {
        case engine::node::state::left:
          ended_ = true;
          break;
        case engine::node::state::more:
          if (auto now = engine_node().logical().ns; !endless && now != time) {
            time = now;
            tags = 0;
          }
          if (++tags == most_tags)
            throw std::runtime_error(
              "the node executed a million tags, up to "
              + to_string(engine_node().logical())
              + (endless ? ", and has not ended; run_until(...) runs a part"
                         : ", and its logical time stands still"));
          break;
        case engine::node::state::idle:
          if (coordinator_.has_to_negotiate() || error_)
            break;
          auto next = std::min(engine_node().wake_at(), clock_.next_call());
          if (next == engine::node::no_wake || next > until)
            return;
          clock_.pass_to(next);
          break;
      }
    }
  }

  /// Lets the connected nodes leave at the final tag, once no more values can
  /// be set for it. The node waits for that at the last tag.
  void close_inputs_at_end() {
    if (until_ >= engine_node().final())
      close_inputs();
  }

  // -- member variables -------------------------------------------------------

  rosia::node* node_;
  tested_graph graph_;
  played_coordinator coordinator_;
  simulated_clock clock_;
  logical_time until_ = never;
  bool started_ = false;
  bool ended_ = false;
  std::map<std::pair<logical_time, std::uint32_t>, std::vector<engine::value>>
    inputs_;
  std::multiset<std::uint32_t> late_; // connections of coming tardy values
  std::vector<std::vector<sent<engine::value>>> outputs_;
  std::optional<engine::failure> error_;
  std::optional<engine::failure> shutdown_error_;
  std::size_t dropped_ = 0;
  std::shared_ptr<line_sink> log_;
};

// -- constructors, destructors ------------------------------------------------

harness_base::harness_base() {
  // nop
}

harness_base::~harness_base() {
  // nop
}

void harness_base::adopt(node& subject, const detail::node_type& type) {
  impl_ = std::make_unique<impl>(subject, type);
}

void harness_base::require(const parameters& set, const node& subject) {
  std::vector<std::string> names;
  for (auto* parameter : detail::node_access::parameters(subject))
    names.push_back(parameter->name());
  for (auto& [name, value] : set.values)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw std::logic_error(
        "the node has no parameter '" + name + "'"
        + detail::suggestion(name, names));
}

// -- running ------------------------------------------------------------------

void harness_base::lag(time_span late, time_span by_call) {
  impl_->clock_.lag(late.count(), by_call.count());
}

void harness_base::run_until(moment until) {
  impl_->run_until(until.tag);
}

void harness_base::run() {
  impl_->run();
}

// -- properties ---------------------------------------------------------------

logical_time harness_base::now() const noexcept {
  return impl_->engine_node().logical();
}

std::chrono::nanoseconds harness_base::elapsed() const noexcept {
  return std::chrono::nanoseconds{impl_->elapsed()};
}

bool harness_base::started() const noexcept {
  return impl_->started_;
}

bool harness_base::ended() const noexcept {
  return impl_->ended_;
}

const std::optional<shutdown_request>& harness_base::requested_shutdown()
  const noexcept {
  return impl_->coordinator_.first_request();
}

int harness_base::status() const noexcept {
  return impl_->coordinator_.status();
}

const std::optional<failure>& harness_base::error() const noexcept {
  return impl_->error_;
}

const std::optional<failure>& harness_base::shutdown_error() const noexcept {
  return impl_->shutdown_error_;
}

std::size_t harness_base::dropped() const noexcept {
  return impl_->dropped_ + node_access::inbox(*impl_->node_).refused();
}

std::vector<std::string> harness_base::log() const {
  return impl_->log_->lines();
}

std::vector<std::string> harness_base::states() const {
  std::vector<std::string> result;
  for (auto* x : node_access::saved(*impl_->node_).states)
    result.push_back(x->name() + ": " + member_access::text(*x));
  return result;
}

std::string harness_base::active_mode() const {
  auto* modes = impl_->engine_node().modes();
  if (modes == nullptr)
    return {};
  auto& active = (*modes)[modes->active()];
  return node_access::saved(*impl_->node_).actions[active.index]->name();
}

// -- implementation -----------------------------------------------------------

void harness_base::set(const input_port_base& port, logical_time tag,
                       engine::value content) {
  impl_->set(port, tag, std::move(content));
}

void harness_base::set_tardy(const input_port_base& port, logical_time intended,
                             time_span when, engine::value content) {
  impl_->set_tardy(port, intended, when.count(), std::move(content));
}

void harness_base::at(time_span when, std::function<bool()> call) {
  impl_->clock_.at(when.count(), std::move(call));
}

const std::vector<sent<engine::value>>& harness_base::sent_by(
  const output_port_base& port) const noexcept {
  return impl_->outputs_[port.index()];
}

std::vector<scheduled<engine::value>> harness_base::scheduled_for(
  const action_base& action) const {
  std::vector<scheduled<engine::value>> result;
  if (auto* events = impl_->engine_node().events().scheduled())
    for (auto& x : events->list())
      if (x.index == action.index())
        result.push_back({x.tag, std::move(x.content)});
  return result;
}

std::optional<std::chrono::nanoseconds> harness_base::expiry_of(
  const rosia::watchdog& x) const {
  auto& found = impl_->engine_node().watchdogs()->find(x.index());
  return found.runs()
           ? std::optional{std::chrono::nanoseconds{found.expiry_tag().ns}}
           : std::nullopt;
}

} // namespace caf::rosia::test
