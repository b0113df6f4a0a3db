// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/logging.hpp"

#include "base/log_output.hpp"
#include "base/text.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/dist_sink.h>

#include <array>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

namespace {

constexpr auto pattern = "%Y-%m-%d %H:%M:%S.%f %^%-8l%$ %n: %*";

/// The text of a line, which may have names and values from files and other
/// processes.
class text_flag final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& line, const std::tm&,
              spdlog::memory_buf_t& to) override {
    auto text = printable_text({line.payload.data(), line.payload.size()});
    to.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<text_flag>();
  }
};

std::unique_ptr<spdlog::formatter> make_formatter() {
  auto result = std::make_unique<spdlog::pattern_formatter>();
  result->add_flag<text_flag>('*').set_pattern(pattern);
  return result;
}

spdlog::level::level_enum level_or_throw(const std::string& name) {
  if (auto level = parse_log_level(name))
    return *level;
  throw std::invalid_argument(
    "log level \"" + name
    + "\" is not trace, debug, info, warning, error, "
      "critical or off");
}

} // namespace

std::optional<spdlog::level::level_enum> parse_log_level(
  std::string_view name) {
  using entry = std::pair<std::string_view, spdlog::level::level_enum>;
  // spdlog's from_str reads an unknown name as "off".
  constexpr std::array<entry, 9> levels{
    {{"trace", spdlog::level::trace},
     {"debug", spdlog::level::debug},
     {"info", spdlog::level::info},
     {"warning", spdlog::level::warn},
     {"warn", spdlog::level::warn},
     {"error", spdlog::level::err},
     {"err", spdlog::level::err},
     {"critical", spdlog::level::critical},
     {"off", spdlog::level::off}}};
  for (auto [level_name, level] : levels)
    if (level_name == name)
      return level;
  return std::nullopt;
}

class log_context::sink_set : public spdlog::sinks::dist_sink_mt {};

log_context::log_context(const std::string& level)
  : log_context(level, {make_stderr_sink()}) {
  // nop
}

log_context::log_context(const std::string& level, std::vector<sink_ptr> sinks)
  : sinks_(std::make_shared<sink_set>()), level_(level_or_throw(level)) {
  for (auto& sink : sinks)
    add_sink(std::move(sink));
}

log_context::logger_ptr log_context::make(std::string name) const {
  auto result = std::make_shared<spdlog::logger>(std::move(name), sinks_);
  result->set_level(level_);
  result->flush_on(spdlog::level::err);
  return result;
}

void log_context::add_sink(sink_ptr sink) {
  sink->set_formatter(make_formatter());
  sinks_->add_sink(std::move(sink));
}

void log_context::flush() const {
  sinks_->flush();
}

} // namespace caf::rosia::detail
