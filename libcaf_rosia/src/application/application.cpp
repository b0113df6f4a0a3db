// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/application.hpp"
#include "base/exception_text.hpp"
#include "base/secret.hpp"

#include "application/agreed_graph.hpp"
#include "application/application_access.hpp"
#include "application/application_page.hpp"
#include "application/graph_builder.hpp"
#include "application/graph_drawing.hpp"
#include "application/group_file.hpp"
#include "application/port_lookup.hpp"
#include "application/run_files.hpp"
#include "application/run_gate.hpp"
#include "application/run_state.hpp"
#include "application/saved_runs.hpp"
#include "application/unconnected_triggers.hpp"
#include "base/checkpoint_signal.hpp"
#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/held_signal.hpp"
#include "base/logging.hpp"
#include "base/signal_mask.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/composite.hpp"
#include "caf/rosia/diagram.hpp"
#include "caf/rosia/reaction.hpp"
#include "compat/io/network_thread.hpp"
#include "config/parameter_settings.hpp"
#include "config/process_options.hpp"
#include "distributed/membership.hpp"
#include "distributed/process_session.hpp"
#include "distributed/role.hpp"
#include "drills/drill.hpp"
#include "engine/deadline_code.hpp"
#include "engine/topology.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/node_status.hpp"
#include "runtime/run_context.hpp"
#include "runtime/run_loop.hpp"
#include "runtime/runtime.hpp"

#include <caf/actor_registry.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia {

using detail::graph_builder;
using detail::node_access;
using detail::run_gate;

namespace {

/// Checks options, and sets those that depend on other options.
options checked(options opts) {
  validate(opts);
  detail::take_role(opts);
  detail::check_role(opts);
  detail::check_checkpoint_options(opts);
  if (!opts.watch.address.empty())
    detail::page_config_of(opts);
  return opts;
}

/// Returns a connection of a kind, without its ends.
engine::connection_spec spec_of(const connection_kind& kind) {
  if (kind.keep_latest == 0u)
    throw graph_error("keep_latest(0): a connection keeps at least one value");
  if (kind.wait && kind.wait->count() < 0)
    throw graph_error("maxwait(" + detail::time_text(*kind.wait)
                      + "): a maximal wait is not negative");
  engine::connection_spec result;
  result.distance = kind.distance;
  result.physical = kind.physical;
  result.keep_latest = kind.keep_latest.value_or(0);
  if (kind.wait)
    result.max_wait = kind.wait->count();
  return result;
}

} // namespace

connection_kind operator>>=(
  const connection_kind& first, const connection_kind& second) {
  if (first.physical || second.physical)
    throw graph_error(
      "a physical connection has no delay and no maximal wait, because its "
      "receiver's clock determines the tags; leave out rosia::after and "
      "rosia::maxwait, or rosia::physical and rosia::keep_latest");
  if (first.wait && second.wait)
    throw graph_error(
      "a connection has two maximal waits; leave out one rosia::maxwait");
  if (!first.distance.is_zero() && !second.distance.is_zero())
    throw graph_error(
      "a connection has two delays; leave out one rosia::after");
  auto result = first.distance.is_zero() ? second : first;
  result.wait = first.wait ? first.wait : second.wait;
  return result;
}

namespace detail {

namespace {

/// The innermost composite that this thread constructs.
thread_local composite_scope* current_scope = nullptr;

} // namespace

} // namespace detail

struct application::impl {
  impl(application& self, caf::actor_system& sys, options x)
    : system(&sys), opts(checked(std::move(x))),
      log(std::make_shared<detail::log_context>(opts.log_level)),
      logger(log->make("rosia")),
      drill(detail::drill::join(opts, opts.network.process, *logger)),
      page(std::make_shared<detail::application_link>(self)),
      graph(logger, detail::run_context::max_in_flight(opts),
            detail::is_distributed(opts), opts.set),
      files(opts, logger) {
    auto number = detail::checkpoint_signal_number(opts.checkpoint.signal);
    if (!number || opts.signals != signal_behavior::handle)
      return;
    checkpoint_signal.emplace(*number);
    // The parent process may have blocked the signal until a handler exists.
    detail::unblock_signal(*number);
  }

