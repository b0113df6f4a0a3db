// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/options.hpp"

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace options_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string error(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "";
}

} // namespace

TEST_CASE("without arguments a log is simulated") {
  const auto given = parse_options({});
  CHECK(given.files.odometry.empty());
  CHECK(given.seed == 1);
  CHECK(given.start == pose{});
  CHECK(given.track_file == "localization.csv");
  CHECK(given.picture_file == "localization.svg");
  CHECK(!given.realtime);
  CHECK(!given.help);
}

TEST_CASE("all options are accepted") {
  const auto given = parse_options(
    {"--odometry", "o",
     "--ranges=r", "--landmarks",
     "l",          "--ground-truth",
     "g",          "--start",
     "1,-2,3.5",   "--range-scale",
     "1.0693",     "--range-sigma",
     "1.5",        "--gate",
     "0",          "--position-noise",
     "0.1",        "--heading-noise",
     "0.02",       "--track",
     "t",          "--picture",
     "p",          "--realtime"});
  CHECK(given.files.odometry == "o");
  CHECK(given.files.ranges == "r");
  CHECK(given.files.landmarks == "l");
  CHECK(given.files.ground_truth == "g");
  CHECK(given.start == pose{1, -2, 3.5});
  CHECK(given.filter.range_scale == 1.0693);
  CHECK(given.filter.range_sigma == 1.5);
  CHECK(given.filter.gate == 0);
  CHECK(given.filter.position_noise == 0.1);
  CHECK(given.filter.heading_noise == 0.02);
  CHECK(given.track_file == "t");
  CHECK(given.picture_file == "p");
  CHECK(given.realtime);
}

TEST_CASE("a start may begin with a minus") {
  CHECK(parse_options({"--start", "-1,-2,-3"}).start == pose{-1, -2, -3});
  CHECK(parse_options({"--start=-1,2,3"}).start == pose{-1, 2, 3});
}

TEST_CASE("options with a dot in the name are CAF's") {
  const auto given = parse_options(
    {"--rosia.trace=a.b", "--seed", "5", "--scheduler.max-threads=2",
     "--config-file=c"});
  CHECK(given.seed == 5);
  CHECK(given.caf_arguments
        == std::vector<std::string>{
          "--rosia.trace=a.b", "--scheduler.max-threads=2", "--config-file=c"});
  // A dot in the value does not count.
  CHECK(!is_caf_argument("--track=a.csv"));
  CHECK(!is_caf_argument("a.csv"));
}

TEST_CASE("a folder stands for the files in it") {
  const auto folder
    = std::filesystem::temp_directory_path()
      / ("options_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto name = folder.string();
  CHECK(parse_options({"--data", name}).files.ground_truth.empty());
  std::ofstream{folder / "ground_truth.csv"} << "\n";
  const auto files = parse_options({"--data", name, "--ranges", "r"}).files;
  std::filesystem::remove_all(folder);
  CHECK(files.odometry == name + "/odometry.csv");
  CHECK(files.ranges == "r");
  CHECK(files.landmarks == name + "/landmarks.csv");
  CHECK(files.ground_truth == name + "/ground_truth.csv");
}

TEST_CASE("help is printed despite other errors") {
  CHECK(parse_options({"--help", "--gate", "-1"}).help);
  CHECK(parse_options({"-h"}).help);
  for (const auto* name :
       {"--odometry", "--ranges", "--landmarks", "--data", "--ground-truth",
        "--start", "--range-scale", "--range-sigma", "--gate", "--track",
        "--picture", "--realtime", "--seed", "--rosia.trace"})
    CHECK_THAT(usage(), ContainsSubstring(name));
}

TEST_CASE("an invalid command line is refused with the reason") {
  CHECK_THAT(error({"--no-such-option"}), ContainsSubstring("no-such-option"));
  CHECK_THAT(error({"--rang", "1"}), ContainsSubstring("--rang"));
  CHECK_THAT(error({"plaza1"}), ContainsSubstring("without an option's name"));
  CHECK_THAT(error({"--odometry"}), ContainsSubstring("--odometry"));
  CHECK_THAT(error({"--odometry", "o"}), ContainsSubstring("a log needs"));
  CHECK_THAT(error({"--ground-truth", "o"}), ContainsSubstring("a log needs"));
  CHECK_THAT(
    error({"--data", "d", "--seed", "1"}), ContainsSubstring("--seed"));
  for (const auto* start : {"", "1,2", "1,2,3,4", "1,2,x", "1,2,nan", "1,,2,3"})
    CHECK_THAT(
      error({std::string{"--start="} + start}), ContainsSubstring("--start"));
  for (const auto* seed : {"-1", "x", "1.5", "99999999999999999999"})
    CHECK_THAT(error({"--seed", seed}), ContainsSubstring("--seed"));
  for (const auto* number : {"-1", "nan", "inf", "x", "1e300"})
    CHECK_THAT(
      error({"--range-sigma", number}), ContainsSubstring("--range-sigma"));
  CHECK_THAT(error({"--range-scale", "0"}), ContainsSubstring("--range-scale"));
}

TEST_CASE("an output never overwrites an input or the other output") {
  const std::vector<std::string> files{
    "--odometry", "o", "--ranges", "r", "--landmarks", "l"};
  const auto with
    = [&files](const std::string& option, const std::string& file) {
        auto arguments = files;
        arguments.insert(arguments.end(), {option, file});
        return error(arguments);
      };
  CHECK_THAT(with("--track", "o"), ContainsSubstring("overwrite an input"));
  CHECK_THAT(with("--picture", "./r"), ContainsSubstring("overwrite an input"));
  CHECK_THAT(error({"--track", "a", "--picture", "b/../a"}),
             ContainsSubstring("both name"));
  CHECK(error({"--track", "/dev/null", "--picture", "/dev/null"}).empty());
}

} // namespace options_test
