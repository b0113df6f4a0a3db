// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "track_plot.hpp"

#include <algorithm>
#include <chrono>

#include "axis.hpp"
#include "svg.hpp"
#include "text.hpp"

namespace localization {

namespace {

// -- styles -------------------------------------------------------------------

constexpr double picture_width = 1000;
constexpr double frame_left = 72;
constexpr double frame_right = picture_width - 24;
constexpr double map_top = 112;
constexpr double highest_map = 700;
constexpr double lowest_map = 320;
constexpr double errors_height = 170;

// Colours that people with red-green blindness can distinguish.
constexpr stroke truth_pen{"#b4bac2", 5};
constexpr stroke dead_reckoning_pen{"#d55e00", 1.3, "6 3"};
constexpr stroke estimate_pen{"#0060b0", 1.6};
constexpr stroke grid_pen{"#eceff1", 1};
constexpr stroke frame_pen{"#9aa0a6", 1};
constexpr stroke scale_pen{"#202124", 2};
constexpr std::string_view landmark_colour = "#009e73";
constexpr std::string_view dark = "#202124";

// -- the visible region -------------------------------------------------------

/// An interval that grows to include values; empty at first.
struct interval {
  double low = 1;
  double high = 0;

  bool empty() const {
    return low > high;
  }

  double length() const {
    return high - low;
  }

  void include(double value) {
    low = empty() ? value : std::min(low, value);
    high = std::max(high, value);
  }

  void widen(double each_side) {
    low -= each_side;
    high += each_side;
  }
};

struct region {
  interval x;
  interval y;

  void include(double at_x, double at_y) {
    // In this order: `x` is still empty when the first `low` is set.
    x.include(at_x);
    y.include(at_y);
  }
};

/// Returns the region that the map shows. It includes dead reckoning only as
/// long as the rest remains large enough.
region shown_region(const track_picture& picture) {
  constexpr double least = 1; // metres, for a robot that stands still
  constexpr double margin = 0.06;
  region core;
  for (const auto& point : picture.points)
    core.include(point.estimate.x, point.estimate.y);
  for (const auto& row : picture.truth)
    core.include(row.at.x, row.at.y);
  for (const auto& mark : picture.landmarks)
    core.include(mark.x, mark.y);
  const auto reach = std::max({core.x.length(), core.y.length(), least}) / 2;
  auto result = core;
  for (const auto& [time, estimate, sigma, guess] : picture.points)
    result.include(
      std::clamp(guess.x, core.x.low - reach, core.x.high + reach),
      std::clamp(guess.y, core.y.low - reach, core.y.high + reach));
  for (auto* side : {&result.x, &result.y})
    side->widen(std::max(side->length() * margin, least / 2));
  return result;
}

// -- parts of the picture -----------------------------------------------------

/// Two axes and the frame around them.
struct chart {
  pixel_box frame;
  axis x;
  axis y;

  chart(const pixel_box& box, const interval& across, const interval& up)
    : frame{box}, x{across.low, across.high, box.left, box.right},
      y{up.low, up.high, box.bottom, box.top} {}

