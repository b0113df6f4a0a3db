// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/checker.hpp"

#include "rosia_trace/event.hpp"
#include "rosia_trace/execution.hpp"
#include "rosia_trace/life.hpp"
#include "rosia_trace/lines.hpp"
#include "rosia_trace/max_waits.hpp"
#include "rosia_trace/modes.hpp"
#include "rosia_trace/negotiation.hpp"
#include "rosia_trace/run.hpp"
#include "rosia_trace/traffic.hpp"
#include "rosia_trace/watchdogs.hpp"

namespace rosia_trace {

class checker::impl {
public:
  bool line(std::string_view text) {
    if (found_)
      return false;
    ++run_.line;
    apply(parser_.parse(text));
    return !found_.has_value();
  }

  std::optional<violation> finish(std::string_view rest) {
    if (found_)
      return found_;
    if (!rest.empty()) {
      ++run_.line;
      auto result = parser_.parse(rest);
      if (result == parse_result::not_json) {
        found_ = violation{
          rule::termination, run_.line,
          "the trace breaks off in the middle of this line: the process "
          "crashed or was killed, or still runs; "
            + life_.describe_unfinished()};
        return found_;
      }
      apply(result);
    }
    if (!found_ && run_.line == 0)
      found_ = violation{rule::readable, 0, "the trace is empty"};
    if (!found_ && !life_.over())
      found_ = violation{
        rule::termination, run_.line,
        "the trace breaks off after this line, without "
        "\"end\": the process crashed or was killed, or still "
        "runs; "
          + life_.describe_unfinished()};
    return found_;
  }

  const trace_counts& counts() const {
    return counts_;
  }

  const std::string& process() const {
    return process_;
  }

  const rule_tally& tally() const {
    return run_.rules.tally();
  }

private:
  void apply(parse_result result) {
    ++counts_.lines;
    switch (result) {
      case parse_result::event:
        try {
          dispatch(parser_.get());
        } catch (const broken_rule& x) {
          found_ = violation{x.broken, run_.line, x.text};
        }
        break;
      case parse_result::not_json:
        found_ = violation{rule::readable, run_.line, parser_.problem()};
        break;
      case parse_result::not_an_event:
        found_ = violation{rule::format, run_.line, parser_.problem()};
        break;
    }
  }

  void dispatch(const event& x) {
    life_.require_place(x);
    switch (x.kind) {
      case event_kind::application:
        if (x.has(member::stop_after))
          negotiation_.stop_after(x.stop_after);
        if (x.checkpoints)
          negotiation_.save_final();
        run_.replay = x.replay;
        process_ = x.process;
        break;
      case event_kind::node:
        run_.declared.add_node(x, run_.rules);
        ++counts_.nodes;
        break;
      case event_kind::connection:
        run_.declared.add_connection(x, run_.rules);
        ++counts_.connections;
        break;
      case event_kind::resumed:
        seal();
        execution_.begin_at(x.tag);
        break;
      case event_kind::request:
        request(x);
        break;
      case event_kind::final:
        seal();
        negotiation_.fix_final(x);
        ++counts_.finals;
        break;
      case event_kind::aborted:
        run_.aborted = counts_.aborted = true;
        if (x.has(member::started) && !x.started)
          life_.forgo_start();
        break;
      case event_kind::end:
        seal();
        life_.require_all_ended();
        negotiation_.require_status(x.status);
        counts_.status = x.status;
        life_.end();
        break;
      default:
        seal();
        dispatch(run_.declared.find_node(x.node), x);
    }
  }

