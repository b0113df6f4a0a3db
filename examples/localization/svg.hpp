// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace localization {

/// A point of a picture in pixels, from its upper left corner.
struct pixel {
  double x = 0;
  double y = 0;
};

/// A rectangle of a picture in pixels.
struct pixel_box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// How a line looks.
struct stroke {
  std::string_view colour;
  double width = 1;
  std::string_view dashes = {}; ///< As SVG's `stroke-dasharray`.
};

/// Where a text stands relative to its point.
enum class anchor { start, middle, end };

/// How a text looks.
struct font {
  double size = 13;
  anchor at = anchor::start;
  std::string_view colour = "#3c4043";
  bool bold = false;
  bool upwards = false; ///< Turned by a quarter, to be read from below.
};

/// Collects the elements of an SVG picture with a white background. Elements
/// that come later cover those before.
class svg {
public:
  // -- construction -----------------------------------------------------------

  /// @param title what a screen reader says.
  svg(double width, double height, std::string_view title);

  // -- elements ---------------------------------------------------------------

  void line(pixel from, pixel to, const stroke& pen);

  /// Draws a line through all points, leaving out those that nobody would miss.
  void path(const std::vector<pixel>& points, const stroke& pen);

  void rectangle(const pixel_box& box, const stroke& pen,
                 std::string_view fill = "none");

  void circle(pixel centre, double radius, std::string_view fill);

  /// Draws a filled outline with a thin white edge.
  void polygon(const std::vector<pixel>& corners, std::string_view fill);

  /// Writes a text with a white edge, which keeps it readable on lines.
  void text(pixel at, std::string_view words, const font& letters);

  // -- clipping ---------------------------------------------------------------

  /// What follows until `end_clip` is cut off at the box's border.
  void begin_clip(const pixel_box& box);

  void end_clip();

  // -- result -----------------------------------------------------------------

  /// Returns the finished document.
  std::string document() const;

private:
  std::string body_;
  int clips_ = 0;
};

/// Thins a line out: what is left is nowhere farther than `tolerance` pixels
/// from the whole line. First and last point stay.
std::vector<pixel> simplified(
  const std::vector<pixel>& points, double tolerance);

} // namespace localization
