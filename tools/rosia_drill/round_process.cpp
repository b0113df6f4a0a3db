// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/round_process.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <unistd.h>

namespace rosia_drill {

namespace {

/// As much as a pipe holds.
constexpr std::size_t block_size = 1 << 16;

} // namespace

// -- one process --------------------------------------------------------------

round_process::round_process(std::string name, std::filesystem::path log)
  : name_{std::move(name)}, log_path_{std::move(log)} {
  // nop
}

void round_process::reserve_port() {
  port_.emplace();
}

void round_process::start(process_command command) {
  if (writes_log_)
    command.log = log_path_;
  else
    log_.open(log_path_, std::ios::binary);
  process_.emplace(command);
}

bool round_process::read_output(const line_function& on_line) {
  char block[block_size];
  auto count = ::read(output(), block, sizeof block);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return true;
  if (count <= 0)
    return false;
  log_.write(block, count);
  line_.append(block, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (auto end = line_.find('\n'); end != std::string::npos;
       end = line_.find('\n', begin)) {
    on_line(line_.substr(begin, end - begin));
    begin = end + 1;
  }
  line_.erase(0, begin);
  return true;
}

int round_process::end(const line_function& on_line) {
  if (!writes_log_) {
    // The pipe holds no more of what it has printed. Processes that it has
    // started may go on printing: nobody waits for them.
    read_output(on_line);
    if (!line_.empty())
      on_line(std::exchange(line_, {}));
    log_.close();
  }
  return process_->reap();
}

// -- all processes ------------------------------------------------------------

round_processes::round_processes(
  const drill& definition, const std::filesystem::path& folder) {
  for (auto& name : definition.process_names()) {
    auto& x = all_.emplace_back(name, folder / "logs" / (name + ".log"));
    if (!definition.processes.empty())
      x.reserve_port();
    std::filesystem::create_directories(folder / "work" / name);
  }
}

std::vector<std::string> round_processes::names() const {
  std::vector<std::string> result;
  for (auto& x : all_)
    result.push_back(x.name());
  return result;
}

bool round_processes::any_running() const {
  return std::any_of(all_.begin(), all_.end(), [](auto& x) {
    return x.is_running();
  });
}

bool round_processes::only_stopped_are_left() const {
  return std::all_of(all_.begin(), all_.end(), [](auto& x) {
    return !x.is_running() || x.is_stopped_for_ever;
  });
}

round_process* round_processes::find(const std::string& name) {
  auto i = std::find_if(all_.begin(), all_.end(), [&](auto& x) {
    return x.name() == (name.empty() ? "coordinator" : name);
  });
  return i == all_.end() ? nullptr : &*i;
}

round_process* round_processes::find_by_node(const std::string& name) {
  if (auto* result = find(name))
    return result;
  auto i = std::find_if(all_.begin(), all_.end(), [&](auto& x) {
    return x.nodes.contains(name);
  });
  return i == all_.end() ? nullptr : &*i;
}

std::size_t round_processes::index_of(const std::string& name) const {
  std::size_t result = 0;
  while (all_[result].name() != name)
    ++result;
  return result;
}

void round_processes::kill_all() const {
  for (auto& x : all_)
    x.kill_group();
}

} // namespace rosia_drill
