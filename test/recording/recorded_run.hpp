// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "support.hpp"

#include "application/application_access.hpp"
#include "run_file/database.hpp"
#include "temporary_folder.hpp"

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace recording {

/// The actions of nodes in order, without data that differs in every run:
/// physical time, and the times of protocol messages.
using steps = std::map<std::string, std::vector<std::string>>;

/// Returns the steps in a trace.
inline steps steps_of(const std::string& trace) {
  steps result;
  std::istringstream lines{trace};
  for (std::string line; std::getline(lines, line);) {
    auto is = [&](std::string_view event) {
      return line.starts_with("{\"event\":\"" + std::string{event} + "\"");
    };
    if (is("execute"))
      line.resize(line.find(",\"stat\""));
    else if (!is("resume") && !is("input") && !is("reaction") && !is("schedule")
             && !is("action") && !is("watchdog") && !is("mode") && !is("send"))
      continue;
    auto key = line.find("\"node\":\"") + 8;
    result[line.substr(key, line.find('"', key) - key)].push_back(line);
  }
  return result;
}

/// Makes an application write its trace to this object.
class kept_trace {
public:
  explicit kept_trace(rosia::application& app) {
    rosia::detail::application_access::trace(
      app, [this](std::string_view lines) { text_ += lines; });
  }

  kept_trace(const kept_trace&) = delete;

  kept_trace& operator=(const kept_trace&) = delete;

  recording::steps steps() const {
    return steps_of(text_);
  }

private:
  std::string text_;
};

/// Returns the options of a replay.
inline rosia::options replayed(const std::string& file, bool realtime = false) {
  auto opts = realtime ? real_time() : fast();
  opts.replay = file;
  return opts;
}

/// Calls `fun` with options that replay a file, and a number of threads: in
/// real time and as fast as possible, with all kinds of groups.
template <class Fun>
void for_each_replay(const std::string& file,
                     std::initializer_list<std::size_t> numbers, Fun&& fun) {
  for (auto threads : numbers)
    for (auto realtime : {false, true})
      for (auto* groups : {"auto", "off", "all", "shuffle"}) {
        INFO(threads << ' ' << realtime << ' ' << groups);
        auto opts = replayed(file, realtime);
        opts.groups = groups;
        fun(opts, threads);
      }
}

/// Works for a while by elapsed time, without a result.
inline void work(rosia::node& self, std::chrono::nanoseconds d) {
  auto end = self.elapsed() + d;
  while (self.elapsed() < end)
    std::this_thread::yield();
}

/// Queries one number or text of a run file.
inline std::string ask(const std::string& path, const char* sql) {
  rosia::run_file::database file{path, rosia::run_file::database::access::read};
  rosia::run_file::statement query{file, "ask a test's question of", sql};
  return query.step() ? query.text(0) : "nothing";
}

} // namespace recording
