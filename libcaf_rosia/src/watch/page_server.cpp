// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/page_server.hpp"

#include "network/sockets.hpp"
#include "watch/page_files.hpp"
#include "watch/request_guard.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>

#include <sys/socket.h>

namespace caf::rosia::detail {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

using boost::system::error_code;
using tcp = asio::ip::tcp;
using shared_text = std::shared_ptr<const std::string>;
using executor = asio::io_context::executor_type;
using tcp_stream = beast::basic_stream<tcp, executor>;
using tls_stream = beast::ssl_stream<tcp_stream>;
using http_request = http::request<http::string_body>;
using http_response = http::response<http::string_body>;

/// The time limit of a client for a request, for its handshake, and for reading
/// an answer. Also the maximal idle time of a connection.
constexpr std::chrono::seconds client_patience{10};

/// Viewers must answer a ping within this time.
constexpr std::chrono::seconds patience_with_viewer{20};

/// The pause before the next connection if the system has no descriptors.
constexpr std::chrono::milliseconds pause_without_descriptors{100};

/// The maximal time until the thread checks by itself for its end: the program
/// may have closed the descriptor that wakes it.
constexpr std::chrono::seconds longest_wait{1};

/// The maximal size of the body of a request, and of a viewer's message.
constexpr std::size_t max_body = 1024;

/// The maximal number of pending handlers that the end runs.
constexpr std::size_t steps_at_end = 10'000;

constexpr const char* security_policy
  = "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

// -- streams ------------------------------------------------------------------

/// The handler of an operation. Hides the type, so that the operations of Asio
/// and Beast are compiled once, with short names. Otherwise this file would
/// take a minute to compile.
class completion {
public:
  template <class Handler>
    requires(!std::is_same_v<std::decay_t<Handler>, completion>)
  explicit completion(Handler&& handler)
    : handler_(std::make_unique<holder<std::decay_t<Handler>>>(
      std::forward<Handler>(handler))) {
    // nop
  }

  void operator()(error_code error, std::size_t size = 0) {
    std::exchange(handler_, nullptr)->run(error, size);
  }

private:
  struct base {
    virtual ~base() = default;

    virtual void run(error_code error, std::size_t size) = 0;
  };

  template <class Handler>
  struct holder final : base {
    template <class T>
    explicit holder(T&& x) : handler(std::forward<T>(x)) {
      // nop
    }

    void run(error_code error, std::size_t size) override {
      if constexpr (std::is_invocable_v<Handler&, error_code, std::size_t>)
        handler(error, size);
      else
        handler(error);
    }

    Handler handler;
  };

  std::unique_ptr<base> handler_;
};

/// Transports bytes, with TLS or without.
class transport {
public:
  virtual ~transport() = default;

  virtual tcp_stream& socket() noexcept = 0;

  virtual void open(completion done) = 0;

  virtual void read(asio::mutable_buffer to, completion done) = 0;

  virtual void write(std::vector<asio::const_buffer> from, completion done) = 0;

  virtual void close(beast::role_type role, completion done) = 0;
};

/// @tparam Stream a stream with TLS or without.
template <class Stream>
class stream_transport final : public transport {
public:
  template <class... Ts>
  explicit stream_transport(Ts&&... xs) : stream_(std::forward<Ts>(xs)...) {
    // nop
  }

  tcp_stream& socket() noexcept override {
    return beast::get_lowest_layer(stream_);
  }

  void open(completion done) override {
    if constexpr (std::is_same_v<Stream, tls_stream>)
      stream_.async_handshake(asio::ssl::stream_base::server, std::move(done));
    else
      done({});
  }

  void read(asio::mutable_buffer to, completion done) override {
    stream_.async_read_some(to, std::move(done));
  }

  void write(std::vector<asio::const_buffer> from, completion done) override {
    stream_.async_write_some(std::move(from), std::move(done));
  }