  /// Returns the process that a node was placed in; empty if none.
  std::string process_of(engine::node_id id) const {
    return graph.process_of(id, opts.placement);
  }

  /// Takes over the options that are the same in all processes.
  void agree(const join_reply& agreed) {
    opts.realtime = agreed.realtime;
    opts.stop_after.reset();
    if (agreed.stop_after != never)
      opts.stop_after = agreed.stop_after;
    opts.max_in_flight = agreed.max_in_flight;
    opts.grace_period = std::chrono::nanoseconds{agreed.grace_period};
    if (agreed.watched)
      page.note_watched();
    if (agreed.checkpoints != !opts.checkpoint.file.empty())
      throw std::runtime_error(
        agreed.checkpoints
          ? "the coordinator takes checkpoints, and this process does not: set "
            "rosia.checkpoint.file for all processes"
          : "rosia.checkpoint.file is set, but not for the coordinator: set it "
            "for all processes, or for none");
    files.require_same_replay(agreed.start.replayed_run);
    opts.checkpoint.every.reset();
    if (agreed.checkpoint_every > 0)
      opts.checkpoint.every = std::chrono::nanoseconds{agreed.checkpoint_every};
  }

  /// @param session a random number that all processes share.
  std::shared_ptr<detail::runtime> make_run(
    detail::node_directory nodes, engine::topology topology,
    std::unique_ptr<detail::session> others, std::uint64_t session,
    const detail::starting_point& start) {
    auto groups = make_groups(nodes, topology);
    std::optional<graph_description> description;
    run_file::graph_lines lines;
    if (start.resumes() || !opts.checkpoint.file.empty()) {
      description = nodes.describe(topology);
      lines = detail::describe_for_resume(*description);
    }
    auto from = files.load_checkpoint(start, lines);
    if (!opts.checkpoint.file.empty())
      detail::check_savable(nodes);
    auto context = std::make_shared<detail::run_context>(
      *system, opts, log, files.make_trace(), std::move(nodes),
      std::move(topology), std::move(others), std::move(description));
    page.attach_to(*context, groups, *log);
    context->executors().rules(std::move(groups));
    files.attach_to(
      *context, session, start, std::move(from), std::move(lines));
    return std::make_shared<detail::runtime>(std::move(context));
  }

  /// @throws graph_error for a node that has to be executed alone, and is in a
  ///   loop that is executed as one [10.1.9].
  static void refuse_in_instant_loops(
    const detail::node_directory& nodes, const engine::topology& topology) {
    for (auto& loop : topology.inseparable_loops())
      for (auto id : loop) {
        auto* local = nodes.find(id);
        auto waits = has_max_wait(topology, id);
        if (local == nullptr
            || (!waits
                && detail::node_access::engine(*local).watchdogs() == nullptr))
          continue;
        throw graph_error(
          "node '" + nodes.name(id) + "' "
          + (waits ? "receives from a connection with a maximal wait"
                   : "has a watchdog")
          + ", and is part of a loop that contains a loop of nodes without "
            "delay, whose nodes are executed together; give one of the "
            "connections without delay a delay (rosia::after(...)), or move "
            "this to a node outside of the loop");
      }
  }

  /// Returns whether a connection to the node has a maximal wait.
  static bool has_max_wait(const engine::topology& topology,
                           engine::node_id id) {
    return std::ranges::any_of(topology.incoming(id), [&](auto i) {
      return topology.connections()[i].has_max_wait();
    });
  }

  detail::grouping make_groups(const detail::node_directory& nodes,
                               const engine::topology& topology) const {
    using enum detail::grouping::manner;
    detail::grouping result{.separate = separate};
    // In a group, other nodes would delay an expiry, or the end of a wait.
    for (auto id : nodes.local())
      if (detail::node_access::engine(*nodes.find(id)).watchdogs() != nullptr
          || has_max_wait(topology, id))
        result.separate.push_back(id);
    if (opts.groups == "auto")
      return result;
    if (opts.groups == "off") {
      result.kind = alone;
    } else if (opts.groups == "all") {
      result.kind = connected;
    } else if (opts.groups == "shuffle") {
      result.kind = at_random;
    } else {
      result.kind = listed;
      auto declared = detail::read_groups(opts.groups, nodes);
      for (auto& warning : declared.warnings)
        logger->warn("{}", warning);
      result.groups = std::move(declared.groups);
    }
    return result;
  }

