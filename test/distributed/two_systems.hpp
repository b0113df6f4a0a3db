// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Applications over two processes, which are actor systems of this process that
// share nothing.

#pragma once

#include "support.hpp"

#include "free_port.hpp"
#include "system_as_process.hpp"

#include <caf/actor_system.hpp>
#include <caf/message.hpp>

#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

/// Runs an application over two processes, "left" and "right".
/// @returns their statuses.
inline std::pair<int, int> run_both(
  const std::function<void(rosia::application&)>& build) {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "left", "right", address);
    rosia::application app{sys, opts};
    build(app);
    return app.run();
  };
  auto right = std::async(std::launch::async, run, "right");
  auto left = run("left");
  return {left, right.get()};
}

/// Sends one message.
struct message_source : rosia::node {
  explicit message_source(caf::message x) : content(std::move(x)) {
    // nop
  }

  rosia::output_port<caf::message> out{this, "out"};

  rosia::task start() {
    out(content);
    co_await rosia::after(1us);
    out(caf::make_message(1));
  }

  caf::message content;
};

struct message_sink : rosia::node {
  explicit message_sink(std::vector<std::string>& xs) : texts(xs) {
    // nop
  }

  rosia::input_port<caf::message> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { texts.push_back(to_string(*in)); }};

  std::vector<std::string>& texts;
};