  /// Handles an event of a node.
  void dispatch(index node, const event& x) {
    life_.require_alive(node, x);
    switch (x.kind) {
      case event_kind::restored:
        execution_.restore(node, x);
        break;
      case event_kind::in_transit:
        execution_.restore_message(node, x);
        break;
      case event_kind::pending:
        execution_.restore_event(node, x);
        break;
      case event_kind::running:
        execution_.restore_watchdog(node, x);
        break;
      case event_kind::start:
        execution_.start(node);
        break;
      case event_kind::execute:
        execution_.execute(node, x);
        ++counts_.tags;
        break;
      case event_kind::go_on:
        execution_.go_on(node, x);
        break;
      case event_kind::resume:
        execution_.resume(node, x);
        ++counts_.resumes;
        break;
      case event_kind::input:
        execution_.input(node, x);
        ++counts_.inputs;
        break;
      case event_kind::schedule:
        execution_.schedule(node, x);
        break;
      case event_kind::mode:
        modes_.enter(node, x);
        break;
      case event_kind::visited:
      case event_kind::suspended:
        execution_.restore_mode(node, x);
        break;
      case event_kind::withdraw:
        execution_.withdraw(node, x);
        break;
      case event_kind::action:
        execution_.action(node, x);
        ++counts_.actions;
        break;
      case event_kind::reaction:
        execution_.reaction(node, x);
        ++counts_.reactions;
        break;
      case event_kind::missed:
        execution_.missed(node, x);
        break;
      case event_kind::watchdog:
        watchdogs_.set(node, x);
        break;
      case event_kind::expire:
        watchdogs_.expire(node, x);
        break;
      case event_kind::tardy:
        max_waits_.tardy(node, x);
        break;
      case event_kind::ran:
        execution_.ran(node, x);
        break;
      case event_kind::send:
        traffic_.send(node, x);
        ++counts_.sends;
        break;
      case event_kind::promise:
        traffic_.promise(node, x);
        ++counts_.promises;
        break;
      case event_kind::drop:
        life_.drop(node, x);
        ++counts_.drops;
        break;
      case event_kind::done:
        life_.done(node, x);
        break;
      case event_kind::asked:
        negotiation_.asked(node, x);
        break;
      case event_kind::answer:
        negotiation_.answer(node, x);
        break;
      case event_kind::final_taken:
        negotiation_.take_final(node, x);
        break;
      case event_kind::error:
        life_.error(node, x);
        break;
      case event_kind::shutdown:
        shutdown(node, x);
        break;
      case event_kind::exit:
        life_.exit(node);
        break;
      default:
        break;
    }
  }

  void request(const event& x) {
    ++counts_.requests;
    if (!x.has(member::node)) {
      negotiation_.request(std::nullopt, x);
      return;
    }
    seal();
    auto node = run_.declared.find_node(x.node);
    life_.require_alive(node, x);
    if (!x.has(member::tag))
      throw broken_rule{rule::format, "a node's request has to have a tag"};
    negotiation_.request(node, x);
  }

  void shutdown(index node, const event& x) {
    auto outcome = life_.require_ending(node, x);
    if (outcome != ending::aborted)
      execution_.leave_tag(node);
    if (outcome == ending::final)
      negotiation_.require_agreed(node);
    life_.shutdown(node, outcome);
  }

  void seal() {
    if (!run_.declared.sealed())
      run_.seal();
  }

  line_parser parser_;
  run run_;
  execution execution_{run_};
  traffic traffic_{run_};
  negotiation negotiation_{run_};
  modes modes_{run_};
  watchdogs watchdogs_{run_};
  max_waits max_waits_{run_};
  life life_{run_};
  trace_counts counts_;
  std::string process_;
  std::optional<violation> found_;
};

checker::checker() : impl_{std::make_unique<impl>()} {
  // nop
}

checker::~checker() = default;

checker::checker(checker&&) noexcept = default;

checker& checker::operator=(checker&&) noexcept = default;

bool checker::line(std::string_view text) {
  return impl_->line(text);
}

std::optional<violation> checker::finish(std::string_view rest) {
  return impl_->finish(rest);
}

const trace_counts& checker::counts() const {
  return impl_->counts();
}

const std::string& checker::process() const {
  return impl_->process();
}

const rule_tally& checker::tally() const {
  return impl_->tally();
}

std::optional<violation> check(std::string_view whole_trace) {
  checker result;
  auto rest = for_each_line(whole_trace, [&](std::string_view line) {
    return result.line(line);
  });
  return result.finish(rest);
}

} // namespace rosia_trace
