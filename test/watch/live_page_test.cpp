// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The live page over connections: its content, refused clients, and that no
// viewer can hold the program up.

#include "application/application_access.hpp"
#include "base/thread_usage.hpp"
#include "free_port.hpp"
#include "rosia_certs/certificate_authority.hpp"
#include "support.hpp"
#include "system_as_process.hpp"
#include "temporary_folder.hpp"
#include "watch/page_board.hpp"
#include "web_client.hpp"

// Compares JSON values by kind, because rapidjson's operator== recurses
// endlessly with the rewritten operators of C++20.
#include <rapidjson/document.h>

#include <fstream>
#include <future>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>

namespace live_page_test {

using rosia::detail::application_access;
using test::request;
using test::viewer;

namespace {

/// Writes the values of its physical action.
struct bell : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::physical_action<int> ring{this, "ring"};
  rosia::reaction on_ring{this, "on_ring", {ring}, [this] { out(*ring); }};
};

/// Stays in its reaction until released.
struct holdup : rosia::node {
  explicit holdup(std::atomic<bool>& x) : let_go(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          log().info("got {}", *in);
                          eventually([this] { return let_go.load(); });
                          out(in);
                        }};
  std::atomic<bool>& let_go;
};

struct sink : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { last = *in; }};
  std::atomic<int> last = 0;
};

/// Takes one call an hour.
struct seldom : rosia::node {
  rosia::physical_action<int> call{
    this, "call", rosia::spacing{1h, rosia::drop}};
  rosia::reaction on_call{this, "on_call", {call}, [this] { ++count; }};
  std::atomic<int> count = 0;
};

/// Misses the deadline of one of its reactions at each tag.
struct always_late : rosia::node {
  rosia::tick step{this, "step", 10ms};
  rosia::reaction on_step{
    this, "on_step", {step}, rosia::deadline{0ms, [this] { ++count; }}, [] {}};
  rosia::reaction on_other{
    this, "on_other", {step}, rosia::deadline{1h}, [] {}};
  std::atomic<int> count = 0;
};

rosia::options watched(std::string address = "127.0.0.1:0") {
  auto result = real_time();
  result.watch.address = std::move(address);
  return result;
}

rosia::shutdown_options silent() {
  rosia::shutdown_options result;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  return result;
}

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document result;
  result.Parse(text.c_str());
  if (result.HasParseError())
    throw std::runtime_error("this is no JSON: " + text);
  return result;
}

/// An application with a page, which runs until it is destroyed: a bell, a node
/// that can be blocked, and one that waits for it.
class running {
public:
  explicit running(rosia::options opts = watched(), bool held = false)
    : let_go(!held), app(sys, std::move(opts)) {
    app.connect(first, &bell::out, middle, &holdup::in);
    app.connect(middle, &holdup::out, last, &sink::in);
    thread = std::thread{[this] { status = app.run(); }};
    eventually([this] {
      return app.status().stage == rosia::application_stage::running;
    });
    url = application_access::page_url(app);
  }

  ~running() {
    end();
  }

  /// Ends the run; the page remains.
  void end() {
    let_go = true;
    app.request_shutdown();
    if (thread.joinable())
      thread.join();
  }

  rapidjson::Document state() const {
    return parsed(request(url, "/state.json").body);
  }

  test_system sys;
  std::atomic<bool> let_go;
  rosia::application app;
  rosia::node_ref<bell> first = app.create<bell>("bell");
  rosia::node_ref<holdup> middle = app.create<holdup>("holdup", let_go);
  rosia::node_ref<sink> last = app.create<sink>("sink");
  std::string url;
  int status = -1;
  std::thread thread;
};

/// Returns the value of a sample; none if there is no such line.
std::optional<double> sample(const std::string& text, const std::string& name) {
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ' '))
      return std::stod(line.substr(name.size() + 1));
  return std::nullopt;
}

/// Returns the output of promtool about metrics; empty on success.
std::string promtool(const std::string& text) {
  test::temporary_folder folder;
  auto in = folder.write("metrics", text);
  auto out = folder.file("out");
  auto command = "promtool check metrics < '" + in + "' > '" + out + "' 2>&1";
  auto code = std::system(command.c_str());
  std::ostringstream result;
  result << std::ifstream{out}.rdbuf();
  return code == 0 ? result.str() : result.str() + " (it failed)";
}

} // namespace

// -- content ------------------------------------------------------------------

