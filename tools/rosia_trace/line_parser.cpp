// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/event.hpp"
#include "rosia_trace/event_names.hpp"
#include "rosia_trace/name_index.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace rosia_trace {

namespace {

// -- the shapes of events -----------------------------------------------------

/// The members of one kind of event.
struct event_shape {
  member_set required;
  member_set optional;
  /// The members that may be null.
  member_set nullable;
};

using m = member;

/// In the order of `event_kind`.
constexpr std::array<event_shape, kind_names.size()> shapes{{
  {{m::event, m::format, m::version, m::realtime},
   {m::stop_after, m::process, m::checkpoints, m::replay},
   {}},
  {{m::event, m::node, m::inputs, m::outputs, m::reactions},
   {m::actions, m::process},
   {}},
  {{m::event, m::from, m::to, m::delay, m::physical}, {m::wait}, {}},
  {{m::event, m::node, m::elapsed}, {}, {}},
  {{m::event, m::node, m::tag, m::stat, m::elapsed}, {m::last}, {}},
  {{m::event, m::node, m::tag, m::reaction}, {}, {}},
  {{m::event, m::node, m::tag, m::port, m::from, m::digest},
   {},
   {m::from, m::digest}},
  {{m::event, m::node, m::tag, m::action, m::due, m::digest}, {}, {m::digest}},
  {{m::event, m::node, m::tag, m::action, m::digest}, {}, {m::digest}},
  {{m::event, m::node, m::tag, m::reaction}, {}, {}},
  {{m::event, m::node, m::tag, m::reaction, m::began, m::ended}, {}, {}},
  {{m::event, m::node, m::tag, m::port, m::to, m::arrival, m::digest},
   {},
   {m::arrival, m::digest}},
  {{m::event, m::node, m::port, m::to, m::tag}, {}, {}},
  {{m::event, m::node, m::port, m::reason}, {}, {}},
  {{m::event, m::node, m::tag, m::proposal, m::status}, {}, {m::node, m::tag}},
  {{m::event, m::node, m::proposal}, {}, {}},
  {{m::event, m::node, m::tag}, {}, {}},
  {{m::event, m::tag}, {}, {}},
  {{m::event, m::node, m::tag}, {}, {}},
  {{m::event, m::node, m::reaction, m::tag, m::text}, {}, {m::reaction}},
  {{m::event}, {m::started}, {}},
  {{m::event, m::node, m::tag, m::ending}, {}, {}},
  {{m::event, m::node}, {}, {}},
  {{m::event, m::node, m::group}, {}, {m::group}},
  {{m::event, m::status}, {}, {}},
  {{m::event, m::tag}, {}, {}},
  {{m::event, m::node, m::tag}, {m::left}, {}},
  {{m::event, m::node, m::port, m::from, m::arrival, m::digest},
   {},
   {m::digest}},
  {{m::event, m::node, m::action, m::due, m::digest}, {}, {m::digest}},
  {{m::event, m::node, m::tag, m::reaction, m::deadline}, {}, {}},
  {{m::event, m::node, m::tag, m::action, m::due}, {}, {}},
  {{m::event, m::node, m::tag, m::action, m::expiry}, {}, {m::expiry}},
  {{m::event, m::node, m::action, m::due, m::elapsed}, {}, {}},
  {{m::event, m::node, m::action, m::expiry}, {}, {}},
  {{m::event, m::node, m::port, m::from, m::arrival, m::due}, {}, {m::due}},
  {{m::event, m::node, m::tag}, {}, {}},
  {{m::event, m::node, m::tag, m::action, m::history}, {}, {}},
  {{m::event, m::node, m::action}, {m::active}, {}},
  {{m::event, m::node, m::action, m::delay, m::digest}, {}, {m::digest}},
  {{m::event, m::node, m::tag, m::elapsed, m::before}, {}, {}},
}};

constexpr name_index kinds{kind_names};
constexpr name_index members{member_names};

/// The type of a member's value.
enum class value_type : std::uint8_t {
  text,
  integer,
  boolean,
  tag,
  delay,
  digest,
  list,
};

constexpr std::string_view expected(value_type type) {
  switch (type) {
    case value_type::text:
      return "a text";
    case value_type::integer:
      return "an integer of 64 bits";
    case value_type::boolean:
      return "true or false";
    case value_type::tag:
      return "a tag: [ns, microstep], \"never\" or \"forever\"";
    case value_type::delay:
      return "a delay: [ns, microsteps]";
    case value_type::digest:
      return "16 hex digits";
    case value_type::list:
      return "a list of objects";
  }
  return "";
}

constexpr value_type type_of(member which) {
  switch (which) {
    case m::format:
    case m::elapsed:
    case m::status:
    case m::began:
    case m::ended:
    case m::deadline:
    case m::expiry:
    case m::wait:
      return value_type::integer;
    case m::realtime:
    case m::physical:
    case m::started:
    case m::checkpoints:
    case m::left:
    case m::replay:
    case m::last:
    case m::history:
    case m::active:
      return value_type::boolean;
    case m::stop_after:
    case m::tag:
    case m::stat:
    case m::arrival:
    case m::proposal:
    case m::due:
      return value_type::tag;
    case m::delay:
      return value_type::delay;
    case m::digest:
      return value_type::digest;
    case m::inputs:
    case m::outputs:
    case m::reactions:
    case m::actions:
      return value_type::list;
    default:
      return value_type::text;
  }
}

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
  if (text.size() != 16)
    return std::nullopt;
  std::uint64_t result = 0;
  for (auto c : text) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<unsigned>(c - 'A') + 10;
    else
      return std::nullopt;
    result = result << 4 | digit;
  }
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
    event_.triggers.clear();
    event_.accesses.clear();
    event_.actions.clear();
    event_.acts.clear();
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
    auto known = shape.required | shape.optional;
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
    set_null();
    return true;
  }

  bool Bool(bool x) {
    if (where_ == place::item)
      return set_item_flag(x);
    if (where_ != place::event || type_of(member_) != value_type::boolean)
      return wrong_type();
    flag_field() = x;
    return true;
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
    if (where_ == place::item)
      return set_item_number(x);
    if (where_ != place::event || type_of(member_) != value_type::integer)
      return wrong_type();
    integer_field() = x;
    return true;
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
    switch (where_) {
      case place::event:
        return set_text(text);
      case place::item:
        return set_item_text(text);
      case place::triggers:
        event_.triggers.push_back(text);
        return true;
      case place::acts:
        event_.acts.push_back(text);
        return true;
      case place::accesses:
        event_.accesses.push_back(text);
        return true;
      default:
        return wrong_type();
    }
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
    if (where_ == place::event) {
      switch (type_of(member_)) {
        case value_type::tag:
        case value_type::delay:
          pair_size_ = 0;
          where_ = place::pair;
          return true;
        case value_type::list:
          where_ = place::list;
          return true;
        default:
          return wrong_type();
      }
    }
    if (where_ == place::item && item_member_ == item_member::triggers) {
      where_ = place::triggers;
      return true;
    }
    if (where_ == place::item && item_member_ == item_member::actions) {
      where_ = place::acts;
      return true;
    }
    if (where_ == place::item && (bit(item_member_) & declared_ports) != 0) {
      auto& item = event_.reactions.back();
      item.declares = true;
      item.first_access[access()] = event_.accesses.size();
      where_ = place::accesses;
      return true;
    }
    return wrong_type();
  }

  bool EndArray(rapidjson::SizeType) {
    if (where_ == place::triggers) {
      event_.reactions.back().last_trigger = event_.triggers.size();
      where_ = place::item;
      return true;
    }
    if (where_ == place::acts) {
      event_.reactions.back().last_act = event_.acts.size();
      where_ = place::item;
      return true;
    }
    if (where_ == place::accesses) {
      event_.reactions.back().last_access[access()] = event_.accesses.size();
      where_ = place::item;
      return true;
    }
    auto was = where_;
    where_ = place::event;
    return was == place::list || set_pair();
  }

