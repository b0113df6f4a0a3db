// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "base/duration.hpp"
#include "base/enum_name.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>

namespace caf::rosia {

// -- reports ------------------------------------------------------------------

std::string to_string(part_report::kind x) {
  constexpr const char* names[]
    = {"actor", "application", "thread", "guard", "worker", "action"};
  return detail::name_of(x, names);
}

std::string to_string(part_report::state x) {
  constexpr const char* names[] = {
    "running", "draining", "waiting", "ending", "aborted", "ended", "failed"};
  return detail::name_of(x, names);
}

namespace {

using detail::plural;

std::string title(const part_report& x) {
  return to_string(x.type) + " '" + x.name + "'";
}

std::string since_text(const part_report& x) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(x.since);
  return detail::time_text(ms);
}

/// Describes what the participant must still do.
std::string drain_text(const part_report& x) {
  if (x.awaits_answer)
    return "awaits an answer and handles nothing else; was asked to end "
           + since_text(x) + " ago";
  if (x.unanswered > 0)
    return "waits for " + plural(x.unanswered, "answer", "answers") + " since "
           + since_text(x);
  return "has not handled its backlog since " + since_text(x);
}

/// Returns the rank of a participant in a text; 0 is the first.
int urgency(const part_report& x) {
  switch (x.now) {
    case part_report::state::failed:
      return 0;
    case part_report::state::aborted:
      return 1;
    case part_report::state::draining:
    case part_report::state::ending:
      return 2;
    default:
      return 3;
  }
}

/// Returns whether the participant itself delays the shutdown.
bool holds_up(const part_report& x) {
  return x.now == part_report::state::draining
         || x.now == part_report::state::ending
         || x.now == part_report::state::aborted;
}

} // namespace

std::string to_string(const part_report& x) {
  auto result = title(x) + ": ";
  switch (x.now) {
    case part_report::state::running:
      return result
             + (x.type == part_report::kind::action
                  ? "comes in phase '"
                  : "runs, phase '")
             + x.phase + "'";
    case part_report::state::draining:
      return result + drain_text(x);
    case part_report::state::waiting:
      return result + "waits for "
             + (x.waits_for.empty()
                  ? "the other participants of phase '" + x.phase + "'"
                  : "'" + x.waits_for + "'")
             + " since " + since_text(x);
    case part_report::state::ending:
      if (x.type == part_report::kind::guard)
        return result + "is still held, since " + since_text(x);
      if (x.type == part_report::kind::thread)
        return result + "has not returned since it was asked to, "
               + since_text(x) + " ago";
      return result + "was asked to end " + since_text(x) + " ago";
    case part_report::state::aborted:
      return result
             + (x.awaits_answer ? "awaits an answer and handles nothing else; "
                                : "")
             + "was aborted " + since_text(x) + " ago";
    case part_report::state::ended:
      return result + "ended";
    default:
      return result + "failed: " + x.error;
  }
}

std::vector<std::string> explain(const shutdown_report& x) {
  if (x.stage == "running" || x.stage == "over")
    return {};
  auto aborted = x.stage == "aborted";
  std::unordered_map<std::string_view, const part_report*> by_name;
  for (auto& part : x.parts)
    by_name.try_emplace(part.name, &part);
  auto parent_of = [&](const part_report* part) -> const part_report* {
    auto i = part->parent.empty() ? by_name.end() : by_name.find(part->parent);
    return i == by_name.end() ? nullptr : i->second;
  };
  auto depth_of = [&](const part_report* part) {
    std::size_t result = 0;
    // Names need not be unique, so there may be a cycle.
    while (result < x.parts.size() && (part = parent_of(part)) != nullptr)
      ++result;
    return result;
  };
  const part_report* last = nullptr;
  std::size_t depth = 0;
  for (auto& part : x.parts) {
    if (!holds_up(part) || (!aborted && part.phase != x.stage))
      continue;
    auto n = depth_of(&part);
    if (last == nullptr
        || std::tuple{n, last->since} < std::tuple{depth, part.since}) {
      last = &part;
      depth = n;
    }
  }
  std::vector<std::string> result;
  if (last != nullptr) {
    if (!last->blocker.empty())
      result.push_back(last->blocker);
    result.push_back(to_string(*last));
    for (auto* part = parent_of(last); depth > 0; --depth) {
      result.push_back(title(*part));
      part = parent_of(part);
    }
  }
  result.push_back(aborted ? "the abort" : "phase '" + x.stage + "'");
  std::reverse(result.begin(), result.end());
  return result;
}

std::string to_string(const shutdown_report& x) {
  auto result = "the system is in stage '" + x.stage + "'";
  if (!x.reason.text.empty())
    result += " because of " + x.reason.text;
  result += "; " + plural(x.parts.size(), "participant is", "participants are")
            + " left, " + plural(x.actors, "actor is", "actors are") + " alive";
  if (x.unseen > 0)
    result += " (" + std::to_string(x.unseen) + " without a known name)";
  if (x.dead_letters > 0)
    result += ", " + plural(x.dead_letters, "message was", "messages were")
              + " left unread";
  if (auto chain = explain(x); chain.size() > 1) {
    result += "\n  " + chain[0] + " waits for " + chain[1];
    for (std::size_t i = 2; i < chain.size(); ++i)
      result += ", which waits for " + chain[i];
  }
  std::vector<const part_report*> parts;
  for (auto& part : x.parts)
    parts.push_back(&part);
  std::stable_sort(parts.begin(), parts.end(), [](auto* a, auto* b) {
    return urgency(*a) < urgency(*b);
  });
  detail::short_list lines;
  for (auto* part : parts)
    lines.add(to_string(*part));
  result += lines.text();
  for (std::size_t i = 0; i < x.others.size(); ++i) {
    if (i == detail::lines_in_log) {
      result += " and " + std::to_string(x.others.size() - i) + " more";
      break;
    }
    result += (i == 0 ? "\n  no participants: " : ", ") + x.others[i];
  }
  return result;
}

