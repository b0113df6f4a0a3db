// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/application.hpp"
#include "base/exception_text.hpp"
#include "base/secret.hpp"

#include "application/agreed_graph.hpp"
#include "application/application_access.hpp"
#include "application/application_source.hpp"
#include "application/graph_builder.hpp"
#include "application/graph_drawing.hpp"
#include "application/group_file.hpp"
#include "application/output_locks.hpp"
#include "application/port_lookup.hpp"
#include "application/run_gate.hpp"
#include "application/saved_runs.hpp"
#include "application/unconnected_triggers.hpp"
#include "base/checkpoint_signal.hpp"
#include "base/exit_status.hpp"
#include "base/held_signal.hpp"
#include "base/logging.hpp"
#include "base/signal_mask.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/composite.hpp"
#include "caf/rosia/diagram.hpp"
#include "compat/io/network_thread.hpp"
#include "config/process_options.hpp"
#include "distributed/membership.hpp"
#include "distributed/process_session.hpp"
#include "distributed/role.hpp"
#include "drills/drill.hpp"
#include "engine/topology.hpp"
#include "nodes/node_access.hpp"
#include "run_file/recording.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/run_context.hpp"
#include "runtime/run_loop.hpp"
#include "runtime/runtime.hpp"
#include "watch/page_board.hpp"

#include <caf/actor_registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
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
  engine::connection_spec result;
  result.distance = kind.distance;
  result.physical = kind.physical;
  result.keep_latest = kind.keep_latest.value_or(0);
  return result;
}

} // namespace

namespace detail {

namespace {

/// The innermost composite that this thread constructs.
thread_local composite_scope* current_scope = nullptr;

} // namespace

} // namespace detail

struct application::impl {
  impl(caf::actor_system& sys, options x)
    : system(&sys), opts(checked(std::move(x))),
      log(std::make_shared<detail::log_context>(opts.log_level)),
      logger(log->make("rosia")),
      drill(detail::drill::join(opts, opts.network.process, *logger)),
      graph(logger, detail::run_context::max_in_flight(opts),
            detail::is_distributed(opts)) {
    auto number = detail::checkpoint_signal_number(opts.checkpoint.signal);
    if (!number || opts.signals != signal_behavior::handle)
      return;
    checkpoint_signal.emplace(*number);
    // The parent process may have blocked the signal until a handler exists.
    detail::unblock_signal(*number);
  }

  // -- the run ----------------------------------------------------------------

  /// Returns this process's suffix for the names of its files.
  std::string suffix() const {
    return detail::is_distributed(opts) ? '.' + process_name() : std::string{};
  }

  /// Locks the files that this process writes.
  void lock_outputs() {
    auto add = [&](auto lock, const char* option, const std::string& file,
                   const std::string& end) {
      (outputs.*lock)(option, file.empty() ? file : file + end);
    };
    using detail::output_locks;
    if (!trace_sink)
      add(&output_locks::add_in_place, "trace", opts.trace, suffix());
    add(&output_locks::add, "report", opts.report,
        opts.network.join.empty() ? std::string{} : suffix());
    add(&output_locks::add_in_place, "record.file", opts.record.file, suffix());
    add(&output_locks::add_in_place, "checkpoint.file", opts.checkpoint.file,
        suffix());
    add(&output_locks::add, "checkpoint.backup", opts.checkpoint.backup,
        suffix());
  }

  /// @param suffix appended to the file's name.
  std::unique_ptr<detail::trace_writer> make_trace(
    const std::string& suffix) const {
    if (trace_sink)
      return std::make_unique<detail::trace_writer>(trace_sink);
    if (!opts.trace.empty())
      return std::make_unique<detail::trace_writer>(opts.trace + suffix);
    return nullptr;
  }

  std::string process_name() const {
    return opts.network.process.empty() ? "coordinator" : opts.network.process;
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
    watched = agreed.watched;
    if (agreed.checkpoints != !opts.checkpoint.file.empty())
      throw std::runtime_error(
        agreed.checkpoints
          ? "the coordinator takes checkpoints, and this process does not: set "
            "rosia.checkpoint.file for all processes"
          : "rosia.checkpoint.file is set, but not for the coordinator: set it "
            "for "
            "all processes, or for none");
    opts.checkpoint.every.reset();
    if (agreed.checkpoint_every > 0)
      opts.checkpoint.every = std::chrono::nanoseconds{agreed.checkpoint_every};
  }

  // -- checkpoints ------------------------------------------------------------

