// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/injector.hpp"

#include "rosia_drill/words.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace rosia_drill {

namespace {

/// In bytes.
constexpr std::uint64_t default_garbage = 1000;

std::string random_bytes(std::uint64_t size, std::mt19937_64& random) {
  std::string result(size, '\0');
  for (auto& byte : result)
    byte = static_cast<char>(random());
  return result;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

injector::injector(
  event_loop& loop, round_processes& processes, round_links& links,
  timeline& events, std::vector<planned_fault> faults, std::mt19937_64& random,
  hooks on)
  : loop_{&loop}, processes_{&processes}, links_{&links}, events_{&events},
    faults_{std::move(faults)}, random_{&random}, on_{std::move(on)} {
  // nop
}

// -- properties ---------------------------------------------------------------

std::vector<failed_expectation> injector::missing() const {
  std::vector<failed_expectation> result;
  for (auto& x : faults_)
    if (!x.happened && !x.refused && !x.spec->optional)
      result.push_back(
        {"fault " + x.spec->text,
         "it has not happened: the round was over before, or its injection "
         "point was not reached"});
  return result;
}

// -- injection points ---------------------------------------------------------

void injector::launch(fault_place where) {
  begin_all(injection_point_kind::launch, where);
}

void injector::begin_time(std::int64_t at) {
  begin_all(injection_point_kind::start, std::nullopt);
  for (auto& x : faults_)
    if (x.spec->when.kind == injection_point_kind::time)
      loop_->call_at(at + x.where, [this, &x] { begin(x); });
}

void injector::take_step(const std::string& process, const process_step& x) {
  auto find = [this](const std::string& number) {
    return std::find_if(faults_.begin(), faults_.end(), [&](auto& y) {
      return y.number == number;
    });
  };
  if (x.name.starts_with("fault:")) {
    auto& done = *find(x.name.substr(6));
    happen(done);
    events_->add_fault(process, x, done.spec->text);
    return;
  }
  if (x.name.starts_with("reached:")) {
    begin(*find(x.name.substr(8)));
    return;
  }
  events_->add_step(process, x);
  for (auto& y : faults_) {
    auto& when = y.spec->when;
    if (when.kind == injection_point_kind::step && when.step == x.name
        && (when.node.empty() || when.node == x.node) && ++y.steps == y.where)
      begin(y);
  }
}

void injector::take_line(const std::string& line) {
  for (auto& x : faults_)
    if (x.spec->when.kind == injection_point_kind::log
        && line.find(x.spec->when.words) != std::string::npos)
      begin(x);
}

// -- faults that are there from the beginning ---------------------------------

void injector::note_instructed(const round_process& x) {
  for (auto& y : faults_)
    if (y.spec->kind == fault_kind::clock && y.spec->target == x.name())
      happen(y, x);
}

void injector::note_late(const round_process& x) {
  for (auto& y : faults_)
    if (y.spec->kind == fault_kind::late && y.spec->target == x.name()) {
      happen(y);
      events_->add_fault(x.name(), "the process is started only now");
    }
}

void injector::note_never(const round_process& x) {
  events_->add_fault(x.name(), "the process is not started");
}

// -- names --------------------------------------------------------------------

void injector::check_names(const std::set<std::string>& nodes) {
  for (auto& x : faults_) {
    if (x.place() != fault_place::link)
      check_name(x, x.spec->target, nodes, x.place() == fault_place::process);
    check_name(x, x.spec->when.node, nodes, false);
  }
}

void injector::check_name(
  planned_fault& x, const std::string& name, const std::set<std::string>& nodes,
  bool may_be_process) {
  if (name.empty() || nodes.contains(name)
      || (may_be_process && processes_->find(name) != nullptr))
    return;
  std::vector<std::string> known{nodes.begin(), nodes.end()};
  if (may_be_process)
    for (auto& process : *processes_)
      known.push_back(process.name());
  refuse(x, unknown(may_be_process ? "process or node" : "node", name, known));
}

void injector::refuse(planned_fault& x, const std::string& why) {
  if (!std::exchange(x.refused, true))
    on_.refuse(x, why);
}

// -- beginning ----------------------------------------------------------------

void injector::begin_all(injection_point_kind when,
                         std::optional<fault_place> where) {
  for (auto& x : faults_)
    if (x.spec->when.kind == when && !describe(x.spec->kind).from_the_beginning
        && x.place() != fault_place::node && (!where || x.place() == *where))
      begin(x);
}

void injector::begin(planned_fault& x) {
  if (std::exchange(x.begun, true))
    return;
  switch (x.place()) {
    case fault_place::process:
      disturb_process(x);
      break;
    case fault_place::node:
      on_.arm(x); // its process tells when it has happened
      break;
    case fault_place::link:
      disturb_link(x);
      break;
  }
}

void injector::happen(planned_fault& x) {
  x.happened = true;
  last_fault_ = events_->elapsed();
}

void injector::happen(planned_fault& x, const round_process& target) {
  happen(x);
  events_->add_fault(target.name(), x.spec->text);
}

// -- processes ----------------------------------------------------------------

void injector::disturb_process(planned_fault& x) {
  if (x.spec->kind == fault_kind::storm) {
    blow(x);
    return;
  }
  auto* target = processes_->find_by_node(x.spec->target);
  if (target == nullptr) {
    refuse(x, unknown("process", x.spec->target, processes_->names())
                + "; no process has told by then that it has such a node");
    return;
  }
  switch (x.spec->kind) {
    case fault_kind::interrupt:
      send_signal(x, *target, SIGINT);
      break;
    case fault_kind::terminate:
      send_signal(x, *target, SIGTERM);
      break;
    case fault_kind::report:
      send_signal(x, *target, SIGUSR1);
      break;
    case fault_kind::kill:
      send_signal(x, *target, SIGKILL);
      break;
    case fault_kind::stop:
      stop(x, *target);
      break;
    case fault_kind::garbage:
      send_garbage(x, *target);
      break;
    case fault_kind::full:
      fill_disk(x, *target);
      break;
    default:
      break;
  }
}

void injector::send_signal(
  planned_fault& x, round_process& target, int number, std::uint64_t count) {
  if (target.signal(number))
    happen(x, target);
  if (count < x.spec->times)
    call_after(x.spec->every, [this, &x, &target, number, count] {
      send_signal(x, target, number, count + 1);
    });
}

void injector::stop(planned_fault& x, round_process& target) {
  if (!target.signal(SIGSTOP))
    return;
  happen(x, target);
  if (!x.spec->duration) {
    target.note_stopped_for_ever();
    return;
  }
  call_after(*x.spec->duration, [this, &target] {
    if (target.signal(SIGCONT))
      events_->add_fault(target.name(), "the process is continued");
  });
}

void injector::fill_disk(planned_fault& x, round_process& target) {
  if (!target.limit_files(0))
    return;
  happen(x, target);
  if (x.spec->duration)
    call_after(*x.spec->duration, [this, &target] {
      if (target.limit_files(-1))
        events_->add_fault(target.name(), "there is room again");
    });
}

void injector::send_garbage(
  planned_fault& x, round_process& target, std::uint64_t count) {
  auto size = x.spec->size > 0 ? x.spec->size : default_garbage;
  strangers_.remove_if([](auto& y) { return y.is_over(); });
  strangers_.emplace_back(
    *loop_, target.port(), random_bytes(size, *random_), [this, &x, &target] {
      if (!x.happened)
        happen(x, target);
    });
  if (count < x.spec->times)
    call_after(x.spec->every, [this, &x, &target, count] {
      send_garbage(x, target, count + 1);
    });
}

// -- storms -------------------------------------------------------------------

void injector::blow(planned_fault& x, std::size_t first) {
  if (first == x.gusts.size()) {
    call_after({}, [this, &x] { calm_down(x); });
    return;
  }
  call_after(x.gusts[first].pause, [this, &x, first] {
    hit(x, x.gusts[first]);
    blow(x, first + 1);
  });
}

void injector::hit(planned_fault& x, const gust& y) {
  auto* target
    = x.spec->target.empty()
        ? &(*processes_)[y.target % processes_->size()]
        : processes_->find_by_node(x.spec->target);
  if (target == nullptr || !target->signal(signal_of(y.action)))
    return;
  happen(x);
  events_->add_fault(
    target->name(), "storm: " + std::string{to_string(y.action)});
  auto ends = y.action == storm_action::terminate
              || y.action == storm_action::interrupt;
  x.end_requested
    = x.end_requested || (target == &processes_->coordinator() && ends);
}

void injector::calm_down(planned_fault& x) {
  for (auto& y : *processes_)
    y.signal(SIGCONT);
  auto& coordinator = processes_->coordinator();
  if (x.end_requested || !coordinator.signal(SIGTERM))
    return;
  happen(x);
  events_->add_fault(coordinator.name(), "the storm is over: terminate");
}

// -- links --------------------------------------------------------------------

void injector::disturb_link(planned_fault& x) {
  auto& link = links_->of(*x.spec);
  switch (x.spec->kind) {
    case fault_kind::cut:
      link.cut();
      break;
    case fault_kind::hold:
      link.hold();
      break;
    case fault_kind::delay:
      link.delay(x.spec->by);
      break;
    default:
      link.throttle(x.spec->rate);
      break;
  }
  auto& end = links_->connecting(*x.spec);
  happen(x, end);
  if (x.spec->duration)
    call_after(*x.spec->duration, [this, &link, &end] {
      link.restore();
      events_->add_fault(end.name(), "the connection is restored");
    });
}

// -- implementation -----------------------------------------------------------

void injector::call_after(std::chrono::nanoseconds pause,
                          std::function<void()> function) {
  loop_->call_at(monotonic_now() + pause.count(), std::move(function));
}

} // namespace rosia_drill