  void close(beast::role_type role, completion done) override {
    using websocket::async_teardown;
    async_teardown(role, stream_, std::move(done));
  }

private:
  Stream stream_;
};

/// Adapts a transport to Beast's requirements.
class any_stream {
public:
  using executor_type = executor;

  explicit any_stream(std::unique_ptr<transport> x) : transport_(std::move(x)) {
    // nop
  }

  executor get_executor() noexcept {
    return socket().get_executor();
  }

  tcp_stream& socket() noexcept {
    return transport_->socket();
  }

  template <class Handler>
  void async_open(Handler&& done) {
    transport_->open(completion{std::forward<Handler>(done)});
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& done) {
    asio::mutable_buffer to;
    for (auto i = asio::buffer_sequence_begin(buffers);
         to.size() == 0 && i != asio::buffer_sequence_end(buffers); ++i)
      to = *i;
    transport_->read(to, completion{std::forward<Handler>(done)});
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& done) {
    std::vector<asio::const_buffer> from(
      asio::buffer_sequence_begin(buffers), asio::buffer_sequence_end(buffers));
    transport_->write(std::move(from), completion{std::forward<Handler>(done)});
  }

  template <class Handler>
  friend void async_teardown(
    beast::role_type role, any_stream& x, Handler&& done) {
    x.transport_->close(role, completion{std::forward<Handler>(done)});
  }

  friend void beast_close_socket(any_stream& x) {
    x.socket().close();
  }

private:
  std::unique_ptr<transport> transport_;
};

// -- common parts of connections ----------------------------------------------

/// A connection, from the server's view.
class session {
public:
  virtual ~session() = default;

  virtual bool is_viewer() const noexcept = 0;

  virtual bool is_open() const noexcept = 0;

  /// Sends text to a viewer that has read the previous one.
  virtual void push(const shared_text& text) = 0;

  /// Sends a last text to a viewer, and closes the connection.
  virtual void finish(const shared_text& last) = 0;

  /// Closes the connection at once.
  virtual void drop() = 0;
};

/// The server's state that connections use. For its thread.
struct server_state {
  server_state(const page_config& x, page_content& y)
    : config(x), content(&y), guard(x.token, x.protects()) {
    // nop
  }

  /// Makes room for another connection. Does not count closed connections,
  /// which only wait to discard an answer.
  void make_room() {
    auto open = std::count_if(sessions.begin(), sessions.end(), [](auto* x) {
      return x->is_open();
    });
    if (open < static_cast<std::ptrdiff_t>(page_server::max_connections))
      return;
    auto goes = [](bool watches) {
      return [watches](auto* x) {
        return x->is_open() && x->is_viewer() == watches;
      };
    };
    auto i = std::find_if(sessions.begin(), sessions.end(), goes(false));
    if (i == sessions.end())
      i = std::find_if(sessions.begin(), sessions.end(), goes(true));
    (*i)->drop();
  }

  void add_viewer(std::ptrdiff_t change) {
    viewers
      = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(viewers) + change);
    if (!is_ending)
      content->viewers(viewers);
  }

  page_config config;
  page_content* content;
  request_guard guard;
  std::list<session*> sessions; // in the order of their arrival
  std::size_t viewers = 0;
  bool is_ending = false;
};

// -- answers ------------------------------------------------------------------

std::string_view to_view(beast::string_view x) {
  return {x.data(), x.size()};
}

request_guard::credentials credentials_of(
  const http_request& x, const std::string& token) {
  auto header = [&](beast::string_view name) { return to_view(x[name]); };
  return {header("Host"),          header("Origin"), header("Sec-Fetch-Site"),
          header("Authorization"), header("Cookie"), token};
}

http_response make_answer(http::status status, std::string_view type,
                          std::string body) {
  http_response result{status, 11};
  result.set(http::field::content_type, std::string{type});
  result.set(http::field::cache_control, "no-store");
  result.set("Content-Security-Policy", security_policy);
  result.set("Cross-Origin-Resource-Policy", "same-origin");
  result.set("Referrer-Policy", "no-referrer");
  result.set("X-Content-Type-Options", "nosniff");
  result.body() = std::move(body);
  return result;
}

