// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "text.hpp"

namespace localization {

namespace {

/// Less than a pixel at four times the resolution.
constexpr double invisible = 0.15;

std::string escaped(std::string_view words) {
  std::string result;
  for (const auto c : words) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string number(double value) {
  auto result = fixed(value, 2);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.')
    result.pop_back();
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  std::string result{" "};
  return result.append(name).append("=\"").append(escaped(value)).append("\"");
}

std::string attribute(std::string_view name, double value) {
  return attribute(name, number(value));
}

std::string attributes(const stroke& pen) {
  auto result
    = attribute("stroke", pen.colour) + attribute("stroke-width", pen.width);
  if (!pen.dashes.empty())
    result += attribute("stroke-dasharray", pen.dashes);
  return result;
}

std::string attributes(const pixel_box& box) {
  return attribute("x", box.left) + attribute("y", box.top)
         + attribute("width", box.right - box.left)
         + attribute("height", box.bottom - box.top);
}

std::string pair(pixel point) {
  return number(point.x) + "," + number(point.y);
}

std::string pairs(const std::vector<pixel>& points) {
  std::string result;
  for (const auto& point : points)
    result += (result.empty() ? "" : " ") + pair(point);
  return result;
}

/// Returns the distance from `point` to the line from `from` to `to`.
double distance(pixel point, pixel from, pixel to) {
  const auto dx = to.x - from.x;
  const auto dy = to.y - from.y;
  const auto length = dx * dx + dy * dy;
  auto part = 0.0;
  if (length > 0)
    part = ((point.x - from.x) * dx + (point.y - from.y) * dy) / length;
  part = std::clamp(part, 0.0, 1.0);
  return std::hypot(point.x - from.x - part * dx, point.y - from.y - part * dy);
}

} // namespace

// -- construction -------------------------------------------------------------

svg::svg(double width, double height, std::string_view title) {
  body_
    = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width)
      + attribute("height", height)
      + attribute("viewBox", "0 0 " + number(width) + " " + number(height))
      + attribute("font-family", "Helvetica, Arial, sans-serif")
      + " role=\"img\">\n<title>" + escaped(title) + "</title>\n";
  rectangle({0, 0, width, height}, {"none", 0}, "#ffffff");
}

// -- elements -----------------------------------------------------------------

void svg::line(pixel from, pixel to, const stroke& pen) {
  body_ += "<path" + attribute("d", "M" + pair(from) + " L" + pair(to))
           + attributes(pen) + "/>\n";
}

void svg::path(const std::vector<pixel>& points, const stroke& pen) {
  body_ += "<polyline fill=\"none\" stroke-linejoin=\"round\""
           + attribute("points", pairs(simplified(points, invisible)))
           + attributes(pen) + "/>\n";
}

void svg::rectangle(const pixel_box& box, const stroke& pen,
                    std::string_view fill) {
  body_ += "<rect" + attributes(box) + attribute("fill", fill) + attributes(pen)
           + "/>\n";
}

void svg::circle(pixel centre, double radius, std::string_view fill) {
  body_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y)
           + attribute("r", radius) + attribute("fill", fill)
           + attributes(stroke{"#ffffff", 1.5}) + "/>\n";
}

void svg::polygon(const std::vector<pixel>& corners, std::string_view fill) {
  body_
    += "<polygon" + attribute("points", pairs(corners))
       + attribute("fill", fill) + attributes(stroke{"#ffffff", 1.5}) + "/>\n";
}

void svg::text(pixel at, std::string_view words, const font& letters) {
  constexpr std::string_view anchors[] = {"start", "middle", "end"};
  body_
    += "<text" + attribute("x", at.x) + attribute("y", at.y)
       + attribute("font-size", letters.size)
       + attribute("fill", letters.colour)
       + attribute(
         "text-anchor", anchors[static_cast<std::size_t>(letters.at)]);
  if (letters.bold)
    body_ += attribute("font-weight", "bold");
  if (letters.upwards)
    body_ += attribute(
      "transform", "rotate(-90 " + number(at.x) + " " + number(at.y) + ")");
  body_ += attribute("paint-order", "stroke") + attributes(stroke{"#ffffff", 3})
           + ">" + escaped(words) + "</text>\n";
}

// -- clipping -----------------------------------------------------------------

void svg::begin_clip(const pixel_box& box) {
  const auto id = "clip" + std::to_string(++clips_);
  body_ += "<clipPath" + attribute("id", id) + "><rect" + attributes(box)
           + "/></clipPath>\n<g" + attribute("clip-path", "url(#" + id + ")")
           + ">\n";
}

void svg::end_clip() {
  body_ += "</g>\n";
}

// -- result -------------------------------------------------------------------

std::string svg::document() const {
  return body_ + "</svg>\n";
}

std::vector<pixel> simplified(
  const std::vector<pixel>& points, double tolerance) {
  if (points.size() < 3)
    return points;
  // The algorithm of Ramer, Douglas and Peucker. An explicit stack, because
  // recursion could overflow the call stack for a long log.
  std::vector<bool> kept(points.size(), false);
  kept.front() = kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open;
  open.emplace_back(0, points.size() - 1);
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    auto farthest = first;
    auto most = tolerance;
    for (auto i = first + 1; i < last; ++i) {
      const auto off = distance(points[i], points[first], points[last]);
      if (off > most) {
        most = off;
        farthest = i;
      }
    }
    if (farthest != first) {
      kept[farthest] = true;
      open.emplace_back(first, farthest);
      open.emplace_back(farthest, last);
    }
  }
  std::vector<pixel> result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i])
      result.push_back(points[i]);
  return result;
}

} // namespace localization
