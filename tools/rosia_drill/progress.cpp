// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/progress.hpp"

#include "base/text.hpp"

#include <iostream>
#include <sstream>

#include <unistd.h>

namespace rosia_drill {

namespace {

constexpr std::size_t width = 30;

std::string time_text(double seconds) {
  auto whole = static_cast<long>(seconds + 0.5);
  std::ostringstream out;
  if (whole >= 60)
    out << whole / 60 << " min ";
  out << whole % 60 << " s";
  return out.str();
}

} // namespace

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s");
}

progress::progress(std::size_t drills)
  : drills_{drills}, terminal_{::isatty(STDERR_FILENO) != 0} {
  // nop
}

void progress::begin(std::size_t rounds) {
  rounds_ = rounds;
  begin_ = std::chrono::steady_clock::now();
  std::cerr << counted(drills_, "drill") << ", " << counted(rounds, "round")
            << '\n';
  draw();
}

void progress::round_is_over(const std::string& drill, const outcome& x) {
  ++done_;
  if (!x.held()) {
    ++failed_;
    erase();
    std::cerr << drill << ": round " << x.number << " (seed " << x.seed
              << ") did not hold: " << x.failures.front().expectation << ": "
              << caf::rosia::detail::printable_text(x.failures.front().actual)
              << '\n';
  }
  draw();
}

void progress::drill_is_over(
  const std::string& drill, std::size_t rounds, std::size_t failed) {
  erase();
  std::cerr << drill << ": " << rounds - failed << " of "
            << counted(rounds, "round") << " held\n";
  draw();
}

void progress::finish() {
  erase();
}

void progress::draw() {
  if (!terminal_ || rounds_ == 0)
    return;
  auto filled = done_ * width / rounds_;
  std::chrono::duration<double> took
    = std::chrono::steady_clock::now() - begin_;
  std::cerr << "\r\033[K[" << std::string(filled, '#')
            << std::string(width - filled, '-') << "] " << done_ << " of "
            << counted(rounds_, "round") << ", " << failed_ << " failed";
  if (done_ > 0)
    std::cerr << ", "
              << time_text(took.count() * static_cast<double>(rounds_ - done_)
                           / static_cast<double>(done_))
              << " left";
  std::cerr << std::flush;
}

void progress::erase() {
  if (terminal_)
    std::cerr << "\r\033[K" << std::flush;
}

} // namespace rosia_drill
