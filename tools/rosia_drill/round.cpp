// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/round.hpp"

#include "rosia_drill/control.hpp"
#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/link_proxy.hpp"
#include "rosia_drill/started_process.hpp"
#include "rosia_drill/trace_look.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;

using strings = std::vector<std::string>;

constexpr std::uint64_t default_garbage = 1000;

/// How many lines of a process's log the report shows, and how much of each.
constexpr std::size_t lines_in_report = 60;
constexpr std::size_t longest_line = 300;

/// How many steps of the protocol the report shows.
constexpr std::size_t steps_in_report = 400;

/// The signals of `stop` take effect at once, but this is looked at now and
/// then.
constexpr std::int64_t pause_between_looks = 50'000'000;

/// In nanoseconds: more than the library takes to notice that others have gone.
constexpr std::int64_t patience_with_descendants = 3'000'000'000;

void replace_all(std::string& text, const std::string& what,
                 const std::string& by) {
  for (auto i = text.find(what); i != std::string::npos;
       i = text.find(what, i + by.size()))
    text.replace(i, what.size(), by);
}

/// Keeps processors busy as long as it lives.
class busy_threads {
public:
  explicit busy_threads(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      threads_.emplace_back([](const std::stop_token& token) {
        while (!token.stop_requested())
          continue;
      });
  }

private:
  std::vector<std::jthread> threads_;
};

/// A process of the round.
struct member {
  std::string name;
  std::unique_ptr<started_process> process;
  std::unique_ptr<reserved_port> port;
  std::set<std::string> nodes;
  std::ofstream log;
  std::string line; // its beginning
  std::size_t lines = 0;
  bool log_is_file = false;
  bool stopped = false; // for ever
  std::int64_t late = 0;
  bool never = false;
};

/// A fault that is to happen.
struct pending {
  const fault* what;
  std::string number; // for the processes
  /// Nanoseconds, or which of the steps.
  std::int64_t where = 0;
  std::int64_t count = 0; // of steps
  bool begun = false;
  bool happened = false;
  bool refused = false;    // it names nobody
  std::vector<gust> gusts; // of a storm
  bool asked = false;      // by the storm, the coordinator, for an end
};

/// Somebody who sends garbage.
struct nuisance {
  descriptor socket;
  std::string bytes;
  pending* why;
};

class round {
public:
  round(const drill& what, const round_settings& settings)
    : drill_{what}, settings_{settings}, random_{settings.seed},
      load_{what.load} {
    result_.number = settings.number;
    result_.seed = settings.seed;
    result_.folder = settings.folder;
    make_folders();
    add_members();
    if (settings.disturbed)
      add_faults();
    add_proxies();
  }

  outcome run() {
    begin_ = monotonic_now();
    control_ = std::make_unique<control>(
      loop_, settings_.socket.string(),
      control::events{
        [this](auto who, auto& name, auto) { return instruct(who, name); },
        [this](auto who, auto& names) { take_nodes(who, names); },
        [this](auto, auto at) { begin_time(at); },
        [this](auto who, auto& x) { take_step(who, x); }});
    begin_all(injection_point::kind::launch, fault_place::link);
    for (std::size_t i = 0; i < members_.size(); ++i)
      start_in_time(i);
    begin_all(injection_point::kind::launch, fault_place::process);
    if (!drill_.nodes)
      begin_time(monotonic_now());
    loop_.call_at(begin_ + drill_.limit.count(), [this] { give_up(); });
    watch();
    loop_.run([this] { return over(); });
    finish();
    return std::move(result_);
  }

private:
  // -- before -----------------------------------------------------------------

  void make_folders() const {
    for (auto* name : {"tmp", "logs", "traces", "work"})
      fs::create_directories(settings_.folder / name);
  }

  void add_members() {
    for (auto& name : drill_.process_names()) {
      auto& x = members_.emplace_back();
      x.name = name;
      if (!drill_.processes.empty())
        x.port = std::make_unique<reserved_port>();
      fs::create_directories(settings_.folder / "work" / name);
      result_.processes.push_back({name, log_of(name)});
    }
  }

