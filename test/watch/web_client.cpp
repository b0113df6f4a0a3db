// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "web_client.hpp"

#include <stdexcept>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>

namespace test {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

using asio::ip::tcp;

struct address {
  bool protects;
  std::string host; // as in the header Host
  tcp::endpoint where;
};

address parse(const std::string& url) {
  auto begin = url.find("//") + 2;
  auto end = url.find('/', begin);
  auto host = url.substr(begin, end - begin);
  auto port
    = static_cast<std::uint16_t>(std::stoi(host.substr(host.rfind(':') + 1)));
  return {url.starts_with("https"),
          host,
          {asio::ip::make_address("127.0.0.1"), port}};
}

template <class Stream>
web_answer talk(Stream& stream, const http::request<http::empty_body>& x) {
  http::write(stream, x);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.skip(x.method() == http::verb::head);
  http::read(stream, buffer, parser);
  web_answer result{static_cast<int>(parser.get().result_int())};
  for (auto& field : parser.get())
    result.headers[std::string{field.name_string()}]
      = std::string{field.value()};
  result.body = parser.get().body();
  return result;
}

void set_headers(http::request<http::empty_body>& to, const headers& more) {
  for (auto& [name, value] : more)
    to.set(name, value);
}

} // namespace

web_answer request(const std::string& url, const std::string& path,
                   const headers& more, const std::string& method) {
  auto to = parse(url);
  http::request<http::empty_body> x{http::string_to_verb(method), path, 11};
  x.set(http::field::host, to.host);
  set_headers(x, more);
  x.prepare_payload();
  asio::io_context io;
  if (!to.protects) {
    tcp::socket socket{io};
    socket.connect(to.where);
    return talk(socket, x);
  }
  asio::ssl::context tls{asio::ssl::context::tls_client};
  beast::ssl_stream<tcp::socket> stream{io, tls};
  beast::get_lowest_layer(stream).connect(to.where);
  stream.handshake(asio::ssl::stream_base::client);
  return talk(stream, x);
}

struct viewer::state {
  asio::io_context io;
  beast::websocket::stream<tcp::socket> stream{io};
};

viewer::viewer(const std::string& url, const headers& more)
  : state_(std::make_unique<state>()) {
  auto to = parse(url);
  auto& stream = state_->stream;
  stream.next_layer().connect(to.where);
  stream.set_option(beast::websocket::stream_base::decorator(
    [&](beast::websocket::request_type& x) {
      for (auto& [name, value] : more)
        x.set(name, value);
    }));
  auto host = more.contains("Host") ? more.at("Host") : to.host;
  stream.handshake(host, "/live");
}

viewer::viewer(viewer&&) noexcept = default;

viewer::~viewer() {
  // nop
}

std::string viewer::next() {
  beast::flat_buffer buffer;
  beast::error_code error;
  state_->stream.read(buffer, error);
  return error ? std::string{} : beast::buffers_to_string(buffer.data());
}

struct raw_connection::state {
  asio::io_context io;
  tcp::socket socket{io};
};

raw_connection::raw_connection(const std::string& url)
  : state_(std::make_unique<state>()) {
  state_->socket.connect(parse(url).where);
}

raw_connection::raw_connection(raw_connection&&) noexcept = default;

raw_connection::~raw_connection() {
  // nop
}

void raw_connection::send(const std::string& bytes) {
  beast::error_code ignored;
  asio::write(state_->socket, asio::buffer(bytes), ignored);
}

std::string raw_connection::read_all() {
  std::string result;
  beast::error_code ignored;
  asio::read(state_->socket, asio::dynamic_buffer(result), ignored);
  return result;
}

} // namespace test
