// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/report_files.hpp"

#include "base/json.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "rosia_drill/page.hpp"
#include "rosia_drill/progress.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>

namespace rosia_drill {

namespace {

using caf::rosia::detail::json_in_page;
using caf::rosia::detail::markup_text;
using caf::rosia::detail::put;
using caf::rosia::detail::put_list;
using caf::rosia::detail::put_object;
using caf::rosia::detail::utf8_text;
namespace fs = std::filesystem;

constexpr const char* version = ROSIA_DRILL_VERSION;

/// Maximum number of different failures of a drill in the summary.
constexpr std::size_t failures_in_summary = 5;

// -- JSON ---------------------------------------------------------------------

using json_writer = rapidjson::Writer<
  rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>>;

std::string status_text(const process_outcome& x) {
  if (!x.ran)
    return "not started";
  return x.status > 128 && x.status != 129
           ? "signal " + std::to_string(x.status - 128)
           : std::to_string(x.status);
}

void put(json_writer& to, const process_outcome& x) {
  put_object(to, [&] {
    put(to, "name", x.name);
    put(to, "status", status_text(x));
    put(to, "started", x.started);
    put(to, "ended", x.ended);
  });
}

void put(json_writer& to, const node_outcome& x) {
  put_object(to, [&] {
    put(to, "name", x.name);
    put(to, "process", x.process);
    put_list(to, "steps", x.steps, [&](auto& step) {
      to.StartArray();
      to.Int64(step.at);
      to.Int64(step.tag.ns);
      to.Int64(step.tag.microstep);
      to.Uint64(step.number);
      to.EndArray();
    });
    put(to, "tags", x.tags);
    put(to, "ended", x.ended);
  });
}

void put(json_writer& to, const round_event& x) {
  put_object(to, [&] {
    put(to, "at", x.at);
    put(to, "kind", to_string(x.kind));
    put(to, "process", x.process);
    put(to, "node", x.node);
    put(to, "text", x.text);
    if (x.tag) {
      put_list(to, "tag", std::array{x.tag->ns, x.tag->microstep});
    } else {
      to.Key("tag");
      to.Null();
    }
  });
}

void put_report(json_writer& to, const std::string& text) {
  to.Key("report");
  rapidjson::Document report;
  if (text.empty() || report.Parse(text.c_str()).HasParseError())
    to.Null();
  else
    report.Accept(to);
}

void put(json_writer& to, const outcome& x) {
  put_object(to, [&] {
    put(to, "number", x.number);
    put(to, "seed", x.seed);
    put(to, "held", x.held());
    put(to, "seconds", static_cast<double>(x.nanoseconds) / 1e9);
    put(to, "folder", x.folder.string());
    put_list(to, "failures", x.failures, [&](auto& y) {
      put_object(to, [&] {
        put(to, "expectation", y.expectation);
        put(to, "what", y.actual);
      });
    });
    put_list(to, "processes", x.processes, [&](auto& y) { put(to, y); });
    put_list(to, "nodes", x.nodes, [&](auto& y) { put(to, y); });
    put_list(to, "events", x.events, [&](auto& y) { put(to, y); });
    put(to, "log_lines", x.log_lines);
    put(to, "protocol_steps", x.protocol_steps);
    to.Key("began");
    if (x.began)
      to.Int64(*x.began);
    else
      to.Null();
    put_report(to, x.report);
  });
}

void put(json_writer& to, const drill_result& x) {
  put_object(to, [&] {
    put(to, "name", x.definition.name);
    put(to, "file", fs::absolute(x.definition.file).string());
    put(to, "purpose", x.definition.purpose);
    std::vector<std::string> program{x.program.string()};
    program.insert(program.end(), x.definition.arguments.begin(),
                   x.definition.arguments.end());
    put_list(to, "program", program);
    put_list(to, "faults", x.definition.faults, [&](auto& y) {
      put(to, y.text);
    });
    put_list(to, "expectations", x.definition.expectations, [&](auto& y) {
      put(to, y.text);
    });
    put(to, "held", x.held());
    put_list(to, "rounds", x.rounds, [&](auto& y) { put(to, y); });
  });
}

std::string iso_time(std::int64_t seconds) {
  auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::ostringstream out;
  out << std::put_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
  return out.str();
}

// -- XML ----------------------------------------------------------------------

std::string xml(std::string_view x) {
  return markup_text(utf8_text(x));
}

void put_case(std::ostream& out, const drill_result& of, const outcome& x) {
  out << "    <testcase classname=\"" << xml(of.definition.name)
      << "\" name=\"round " << x.number << "\" time=\""
      << static_cast<double>(x.nanoseconds) / 1e9 << '"';
  if (x.held()) {
    out << "/>\n";
    return;
  }
  std::string text;
  for (auto& y : x.failures)
    text += y.expectation + ": " + y.actual + '\n';
  text += "seed " + std::to_string(x.seed) + ", kept in " + x.folder.string();
  out << ">\n      <failure message=\"" << xml(x.failures.front().expectation)
      << "\">" << xml(text) << "</failure>\n    </testcase>\n";
}

void write_file(const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out{file, std::ios::binary};
  out << text;
  out.close();
  if (!out)
    throw std::system_error(
      errno != 0 ? errno : EIO, std::generic_category(),
      "cannot write " + file.string());
}

} // namespace

std::string to_json(const campaign_result& x) {
  rapidjson::StringBuffer buffer;
  json_writer to{buffer};
  put_object(to, [&] {
    put(to, "format", 1);
    put(to, "tool", std::string{"rosia-drill "} + version);
    put(to, "started", iso_time(x.started));
    put(to, "seconds", x.seconds);
    put(to, "held", x.held());
    put(to, "not_run", x.not_run);
    put_list(to, "drills", x.drills, [&](auto& y) { put(to, y); });
  });
  return {buffer.GetString(), buffer.GetSize()};
}

std::string to_junit(const campaign_result& x) {
  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (auto& y : x.drills) {
    out << "  <testsuite name=\"" << xml(y.definition.name) << "\" tests=\""
        << y.rounds.size() << "\" failures=\"" << y.failed()
        << "\" timestamp=\"" << iso_time(x.started) << "\">\n";
    for (auto& round : y.rounds)
      put_case(out, y, round);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
  return out.str();
}

std::string to_html(const std::string& json) {
  std::string page{page_template()};
  if (auto i = page.find(page_marker); i != std::string::npos)
    page.replace(i, page_marker.size(), json_in_page(json));
  return page;
}

void write_reports(const campaign_result& x, const fs::path& folder) {
  auto json = to_json(x);
  write_file(folder / "report.json", json + '\n');
  write_file(folder / "report.xml", to_junit(x));
  write_file(folder / "report.html", to_html(json));
}

std::string summary(const campaign_result& x) {
  std::ostringstream out;
  std::size_t held = 0;
  std::size_t rounds = 0;
  std::size_t failed = 0;
  for (auto& y : x.drills) {
    held += y.held() ? 1 : 0;
    rounds += y.rounds.size();
    failed += y.failed();
    if (y.held())
      continue;
    out << y.definition.name << ": " << y.failed() << " of "
        << counted(y.rounds.size(), "round") << " did not hold\n";
    std::map<std::string, std::pair<std::size_t, const outcome*>> kinds;
    for (auto& round : y.rounds)
      for (auto& failure : round.failures) {
        auto& kind = kinds[failure.expectation + ": " + failure.actual];
        if (kind.first++ == 0)
          kind.second = &round;
      }
    std::size_t shown = 0;
    for (auto& [text, kind] : kinds) {
      if (shown++ == failures_in_summary)
        break;
      out << "  " << text << " (" << counted(kind.first, "round") << "; seed "
          << kind.second->seed << ", " << kind.second->folder.string() << ")\n";
    }
    if (kinds.size() > failures_in_summary)
      out << "  and " << kinds.size() - failures_in_summary << " more\n";
  }
  out << held << " of " << counted(x.drills.size(), "drill") << " held, "
      << rounds - failed << " of " << counted(rounds, "round") << ", in "
      << std::fixed << std::setprecision(1) << x.seconds << " s\n";
  if (x.not_run > 0)
    out << "interrupted: " << counted(x.not_run, "round")
        << " not run to the end\n";
  return out.str();
}

past_round find_round(const fs::path& report, const std::string& which) {
  auto refuse = [&](const std::string& message) {
    throw mistake{report.string() + ": " + message};
  };
  // A report of many rounds is large.
  constexpr std::size_t most = std::size_t{1} << 30;
  std::string text;
  try {
    text = caf::rosia::detail::read_file(report.string(), {.bytes = most}).text;
  } catch (const caf::rosia::detail::file_error& problem) {
    refuse(std::string{"cannot be read: "} + problem.what());
  }
  rapidjson::Document x;
  if (x.Parse(text.c_str()).HasParseError() || !x.IsObject()
      || !x.HasMember("drills") || !x["drills"].IsArray())
    refuse("the file is not a report of rosia-drill");
  auto colon = which.rfind(':');
  if (colon == std::string::npos)
    throw mistake{"'" + which + "' is not of the form DRILL:ROUND"};
  auto name = which.substr(0, colon);
  auto number = to_number(which.substr(colon + 1), "ROUND", 0, 1'000'000'000);
  std::vector<std::string> names;
  for (auto& drill : x["drills"].GetArray()) {
    names.emplace_back(drill["name"].GetString());
    if (names.back() != name)
      continue;
    for (auto& round : drill["rounds"].GetArray())
      if (round["number"].GetUint64() == number) {
        past_round result{
          drill["file"].GetString(),
          drill["program"][0].GetString(),
          {},
          number,
          round["seed"].GetUint64()};
        for (auto i = 1u; i < drill["program"].Size(); ++i)
          result.arguments.emplace_back(drill["program"][i].GetString());
        return result;
      }
    refuse("drill '" + name + "' has no round " + std::to_string(number));
  }
  refuse(unknown("drill", name, names));
  return {};
}

} // namespace rosia_drill