  void add_faults() {
    for (auto& x : drill_.faults) {
      auto& y = pending_.emplace_back();
      y.what = &x;
      y.number = std::to_string(pending_.size());
      y.where = x.when.where.pick(random_());
      if (x.what == fault_kind::storm)
        y.gusts = forecast(x.storm, random_());
      auto* target
        = describe(x.what).where == fault_place::process
            ? find_member(x.target)
            : nullptr;
      if (x.what == fault_kind::late)
        target->late = x.by.count();
      else if (x.what == fault_kind::never)
        target->never = true;
      else if (x.what == fault_kind::full && x.also_log && target != nullptr)
        target->log_is_file = true;
      y.begun = x.what == fault_kind::never;
      y.happened = y.begun;
    }
  }

  void add_proxies() {
    for (auto& x : pending_)
      if (describe(x.what->what).where == fault_place::link) {
        auto [first, second] = link_of(*x.what);
        if (!proxies_.contains({first, second}))
          proxies_.emplace(
            std::pair{first, second},
            std::make_unique<link_proxy>(
              loop_, members_[first].port->number()));
      }
  }

  /// The later of two processes connects to the earlier one.
  std::pair<std::size_t, std::size_t> link_of(const fault& x) {
    auto first = index_of(*find_member(x.link.first));
    auto second = index_of(*find_member(x.link.second));
    return {std::min(first, second), std::max(first, second)};
  }

  std::uint16_t port_of(std::size_t of, std::size_t for_whom) const {
    auto i = proxies_.find({of, for_whom});
    return i == proxies_.end()
             ? members_[of].port->number()
             : i->second->port();
  }

  fs::path log_of(const std::string& name) const {
    return settings_.folder / "logs" / (name + ".log");
  }

  // -- starting ---------------------------------------------------------------

  void start_in_time(std::size_t i) {
    auto& x = members_[i];
    if (x.never) {
      note_fault(i, {}, "it does not start");
      return;
    }
    if (x.late == 0) {
      start(i);
      return;
    }
    ++to_start_;
    loop_.call_at(begin_ + x.late, [this, i] {
      --to_start_;
      if (given_up_)
        return;
      start(i);
      for (auto& y : pending_)
        if (y.what->what == fault_kind::late
            && find_member(y.what->target) == &members_[i]) {
          happen(y);
          note_fault(i, {}, "it starts only now");
        }
    });
  }

  void start(std::size_t i) {
    auto& x = members_[i];
    process_command command;
    command.arguments = arguments_of(i);
    command.environment = environment_of();
    command.folder = settings_.folder / "work" / x.name;
    if (x.log_is_file)
      command.log = log_of(x.name);
    else
      x.log.open(log_of(x.name), std::ios::binary);
    x.process = std::make_unique<started_process>(command);
    result_.processes[i].ran = true;
    result_.processes[i].started = elapsed();
    loop_.read(x.process->handle(), [this, i] { take_end(i); });
    if (!x.log_is_file)
      loop_.read(x.process->output(), [this, i] { take_output(i); });
  }

  strings environment_of() const {
    auto tmp = (settings_.folder / "tmp").string();
    strings result{"TMPDIR=" + tmp, "XDG_RUNTIME_DIR=" + tmp, mark()};
    if (drill_.nodes) {
      result.push_back("ROSIA_DRILL=" + settings_.socket.string());
      result.push_back("ROSIA_TOKEN=drill-" + std::to_string(::getpid()) + '-'
                       + std::to_string(settings_.number));
    }
    return result;
  }

  /// By this variable the round's processes are known, and those that they have
  /// started.
  std::string mark() const {
    return "ROSIA_DRILL_ROUND=" + settings_.socket.string();
  }

