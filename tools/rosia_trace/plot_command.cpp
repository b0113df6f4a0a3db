// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/json.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/plot_page.hpp"
#include "rosia_trace/trace_file.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

/// Maximum number of tags of all nodes in a page, because a browser must draw
/// them. If there are more, every second tag is omitted, or three of four, and
/// so on. The sums include all tags.
constexpr std::size_t most_points = 200'000;

/// An executed tag of a node. Times are in nanoseconds since the start.
struct point {
  logical_time tag;
  std::int64_t elapsed = 0;
  /// The number of tags that the node executed, this one included.
  std::uint64_t number = 0;
  /// The execution time before this tag.
  std::int64_t busy_before = 0;
};

struct plotted_port {
  bool is_output = false;
  /// The tags of the values, ascending.
  std::vector<logical_time> tags;
};

struct plotted_node {
  std::string name;
  std::uint64_t tags = 0;
  std::uint64_t reactions = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::int64_t busy = 0;
  std::vector<point> points;
  std::map<std::string, plotted_port, std::less<>> ports;
};

/// A logical connection, between ports as `node.port`.
struct plotted_connection {
  std::string from;
  std::string to;
  time_delay delay;
};

class plot {
public:
  void add(const event& x) {
    switch (x.kind) {
      case event_kind::application:
        realtime_ = x.realtime;
        break;
      case event_kind::node:
        declare(x);
        break;
      case event_kind::connection:
        if (!x.physical)
          connections_.push_back(
            {std::string{x.from}, std::string{x.to}, x.delay});
        break;
      case event_kind::resumed:
        beginning_ = x.tag;
        break;
      case event_kind::start:
      case event_kind::execute:
        begin(node_called(x.node), x);
        break;
      case event_kind::reaction:
        ++node_called(x.node).reactions;
        break;
      case event_kind::ran:
        ran(node_called(x.node), x);
        break;
      case event_kind::input:
        ++node_called(x.node).in;
        pass(node_called(x.node), x, false);
        break;
      case event_kind::send:
        ++node_called(x.node).out;
        pass(node_called(x.node), x, true);
        break;
      default:
        break;
    }
  }

  std::string json() const;

private:
  using writer = rapidjson::Writer<rapidjson::StringBuffer>;

  plotted_node& node_called(std::string_view name) {
    auto [i, fresh] = names_.emplace(name, nodes_.size());
    if (fresh)
      nodes_.emplace_back().name = name;
    return nodes_[i->second];
  }

  void declare(const event& x) {
    auto& node = node_called(x.node);
    for (auto& port : x.inputs)
      node.ports[std::string{port.name}];
    for (auto& port : x.outputs)
      node.ports[std::string{port.name}].is_output = true;
  }

  void begin(plotted_node& node, const event& x) {
    auto tag = x.kind == event_kind::start ? beginning_ : x.tag;
    node.tags += x.kind == event_kind::execute;
    if (!keeps(tag))
      return;
    if (!node.points.empty() && node.points.back().tag == tag) {
      node.points.back().number = node.tags;
      return;
    }
    node.points.push_back({tag, x.elapsed, node.tags, node.busy});
    if (++count_ > most_points)
      thin_out();
  }

  void ran(plotted_node& node, const event& x) {
    node.busy += x.ended - x.began;
  }

  /// Records a value that was written or received at a port.
  void pass(plotted_node& node, const event& x, bool is_output) {
    if (!keeps(x.tag))
      return;
    auto& port = node.ports[std::string{x.port}];
    port.is_output = is_output;
    // A value is sent once per connection.
    if (port.tags.empty() || port.tags.back() != x.tag)
      port.tags.push_back(x.tag);
  }

  /// Selects the same tags for all nodes, so that a kept tag can be followed.
  bool keeps(logical_time x) const {
    auto bits = static_cast<std::uint64_t>(x.ns) * 0x9e3779b97f4a7c15u
                + static_cast<std::uint64_t>(x.microstep);
    return (bits >> 32) % kept_ == 0;
  }

  void thin_out() {
    kept_ *= 2;
    count_ = 0;
    for (auto& node : nodes_) {
      std::erase_if(node.points, [this](auto& x) { return !keeps(x.tag); });
      count_ += node.points.size();
      for (auto& [name, port] : node.ports)
        std::erase_if(port.tags, [this](auto x) { return !keeps(x); });
    }
  }

  static void put(writer& to, const char* key, std::string_view text) {
    to.Key(key);
    to.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }

  template <class F>
  static void put_list(writer& to, const char* key, F&& members) {
    to.Key(key);
    to.StartArray();
    members();
    to.EndArray();
  }

  static void put(writer& to, const plotted_node& x);