  /// Checks the graph, and that the report can be written.
  void check(const detail::node_directory& nodes,
             const engine::topology& topology) const {
    refuse_in_instant_loops(nodes, topology);
    if (!opts.set.empty())
      detail::check_settings(opts.set, nodes.describe(topology).nodes);
    if (opts.warn_unconnected)
      detail::warn_of_unconnected(*logger, topology, graph.instances());
    if (!opts.report.empty())
      detail::check_report_file(opts.report);
  }

  caf::actor_system* system;
  options opts;
  std::shared_ptr<detail::log_context> log;
  std::shared_ptr<spdlog::logger> logger;
  std::optional<detail::held_signal> checkpoint_signal;
  std::shared_ptr<detail::drill> drill; // null if there is none
  detail::application_page page;        // its counts outlive the nodes
  graph_builder graph;
  bool has_all_nodes = false;            // includes nodes of other processes
  std::vector<engine::node_id> separate; // nodes that are in no group
  std::shared_ptr<run_gate> gate = std::make_shared<run_gate>();
  detail::run_state state;
  detail::run_files files;
};

// -- application_access -------------------------------------------------------

void detail::application_access::trace(
  application& x, std::function<void(std::string_view)> sink) {
  x.impl_->files.trace(std::move(sink));
}

namespace {

/// An earlier run of which nothing is known.
class unknown_deadlines final : public engine::deadline_source {
public:
  std::vector<engine::passed_deadline> next() override {
    return {};
  }

  logical_time known_below() const noexcept override {
    return never;
  }
};

} // namespace

void detail::application_access::assume_deadlines(application& x) {
  x.impl_->graph.wait_forever();
  for (auto* node : x.impl_->graph.instances()) {
    if (node == nullptr)
      continue;
    node_access::for_each_deadline(*node, [](auto&, auto& deadline) {
      deadline.replay(std::make_unique<unknown_deadlines>());
    });
    if (auto* watchdogs = node_access::engine(*node).watchdogs())
      watchdogs->never_expire();
  }
}

void detail::application_access::replay_piece(
  application& x, std::size_t bytes) {
  x.impl_->files.replay_piece(bytes);
}

detail::application_view detail::application_access::look(application& x) {
  application_view result;
  auto& impl = *x.impl_;
  result.actors = impl.system->registry().running();
  auto run = impl.state.run();
  // Reading the status waits for busy nodes, which would make the other nodes
  // look late.
  auto seen_at = run ? run->context().time().elapsed() : 0;
  result.status = x.status();
  if (run && result.status.stage != application_stage::not_started)
    result.status.elapsed = std::chrono::nanoseconds{seen_at};
  // Before the run, its thread may change the members that are read below.
  if (!run && !impl.state.is_over())
    return result;
  result.graph = impl.page.graph();
  result.realtime = impl.opts.realtime;
  result.lag_warn = impl.opts.lag_warn.has_value();
  result.process = is_distributed(impl.opts) ? process_name(impl.opts) : "";
  // Before the start, that thread may make the counters.
  if (result.status.stage != application_stage::not_started)
    result.counts = impl.page.counts(
      impl.graph.instances(), run ? run->context().time().elapsed() : 0);
  return result;
}

void detail::application_access::give_report(application& x) {
  if (auto run = x.impl_->state.run())
    run->requests().request_report();
}

void detail::application_access::show(
  application& x, std::shared_ptr<watch_source> other) {
  x.impl_->page.show(std::move(other));
}

std::string detail::application_access::page_url(const application& x) {
  return x.impl_->page.url();
}

void detail::application_access::on_start(
  application& x, std::function<void()> fun) {
  x.impl_->state.on_start(std::move(fun));
}

void detail::application_access::on_over(application& x, listener fun) {
  x.impl_->state.on_over(std::move(fun));
}

std::shared_ptr<detail::application_link> detail::application_access::link(
  application& x) {
  return x.impl_->page.link();
}