  /// Reads the checkpoint to resume from. Called before this process writes any
  /// file, because the run may be refused.
  /// @returns null if the run starts from the beginning.
  std::unique_ptr<detail::resumption> load_checkpoint(
    const detail::starting_point& start, const std::string& suffix,
    const run_file::graph_lines& lines) const {
    if (!start.resumes())
      return nullptr;
    if (opts.resume.file.empty())
      throw std::runtime_error(
        "the coordinator continues an earlier run: set rosia.resume.file for "
        "all "
        "processes");
    outputs.require_unwritten("resume.file", opts.resume.file + suffix);
    if (opts.stop_after && *opts.stop_after < start.resumed_at)
      throw std::runtime_error(
        "rosia.stop_after: the run in '" + opts.resume.file
        + "' goes on after tag " + to_string(start.resumed_at)
        + ", and cannot end at tag " + to_string(*opts.stop_after)
        + "; name a later one, counted from the very beginning, or go on "
          "from an earlier checkpoint (rosia.resume.at)");
    return detail::load_checkpoint(opts.resume.file, start, lines);
  }

  /// @param name differs from the names of all other runs. All processes share
  ///   it.
  void resume_and_save(
    detail::run_context& context, std::unique_ptr<detail::resumption> from,
    const detail::starting_point& start, const std::string& suffix,
    const std::string& name, run_file::graph_lines lines) const {
    if (from) {
      context.resume(std::move(from));
      if (auto* recorder = context.recorder())
        recorder->note_resumed(start.resumed_at);
      if (context.nodes().self() == 0)
        logger->info("the run in '{}' goes on after tag {}", opts.resume.file,
                     to_string(start.resumed_at));
    }
    if (opts.checkpoint.file.empty())
      return;
    detail::checkpoints::settings settings;
    settings.file = opts.checkpoint.file + suffix;
    if (!opts.checkpoint.backup.empty())
      settings.backup = opts.checkpoint.backup + suffix;
    settings.every
      = opts.checkpoint.every.value_or(std::chrono::nanoseconds{}).count();
    settings.keep = opts.checkpoint.keep;
    settings.run = run_file::name_of_run(name, start.resumed_run);
    settings.number = start.number;
    settings.after = start.resumes() ? start.resumed_at : logical_time{};
    settings.graph = std::move(lines);
    context.checkpoints(
      std::make_unique<detail::checkpoints>(context, std::move(settings)));
  }

  /// Reads the run to be replayed. Limits this run to the end of that run.
  void load_replay() {
    if (opts.replay.empty())
      return;
    for (auto& file : run_file::files_of(opts.replay))
      if (auto writer = outputs.other_writer_of(file); !writer.empty())
        logger->warn(
          "rosia.replay: '{}' is being written by {}: the run is "
          "repeated as far as it is in the file now",
          file, writer);
    replayed = run_file::read_run(opts.replay);
    if (!replayed->resumed_at.empty())
      throw std::runtime_error(
        "rosia.replay: the last run in '" + opts.replay
        + "' goes on from a checkpoint at tag " + replayed->resumed_at
        + "; such a recording has no beginning, and cannot be repeated: give "
          "each start a file of its own (rosia.record.file), and repeat a run "
          "that "
          "was not resumed");
    for (auto& remark : replayed->remarks)
      logger->warn("rosia.replay: {}", remark);
    if (replayed->final == forever)
      return;
    auto final = std::max(replayed->final, logical_time{});
    opts.stop_after = std::min(opts.stop_after.value_or(forever), final);
    logger->info("rosia.replay: the recorded run is repeated up to tag {}",
                 to_string(*opts.stop_after));
  }

  /// @param session a random number that all processes share.
  std::shared_ptr<detail::runtime> make_run(
    detail::node_directory nodes, engine::topology topology,
    std::unique_ptr<detail::session> others, const std::string& suffix,
    std::uint64_t session, const detail::starting_point& start) {
    auto groups = make_groups(nodes);
    std::optional<graph_description> description;
    run_file::graph_lines lines;
    if (start.resumes() || !opts.checkpoint.file.empty()) {
      description = nodes.describe(topology);
      lines = detail::describe_for_resume(*description);
    }
    auto from = load_checkpoint(start, suffix, lines);
    if (!opts.checkpoint.file.empty())
      detail::check_savable(nodes);
    auto context = std::make_shared<detail::run_context>(
      *system, opts, log, make_trace(suffix), std::move(nodes),
      std::move(topology), std::move(others), std::move(description));
    if (page)
      graph_view = std::make_shared<const graph_description>(detail::add_groups(
        context->description(), context->nodes(), context->graph().topology(),
        groups));
    if (page || watched) {
      counters
        = std::make_shared<detail::run_counters>(context->nodes().size());
      context->attach(counters);
      context->attach(page ? page->log() : log_for_others());
    }
    context->groups(std::move(groups));
    if (replayed)
      context->repeat(*std::exchange(replayed, std::nullopt), replay_piece);
    if (!opts.record.file.empty())
      context->record(opts.record.file + suffix, run_file::make_uuid(session));
    resume_and_save(*context, std::move(from), start, suffix,
                    fmt::format("{:016x}", session), std::move(lines));
    return std::make_shared<detail::runtime>(std::move(context));
  }

