// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/event.hpp"
#include "rosia_trace/event_names.hpp"
#include "rosia_trace/name_index.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>
#include <variant>

namespace rosia_trace {

namespace {

// -- the shapes of events -----------------------------------------------------

/// The members of one kind of event, besides `event`.
struct event_shape {
  member_set required;
  member_set optional;
  /// The members that may be null.
  member_set nullable;
};

using m = member;

/// In the order of `event_kind`.
constexpr std::array<event_shape, kind_names.size()> shapes{{
  {{m::format, m::version, m::realtime},
   {m::stop_after, m::process, m::checkpoints, m::replay},
   {}},
  {{m::node, m::inputs, m::outputs, m::reactions},
   {m::actions, m::process},
   {}},
  {{m::from, m::to, m::delay, m::physical}, {m::wait}, {}},
  {{m::node, m::elapsed}, {}, {}},
  {{m::node, m::tag, m::stat, m::elapsed}, {m::last}, {}},
  {{m::node, m::tag, m::reaction}, {}, {}},
  {{m::node, m::tag, m::port, m::from, m::digest}, {}, {m::from, m::digest}},
  {{m::node, m::tag, m::action, m::due, m::digest}, {}, {m::digest}},
  {{m::node, m::tag, m::action, m::digest}, {}, {m::digest}},
  {{m::node, m::tag, m::reaction}, {}, {}},
  {{m::node, m::tag, m::reaction, m::began, m::ended}, {}, {}},
  {{m::node, m::tag, m::port, m::to, m::arrival, m::digest},
   {},
   {m::arrival, m::digest}},
  {{m::node, m::port, m::to, m::tag}, {}, {}},
  {{m::node, m::port, m::reason}, {}, {}},
  {{m::node, m::tag, m::proposal, m::status}, {}, {m::node, m::tag}},
  {{m::node, m::proposal}, {}, {}},
  {{m::node, m::tag}, {}, {}},
  {{m::tag}, {}, {}},
  {{m::node, m::tag}, {}, {}},
  {{m::node, m::reaction, m::tag, m::text}, {}, {m::reaction}},
  {{}, {m::started}, {}},
  {{m::node, m::tag, m::ending}, {}, {}},
  {{m::node}, {}, {}},
  {{m::node, m::group}, {}, {m::group}},
  {{m::status}, {}, {}},
  {{m::tag}, {}, {}},
  {{m::node, m::tag}, {m::left}, {}},
  {{m::node, m::port, m::from, m::arrival, m::digest}, {}, {m::digest}},
  {{m::node, m::action, m::due, m::digest}, {}, {m::digest}},
  {{m::node, m::tag, m::reaction, m::deadline}, {}, {}},
  {{m::node, m::tag, m::action, m::due}, {}, {}},
  {{m::node, m::tag, m::action, m::expiry}, {}, {m::expiry}},
  {{m::node, m::action, m::due, m::elapsed}, {}, {}},
  {{m::node, m::action, m::expiry}, {}, {}},
  {{m::node, m::port, m::from, m::arrival, m::due}, {}, {m::due}},
  {{m::node, m::tag}, {}, {}},
  {{m::node, m::tag, m::action, m::history}, {}, {}},
  {{m::node, m::action}, {m::active}, {}},
  {{m::node, m::action, m::delay, m::digest}, {}, {m::digest}},
  {{m::node, m::tag, m::elapsed, m::before}, {}, {}},
}};

constexpr name_index kinds{kind_names};
constexpr name_index members{member_names};

/// The variable that has a member's value.
using variable = std::variant<
  std::string_view event::*, std::int64_t event::*, bool event::*,
  logical_time event::*, time_delay event::*, std::uint64_t event::*,
  std::vector<declaration> event::*, event_kind event::*>;

/// The descriptions of their types, in the same order.
constexpr std::array<std::string_view, std::variant_size_v<variable>> types{
  "a text",
  "an integer of 64 bits",
  "true or false",
  R"(a tag: [ns, microstep], "never" or "forever")",
  "a delay: [ns, microsteps]",
  "16 hex digits",
  "a list of objects",
  "a text",
};

/// In the order of `member`.
constexpr std::array<variable, member_names.size()> variables{
  &event::kind,       &event::format,      &event::version, &event::realtime,
  &event::stop_after, &event::node,        &event::inputs,  &event::outputs,
  &event::reactions,  &event::from,        &event::to,      &event::delay,
  &event::physical,   &event::elapsed,     &event::tag,     &event::stat,
  &event::reaction,   &event::port,        &event::digest,  &event::arrival,
  &event::reason,     &event::proposal,    &event::status,  &event::text,
  &event::ending,     &event::process,     &event::started, &event::group,
  &event::actions,    &event::action,      &event::due,     &event::began,
  &event::ended,      &event::checkpoints, &event::left,    &event::deadline,
  &event::replay,     &event::expiry,      &event::wait,    &event::last,
  &event::history,    &event::active,      &event::before,
};

// -- the shapes of list items -------------------------------------------------

constexpr std::array<std::string_view, 21> item_names{
  "name",    "type",         "physical", "triggers",       "eager",
  "startup", "actions",      "offset",   "period",         "reads",
  "writes",  "writes_later", "deadline", "deadline_state", "spacing",
  "policy",  "after",        "timeout",  "at_shutdown",    "is_mode",
  "mode",
};

constexpr name_index item_members{item_names};

/// The members of an item, in the order of `item_names`.
enum class item_member : std::uint8_t {
  name,
  type,
  physical,
  triggers,
  eager,
  startup,
  actions,
  offset,
  period,
  reads,
  writes,
  writes_later,
  deadline,
  deadline_state,
  spacing,
  policy,
  after,
  timeout,
  at_shutdown,
  is_mode,
  mode,
};

/// The variable that has the value of an item's member.
using item_variable
  = std::variant<std::string_view declaration::*, std::int64_t declaration::*,
                 bool declaration::*, name_range declaration::*>;

/// In the order of `item_member`.
constexpr std::array<item_variable, item_names.size()> item_variables{
  &declaration::name,        &declaration::type,
  &declaration::physical,    &declaration::triggers,
  &declaration::eager,       &declaration::is_startup,
  &declaration::actions,     &declaration::offset,
  &declaration::period,      &declaration::reads,
  &declaration::writes,      &declaration::writes_later,
  &declaration::deadline,    &declaration::deadline_state,
  &declaration::spacing,     &declaration::policy,
  &declaration::after,       &declaration::timeout,
  &declaration::at_shutdown, &declaration::is_mode,
  &declaration::mode,
};

constexpr unsigned bit(item_member x) {
  return 1u << static_cast<unsigned>(x);
}

/// The members of a reaction that declares its ports.
constexpr unsigned declared_ports
  = bit(item_member::reads) | bit(item_member::writes)
    | bit(item_member::writes_later);

/// The members of an action that is a tick.
constexpr unsigned times_of_tick
  = bit(item_member::offset) | bit(item_member::period);

/// The members of an action that has a spacing.
constexpr unsigned spacing_members
  = bit(item_member::spacing) | bit(item_member::policy);

constexpr unsigned item_shape(member list) {
  switch (list) {
    case m::inputs:
      return bit(item_member::name) | bit(item_member::type)
             | bit(item_member::physical);
    case m::outputs:
    case m::actions:
      return bit(item_member::name) | bit(item_member::type);
    default:
      return bit(item_member::name) | bit(item_member::triggers)
             | bit(item_member::eager);
  }
}

/// Returns the optional members of an item.
constexpr unsigned optional_shape(member list) {
  if (list == m::reactions)
    return bit(item_member::startup) | bit(item_member::actions)
           | bit(item_member::at_shutdown) | declared_ports
           | bit(item_member::deadline) | bit(item_member::deadline_state)
           | bit(item_member::mode);
  if (list == m::inputs)
    return bit(item_member::after) | spacing_members;
  return list == m::actions
           ? times_of_tick | spacing_members | bit(item_member::timeout)
               | bit(item_member::is_mode) | bit(item_member::mode)
           : 0;
}

std::optional<std::uint64_t> parse_digest(std::string_view text) {
  std::uint64_t result = 0;
  auto end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, result, 16);
  if (text.size() != 16 || rest != end || error != std::errc{})
    return std::nullopt;
  return result;
}

// -- from RapidJSON's events to trace events ----------------------------------

class handler {
public:
  using Ch = char;