std::string to_json(const shutdown_report& x) {
  using namespace detail;
  auto put_text = [](json_writer& to, const char* key, const std::string& y) {
    if (!y.empty())
      put(to, key, y);
  };
  auto put_part = [&](json_writer& to, const part_report& part) {
    put(to, "name", part.name);
    put(to, "kind", to_string(part.type));
    put(to, "state", to_string(part.now));
    put(to, "phase", part.phase);
    put(to, "since_ns", part.since.count());
    put_text(to, "waits_for", part.waits_for);
    put_text(to, "parent", part.parent);
    if (part.unanswered > 0)
      put(to, "unanswered", part.unanswered);
    if (part.awaits_answer)
      put(to, "awaits_answer", true);
    put_text(to, "blocker", part.blocker);
    put_text(to, "error", part.error);
  };
  return render_object(1,
                       [&](json_writer& to) {
                         put(to, "format", "rosia-shutdown-1");
                         put(to, "stage", x.stage);
                         put(to, "reason", x.reason.text);
                         put(to, "elapsed_ns", x.elapsed.count());
                         put(to, "actors", x.actors);
                         put(to, "unseen", x.unseen);
                         put(to, "dead_letters", x.dead_letters);
                         put_list(to, "chain", explain(x));
                         put_list(to, "others", x.others);
                         put_list(to, "parts", x.parts, [&](auto& part) {
                           put_object(to, [&] { put_part(to, part); });
                         });
                       })
         + '\n';
}

// -- timelines ----------------------------------------------------------------

std::string to_json(const shutdown_timeline& xs) {
  using namespace detail;
  return render_object(1,
                       [&](json_writer& to) {
                         put(to, "format", "rosia-shutdown-timeline-1");
                         put_list(to, "entries", xs, [&](auto& x) {
                           put_object(to, [&] {
                             put(to, "name", x.name);
                             put(to, "kind", x.kind);
                             put(to, "phase", x.phase);
                             put(to, "begin_ns", x.begin.count());
                             put(to, "end_ns", x.end.count());
                             put(to, "over", x.over);
                             put(to, "aborted", x.aborted);
                             put(to, "unread", x.unread);
                             if (!x.reason.empty())
                               put(to, "reason", x.reason);
                           });
                         });
                       })
         + '\n';
}

namespace {

/// Returns the entries to draw, in their order: all phases, and the longest of
/// the rest.
std::vector<const timeline_entry*> select_rows(
  const shutdown_timeline& xs, std::size_t max_rows) {
  std::vector<const timeline_entry*> result;
  for (auto& x : xs)
    result.push_back(&x);
  if (result.size() <= max_rows)
    return result;
  auto rank = [](const timeline_entry* x) {
    return std::tuple{x->kind != "phase", !x->aborted, x->begin - x->end};
  };
  std::stable_sort(result.begin(), result.end(), [&](auto* a, auto* b) {
    return rank(a) < rank(b);
  });
  result.resize(max_rows);
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows) {
  constexpr auto row = 20;
  constexpr auto left = 260;
  constexpr auto width = 640;
  auto rows = select_rows(xs, max_rows);
  auto last = std::chrono::nanoseconds{1};
  for (auto* x : rows)
    last = std::max(last, x->end);
  auto scale = [&](std::chrono::nanoseconds x) {
    return left
           + static_cast<double>(x.count()) / static_cast<double>(last.count())
               * width;
  };
  auto result = fmt::format(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n"
    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
    left + width + 90, (static_cast<int>(rows.size()) + 2) * row);
  auto y = row / 2;
  for (auto* x : rows) {
    auto is_phase = x->kind == "phase";
    auto colour = x->aborted ? "#c0392b" : is_phase ? "#7f8c8d" : "#2e86c1";
    result += fmt::format(
      "<text x=\"{}\" y=\"{}\"{}>{}</text>\n", is_phase ? 8 : 24, y + 13,
      is_phase ? " font-weight=\"bold\"" : "",
      detail::markup_text(x->kind + ' ' + x->name));
    result += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" "
      "fill=\"{}\"{}><title>{}</title></rect>\n",
      scale(x->begin), y + 3, std::max(scale(x->end) - scale(x->begin), 1.0),
      row - 6, colour, x->over ? "" : " fill-opacity=\"0.5\"",
      detail::markup_text(
        x->name + ": " + detail::time_text(x->begin) + " to "
        + detail::time_text(x->end) + (x->over ? "" : ", not over")
        + (x->aborted ? ", aborted" : "")
        + (x->reason.empty()
             ? ""
             : ", ended before it was asked to: " + x->reason)));
    y += row;
  }
  if (rows.size() < xs.size()) {
    result += fmt::format("<text x=\"24\" y=\"{}\">and {} more</text>\n",
                          y + 13, xs.size() - rows.size());
  }
  result += fmt::format(
    "<text x=\"{}\" y=\"{}\">0</text>\n<text x=\"{}\" y=\"{}\">{}</text>\n"
    "</svg>\n",
    left, y + row + 5, left + width - 20, y + row + 5, detail::time_text(last));
  return result;
}

} // namespace caf::rosia
