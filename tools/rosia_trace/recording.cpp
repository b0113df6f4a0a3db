// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/recording.hpp"

#include "rosia_trace/lines.hpp"
#include "rosia_trace/trace_file.hpp"

#include <functional>

namespace rosia_trace {

namespace {

/// Collects data for a hash. Lengths distinguish ("ab", "c") from ("a", "bc").
class key_writer {
public:
  explicit key_writer(std::string& key) : key_{key} {
    key_.clear();
  }

  key_writer& operator<<(std::uint64_t x) {
    key_.append(reinterpret_cast<const char*>(&x), sizeof x);
    return *this;
  }

  key_writer& operator<<(std::string_view x) {
    *this << std::uint64_t{x.size()};
    key_.append(x);
    return *this;
  }

  key_writer& operator<<(logical_time x) {
    return *this << static_cast<std::uint64_t>(x.ns)
                 << static_cast<std::uint64_t>(x.microstep);
  }

  std::size_t hash() const {
    return std::hash<std::string_view>{}(key_);
  }

private:
  std::string& key_;
};

std::size_t hash_step(const event& x, std::string& key) {
  key_writer out{key};
  out << static_cast<std::uint64_t>(x.kind) << x.tag;
  for (auto m : {member::port, member::reaction, member::from, member::to,
                 member::action}) {
    out << std::uint64_t{x.has(m)};
    if (x.has(m))
      out << (m == member::port       ? x.port
              : m == member::reaction ? x.reaction
              : m == member::from     ? x.from
              : m == member::to       ? x.to
                                      : x.action);
  }
  out << std::uint64_t{x.has(member::arrival)};
  if (x.has(member::arrival))
    out << x.arrival;
  out << std::uint64_t{x.has(member::due)};
  if (x.has(member::due))
    out << x.due;
  out << std::uint64_t{x.has(member::digest)};
  if (x.has(member::digest))
    out << x.digest;
  out << std::uint64_t{x.has(member::expiry)};
  if (x.has(member::expiry))
    out << static_cast<std::uint64_t>(x.expiry);
  if (x.has(member::history))
    out << std::uint64_t{x.history};
  return out.hash();
}

std::size_t hash_node(const event& x, std::string& key) {
  key_writer out{key};
  for (const auto* ports : {&x.inputs, &x.outputs}) {
    out << std::uint64_t{ports->size()};
    for (const auto& port : *ports)
      out << port.name << port.type << std::uint64_t{port.physical}
          << static_cast<std::uint64_t>(port.after)
          << static_cast<std::uint64_t>(port.spacing) << port.policy;
  }
  for (const auto& reaction : x.reactions) {
    out << reaction.name << std::uint64_t{reaction.eager}
        << std::uint64_t{reaction.is_startup}
        << std::uint64_t{reaction.at_shutdown}
        << static_cast<std::uint64_t>(reaction.deadline)
        << reaction.deadline_state << reaction.mode;
    for (auto names : {reaction.triggers, reaction.actions})
      for (auto name : x.names_of(names))
        out << name;
    out << std::uint64_t{reaction.declares};
    for (auto names :
         {reaction.reads, reaction.writes, reaction.writes_later}) {
      out << std::uint64_t{names.last - names.first};
      for (auto name : x.names_of(names))
        out << name;
    }
  }
  for (const auto& action : x.actions)
    out << action.name << action.type << std::uint64_t{action.ticks}
        << static_cast<std::uint64_t>(action.offset)
        << static_cast<std::uint64_t>(action.period)
        << static_cast<std::uint64_t>(action.spacing) << action.policy
        << static_cast<std::uint64_t>(action.timeout)
        << std::uint64_t{action.is_mode} << action.mode;
  return out.hash();
}

std::size_t hash_connection(const event& x, std::string& key) {
  key_writer out{key};
  out << static_cast<std::uint64_t>(x.delay.ns)
      << static_cast<std::uint64_t>(x.delay.microsteps)
      << std::uint64_t{x.physical}
      << static_cast<std::uint64_t>(x.has(member::wait) ? x.wait : -1);
  return out.hash();
}

} // namespace

recording::recording(std::string text, std::string file)
  : text_{std::move(text)}, file_{std::move(file)} {
  line_parser parser;
  auto fail = [&] {
    throw unreadable_file{file_ + ':' + std::to_string(line_starts_.size())
                          + ": " + parser.problem()};
  };
  auto rest = for_each_line(text_, [&](std::string_view line) {
    line_starts_.push_back(
      static_cast<std::size_t>(line.data() - text_.data()));
    if (parser.parse(line) != parse_result::event)
      fail();
    add(parser.get());
    return true;
  });
  if (!rest.empty()) {
    line_starts_.push_back(text_.size() - rest.size());
    // An incomplete line of a killed process is ignored.
    auto result = parser.parse(rest);
    if (result == parse_result::not_an_event)
      fail();
    if (result == parse_result::event)
      add(parser.get());
  }
  if (line_starts_.empty())
    throw unreadable_file{file_ + ": the trace is empty"};
}

void recording::add(const event& x) {
  switch (x.kind) {
    case event_kind::node: {
      auto& added = node_called(x.node);
      added.declared_hash = hash_node(x, key_);
      added.declared_line = line_starts_.size();
      break;
    }
    case event_kind::connection: {
      auto name = quoted(x.from) + " -> " + quoted(x.to);
      if (connection_names_.emplace(name, connections_.size()).second)
        connections_.push_back(
          {std::move(name), hash_connection(x, key_), line_starts_.size()});
      break;
    }
    case event_kind::execute:
    case event_kind::resume:
    case event_kind::input:
    case event_kind::schedule:
    case event_kind::withdraw:
    case event_kind::action:
    case event_kind::mode:
    case event_kind::reaction:
    case event_kind::missed:
    case event_kind::watchdog:
    case event_kind::send:
      node_called(x.node).steps.push_back(
        {x.tag, hash_step(x, key_), line_starts_.size()});
      break;
    case event_kind::final:
      final_tag_ = x.tag;
      break;
    case event_kind::shutdown:
      node_called(x.node).complete = x.ending != "aborted";
      break;
    case event_kind::end:
      ended_ = true;
      break;
    default:
      break;
  }
}

recording::node& recording::node_called(std::string_view name) {
  auto [i, fresh] = node_names_.emplace(name, nodes_.size());
  if (fresh)
    nodes_.emplace_back().name = name;
  return nodes_[i->second];
}

const recording::node* recording::find(const std::string& name) const {
  auto i = node_names_.find(name);
  return i == node_names_.end() ? nullptr : &nodes_[i->second];
}

const recording::connection* recording::find_connection(
  const std::string& name) const {
  auto i = connection_names_.find(name);
  return i == connection_names_.end() ? nullptr : &connections_[i->second];
}

std::string_view recording::line(std::size_t number) const {
  auto start = line_starts_[number - 1];
  auto result = std::string_view{text_}.substr(start);
  return result.substr(0, result.find('\n'));
}

} // namespace rosia_trace