http_response make_refusal(http::status status, std::string problem) {
  return make_answer(
    status, "text/plain; charset=utf-8", std::move(problem) + '\n');
}

/// Returns a file of the page; none if there is no such file.
std::optional<http_response> find_file(std::string_view path) {
  auto file = [](std::string_view type, std::string_view text) {
    return make_answer(http::status::ok, type, std::string{text});
  };
  if (path == "/")
    return file("text/html; charset=utf-8", page_html());
  if (path == "/page.css")
    return file("text/css; charset=utf-8", page_style());
  if (path == "/page.js")
    return file("text/javascript; charset=utf-8", page_script());
  return std::nullopt;
}

constexpr std::string_view json_type = "application/json";

/// A document that is generated on request.
struct made_document {
  std::string_view path;
  page_content::document kind;
  std::string_view type;
};

constexpr made_document documents[] = {
  {"/graph.json", page_content::document::graph, json_type},
  {"/state.json", page_content::document::state, json_type},
  {"/log.json", page_content::document::log, json_type},
  {"/metrics", page_content::document::metrics,
   "text/plain; version=0.0.4; charset=utf-8"},
};

struct offered_action {
  std::string_view path;
  page_content::action kind;
};

constexpr offered_action actions[] = {
  {"/control/end", page_content::action::request_end},
  {"/control/report", page_content::action::give_report},
};

template <class Table>
auto* find_path(const Table& table, std::string_view path) {
  auto i = std::find_if(std::begin(table), std::end(table), [&](auto& x) {
    return x.path == path;
  });
  return i == std::end(table) ? nullptr : &*i;
}

std::string_view path_of(const http_request& x) {
  auto target = to_view(x.target());
  return target.substr(0, target.find('?'));
}

// -- a connection -------------------------------------------------------------