TEST_CASE("the page is served with all its parts, and nothing else",
          "[watch]") {
  running x;
  for (auto* path : {"/", "/page.css", "/page.js", "/?a=b"}) {
    auto answer = request(x.url, path);
    CHECK(answer.status == 200);
    CHECK(answer.body.size() > 100);
    CHECK_THAT(answer.headers["Content-Security-Policy"],
               ContainsSubstring("default-src 'none'"));
    CHECK(answer.headers["X-Content-Type-Options"] == "nosniff");
    CHECK(answer.body.find("http://") == answer.body.find("http://www.w3.org"));
    CHECK(answer.body.find("https://") == std::string::npos);
  }
  CHECK(request(x.url, "/other").status == 404);
  CHECK(request(x.url, "/../etc/passwd").status == 404);
  CHECK(request(x.url, "/live").status == 426);
  CHECK(request(x.url, "/", {}, "PUT").status == 405);
  auto head = request(x.url, "/page.js", {}, "HEAD");
  CHECK(head.status == 200);
  CHECK(head.body.empty());
}

TEST_CASE("the page may read the application while it starts", "[watch]") {
  test_system sys{2};
  rosia::application app{sys, watched()};
  for (int i = 0; i < 500; ++i)
    app.create<bell>("b" + std::to_string(i));
  std::atomic<bool> observed = false;
  std::size_t counted = 0;
  std::thread observer{[&] {
    while (counted == 0) {
      counted = application_access::look(app).counts.size();
      observed = true;
    }
    app.request_shutdown();
  }};
  CHECK(eventually([&] { return observed.load(); }));
  CHECK(app.run() == 0);
  observer.join();
  CHECK(counted == 500);
}

TEST_CASE("the page has the graph, and each node's state", "[watch]") {
  running x;
  auto graph = parsed(request(x.url, "/graph.json").body);
  auto& source = graph["sources"][0];
  CHECK(source["kind"].GetString() == std::string{"application"});
  REQUIRE(source["nodes"].Size() == 3);
  CHECK(source["nodes"][1]["name"].GetString() == std::string{"holdup"});
  CHECK(source["nodes"][1]["reactions"][0].GetString() == std::string{"on_in"});
  REQUIRE(source["connections"].Size() == 2);
  CHECK(source["connections"][1]["source"].GetInt() == 1);
  CHECK(source["connections"][1]["target"].GetInt() == 2);
  for (auto i = 1; i <= 3; ++i) {
    REQUIRE(x.first->ring.schedule(i));
    REQUIRE(eventually([&] { return x.last->last == i; }));
  }
  auto state = x.state();
  CHECK(state["program"].GetString() == std::string{"watch_test"});
  CHECK(state["host"].GetStringLength() > 0);
  CHECK(state["sources"][0]["late"].IsNull());
  auto& nodes = state["sources"][0]["nodes"];
  CHECK(state["sources"][0]["stage"].GetString() == std::string{"running"});
  CHECK(state["sources"][0]["graph"].GetBool());
  CHECK(nodes[0]["written"][0].GetInt() == 3);
  CHECK(nodes[1]["written"][0].GetInt() == 3);
  CHECK(nodes[2]["written"].Size() == 0);
  CHECK(nodes[0]["blocker"].GetString() == std::string{"outside"});
}

TEST_CASE("a viewer is informed at once, and again", "[watch]") {
  running x;
  viewer eyes{x.url};
  auto first = parsed(eyes.next());
  CHECK(first["sources"].Size() == 1);
  x.first->ring.schedule(7);
  auto sees_it = [&] {
    auto told = parsed(eyes.next());
    return told["sources"][0]["nodes"][0]["written"][0].GetInt() == 1;
  };
  CHECK(eventually(sees_it));
}

TEST_CASE("a node that does not return blocks no viewer", "[watch]") {
  running x{watched(), true};
  x.first->ring.schedule(1);
  auto explained = [&] {
    auto state = x.state();
    auto& source = state["sources"][0];
    auto& node = source["nodes"][1];
    if (source["explanation"].Size() == 0)
      return false;
    CHECK(node["running"].GetBool());
    CHECK(node["code"].GetString() == std::string{"on_in"});
    CHECK(node["running_for"].GetDouble() > 0);
    std::string text = source["explanation"][0].GetString();
    CHECK_THAT(text, ContainsSubstring("'holdup'"));
    CHECK_THAT(text, ContainsSubstring("is still running after"));
    return true;
  };
  CHECK(eventually(explained));
  CHECK(request(x.url, "/").status == 200);
  auto metrics = request(x.url, "/metrics").body;
  CHECK(
    sample(metrics, "rosia_running_seconds{application=\"1\",node=\"holdup\"}")
      .value_or(0)
    > 0);
}

