// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Channels: rule 10.2.1 of the semantics, seen through the harness.

#include "caf/rosia/ports.hpp"

#include "support.hpp"

#include <optional>

namespace ports_test {

using rosia::graph_error;
using rosia::test::harness;

namespace {

/// Writes down which inputs are present.
struct listener : rosia::node {
  explicit listener(std::size_t n) : in{this, "in", n} {
    // nop
  }

  rosia::input_port<int> before{this, "before"};
  rosia::input_ports<int> in;
  rosia::input_port<int> after{this, "after"};
  rosia::output_port<std::string> out{this, "out"};

  std::string present() const {
    std::string result = std::to_string(in.present().size()) + ':';
    for (auto [index, port] : in.present())
      result += ' ' + std::to_string(index) + '=' + std::to_string(*port);
    return result;
  }

  rosia::reaction on_in{this, "on_in", in, [this] { out(present()); }};

  rosia::reaction on_other{
    this, "on_other", {before, after}, [this] {
      if (present() == "0:")
        out("none");
    }};
};

/// Sends each value to the output of that number.
struct router : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_ports<int> out{this, "out", 3};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          out[static_cast<std::size_t>(*in) % out.size()](in);
                        }};
};

struct late_ports : rosia::node {
  std::optional<rosia::input_ports<int>> in;
  std::optional<rosia::reaction> on_in;
};

/// A node with a port that is called like one of a channel.
struct repeated : rosia::node {
  explicit repeated(std::size_t count) : in{this, "in", count} {
    // nop
  }

  rosia::input_ports<int> in;
  rosia::input_port<int> again{this, "in[1]"};
};

/// Declares a reaction before its trigger.
struct reversed : rosia::node {
  reversed() : on_in{this, "on_in", in, [] {}}, in{this, "in", 2} {
    // nop
  }

  rosia::reaction on_in;
  rosia::input_ports<int> in;
};

std::vector<std::string> heard_by(harness<listener>& h) {
  h.run();
  return h.values(&listener::out);
}

} // namespace

TEST_CASE("10.2.1 a channel has ports, which are numbered", "[channels]") {
  harness<listener> h{3u};
  CHECK(h->in.size() == 3);
  CHECK(h->in[2].name() == "in[2]");
  CHECK(h->in[2].index() == 3);
  std::vector<std::string> names;
  for (auto& port : h->in)
    names.push_back(port.name());
  CHECK(names == std::vector<std::string>{"in[0]", "in[1]", "in[2]"});
}

TEST_CASE("2.4 two ports of one name are refused, however many there are",
          "[channels]") {
  for (auto count : {2u, 31u, 32u, 33u, 100'000u}) {
    CAPTURE(count);
    CHECK(
      error_of<graph_error>([count] { harness<repeated> h{count}; })
      == "a node has input 'in[1]' twice; give one of the two another name");
  }
  CHECK(harness<repeated> { 1u } -> in.size() == 1);
}

TEST_CASE("a harness refuses a port that a channel does not have",
          "[channels]") {
  harness<listener> h{2u};
  CHECK_THROWS_WITH(h.set(&listener::in, 2, 1ms, 7),
                    "channel 'in' has no port 'in[2]', but 2 ports");
}

TEST_CASE("a port that a channel does not have is an error of the node",
          "[channels]") {
  struct sender : rosia::node {
    rosia::output_ports<int> out{this, "out", 1};

    void start() {
      out[1](7);
    }
  };
  harness<sender> h;
  h.run();
  REQUIRE(h.error().has_value());
  CHECK(h.error()->text == "channel 'out' has no port 'out[1]', but 1 port");
}

TEST_CASE("10.2.1 present() has the ports with a value, in order",
          "[channels]") {
  harness<listener> h{5u};
  h.set(&listener::in, 4, 1ms, 14);
  h.set(&listener::in, 1, 1ms, 11);
  h.set(&listener::after, 1ms, 7);
  h.set(&listener::in, 4, 2ms, 24);
  h.set(&listener::in, 0, 3ms, 30);
  h.set(&listener::in, 0, 4ms, 40);
  h.set(&listener::before, 5ms, 7);
  h.set(&listener::before, 6ms, 7);
  h.set(&listener::after, 6ms, 7);
  CHECK(heard_by(h)
        == std::vector<std::string>{
          "2: 1=11 4=14", "1: 4=24", "1: 0=30", "1: 0=40", "none", "none"});
}

TEST_CASE("10.2.1 each port of a channel is a port in every respect",
          "[channels]") {
  harness<router> h;
  h.set(&router::in, 1ms, 4);
  h.set(&router::in, 2ms, 2);
  h.set(&router::in, 3ms, 1);
  h.run();
  CHECK(h.outputs(&router::out, 0).empty());
  CHECK(h.outputs(&router::out, 1) == record<int>{{1ms, 4}, {3ms, 1}});
  CHECK(h.outputs(&router::out, 2) == record<int>{{2ms, 2}});
}

TEST_CASE("10.2.1 a reaction to a channel without ports never runs",
          "[channels]") {
  harness<listener> h{0u};
  h.set(&listener::before, 1ms, 7);
  CHECK(heard_by(h) == std::vector<std::string>{"none"});
}

TEST_CASE("10.2.1 channels are declared before their reactions, with names and "
          "sizes",
          "[channels]") {
  CHECK(
    error_of<graph_error>([] { harness<reversed>{}; })
    == "reaction 'on_in' has the input 'in' as a trigger, which comes after "
       "it; declare port 'in' before reaction 'on_in': members are made in "
       "the order of their declaration");
  auto error_with = [](const std::string& name, std::size_t size) {
    return error_of<graph_error>([&] {
      late_ports x;
      x.in.emplace(&x, name, size);
      rosia::input_ports<int> again{&x, "in", 0};
    });
  };
  CHECK(error_with("x.y", 1)
        == "input 'x.y' has a bad name: names are not empty, and have no dots, "
           "because 'node.port' names a port");
  CHECK(error_with("in", 1)
        == "a node has input 'in' twice; give one of the two another name");
  CHECK(error_with("in", 1'000'001)
        == "input 'in' has 1000001 channels; the most is 1000000");
}

} // namespace ports_test