  void reset() {
    where_ = place::outside;
    problem_.clear();
    event_.present = event_.nulls = member_set{};
    event_.inputs.clear();
    event_.outputs.clear();
    event_.reactions.clear();
    event_.actions.clear();
    event_.names.clear();
  }

  const event& get() const {
    return event_;
  }

  /// Returns why the line is not an event; empty if RapidJSON found no JSON.
  const std::string& problem() const {
    return problem_;
  }

  /// Returns whether the line was not even an object.
  bool no_object() const {
    return no_object_;
  }

  /// Checks that the event is complete. Call after the whole line was parsed.
  bool complete() {
    if (!event_.present.contains(m::event))
      return fail("the member \"event\" is missing");
    const auto& shape = shapes[static_cast<std::size_t>(event_.kind)];
    if (auto missing = shape.required.without(event_.present); !missing.empty())
      return fail("the event " + quoted(to_string(event_.kind))
                  + " lacks the member " + quoted(to_string(missing.front())));
    auto known = shape.required | shape.optional | member_set{m::event};
    if (auto extra = event_.present.without(known); !extra.empty())
      return fail("the event " + quoted(to_string(event_.kind))
                  + " has no member " + quoted(to_string(extra.front())));
    if (auto nulls = event_.nulls.without(shape.nullable); !nulls.empty()) {
      where_ = place::event;
      member_ = nulls.front();
      return wrong_type();
    }
    return true;
  }

