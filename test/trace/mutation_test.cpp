// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Spoils every line of random valid traces: removes it, repeats it, swaps it
// with the node's next line, or changes it. If that matters for a rule, the
// checker must detect it. It must never blame a line before the spoilt one.

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "rosia_trace/event.hpp"
#include "trace/random_trace.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace mutation_test {

using namespace trace_test;
using rosia_trace::event_kind;
using rosia_trace::member;

namespace {

/// The parts of a line that the test needs.
struct parsed_line {
  event_kind kind;
  std::string node, from, to, name, ending;
  logical_time tag, arrival, proposal;
  bool arrives = false;
};

class spoiler {
public:
  explicit spoiler(trace x) : trace_{std::move(x)} {
    rosia_trace::line_parser parser;
    for (const auto& line : trace_.lines) {
      REQUIRE(parser.parse(line) == rosia_trace::parse_result::event);
      const auto& e = parser.get();
      parsed_line p{
        e.kind,
        std::string{e.node},
        std::string{e.from},
        std::string{e.to},
        std::string{e.reaction},
        std::string{e.ending},
        e.tag,
        e.arrival,
        e.proposal,
        e.has(member::arrival)};
      if (e.kind == event_kind::aborted || e.kind == event_kind::error)
        aborted_ = true;
      if (e.has(member::stop_after))
        stop_after_ = true;
      lines_.push_back(std::move(p));
    }
  }

  void spoil_all() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      drop(i);
      duplicate(i);
      swap(i);
      alter(i);
    }
  }

  /// Returns the spoilt traces that had to be detected, by change and event.
  static std::map<std::string, int>& found() {
    static std::map<std::string, int> result;
    return result;
  }

