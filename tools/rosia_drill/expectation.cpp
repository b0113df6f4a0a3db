// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/expectation.hpp"

#include <array>
#include <functional>

namespace rosia_drill {

namespace {

using strings = std::vector<std::string>;
using kind = expectation_kind;

[[noreturn]] void refuse(const std::string& text) {
  std::string message = "unknown expectation '" + text + "'; known are";
  for (auto& x : all_expectations())
    message += "\n  " + std::string{x.form};
  throw mistake{message};
}

/// Consumes words from the front.
class reader {
public:
  explicit reader(const std::string& text)
    : text_{text}, words_{split_words(text)} {
    // nop
  }

  bool over() const {
    return at_ == words_.size();
  }

  /// Consumes these words, if they are next.
  bool take(const std::vector<std::string_view>& expected) {
    if (words_.size() - at_ < expected.size())
      return false;
    auto i = at_;
    for (auto x : expected)
      if (words_[i++] != x)
        return false;
    at_ = i;
    return true;
  }

  std::string next() {
    if (over())
      refuse(text_);
    return words_[at_++];
  }

  void end() const {
    if (!over())
      refuse(text_);
  }

private:
  std::string text_;
  strings words_;
  std::size_t at_ = 0;
};

std::set<int> read_statuses(reader& from) {
  constexpr int signals = 128;
  if (from.take({"signal"}))
    return {
      signals + static_cast<int>(to_number(from.next(), "signal", 1, 64))};
  std::set<int> result;
  do
    result.insert(static_cast<int>(to_number(from.next(), "status", 0, 255)));
  while (from.take({"or"}));
  return result;
}

rosia_trace::logical_time read_tag(const std::string& text) {
  auto tag = rosia_trace::parse_logical_time(text);
  if (!tag || tag->ns < 0)
    throw mistake{"up to: '" + text + "' is not a tag; write 200ms or 20ms+3"};
  return *tag;
}

struct fixed_form {
  std::vector<std::string_view> words;
  expectation_kind kind;
};

bool read_fixed(reader& from, expectation& into) {
  static const std::array forms{
    fixed_form{{"no", "report"}, kind::no_report},
    fixed_form{{"agreement"}, kind::agreement},
    fixed_form{{"nothing", "lost"}, kind::nothing_lost},
    fixed_form{{"nothing", "late"}, kind::nothing_late},
    fixed_form{{"all", "rules"}, kind::rules},
    fixed_form{{"no", "process", "left"}, kind::no_process},
    fixed_form{{"no", "port", "left"}, kind::no_port},
    fixed_form{{"no", "file", "left"}, kind::no_file},
  };
  for (auto& x : forms)
    if (from.take(x.words)) {
      into.kind = x.kind;
      return true;
    }
  return false;
}

void read_other(reader& from, expectation& into, const std::string& text) {
  if (from.take({"status"})) {
    into.statuses = read_statuses(from);
    if (from.take({"of"}))
      into.process = from.next();
  } else if (from.take({"ends", "within"})) {
    into.kind = kind::ends;
    into.limit = to_time(from.next(), "ends within");
    into.after_faults = from.take({"after", "faults"});
  } else if (from.take({"report", "names"})) {
    into.kind = kind::named;
    into.words = from.next();
  } else if (from.take({"report", "contains"})) {
    into.kind = kind::report;
    into.words = from.next();
  } else if (from.take({"same"})) {
    into.kind = kind::same;
    if (from.take({"up", "to"}))
      into.up_to = read_tag(from.next());
  } else if (from.take({"sound"})) {
    into.kind = kind::sound;
    into.words = from.next();
  } else if (from.take({"log"})) {
    into.kind = kind::log;
    if (from.take({"of"}))
      into.process = from.next();
    if (from.take({"lacks"}))
      into.kind = kind::no_log;
    else if (!from.take({"contains"}))
      refuse(text);
    into.words = from.next();
  } else {
    refuse(text);
  }
}

} // namespace

const std::vector<expectation_description>& all_expectations() {
  static const std::vector<expectation_description> result{
    {"status N [or N...] [of PROCESS|all]",
     "how the process ends; 128 and the signal's number, if one ended it"},
    {"status signal N [of PROCESS|all]", "the same for a signal"},
    {"ends within TIME [after faults]",
     "when all processes ended: since the round's start, or since the "
     "last fault"},
    {"report names NAME",
     "there was an abort, and its report says that this node or process held "
     "it up"},
    {"report contains TEXT", "the report has this text"},
    {"no report", "the application was not aborted"},
    {"agreement", "all nodes stopped at the same final tag"},
    {"nothing lost", "every message up to the final tag was executed"},
    {"nothing late", "no message arrived after its tag"},
    {"all rules", "the traces obey all rules of the semantics"},
    {"same [up to TAG]",
     "the nodes behaved as in an undisturbed run; up to the final tag, if no "
     "other is named"},
    {"sound FILE",
     "the run file is an intact database, and all of its complete checkpoints "
     "can be read"},
    {"no process left", "nothing that was started still runs"},
    {"no port left", "no process still listens on a port"},
    {"no file left", "no temporary file remains"},
    {"EXPECTATION if status N [or N...] [of PROCESS|all]",
     "only if this is how the process ended; about a trace, only if "
     "logical time began"},
    {"log [of PROCESS] contains TEXT", "a line that was printed has this text"},
    {"log [of PROCESS] lacks TEXT", "no line that was printed has this text"},
    {"resumed EXPECTATION",
     "the same of the second run, which continues; about a trace: of both "
     "joined"},
  };
  return result;
}

expectation parse_expectation(const std::string& text) {
  expectation result;
  result.text = text;
  reader from{text};
  result.resumed = from.take({"resumed"});
  if (!read_fixed(from, result))
    read_other(from, result, text);
  if (from.take({"if", "status"})) {
    result.if_statuses = read_statuses(from);
    if (from.take({"of"}))
      result.if_process = from.next();
  }
  from.end();
  return result;
}

} // namespace rosia_drill