TEST_CASE("the log has the lines of nodes", "[watch]") {
  running x{with_log(watched())};
  x.first->ring.schedule(42);
  auto sees_it = [&] {
    auto answer = request(x.url, "/log.json").body;
    auto told = parsed(answer);
    for (auto& line : told["log"].GetArray())
      if (line["logger"].GetString() == std::string{"holdup"}) {
        CHECK(line["text"].GetString() == std::string{"got 42"});
        CHECK(line["level"].GetString() == std::string{"info"});
        return true;
      }
    return false;
  };
  CHECK(eventually(sees_it));
}

TEST_CASE("applications at one address share a page", "[watch]") {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  running one{watched(address)};
  std::optional<running> other{std::in_place, watched(address)};
  CHECK(one.url == other->url);
  CHECK(one.state()["sources"].Size() == 2);
  other.reset();
  CHECK(one.state()["sources"].Size() == 1);
}

TEST_CASE("a port of another program is reported as in use", "[watch]") {
  running x; // its page is not shared, because the system chose its port
  auto port = x.url.substr(x.url.rfind(':') + 1);
  port.pop_back();
  test_system sys;
  rosia::application other{sys, watched("127.0.0.1:" + port)};
  other.create<bell>("bell");
  CHECK_THROWS_WITH(
    other.run(), ContainsSubstring("cannot serve the live page")
                   && ContainsSubstring("another program uses the port"));
}

// -- metrics ------------------------------------------------------------------

TEST_CASE("10.3.4 metrics and the page count missed deadlines by reaction",
          "[watch]") {
  test_system sys;
  auto opts = watched();
  opts.log_level = "off";
  rosia::application app{sys, opts};
  auto node = app.create<always_late>("late");
  std::thread runner{[&] { app.run(); }};
  REQUIRE(eventually([&] { return node->count >= 3; }));
  std::string url;
  REQUIRE(eventually([&] {
    url = application_access::page_url(app);
    return !url.empty();
  }));
  auto labels = std::string{"{application=\"1\",node=\"late\",reaction=\""};
  auto text = request(url, "/metrics").body;
  CHECK(sample(text, "rosia_missed_deadlines_total" + labels + "on_step\"}")
          .value_or(0)
        >= 3);
  CHECK(
    sample(text, "rosia_missed_deadlines_total" + labels + "on_other\"}") == 0);
  auto state = parsed(request(url, "/state.json").body);
  auto& counts = state["sources"][0]["nodes"][0]["missed_deadlines"];
  REQUIRE(counts.Size() == 2);
  CHECK(counts[0]["reaction"].GetString() == std::string{"on_step"});
  CHECK(counts[0]["count"].GetUint64() >= 3);
  CHECK(counts[1]["count"].GetUint64() == 0);
  auto json = rosia::to_json(app.status());
  CHECK_THAT(json, ContainsSubstring("\"missed_deadlines\": {")
                     && ContainsSubstring("\"on_other\": 0"));
  auto report = to_string(app.status());
  CHECK_THAT(report, ContainsSubstring("reaction 'on_step' missed "));
  app.request_shutdown();
  runner.join();
}

TEST_CASE("10.5.2 metrics and the page count what a spacing drops", "[watch]") {
  test_system sys;
  rosia::application app{sys, watched()};
  auto node = app.create<seldom>("seldom");
  std::thread runner{[&] { app.run(); }};
  for (auto i = 0; i < 3; ++i)
    CHECK(node->call.schedule(i));
  REQUIRE(eventually([&] { return node->count == 1; }));
  std::string url;
  REQUIRE(eventually([&] {
    url = application_access::page_url(app);
    return !url.empty();
  }));
  std::string text;
  CHECK(eventually([&] {
    text = request(url, "/metrics").body;
    return sample(text, "rosia_values_dropped_by_spacing_total{application=\"1"
                        "\",node=\"seldom\",action=\"call\"}")
           == 2;
  }));
  CHECK(sample(text, "rosia_dropped_values_total{application=\"1\",node=\""
                     "seldom\"}")
        == 2);
  auto state = parsed(request(url, "/state.json").body);
  auto& counts = state["sources"][0]["nodes"][0]["dropped_by_spacing"];
  REQUIRE(counts.Size() == 1);
  CHECK(counts[0]["action"].GetString() == std::string{"call"});
  CHECK(counts[0]["count"].GetUint64() == 2);
  CHECK_THAT(to_string(app.status()),
             ContainsSubstring("the spacing of 'call' dropped 2 values"));
  app.request_shutdown();
  runner.join();
}

namespace {

/// Waits no longer for its sender, and then releases it.
struct hasty : rosia::node {
  explicit hasty(std::promise<void>& x) : release(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::tick once{this, "once", rosia::once, 5ms};
  rosia::reaction on_once{
    this, "on_once", {once}, [this] { release.set_value(); }};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};

