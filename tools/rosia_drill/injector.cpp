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
         "it has not happened: the round ended before, or its injection "
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

void injector::take_step(const std::string& process, const process_step& step) {
  auto find = [this](const std::string& number) {
    return std::find_if(faults_.begin(), faults_.end(), [&](auto& planned) {
      return planned.number == number;
    });
  };
  if (step.name.starts_with("fault:")) {
    auto& done = *find(step.name.substr(6));
    happen(done);
    events_->add_fault(process, step, done.spec->text);
    return;
  }
  if (step.name.starts_with("reached:")) {
    begin(*find(step.name.substr(8)));
    return;
  }
  events_->add_step(process, step);
  for (auto& planned : faults_) {
    auto& when = planned.spec->when;
    if (when.kind == injection_point_kind::step && when.step == step.name
        && (when.node.empty() || when.node == step.node)
        && ++planned.steps == planned.where)
      begin(planned);
  }
}

void injector::take_line(const std::string& line) {
  for (auto& x : faults_)
    if (x.spec->when.kind == injection_point_kind::log
        && line.find(x.spec->when.words) != std::string::npos)
      begin(x);
}

// -- faults from the start ----------------------------------------------------

void injector::note_instructed(const round_process& process) {
  for (auto& planned : faults_)
    if (planned.spec->kind == fault_kind::clock
        && planned.spec->target == process.name())
      happen(planned, process);
}

void injector::note_late(const round_process& process) {
  for (auto& planned : faults_)
    if (planned.spec->kind == fault_kind::late
        && planned.spec->target == process.name()) {
      happen(planned);
      events_->add_fault(process.name(), "the process is started only now");
    }
}

void injector::note_never(const round_process& process) {
  events_->add_fault(process.name(), "the process is not started");
}

// -- names --------------------------------------------------------------------

void injector::check_names(const std::set<std::string>& nodes) {
  for (auto& planned : faults_) {
    if (planned.place() != fault_place::link)
      check_name(planned, planned.spec->target, nodes,
                 planned.place() == fault_place::process);
    check_name(planned, planned.spec->when.node, nodes, false);
  }
}

void injector::check_name(
  planned_fault& planned, const std::string& name,
  const std::set<std::string>& nodes, bool may_be_process) {
  if (name.empty() || nodes.contains(name)
      || (may_be_process && processes_->find(name) != nullptr))
    return;
  std::vector<std::string> known{nodes.begin(), nodes.end()};
  if (may_be_process)
    for (auto& process : *processes_)
      known.push_back(process.name());
  refuse(
    planned, unknown(may_be_process ? "process or node" : "node", name, known));
}

void injector::refuse(planned_fault& planned, const std::string& reason) {
  if (!std::exchange(planned.refused, true))
    on_.refuse(planned, reason);
}

// -- beginning ----------------------------------------------------------------

void injector::begin_all(injection_point_kind when,
                         std::optional<fault_place> where) {
  for (auto& planned : faults_)
    if (planned.spec->when.kind == when
        && !describe(planned.spec->kind).from_the_beginning
        && planned.place() != fault_place::node
        && (!where || planned.place() == *where))
      begin(planned);
}

void injector::begin(planned_fault& planned) {
  if (std::exchange(planned.begun, true))
    return;
  switch (planned.place()) {
    case fault_place::process:
      disturb_process(planned);
      break;
    case fault_place::node:
      on_.arm(planned); // its process reports the fault when it happens
      break;
    case fault_place::link:
      disturb_link(planned);
      break;
  }
}

void injector::happen(planned_fault& planned) {
  planned.happened = true;
  last_fault_ = events_->elapsed();
}

void injector::happen(planned_fault& planned, const round_process& target) {
  happen(planned);
  events_->add_fault(target.name(), planned.spec->text);
}

// -- processes ----------------------------------------------------------------

