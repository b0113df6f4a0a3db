// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/runner.hpp"

#include "rosia_drill/instructions.hpp"
#include "rosia_drill/launch_command.hpp"
#include "rosia_drill/started_process.hpp"
#include "rosia_drill/trace_look.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;

/// Interval of `watch`, in nanoseconds.
constexpr std::int64_t pause_between_looks = 50'000'000;

/// In nanoseconds; longer than the library needs to notice the loss of a
/// process.
constexpr std::int64_t patience_with_descendants = 3'000'000'000;

std::string seconds_text(std::chrono::nanoseconds x) {
  std::ostringstream out;
  out << static_cast<double>(x.count()) / 1e9 << " s";
  return out.str();
}

const fs::path& with_folders(const fs::path& round) {
  for (auto* name : {"tmp", "logs", "traces", "work"})
    fs::create_directories(round / name);
  return round;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

runner::runner(const drill& definition, const round_settings& settings)
  : definition_{&definition}, settings_{&settings}, random_{settings.seed},
    load_{definition.load},
    processes_{definition, with_folders(settings.folder)} {
  result_.number = settings.number;
  result_.seed = settings.seed;
  result_.folder = settings.folder;
  for (auto& x : processes_)
    result_.processes.push_back({x.name(), x.log()});
  std::vector<planned_fault> plan;
  if (settings.disturbed)
    plan = plan_faults(definition.faults, random_);
  for (auto& x : plan)
    if (auto* target = processes_.find(x.spec->target);
        x.spec->also_log && target != nullptr)
      target->let_it_write_log();
  links_.emplace(loop_, processes_, plan);
  injector_.emplace(
    loop_, processes_, *links_, events_, std::move(plan), random_,
    injector::hooks{
      [this](auto& x) { arm(x); },
      [this](auto& x, auto& reason) {
        result_.problems.push_back({"fault " + x.spec->text, reason});
        kill_all();
      }});
}

// -- running ------------------------------------------------------------------

outcome runner::run() {
  events_.start();
  control_.emplace(
    loop_, settings_->socket.string(),
    control::events{
      [this](auto client, auto& name, auto) { return instruct(client, name); },
      [this](auto client, auto& names) { take_nodes(client, names); },
      [this](auto, auto at) { begin_time(at); },
      [this](auto client, auto& x) { take_step(client, x); }});
  injector_->launch(fault_place::link);
  for (std::size_t i = 0; i < processes_.size(); ++i)
    launch(i);
  injector_->launch(fault_place::process);
  if (!definition_->nodes)
    begin_time(monotonic_now());
  loop_.call_at(events_.started_at() + definition_->limit.count(), [this] {
    give_up();
  });
  watch();
  loop_.run([this] { return is_over(); });
  finish();
  return std::move(result_);
}

// -- starting -----------------------------------------------------------------

void runner::launch(std::size_t i) {
  auto& x = processes_[i];
  std::int64_t delay = 0;
  for (auto& y : injector_->faults()) {
    if (y.spec->target != x.name())
      continue;
    if (y.spec->kind == fault_kind::never) {
      injector_->note_never(x);
      return;
    }
    if (y.spec->kind == fault_kind::late)
      delay = y.spec->by.count();
  }
  if (delay == 0) {
    start(i);
    return;
  }
  ++to_start_;
  loop_.call_at(events_.started_at() + delay, [this, i] {
    --to_start_;
    if (given_up_)
      return;
    start(i);
    injector_->note_late(processes_[i]);
  });
}

void runner::start(std::size_t i) {
  auto& x = processes_[i];
  launch_ports ports;
  if (!definition_->processes.empty())
    ports = {x.port(), links_->port(0, i)};
  x.start(launch_command(*definition_, *settings_, i, ports));
  result_.processes[i].ran = true;
  result_.processes[i].started = events_.elapsed();
  loop_.read(x.handle(), [this, i] { take_end(i); });
  if (x.output() >= 0)
    loop_.read(x.output(), [this, i] { take_output(i); });
}

// -- messages from processes --------------------------------------------------

std::vector<std::string> runner::instruct(
  control::peer client, const std::string& process) {
  auto* x = processes_.find(process);
  peers_.resize(std::max(peers_.size(), client + 1));
  peers_[client] = x;
  if (x == nullptr)
    return {};
  injector_->note_instructed(*x);
  return instructions_for(
    x->name(), injector_->faults(),
    links_->addresses(processes_.index_of(x->name())));
}

void runner::take_nodes(control::peer client,
                        const std::vector<std::string>& names) {
  nodes_.insert(names.begin(), names.end());
  if (auto* x = peers_[client])
    x->take_nodes({names.begin(), names.end()});
}

void runner::begin_time(std::int64_t at) {
  if (result_.began)
    return;
  result_.began = at - events_.started_at();
  // All processes sent their nodes before. The loop reads these messages
  // before it calls this function.
  auto now = monotonic_now();
  if (definition_->nodes)
    loop_.call_at(now, [this, now] {
      loop_.call_at(now, [this] { injector_->check_names(nodes_); });
    });
  injector_->begin_time(at);
}

void runner::take_step(control::peer client, const process_step& x) {
  auto* from = peers_[client];
  injector_->take_step(from == nullptr ? std::string{} : from->name(), x);
}

void runner::take_output(std::size_t i) {
  auto& x = processes_[i];
  if (!x.read_output([this, i](auto& line) { take_line(i, line); }))
    loop_.forget(x.output());
}

void runner::take_line(std::size_t i, const std::string& line) {
  events_.add_line(processes_[i].name(), line);
  injector_->take_line(line);
}

void runner::take_end(std::size_t i) {
  auto& x = processes_[i];
  loop_.forget(x.handle());
  if (x.output() >= 0)
    loop_.forget(x.output());
  auto& y = result_.processes[i];
  y.status = x.end([this, i](auto& line) { take_line(i, line); });
  y.ended = events_.elapsed();
  events_.add_end(x.name(), y.status);
}

void runner::arm(const planned_fault& x) {
  for (control::peer i = 0; i < peers_.size(); ++i)
    if (peers_[i] != nullptr && peers_[i]->has_node(x.spec->target))
      control_->send(i, arm_instruction(x));
}

// -- the end ------------------------------------------------------------------

void runner::watch() {
  if (settings_->stop != nullptr && *settings_->stop) {
    result_.interrupted = true;
    kill_all();
  } else if (to_start_ == 0 && !is_over()
             && processes_.only_stopped_are_left()) {
    kill_all();
  }
  loop_.call_at(monotonic_now() + pause_between_looks, [this] { watch(); });
}

void runner::give_up() {
  result_.problems.push_back(
    {"limit " + seconds_text(definition_->limit),
     "the round was not over by then"});
  kill_all();
}

void runner::kill_all() {
  given_up_ = true;
  processes_.kill_all();
}

bool runner::is_over() const {
  return (to_start_ == 0 || given_up_) && !processes_.any_running();
}

void runner::finish() {
  collect_leftovers();
  result_.last_fault = injector_->last_fault();
  if (!result_.interrupted)
    for (auto& x : injector_->missing())
      result_.problems.push_back(std::move(x));
  if (definition_->nodes) {
    if (peers_.empty() && !result_.interrupted)
      result_.problems.push_back(
        {"nodes = yes", "no process told the tool about its steps: is the "
                        "program an application of libcaf_rosia?"});
    read_report();
    look_at_traces(settings_->folder, result_);
  }
  result_.log_lines = events_.log_lines();
  result_.protocol_steps = events_.protocol_steps();
  result_.events = events_.take();
  result_.nanoseconds = events_.elapsed();
}

void runner::collect_leftovers() {
  end_descendants();
  for (auto& x : processes_)
    if (x.is_port_in_use())
      result_.ports_left.push_back(
        std::to_string(x.port()) + " of '" + x.name() + "'");
  auto temporary = settings_->folder / "tmp";
  for (auto& x : fs::recursive_directory_iterator(temporary))
    result_.files_left.push_back(x.path().lexically_relative(temporary));
}

void runner::end_descendants() {
  auto mark = round_mark(*settings_);
  auto end = monotonic_now() + (given_up_ ? 0 : patience_with_descendants);
  auto left = processes_with(mark);
  while (!left.empty() && monotonic_now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    left = processes_with(mark);
  }
  for (auto& [pid, name] : left) {
    result_.processes_left.push_back(std::to_string(pid) + " (" + name + ')');
    ::kill(pid, SIGKILL);
  }
}

void runner::read_report() {
  std::ifstream in{settings_->folder / "report.json", std::ios::binary};
  result_.report.assign(
    std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
}

} // namespace rosia_drill
