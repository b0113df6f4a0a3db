// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Computes the track of a robot: replays its odometry and ranges, each at its
// own time stamps, and fuses them in the order of their tags:
//
//   odometry --+--> ekf -------------+
//              |     ^               |
//   ranges ----|-----+               +--> recorder
//              |                     |
//              +--> dead_reckoning --+
//
// The bytes of the track do not depend on the number of threads or processes
// (--rosia.processes=odometry,ranges,filter). The processes could be computers
// of the robot: one reads the wheels, one the radio, and one fuses the data.

#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "caf/rosia/all.hpp"

#include "log_reader.hpp"
#include "nodes.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "simulated_log.hpp"

namespace {

using namespace localization;

constexpr int failed = 1;
constexpr int not_understood = 2;

/// The output files of the process that runs the filter and the recorder.
struct results {
  output_file track;
  output_file picture;
};

/// The result of a replay.
struct outcome {
  int status = 0;
  bool is_here = false; // false: in another process
  track points;
  row_counts counts;
};

/// Opens the output files and prints the notes. Runs before the replay, which
/// may take half an hour in real time.
void begin(const robot_log& log, const options& wanted, results& files) {
  files.track = output_file{wanted.track_file};
  files.picture = output_file{wanted.picture_file};
  for (const auto& note : log.notes)
    std::cout << note << '\n';
  // Flushed before the progress lines, which are written to stderr.
  std::cout << std::flush;
}

/// Builds and runs the graph, which writes the track while it runs.
outcome replay_log(caf::actor_system& sys, const robot_log& log,
                   const options& wanted, results& files) {
  using odometry_replay = replay<odometry_row>;
  using range_replay = replay<range_row>;
  const auto origin = first_stamp(log);
  std::optional<progress> shown;
  rosia::application app{sys};
  auto odometry = app.create<odometry_replay>("odometry", log.odometry, origin);
  auto ranges = app.create<range_replay>("ranges", log.ranges, origin);
  auto filter
    = app.create<ekf_node>("ekf", wanted.start, wanted.filter, log.landmarks);
  app.place(odometry, "odometry");
  app.place(ranges, "ranges");
  app.place(filter, "filter");
  // If only a diagram of the graph is wanted, nothing is replayed.
  const auto is_here = app.opts().diagram.empty() && filter.is_local();
  if (is_here)
    begin(log, wanted, files);
  shown.emplace(
    std::cerr, is_here && isatty(STDERR_FILENO) != 0, last_stamp(log) - origin);
  auto guess = app.create<dead_reckoning_node>("dead_reckoning", wanted.start);
  auto record = app.create<recorder>("recorder", files.track, *shown, origin);
  app.place(guess, "filter");
  app.place(record, "filter");
  odometry[&odometry_replay::output] >>= filter[&ekf_node::odometry];
  ranges[&range_replay::output] >>= filter[&ekf_node::ranges];
  odometry[&odometry_replay::output] >>= guess[&dead_reckoning_node::odometry];
  filter[&ekf_node::estimate] >>= record[&recorder::estimate];
  guess[&dead_reckoning_node::guess] >>= record[&recorder::dead_reckoning];
  const auto status = app.run();
  if (!is_here)
    return {status, false, {}, {}};
  return {status, true, record->points(), filter->counts()};
}

/// Replays `log`. The process that runs the recorder then prints a report and
/// draws the picture.
/// @returns the program's status.
int localize(caf::actor_system& sys, const robot_log& log,
             const options& wanted) {
  results files;
  auto [status, is_here, points, counts] = replay_log(sys, log, wanted, files);
  if (status != 0 || !is_here)
    return status;
  files.track.check();
  if (points.empty()) {
    std::cerr << "localization: the replay ended before the first row\n";
    return failed;
  }
  const report result{log, std::move(points), counts};
  files.picture.clear();
  files.picture.stream() << result.picture();
  files.picture.close();
  files.picture.check();
  std::cout << result.text() << "track: " << files.track.name()
            << "\npicture: " << files.picture.name() << '\n';
  return 0;
}

int run(int argc, char** argv) {
  auto wanted = parse_options({argv + 1, argv + argc});
  if (wanted.help) {
    std::cout << usage();
    return 0;
  }
  const auto log
    = wanted.files.odometry.empty()
        ? simulate(wanted.seed)
        : read_log(wanted.files);
  std::vector<char*> arguments{argv[0]};
  for (auto& argument : wanted.caf_arguments)
    arguments.push_back(argument.data());
  return rosia::exec_main(
    static_cast<int>(arguments.size()), arguments.data(),
    [&](caf::actor_system& sys) { return localize(sys, log, wanted); },
    // Only defaults: CAF's config file and --rosia.realtime take precedence.
    [&](rosia::config& config) {
      config.set("rosia.realtime", wanted.realtime);
      if (!wanted.checkpoint_file.empty()) {
        config.set("rosia.checkpoint.file", wanted.checkpoint_file);
        config.set("rosia.checkpoint.every", "10s");
      }
      if (!wanted.resumed_file.empty())
        config.set("rosia.resume.file", wanted.resumed_file);
    });
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const usage_error& problem) {
    std::cerr << "localization: " << problem.what() << " (see --help)\n";
    return not_understood;
  } catch (const std::exception& problem) {
    std::cerr << "localization: " << problem.what() << '\n';
    return failed;
  }
}
