// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Parameters of nodes that the option `set` sets.

#include "support.hpp"

#include "caf/rosia/report.hpp"
#include "config/parameter_settings.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace parameters_test {

namespace {

using settings = std::vector<std::string>;

struct filter : rosia::node {
  explicit filter(double initial = 1) : gain{this, "gain", initial} {
    // nop
  }

  rosia::parameter<double> gain;
  rosia::parameter<int> order{this, "order", 2};
};

struct plain : rosia::node {};

/// Takes a report at the start.
struct asker : rosia::node {
  explicit asker(rosia::application& x) : app{&x} {
    // nop
  }

  void start() {
    report = app->status();
  }

  rosia::application* app;
  rosia::application_report report;
};

struct leg : rosia::composite {
  rosia::part<filter> front{this, "front"};
};

/// An application with a bank and two other nodes.
struct fixture {
  explicit fixture(settings set) : app{sys, with(std::move(set))} {
    // nop
  }

  static rosia::options with(settings set) {
    auto result = fast();
    result.set = std::move(set);
    return result;
  }

  /// Returns the gains of the bank and of the other node.
  std::vector<double> gains() const {
    std::vector<double> result;
    for (auto& node : bank)
      result.push_back(node->gain);
    result.push_back(single->gain);
    return result;
  }

  test_system sys;
  rosia::application app;
  rosia::bank_ref<filter> bank = app.create_bank<filter>("w", 3);
  rosia::node_ref<filter> single = app.create<filter>("filter", 5.0);
  rosia::node_ref<plain> other = app.create<plain>("plain");
};

std::string problem(const std::string& setting) {
  try {
    fixture x{{setting}};
    x.app.run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "none";
}

} // namespace

TEST_CASE("options set parameters of nodes and of banks", "[parameter]") {
  CHECK(fixture{{}}.gains() == std::vector<double>{1, 1, 1, 5});
  CHECK(
    fixture{{"filter.gain=2.5"}}.gains() == std::vector<double>{1, 1, 1, 2.5});
  CHECK(fixture{{"w[1].gain=3"}}.gains() == std::vector<double>{1, 3, 1, 5});
  CHECK(fixture{{"w[*].gain=4"}}.gains() == std::vector<double>{4, 4, 4, 5});
  // The last value counts.
  CHECK(fixture{{"*.gain=4", "w[2].gain=6"}}.gains()
        == std::vector<double>{4, 4, 6, 4});
  CHECK(fixture{{"w[2].gain=6", "*.gain=4"}}.gains()
        == std::vector<double>{4, 4, 4, 4});
  fixture x{{"w[*].order=7"}};
  CHECK(*x.bank[2]->order == 7);
  CHECK(*x.single->order == 2);
  CHECK(x.app.run() == 0);
}

TEST_CASE("unknown parameters are refused, and the closest one named",
          "[parameter]") {
  CHECK(problem("w[*].gain=1") == "none");
  CHECK(problem("filtr.gain=1")
        == "rosia.set: 'filtr.gain=1': there is no node 'filtr'; did you mean "
           "'filter'?");
  CHECK(problem("v[*].gain=1")
        == "rosia.set: 'v[*].gain=1': there is no node 'v[*]'; did you mean "
           "'w[*]'?");
  CHECK(problem("filter.gian=1")
        == "rosia.set: 'filter.gian=1': node 'filter' has no parameter "
           "'gian'; did you mean 'gain'?");
  CHECK_THAT(problem("plain.gain=1"),
             ContainsSubstring("node 'plain' has no parameter 'gain'"));
  CHECK(problem("filter.order=x")
        == "node 'filter': rosia.set: 'x' is no value of parameter 'order', "
           "which is a whole number from -2147483648 to 2147483647");
  CHECK_THAT(problem("gain=1"), ContainsSubstring("rosia.set: "));
}

TEST_CASE("a composite has no parameters; those of its parts are named",
          "[parameter]") {
  auto problem_with = [](const std::string& setting) {
    test_system sys;
    auto opts = fast();
    opts.set = {setting};
    rosia::application app{sys, opts};
    app.create_bank<leg>("leg", 2);
    app.create<filter>("let");
    try {
      app.run();
    } catch (const std::exception& e) {
      return std::string{e.what()};
    }
    return std::string{"none"};
  };
  auto message = [](const std::string& setting, const char* composite,
                    const char* parameters) {
    return "rosia.set: '" + setting + "': '" + composite
           + "' is a composite; set the parameters of its parts; there "
             "is "
           + parameters;
  };
  CHECK(problem_with("leg[0].gain=1")
        == message("leg[0].gain=1", "leg[0]", "'leg[0].front.gain'"));
  CHECK(problem_with("leg[*].gain=1")
        == message("leg[*].gain=1", "leg[*]", "'leg[*].front.gain'"));
  CHECK(problem_with("leg[0].gian=1")
        == message("leg[0].gian=1", "leg[0]",
                   "'leg[0].front.gain' and 'leg[0].front.order'"));
  CHECK(problem_with("leg[0].front.gain=1") == "none");
}

TEST_CASE("parameters are listed in the form in which they are set",
          "[parameter]") {
  fixture x{{}};
  CHECK(
    rosia::detail::describe_parameters(x.app.diagram().nodes)
    == "Parameters of nodes, with their values in the code:\n"
       "  --set=w[*].gain=1     a number\n"
       "  --set=w[*].order=2    a whole number from -2147483648 to "
       "2147483647\n"
       "  --set=filter.gain=5   a number\n"
       "  --set=filter.order=2  a whole number from -2147483648 to "
       "2147483647\n");
  CHECK(fixture{{"help"}}.app.run() == 0);
  CHECK_THAT(problem("help "), ContainsSubstring("rosia.set: "));
}

TEST_CASE("reports have the parameters", "[parameter]") {
  fixture x{{"filter.gain=2.5"}};
  auto asks = x.app.create<asker>("asker", x.app);
  CHECK(x.app.run() == 0);
  auto& report = asks->report;
  REQUIRE(report.nodes.size() == 6);
  auto& parameters = report.nodes[3].parameters;
  REQUIRE(parameters.size() == 2);
  CHECK(parameters[0].name == "gain");
  CHECK(parameters[0].value == "2.5");
  CHECK(parameters[0].initial == "5");
  // The text has what was set.
  rosia::node_report running;
  running.stage = rosia::node_stage::running;
  running.parameters = parameters;
  CHECK_THAT(to_string(running), ContainsSubstring("gain is 2.5"));
  CHECK_THAT(to_string(running), !ContainsSubstring("order"));
  CHECK_THAT(to_json(report), ContainsSubstring(R"("gain": "2.5")"));
}

} // namespace parameters_test
