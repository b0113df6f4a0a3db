// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A typical service of CAF actors, without nodes, and its clients:
//
//   clients -->  acceptor --> workers --> store --> a database
//   (threads)       phase:      phase:     phase:
//      ^            accept      work       store
//      |                                    |
//      +---------- the answer --------------+
//
// At SIGTERM it shuts down in order, within a deadline. Then every request has
// an answer, and the database contains exactly the acknowledged entries, even
// if the deadline passed. `report` compares both.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "caf/rosia/scheduler_defaults.hpp"
#include "caf/rosia/shutdown.hpp"

#include "database.hpp"
#include "entry.hpp"
#include "load.hpp"
#include "options.hpp"
#include "report.hpp"
#include "service.hpp"

namespace {

using namespace existing_service;

namespace rosia = caf::rosia;

constexpr int failed = 1;
constexpr int not_understood = 2;

/// An output file that is written at the end of the program. Without a name,
/// there is none.
class output_file {
public:
  /// Opens the file at the start, so that an invalid name is not reported after
  /// an hour.
  explicit output_file(const std::string& name) : name_(name) {
    if (!name.empty())
      open();
  }

  void write(const std::string& text) {
    if (name_.empty())
      return;
    stream_ << text;
    stream_.close();
    if (!stream_)
      throw std::runtime_error{name_ + ": it cannot be written"};
  }

private:
  void open() {
    stream_.open(name_, std::ios::binary);
    if (!stream_)
      throw std::runtime_error{name_ + ": it cannot be created"};
  }

  std::string name_;
  std::ofstream stream_;
};

struct program_config : caf::actor_system_config {
  program_config() {
    // With CAF's default, idle workers poll for messages.
    rosia::set_scheduler_defaults(*this);
  }
};

service_options service_part(const options& wanted) {
  service_options result;
  result.workers = wanted.workers;
  result.slowness = wanted.slowness;
  result.deadline = wanted.deadline;
  return result;
}

/// The results of earlier runs.
struct past {
  /// The last row of earlier runs.
  std::int64_t last_row = 0;

  /// Their keys, which are not sent again.
  std::unordered_set<std::string> keys = {};
};

past look_back(database& data, const options& wanted) {
  past result;
  result.last_row = data.last_row();
  if (!wanted.resume)
    return result;
  for (auto& key : data.keys())
    result.keys.insert(std::move(key));
  std::cout << "it continues: " << result.keys.size()
            << " requests are stored already" << std::endl;
  return result;
}

load_options load_part(const options& wanted, past before,
                       rosia::shutdown& shutdown) {
  load_options result;
  result.clients = wanted.clients;
  result.in_flight = wanted.in_flight;
  result.requests = wanted.requests;
  // All requests may wait for the store at once.
  result.patience
    += wanted.slowness
       * static_cast<std::int64_t>(wanted.clients * wanted.in_flight);
  // A unique prefix: no other run started after this row.
  if (!wanted.resume)
    result.prefix = std::to_string(before.last_row) + '-';
  result.stored_before = std::move(before.keys);
  result.announce_at = wanted.announce;
  result.announce = [n = wanted.announce] {
    std::cout << n << " requests are acknowledged" << std::endl;
  };
  result.all_done = [&shutdown] { shutdown.begin({"the clients' end"}); };
  return result;
}

/// Requests the shutdown after some time.
void end_after(std::chrono::nanoseconds duration, rosia::shutdown& shutdown) {
  shutdown.spawn_temporary(
    "duration", [&shutdown, duration](std::stop_token token) {
      std::mutex mutex;
      std::condition_variable_any changed;
      std::unique_lock held{mutex};
      if (!changed.wait_for(held, token, duration, [&token] {
            return token.stop_requested();
          }))
        shutdown.begin({"the end of its time"});
    });
}

/// The results after the shutdown.
struct outcome {
  int status;
  std::string reason;
  load_figures clients;
};

/// Runs the service until its shutdown has finished.
outcome run_service(
  caf::actor_system& sys, const options& wanted, database data, past before,
  std::shared_ptr<door_figures> door, output_file& timeline) {
  rosia::shutdown_options opts;
  opts.deadline = wanted.deadline;
  rosia::shutdown shutdown{sys, opts};
  auto acceptor
    = start_service(sys, shutdown, std::move(data), service_part(wanted), door);
  shutdown.on("final", "figures", [door](const rosia::shutdown_reason&) {
    std::cout << "the service ended in order: " << door->accepted
              << " requests accepted, " << door->refused << " refused"
              << std::endl;
  });
  load clients{sys, acceptor, load_part(wanted, std::move(before), shutdown)};
  if (wanted.duration)
    end_after(*wanted.duration, shutdown);
  const auto status = shutdown.wait_for_shutdown();
  // After the shutdown, not in its last phase: an aborted shutdown skips the
  // phases that have not begun.
  const auto times = shutdown.timeline();
  timeline.write(
    std::filesystem::path{wanted.timeline_file}.extension() == ".svg"
      ? to_svg(times)
      : to_json(times));
  return {status, shutdown.status().reason.text, clients.join()};
}

std::string lines(const std::vector<std::string>& xs) {
  std::string result;
  for (auto& x : xs)
    result += x + '\n';
  return result;
}

/// Runs the service with its clients, and compares their figures.
/// @returns the program's status.
int serve(const options& wanted) {
  output_file report_file{wanted.report_file};
  output_file timeline{wanted.timeline_file};
  output_file keys{wanted.keys_file};
  database data{wanted.database};
  auto before = look_back(data, wanted);
  const auto last_row = before.last_row;
  auto door = std::make_shared<door_figures>();
  program_config config;
  caf::actor_system sys{config};
  auto [status, reason, clients] = run_service(
    sys, wanted, std::move(data), std::move(before), door, timeline);
  // The store has already closed its database.
  database result{wanted.database, database::access::read};
  const auto found = make_report(
    status, std::move(reason), std::move(clients), *door,
    result.entries_after(last_row));
  keys.write(lines(found.clients.acknowledged));
  report_file.write(to_json(found));
  std::cout << to_string(found) << std::flush;
  return found.exact() ? status : failed;
}

/// Prints a summary of a database.
/// @returns the program's status.
int verify(const std::string& file) {
  database data{file, database::access::read};
  std::size_t good = 0;
  std::size_t bad = 0;
  for (auto& x : data.entries_after(0))
    if (x.checksum == checksum_of(x.key, x.value)) {
      ++good;
    } else {
      ++bad;
      std::cout << "the checksum of " << x.key << " is wrong\n";
    }
  std::cout << good + bad << " entries, " << bad << " of them damaged\n";
  return bad == 0 ? 0 : failed;
}

int run(int argc, char** argv) {
  const auto wanted = parse_options({argv + 1, argv + argc});
  if (wanted.help) {
    std::cout << usage();
    return 0;
  }
  return wanted.verify.empty() ? serve(wanted) : verify(wanted.verify);
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const usage_error& problem) {
    std::cerr << "existing_service: " << problem.what() << " (see --help)\n";
    return not_understood;
  } catch (const std::exception& problem) {
    std::cerr << "existing_service: " << problem.what() << '\n';
    return failed;
  }
}