  std::promise<void>& release;
};

} // namespace

TEST_CASE("10.10.1 metrics and the page count tardy values by input",
          "[watch]") {
  test_system sys;
  rosia::application app{sys, watched()};
  std::promise<void> release;
  auto from = app.create<stuck>("from", release.get_future());
  auto to = app.create<hasty>("to", std::ref(release));
  from[&stuck::out] >>= rosia::maxwait(2ms) >>= to[&hasty::in];
  CHECK(app.run() == 0);
  auto url = application_access::page_url(app);
  auto text = request(url, "/metrics").body;
  CHECK(sample(text, "rosia_tardy_values_total{application=\"1\",node=\"to\","
                     "input=\"in\"}")
        == 1);
  auto state = parsed(request(url, "/state.json").body);
  auto& nodes = state["sources"][0]["nodes"];
  CHECK(nodes[0]["tardy_values"].Size() == 0);
  auto& counts = nodes[1]["tardy_values"];
  REQUIRE(counts.Size() == 1);
  CHECK(counts[0]["input"].GetString() == std::string{"in"});
  CHECK(counts[0]["count"].GetUint64() == 1);
  auto graph = parsed(request(url, "/graph.json").body);
  auto& connection = graph["sources"][0]["connections"][0];
  CHECK(connection["maxwait"].GetString() == std::string{"2ms"});
}

namespace {

/// Starts a watchdog that expires again and again, and one that never does.
struct guarded : rosia::node {
  rosia::watchdog dog{this, "dog", 1ms};
  rosia::watchdog calm{this, "calm", 1h};
  rosia::watchdog unused{this, "unused", 1h};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] {
      ++count;
      dog.start();
    }};
  std::atomic<int> count = 0;

  void start() {
    dog.start();
    calm.start();
  }
};

} // namespace

TEST_CASE("metrics and the page show watchdogs and their expiries", "[watch]") {
  test_system sys;
  rosia::application app{sys, watched()};
  auto node = app.create<guarded>("node");
  std::thread runner{[&] { app.run(); }};
  REQUIRE(eventually([&] { return node->count >= 3; }));
  std::string url;
  REQUIRE(eventually([&] {
    url = application_access::page_url(app);
    return !url.empty();
  }));
  auto labels = std::string{"{application=\"1\",node=\"node\",watchdog=\""};
  auto text = request(url, "/metrics").body;
  auto value = [&](const char* metric, const char* name) {
    return sample(text, metric + labels + name + "\"}").value_or(-1);
  };
  CHECK(value("rosia_watchdog_expiries_total", "dog") >= 3);
  CHECK(value("rosia_watchdog_expiries_total", "calm") == 0);
  CHECK(value("rosia_watchdog_runs", "calm") == 1);
  CHECK(value("rosia_watchdog_runs", "unused") == 0);
  auto state = request(url, "/state.json").body;
  std::erase_if(state, [](char x) { return x == ' ' || x == '\n'; });
  CHECK_THAT(
    state, ContainsSubstring(R"({"name":"calm","expiry":"3600s","count":0})"));
  app.request_shutdown();
  runner.join();
}

namespace {

/// Enters its second mode at once.
struct with_modes : rosia::node {
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::physical_action<int> unused{this, "unused"};
  rosia::reaction on_first{
    first, "on_first", {first}, [this] { second.enter(); }};
};

} // namespace

TEST_CASE("10.7.7 metrics and the page show the active mode", "[watch]") {
  test_system sys;
  rosia::application app{sys, watched()};
  auto node = app.create<with_modes>("node");
  std::thread runner{[&] { app.run(); }};
  REQUIRE(eventually([&] { return node->second.is_active(); }));
  std::string url;
  REQUIRE(eventually([&] {
    url = application_access::page_url(app);
    return !url.empty();
  }));
  auto labels = std::string{"{application=\"1\",node=\"node\",mode=\""};
  auto text = request(url, "/metrics").body;
  auto value = [&](const char* metric, const char* name) {
    return sample(text, metric + labels + name + "\"}").value_or(-1);
  };
  CHECK(value("rosia_mode_active", "first") == 0);
  CHECK(value("rosia_mode_active", "second") == 1);
  CHECK(value("rosia_mode_entries_total", "first") == 1);
  CHECK(value("rosia_mode_entries_total", "second") == 1);
  auto state = request(url, "/state.json").body;
  std::erase_if(state, [](char x) { return x == ' ' || x == '\n'; });
  CHECK_THAT(
    state, ContainsSubstring(R"({"name":"second","active":true,"count":1})"));
  auto json = rosia::to_json(app.status());
  std::erase_if(json, [](char x) { return x == ' ' || x == '\n'; });
  CHECK_THAT(
    json, ContainsSubstring(R"("second":{"active":true,"entries":1})"));
  CHECK_THAT(to_string(app.status()), ContainsSubstring("in mode 'second'"));
  app.request_shutdown();
  runner.join();
}

