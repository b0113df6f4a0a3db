// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/process_network.hpp"

#include "caf/rosia/detail/sending.hpp"
#include "compat/actor_calls.hpp"
#include "compat/caf_options.hpp"
#include "compat/io/frame_guard.hpp"
#include "compat/io/process_connection.hpp"
#include "compat/io/process_listener.hpp"
#include "compat/io/protocol_names.hpp"
#include "network/introduction.hpp"
#include "network/sockets.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/make_counted.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/type_id.hpp>

#include <algorithm>
#include <future>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/resource.h>

namespace caf::rosia::detail {

namespace {

using clock = std::chrono::steady_clock;

/// Maximum time to send everything left at the end.
constexpr std::chrono::nanoseconds last_patience = std::chrono::seconds{5};

/// Number of connections without authentication that are accepted in addition
/// to the application's processes.
constexpr std::size_t most_strangers = 64;

/// These connections may use at most this fraction of the process's
/// descriptors.
constexpr std::size_t part_for_strangers = 4;

std::size_t limit_of_strangers(std::size_t processes) {
  auto result = most_strangers + processes;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
    result = std::min<std::size_t>(result, files.rlim_cur / part_for_strangers);
  return std::max<std::size_t>(result, 1);
}

caf::io::network::default_multiplexer& loop_of(caf::actor_system& sys) {
  auto* result = dynamic_cast<caf::io::network::default_multiplexer*>(
    &sys.middleman().backend());
  if (result == nullptr)
    throw std::runtime_error(
      "the middleman has a multiplexer that is neither CAF's own nor derived "
      "from it: load it with Rosia's "
      "(caf::rosia::load_multiplexer(cfg))");
  return *result;
}

std::uint16_t port_of(int socket) {
  auto result = caf::io::network::local_port_of_fd(socket);
  return result ? *result : std::uint16_t{0};
}

} // namespace

process_network::process_network(caf::actor_system& sys, settings init)
  : system_(sys), loop_(loop_of(sys)),
    broker_(sys.middleman().named_broker<caf::io::basp_broker>(broker_name)),
    frames_(std::make_shared<frame_rules>(sys, init.max_message)),
    terms_(std::make_shared<connection_terms>()) {
  terms_->token = std::move(init.token);
  terms_->refused = std::make_shared<refusals>(std::move(init.log));
  terms_->make_guard = make_frame_guards(frames_);
  terms_->frames = std::move(init.frames);
  if (init.tls) {
    check(*init.tls);
    terms_->tls = make_tls_context(*init.tls);
  }
  terms_->patience = init.patience;
  terms_->most_strangers = limit_of_strangers(init.processes);
  terms_->links = std::make_shared<process_links>();
}

process_network::~process_network() {
  auto deadline = clock::now() + std::min(terms_->patience, last_patience);
  await_broker(deadline);
  auto all = terms_->links->all();
  auto handled = std::make_shared<std::promise<void>>();
  loop_.post([all, handled] {
    for (auto& x : all)
      x->end_output();
    handled->set_value();
  });
  auto all_end
    = handled->get_future().wait_until(deadline) == std::future_status::ready;
  for (auto& x : all)
    if (!all_end || !x->wait_for_output(deadline))
      x->hang_up();
}

std::uint16_t process_network::open(
  const caf::strong_actor_ptr& actor, const std::string& host,
  std::uint16_t port) {
  auto socket = listen_at(host, port);
  auto result = port_of(socket.get());
  publish(std::move(socket), actor, result);
  return result;
}

std::string process_network::open_locally(const caf::strong_actor_ptr& actor) {
  auto [socket, name] = listen_locally();
  publish(std::move(socket), actor, 0);
  return name;
}

void process_network::publish(
  descriptor socket, const caf::strong_actor_ptr& actor, std::uint16_t port) {
  frames_->actor(actor->id());
  caf::io::doorman_ptr listener
    = caf::make_counted<process_listener>(loop_, std::move(socket), terms_);
  port_ = port;
  send_anonymously(broker_, caf::publish_atom_v, std::move(listener), port,
                   actor, std::set<std::string>{});
}

void process_network::close(const caf::strong_actor_ptr& actor) {
  if (auto port = std::exchange(port_, std::nullopt))
    send_anonymously(broker_, caf::unpublish_atom_v, actor->address(), *port);
}

process_network::attempt process_network::connect(
  const std::string& host, std::uint16_t port, clock::time_point deadline) {
  attempt result;
  dial_problem none;
  auto socket = dial(host, port, deadline, none);
  if (!socket) {
    result.problem = std::move(none.text);
    result.refused = none.refused;
    return result;
  }
  result.answered = true;
  introduction x{terms_->make_channel(socket.get(), false),
                 admission::side::connects, terms_->token};
  if (!x.finish(deadline)) {
    result.problem = x.problem().empty() ? "it does not answer" : x.problem();
    result.other_token = x.other_token();
    return result;
  }
  auto connection
    = caf::make_counted<process_connection>(loop_, *terms_, std::move(x.way()));
  socket.release();
  auto link = connection->link();
  caf::scoped_actor self{system_};
  request(*self, broker_, std::max(deadline - clock::now(), clock::duration{1}),
          caf::connect_atom_v, caf::io::scribe_ptr{std::move(connection)}, port)
    .receive(
      [&](const caf::node_id&, caf::strong_actor_ptr& found,
          const std::set<std::string>&) {
        if (found)
          result.actor = std::move(found);
        else
          result.problem = "there is nothing of this kind";
      },
      [&](const caf::error& e) { result.problem = text_of(e); });
  if (!result.actor)
    link->hang_up();
  return result;
}

process_link_ptr process_network::link_to(const caf::node_id& process) {
  return terms_->links->find(process);
}

void process_network::await_broker(clock::time_point deadline) {
  caf::scoped_actor self{system_};
  request(*self, broker_, std::max(deadline - clock::now(), clock::duration{1}),
          caf::get_atom_v, caf::node_id{})
    .receive(
      [](const caf::node_id&, const std::string&, std::uint16_t) {
        // It handled all earlier messages.
      },
      [](const caf::error&) {
        // It exited, or is busy.
      });
}

} // namespace caf::rosia::detail
