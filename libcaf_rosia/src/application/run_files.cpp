// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/run_files.hpp"

#include "application/saved_runs.hpp"
#include "distributed/role.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/run_context.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

run_files::run_files(options& opts, std::shared_ptr<spdlog::logger> logger)
  : options_(&opts), logger_(std::move(logger)) {
  // nop
}

std::string run_files::suffix() const {
  return is_distributed(opts()) ? '.' + process_name(opts()) : std::string{};
}

void run_files::lock() {
  auto add = [&](auto function, const char* option, const std::string& file,
                 const std::string& end) {
    (outputs_.*function)(option, file.empty() ? file : file + end);
  };
  if (!trace_sink_)
    add(&output_locks::add_in_place, "trace", opts().trace, suffix());
  add(&output_locks::add, "report", opts().report,
      opts().network.join.empty() ? std::string{} : suffix());
  add(&output_locks::add_in_place, "record.file", opts().record.file, suffix());
  add(&output_locks::add_in_place, "checkpoint.file", opts().checkpoint.file,
      suffix());
  add(&output_locks::add, "checkpoint.backup", opts().checkpoint.backup,
      suffix());
}

// -- before the run -----------------------------------------------------------

void run_files::load_replay() {
  if (opts().replay.empty())
    return;
  for (auto& file : run_file::files_of(opts().replay))
    if (auto writer = outputs_.other_writer_of(file); !writer.empty())
      logger_->warn(
        "rosia.replay: '{}' is being written by {}: the run is repeated as far "
        "as it is in the file now",
        file, writer);
  replayed_ = run_file::read_run(opts().replay);
  if (!replayed_->resumed_at.empty())
    throw std::runtime_error(
      "rosia.replay: the last run in '" + opts().replay
      + "' continues from a checkpoint at tag " + replayed_->resumed_at
      + "; such a recording has no beginning, and cannot be repeated: give "
        "each start a file of its own (rosia.record.file), and repeat a run "
        "that was not resumed");
  for (auto& remark : replayed_->remarks)
    logger_->warn("rosia.replay: {}", remark);
  if (replayed_->final == forever)
    return;
  auto final = std::max(replayed_->final, logical_time{});
  if (replayed_->final < final)
    logger_->warn("rosia.replay: the recording does not reach the end of tag "
                  "0s: the replay ends there, and may differ");
  options_->stop_after = std::min(opts().stop_after.value_or(forever), final);
}

std::string run_files::replayed_run() const {
  return replayed_ ? replayed_->uuid : std::string{};
}

void run_files::require_same_replay(const std::string& run) const {
  auto own = replayed_run();
  if (run == own)
    return;
  if (own.empty())
    throw std::runtime_error(
      "the coordinator replays a run, and this process does not: set "
      "rosia.replay for all processes");
  if (run.empty())
    throw std::runtime_error(
      "rosia.replay is set, but not for the coordinator: set it for all "
      "processes, or for none");
  throw std::runtime_error(
    "rosia.replay: '" + opts().replay
    + "' has another run than the coordinator replays; let all processes "
      "replay the same files, or copies of them");
}

starting_point run_files::choose_start() const {
  auto result = detail::choose_start(opts(), outputs_);
  result.replayed_run = replayed_run();
  if (opts().resume.file.empty() || result.resumes())
    return result;
  if (run_file::files_of(opts().resume.file).empty())
    logger_->info(
      "rosia.resume.file: there is no file '{}' yet: the run begins anew",
      opts().resume.file);
  else
    logger_->warn(
      "rosia.resume.file: '{}' has no complete checkpoint: the run begins anew",
      opts().resume.file);
  return result;
}

std::unique_ptr<resumption> run_files::load_checkpoint(
  const starting_point& start, const run_file::graph_lines& lines) const {
  if (!start.resumes())
    return nullptr;
  if (opts().resume.file.empty())
    throw std::runtime_error(
      "the coordinator continues an earlier run: set rosia.resume.file for "
      "all processes");
  outputs_.require_unwritten("resume.file", opts().resume.file + suffix());
  if (opts().stop_after && *opts().stop_after < start.resumed_at)
    throw std::runtime_error(
      "rosia.stop_after: the run in '" + opts().resume.file
      + "' continues after tag " + to_string(start.resumed_at)
      + ", and cannot end at tag " + to_string(*opts().stop_after)
      + "; name a later one, counted from the very beginning, or continue from "
        "an earlier checkpoint (rosia.resume.at)");
  return detail::load_checkpoint(opts().resume.file, start, lines);
}

std::unique_ptr<trace_writer> run_files::make_trace() const {
  if (trace_sink_)
    return std::make_unique<trace_writer>(trace_sink_);
  if (!opts().trace.empty())
    return std::make_unique<trace_writer>(opts().trace + suffix());
  return nullptr;
}

void run_files::attach_to(
  run_context& context, std::uint64_t session, const starting_point& start,
  std::unique_ptr<resumption> from, run_file::graph_lines lines) {
  if (auto run = std::exchange(replayed_, std::nullopt)) {
    context.repeat(*run, replay_piece_);
    if (run->final != forever)
      logger_->info("rosia.replay: the recorded run is repeated up to tag {}",
                    to_string(*opts().stop_after));
  }
  if (!opts().record.file.empty())
    context.record(opts().record.file + suffix(), run_file::make_uuid(session));
  if (from) {
    context.resume(std::move(from));
    if (auto& recorder = context.records().recorder)
      recorder->note_resumed(start.resumed_at);
    if (context.nodes().self() == 0)
      logger_->info("the run in '{}' continues after tag {}",
                    opts().resume.file, to_string(start.resumed_at));
  }
  if (!opts().checkpoint.file.empty())
    save_to(context, start, fmt::format("{:016x}", session), std::move(lines));
}

void run_files::save_to(
  run_context& context, const starting_point& start, const std::string& name,
  run_file::graph_lines lines) const {
  checkpoints::settings settings;
  settings.file = opts().checkpoint.file + suffix();
  if (!opts().checkpoint.backup.empty())
    settings.backup = opts().checkpoint.backup + suffix();
  settings.every
    = opts().checkpoint.every.value_or(std::chrono::nanoseconds{}).count();
  settings.keep = opts().checkpoint.keep;
  settings.run = run_file::name_of_run(name, start.resumed_run);
  settings.number = start.number;
  settings.after = start.resumes() ? start.resumed_at : logical_time{};
  settings.graph = std::move(lines);
  context.checkpoints(
    std::make_unique<checkpoints>(context, std::move(settings)));
}

} // namespace caf::rosia::detail