TEST_CASE("metrics have counts and lateness", "[watch]") {
  auto opts = watched();
  opts.lag_warn = 0ns;
  opts.log_level = "off";
  running x{std::move(opts)};
  for (auto i = 1; i <= 5; ++i) {
    x.first->ring.schedule(i);
    REQUIRE(eventually([&] { return x.last->last == i; }));
  }
  // A reaction is counted after it has returned.
  std::string text;
  REQUIRE(eventually([&] {
    text = request(x.url, "/metrics").body;
    return sample(
             text, "rosia_reactions_total{application=\"1\",node=\"sink\"}")
           == 6;
  }));
  auto of_node = [&](const std::string& name, const std::string& node) {
    return sample(text, name + "{application=\"1\",node=\"" + node + "\"}");
  };
  CHECK(of_node("rosia_messages_total", "bell") == 5);
  CHECK(of_node("rosia_messages_total", "sink") == 0);
  CHECK(of_node("rosia_busy_seconds_total", "sink") > 0);
  CHECK(of_node("rosia_late_tags_total", "bell") >= 5);
  CHECK(of_node("rosia_dropped_values_total", "bell") == 0);
  CHECK(of_node("rosia_queue_length", "bell") == 0);
  CHECK(sample(text, "rosia_lag_seconds_count{application=\"1\"}") > 0);
  CHECK(sample(text, "rosia_lag_seconds_bucket{application=\"1\",le=\"+Inf\"}")
        == sample(text, "rosia_lag_seconds_count{application=\"1\"}"));
  CHECK(
    sample(text, "rosia_application_stage{application=\"1\",stage=\"running\"}")
    == 1);
  CHECK(sample(text, "rosia_build_info{version=\"0.1.0\"}") == 1);
  CHECK(promtool(text) == "");
  // They still exist after the run.
  x.end();
  text = request(x.url, "/metrics").body;
  CHECK(of_node("rosia_messages_total", "bell") == 5);
  CHECK(
    sample(text, "rosia_application_stage{application=\"1\",stage=\"over\"}")
    == 1);
}

TEST_CASE("the page and the metrics include the nodes of other processes, and "
          "the page has their logs",
          "[watch]") {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  std::atomic<bool> let_go{true};
  std::promise<std::string> url;
  std::promise<std::function<bool(int)>> ring;
  std::promise<std::function<void()>> end;
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto coordinates = name == "coordinator";
    auto opts = with_log(coordinates ? watched() : real_time());
    test::take_part(opts, name, "coordinator", "left", address);
    rosia::application app{sys, opts};
    auto first = app.create<bell>("bell");
    auto middle = app.create<holdup>("holdup", let_go);
    auto last = app.create<sink>("sink");
    app.place(first, "coordinator");
    app.place(middle, "left");
    app.place(last, "left");
    app.connect(first, &bell::out, middle, &holdup::in);
    app.connect(middle, &holdup::out, last, &sink::in);
    std::thread looker;
    if (coordinates)
      looker = std::thread{[&] {
        eventually([&] {
          return app.status().stage == rosia::application_stage::running;
        });
        ring.set_value([&](int x) { return first->ring.schedule(x); });
        end.set_value([&] { app.request_shutdown(); });
        url.set_value(application_access::page_url(app));
      }};
    auto status = app.run();
    if (looker.joinable())
      looker.join();
    return status;
  };
  auto left = std::async(std::launch::async, run, "left");
  auto coordinator = std::async(std::launch::async, run, "coordinator");
  auto page = url.get_future().get();
  auto call = ring.get_future().get();
  for (auto i = 1; i <= 5; ++i)
    CHECK(call(i));
  std::string text;
  CHECK(eventually([&] {
    text = request(page, "/metrics").body;
    return sample(text, "rosia_reactions_total{application=\"1\","
                        "process=\"left\",node=\"sink\"}")
           == 6;
  }));
  CHECK(sample(text, "rosia_messages_total{application=\"1\","
                     "process=\"left\",node=\"holdup\"}")
        == 5);
  CHECK(sample(text, "rosia_busy_seconds_total{application=\"1\","
                     "process=\"left\",node=\"holdup\"}")
        > 0);
  CHECK(promtool(text) == "");
  auto state = parsed(request(page, "/state.json").body);
  auto& source = state["sources"][0];
  CHECK(source["process"].GetString() == std::string{"coordinator"});
  CHECK(state["pid"].GetInt() == ::getpid());
  for (auto& node : source["nodes"].GetArray())
    CHECK(node["counted_at"].GetDouble() > 0);
  CHECK(source["nodes"][1]["written"][0].GetInt() == 5);
  CHECK(eventually([&] {
    request(page, "/state.json");
    auto log = request(page, "/log.json").body;
    return log.find("left: holdup") != std::string::npos
           && log.find("got 5") != std::string::npos;
  }));
  end.get_future().get()();
  CHECK(coordinator.get() == 0);
  CHECK(left.get() == 0);
}