  static void put(writer& to, const plotted_connection& x);

  bool realtime_ = true;
  logical_time beginning_ = origin;
  std::vector<plotted_node> nodes_;
  std::vector<plotted_connection> connections_;
  std::unordered_map<std::string, std::size_t> names_;
  std::size_t count_ = 0;
  std::uint64_t kept_ = 1; // one of this many tags
};

void plot::put(writer& to, const plotted_node& x) {
  auto number = [&to](const char* key, auto value) {
    to.Key(key);
    to.Int64(static_cast<std::int64_t>(value));
  };
  to.StartObject();
  put(to, "name", x.name);
  number("tags", x.tags);
  number("reactions", x.reactions);
  number("in", x.in);
  number("out", x.out);
  number("busy", x.busy);
  // By columns, which takes half the space.
  auto column = [&](const char* key, auto value) {
    put_list(to, key, [&] {
      for (auto& y : x.points)
        to.Int64(value(y));
    });
  };
  column("tag", [](auto& y) { return y.tag.ns; });
  column("microstep", [](auto& y) { return y.tag.microstep; });
  column("at", [](auto& y) { return y.elapsed; });
  column("number", [](auto& y) { return static_cast<std::int64_t>(y.number); });
  column("busy_before", [](auto& y) { return y.busy_before; });
  put_list(to, "ports", [&] {
    // clang 14 does not capture structured bindings.
    for (auto& entry : x.ports) {
      auto& port = entry.second;
      to.StartObject();
      put(to, "name", entry.first);
      to.Key("output");
      to.Bool(port.is_output);
      // Indices of its tags in the list above.
      put_list(to, "points", [&] {
        std::int64_t i = 0;
        auto size = static_cast<std::int64_t>(x.points.size());
        for (auto tag : port.tags) {
          while (i < size && x.points[static_cast<std::size_t>(i)].tag < tag)
            ++i;
          if (i < size && x.points[static_cast<std::size_t>(i)].tag == tag)
            to.Int64(i);
        }
      });
      to.EndObject();
    }
  });
  to.EndObject();
}

void plot::put(writer& to, const plotted_connection& x) {
  to.StartObject();
  put(to, "from", x.from);
  put(to, "to", x.to);
  put_list(to, "delay", [&] {
    to.Int64(x.delay.ns);
    to.Int64(x.delay.microsteps);
  });
  to.EndObject();
}

std::string plot::json() const {
  rapidjson::StringBuffer buffer;
  writer to{buffer};
  to.StartObject();
  to.Key("realtime");
  to.Bool(realtime_);
  to.Key("kept");
  to.Uint64(kept_);
  put_list(to, "nodes", [&] {
    for (auto& x : nodes_)
      put(to, x);
  });
  put_list(to, "connections", [&] {
    for (auto& x : connections_)
      put(to, x);
  });
  to.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

plot read_plot(const std::string& file) {
  plot result;
  line_parser parser;
  std::size_t count = 0;
  auto add = [&](std::string_view line) {
    ++count;
    if (parser.parse(line) != parse_result::event)
      throw unreadable_file{shown_path(file) + ':' + std::to_string(count)
                            + ": " + parser.problem()};
    result.add(parser.get());
    return true;
  };
  auto rest = read_lines(file, add);
  // An incomplete line of a killed process is ignored.
  if (!rest.empty() && parser.parse(rest) != parse_result::not_json)
    add(rest);
  else if (count == 0)
    throw unreadable_file{shown_path(file) + ": the trace is empty"};
  return result;
}

// -- the page -----------------------------------------------------------------

/// Replaces a marker, which occurs once.
void replace(std::string& text, std::string_view marker, std::string_view by) {
  text.replace(text.find(marker), marker.size(), by);
}

std::string make_page(const plot& x) {
  std::string result{plot_html()};
  replace(result, "/*ROSIA_PLOT_STYLE*/", plot_style());
  replace(result, "/*ROSIA_PLOT_SCRIPT*/", plot_script());
  // Replaced last, so that markers in the data have no effect.
  replace(
    result, "/*ROSIA_PLOT_DATA*/", caf::rosia::detail::json_in_page(x.json()));
  return result;
}

} // namespace

int plot_command(const plot_options& options, std::ostream& out) {
  auto page = make_page(read_plot(options.file));
  if (options.output.empty()) {
    out << page;
    return exit_good;
  }
  require_other_file(options.output, options.file);
  std::ofstream file{options.output, std::ios::binary};
  file << page;
  if (!file.flush())
    throw std::runtime_error{
      "cannot write " + options.output + ": " + std::strerror(errno)};
  return exit_good;
}

} // namespace rosia_trace
