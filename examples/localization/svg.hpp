// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace localization {

/// A point of a picture in pixels from its upper left corner.
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

/// The style of a line.
struct stroke {
  std::string_view colour;
  double width = 1;
  std::string_view dashes = {}; ///< As SVG's `stroke-dasharray`.
};

/// The position of a text relative to its point.
enum class anchor { start, middle, end };

/// The style of a text.
struct font {
  double size = 13;
  anchor at = anchor::start;
  std::string_view colour = "#3c4043";
  bool bold = false;
  bool upwards = false; ///< Turned by a quarter, to be read from below.
};

/// Collects the elements of an SVG picture with a white background. Later
/// elements cover earlier ones.
class svg {
public:
  // -- construction -----------------------------------------------------------

  /// @param title the description for screen readers.
  svg(double width, double height, std::string_view title);

  // -- elements ---------------------------------------------------------------

  void line(pixel from, pixel to, const stroke& pen);

  /// Draws a line through all points, without those that make no visible
  /// difference.
  void path(const std::vector<pixel>& points, const stroke& pen);

  void rectangle(const pixel_box& box, const stroke& pen,
                 std::string_view fill = "none");

  void circle(pixel centre, double radius, std::string_view fill);

  /// Draws a filled outline with a thin white edge.
  void polygon(const std::vector<pixel>& corners, std::string_view fill);

  /// Writes a text with a white edge, so that it is readable on lines.
  void text(pixel at, std::string_view words, const font& letters);

  // -- clipping ---------------------------------------------------------------

  /// Clips the following elements at the box's border, until `end_clip`.
  void begin_clip(const pixel_box& box);

  void end_clip();

  // -- result -----------------------------------------------------------------

  /// Returns the finished document.
  std::string document() const;

private:
  std::string body_;
  int clips_ = 0;
};

/// Simplifies a line: the result differs from the original by at most
/// `tolerance` pixels. It contains the first and the last point.
std::vector<pixel> simplified(
  const std::vector<pixel>& points, double tolerance);

} // namespace localization
