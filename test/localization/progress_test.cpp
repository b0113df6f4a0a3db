// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/progress.hpp"

#include "catch.hpp"

#include <algorithm>
#include <sstream>

namespace progress_test {

using namespace localization;
using namespace std::chrono_literals;

TEST_CASE("without a terminal, each quarter is a line") {
  std::ostringstream out;
  {
    progress shown{out, false, 1000s};
    for (auto i = 0; i <= 1000; ++i)
      shown.update(std::chrono::seconds{i});
  }
  CHECK(out.str()
        == "replayed 25 % (250 of 1000 s)\nreplayed 50 % (500 of 1000 s)\n"
           "replayed 75 % (750 of 1000 s)\nreplayed 100 % (1000 of 1000 s)\n");
}

TEST_CASE("a replay with large steps skips quarters") {
  std::ostringstream out;
  {
    progress shown{out, false, 10s};
    shown.update(8s);
    shown.update(9s);
  }
  CHECK(out.str() == "replayed 80 % (8 of 10 s)\n");
}

TEST_CASE("on a terminal one line moves, and ends when the replay does") {
  std::ostringstream out;
  {
    progress shown{out, true, 1000s};
    for (auto i = 0; i <= 1000; ++i)
      shown.update(std::chrono::seconds{i});
  }
  const auto text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(std::count(text.begin(), text.end(), '\r') == 101);
  CHECK(text.substr(text.rfind('\r') + 1)
        == "[########################################] 100 %  1000 of 1000 s "
           "\n");
}

TEST_CASE("a log of one row has no length, and is valid") {
  std::ostringstream out;
  progress shown{out, false, 0s};
  shown.update(0s);
  CHECK(out.str().empty());
}

} // namespace progress_test