bool detail::application_access::request_end(application& x) {
  if (x.impl_->gate->close())
    return false;
  x.request_shutdown();
  return true;
}

void detail::application_access::request_end_by_page(application& x) {
  if (!x.impl_->state.wants_end())
    x.impl_->logger->info("a request by the live page: the application ends");
  x.request_shutdown();
}

bool detail::application_access::abort(application& x, int status) {
  if (x.impl_->gate->close())
    return false;
  x.abort(status);
  return true;
}

// -- constructors, destructors ------------------------------------------------

application::application(caf::actor_system& sys)
  : application(sys, options_from(sys.config())) {
  // nop
}

application::application(caf::actor_system& sys, options opts)
  : impl_(std::make_unique<impl>(*this, sys, std::move(opts))) {
  // nop
}

application::~application() {
  if (impl_->gate->is_busy() && !impl_->state.is_over()) {
    impl_->logger->error(
      "an application is destroyed while its run() is executing in another "
      "thread: it is requested to end, and its destructor waits for that; join "
      "the thread before the application is destroyed");
    request_shutdown();
  }
  warn_of_no_run();
  impl_->gate->await(); // run() may be about to return
  impl_->page.close();
  impl_->page.link()->cut();
  impl_->state.announce({});
}

void application::warn_of_no_run() const {
  // An exception or a request for an end explains why run() was not called.
  if (size() == 0 || impl_->gate->was_used() || impl_->state.wants_end()
      || impl_->gate->is_unwinding())
    return;
  impl_->logger->warn(
    "run() was never called: an application is destroyed whose {} not run",
    detail::plural(size(), "node has", "nodes have"));
}

// -- building -----------------------------------------------------------------

void application::connect(std::string_view from, std::string_view to,
                          const connection_kind& kind) {
  check_building(std::string{from});
  impl_->graph.connect(
    {spec_of(kind),
     std::make_unique<graph_builder::named_ports>(
       graph_builder::named_ports{std::string{from}, std::string{to}})});
}

// -- composite ----------------------------------------------------------------

composite::composite() {
  auto* scope = detail::current_scope;
  if (scope == nullptr || std::exchange(scope->used_, true))
    throw std::logic_error(
      "a composite is created by application::create, by create_bank, or as a "
      "rosia::part of another composite");
  app_ = scope->owner_;
  name_ = scope->path_;
  index_ = scope->index_;
}

composite::~composite() {
  // nop
}

// -- running ------------------------------------------------------------------

int application::run() {
  run_gate::visit visit{impl_->gate};
  if (!impl_->state.is_building())
    throw std::logic_error("an application runs once; create a new one");
  if (!visit.may_start()) {
    impl_->logger->info(
      "the application does not start: the shutdown that it takes part in "
      "has begun");
    return end_before_start();
  }
  impl_->state.announce_start();
  try {
    if (!impl_->opts.diagram.empty())
      return draw();
    if (detail::lists_parameters(impl_->opts.set))
      return list_parameters();
    impl_->files.lock();
    impl_->files.load_replay();
    impl_->page.open(impl_->opts, impl_->log, *impl_->logger);
    return is_distributed() ? run_with_others() : run_alone();
  } catch (...) {
    if (impl_->state.is_building())
      impl_->files.outputs().remove_new();
    impl_->files.outputs().release();
    impl_->state.announce(
      {detail::status_error, detail::current_exception_text()});
    throw;
  }
}

graph_description application::diagram() const {
  if (!impl_->state.is_building())
    throw std::logic_error(
      "diagram() is called after run(); ask for it before");
  auto& opts = impl_->opts;
  if (!is_distributed()) {
    detail::node_directory nodes{impl_->graph.instances()};
    auto topology = impl_->graph.make_graph();
    return detail::add_groups(
      nodes.describe(topology), nodes, topology,
      impl_->make_groups(nodes, topology));
  }
  if (!opts.network.join.empty())
    throw std::logic_error(
      "a process that joins a coordinator does not know where all nodes run; "
      "let the coordinator draw the diagram");
  detail::check_placement(impl_->graph, opts.placement);
  detail::agreed_graph graph{
    impl_->graph, detail::all_process_names(opts), 0, opts.placement};
  impl_->has_all_nodes = true;
  auto agreed = graph.agree_alone();
  auto nodes = graph.make_directory(agreed);
  auto topology = graph.make_graph(nodes, agreed);
  return detail::add_groups(
    nodes.describe(topology), nodes, topology,
    impl_->make_groups(nodes, topology));
}