class connection final
  : public session,
    public std::enable_shared_from_this<connection> {
public:
  connection(std::shared_ptr<server_state> server,
             std::unique_ptr<transport> stream)
    : server_(std::move(server)), stream_(std::move(stream)) {
    position_ = server_->sessions.insert(server_->sessions.end(), this);
  }

  /// Returns a handler that keeps this alive.
  template <class Fun>
  auto bound(Fun fun) {
    return
      [ self = shared_from_this(), fun ](auto... xs) requires std::invocable<
        const Fun&, connection&, decltype(xs)...> {
      fun(*self, xs...);
    };
  }

  ~connection() override {
    server_->sessions.erase(position_);
    if (watches_)
      server_->add_viewer(-1);
  }

  void start() {
    socket().expires_after(client_patience);
    stream_.async_open(bound([](auto& self, error_code error) {
      if (!error)
        self.read();
    }));
  }

  bool is_viewer() const noexcept override {
    return watches_;
  }

  bool is_open() const noexcept override {
    return !dropped_;
  }

  void push(const shared_text& text) override {
    if (!watches_ || sent_)
      return;
    sent_ = text;
    watching_->async_write(
      asio::buffer(*text), bound([](auto& self, error_code error, std::size_t) {
        self.sent_ = nullptr;
        if (error)
          self.drop();
        else if (self.server_->is_ending)
          self.close_orderly();
      }));
  }

  void finish(const shared_text& last) override {
    if (watches_ && !sent_)
      push(last);
    else
      drop();
  }

  void drop() override {
    dropped_ = true;
    auto& x = socket();
    error_code ignored;
    x.socket().close(ignored);
  }

private:
  tcp_stream& socket() {
    return watching_ ? watching_->next_layer().socket() : stream_.socket();
  }

  // -- requests ---------------------------------------------------------------

  void read() {
    if (server_->is_ending)
      return;
    parser_.emplace();
    parser_->header_limit(page_server::max_head);
    parser_->body_limit(max_body);
    socket().expires_after(client_patience);
    http::async_read(
      stream_, buffer_, *parser_,
      bound([](auto& self, error_code error, std::size_t) {
        self.take(error);
      }));
  }

  void take(error_code error) {
    if (error == http::error::header_limit || error == http::error::body_limit)
      return answer(
        make_refusal(
          error == http::error::header_limit
            ? http::status::request_header_fields_too_large
            : http::status::payload_too_large,
          "the request is too large"),
        true);
    if (error
        && error.category()
             == http::make_error_code(http::error::bad_method).category()
        && error != http::error::end_of_stream
        && error != http::error::partial_message)
      return answer(
        make_refusal(http::status::bad_request, "this is no request"), true);
    if (error)
      return;
    handle(parser_->release());
  }

  void handle(http_request request) {
    head_only_ = request.method() == http::verb::head;
    keeps_ = request.keep_alive();
    version_ = request.version();
    auto path = path_of(request);
    auto changes
      = request.method() == http::verb::post || websocket::is_upgrade(request);
    auto token = query_parameter(to_view(request.target()), "token");
    auto credentials = credentials_of(request, token);
    switch (server_->guard.check(credentials, changes)) {
      case request_guard::verdict::foreign:
        return answer(make_refusal(
          http::status::forbidden,
          "this page is for its own address only: use the one that the log "
          "says, or localhost"));
      case request_guard::verdict::unknown: {
        auto result = make_refusal(
          http::status::unauthorized,
          "a token is needed: open /?token=TOKEN, or send it as "
          "'Authorization: "
          "Bearer TOKEN' (rosia.watch.token_file)");
        result.set(http::field::www_authenticate, "Bearer");
        return answer(std::move(result));
      }
      default:
        break;
    }
    if (path == "/live")
      return watch(std::move(request));
    if (request.method() == http::verb::post)
      return control(path);
    if (request.method() != http::verb::get && !head_only_)
      return answer(make_refusal(
        http::status::method_not_allowed, "there is GET, HEAD and POST"));
    if (path == "/" && server_->guard.shows_token(credentials))
      return answer(redirect());
    look(path);
  }

  http_response redirect() {
    auto result = make_refusal(http::status::see_other, "see /");
    result.set(http::field::location, "/");
    result.set(http::field::set_cookie, server_->guard.cookie());
    return result;
  }

  void look(std::string_view path) {
    if (auto file = find_file(path))
      return answer(std::move(*file));
    auto* document = find_path(documents, path);
    if (document == nullptr)
      return answer(
        make_refusal(http::status::not_found, "there is no such page"));
    socket().expires_never();
    server_->content->request(
      document->kind, [self = shared_from_this(),
                       type = document->type](std::string text) mutable {
        auto on_thread = self->stream_.get_executor();
        asio::post(
          on_thread,
          [self = std::move(self), type, text = std::move(text)]() mutable {
            self->answer(make_answer(http::status::ok, type, std::move(text)));
          });
      });
  }

  void control(std::string_view path) {
    auto* action = find_path(actions, path);
    if (action == nullptr)
      return answer(
        make_refusal(http::status::not_found, "there is no such action"));
    if (!server_->config.control)
      return answer(make_refusal(
        http::status::forbidden,
        "this page only looks; rosia.watch.control=true allows more"));
    server_->content->perform(action->kind);
    answer(make_answer(http::status::accepted, json_type, "{}"));
  }

  void answer(http_response x, bool closes = false) {
    keeps_ = keeps_ && !closes;
    x.version(version_);
    x.keep_alive(keeps_);
    x.prepare_payload();
    if (head_only_)
      x.body().clear();
    answer_.emplace(std::move(x));
    socket().expires_after(client_patience);
    auto written = bound([](auto& self, error_code error, std::size_t) {
      self.answer_.reset();
      if (error)
        return;
      if (self.keeps_)
        self.read();
      else
        self.linger();
    });
    serializer_.emplace(*answer_);
    if (head_only_)
      http::async_write_header(stream_, *serializer_, written);
    else
      http::async_write(stream_, *serializer_, written);
  }

  /// Waits until the client closes the connection, because the answer may still
  /// be in transit.
  void linger() {
    error_code ignored;
    socket().socket().shutdown(tcp::socket::shutdown_send, ignored);
    socket().expires_after(client_patience);
    swallow();
  }

  void swallow() {
    if (server_->is_ending)
      return;
    buffer_.clear();
    socket().async_read_some(
      buffer_.prepare(max_body),
      bound([](auto& self, error_code error, std::size_t) {
        if (!error)
          self.swallow();
      }));
  }

  // -- watching ---------------------------------------------------------------

  void watch(http_request request) {
    if (!websocket::is_upgrade(request))
      return answer(make_refusal(
        http::status::upgrade_required, "this address is for WebSockets"));
    socket().expires_never();
    watching_.emplace(std::move(stream_));
    auto limits = websocket::stream_base::timeout{
      client_patience, patience_with_viewer, true};
    watching_->set_option(limits);
    watching_->read_message_max(max_body);
    error_code ignored;
    socket().socket().set_option(tcp::no_delay{true}, ignored);
    request_ = std::move(request);
    watching_->async_accept(
      request_, bound([](auto& self, error_code error) {
        if (error || self.server_->is_ending)
          return;
        self.watches_ = true;
        self.server_->add_viewer(1);
        self.listen();
      }));
  }

  /// Discards messages of a viewer, and detects its end.
  void listen() {
    if (server_->is_ending)
      return;
    buffer_.clear();
    watching_->async_read(
      buffer_, bound([](auto& self, error_code error, std::size_t) {
        if (!error)
          self.listen();
        else
          self.drop();
      }));
  }

  void close_orderly() {
    watching_->async_close(
      websocket::close_code::going_away, bound([](auto&, error_code) {}));
  }

  std::shared_ptr<server_state> server_;
  std::list<session*>::iterator position_;
  any_stream stream_;
  std::optional<websocket::stream<any_stream>> watching_;
  beast::flat_buffer buffer_{page_server::max_head + max_body};
  std::optional<http::request_parser<http::string_body>> parser_;
  http_request request_; // the request for a WebSocket
  std::optional<http_response> answer_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  shared_text sent_; // the text being sent
  unsigned version_ = 11;
  bool keeps_ = true;
  bool head_only_ = false;
  bool watches_ = false;
  bool dropped_ = false;
};