  /// Returns the sink for log lines that the coordinator's page shows.
  std::shared_ptr<detail::log_ring> log_for_others() const {
    auto result = std::make_shared<detail::log_ring>();
    log->add_sink(result);
    return result;
  }

  detail::grouping make_groups(const detail::node_directory& nodes) const {
    using enum detail::grouping::manner;
    detail::grouping result{.separate = separate};
    if (opts.groups == "auto")
      return result;
    if (opts.groups == "off") {
      result.how = alone;
    } else if (opts.groups == "all") {
      result.how = connected;
    } else if (opts.groups == "shuffle") {
      result.how = at_random;
    } else {
      result.how = listed;
      auto declared = detail::read_groups(opts.groups, nodes);
      for (auto& warning : declared.warnings)
        logger->warn("{}", warning);
      result.groups = std::move(declared.groups);
    }
    return result;
  }

  void check_graph(const engine::topology& topology) const {
    if (opts.warn_unconnected)
      detail::warn_of_unconnected(*logger, topology, graph.instances());
  }

  /// Returns the point at which all processes start.
  detail::starting_point choose_start() const {
    auto result = detail::choose_start(opts, outputs);
    if (opts.resume.file.empty() || result.resumes())
      return result;
    if (run_file::files_of(opts.resume.file).empty())
      logger->info(
        "rosia.resume.file: there is no file '{}' yet: the run begins "
        "anew",
        opts.resume.file);
    else
      logger->warn(
        "rosia.resume.file: '{}' has no complete checkpoint: the run "
        "begins anew",
        opts.resume.file);
    return result;
  }

  void check_report() const {
    if (!opts.report.empty())
      detail::check_report_file(opts.report);
  }

  // -- the live page ----------------------------------------------------------

  /// Opens the page in the coordinator's process.
  void open_page() {
    if (opts.watch.address.empty() || !opts.network.join.empty())
      return;
    auto board = detail::page_board::open(detail::page_config_of(opts));
    std::unique_lock guard{mutex};
    page = board;
    on_page.push_back(std::make_shared<detail::application_source>(link, log));
    for (auto& x : on_page)
      page->add(x);
    guard.unlock();
    logger->info("the live page is at {}", board->url());
  }

  void close_page() {
    std::unique_lock guard{mutex};
    auto closed = std::exchange(page, nullptr);
    guard.unlock();
    if (closed)
      closed->remove(on_page);
  }

  /// @param now physical time, in nanoseconds since the start.
  std::vector<std::optional<detail::node_counts>> read_counts(
    std::int64_t now) const {
    std::vector<std::optional<detail::node_counts>> result;
    auto instances = graph.instances();
    for (engine::node_id id = 0; id < instances.size(); ++id) {
      auto counts = counters->read(id, now);
      // Other processes have added their own.
      if (counts && instances[id] != nullptr)
        counts->dropped += detail::node_access::inbox(*instances[id]).refused();
      result.push_back(std::move(counts));
    }
    return result;
  }

  // -- the end ----------------------------------------------------------------

  /// Returns whether an end or an abort was requested.
  bool wants_end() {
    std::lock_guard guard{mutex};
    return end_requested || end_aborted;
  }

  /// @param guard locks the mutex.
  void be_over(std::unique_lock<std::mutex> guard, int status) {
    state = phase::over;
    outcome.status = status;
    if (status != 0)
      outcome.error = last_report.reason;
    guard.unlock();
    announce(outcome);
  }

  void announce(const detail::application_outcome& result) {
    std::unique_lock guard{mutex};
    auto listeners = std::exchange(on_over, {});
    guard.unlock();
    for (auto& listener : listeners)
      listener(result);
  }

