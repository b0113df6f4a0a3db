// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "text.hpp"

namespace localization {

namespace {

namespace po = boost::program_options;

/// The options before they are checked.
struct raw_options {
  options parsed;
  std::string data;
  std::string start = "0,0,0";
  std::string seed = "1";
};

auto file_option(std::string& target) {
  return po::value(&target)->value_name("FILE");
}

auto number_option(double& target, const char* unit) {
  std::ostringstream shown;
  shown << target;
  return po::value(&target)
    ->default_value(target, shown.str())
    ->value_name(unit);
}

po::options_description log_options(raw_options& into) {
  po::options_description result{
    "The log (without any of these: one is made up)"};
  auto& files = into.parsed.files;
  auto add = result.add_options();
  add("odometry", file_option(files.odometry), "time_s,distance_m,turn_rad");
  add("ranges", file_option(files.ranges), "time_s,antenna,landmark,range_m");
  add("landmarks", file_option(files.landmarks), "landmark,x_m,y_m");
  add("ground-truth", file_option(files.ground_truth),
      "time_s,x_m,y_m,heading_rad; may be left out");
  add("data", po::value(&into.data)->value_name("FOLDER"),
      "a folder with odometry.csv, ranges.csv, landmarks.csv and perhaps "
      "ground_truth.csv");
  add("seed", po::value(&into.seed)->value_name("N"),
      "make up another log than that of seed 1");
  return result;
}

po::options_description robot_options(raw_options& into) {
  po::options_description result{"The robot"};
  auto& filter = into.parsed.filter;
  auto add = result.add_options();
  add("start",
      po::value(&into.start)
        ->default_value(into.start)
        ->value_name("X,Y,HEADING"),
      "where it starts, in metres and radians");
  add("range-scale", number_option(filter.range_scale, "FACTOR"),
      "ranges are measured this many times too long");
  add("range-sigma", number_option(filter.range_sigma, "METRES"),
      "standard deviation of a range");
  add("gate", number_option(filter.gate, "SIGMAS"),
      "ignore ranges that are farther off; 0 takes all");
  add("position-noise", number_option(filter.position_noise, "METRES"),
      "how far an odometry row may be off");
  add("heading-noise", number_option(filter.heading_noise, "RADIANS"),
      "how far the turn of an odometry row may be off");
  return result;
}

po::options_description output_options(raw_options& into) {
  po::options_description result{"Output"};
  auto& to = into.parsed;
  auto add = result.add_options();
  add("track", file_option(to.track_file)->default_value(to.track_file),
      "the track as comma-separated values");
  add("picture", file_option(to.picture_file)->default_value(to.picture_file),
      "the track as a picture (SVG)");
  add("checkpoint", file_option(to.checkpoint_file),
      "save where the replay is: at its end, and every ten seconds of the "
      "drive");
  add("resume", file_option(to.resumed_file),
      "continue from there; may be the same file, which need not exist yet");
  add("realtime", po::bool_switch(&to.realtime),
      "replay at the speed at which the robot drove");
  add("help,h", po::bool_switch(&to.help), "show this text");
  return result;
}

po::options_description all_options(raw_options& into) {
  po::options_description result;
  result.add(log_options(into))
    .add(robot_options(into))
    .add(output_options(into));
  return result;
}

void parse_start(const std::string& text, pose& start) {
  std::istringstream in{text};
  std::string field;
  std::vector<double> numbers;
  while (std::getline(in, field, ','))
    if (const auto number = parse_number(trimmed(field));
        number && std::abs(*number) <= 1e9)
      numbers.push_back(*number);
  if (numbers.size() != 3 || std::count(text.begin(), text.end(), ',') != 2)
    throw usage_error{
      "--start needs three numbers, X,Y,HEADING, not " + in_quotes(text)};
  start = {numbers[0], numbers[1], numbers[2]};
}

void parse_seed(const std::string& text, std::uint64_t& seed) {
  // Parsed by hand: the library would convert -1 to a very large number.
  constexpr auto digits = "0123456789";
  try {
    if (!text.empty() && text.find_first_not_of(digits) == std::string::npos) {
      seed = std::stoull(text);
      return;
    }
  } catch (const std::out_of_range&) {
    // The error is reported below.
  }
  throw usage_error{
    "--seed needs a number from 0 to 2^64-1, not " + in_quotes(text)};
}

void use_folder(const std::string& folder, log_files& files) {
  const std::filesystem::path path{folder};
  const auto unless_given = [&path](std::string& file, const char* name) {
    if (file.empty())
      file = (path / name).string();
  };
  unless_given(files.odometry, "odometry.csv");
  unless_given(files.ranges, "ranges.csv");
  unless_given(files.landmarks, "landmarks.csv");
  std::error_code ignored;
  if (std::filesystem::exists(path / "ground_truth.csv", ignored))
    unless_given(files.ground_truth, "ground_truth.csv");
}

void check_numbers(const ekf_settings& filter) {
  // The filter's arithmetic overflows beyond these limits.
  constexpr double least = 1e-6;
  constexpr double most = 1e6;
  const auto check = [](const char* name, double value, bool zero_allowed) {
    // A NaN is refused, too.
    if ((value >= least && value <= most) || (value == 0 && zero_allowed))
      return;
    throw usage_error{
      std::string{"--"} + name + " needs " + (zero_allowed ? "0 or " : "")
      + "a number from 0.000001 to 1000000"};
  };
  check("range-scale", filter.range_scale, false);
  check("range-sigma", filter.range_sigma, false);
  check("gate", filter.gate, true);
  check("position-noise", filter.position_noise, true);
  check("heading-noise", filter.heading_noise, true);
}

void check_files(const options& given, bool seeded) {
  const auto& files = given.files;
  const auto any
    = !files.odometry.empty() || !files.ranges.empty()
      || !files.landmarks.empty() || !files.ground_truth.empty();
  if (any && seeded)
    throw usage_error{"--seed is for a log that is made up, but files are "
                      "given"};
  if (any
      && (files.odometry.empty() || files.ranges.empty()
          || files.landmarks.empty()))
    throw usage_error{"a log needs --odometry, --ranges and --landmarks "
                      "(or --data)"};
}

bool same_file(const std::string& x, const std::string& y) {
  namespace fs = std::filesystem;
  if (x.empty() || y.empty())
    return false;
  std::error_code ignored;
  if (fs::exists(x, ignored) && fs::exists(y, ignored))
    // A device such as /dev/null may be named twice.
    return fs::is_regular_file(x, ignored) && fs::equivalent(x, y, ignored);
  return fs::path{x}.lexically_normal() == fs::path{y}.lexically_normal();
}

/// Checks that no output is one of the inputs, because opening an output
/// truncates it.
void check_outputs(const options& given) {
  const auto& files = given.files;
  for (const auto& output : {given.track_file, given.picture_file})
    for (const auto& input :
         {files.odometry, files.ranges, files.landmarks, files.ground_truth})
      if (same_file(output, input))
        throw usage_error{"writing to " + output + " would overwrite an input"};
  if (same_file(given.track_file, given.picture_file))
    throw usage_error{"--track and --picture both name " + given.track_file};
}

} // namespace

options parse_options(const std::vector<std::string>& arguments) {
  raw_options raw;
  auto& result = raw.parsed;
  std::vector<std::string> own;
  std::partition_copy(
    arguments.begin(), arguments.end(),
    std::back_inserter(result.caf_arguments), std::back_inserter(own),
    is_caf_argument);
  const auto all = all_options(raw);
  po::variables_map values;
  try {
    using namespace po::command_line_style;
    po::store(
      po::command_line_parser{own}
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
  if (result.help)
    return result;
  parse_start(raw.start, result.start);
  parse_seed(raw.seed, result.seed);
  if (values.count("data") > 0)
    use_folder(raw.data, result.files);
  check_numbers(result.filter);
  check_files(result, values.count("seed") > 0);
  check_outputs(result);
  return result;
}

std::string usage() {
  raw_options defaults;
  std::ostringstream out;
  out << "Finds out where a robot drove from its odometry and its ranges to "
         "radio beacons.\n\n"
         "Usage: localization [option]...\n"
      << all_options(defaults)
      << "\nOptions with a dot in their name, such as --rosia.trace=FILE,\n"
         "go to Rosia and CAF.\n";
  return out.str();
}

bool is_caf_argument(const std::string& argument) {
  if (argument.substr(0, 2) != "--")
    return false;
  const auto name = argument.substr(2, argument.find('=') - 2);
  return name.find('.') != std::string::npos || name == "config-file"
         || name == "dump-config" || name == "long-help";
}

} // namespace localization
