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
#include <array>
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

using caf::rosia::detail::put;
using caf::rosia::detail::put_list;
using caf::rosia::detail::put_object;
using writer = rapidjson::Writer<rapidjson::StringBuffer>;

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

void put(writer& to, const plotted_node& x) {
  to.StartObject();
  put(to, "name", x.name);
  put(to, "tags", x.tags);
  put(to, "reactions", x.reactions);
  put(to, "in", x.in);
  put(to, "out", x.out);
  put(to, "busy", x.busy);
  // By columns, which takes half the space.
  auto column = [&](const char* key, auto value) {
    put_list(to, key, x.points, [&](auto& y) { to.Int64(value(y)); });
  };
  column("tag", [](auto& y) { return y.tag.ns; });
  column("microstep", [](auto& y) { return y.tag.microstep; });
  column("at", [](auto& y) { return y.elapsed; });
  column("number", [](auto& y) { return static_cast<std::int64_t>(y.number); });
  column("busy_before", [](auto& y) { return y.busy_before; });
  put_list(to, "ports", x.ports, [&](auto& entry) {
    auto& port = entry.second;
    put_object(to, [&] {
      put(to, "name", entry.first);
      put(to, "output", port.is_output);
      // Indices of its tags in the list above.
      std::size_t i = 0;
      put_list(to, "points", port.tags, [&](auto tag) {
        while (i < x.points.size() && x.points[i].tag < tag)
          ++i;
        if (i < x.points.size() && x.points[i].tag == tag)
          to.Uint64(i);
      });
    });
  });
  to.EndObject();
}

void put(writer& to, const plotted_connection& x) {
  put_object(to, [&] {
    put(to, "from", x.from);
    put(to, "to", x.to);
    put_list(to, "delay", std::array{x.delay.ns, x.delay.microsteps});
  });
}

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

  bool realtime_ = true;
  logical_time beginning_ = origin;
  std::vector<plotted_node> nodes_;
  std::vector<plotted_connection> connections_;
  std::unordered_map<std::string, std::size_t> names_;
  std::size_t count_ = 0;
  std::uint64_t kept_ = 1; // one of this many tags
};

std::string plot::json() const {
  rapidjson::StringBuffer buffer;
  writer to{buffer};
  to.StartObject();
  put(to, "realtime", realtime_);
  put(to, "kept", kept_);
  auto put_part = [&to](auto& x) { put(to, x); };
  put_list(to, "nodes", nodes_, put_part);
  put_list(to, "connections", connections_, put_part);
  to.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

plot read_plot(const std::string& file) {
  plot result;
  read_events(file, [&](const event& x) { result.add(x); });
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

int plot_command(const conversion_options& options, std::ostream& out) {
  auto page = make_page(read_plot(options.file));
  require_other_file(options.output, options.file);
  write_to(options.output, out, [&](std::ostream& to) { to << page; });
  return exit_good;
}

} // namespace rosia_trace