  // -- callbacks of RapidJSON -------------------------------------------------

  bool Null() {
    if (where_ != place::event)
      return wrong_type();
    event_.nulls.insert(member_);
    if (member_ != m::event)
      std::visit([this](auto x) { event_.*x = {}; }, variable_of(member_));
    return true;
  }

  bool Bool(bool x) {
    return set(x);
  }

  bool Int(int x) {
    return Int64(x);
  }

  bool Uint(unsigned x) {
    return Int64(x);
  }

  bool Int64(std::int64_t x) {
    if (where_ == place::pair) {
      if (pair_size_ == 2 || (pair_size_ == 1 && (x < 0 || x > max_microstep)))
        return wrong_type();
      pair_[pair_size_++] = x;
      return true;
    }
    return set(x);
  }

  bool Uint64(std::uint64_t x) {
    if (x > std::numeric_limits<std::int64_t>::max())
      return wrong_type();
    return Int64(static_cast<std::int64_t>(x));
  }

  bool Double(double) {
    return wrong_type();
  }

  bool RawNumber(const char*, rapidjson::SizeType, bool) {
    return wrong_type();
  }

  bool String(const char* data, rapidjson::SizeType size, bool) {
    std::string_view text{data, size};
    if (where_ == place::event)
      return set_text(text);
    if (where_ != place::names)
      return set(text);
    event_.names.push_back(text);
    return true;
  }

  bool StartObject() {
    switch (where_) {
      case place::outside:
        no_object_ = false;
        where_ = place::event;
        return true;
      case place::list:
        start_item();
        return true;
      default:
        return wrong_type();
    }
  }

  bool Key(const char* data, rapidjson::SizeType size, bool) {
    std::string_view name{data, size};
    return where_ == place::item ? item_key(name) : event_key(name);
  }