private:
  enum class place : std::uint8_t {
    outside,
    event,
    pair,
    list,
    item,
    triggers,
    acts,
    accesses,
  };

  /// Returns the way of access that the current member of a reaction declares.
  std::size_t access() const noexcept {
    return static_cast<std::size_t>(item_member_)
           - static_cast<std::size_t>(item_member::reads);
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
    auto result = "the member " + quoted(to_string(member_)) + " has to be ";
    if (where_ == place::list || where_ == place::item
        || where_ == place::triggers || where_ == place::acts
        || where_ == place::accesses)
      result += "a list of objects as declared by the format";
    else
      result += expected(type_of(member_));
    return fail(std::move(result));
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
    switch (type_of(member_)) {
      case value_type::text:
        if (member_ == m::event)
          return set_kind(text);
        text_field() = text;
        return true;
      case value_type::tag:
        if (text != "never" && text != "forever")
          return wrong_type();
        tag_field() = text == "never" ? never : forever;
        return true;
      case value_type::digest:
        if (auto digest = parse_digest(text)) {
          event_.digest = *digest;
          return true;
        }
        return wrong_type();
      default:
        return wrong_type();
    }
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
    if (member_ == m::delay)
      event_.delay = {pair_[0], pair_[1]};
    else
      tag_field() = {pair_[0], pair_[1]};
    return true;
  }

  void set_null() {
    switch (type_of(member_)) {
      case value_type::text:
        if (member_ != m::event)
          text_field() = {};
        break;
      case value_type::tag:
        tag_field() = {};
        break;
      case value_type::digest:
        event_.digest = 0;
        break;
      default:
        break;
    }
  }

  std::int64_t& integer_field() {
    switch (member_) {
      case m::format:
        return event_.format;
      case m::elapsed:
        return event_.elapsed;
      case m::began:
        return event_.began;
      case m::ended:
        return event_.ended;
      case m::deadline:
        return event_.deadline;
      case m::expiry:
        return event_.expiry;
      case m::wait:
        return event_.wait;
      default:
        return event_.status;
    }
  }

  bool& flag_field() {
    switch (member_) {
      case m::realtime:
        return event_.realtime;
      case m::started:
        return event_.started;
      case m::checkpoints:
        return event_.checkpoints;
      case m::left:
        return event_.left;
      case m::replay:
        return event_.replay;
      case m::last:
        return event_.last;
      case m::history:
        return event_.history;
      case m::active:
        return event_.active;
      default:
        return event_.physical;
    }
  }

  std::string_view& text_field() {
    switch (member_) {
      case m::version:
        return event_.version;
      case m::node:
        return event_.node;
      case m::from:
        return event_.from;
      case m::to:
        return event_.to;
      case m::reaction:
        return event_.reaction;
      case m::port:
        return event_.port;
      case m::reason:
        return event_.reason;
      case m::text:
        return event_.text;
      case m::process:
        return event_.process;
      case m::group:
        return event_.group;
      case m::action:
        return event_.action;
      case m::before:
        return event_.before;
      default:
        return event_.ending;
    }
  }

  logical_time& tag_field() {
    switch (member_) {
      case m::stop_after:
        return event_.stop_after;
      case m::stat:
        return event_.stat;
      case m::arrival:
        return event_.arrival;
      case m::proposal:
        return event_.proposal;
      case m::due:
        return event_.due;
      default:
        return event_.tag;
    }
  }

  // -- items ------------------------------------------------------------------

  void start_item() {
    where_ = place::item;
    item_present_ = 0;
    if (member_ == m::inputs) {
      event_.inputs.emplace_back();
    } else if (member_ == m::outputs) {
      event_.outputs.emplace_back();
    } else if (member_ == m::actions) {
      event_.actions.emplace_back();
    } else {
      auto& item = event_.reactions.emplace_back();
      item.first_trigger = item.last_trigger = event_.triggers.size();
      item.first_act = item.last_act = event_.acts.size();
    }
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

  bool set_item_text(std::string_view text) {
    if (item_member_ == item_member::deadline_state) {
      event_.reactions.back().deadline_state = text;
      return true;
    }
    if (item_member_ == item_member::mode) {
      (member_ == m::reactions
         ? event_.reactions.back().mode
         : event_.actions.back().mode)
        = text;
      return true;
    }
    if (item_member_ == item_member::policy) {
      spacing_of_item().policy = text;
      return true;
    }
    if (item_member_ != item_member::name && item_member_ != item_member::type)
      return wrong_type();
    if (member_ == m::reactions) {
      event_.reactions.back().name = text;
      return true;
    }
    auto is_name = item_member_ == item_member::name;
    if (member_ == m::actions) {
      auto& action = event_.actions.back();
      (is_name ? action.name : action.type) = text;
      return true;
    }
    auto& port
      = member_ == m::inputs ? event_.inputs.back() : event_.outputs.back();
    (is_name ? port.name : port.type) = text;
    return true;
  }

  bool set_item_number(std::int64_t x) {
    if (item_member_ == item_member::deadline) {
      event_.reactions.back().deadline = x;
      return true;
    }
    if (item_member_ == item_member::spacing) {
      spacing_of_item().distance = x;
      return true;
    }
    if (item_member_ == item_member::after) {
      event_.inputs.back().after = x;
      return true;
    }
    if (item_member_ == item_member::timeout) {
      event_.actions.back().timeout = x;
      return true;
    }
    if (item_member_ != item_member::offset
        && item_member_ != item_member::period)
      return wrong_type();
    auto& action = event_.actions.back();
    action.ticks = true;
    (item_member_ == item_member::offset ? action.offset : action.period) = x;
    return true;
  }

  spacing_declaration& spacing_of_item() {
    return member_ == m::inputs
             ? event_.inputs.back().spacing
             : event_.actions.back().spacing;
  }

  bool set_item_flag(bool x) {
    switch (item_member_) {
      case item_member::physical:
        event_.inputs.back().physical = x;
        return true;
      case item_member::eager:
        event_.reactions.back().eager = x;
        return true;
      case item_member::startup:
        event_.reactions.back().is_startup = x;
        return true;
      case item_member::at_shutdown:
        event_.reactions.back().at_shutdown = x;
        return true;
      case item_member::is_mode:
        event_.actions.back().is_mode = x;
        return true;
      default:
        return wrong_type();
    }
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
