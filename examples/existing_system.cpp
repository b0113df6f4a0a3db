// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// An ordinary CAF program with its config and actors also runs a Rosia
// application. They exchange values:
//
//   guest =(schedule)=> oven --> quality --(a message)--> waiter
//     ^                                                      |
//     +----------------------(a message)---------------------+
//
// `guest` and `waiter` are actors without logical time. `oven` and `quality`
// are nodes.

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "caf/rosia/all.hpp"

#include "caf_api.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// -- the nodes ----------------------------------------------------------------

struct oven : rosia::node {
  // Values from outside arrive here. Each gets a tag from the clock.
  rosia::physical_action<std::string> order{this, "order"};
  rosia::output_port<std::string> pizza{this, "pizza"};

  rosia::reaction on_order{
    this, "on_order", {order}, [this]() -> rosia::task {
      auto name = *order;
      if (name.empty()) { // all orders were served
        request_shutdown();
        co_return;
      }
      co_await rosia::after(2ms); // baking
      pizza("pizza " + name);
    }};
};

struct quality : rosia::node {
  rosia::input_port<std::string> input{this, "input"};
  rosia::output_port<std::string> output{this, "output"};

  rosia::reaction on_input{
    this, "on_input", {input}, [this] { output("hot " + *input); }};
};

// -- the actors ---------------------------------------------------------------

// Orders one thing after the other by calling `order`.
class guest : public caf::event_based_actor {
public:
  guest(caf::actor_config& cfg, std::function<void(std::string)> order)
    : caf::event_based_actor(cfg), order_(std::move(order)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& food) {
      if (!food.empty())
        std::printf("guest: thanks for the %s\n", food.c_str());
      if (wishes_.empty()) {
        std::printf("guest: that was all\n");
        order_("");
        quit();
        return;
      }
      auto wish = std::move(wishes_.back());
      wishes_.pop_back();
      std::printf("guest: one %s, please\n", wish.c_str());
      order_(std::move(wish));
    }};
  }

private:
  std::function<void(std::string)> order_;
  std::vector<std::string> wishes_{"funghi", "margherita", "diavolo"};
};

// Receives a tag and a value from the application.
caf::behavior waiter(caf::event_based_actor* self, caf::actor to) {
  return {[=](rosia::logical_time, const std::string& food) {
    std::printf("waiter: here is your %s\n", food.c_str());
    self->send(to, food);
  }};
}

// -- the program --------------------------------------------------------------

// The program's own config, which may add options, modules and types.
struct program_config : caf::actor_system_config {
  program_config() {
    // With CAF's default, idle workers poll. That delays timers and values from
    // outside.
    rosia::set_scheduler_defaults(*this);
  }
};

int serve(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  // The program, not the application, handles signals.
  options.signals = rosia::signal_behavior::none;
  rosia::application app{sys, options};
  auto bake = app.create<oven>("oven");
  auto check = app.create<quality>("quality");
  bake[&oven::pizza] >>= check[&quality::input];
  // Input: from any thread or actor, while `app` exists.
  auto hungry = sys.spawn<guest>([bake](std::string pizza) {
    if (!bake->order.schedule(std::move(pizza)))
      std::printf("guest: the oven is closed\n");
  });
  // Output: an actor is connected like an input port.
  auto serving = sys.spawn(waiter, hungry);
  app.connect(check[&quality::output], serving);
  caf::anon_send(hungry, std::string{});
  auto status = app.run();
  // The waiter waits forever, so it is asked to exit. So is the guest: it quits
  // by itself, but may still order if the run has only drawn a diagram, and the
  // application has to outlive it.
  caf::anon_send_exit(serving, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(hungry, caf::exit_reason::user_shutdown);
  caf::scoped_actor self{sys};
  self->wait_for(hungry);
  return status;
}

} // namespace

int main(int argc, char** argv) {
  program_config config;
  if (auto error = config.parse(argc, argv)) {
    std::fprintf(stderr, "%s\n", caf::to_string(error).c_str());
    return 2;
  }
  if (examples::help_was_printed(config))
    return 0;
  auto status = 0;
  {
    // Its destructor waits for all actors.
    caf::actor_system sys{config};
    status = serve(sys);
  }
  std::printf("closed\n");
  return status;
}
