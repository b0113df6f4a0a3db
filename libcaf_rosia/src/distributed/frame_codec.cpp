// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/frame_codec.hpp"

#include "base/exception_text.hpp"
#include "caf/rosia/port.hpp"
#include "compat/frame_contents.hpp"
#include "distributed/packing.hpp"
#include "nodes/node_access.hpp"

#include <caf/error.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace caf::rosia::detail {

namespace {

using engine::envelope;
using engine::envelope_kind;
using engine::loop_part;
using engine::node_id;

constexpr auto unreadable = "something that cannot be read";

/// Returns whether an envelope of this kind has a payload.
bool has_content(envelope_kind x) noexcept {
  return x == envelope_kind::data || x == envelope_kind::physical
         || x == envelope_kind::last_tag;
}

/// Returns whether an envelope of this kind may be in a batch from another
/// process.
bool may_travel(envelope_kind x) noexcept {
  return has_content(x) || x == envelope_kind::no_more
         || x == envelope_kind::done;
}

std::uint32_t mark_of(std::string_view type) noexcept {
  std::uint32_t result = 0x811c9dc5;
  for (auto c : type)
    result = (result ^ static_cast<unsigned char>(c)) * 0x01000193;
  return result;
}

/// Flags beside the kind of an envelope, in its first byte.
constexpr std::uint8_t kind_mask = 0x0f;
constexpr std::uint8_t same_connection = 0x10; // as the previous one
constexpr std::uint8_t has_promise = 0x20;
constexpr std::uint8_t requests_ack = 0x40;
constexpr std::uint8_t is_long_text = 0x80; // see `value_frame::texts`

/// The previous envelope, to which the description of an envelope refers.
struct context {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t connection = none;
  logical_time tag;
};

/// Calls a function that may call a payload's `inspect`.
/// @returns why it failed; empty if it did not.
template <class Fun>
std::string failure_of(Fun&& fun) {
  try {
    caf::error err = fun();
    return err ? caf::to_string(err) : std::string{};
  } catch (...) {
    return current_exception_text();
  }
}

void pack(packer& to, const engine::remote_loop_table::parts& view) {
  auto each = [&to](auto& xs, auto&& fun) {
    to.put(xs.size());
    for (auto& x : xs)
      fun(x);
  };
  auto put = [&to](auto x) { to.put(x); };
  each(view, [&](auto& x) {
    to.put(x.process);
    to.put(x.version);
    each(x.lows, [&](auto tag) { to.put(tag, {}); });
    each(x.sent, put);
    each(x.received, put);
    each(x.waits, [&](auto& y) {
      to.put(y.waiter);
      to.put(y.awaited, {});
    });
  });
}

void pack(packer& to, const std::vector<link_ack>& acks) {
  to.put(acks.size());
  for (auto& x : acks) {
    to.put(x.connection);
    to.put(x.executed);
    to.put(x.gone);
  }
}

void pack(packer& to, const std::vector<bound_range>& ranges) {
  to.put(ranges.size());
  logical_time last;
  for (auto& x : ranges) {
    to.put(x.first);
    to.put(x.count);
    to.put(x.bound, last);
    last = x.bound;
  }
}

/// Reads a list with `fun`, which reads one element. Allocates memory only for
/// elements that exist.
template <class T, class Fun>
void unpack(unpacker& from, std::vector<T>& xs, Fun&& fun) {
  xs.clear();
  auto size = from.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < size && from.ok(); ++i)
    fun(xs.emplace_back());
}

void unpack(unpacker& from, engine::remote_loop_table::parts& view) {
  unpack(from, view, [&](loop_part& x) {
    x.process = from.get<engine::process_id>();
    x.version = from.get<std::uint64_t>();
    auto number = [&](auto& y) { y = from.get<std::uint64_t>(); };
    unpack(from, x.lows, [&](auto& tag) { tag = from.get(logical_time{}); });
    unpack(from, x.sent, number);
    unpack(from, x.received, number);
    unpack(from, x.waits, [&](loop_part::wait& y) {
      y.waiter = from.get<engine::loop_time_table::member>();
      y.awaited = from.get(logical_time{});
    });
  });
}

void unpack(unpacker& from, std::vector<link_ack>& acks) {
  unpack(from, acks, [&](link_ack& x) {
    x.connection = from.get<std::uint32_t>();
    x.executed = from.get<std::uint64_t>();
    x.gone = from.get<std::uint8_t>() != 0;
  });
}

void unpack(unpacker& from, std::vector<bound_range>& ranges) {
  logical_time last;
  unpack(from, ranges, [&](bound_range& x) {
    x.first = from.get<std::uint32_t>();
    x.count = from.get<std::uint32_t>();
    x.bound = last = from.get(last);
  });
}