  strings arguments_of(std::size_t i) const {
    strings result{settings_.program.string()};
    auto add = [&](const std::string& name, const std::string& value) {
      result.push_back("--rosia." + name + '=' + value);
    };
    if (drill_.nodes) {
      add("drills", "allow");
      add("trace", (settings_.folder / "traces" / "trace.jsonl").string());
      add("report", (settings_.folder / "report.json").string());
      if (!drill_.processes.empty())
        add_role(i, add);
    }
    for (auto x : drill_.arguments) {
      replace_all(x, "{seed}", std::to_string(settings_.seed));
      replace_all(x, "{round}", std::to_string(settings_.number));
      replace_all(x, "{folder}", settings_.folder.string());
      replace_all(x, "{process}", members_[i].name);
      result.push_back(std::move(x));
    }
    return result;
  }

  template <class Add>
  void add_role(std::size_t i, Add&& add) const {
    auto join = [](auto& xs, auto&& text) {
      std::string result;
      for (auto& x : xs)
        result += (result.empty() ? "" : ",") + text(x);
      return result;
    };
    auto address
      = [](std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); };
    add("listen", address(members_[i].port->number()));
    if (i == 0) {
      add("expect", join(drill_.processes, [](auto& x) { return x; }));
    } else {
      add("join", address(port_of(0, i)));
      add("process", members_[i].name);
    }
    if (!drill_.placement.empty())
      add("placement", join(drill_.placement, [](auto& x) {
            return x.first + '=' + x.second;
          }));
    if (drill_.certificates) {
      add("tls.certificate", settings_.certificates.certificate);
      add("tls.key", settings_.certificates.key);
      add("tls.ca", settings_.certificates.ca);
    } else {
      add("insecure", "true");
    }
  }

  // -- what processes tell ----------------------------------------------------

  strings instruct(control::peer who, const std::string& name) {
    auto* x = find_member(name);
    peers_.resize(std::max(peers_.size(), who + 1));
    peers_[who] = x;
    if (x == nullptr)
      return {};
    auto i = index_of(*x);
    strings result;
    for (std::size_t j = 0; j < members_.size(); ++j)
      if (proxies_.contains({j, i}))
        result.push_back("address\t" + members_[j].name + "\t127.0.0.1\t"
                         + std::to_string(port_of(j, i)));
    for (auto& y : pending_)
      add_instructions(result, *x, y);
    return result;
  }

  void add_instructions(strings& to, const member& x, pending& y) {
    auto& what = *y.what;
    auto& when = what.when;
    auto tag = std::to_string(y.where) + "\t0";
    auto is_of_node = describe(what.what).where == fault_place::node;
    auto own_tag = is_of_node && when.what == injection_point::kind::logical
                   && when.node == what.target;
    if (what.what == fault_kind::clock && find_member(what.target) == &x) {
      to.push_back("clock\t" + std::to_string(what.by.count()));
      happen(y);
      note_fault(index_of(x), {}, what.text);
    }
    if (when.what == injection_point::kind::step)
      to.push_back(
        "watch\t" + when.step + '\t' + (when.node.empty() ? "*" : when.node));
    if (when.what == injection_point::kind::logical && !own_tag)
      to.push_back("milestone\t" + y.number + '\t' + when.node + '\t' + tag);
    if (!is_of_node)
      return;
    auto from_the_start
      = when.what == injection_point::kind::launch
        || when.what == injection_point::kind::start;
    auto first = own_tag ? tag : from_the_start ? "0\t0" : "later\t";
    auto by
      = what.what == fault_kind::request
          ? static_cast<std::int64_t>(what.status)
          : what.by.count();
    auto duration = what.duration ? what.duration->count() : 0;
    to.push_back(
      "fault\t" + y.number + '\t' + std::string{describe(what.what).name} + '\t'
      + what.target + '\t' + std::to_string(by) + '\t'
      + std::to_string(duration) + '\t' + first);
    y.begun = y.begun || own_tag || from_the_start;
  }

  void take_nodes(control::peer who, const strings& names) {
    nodes_.insert(names.begin(), names.end());
    if (auto* x = peers_[who])
      x->nodes = {names.begin(), names.end()};
  }

  /// Logical time begins. The first process that says so counts.
  void begin_time(std::int64_t at) {
    if (result_.began)
      return;
    result_.began = at - begin_;
    // All processes have told their nodes before. What they have told is read
    // by the time that this comes.
    if (drill_.nodes)
      later({}, [this] { later({}, [this] { check_names(); }); });
    begin_all(injection_point::kind::start, std::nullopt);
    for (auto& x : pending_)
      if (x.what->when.what == injection_point::kind::time)
        loop_.call_at(at + x.where, [this, &x] { begin(x); });
  }

  void take_step(control::peer who, const process_step& x) {
    auto* from = peers_[who];
    auto process = from == nullptr ? std::string{} : from->name;
    if (x.what.starts_with("fault:")) {
      auto& y = pending_of(x.what.substr(6));
      happen(y);
      note(round_event::kind::fault, process, x, y.what->text);
      return;
    }
    if (x.what.starts_with("reached:")) {
      begin(pending_of(x.what.substr(8)));
      return;
    }
    if (steps_++ < steps_in_report)
      note(round_event::kind::step, process, x, x.what);
    for (auto& y : pending_) {
      auto& when = y.what->when;
      if (when.what == injection_point::kind::step && when.step == x.what
          && (when.node.empty() || when.node == x.node) && ++y.count == y.where)
        begin(y);
    }
  }

  void take_output(std::size_t i) {
    auto& x = members_[i];
    char block[1 << 16];
    auto count = ::read(x.process->output(), block, sizeof block);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (count <= 0) {
      loop_.forget(x.process->output());
      return;
    }
    auto size = static_cast<std::size_t>(count);
    x.log.write(block, count);
    x.line.append(block, size);
    for (;;) {
      auto end = x.line.find('\n');
      if (end == std::string::npos)
        return;
      take_line(x, x.line.substr(0, end));
      x.line.erase(0, end + 1);
    }
  }

  void take_line(member& x, const std::string& line) {
    if (++x.lines <= lines_in_report)
      result_.events.push_back(
        {elapsed(),
         round_event::kind::log,
         x.name,
         {},
         line.substr(0, longest_line),
         std::nullopt});
    for (auto& y : pending_)
      if (y.what->when.what == injection_point::kind::log
          && line.find(y.what->when.words) != std::string::npos)
        begin(y);
  }

  void take_end(std::size_t i) {
    auto& x = members_[i];
    loop_.forget(x.process->handle());
    if (!x.log_is_file) {
      for (auto before = x.line.size() + 1; before != x.line.size();) {
        before = x.line.size();
        take_output(i);
      }
      loop_.forget(x.process->output());
      if (!x.line.empty())
        take_line(x, std::exchange(x.line, {}));
      x.log.close();
    }
    auto& y = result_.processes[i];
    y.status = x.process->reap();
    y.ended = elapsed();
    result_.events.push_back(
      {y.ended,
       round_event::kind::end,
       x.name,
       {},
       status_text(y.status),
       std::nullopt});
  }

  static std::string status_text(int status) {
    return status > 128 && status != 129
             ? "signal " + std::to_string(status - 128)
             : "status " + std::to_string(status);
  }

  // -- faults -----------------------------------------------------------------

  pending& pending_of(const std::string& number) {
    return *std::find_if(pending_.begin(), pending_.end(), [&](auto& x) {
      return x.number == number;
    });
  }

  void begin_all(injection_point::kind when, std::optional<fault_place> where) {
    for (auto& x : pending_) {
      auto place = describe(x.what->what).where;
      if (x.what->when.what == when
          && !describe(x.what->what).from_the_beginning
          && place != fault_place::node && (!where || place == *where))
        begin(x);
    }
  }

  void begin(pending& x) {
    if (std::exchange(x.begun, true))
      return;
    switch (describe(x.what->what).where) {
      case fault_place::process:
        disturb_process(x);
        break;
      case fault_place::node:
        // It says when it has happened.
        for (control::peer i = 0; i < peers_.size(); ++i)
          if (peers_[i] != nullptr && peers_[i]->nodes.contains(x.what->target))
            control_->send(i, "arm\t" + x.number);
        break;
      case fault_place::link:
        disturb_link(x);
        break;
    }
  }

  void happen(pending& x) {
    x.happened = true;
    result_.last_fault = elapsed();
  }

  /// Ends the round if a fault, or its injection point, names nobody: it would
  /// wait for what cannot come.
  void check_names() {
    for (auto& x : pending_) {
      auto place = describe(x.what->what).where;
      if (place != fault_place::link)
        check_name(x, x.what->target, place == fault_place::process);
      check_name(x, x.what->when.node, false);
    }
  }

  void check_name(pending& x, const std::string& name, bool may_be_process) {
    if (name.empty() || nodes_.contains(name)
        || (may_be_process && find_member(name) != nullptr))
      return;
    strings names{nodes_.begin(), nodes_.end()};
    if (may_be_process)
      for (auto& process : members_)
        names.push_back(process.name);
    refuse(x, std::string{"there is no "}
                + (may_be_process ? "process and no " : "") + "node '" + name
                + "', but " + choices(names) + suggestion(name, names));
  }

  void refuse(pending& x, const std::string& why) {
    if (std::exchange(x.refused, true))
      return;
    result_.problems.push_back({"fault " + x.what->text, why});
    kill_all();
  }

  void disturb_process(pending& x) {
    if (x.what->what == fault_kind::storm) {
      blow(x, 0);
      return;
    }
    auto* target = find_target(x.what->target);
    if (target == nullptr) {
      refuse(x, "there is no process '" + x.what->target
                  + "', and no node that is known by then");
      return;
    }
    switch (x.what->what) {
      case fault_kind::interrupt:
        send_signal(x, *target, SIGINT, 1);
        break;
      case fault_kind::terminate:
        send_signal(x, *target, SIGTERM, 1);
        break;
      case fault_kind::report:
        send_signal(x, *target, SIGUSR1, 1);
        break;
      case fault_kind::kill:
        send_signal(x, *target, SIGKILL, 1);
        break;
      case fault_kind::stop:
        stop(x, *target);
        break;
      case fault_kind::garbage:
        send_garbage(x, *target, 1);
        break;
      case fault_kind::full:
        fill_disk(x, *target);
        break;
      default:
        break;
    }
  }

  void send_signal(pending& x, member& target, int number,
                   std::uint64_t count) {
    if (target.process && target.process->signal(number)) {
      happen(x);
      note_fault(index_of(target), {}, x.what->text);
    }
    if (count < x.what->times)
      later(x.what->every, [this, &x, &target, number, count] {
        send_signal(x, target, number, count + 1);
      });
  }

  void stop(pending& x, member& target) {
    if (!target.process || !target.process->signal(SIGSTOP))
      return;
    happen(x);
    note_fault(index_of(target), {}, x.what->text);
    if (!x.what->duration) {
      target.stopped = true;
      return;
    }
    later(*x.what->duration, [this, &target] {
      if (target.process->signal(SIGCONT))
        note_fault(index_of(target), {}, "it goes on");
    });
  }

  /// Lets a storm blow from its `i`-th gust on.
  void blow(pending& x, std::size_t i) {
    if (i == x.gusts.size()) {
      later({}, [this, &x] { calm_down(x); });
      return;
    }
    later(x.gusts[i].pause, [this, &x, i] {
      hit(x, x.gusts[i]);
      blow(x, i + 1);
    });
  }

  void hit(pending& x, const gust& y) {
    auto* target
      = x.what->target.empty()
          ? &members_[y.whom % members_.size()]
          : find_target(x.what->target);
    if (target == nullptr || !target->process
        || !target->process->signal(signal_of(y.what)))
      return;
    happen(x);
    note_fault(
      index_of(*target), {}, "storm: " + std::string{to_string(y.what)});
    x.asked
      = x.asked
        || (target == &members_.front()
            && (y.what == storm_action::terminate
                || y.what == storm_action::interrupt));
  }

  /// Nobody is left behind that a storm has stopped, and all of them end.
  void calm_down(pending& x) {
    for (auto& y : members_)
      if (y.process)
        y.process->signal(SIGCONT);
    auto& coordinator = members_.front();
    if (x.asked || !coordinator.process
        || !coordinator.process->signal(SIGTERM))
      return;
    happen(x);
    note_fault(0, {}, "the storm is over: terminate");
  }

  void fill_disk(pending& x, member& target) {
    if (!target.process || !target.process->limit_files(0))
      return;
    happen(x);
    note_fault(index_of(target), {}, x.what->text);
    if (x.what->duration)
      later(*x.what->duration, [this, &target] {
        if (target.process->limit_files(-1))
          note_fault(index_of(target), {}, "there is room again");
      });
  }

  void send_garbage(pending& x, member& target, std::uint64_t count) {
    auto socket = connect_to_loopback(target.port->number());
    if (socket) {
      auto size = x.what->size > 0 ? x.what->size : default_garbage;
      std::string bytes(size, '\0');
      for (auto& byte : bytes)
        byte = static_cast<char>(random_());
      auto& y = nuisances_.emplace_back(nuisance{std::move(socket), bytes, &x});
      auto fd = y.socket.get();
      loop_.write(fd, [this, fd, &y, i = index_of(target)] {
        auto sent = ::send(fd, y.bytes.data(), y.bytes.size(), MSG_NOSIGNAL);
        if (sent > 0 && !y.why->happened) {
          happen(*y.why);
          note_fault(i, {}, y.why->what->text);
        }
        if (sent > 0)
          y.bytes.erase(0, static_cast<std::size_t>(sent));
        if (y.bytes.empty() || (sent < 0 && errno != EAGAIN)) {
          loop_.forget(fd);
          y.socket.close();
        }
      });
    }
    if (count < x.what->times)
      later(x.what->every, [this, &x, &target, count] {
        send_garbage(x, target, count + 1);
      });
  }

  void disturb_link(pending& x) {
    auto link = link_of(*x.what);
    auto& proxy = *proxies_.at(link);
    switch (x.what->what) {
      case fault_kind::cut:
        proxy.cut();
        break;
      case fault_kind::hold:
        proxy.hold();
        break;
      case fault_kind::delay:
        proxy.delay(x.what->by);
        break;
      default:
        proxy.throttle(x.what->rate);
        break;
    }
    happen(x);
    note_fault(link.second, {}, x.what->text);
    if (x.what->duration)
      later(*x.what->duration, [this, &proxy, link] {
        proxy.restore();
        note_fault(link.second, {}, "the connection is restored");
      });
  }

  void later(std::chrono::nanoseconds after, std::function<void()> what) {
    loop_.call_at(monotonic_now() + after.count(), std::move(what));
  }

  // -- the end ----------------------------------------------------------------

  /// Looks now and then whether the round has to be ended from here.
  void watch() {
    if (settings_.stop != nullptr && *settings_.stop) {
      result_.interrupted = true;
      kill_all();
    } else if (to_start_ == 0 && !over()) {
      // Nobody else ends a process that is stopped for ever.
      auto only_stopped
        = std::all_of(members_.begin(), members_.end(), [](auto& x) {
            return !x.process || !x.process->running() || x.stopped;
          });
      if (only_stopped)
        kill_all();
    }
    loop_.call_at(monotonic_now() + pause_between_looks, [this] { watch(); });
  }

  void give_up() {
    result_.problems.push_back(
      {"limit " + time_text(drill_.limit), "the round was not over by then"});
    kill_all();
  }

  void kill_all() {
    given_up_ = true;
    for (auto& x : members_)
      if (x.process && x.process->running())
        x.process->kill_group();
  }

  static std::string time_text(std::chrono::nanoseconds x) {
    std::ostringstream out;
    out << static_cast<double>(x.count()) / 1e9 << " s";
    return out.str();
  }

  bool over() const {
    if (to_start_ > 0 && !given_up_)
      return false;
    return std::none_of(members_.begin(), members_.end(), [](auto& x) {
      return x.process && x.process->running();
    });
  }

  void finish() {
    end_descendants();
    for (auto& x : members_) {
      if (x.port && x.port->is_in_use())
        result_.ports_left.push_back(
          std::to_string(x.port->number()) + " of '" + x.name + "'");
    }
    proxies_.clear();
    for (auto& x : nuisances_)
      loop_.forget(x.socket.get());
    for (auto& x : fs::recursive_directory_iterator(settings_.folder / "tmp"))
      result_.files_left.push_back(
        x.path().lexically_relative(settings_.folder / "tmp"));
    if (!result_.interrupted)
      for (auto& x : pending_)
        if (!x.happened && !x.refused && !x.what->optional)
          result_.problems.push_back(
            {"fault " + x.what->text,
             "it has not happened: the round was over "
             "before, or what it waits for did not "
             "come"});
    if (drill_.nodes) {
      if (peers_.empty() && !result_.interrupted)
        result_.problems.push_back(
          {"nodes = yes", "no process has told the tool about its steps: is "
                          "the program an application of libcaf_rosia?"});
      read_report();
      look_at_traces(settings_.folder, result_);
    }
    std::stable_sort(result_.events.begin(), result_.events.end(),
                     [](auto& x, auto& y) { return x.at < y.at; });
    result_.nanoseconds = elapsed();
  }

  /// Those that the round's processes have started may take a moment to notice
  /// that they are alone.
  void end_descendants() {
    auto end = monotonic_now() + (given_up_ ? 0 : patience_with_descendants);
    auto left = processes_with(mark());
    while (!left.empty() && monotonic_now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      left = processes_with(mark());
    }
    for (auto& [pid, name] : left) {
      result_.processes_left.push_back(std::to_string(pid) + " (" + name + ')');
      ::kill(pid, SIGKILL);
    }
  }

  void read_report() {
    std::ifstream in{settings_.folder / "report.json", std::ios::binary};
    result_.report.assign(
      std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
  }

  // -- implementation ---------------------------------------------------------

  std::int64_t elapsed() const {
    return monotonic_now() - begin_;
  }

  std::size_t index_of(const member& x) const {
    return static_cast<std::size_t>(&x - members_.data());
  }

  member* find_member(const std::string& name) {
    for (auto& x : members_)
      if (x.name == (name.empty() ? "coordinator" : name))
        return &x;
    return nullptr;
  }

  /// A process, by its name or by that of one of its nodes.
  member* find_target(const std::string& name) {
    auto* result = find_member(name);
    for (auto& x : members_)
      if (result == nullptr && x.nodes.contains(name))
        result = &x;
    return result;
  }

  void note_fault(std::size_t process, const std::string& node,
                  const std::string& text) {
    result_.events.push_back(
      {elapsed(), round_event::kind::fault, members_[process].name, node, text,
       std::nullopt});
  }

  void note(round_event::kind what, const std::string& process,
            const process_step& x, const std::string& text) {
    std::optional<rosia_trace::logical_time> tag;
    if (x.ns >= 0 && x.ns != rosia_trace::forever.ns)
      tag = {x.ns, x.microstep};
    result_.events.push_back({x.at - begin_, what, process, x.node, text, tag});
  }

  const drill& drill_;
  const round_settings& settings_;
  std::mt19937_64 random_;
  busy_threads load_;
  outcome result_;
  std::int64_t begin_ = 0;
  event_loop loop_;
  std::vector<member> members_;
  std::vector<pending> pending_;
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<link_proxy>>
    proxies_; // the one who is connected to, and the one who connects
  std::list<nuisance> nuisances_;
  std::unique_ptr<control> control_;
  std::set<std::string> nodes_; // that processes have told, also strangers
  std::vector<member*> peers_;  // by their numbers; null for strangers
  std::size_t steps_ = 0;
  std::size_t to_start_ = 0;
  bool given_up_ = false;
};

} // namespace

outcome run_round(const drill& what, const round_settings& settings) {
  return round{what, settings}.run();
}

} // namespace rosia_drill