void injector::disturb_process(planned_fault& planned) {
  if (planned.spec->kind == fault_kind::storm) {
    blow(planned);
    return;
  }
  auto* target = processes_->find_by_node(planned.spec->target);
  if (target == nullptr) {
    refuse(planned,
           unknown("process", planned.spec->target, processes_->names())
             + "; no process told by then that it has such a node");
    return;
  }
  switch (planned.spec->kind) {
    case fault_kind::interrupt:
      send_signal(planned, *target, SIGINT);
      break;
    case fault_kind::terminate:
      send_signal(planned, *target, SIGTERM);
      break;
    case fault_kind::report:
      send_signal(planned, *target, SIGUSR1);
      break;
    case fault_kind::checkpoint:
      send_signal(planned, *target, SIGUSR2);
      break;
    case fault_kind::kill:
      send_signal(planned, *target, SIGKILL);
      break;
    case fault_kind::stop:
      stop(planned, *target);
      break;
    case fault_kind::garbage:
      send_garbage(planned, *target);
      break;
    case fault_kind::full:
      fill_disk(planned, *target);
      break;
    default:
      break;
  }
}

void injector::send_signal(planned_fault& planned, round_process& target,
                           int number, std::uint64_t count) {
  if (target.signal(number))
    happen(planned, target);
  if (count < planned.spec->times)
    call_after(planned.spec->every, [this, &planned, &target, number, count] {
      send_signal(planned, target, number, count + 1);
    });
}

void injector::stop(planned_fault& planned, round_process& target) {
  if (!target.signal(SIGSTOP))
    return;
  happen(planned, target);
  if (!planned.spec->duration) {
    target.note_stopped_for_ever();
    return;
  }
  call_after(*planned.spec->duration, [this, &target] {
    if (target.signal(SIGCONT))
      events_->add_fault(target.name(), "the process is continued");
  });
}

void injector::fill_disk(planned_fault& planned, round_process& target) {
  if (!target.limit_files(0))
    return;
  happen(planned, target);
  if (planned.spec->duration)
    call_after(*planned.spec->duration, [this, &target] {
      if (target.limit_files(-1))
        events_->add_fault(target.name(), "there is room again");
    });
}

void injector::send_garbage(
  planned_fault& planned, round_process& target, std::uint64_t count) {
  auto size = planned.spec->size > 0 ? planned.spec->size : default_garbage;
  strangers_.remove_if([](auto& y) { return y.is_over(); });
  strangers_.emplace_back(
    *loop_, target.port(), random_bytes(size, *random_),
    [this, &planned, &target] {
      if (!planned.happened)
        happen(planned, target);
    });
  if (count < planned.spec->times)
    call_after(planned.spec->every, [this, &planned, &target, count] {
      send_garbage(planned, target, count + 1);
    });
}

// -- storms -------------------------------------------------------------------

void injector::blow(planned_fault& planned, std::size_t first) {
  if (first == planned.gusts.size()) {
    call_after({}, [this, &planned] { calm_down(planned); });
    return;
  }
  call_after(planned.gusts[first].pause, [this, &planned, first] {
    hit(planned, planned.gusts[first]);
    blow(planned, first + 1);
  });
}

void injector::hit(planned_fault& planned, const gust& next) {
  auto* target
    = planned.spec->target.empty()
        ? &(*processes_)[next.target % processes_->size()]
        : processes_->find_by_node(planned.spec->target);
  if (target == nullptr || !target->signal(signal_of(next.action)))
    return;
  happen(planned);
  events_->add_fault(
    target->name(), "storm: " + std::string{to_string(next.action)});
  auto ends = next.action == storm_action::terminate
              || next.action == storm_action::interrupt;
  planned.end_requested
    = planned.end_requested || (target == &processes_->coordinator() && ends);
}

void injector::calm_down(planned_fault& planned) {
  for (auto& process : *processes_)
    process.signal(SIGCONT);
  auto& coordinator = processes_->coordinator();
  if (planned.end_requested || !coordinator.signal(SIGTERM))
    return;
  happen(planned);
  events_->add_fault(coordinator.name(), "the storm has ended: terminate");
}

// -- links --------------------------------------------------------------------

void injector::disturb_link(planned_fault& planned) {
  auto& link = links_->of(*planned.spec);
  switch (planned.spec->kind) {
    case fault_kind::cut:
      link.cut();
      break;
    case fault_kind::hold:
      link.hold();
      break;
    case fault_kind::delay:
      link.delay(planned.spec->by);
      break;
    default:
      link.throttle(planned.spec->rate);
      break;
  }
  auto& end = links_->connecting(*planned.spec);
  happen(planned, end);
  if (planned.spec->duration)
    call_after(*planned.spec->duration, [this, &link, &end] {
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