frame_address unpack_address(unpacker& from) {
  frame_address result;
  result.session = from.get<std::uint64_t>();
  result.from = from.get<engine::process_id>();
  result.to = from.get<engine::process_id>();
  return result;
}

} // namespace

// -- constructors -------------------------------------------------------------

frame_codec::frame_codec(caf::actor_system& sys, const node_directory& nodes,
                         const engine::topology& graph)
  : system_(sys), nodes_(nodes), graph_(graph) {
  for (auto& x : graph_.connections())
    type_marks_.push_back(mark_of(nodes_.type_of(x.source, true, x.output)));
}

// -- writing ------------------------------------------------------------------

/// Writes envelopes: their descriptions to the heads of a frame, and their
/// payloads to its contents or texts.
class frame_codec::envelope_writer {
public:
  envelope_writer(const frame_codec& codec, value_frame& frame,
                  node_id receiver)
    : codec_(codec), frame_(frame), receiver_(receiver), heads_(frame.heads),
      contents_(codec.system_, frame.contents) {
    // nop
  }

  /// @returns why its payload cannot be written; empty if it can.
  std::string write(const envelope& x) {
    if (!has_content(x.kind)) {
      write_head(x, 0);
      return {};
    }
    if (x.content.type() == typeid(std::string)) {
      write_text(x);
      return {};
    }
    write_head(x, 0);
    return failure_of([&] { return x.content.save(contents_); });
  }

private:
  void write_text(const envelope& x) {
    auto& text = x.content.get<std::string>();
    if (text.size() >= value_frame::long_text) {
      write_head(x, is_long_text);
      frame_.texts.push_back(x.content);
      return;
    }
    write_head(x, 0);
    // This is the format of CAF, which takes three times as long.
    packer{frame_.contents}.put(text.size());
    frame_.contents += text;
  }

  void write_head(const envelope& x, std::uint8_t flags) {
    auto is_same = x.connection == last_.connection && has_content(x.kind);
    if (is_same)
      flags |= same_connection;
    if (x.promise != never)
      flags |= has_promise;
    if (x.ack_request)
      flags |= requests_ack;
    heads_.put(static_cast<std::uint8_t>(x.kind) | flags);
    if (!is_same) {
      heads_.put(x.connection);
      last_.connection = context::none;
      if (has_content(x.kind)) {
        heads_.put(codec_.type_mark(receiver_, x.connection));
        last_.connection = x.connection;
      }
    }
    heads_.put(x.tag, last_.tag);
    last_.tag = x.tag;
    if (x.promise != never)
      heads_.put(x.promise, x.tag);
  }

  const frame_codec& codec_;
  value_frame& frame_;
  node_id receiver_;
  packer heads_;
  contents_writer contents_;
  context last_;
};

std::string frame_codec::begin(
  value_frame& frame, const frame_address& address, node_id receiver,
  const std::vector<envelope>& batch) const {
  constexpr std::size_t without_batch = 64;
  constexpr std::size_t each = 8;
  frame.clear();
  frame.heads.reserve(without_batch + batch.size() * each);
  packer heads{frame.heads};
  heads.put(address.session);
  heads.put(address.from);
  heads.put(address.to);
  heads.put(receiver);
  heads.put(batch.size());
  envelope_writer envelopes{*this, frame, receiver};
  for (auto& x : batch)
    if (auto problem = envelopes.write(x); !problem.empty())
      return "cannot write a value for " + describe(receiver, x.connection)
             + ": " + problem;
  return {};
}

void frame_codec::finish(value_frame& frame, const frame_news& news,
                         std::uint64_t number) {
  packer heads{frame.heads};
  heads.put(news.loop);
  pack(heads, news.view);
  pack(heads, news.acks);
  pack(heads, news.promises);
  pack(heads, news.requests);
  heads.put(number);
}

// -- reading ------------------------------------------------------------------

/// Reads envelopes: their descriptions from the heads of a frame, and their
/// payloads from its contents or texts.
class frame_codec::envelope_reader {
public:
  envelope_reader(const frame_codec& codec, unpacker& heads,
                  const arrived_frame& frame, worker& unit, node_id receiver)
    : codec_(codec), heads_(heads),
      contents_(codec.system_, unit, frame.contents), texts_(frame.texts),
      receiver_(receiver) {
    // nop
  }

  /// @returns whether the envelope could be read.
  bool read(envelope& x) {
    auto first = heads_.get<std::uint8_t>();
    x.kind = static_cast<envelope_kind>(first & kind_mask);
    if (!may_travel(x.kind))
      return fail("a message of a kind that does not travel");
    x.ack_request = (first & requests_ack) != 0;
    if ((first & same_connection) == 0) {
      x.connection = heads_.get<std::uint32_t>();
      type_ = nullptr;
      if (has_content(x.kind) && !find_type(x.connection))
        return false;
    }
    x.tag = heads_.get(last_.tag);
    last_.tag = x.tag;
    if ((first & has_promise) != 0)
      x.promise = heads_.get(x.tag);
    if (!heads_.ok())
      return false;
    if (!has_content(x.kind))
      return true;
    x.connection = last_.connection;
    if (type_ == nullptr)
      return fail("a value for no connection");
    if ((first & is_long_text) != 0)
      return take_text(x);
    return (*type_->info == typeid(std::string) && read_text(x))
           || read_content(x);
  }

