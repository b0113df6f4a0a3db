// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "plot.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace bench {

namespace {

using curve = std::vector<std::pair<double, double>>; // nodes, ratio

constexpr std::array colors{"#2a6bab", "#c2611b", "#3b8a3e", "#777"};

constexpr double left = 70;
constexpr double right = 620;
constexpr double top = 30;
constexpr double bottom = 330;

/// The axes: the number of nodes to the base of 2, and the ratio from 0.
struct scale {
  double first = 0;
  double last = 1;
  double highest = 1;

  double x(double nodes) const {
    return left + (std::log2(nodes) - first) / (last - first) * (right - left);
  }

  double y(double ratio) const {
    return bottom - ratio / highest * (bottom - top);
  }
};

scale scale_of(const std::map<std::string, curve>& curves) {
  scale result{64, 0, 0};
  for (auto& [name, points] : curves)
    for (auto& [nodes, ratio] : points) {
      result.first = std::min(result.first, std::floor(std::log2(nodes)));
      result.last = std::max(result.last, std::ceil(std::log2(nodes)));
      result.highest = std::max(result.highest, std::ceil(ratio));
    }
  result.last = std::max(result.last, result.first + 1);
  return result;
}

std::string axes(const scale& to) {
  std::string result;
  for (auto i = 0; i <= static_cast<int>(to.highest); ++i)
    result += fmt::format(
      "<path d='M{},{:.1f} H{}' class='grid'/>"
      "<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n",
      left, to.y(i), right, left - 8, to.y(i) + 5, i);
  for (auto i = to.first; i <= to.last; i += 2)
    result += fmt::format(
      "<text x='{:.1f}' y='{}' text-anchor='middle'>{:.0f}</text>\n",
      to.x(std::exp2(i)), bottom + 22, std::exp2(i));
  result += fmt::format(
    "<text x='{}' y='{}' text-anchor='middle'>nodes</text>\n"
    "<text x='{}' y='{}'>time, relative to the event queue</text>\n",
    (left + right) / 2, bottom + 46, left - 50, top - 12);
  return result;
}

std::string draw(const curve& points, const scale& to, const char* color) {
  std::string line;
  std::string dots;
  for (auto& [nodes, ratio] : points) {
    line += fmt::format("{:.1f},{:.1f} ", to.x(nodes), to.y(ratio));
    dots += fmt::format(
      "<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'>"
      "<title>{:.0f} nodes: {:.2f}</title></circle>\n",
      to.x(nodes), to.y(ratio), color, nodes, ratio);
  }
  return fmt::format(
           "<polyline points='{}' fill='none' stroke='{}' stroke-width='2'/>\n",
           line, color)
         + dots;
}

} // namespace

std::string plot_ratios(const std::vector<row>& rows) {
  std::map<std::string, curve> curves;
  for (auto& x : rows)
    if (!x.kind.empty())
      curves[x.kind].emplace_back(x.nodes, x.ratio.value_or(0));
  auto to = scale_of(curves);
  std::string result
    = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 760 390' "
      "font-family='DejaVu Sans, Helvetica, Arial, sans-serif' font-size='14' "
      "fill='#222'>\n<style>.grid { stroke: #ccc }</style>\n"
      "<rect width='760' height='390' fill='#fff'/>\n"
      + axes(to);
  std::size_t index = 0;
  for (auto& [kind, points] : curves) {
    std::ranges::sort(points);
    auto* color = colors[index % colors.size()];
    result += draw(points, to, color);
    result += fmt::format(
      "<text x='{}' y='{}' fill='{}'>{}</text>\n", right + 14,
      top + 20 * static_cast<double>(++index), color, kind);
  }
  return result + "</svg>\n";
}

} // namespace bench