TEST_CASE("the example of a dashboard names existing metrics", "[watch]") {
  running x;
  test_system sys;
  rosia::shutdown down{sys.get(), silent()};
  rosia::live_page page{down, watched()};
  auto text
    = request(x.url, "/metrics").body + request(page.url(), "/metrics").body;
  std::ostringstream dashboard;
  dashboard << std::ifstream{ROSIA_DASHBOARD}.rdbuf();
  parsed(dashboard.str());
  std::set<std::string> names;
  auto all = dashboard.str();
  std::regex pattern{"rosia_[a-z_]+"};
  for (std::sregex_iterator i{all.begin(), all.end(), pattern}, end; i != end;
       ++i)
    names.insert(i->str());
  CHECK(names.size() > 8);
  for (auto& name : names) {
    INFO(name);
    auto exists = text.find('\n' + name + '{') != std::string::npos
                  || text.starts_with(name + '{');
    CHECK(exists);
  }
}

// -- refused clients ----------------------------------------------------------

TEST_CASE("pages of other origins are refused", "[watch]") {
  running x;
  for (auto* path : {"/", "/state.json", "/metrics", "/live"})
    CHECK(request(x.url, path, {{"Host", "evil.example"}}).status == 403);
  CHECK(
    request(x.url, "/state.json", {{"Origin", "http://evil.example"}}).status
    == 403);
  CHECK_THROWS(viewer{x.url, {{"Origin", "http://evil.example"}}});
  CHECK_THROWS(viewer{x.url, {{"Host", "evil.example"}}});
  auto own = x.url.substr(0, x.url.size() - 1);
  CHECK(!viewer(x.url, {{"Origin", own}}).next().empty());
}

TEST_CASE("without the option no viewer can change anything", "[watch]") {
  running x;
  auto answer = request(x.url, "/control/end", {}, "POST");
  CHECK(answer.status == 403);
  CHECK_THAT(answer.body, ContainsSubstring("rosia.watch.control"));
  CHECK(request(x.url, "/control/end").status == 404);
  CHECK(!x.state()["control"].GetBool());
  CHECK(x.app.status().stage == rosia::application_stage::running);
}

TEST_CASE("with the option the page takes a report, and ends the application",
          "[watch]") {
  error_capture capture;
  auto opts = with_log(watched());
  opts.watch.control = true;
  running x{std::move(opts)};
  CHECK(x.state()["control"].GetBool());
  CHECK(
    request(x.url, "/control/end", {{"Sec-Fetch-Site", "cross-site"}}, "POST")
      .status
    == 403);
  CHECK(request(x.url, "/control/other", {}, "POST").status == 404);
  CHECK(request(x.url, "/control/report", {}, "POST").status == 202);
  CHECK(eventually([&] {
    auto log = request(x.url, "/log.json").body;
    return log.find("the application is running") != std::string::npos;
  }));
  CHECK(request(x.url, "/control/end", {}, "POST").status == 202);
  x.thread.join();
  CHECK(x.status == 0);
  auto log = capture.text();
  CHECK(count_of(log, "rosia: a request by the live page: the application ends")
        == 1);
}

TEST_CASE("an address that is reachable from other hosts needs TLS and a token",
          "[watch]") {
  test_system sys;
  test::temporary_folder folder;
  auto open = [&](rosia::options opts) {
    rosia::application app{sys, std::move(opts)};
  };
  auto opts = watched("0.0.0.0:0");
  CHECK_THROWS_WITH(
    open(opts), ContainsSubstring("is not an address of the loopback")
                  && ContainsSubstring("rosia.watch.token_file"));
  opts.watch.token_file = folder.file("none");
  CHECK_THROWS_WITH(
    open(opts), ContainsSubstring("rosia.watch.token_file: cannot read"));
  opts.watch.token_file = "/dev/zero";
  CHECK_THROWS_WITH(
    open(opts), ContainsSubstring("it is neither a regular file nor a pipe"));
  opts.watch.token_file = folder.write("token", "secret\n");
  CHECK_THROWS_WITH(open(opts), ContainsSubstring("rosia.tls.certificate"));
  opts.tls.certificate = folder.write("alpha.crt", "nonsense");
  opts.tls.key = folder.write("alpha.key", "nonsense");
  rosia::application app{sys, opts};
  app.create<bell>("bell");
  CHECK_THROWS_WITH(app.run(), ContainsSubstring("rosia.tls.certificate"));
}