  /// Returns whether the payloads of all values were read, and no bytes are
  /// left.
  bool at_end() const noexcept {
    return contents_.rest().empty() && texts_.empty();
  }

  /// Returns what cannot be read.
  std::string problem() && {
    return problem_.empty() ? unreadable : std::move(problem_);
  }

private:
  bool find_type(std::uint32_t connection) {
    auto mark = heads_.get<std::uint32_t>();
    if (!heads_.ok())
      return false;
    type_ = codec_.payload_of(receiver_, connection);
    if (type_ == nullptr)
      return fail("a value for a connection that does not lead there");
    if (mark != codec_.type_mark(receiver_, connection))
      return fail("a value of another type than that of "
                  + codec_.describe(receiver_, connection));
    last_.connection = connection;
    return true;
  }

  bool take_text(envelope& x) {
    if (*type_->info != typeid(std::string) || texts_.empty())
      return false;
    x.content = engine::make_value<std::string>(texts_.front());
    texts_ = texts_.subspan(1);
    return true;
  }

  /// @returns false if there is no complete text; then nothing is read.
  bool read_text(envelope& x) {
    auto bytes = contents_.rest();
    unpacker from{bytes};
    auto size = from.get<std::uint32_t>();
    if (!from.ok() || size > from.left())
      return false;
    auto head = bytes.size() - from.left();
    x.content = engine::make_value<std::string>(bytes.substr(head, size));
    contents_.skip(head + size);
    return true;
  }

  bool read_content(envelope& x) {
    auto failure = failure_of([&] {
      return contents_.read([&](caf::deserializer& from, caf::error& problem) {
        x.content = type_->load(from, problem);
      });
    });
    return failure.empty()
           || fail("a value that cannot be read, for "
                   + codec_.describe(receiver_, x.connection) + ": " + failure);
  }

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  const frame_codec& codec_;
  unpacker& heads_;
  contents_reader contents_;
  std::span<const std::string_view> texts_;
  node_id receiver_;
  context last_;
  const engine::payload_type* type_ = nullptr;
  std::string problem_;
};

std::optional<frame_address> frame_codec::address_of(
  const arrived_frame& frame) {
  unpacker heads{frame.heads};
  auto result = unpack_address(heads);
  return heads.ok() ? std::optional{result} : std::nullopt;
}

std::string frame_codec::read(
  const arrived_frame& frame, worker& unit, frame_content& into) const {
  unpacker heads{frame.heads};
  unpack_address(heads);
  into.node = heads.get<node_id>();
  auto size = heads.get<std::uint32_t>();
  envelope_reader envelopes{*this, heads, frame, unit, into.node};
  into.batch.clear();
  into.batch.reserve(std::min<std::size_t>(size, heads.left()));
  for (std::uint32_t i = 0; i < size; ++i)
    if (!envelopes.read(into.batch.emplace_back()))
      return std::move(envelopes).problem();
  if (!envelopes.at_end())
    return "bytes that belong to no value";
  into.news.loop = heads.get<std::uint32_t>();
  unpack(heads, into.news.view);
  unpack(heads, into.news.acks);
  unpack(heads, into.news.promises);
  unpack(heads, into.news.requests);
  into.number = heads.get<std::uint64_t>();
  return heads.ok() && heads.left() == 0 ? std::string{} : unreadable;
}

// -- connections --------------------------------------------------------------

const engine::payload_type* frame_codec::payload_of(
  node_id to, std::uint32_t index) const noexcept {
  if (to >= nodes_.size() || nodes_.find(to) == nullptr
      || index >= graph_.incoming(to).size())
    return nullptr;
  auto& c = graph_.connections()[graph_.incoming(to)[index]];
  auto& result
    = member_access::payload(*node_access::inputs(*nodes_.find(to))[c.input]);
  return result.load != nullptr ? &result : nullptr;
}

std::uint32_t frame_codec::type_mark(
  node_id to, std::uint32_t index) const noexcept {
  return type_marks_[graph_.incoming(to)[index]];
}

std::string frame_codec::describe(node_id to, std::uint32_t index) const {
  auto& c = graph_.connections()[graph_.incoming(to)[index]];
  return "the connection from '" + nodes_.path(c.source, true, c.output)
         + "' to '" + nodes_.path(c.target, false, c.input) + "' of type "
         + nodes_.type_of(c.source, true, c.output);
}

} // namespace caf::rosia::detail