int application::draw() {
  if (impl_->drill) {
    std::vector<std::string> names;
    for (engine::node_id i = 0; i < size(); ++i)
      names.push_back(name_of(i));
    impl_->drill->introduce(names);
  }
  auto& file = impl_->opts.diagram;
  write_diagram(file, diagram());
  impl_->logger->info(
    "the diagram is in '{}'; the application does not run, because "
    "rosia.diagram is set",
    file);
  return end_before_start();
}

int application::list_parameters() {
  std::cout << detail::describe_parameters(diagram().nodes) << std::flush;
  return end_before_start();
}

int application::end_before_start() {
  impl_->files.outputs().release();
  application_report report;
  report.stage = application_stage::over;
  impl_->state.finish(std::move(report), 0);
  return 0;
}

int application::run_alone() {
  auto topology = impl_->graph.make_graph();
  detail::node_directory nodes{impl_->graph.instances()};
  impl_->check(nodes, topology);
  return run(impl_->make_run(
    std::move(nodes), std::move(topology), nullptr, detail::random_number(),
    impl_->files.choose_start()));
}

int application::run_with_others() {
  if (impl_->has_all_nodes)
    throw std::logic_error(
      "an application over several processes does not run after diagram(), "
      "which created the nodes of all processes");
  auto& log = *impl_->logger;
  auto unused = detail::check_placement(impl_->graph, impl_->opts.placement);
  try {
    detail::membership group{
      *impl_->system, impl_->opts, impl_->logger, impl_->drill,
      impl_->opts.network.join.empty()
        ? impl_->files.choose_start()
        : detail::starting_point{}};
    // Unless this process has its own placement, the coordinator logs the
    // warnings.
    if (group.coordinates() || impl_->opts.placement != group.placement())
      for (auto& warning : unused)
        log.warn("{}", warning);
    try {
      return run_with_others(group);
    } catch (const detail::ended_early&) {
      group.dismiss(true);
      throw;
    } catch (...) {
      group.dismiss(false);
      throw;
    }
  } catch (const detail::ended_early& e) {
    log.info(detail::text_of(e, impl_->opts));
  }
  return end_before_start();
}

int application::run_with_others(detail::membership& group) {
  auto& opts = impl_->opts;
  // Other threads, which schedule physical actions, may read the options now.
  detail::agreed_graph graph{
    impl_->graph, group.processes(), group.self(),
    opts.placement.empty() ? group.placement() : opts.placement};
  auto agreed = group.join(graph.request());
  impl_->agree(agreed);
  if (!opts.report.empty() && !group.coordinates())
    opts.report += impl_->files.suffix();
  if (!group.coordinates())
    detail::check_checkpoint_targets(opts, group.processes(), agreed.start);
  auto nodes = graph.make_directory(agreed);
  auto topology = graph.make_graph(nodes, agreed);
  impl_->check(nodes, topology);
  auto neighbours = graph.neighbours(topology.connections());
  auto result = impl_->make_run(
    std::move(nodes), std::move(topology),
    std::make_unique<detail::process_session>(
      *impl_->system, group, agreed.session, group.processes().size()),
    agreed.session, agreed.start);
  result->meet(neighbours);
  return run(std::move(result));
}

int application::run(std::shared_ptr<detail::runtime> run) {
  run->context().attach(impl_->drill);
  impl_->graph.release();
  impl_->state.begin(run);
  auto status = 0;
  try {
    status = detail::run_loop{run}.run();
  } catch (...) {
    impl_->state.fail();
    throw;
  }
  detail::require_network_thread(*impl_->system);
  if (run->context().outlives_application())
    impl_->files.outputs().keep();
  else
    impl_->files.outputs().release();
  auto report = run->status().summary();
  run.reset();
  impl_->state.finish(std::move(report), status);
  return status;
}

void application::request_shutdown() {
  impl_->state.request_end();
}

