// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/control.hpp"

#include "base/text.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

std::int64_t number(const std::string& text) {
  std::int64_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

descriptor listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::system_error(
      ENAMETOOLONG, std::generic_category(), "the socket " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  descriptor result{checked(
    ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
    "cannot open a socket")};
  checked(
    ::bind(result.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
    "cannot make the socket " + path);
  checked(::listen(result.get(), 64), "cannot listen at " + path);
  return result;
}

} // namespace

control::control(event_loop& loop, std::string path, events on)
  : loop_{&loop}, path_{std::move(path)}, on_{std::move(on)},
    listener_{listen_at(path_)} {
  loop_->read(listener_.get(), [this] { accept(); });
}

control::~control() {
  loop_->forget(listener_.get());
  for (peer i = 0; i < peers_.size(); ++i)
    close(i);
  ::unlink(path_.c_str());
}

void control::send(peer client, const std::string& line) {
  auto& x = peers_[client];
  auto text = line + '\n';
  // A few lines fit into the socket's buffer, and the process reads them.
  if (x.open
      && ::send(x.socket.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0)
    close(client);
}

void control::accept() {
  descriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (!socket)
    return;
  auto client = peers_.size();
  loop_->read(socket.get(), [this, client] { read(client); });
  peers_.push_back({std::move(socket), {}});
}

void control::read(peer client) {
  char block[4096];
  auto count
    = ::recv(peers_[client].socket.get(), block, sizeof block, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count <= 0) {
    close(client);
    return;
  }
  auto& input = peers_[client].input;
  input.append(block, static_cast<std::size_t>(count));
  for (;;) {
    auto end = input.find('\n');
    if (end == std::string::npos)
      return;
    auto line = input.substr(0, end);
    input.erase(0, end + 1);
    handle(client, line);
  }
}

void control::handle(peer client, const std::string& line) {
  auto x = caf::rosia::detail::split(line, '\t');
  if (x[0] == "hello" && x.size() == 3) {
    for (auto& y : on_.hello(client, x[1], static_cast<pid_t>(number(x[2]))))
      send(client, y);
    send(client, "ready");
  } else if (x[0] == "nodes") {
    on_.nodes(client, {x.begin() + 1, x.end()});
  } else if (x[0] == "started" && x.size() == 2) {
    on_.started(client, number(x[1]));
  } else if (x[0] == "step" && x.size() == 8) {
    on_.step(client, {x[3], x[4], number(x[5]), number(x[6]), number(x[7])});
    if (x[2] == "waits")
      send(client, "go\t" + x[1]);
  }
}

void control::close(peer client) {
  auto& x = peers_[client];
  if (!x.open)
    return;
  x.open = false;
  loop_->forget(x.socket.get());
  x.socket.close();
}

} // namespace rosia_drill