private:
  // -- searching --------------------------------------------------------------

  bool is(std::size_t i, std::initializer_list<event_kind> kinds) const {
    return std::find(kinds.begin(), kinds.end(), lines_[i].kind) != kinds.end();
  }

  /// Returns the next line of the same node.
  std::optional<std::size_t> next_of_node(std::size_t i) const {
    for (auto j = i + 1; j < lines_.size(); ++j)
      if (lines_[j].node == lines_[i].node
          && !is(j, {event_kind::promise, event_kind::drop}))
        return j;
    return std::nullopt;
  }

  /// Returns whether the node is at its last tag and is aborted there.
  bool excused(std::size_t i) const {
    if (!aborted_)
      return false;
    for (auto j = i + 1; j < lines_.size(); ++j)
      if (lines_[j].node == lines_[i].node
          && lines_[j].kind == event_kind::execute)
        return false;
    return true;
  }

  /// Returns whether a line exists that `f` accepts.
  template <class F>
  bool any(F f) const {
    return std::any_of(lines_.begin(), lines_.end(), f);
  }

  template <class F>
  std::ptrdiff_t count(F f) const {
    return std::count_if(lines_.begin(), lines_.end(), f);
  }

  /// Returns whether the message sent in line `i` was set.
  bool consumed(std::size_t i) const {
    const auto& x = lines_[i];
    return x.arrives && any([&](const parsed_line& y) {
             return y.kind == event_kind::input && !y.from.empty()
                    && y.tag == x.arrival && x.to.starts_with(y.node + '.')
                    && y.from.starts_with(x.node + '.') && is_connected(y, x);
           });
  }

  /// Returns whether input `y` may belong to send `x`: port names are the ends
  /// of full names.
  bool is_connected(const parsed_line& y, const parsed_line& x) const {
    auto line = &y - lines_.data();
    const auto& text = trace_.lines[static_cast<std::size_t>(line)];
    auto port = "\"port\":\"" + x.to.substr(x.to.find('.') + 1) + '"';
    auto send = trace_.lines[static_cast<std::size_t>(&x - lines_.data())];
    auto out = y.from.substr(y.from.find('.') + 1);
    return text.find(port) != std::string::npos
           && send.find("\"port\":\"" + out + '"') != std::string::npos;
  }

  bool is_physical(const std::string& from, const std::string& to) const {
    for (const auto& line : trace_.lines)
      if (line.find("\"event\":\"connection\"") != std::string::npos
          && line.find('"' + from + '"') != std::string::npos
          && line.find('"' + to + '"') != std::string::npos)
        return line.find("\"physical\":true") != std::string::npos;
    return false;
  }

  /// Returns whether line `i` is an input over a logical connection.
  bool is_logical_input(std::size_t i) const {
    const auto& x = lines_[i];
    if (x.kind != event_kind::input || x.from.empty())
      return false;
    const auto& text = trace_.lines[i];
    auto start = text.find("\"port\":\"") + 8;
    auto port = text.substr(start, text.find('"', start) - start);
    return !is_physical(x.from, x.node + '.' + port);
  }

  // -- spoiling ---------------------------------------------------------------

  /// Checks a spoilt trace.
  /// @param line the spoilt line, from 0.
  void judge(const trace& spoilt, std::size_t line, bool matters,
             const std::string& change) {
    auto kind = std::string{to_string(lines_[line].kind)};
    INFO(change << " in line " << line + 1 << ": " << trace_.lines[line]);
    auto found_here = rosia_trace::check(spoilt.text());
    if (matters) {
      ++found()[change + ' ' + kind];
      REQUIRE(found_here);
    }
    if (found_here) {
      INFO(to_string(*found_here, "spoilt"));
      REQUIRE(found_here->line >= std::min(line + 1, spoilt.lines.size()));
      REQUIRE(found_here->line <= spoilt.lines.size());
    }
  }

  void drop(std::size_t i) {
    judge(trace_.without(i + 1), i, dropping_matters(i), "drop");
  }

  bool dropping_matters(std::size_t i) const {
    const auto& x = lines_[i];
    switch (x.kind) {
      case event_kind::application:
      case event_kind::node:
      case event_kind::shutdown:
      case event_kind::exit:
      case event_kind::end:
        return true;
      case event_kind::start:
        return !aborted_ || does_something(x.node);
      case event_kind::execute:
        return !excused(i) || lines_[*next_of_node(i)].tag == x.tag;
      case event_kind::connection:
        return any([&](const parsed_line& y) {
          return y.kind == event_kind::send && y.to == x.to
                 && x.from.starts_with(y.node + '.') && is_send_of(y, x.from);
        });
      case event_kind::reaction:
        return !excused(i);
      case event_kind::input:
        return (is_logical_input(i) || is_only_event(i)) && !excused(i);
      case event_kind::send:
        return consumed(i);
      case event_kind::resume:
        return is_only_event(i) && !excused(i);
      case event_kind::asked:
        return !aborted_;
      case event_kind::answer:
        return !aborted_ && !ends_before_final(i);
      case event_kind::request:
        return !stop_after_ && x.kind == event_kind::request
               && any([&](const parsed_line& y) {
                    return y.kind == event_kind::asked
                           && y.proposal == x.proposal;
                  })
               && count([&](const parsed_line& y) {
                    return y.kind == event_kind::request
                           && y.proposal == x.proposal;
                  }) == 1;
      case event_kind::final:
        return any([](const parsed_line& y) {
          return y.kind == event_kind::final_taken;
        });
      case event_kind::final_taken:
        return count([&](const parsed_line& y) {
                 return y.kind == event_kind::final_taken && y.node == x.node;
               }) == 1
               && any([&](const parsed_line& y) {
                    return y.kind == event_kind::shutdown && y.node == x.node
                           && y.ending == "final";
                  });
      case event_kind::aborted:
        return true;
      default:
        return false;
    }
  }

  bool does_something(const std::string& node) const {
    return any([&](const parsed_line& y) {
      return y.node == node
             && (y.kind == event_kind::execute || y.kind == event_kind::send);
    });
  }

  bool is_send_of(const parsed_line& y, const std::string& from) const {
    const auto& text
      = trace_.lines[static_cast<std::size_t>(&y - lines_.data())];
    return text.find("\"port\":\"" + from.substr(from.find('.') + 1) + '"')
           != std::string::npos;
  }

  bool is_only_event(std::size_t i) const {
    auto is_event = [&](std::size_t j) {
      return is(j, {event_kind::resume, event_kind::input});
    };
    for (std::size_t j = 0; j < lines_.size(); ++j)
      if (j != i && is_event(j) && lines_[j].node == lines_[i].node
          && lines_[j].tag == lines_[i].tag)
        return false;
    return true;
  }

  bool ends_before_final(std::size_t i) const {
    for (auto j = i + 1; j < lines_.size(); ++j) {
      if (lines_[j].kind == event_kind::final)
        return false;
      if (lines_[j].kind == event_kind::shutdown
          && lines_[j].node == lines_[i].node)
        return true;
    }
    return true;
  }

  void duplicate(std::size_t i) {
    auto matters
      = !is(i, {event_kind::promise, event_kind::drop, event_kind::request,
                event_kind::error, event_kind::aborted, event_kind::resume});
    if (lines_[i].kind == event_kind::resume)
      matters = lines_[i].name == "start";
    // After all nodes have left, a final tag may be fixed again, and answers
    // given.
    if (lines_[i].kind == event_kind::final)
      matters = any([](const parsed_line& y) {
        return y.kind == event_kind::final_taken;
      });
    judge(trace_.inserted(i + 2, trace_.lines[i]), i, matters, "duplicate");
  }

  void swap(std::size_t i) {
    if (lines_[i].node.empty()
        || is(i, {event_kind::node, event_kind::promise, event_kind::drop}))
      return;
    auto j = next_of_node(i);
    if (!j)
      return;
    judge(trace_.moved(*j + 1, i + 1), i, swapping_matters(i, *j), "swap");
  }

  bool swapping_matters(std::size_t i, std::size_t j) const {
    constexpr auto execute = event_kind::execute;
    constexpr auto reaction = event_kind::reaction;
    auto work = {event_kind::resume, event_kind::input, reaction};
    if (lines_[i].kind == execute)
      return is(j, work);
    if (lines_[j].kind == execute)
      return is(i, work) && !excused(j);
    if (lines_[i].kind == event_kind::start)
      return is(j, work) || is(j, {execute, event_kind::send});
    if (lines_[i].kind == event_kind::shutdown)
      return lines_[j].kind == event_kind::exit;
    if (lines_[i].kind == event_kind::asked)
      return lines_[j].kind == event_kind::answer && !aborted_;
    if (lines_[j].kind == event_kind::shutdown)
      return is(i, work);
    if (lines_[i].kind == event_kind::resume)
      return is(j, {event_kind::input, reaction});
    if (lines_[i].kind == reaction)
      return lines_[j].kind == reaction;
    return is_logical_input(i) && lines_[j].kind == reaction;
  }

  // -- altering ---------------------------------------------------------------

  void alter(std::size_t i) {
    const auto& x = lines_[i];
    switch (x.kind) {
      case event_kind::execute:
        later(i, "tag", x.tag, !excused(i) || !ends_next(i));
        judge(trace_.with(i + 1, "\"stat\":", "\"stat\":\"never\",\"what\":"),
              i, true, "rename stat");
        break;
      case event_kind::resume:
      case event_kind::input:
      case event_kind::reaction:
        later(i, "tag", x.tag, true);
        if (is_logical_input(i))
          other_digest(i, true);
        break;
      case event_kind::send:
        later(i, "tag", x.tag, true);
        if (x.arrives) {
          later(i, "arrival", x.arrival, true);
          other_digest(i, consumed(i));
        }
        break;
      case event_kind::shutdown:
        later(i, "tag", x.tag, true);
        judge(trace_.with(i + 1, '"' + x.ending + '"', "\"no how\""), i, true,
              "rename how");
        if (!aborted_)
          judge(trace_.with(i + 1, '"' + x.ending + '"', "\"aborted\""), i,
                true, "abort");
        break;
      case event_kind::answer:
        later(i, "tag", x.tag, !aborted_);
        break;
      case event_kind::final:
        later(i, "tag", x.tag, any([](const parsed_line& y) {
                return y.kind == event_kind::final_taken;
              }));
        break;
      case event_kind::final_taken:
        later(i, "tag", x.tag, true);
        break;
      case event_kind::end:
        judge(trace_.with(i + 1, "\"status\":", "\"status\":77"), i, true,
              "status");
        break;
      default:
        break;
    }
  }

  /// Returns whether only its shutdown follows for the node.
  bool ends_next(std::size_t i) const {
    return lines_[*next_of_node(i)].kind == event_kind::shutdown;
  }

  void later(std::size_t i, const std::string& name, logical_time tag,
             bool matters) {
    if (tag == never || tag == forever)
      return;
    auto before = '"' + name + "\":" + json(tag);
    auto after = '"' + name + "\":" + json({tag.ns, tag.microstep + 1});
    judge(trace_.with(i + 1, before, after), i, matters, "later " + name);
  }

  void other_digest(std::size_t i, bool matters) {
    const auto& text = trace_.lines[i];
    auto at = text.find("\"digest\":\"") + 10;
    auto digit = text.substr(at, 1);
    judge(
      trace_.with(i + 1, "\"digest\":\"" + digit,
                  std::string{"\"digest\":\""} + (digit == "0" ? "1" : "0")),
      i, matters, "digest");
  }

  trace trace_;
  std::vector<parsed_line> lines_;
  bool aborted_ = false;
  bool stop_after_ = false;
};

} // namespace