  bool EndObject(rapidjson::SizeType) {
    if (where_ == place::event) {
      where_ = place::outside;
      return true;
    }
    where_ = place::list;
    return end_item();
  }

  bool StartArray() {
    if (where_ == place::event
        && (field<logical_time>() || field<time_delay>())) {
      pair_size_ = 0;
      where_ = place::pair;
      return true;
    }
    if (where_ == place::event && field<std::vector<declaration>>()) {
      where_ = place::list;
      return true;
    }
    auto* names = where_ == place::item ? item_field<name_range>() : nullptr;
    if (names == nullptr)
      return wrong_type();
    names->first = event_.names.size();
    where_ = place::names;
    return true;
  }

  bool EndArray(rapidjson::SizeType) {
    if (where_ == place::names) {
      item_field<name_range>()->last = event_.names.size();
      where_ = place::item;
      return true;
    }
    auto was = std::exchange(where_, place::event);
    return was == place::list || set_pair();
  }

private:
  enum class place : std::uint8_t {
    outside,
    event,
    pair,
    list,
    item,
    names,
  };

  static const variable& variable_of(member x) {
    return variables[static_cast<std::size_t>(x)];
  }

  /// Returns the value of the current member; null if it has another type.
  template <class T>
  T* field() {
    auto* found = std::get_if<T event::*>(&variable_of(member_));
    return found != nullptr ? &(event_.**found) : nullptr;
  }

  /// Returns the value of the current member of the current item, in the same
  /// way.
  template <class T>
  T* item_field() {
    auto* found = std::get_if<T declaration::*>(
      &item_variables[static_cast<std::size_t>(item_member_)]);
    return found != nullptr ? &(item().**found) : nullptr;
  }

  declaration& item() {
    return field<std::vector<declaration>>()->back();
  }

  template <class T>
  bool set(T x) {
    auto* to
      = where_ == place::event ? field<T>()
        : where_ == place::item
          ? item_field<T>()
          : nullptr;
    if (to == nullptr)
      return wrong_type();
    *to = x;
    return true;
  }

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool wrong_type() {
    if (where_ == place::outside) {
      no_object_ = true;
      return fail("a line has to be one JSON object");
    }
    auto in_list = where_ == place::list || where_ == place::item
                   || where_ == place::names;
    auto result = "the member " + quoted(to_string(member_)) + " has to be ";
    return fail(
      result += in_list ? "a list of objects as declared by the format"
                        : types[variable_of(member_).index()]);
  }

  bool event_key(std::string_view name) {
    auto found = members.find(name);
    if (!found)
      return fail("no event has a member " + quoted(name));
    member_ = static_cast<member>(*found);
    if (event_.present.contains(member_))
      return fail("the member " + quoted(name) + " occurs twice");
    event_.present.insert(member_);
    return true;
  }

  bool set_text(std::string_view text) {
    if (member_ == m::event)
      return set_kind(text);
    if (auto* tag = field<logical_time>();
        tag != nullptr && (text == "never" || text == "forever")) {
      *tag = text == "never" ? never : forever;
      return true;
    }
    if (auto* to = field<std::uint64_t>())
      if (auto digest = parse_digest(text)) {
        *to = *digest;
        return true;
      }
    return set(text);
  }

  bool set_kind(std::string_view name) {
    auto found = kinds.find(name);
    if (!found)
      return fail("trace format 3 has no event " + quoted(name));
    event_.kind = static_cast<event_kind>(*found);
    return true;
  }

  bool set_pair() {
    if (pair_size_ != 2)
      return wrong_type();
    if (auto* tag = field<logical_time>())
      *tag = {pair_[0], pair_[1]};
    else
      event_.delay = {pair_[0], pair_[1]};
    return true;
  }

  // -- items ------------------------------------------------------------------

  void start_item() {
    where_ = place::item;
    item_present_ = 0;
    field<std::vector<declaration>>()->emplace_back();
  }

