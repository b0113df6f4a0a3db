// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "options.hpp"

#include <caf/config_value.hpp>
#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <sstream>

#include <boost/program_options.hpp>

namespace existing_service {

namespace {

namespace po = boost::program_options;

/// The options before they are checked.
struct raw_options {
  options parsed;
  std::string workers = std::to_string(parsed.workers);
  std::string slow = "0ms";
  std::string deadline = "30s";
  std::string clients = std::to_string(parsed.clients);
  std::string in_flight = std::to_string(parsed.in_flight);
  std::string requests;
  std::string duration;
  std::string announce = std::to_string(parsed.announce);
};

auto option(std::string& target, const char* unit) {
  auto* result = po::value(&target)->value_name(unit);
  return target.empty() ? result : result->default_value(target);
}

po::options_description service_options_of(raw_options& into) {
  po::options_description result{"The service"};
  auto add = result.add_options();
  add("database", option(into.parsed.database, "FILE"),
      "where it stores; created if it does not exist");
  add("workers", option(into.workers, "N"), "actors that check requests");
  add("slow", option(into.slow, "TIME"),
      "how long the store takes for each request, in addition");
  add("deadline", option(into.deadline, "TIME"),
      "how long the shutdown may take; what has not ended then is aborted");
  return result;
}

po::options_description load_options_of(raw_options& into) {
  po::options_description result{"The load"};
  auto add = result.add_options();
  add("clients", option(into.clients, "N"), "threads that send requests");
  add("in-flight", option(into.in_flight, "N"),
      "requests of a client that are not answered");
  add("requests", option(into.requests, "N"),
      "end after so many (else: at SIGTERM or Ctrl-C)");
  add("duration", option(into.duration, "TIME"), "end after so long");
  add(
    "resume", po::bool_switch(&into.parsed.resume),
    "continue where the last run with this option ended: what is stored is not "
    "sent again");
  return result;
}

po::options_description output_options_of(raw_options& into) {
  po::options_description result{"Output"};
  auto add = result.add_options();
  auto& to = into.parsed;
  add("announce", option(into.announce, "N"),
      "say so when N requests are acknowledged; 0: do not");
  add("report", option(to.report_file, "FILE"), "the figures, as JSON");
  add("timeline", option(to.timeline_file, "FILE"),
      "what ended when: FILE.svg is a picture, other names JSON");
  add("keys", option(to.keys_file, "FILE"), "the acknowledged keys");
  add("verify", option(to.verify, "FILE"),
      "only check what is in this database");
  add("help,h", po::bool_switch(&to.help), "show this text");
  return result;
}

po::options_description all_options(raw_options& into) {
  po::options_description result;
  result.add(service_options_of(into))
    .add(load_options_of(into))
    .add(output_options_of(into));
  return result;
}

std::uint64_t number(const char* name, const std::string& text,
                     std::uint64_t least, std::uint64_t most) {
  // Parsed by hand: the library would convert -1 to a very large number.
  constexpr auto digits = "0123456789";
  constexpr std::size_t longest = 18;
  if (!text.empty() && text.size() <= longest
      && text.find_first_not_of(digits) == std::string::npos)
    if (auto result = std::stoull(text); result >= least && result <= most)
      return result;
  throw usage_error{
    std::string{"--"} + name + " needs a number from " + std::to_string(least)
    + " to " + std::to_string(most) + ", not '" + text + "'"};
}

std::chrono::nanoseconds time(const char* name, const std::string& text) {
  constexpr auto most = std::chrono::hours{24};
  if (auto parsed = caf::config_value::parse(text))
    if (auto* result = caf::get_if<caf::timespan>(&*parsed);
        result != nullptr && result->count() >= 0 && *result <= most)
      return *result;
  throw usage_error{
    std::string{"--"} + name
    + " needs a time of at most a day, such as 10ms or 2s, not '" + text + "'"};
}

void check(raw_options& raw) {
  constexpr std::uint64_t most_actors = 1000;
  constexpr std::uint64_t most_requests = 1'000'000'000;
  auto& to = raw.parsed;
  to.workers = number("workers", raw.workers, 1, most_actors);
  to.slowness = time("slow", raw.slow);
  to.deadline = time("deadline", raw.deadline);
  to.clients = number("clients", raw.clients, 1, most_actors);
  to.in_flight = number("in-flight", raw.in_flight, 1, 100'000);
  if (!raw.requests.empty())
    to.requests = number("requests", raw.requests, 1, most_requests);
  if (!raw.duration.empty())
    to.duration = time("duration", raw.duration);
  to.announce = number("announce", raw.announce, 0, most_requests);
  if (to.database.empty())
    throw usage_error{"--database needs the name of a file"};
}

} // namespace

options parse_options(const std::vector<std::string>& arguments) {
  raw_options raw;
  const auto all = all_options(raw);
  po::variables_map values;
  try {
    using namespace po::command_line_style;
    po::store(
      po::command_line_parser{arguments}
        .options(all)
        .positional({})
        .style(unix_style & ~allow_guessing)
        .run(),
      values);
    po::notify(values);
  } catch (const po::too_many_positional_options_error&) {
    throw usage_error{"arguments without an option's name in front are not "
                      "understood"};
  } catch (const po::error& problem) {
    throw usage_error{problem.what()};
  }
  if (!raw.parsed.help)
    check(raw);
  return raw.parsed;
}

std::string usage() {
  raw_options defaults;
  std::ostringstream out;
  out << "A service under load, which ends in order at SIGTERM or Ctrl-C: what "
         "it has\nacknowledged is stored, and nothing else.\n\n"
         "Usage: existing_service [option]...\n"
      << all_options(defaults)
      << "\nThe status is 0 if it ended in time, 129 if the deadline "
         "passed, 128\nafter a second signal; 1 if something is wrong, also "
         "with the figures, and 2 if\nthe command line is.\n";
  return out.str();
}

} // namespace existing_service