TEST_CASE("every spoilt line that matters for a rule is detected", "[trace]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    INFO("seed " << seed);
    spoiler{random_trace(seed)}.spoil_all();
  }
  // The random traces contained all kinds of lines.
  for (auto kind :
       {"drop application",
        "drop node",
        "drop connection",
        "drop start",
        "drop execute",
        "drop resume",
        "drop input",
        "drop reaction",
        "drop send",
        "drop request",
        "drop asked",
        "drop answer",
        "drop final",
        "drop final_taken",
        "drop aborted",
        "drop shutdown",
        "drop exit",
        "drop end",
        "duplicate connection",
        "duplicate execute",
        "duplicate input",
        "duplicate reaction",
        "duplicate send",
        "duplicate asked",
        "duplicate answer",
        "duplicate final",
        "duplicate final_taken",
        "duplicate shutdown",
        "duplicate exit",
        "duplicate end",
        "swap execute",
        "swap reaction",
        "swap input",
        "swap resume",
        "swap asked",
        "swap shutdown",
        "later tag execute",
        "later tag input",
        "later arrival send",
        "digest send",
        "digest input",
        "later tag answer",
        "later tag final",
        "later tag final_taken",
        "later tag shutdown",
        "abort shutdown",
        "status end"}) {
    INFO(kind);
    CHECK(spoiler::found()[kind] >= 5);
  }
}

} // namespace mutation_test