// -- certificates -------------------------------------------------------------

asio::ssl::context make_tls(const page_config& config) {
  asio::ssl::context result{asio::ssl::context::tls_server};
  auto check
    = [](const char* option, const std::string& file, const error_code& error) {
        if (error)
          throw std::invalid_argument(
            std::string{option} + ": cannot use '" + file
            + "' for the live page: " + error.message());
      };
  error_code error;
  result.set_options(
    asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1
    | asio::ssl::context::no_tlsv1_1);
  result.use_certificate_chain_file(config.certificate, error);
  check("rosia.tls.certificate", config.certificate, error);
  result.use_private_key_file(
    config.key, asio::ssl::context::file_format::pem, error);
  check("rosia.tls.key", config.key, error);
  return result;
}

// -- addresses ----------------------------------------------------------------

descriptor listen_for_page(const page_config& config) {
  try {
    return listen_at(config.host, config.port);
  } catch (const std::system_error& e) {
    auto where = config.host + ':' + std::to_string(config.port);
    auto advice
      = e.code() == std::errc::address_in_use
          ? " (rosia.watch.address; another program uses the port: name "
            "another port, or 0 for any)"
          : " (rosia.watch.address)";
    throw std::system_error(
      e.code(), "cannot serve the live page at " + where + advice);
  }
}

