// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/checker.hpp"

#include "rosia_trace/deadlines.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/execution.hpp"
#include "rosia_trace/life.hpp"
#include "rosia_trace/lines.hpp"
#include "rosia_trace/max_waits.hpp"
#include "rosia_trace/modes.hpp"
#include "rosia_trace/negotiation.hpp"
#include "rosia_trace/restoring.hpp"
#include "rosia_trace/run.hpp"
#include "rosia_trace/scheduling.hpp"
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

private:
  friend class checker;

  void apply(parse_result result) {
    ++counts_.lines;
    switch (result) {
      case parse_result::event:
        try {
          dispatch(parser_.get());
          ++counts_.events[static_cast<std::size_t>(parser_.get().kind)];
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
        break;
      case event_kind::connection:
        run_.declared.add_connection(x, run_.rules);
        break;
      case event_kind::resumed:
        seal();
        restoring_.begin(x.tag);
        break;
      case event_kind::request:
        request(x);
        break;
      case event_kind::final:
        seal();
        negotiation_.fix_final(x);
        break;
      case event_kind::aborted:
        run_.aborted = true;
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
        return restoring_.node(node, x);
      case event_kind::in_transit:
        return restoring_.message(node, x);
      case event_kind::pending:
        return restoring_.pending_event(node, x);
      case event_kind::running:
        return restoring_.watchdog(node, x);
      case event_kind::start:
        return execution_.start(node);
      case event_kind::execute:
        return execution_.execute(node, x);
      case event_kind::go_on:
        return execution_.go_on(node, x);
      case event_kind::resume:
        return execution_.resume(node, x);
      case event_kind::input:
        return execution_.input(node, x);
      case event_kind::schedule:
        return scheduling_.schedule(node, x);
      case event_kind::mode:
        return modes_.enter(node, x);
      case event_kind::visited:
      case event_kind::suspended:
        return restoring_.mode(node, x);
      case event_kind::withdraw:
        return scheduling_.withdraw(node, x);
      case event_kind::action:
        return execution_.action(node, x);
      case event_kind::reaction:
        return execution_.reaction(node, x);
      case event_kind::missed:
        return deadlines_.missed(node, x);
      case event_kind::watchdog:
        return watchdogs_.set(node, x);
      case event_kind::expire:
        return watchdogs_.expire(node, x);
      case event_kind::tardy:
        return max_waits_.tardy(node, x);
      case event_kind::ran:
        return deadlines_.ran(node, x);
      case event_kind::send:
        return traffic_.send(node, x);
      case event_kind::promise:
        return traffic_.promise(node, x);
      case event_kind::drop:
        return life_.drop(node, x);
      case event_kind::done:
        return life_.done(node, x);
      case event_kind::asked:
        return negotiation_.asked(node, x);
      case event_kind::answer:
        return negotiation_.answer(node, x);
      case event_kind::final_taken:
        return negotiation_.take_final(node, x);
      case event_kind::error:
        return life_.error(node, x);
      case event_kind::shutdown:
        return shutdown(node, x);
      case event_kind::exit:
        return life_.exit(node);
      default:
        break;
    }
  }

  void request(const event& x) {
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
  restoring restoring_{run_};
  execution execution_{run_};
  scheduling scheduling_{run_};
  deadlines deadlines_{run_};
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
  return impl_->counts_;
}

const std::string& checker::process() const {
  return impl_->process_;
}

const rule_tally& checker::tally() const {
  return impl_->run_.rules.tally();
}

std::optional<violation> check(std::string_view whole_trace) {
  checker result;
  auto rest = for_each_line(whole_trace, [&](std::string_view line) {
    return result.line(line);
  });
  return result.finish(rest);
}

} // namespace rosia_trace