  void announce_start() {
    std::unique_lock guard{mutex};
    auto listeners = std::exchange(on_start, {});
    guard.unlock();
    for (auto& listener : listeners)
      listener();
  }

  // -- member variables -------------------------------------------------------

  enum class phase { building, running, over };

  caf::actor_system* system;
  options opts;
  std::shared_ptr<detail::log_context> log;
  std::shared_ptr<spdlog::logger> logger;
  std::optional<detail::held_signal> checkpoint_signal;
  std::shared_ptr<detail::drill> drill; // null if there is none
  // Null without a page. Outlives the nodes.
  std::shared_ptr<detail::run_counters> counters;
  bool watched = false; // by the coordinator's page
  graph_builder graph;
  std::vector<engine::node_id> separate; // nodes that are in no group
  std::atomic<phase> state{phase::building};
  std::mutex mutex; // for changes of `run`, and for other threads
  std::shared_ptr<detail::runtime> run;
  application_report last_report; // of the last run, without nodes
  bool end_requested = false;     // requested before the run
  std::optional<int> end_aborted; // abort requested before the run, with this
                                  // status
  std::vector<std::function<void()>> on_start;
  std::vector<detail::application_access::listener> on_over;
  detail::application_outcome outcome; // after the end
  std::shared_ptr<run_gate> gate = std::make_shared<run_gate>();
  std::shared_ptr<detail::application_link> link;
  std::function<void(std::string_view)> trace_sink;
  std::optional<run_file::recorded_run> replayed; // between reading and running
  std::size_t replay_piece = detail::replay::usual_piece;
  detail::output_locks outputs;
  std::shared_ptr<detail::page_board> page; // null if there is none
  std::vector<std::shared_ptr<detail::watch_source>> on_page;
  std::shared_ptr<const graph_description> graph_view; // for the page
  bool has_all_nodes = false;                  // includes nodes of other
                                               // processes
  int exceptions = std::uncaught_exceptions(); // in flight when it was
                                               // constructed
};

void detail::application_access::trace(
  application& x, std::function<void(std::string_view)> sink) {
  x.impl_->trace_sink = std::move(sink);
}

void detail::application_access::replay_piece(
  application& x, std::size_t bytes) {
  x.impl_->replay_piece = bytes;
}

detail::application_view detail::application_access::look(application& x) {
  application_view result;
  auto& impl = *x.impl_;
  result.actors = impl.system->registry().running();
  std::unique_lock guard{impl.mutex};
  auto run = impl.run;
  guard.unlock();
  // Reading the status waits for busy nodes, which would make the other nodes
  // look late.
  auto seen_at = run ? run->context().time().elapsed() : 0;
  result.status = x.status();
  if (run && result.status.stage != application_stage::not_started)
    result.status.elapsed = std::chrono::nanoseconds{seen_at};
  // Before the run, its thread may change the members that are read below.
  if (!run && impl.state != application::impl::phase::over)
    return result;
  result.graph = impl.graph_view;
  result.realtime = impl.opts.realtime;
  result.lag_warn = impl.opts.lag_warn.has_value();
  result.process = is_distributed(impl.opts) ? impl.process_name() : "";
  if (impl.counters)
    result.counts = impl.read_counts(run ? run->context().time().elapsed() : 0);
  return result;
}

void detail::application_access::give_report(application& x) {
  std::unique_lock guard{x.impl_->mutex};
  auto run = x.impl_->run;
  guard.unlock();
  if (run)
    run->requests().request_report();
}

void detail::application_access::show(
  application& x, std::shared_ptr<watch_source> other) {
  std::lock_guard guard{x.impl_->mutex};
  if (x.impl_->page)
    x.impl_->page->add(other);
  x.impl_->on_page.push_back(std::move(other));
}

std::string detail::application_access::page_url(const application& x) {
  std::lock_guard guard{x.impl_->mutex};
  return x.impl_->page ? x.impl_->page->url() : std::string{};
}

void detail::application_access::on_start(
  application& x, std::function<void()> fun) {
  std::lock_guard guard{x.impl_->mutex};
  x.impl_->on_start.push_back(std::move(fun));
}

void detail::application_access::on_over(application& x, listener fun) {
  std::unique_lock guard{x.impl_->mutex};
  if (x.impl_->state == application::impl::phase::over) {
    guard.unlock();
    fun(x.impl_->outcome);
  } else {
    x.impl_->on_over.push_back(std::move(fun));
  }
}

