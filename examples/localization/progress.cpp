// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "text.hpp"

namespace localization {

namespace {

std::string whole_seconds(stamp time) {
  return fixed(std::chrono::duration<double>(time).count(), 0);
}

} // namespace

progress::progress(std::ostream& out, bool terminal, stamp total)
  : out_{out}, terminal_{terminal}, total_{std::max(total, stamp{1})} {
  if (terminal_)
    draw_bar(0, stamp{});
}

progress::~progress() {
  if (terminal_)
    out_ << '\n' << std::flush;
}

void progress::update(stamp done) {
  const auto share
    = static_cast<double>(done.count()) / static_cast<double>(total_.count());
  const auto percent = static_cast<int>(100 * std::clamp(share, 0.0, 1.0));
  const auto step = terminal_ ? 1 : 25;
  if (percent / step <= shown_ / step)
    return;
  shown_ = percent;
  if (terminal_)
    draw_bar(percent, done);
  else
    out_ << "replayed " << percent << " % (" << whole_seconds(done) << " of "
         << whole_seconds(total_) << " s)\n"
         << std::flush;
}

void progress::draw_bar(int percent, stamp done) {
  constexpr std::size_t width = 40;
  const auto full = width * static_cast<std::size_t>(percent) / 100;
  out_ << "\r[" << std::string(full, '#') << std::string(width - full, '.')
       << "] " << percent << " %  " << whole_seconds(done) << " of "
       << whole_seconds(total_) << " s " << std::flush;
}

} // namespace localization