  bool item_key(std::string_view name) {
    auto found = item_members.find(name);
    if (found)
      item_member_ = static_cast<item_member>(*found);
    auto shape = item_shape(member_) | optional_shape(member_);
    if (!found || (shape & bit(item_member_)) == 0)
      return fail("what stands in " + quoted(to_string(member_))
                  + " has no member " + quoted(name));
    if ((item_present_ & bit(item_member_)) != 0)
      return fail("the member " + quoted(name) + " occurs twice in "
                  + quoted(to_string(member_)));
    item_present_ |= bit(item_member_);
    return true;
  }

  bool end_item() {
    item().ticks = (item_present_ & times_of_tick) != 0;
    item().declares = (item_present_ & declared_ports) != 0;
    auto shape = item_shape(member_);
    for (auto together : {times_of_tick, declared_ports, spacing_members})
      if ((item_present_ & together) != 0)
        shape |= together;
    auto missing = shape & ~item_present_;
    if (missing == 0)
      return true;
    auto first = 0u;
    while (((missing >> first) & 1u) == 0)
      ++first;
    return fail("what stands in " + quoted(to_string(member_))
                + " lacks the member " + quoted(item_names[first]));
  }

  event event_;
  std::string problem_;
  place where_ = place::outside;
  member member_ = m::event;
  item_member item_member_ = item_member::name;
  unsigned item_present_ = 0;
  std::array<std::int64_t, 2> pair_{};
  std::size_t pair_size_ = 0;
  bool no_object_ = false;
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
}

} // namespace

// -- the parser ---------------------------------------------------------------

class line_parser::impl {
public:
  parse_result parse(std::string_view line) {
    syntax_error_.clear();
    handler_.reset();
    if (buffer_.size() <= line.size())
      buffer_.resize(line.size() * 2 + 256);
    std::memcpy(buffer_.data(), line.data(), line.size());
    buffer_[line.size()] = '\0';
    rapidjson::InsituStringStream stream{buffer_.data()};
    using namespace rapidjson;
    // RapidJSON's check of UTF-8 is slow and not needed for ASCII.
    auto status
      = is_ascii(line)
          ? reader_.Parse<kParseInsituFlag>(stream, handler_)
          : reader_.Parse<kParseInsituFlag | kParseValidateEncodingFlag>(
            stream, handler_);
    if (status.Code() == kParseErrorTermination)
      return handler_.no_object()
               ? parse_result::not_json
               : parse_result::not_an_event;
    if (status.IsError()) {
      describe(GetParseError_En(status.Code()), status.Offset());
      return parse_result::not_json;
    }
    // RapidJSON treats a null byte as the end of its input.
    if (stream.Tell() != line.size()) {
      describe("a zero byte", stream.Tell());
      return parse_result::not_json;
    }
    return handler_.complete()
             ? parse_result::event
             : parse_result::not_an_event;
  }

  const event& get() const {
    return handler_.get();
  }

  std::string problem() const {
    return syntax_error_.empty() ? handler_.problem() : syntax_error_;
  }

private:
  void describe(std::string_view problem, std::size_t offset) {
    syntax_error_ = "not JSON at column " + std::to_string(offset + 1) + ": ";
    syntax_error_ += problem;
  }

  handler handler_;
  rapidjson::Reader reader_;
  std::vector<char> buffer_;
  std::string syntax_error_;
};

line_parser::line_parser() : impl_{std::make_unique<impl>()} {
  // nop
}

line_parser::~line_parser() = default;

line_parser::line_parser(line_parser&&) noexcept = default;

line_parser& line_parser::operator=(line_parser&&) noexcept = default;

parse_result line_parser::parse(std::string_view line) {
  return impl_->parse(line);
}

const event& line_parser::get() const {
  return impl_->get();
}

std::string line_parser::problem() const {
  return impl_->problem();
}

} // namespace rosia_trace
