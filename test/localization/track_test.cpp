// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/track.hpp"

#include "catch.hpp"

#include <sstream>

namespace track_test {

using namespace localization;
using namespace std::chrono_literals;

TEST_CASE("a track's row has as many fields as the header") {
  std::ostringstream header;
  write_csv_header(header);
  CHECK(header.str()
        == "time_s,x_m,y_m,heading_rad,sigma_m,dead_reckoning_x_m,"
           "dead_reckoning_y_m,dead_reckoning_heading_rad\n");
  std::ostringstream row;
  write_csv_row(row, {3857053202us, {1, -2.5, 0.125}, 0.5, {-1e-9, 3, 4}});
  CHECK(row.str()
        == "3857.053202,1.000000,-2.500000,0.125000,0.500000,0.000000,"
           "3.000000,4.000000\n");
}

} // namespace track_test