/// Returns the address of a socket of this process.
tcp::endpoint local_endpoint(int fd) {
  tcp::endpoint result;
  auto size = static_cast<socklen_t>(result.capacity());
  if (::getsockname(fd, result.data(), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "getsockname");
  result.resize(size);
  return result;
}

std::string make_url(const page_config& config, std::uint16_t port) {
  auto host
    = config.host.find(':') == std::string::npos
        ? config.host
        : '[' + config.host + ']';
  return (config.protects() ? "https://" : "http://") + host + ':'
         + std::to_string(port) + '/';
}

} // namespace

page_content::~page_content() {
  // nop
}

// -- the server ---------------------------------------------------------------

struct page_server::impl {
  impl(const page_config& config, page_content& content, descriptor from)
    : state(std::make_shared<server_state>(config, content)),
      protocol(local_endpoint(from.get()).protocol()),
      listener(io, from.release()), pause(io) {
    if (config.protects())
      tls.emplace(make_tls(config));
  }

  void run() {
    accept_later();
    while (!io.stopped())
      run_handlers([this] { io.run_for(longest_wait); });
    // Run only handlers that are ready, without waiting.
    io.restart();
    run_handlers([this] {
      for (std::size_t i = 0; i < steps_at_end && io.poll_one() > 0; ++i) {
        // Each handler may make further handlers ready.
      }
    });
  }

  /// Runs handlers. If a handler runs out of memory, only its connection ends.
  template <class Fun>
  void run_handlers(Fun fun) {
    for (;;)
      try {
        return fun();
      } catch (const std::exception&) {
        // The exception destroyed the handler that kept the connection alive.
      }
  }

  // -- accepting --------------------------------------------------------------

  void accept_later() {
    listener.async_wait(
      asio::posix::descriptor_base::wait_read, [this](error_code error) {
        if (!error && !state->is_ending)
          accept();
      });
  }

  void accept() {
    auto fd = ::accept4(
      listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      take(descriptor{fd});
      return accept_later();
    }
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
      return accept_later();
    pause.expires_after(pause_without_descriptors);
    pause.async_wait([this](error_code error) {
      if (!error && !state->is_ending)
        accept_later();
    });
  }

  void take(descriptor from) {
    state->make_room();
    error_code error;
    tcp_stream::socket_type to{io};
    to.assign(protocol, from.get(), error);
    if (error)
      return;
    from.release();
    std::unique_ptr<transport> stream;
    if (tls)
      stream
        = std::make_unique<stream_transport<tls_stream>>(std::move(to), *tls);
    else
      stream = std::make_unique<stream_transport<tcp_stream>>(std::move(to));
    std::make_shared<connection>(state, std::move(stream))->start();
  }

  // -- ending -----------------------------------------------------------------

  void finish(const shared_text& last) {
    state->is_ending = true;
    error_code ignored;
    listener.close(ignored);
    pause.cancel();
    for (auto* x : std::list{state->sessions})
      x->finish(last);
    io.stop();
  }

  std::shared_ptr<server_state> state;
  std::optional<asio::ssl::context> tls;
  asio::io_context io{1};
  tcp protocol;
  asio::posix::basic_stream_descriptor<executor> listener;
  asio::basic_waitable_timer<
    std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
    executor>
    pause;
  std::thread thread;
};

page_server::page_server(const page_config& config, page_content& content) {
  auto from = listen_for_page(config);
  url_ = make_url(config, local_endpoint(from.get()).port());
  impl_ = std::make_unique<impl>(config, content, std::move(from));
  impl_->thread = std::thread{[x = impl_.get()] { x->run(); }};
}

page_server::~page_server() {
  stop({});
}

void page_server::push(shared_text text) {
  asio::post(impl_->io, [x = impl_.get(), text = std::move(text)] {
    for (auto* viewer : std::list{x->state->sessions})
      viewer->push(text);
  });
}

void page_server::stop(std::string last) {
  if (!impl_->thread.joinable())
    return;
  asio::post(
    impl_->io, [x = impl_.get(),
                text = std::make_shared<const std::string>(std::move(last))] {
      x->finish(text);
    });
  impl_->thread.join();
}

} // namespace caf::rosia::detail