std::future<logical_time> application::checkpoint() {
  if (impl_->opts.checkpoint.file.empty())
    throw std::logic_error(
      "checkpoint() without a file: set the option checkpoint");
  return impl_->state.checkpoint();
}

void application::abort(int status) {
  detail::require_exit_status("abort()", status);
  impl_->state.abort(status);
}

application_report application::status() const {
  auto [run, result] = impl_->state.look();
  if (run)
    return run->status().look();
  auto is_over = result.stage == application_stage::over;
  for (engine::node_id i = 0; i < size(); ++i) {
    auto& node = result.nodes.emplace_back();
    node.name = name_of(i);
    node.stage = is_over ? node_stage::left : node_stage::not_started;
    node.has_left = is_over;
    // Before the run, another thread may be about to make the nodes of one of
    // several processes, or to wire the nodes.
    if (!is_over && is_distributed())
      continue;
    if (auto* instance = impl_->graph.find(i)) {
      node.missed_deadlines = detail::count_missed_deadlines(*instance);
      node.dropped_by_spacing = detail::count_dropped_by_spacing(*instance);
      if (is_over)
        node.tardy_values = detail::count_tardy_values(*instance);
      node.watchdogs = detail::describe_watchdogs(*instance);
      node.modes = detail::describe_modes(*instance);
    }
  }
  return result;
}

// -- properties ---------------------------------------------------------------

const options& application::opts() const noexcept {
  return impl_->opts;
}

std::size_t application::size() const noexcept {
  return impl_->graph.size();
}

// -- several processes --------------------------------------------------------

bool application::is_distributed() const noexcept {
  return impl_->graph.is_distributed();
}

const std::string& application::name_of(engine::node_id id) const noexcept {
  return impl_->graph.name_at(id);
}

void application::add_bank(const std::string& path, std::size_t size) {
  check_unique(path);
  impl_->graph.add_bank(path, size);
}

void application::separate_node(engine::node_id id) {
  impl_->separate.push_back(id);
}

void application::place(engine::node_id id, std::string process) {
  if (!detail::is_process_name(process))
    throw graph_error(
      "'" + process + "' is no name for a process, which node '" + name_of(id)
      + "' is placed in: names have letters, digits, '-' and '_'");
  if (!is_distributed())
    return;
  if (impl_->graph.find(id) != nullptr && impl_->process_of(id) != process)
    throw std::logic_error(
      "node '" + name_of(id) + "' is placed in process '" + process
      + "' when it exists already; place it before it is used");
  impl_->graph.place(id, std::move(process));
}

void application::place(const composite& which, const std::string& process) {
  auto [first, last] = impl_->graph.composites().nodes_of(
    detail::composite_access::index(which));
  for (auto id = first; id < last; ++id)
    place(id, process);
}

void application::place_with(engine::node_id id, engine::node_id other) {
  if (is_distributed() && !detail::composites::is_relay(other))
    impl_->graph.place_with(id, other);
}

bool application::is_local(engine::node_id id) const {
  if (!impl_->state.is_building())
    return impl_->graph.find(id) != nullptr;
  auto process = impl_->process_of(id);
  if (process.empty())
    throw std::logic_error(
      "which process runs node '" + name_of(id)
      + "' is not known before run(): place it (application::place, or the "
        "option rosia.placement)");
  return process == detail::process_name(impl_->opts);
}

void* application::object(engine::node_id id) const {
  if (!is_local(id))
    throw std::logic_error(
      "node '" + name_of(id)
      + "' runs in another process; ask is_local() before its instance is "
        "used");
  auto& instance = impl_->graph.instance(id);
  if (!impl_->opts.replay.empty())
    node_access::inbox(instance).refuse();
  return impl_->graph.declared()[id].factory->object();
}

// -- implementation -----------------------------------------------------------

void application::check_name(const std::string& name) const {
  if (auto problem = detail::problem_of_name("node", name); !problem.empty())
    throw graph_error(problem);
  if (name.empty() || name.find('.') != std::string::npos)
    throw graph_error(
      "'" + name
      + "' is no name for a node: names are not empty, and "
        "have no dots, because 'node.port' names a port");
  if (impl_->graph.composites().is_open())
    throw graph_error(
      "node '" + name
      + "' is created by the constructor of a composite; make it a "
        "rosia::part of the composite");
}