TEST_CASE("with TLS a token authorizes viewers", "[watch]") {
  using namespace rosia::detail;
  test::temporary_folder folder;
  auto opts = watched("0.0.0.0:0");
  opts.watch.token_file = folder.write("token", "secret\n");
  opts.tls.certificate = folder.file("alpha.crt");
  opts.tls.key = folder.file("alpha.key");
  rosia_certs::certificate_authority::create("a CA", 24h)
    .issue({"alpha", {"127.0.0.1"}, 24h},
           {opts.tls.certificate, opts.tls.key, folder.file("ca.crt")});
  running x{opts};
  REQUIRE_THAT(x.url, ContainsSubstring("https://0.0.0.0:"));
  for (auto* path : {"/", "/page.js", "/state.json", "/metrics", "/live"})
    CHECK(request(x.url, path).status == 401);
  CHECK(request(x.url, "/metrics", {{"Authorization", "Bearer secret"}}).status
        == 200);
  auto entry = request(x.url, "/?token=secret");
  CHECK(entry.status == 303);
  CHECK(entry.headers["Location"] == "/");
  auto cookie = entry.headers["Set-Cookie"];
  CHECK(
    request(x.url, "/", {{"Cookie", cookie.substr(0, cookie.find(';'))}}).status
    == 200);
  CHECK(request(x.url, "/?token=wrong").status == 401);
  // A client without TLS gets nothing, and disturbs no other client.
  test::raw_connection plain{x.url};
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(plain.read_all().find("HTTP") == std::string::npos);
}

// -- hostile clients ----------------------------------------------------------