std::shared_ptr<detail::application_link> detail::application_access::link(
  application& x) {
  return x.impl_->link;
}

bool detail::application_access::request_end(application& x) {
  if (x.impl_->gate->close())
    return false;
  x.request_shutdown();
  return true;
}

void detail::application_access::request_end_by_page(application& x) {
  if (!x.impl_->wants_end())
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
  : impl_(std::make_unique<impl>(sys, std::move(opts))) {
  impl_->link = std::make_shared<detail::application_link>(*this);
}

application::~application() {
  if (impl_->gate->is_busy() && impl_->state != impl::phase::over) {
    impl_->logger->error(
      "an application is destroyed while its run() is executing in another "
      "thread: it is requested to end, and its destructor waits for that; join "
      "the thread before the application is destroyed");
    request_shutdown();
  }
  warn_of_no_run();
  impl_->gate->await(); // run() may be about to return
  impl_->close_page();
  impl_->link->cut();
  impl_->announce({});
}

void application::warn_of_no_run() const {
  // An exception or a request for an end explains why run() was not called.
  if (size() == 0 || impl_->gate->was_used() || impl_->wants_end()
      || std::uncaught_exceptions() > impl_->exceptions)
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
  if (impl_->state != impl::phase::building)
    throw std::logic_error("an application runs once; create another one");
  if (!visit.may_start()) {
    impl_->logger->info(
      "the application does not start: the shutdown that it takes part in has "
      "begun");
    return end_before_start();
  }
  impl_->announce_start();
  try {
    if (!impl_->opts.diagram.empty())
      return draw();
    impl_->lock_outputs();
    impl_->load_replay();
    impl_->open_page();
    return is_distributed() ? run_with_others() : run_alone();
  } catch (...) {
    if (impl_->state == impl::phase::building)
      impl_->outputs.remove_new();
    impl_->outputs.release();
    impl_->announce({detail::status_error, detail::current_exception_text()});
    throw;
  }
}

graph_description application::diagram() const {
  if (impl_->state != impl::phase::building)
    throw std::logic_error(
      "diagram() is called after run(); ask for it before");
  auto& opts = impl_->opts;
  if (!is_distributed()) {
    detail::node_directory nodes{impl_->graph.instances()};
    auto topology = impl_->graph.make_graph();
    return detail::add_groups(
      nodes.describe(topology), nodes, topology, impl_->make_groups(nodes));
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
    nodes.describe(topology), nodes, topology, impl_->make_groups(nodes));
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

int application::end_before_start() {
  impl_->outputs.release();
  std::unique_lock guard{impl_->mutex};
  impl_->last_report.stage = application_stage::over;
  impl_->be_over(std::move(guard), 0);
  return 0;
}

int application::run_alone() {
  auto topology = impl_->graph.make_graph();
  impl_->check_graph(topology);
  impl_->check_report();
  return run(impl_->make_run(
    detail::node_directory{impl_->graph.instances()}, std::move(topology),
    nullptr, {}, detail::random_number(), impl_->choose_start()));
}

int application::run_with_others() {
  if (impl_->has_all_nodes)
    throw std::logic_error(
      "an application over several processes does not run after diagram(), "
      "which has created the nodes of all processes");
  auto& log = *impl_->logger;
  auto unused = detail::check_placement(impl_->graph, impl_->opts.placement);
  try {
    detail::membership group{
      *impl_->system, impl_->opts, impl_->logger, impl_->drill,
      impl_->opts.network.join.empty()
        ? impl_->choose_start()
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
  auto suffix = impl_->suffix();
  if (!opts.report.empty() && !group.coordinates())
    opts.report += suffix;
  impl_->check_report();
  if (!group.coordinates())
    detail::check_checkpoint_target(opts);
  auto nodes = graph.make_directory(agreed);
  auto topology = graph.make_graph(nodes, agreed);
  impl_->check_graph(topology);
  auto neighbours = graph.neighbours(topology.connections());
  auto result = impl_->make_run(
    std::move(nodes), std::move(topology),
    std::make_unique<detail::process_session>(
      *impl_->system, group, agreed.session, group.processes().size()),
    suffix, agreed.session, agreed.start);
  result->meet(neighbours);
  return run(std::move(result));
}

int application::run(std::shared_ptr<detail::runtime> run) {
  run->context().attach(impl_->drill);
  {
    std::lock_guard guard{impl_->mutex};
    impl_->run = std::move(run);
    if (impl_->end_aborted)
      impl_->run->requests().abort(*impl_->end_aborted);
    else if (impl_->end_requested)
      impl_->run->requests().request_end();
  }
  impl_->graph.release();
  impl_->state = impl::phase::running;
  auto status = 0;
  try {
    status = detail::run_loop{impl_->run}.run();
  } catch (...) {
    // Release what waits for the run: futures of its checkpoints, and this
    // process's part in checkpoints of several processes.
    std::lock_guard guard{impl_->mutex};
    impl_->run.reset();
    throw;
  }
  detail::require_network_thread(*impl_->system);
  if (impl_->run->context().outlives_application())
    impl_->outputs.keep();
  else
    impl_->outputs.release();
  std::unique_lock guard{impl_->mutex};
  impl_->last_report = impl_->run->status().summary();
  impl_->run.reset();
  impl_->be_over(std::move(guard), status);
  return status;
}

void application::request_shutdown() {
  std::lock_guard guard{impl_->mutex};
  impl_->end_requested = true;
  if (impl_->run)
    impl_->run->requests().request_end();
}

std::future<logical_time> application::checkpoint() {
  std::lock_guard guard{impl_->mutex};
  if (impl_->opts.checkpoint.file.empty())
    throw std::logic_error(
      "checkpoint() without a file: set the option checkpoint");
  if (!impl_->run)
    throw std::logic_error("checkpoint() while the application does not run");
  return impl_->run->context().checkpoints()->request();
}

void application::abort(int status) {
  detail::require_exit_status("abort()", status);
  std::lock_guard guard{impl_->mutex};
  impl_->end_aborted = status;
  if (impl_->run)
    impl_->run->requests().abort(status);
}

application_report application::status() const {
  std::shared_ptr<detail::runtime> run;
  application_report result;
  {
    std::lock_guard guard{impl_->mutex};
    run = impl_->run;
    result = impl_->last_report;
  }
  if (run)
    return run->status().look();
  auto is_over = result.stage == application_stage::over;
  for (engine::node_id i = 0; i < size(); ++i) {
    auto& node = result.nodes.emplace_back();
    node.name = name_of(i);
    node.stage = is_over ? node_stage::left : node_stage::not_started;
    node.has_left = is_over;
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
  if (impl_->state != impl::phase::building)
    return impl_->graph.find(id) != nullptr;
  auto process = impl_->process_of(id);
  if (process.empty())
    throw std::logic_error(
      "which process runs node '" + name_of(id)
      + "' is not known before run(): place it (application::place, or the "
        "option rosia.placement)");
  return process == impl_->process_name();
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
  if (impl_->state != impl::phase::building)
    throw std::logic_error(
      "node '" + path
      + "' is created after run(); a graph is built "
        "before it runs");
}

void application::check_mine(
  const application& owner, engine::node_id id) const {
  if (&owner != this)
    throw graph_error(
      "node '" + owner.name_of(id)
      + "' is another application's; nodes of another application cannot be "
        "connected, but a physical action or inject() hands values over");
}

void application::check_building(const std::string& from) const {
  if (impl_->state != impl::phase::building)
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
    impl_->graph.connect(spec, ports(from), ports(to));
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

bool application::inject(const detail::member_ref& to, engine::value content) {
  if (detail::composites::is_relay(to.node()))
    throw graph_error(
      "'" + name_of(to.node())
      + "' takes no values from outside of the application; "
        "inject into an input of a node");
  auto* object
    = to.instance() != nullptr ? to.instance() : this->object(to.node());
  auto index = detail::find_port_of(name_of(to.node()), to.member(), object);
  auto& target = *impl_->graph.find(to.node());
  return inject(
    target, *node_access::inputs(target)[index], std::move(content));
}

bool application::inject(node& to, input_port_base& input,
                         engine::value content) {
  if (!input.is_physical())
    throw graph_error(
      "input '" + to.name() + '.' + input.name()
      + "' takes no values from outside; declare it with "
        "rosia::physical");
  engine::envelope message;
  message.kind = engine::envelope_kind::injected;
  message.connection = input.index();
  message.content = std::move(content);
  return node_access::inbox(to).offer(
    std::move(message), detail::member_access::waiting(input));
}

node_handle application::handle_of(engine::node_id id) const {
  std::unique_lock guard{impl_->mutex};
  auto run = impl_->run;
  guard.unlock();
  return run ? run->context().mailboxes().get(id) : node_handle{};
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
      prefix + "its constructor has thrown an exception: "
      + current_exception_text()));
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