void application::check_unique(const std::string& path) const {
  auto taken = [&](const char* kind) {
    return graph_error(std::string{"there is a "} + kind + " with the name '"
                       + path + "'; give one of the two another name");
  };
  if (impl_->graph.has_bank(path))
    throw taken("bank");
  if (impl_->graph.composites().find(path))
    throw taken("composite");
  if (impl_->graph.has_name(path))
    throw graph_error("there are two nodes with the name '" + path
                      + "'; give one of them another name");
  if (!impl_->state.is_building())
    throw std::logic_error(
      "node '" + path
      + "' is created after run(); a graph is built "
        "before it runs");
}

detail::parameter_values application::settings_of(
  const std::string& node) const {
  return detail::settings_of(impl_->graph.settings(), node);
}

void application::check_mine(
  const application& owner, engine::node_id id) const {
  if (&owner != this)
    throw graph_error(
      "node '" + owner.name_of(id)
      + "' is another application's; nodes of another application cannot be "
        "connected, but a physical action hands values over");
}

void application::check_building(const std::string& from) const {
  if (!impl_->state.is_building())
    throw std::logic_error(
      "'" + from
      + "' is connected after run(); a graph is built before it runs");
}

engine::node_id application::add(
  std::string name, std::unique_ptr<node> instance,
  const detail::node_type& type) {
  // A replayed node gets its external values only from the recorded run, even
  // before this run starts.
  if (!impl_->opts.replay.empty())
    node_access::inbox(*instance).refuse();
  return impl_->graph.add(std::move(name), std::move(instance), type);
}

engine::node_id application::add(
  std::string name, std::unique_ptr<detail::node_factory> factory,
  const detail::node_type& type, const std::type_info& info) {
  return impl_->graph.add(
    {std::move(name), detail::type_name(info), &type, std::move(factory)});
}

void application::join(
  const detail::member_ref& from, const detail::member_ref& to,
  const std::type_info& type, const connection_kind& kind) {
  check_end(from, true);
  check_end(to, false);
  auto spec = spec_of(kind);
  spec.source = from.node();
  spec.target = to.node();
  if (is_distributed()) {
    graph_builder::ends ends;
    ends.outputs = {{from.node(), 0, from.member()}};
    ends.inputs = {{to.node(), 0, to.member()}};
    ends.type = detail::type_name(type);
    impl_->graph.connect(
      {spec, nullptr, std::make_unique<graph_builder::ends>(std::move(ends))});
    return;
  }
  spec.output = detail::find_port_of(
    name_of(from.node()), from.member(), from.instance());
  spec.input
    = detail::find_port_of(name_of(to.node()), to.member(), to.instance());
  impl_->graph.connect({spec});
}

void application::join(
  const detail::port_sequence& from, const detail::port_sequence& to,
  const std::type_info& type, const connection_kind& kind) {
  for (auto* side : {&from, &to})
    for (auto& end : side->ends) {
      check_mine(end.ports.owner(), end.ports.node());
      check_end(end.ports, side == &from);
    }
  auto spec = spec_of(kind);
  if (!is_distributed()) {
    auto ports = [this](const detail::port_sequence& xs) {
      detail::port_bundle result;
      for (auto& [x, block] : xs.ends)
        result.groups.push_back(
          {x.node(), block,
           detail::find_ports_of(name_of(x.node()), x.member(), x.instance())});
      result.repeated = xs.repeated;
      return result;
    };
    auto outputs = ports(from);
    impl_->graph.connect(spec, outputs, ports(to));
    return;
  }
  graph_builder::ends ends;
  for (auto& [x, block] : from.ends)
    ends.outputs.push_back({x.node(), block, x.member()});
  for (auto& [x, block] : to.ends)
    ends.inputs.push_back({x.node(), block, x.member()});
  ends.repeated = from.repeated;
  ends.type = detail::type_name(type);
  impl_->graph.connect(
    {spec, nullptr, std::make_unique<graph_builder::ends>(std::move(ends))});
}