TEST_CASE("a request that is too large or invalid is refused", "[watch]") {
  running x;
  auto answer_to = [&](const std::string& bytes) {
    test::raw_connection connection{x.url};
    connection.send(bytes);
    return connection.read_all();
  };
  std::string large = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";
  CHECK_THAT(
    answer_to(large + std::string(100'000, 'x')), ContainsSubstring("431"));
  CHECK_THAT(answer_to("POST /control/end HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Length: 99999999\r\n\r\n"),
             ContainsSubstring("413"));
  CHECK_THAT(answer_to("nonsense\r\n\r\n"), ContainsSubstring("400"));
  CHECK_THAT(
    answer_to(std::string(64, '\0') + "\r\n\r\n"), ContainsSubstring("400"));
  CHECK(request(x.url, "/").status == 200);
}

TEST_CASE("very many connections do not lock out other viewers", "[watch]") {
  running x;
  std::vector<test::raw_connection> silent;
  std::vector<viewer> viewers;
  for (auto i = 0; i < 20; ++i)
    viewers.emplace_back(x.url);
  for (auto i = 0; i < 300; ++i) {
    silent.emplace_back(x.url);
    if (i % 3 == 1)
      silent.back().send("GET / HTTP/1.1\r\nHo");
  }
  for (auto i = 0; i < 3; ++i)
    CHECK(request(x.url, "/state.json").status == 200);
  for (auto& eyes : viewers)
    CHECK(!eyes.next().empty());
}

TEST_CASE("a client that sends requests constantly gets a part of a processor",
          "[watch]") {
  // Takes some time for each look.
  struct costly_source : rosia::detail::watch_source {
    void log_to(const std::shared_ptr<rosia::detail::log_ring>&) override {
      // nop
    }

    void put_graph(rosia::detail::json_writer&) override {
      // nop
    }

    void put_state(rosia::detail::json_writer&) override {
      auto end = thread_usage::now().cpu + cost.count();
      while (thread_usage::now().cpu < end)
        ;
      ++looks;
    }

    void add_metrics(rosia::detail::metric_writer&,
                     const std::string&) override {
      // nop
    }

    void request_end() override {
      // nop
    }

    void give_report() override {
      // nop
    }

    using thread_usage = rosia::detail::thread_usage;

    std::chrono::nanoseconds cost = 10ms;
    std::atomic<int> looks = 0;
  };
  auto source = std::make_shared<costly_source>();
  rosia::detail::page_board board{{.host = "127.0.0.1"}};
  board.add(source);
  auto start = std::chrono::steady_clock::now();
  for (auto i = 0; i < 5; ++i)
    CHECK(request(board.url(), "/state.json").status == 200);
  CHECK(source->looks == 5);
  CHECK(std::chrono::steady_clock::now() - start >= 4 * 4 * source->cost);
  // New viewers do not get more either, except for the periodic updates.
  std::vector<viewer> viewers;
  start = std::chrono::steady_clock::now();
  for (auto i = 0; i < 5; ++i)
    CHECK(!viewers.emplace_back(board.url()).next().empty());
  CHECK(std::chrono::steady_clock::now() - start >= 3 * 4 * source->cost);
}

TEST_CASE("no client delays the end, and each viewer sees it", "[watch]") {
  std::optional<running> x{std::in_place};
  auto url = x->url;
  std::vector<test::raw_connection> silent;
  for (auto i = 0; i < 10; ++i)
    silent.emplace_back(url);
  for (auto i = 0; i < 5; ++i)
    silent[static_cast<std::size_t>(i)].send("POST /control/end HTTP/1.1\r\n");
  // A viewer that never reads.
  viewer deaf{url};
  viewer eyes{url};
  CHECK(!eyes.next().empty());
  x.reset();
  std::string last;
  for (auto text = eyes.next(); !text.empty(); text = eyes.next())
    last = text;
  CHECK(parsed(last)["sources"][0]["stage"].GetString() == std::string{"over"});
  for (auto& connection : silent)
    CHECK(connection.read_all().empty());
  CHECK_THROWS(request(url, "/"));
}

TEST_CASE("pages open and close while other viewers are connected", "[watch]") {
  for (auto i = 0; i < 20; ++i) {
    running x;
    viewer eyes{x.url};
    test::raw_connection half{x.url};
    half.send("GET /state.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (i % 2 == 0)
      eyes.next();
    x.first->ring.schedule(i);
  }
}

// -- without nodes ------------------------------------------------------------

TEST_CASE("a shutdown without nodes has a page, phase by phase", "[watch]") {
  test_system sys;
  rosia::shutdown down{sys.get(), silent()};
  rosia::live_page page{down, watched()};
  std::atomic<bool> let_go = false;
  down.on("final", "slow", [&](const rosia::shutdown_reason&) {
    eventually([&] { return let_go.load(); });
  });
  auto look = [&] { return parsed(request(page.url(), "/state.json").body); };
  auto before = look();
  CHECK(before["sources"][0]["kind"].GetString() == std::string{"shutdown"});
  CHECK(before["sources"][0]["stage"].GetString() == std::string{"running"});
  down.begin({"a test"});
  CHECK(eventually([&] {
    auto now = look();
    auto& source = now["sources"][0];
    if (source["stage"].GetString() != std::string{"final"}
        || source["explanation"].Size() == 0)
      return false;
    std::string last
      = source["explanation"][source["explanation"].Size() - 1].GetString();
    CHECK_THAT(last, ContainsSubstring("slow"));
    CHECK(source["timeline"].Size() >= 3);
    return true;
  }));
  auto metrics = request(page.url(), "/metrics").body;
  CHECK(sample(metrics, "rosia_shutdown_stage{shutdown=\"1\",stage=\"final\"}")
        == 1);
  CHECK(promtool(metrics) == "");
  let_go = true;
  CHECK(down.wait_for_shutdown() == 0);
  CHECK(look()["sources"][0]["stage"].GetString() == std::string{"over"});
}

TEST_CASE("the page of an application also shows its shutdown", "[watch]") {
  running x;
  std::optional<rosia::shutdown> down{std::in_place, x.sys.get(), silent()};
  down->adopt(x.app, "the application");
  auto kinds = [&] {
    auto state = x.state();
    std::string result;
    for (auto& source : state["sources"].GetArray())
      result += std::string{source["kind"].GetString()} + ':'
                + source["stage"].GetString() + ' ';
    return result;
  };
  CHECK(kinds() == "application:running shutdown:running ");
  down->begin();
  CHECK(down->wait_for_shutdown() == 0);
  CHECK(kinds() == "application:over shutdown:over ");
  down.reset();
  CHECK(kinds() == "application:over shutdown:over ");
}

TEST_CASE("without an address there is no page", "[watch]") {
  test_system sys;
  rosia::shutdown down{sys.get(), silent()};
  rosia::live_page page{down, watched("")};
  CHECK(page.url().empty());
}

TEST_CASE("a page outlives its shutdown", "[watch]") {
  test_system sys;
  std::optional<rosia::shutdown> down{std::in_place, sys.get(), silent()};
  rosia::live_page page{*down, watched()};
  down.reset();
  auto state = parsed(request(page.url(), "/state.json").body);
  CHECK(state["sources"][0]["stage"].GetString() == std::string{"over"});
}

} // namespace live_page_test