  pixel at(double value_x, double value_y) const {
    return {x(value_x), y(value_y)};
  }
};

/// Returns a chart with the same scale on both axes. The frame is as wide as
/// the picture allows and as high as the region needs; the remaining space
/// shows more of the world.
chart map_chart(region shown) {
  const auto width = frame_right - frame_left;
  const auto height = std::clamp(
    width * shown.y.length() / shown.x.length(), lowest_map, highest_map);
  const auto scale
    = std::min(width / shown.x.length(), height / shown.y.length());
  shown.x.widen((width / scale - shown.x.length()) / 2);
  shown.y.widen((height / scale - shown.y.length()) / 2);
  return {
    {frame_left, map_top, frame_right, map_top + height}, shown.x, shown.y};
}

void draw_axes(svg& out, const chart& on, std::string_view name_x,
               std::string_view name_y, int wanted_y) {
  const auto& box = on.frame;
  const auto marks_x = nice_ticks(on.x, 12);
  for (const auto value : marks_x.values) {
    out.line({on.x(value), box.top}, {on.x(value), box.bottom}, grid_pen);
    out.text({on.x(value), box.bottom + 17}, marks_x.label(value),
             {12, anchor::middle});
  }
  const auto marks_y = nice_ticks(on.y, wanted_y);
  for (const auto value : marks_y.values) {
    out.line({box.left, on.y(value)}, {box.right, on.y(value)}, grid_pen);
    out.text(
      {box.left - 8, on.y(value) + 4}, marks_y.label(value), {12, anchor::end});
  }
  out.rectangle(box, frame_pen);
  out.text({(box.left + box.right) / 2, box.bottom + 38}, name_x,
           {13, anchor::middle, dark});
  out.text({22, (box.top + box.bottom) / 2}, name_y,
           {13, anchor::middle, dark, false, true});
}

void draw_landmark(svg& out, pixel at) {
  out.polygon({{at.x, at.y - 9}, {at.x + 9, at.y + 7}, {at.x - 9, at.y + 7}},
              landmark_colour);
}

/// Draws the legend, from left to right under the title.
void draw_legend(svg& out, const track_picture& picture) {
  const auto y = map_top - 22;
  auto x = frame_left;
  const auto entry = [&](std::string_view name, double name_width) {
    out.text({x + 48, y + 5}, name, {14, anchor::start, dark});
    x += 48 + name_width;
  };
  const auto line
    = [&](const stroke& pen, std::string_view name, double name_width) {
        out.line({x, y}, {x + 40, y}, pen);
        entry(name, name_width);
      };
  line(estimate_pen, "estimate", 100);
  line(dead_reckoning_pen, "dead reckoning", 145);
  if (!picture.truth.empty())
    line(truth_pen, "ground truth", 130);
  draw_landmark(out, {x + 32, y});
  entry("landmark", 0);
}

/// Draws a scale bar with a round number of metres below the map, where it
/// covers nothing.
void draw_scale(svg& out, const chart& map) {
  const auto metres = nice_length((map.x.high - map.x.low) / 6);
  const auto right = map.frame.right;
  const auto left = right - (map.x(metres) - map.x(0));
  const auto y = map.frame.bottom + 34;
  out.line({left, y}, {right, y}, scale_pen);
  for (const auto end : {left, right})
    out.line({end, y - 5}, {end, y + 5}, scale_pen);
  const ticks marks{metres, {}};
  out.text({left - 8, y + 5}, marks.label(metres) + " m",
           {13, anchor::end, dark, true});
}

void draw_tracks(svg& out, const chart& map, const track_picture& picture) {
  std::vector<pixel> truth;
  std::vector<pixel> dead_reckoning;
  std::vector<pixel> estimate;
  for (const auto& row : picture.truth)
    truth.push_back(map.at(row.at.x, row.at.y));
  for (const auto& point : picture.points) {
    estimate.push_back(map.at(point.estimate.x, point.estimate.y));
    dead_reckoning.push_back(
      map.at(point.dead_reckoning.x, point.dead_reckoning.y));
  }
  out.path(truth, truth_pen);
  out.path(dead_reckoning, dead_reckoning_pen);
  out.path(estimate, estimate_pen);
  const auto mark = [&](pixel at, std::string_view name) {
    out.circle(at, 5.5, dark);
    out.text({at.x + 9, at.y - 7}, name, {13, anchor::start, dark, true});
  };
  mark(estimate.front(), "start");
  mark(estimate.back(), "end");
}

void draw_map(svg& out, const chart& map, const track_picture& picture) {
  draw_axes(
    out, map, "x [m]", "y [m]",
    std::max(4, static_cast<int>((map.frame.bottom - map.frame.top) / 80)));
  out.begin_clip(map.frame);
  draw_tracks(out, map, picture);
  for (const auto& mark : picture.landmarks) {
    const auto at = map.at(mark.x, mark.y);
    draw_landmark(out, at);
    out.text({at.x, at.y + 23}, std::to_string(mark.id),
             {13, anchor::middle, landmark_colour, true});
  }
  out.end_clip();
  draw_scale(out, map);
}

void draw_errors(svg& out, const pixel_box& frame,
                 const std::vector<error_sample>& errors) {
  const auto since_start = [&](const error_sample& sample) {
    return std::chrono::duration<double>(sample.time - errors.front().time)
      .count();
  };
  interval time{0, std::max(since_start(errors.back()), 1.0)};
  interval error{0, 0.01};
  for (const auto& sample : errors) {
    error.include(sample.estimate);
    error.include(sample.dead_reckoning);
  }
  error.high *= 1.05;
  const chart on{frame, time, error};
  draw_axes(out, on, "time [s]", "error [m]", 5);
  std::vector<pixel> dead_reckoning;
  std::vector<pixel> estimate;
  for (const auto& sample : errors) {
    const auto x = since_start(sample);
    dead_reckoning.push_back(on.at(x, sample.dead_reckoning));
    estimate.push_back(on.at(x, sample.estimate));
  }
  out.path(dead_reckoning, dead_reckoning_pen);
  out.path(estimate, estimate_pen);
}

} // namespace

std::string to_svg(const track_picture& picture) {
  const auto map = map_chart(shown_region(picture));
  const auto errors_top = map.frame.bottom + 64;
  const auto bottom
    = picture.errors.empty() ? map.frame.bottom : errors_top + errors_height;
  svg out{picture_width, bottom + 52, picture.title};
  out.text({frame_left, 36}, picture.title, {22, anchor::start, dark, true});
  out.text({frame_left, 60}, picture.subtitle, {14, anchor::start});
  draw_legend(out, picture);
  draw_map(out, map, picture);
  if (!picture.errors.empty())
    draw_errors(
      out, {frame_left, errors_top, frame_right, bottom}, picture.errors);
  return out.document();
}

} // namespace localization