void application::check_end(const detail::member_ref& x, bool output) const {
  check_building(name_of(x.node()));
  auto& composites = impl_->graph.composites();
  if (composites.is_reachable(x.node()))
    return;
  auto name = name_of(x.node());
  if (x.instance() != nullptr) {
    auto ports = detail::find_ports_of(name, x.member(), x.instance());
    if (!ports.empty())
      name = node_access::port_name(
        *impl_->graph.find(x.node()), output, ports[0]);
  }
  composites.refuse(x.node(), name);
}

node_handle application::handle_of(engine::node_id id) const {
  auto run = impl_->state.run();
  return run ? run->context().actors().mailboxes().get(id) : node_handle{};
}

std::string application::sink_name(const detail::member_ref& from) const {
  auto prefix = name_of(from.node());
  if (from.instance() != nullptr) {
    auto port = detail::find_port_of(prefix, from.member(), from.instance());
    auto& outputs = node_access::outputs(*impl_->graph.find(from.node()));
    prefix += ':' + outputs[port]->name();
  }
  // Several actors may receive the values of one output.
  for (auto n = 1;; ++n) {
    auto result = prefix + " to actor " + std::to_string(n);
    if (!impl_->graph.has_name(result))
      return result;
  }
}

namespace detail {

// -- composites ---------------------------------------------------------------

namespace {

/// @throws graph_error for a name that is empty, or has a dot.
void require_member_name(const composite& parent, const std::string& name,
                         const char* kind) {
  if (auto problem = problem_of_name(kind, name); !problem.empty())
    throw graph_error(problem);
  if (name.empty() || name.find('.') != std::string::npos)
    throw graph_error(
      std::string{kind} + " '" + name + "' of composite '" + parent.name()
      + "' has a bad name: names are not empty, and have no dots");
}

} // namespace

composite_scope::composite_scope(application& owner, std::string path)
  : owner_(&owner), path_(std::move(path)), outer_(current_scope) {
  owner.check_unique(path_);
  auto& graph = owner.impl_->graph;
  index_ = graph.composites().begin(
    path_, static_cast<engine::node_id>(graph.size()));
  current_scope = this;
}

composite_scope::~composite_scope() {
  current_scope = outer_;
  auto& graph = owner_->impl_->graph;
  graph.composites().end(static_cast<engine::node_id>(graph.size()));
}

void composite_scope::keep(std::shared_ptr<composite> x) {
  owner_->impl_->graph.composites().keep(index_, std::move(x));
}

relay::relay(const composite& parent, const std::string& name, bool is_inlet,
             const std::type_info& type)
  : ref_([&] {
      require_member_name(parent, name, is_inlet ? "inlet" : "outlet");
      auto id = parent.app_->impl_->graph.composites().add_relay(
        {parent.index_, name, parent.name() + '.' + name, is_inlet,
         type_name(type)});
      member_port port;
      port.list = [](void*, const member_port&, port_indices& into) {
        into.push_back(0);
      };
      return member_ref{*parent.app_, id, nullptr, port};
    }()) {
  // nop
}

std::string composite_access::path_of(
  const composite& parent, const std::string& name) {
  require_member_name(parent, name, "part");
  return parent.name() + '.' + name;
}

// -- connections --------------------------------------------------------------

void port_sequence::connect(
  const port_sequence& from, const port_sequence& to,
  const std::type_info& type, const connection_kind& kind) {
  // Without any port, there is nothing to connect.
  for (auto* side : {&from, &to})
    if (!side->ends.empty())
      return side->ends.front().ports.owner().join(from, to, type, kind);
}

void rethrow_of_node(const std::string& name) {
  auto prefix = "node '" + name + "': ";
  try {
    throw;
  } catch (const graph_error& e) {
    throw graph_error(prefix + e.what());
  } catch (...) {
    std::throw_with_nested(std::runtime_error(
      prefix
      + "its constructor threw an exception: " + current_exception_text()));
  }
}

void throw_no_element(std::size_t element, std::size_t size) {
  throw graph_error(
    "there is no port " + std::to_string(element) + " in an array of "
    + std::to_string(size) + "; they are counted from 0");
}

void throw_empty_member() {
  throw graph_error(
    "a connection leads over a member that is empty, where a port should be");
}

} // namespace detail

} // namespace caf::rosia
