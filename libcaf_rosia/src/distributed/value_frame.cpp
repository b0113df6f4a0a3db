// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/value_frame.hpp"

#include "compat/message_reader.hpp"
#include "distributed/gateway.hpp"
#include "distributed/packing.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deserializer.hpp>
#include <caf/serializer.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>

namespace caf::rosia {

namespace {

using detail::gateway;
using detail::message_reader;
using detail::packer;
using detail::unpacker;
using engine::envelope;
using engine::loop_part;
using engine::node_id;

/// Memory that a thread keeps for the next frame, at most, in bytes. Most
/// frames need less, and those that need more are slow anyway.
constexpr std::size_t kept_capacity = 64 * 1024;

template <class T>
void release_large(T& x) {
  if (x.capacity() > kept_capacity)
    T{}.swap(x);
}

/// Tells whether an envelope of this kind brings a payload.
bool has_content(envelope::kind x) noexcept {
  return x == envelope::kind::data || x == envelope::kind::physical;
}

/// Tells whether an envelope of this kind may come from another process.
bool may_travel(envelope::kind x) noexcept {
  return has_content(x) || x == envelope::kind::promise
         || x == envelope::kind::no_more || x == envelope::kind::bound_request;
}

/// Flags beside the kind of an envelope, in its first byte.
constexpr std::uint8_t kind_mask = 0x0f;
constexpr std::uint8_t same_connection = 0x10; // as the one before
constexpr std::uint8_t has_promise = 0x20;
constexpr std::uint8_t requests_ack = 0x40;

/// What one envelope's description builds on: the one before.
struct context {
  std::uint32_t connection = value_frame::none;
  logical_time tag;
};

void pack(packer& to, const envelope& x, const gateway& self, node_id receiver,
          context& last) {
  auto first = static_cast<std::uint8_t>(x.what);
  auto is_same = x.connection == last.connection && has_content(x.what);
  if (is_same)
    first |= same_connection;
  if (x.promise != never)
    first |= has_promise;
  if (x.ack_request)
    first |= requests_ack;
  to.put(first);
  if (!is_same) {
    to.put(x.connection);
    last.connection = value_frame::none;
    if (has_content(x.what)) {
      to.put(self.type_mark(receiver, x.connection));
      last.connection = x.connection;
    }
  }
  to.put(x.tag, last.tag);
  last.tag = x.tag;
  if (x.promise != never)
    to.put(x.promise, x.tag);
}

void pack(packer& to, const std::vector<envelope>& batch, const gateway& self,
          node_id receiver) {
  context last;
  for (auto& x : batch)
    pack(to, x, self, receiver, last);
}

/// Calls what a payload's `inspect` is called by. @returns why it failed; empty
/// if it did not.
template <class Fun>
std::string failure_of(Fun&& fun) {
  try {
    caf::error err = fun();
    return err ? caf::to_string(err) : std::string{};
  } catch (const std::exception& err) {
    return err.what();
  } catch (...) {
    return "an exception that is not derived from std::exception";
  }
}

/// Writes the payloads of a batch. @returns whether all could be written. Else
/// the application has begun to abort.
bool save(caf::serializer& to, const std::vector<envelope>& batch,
          gateway& self, node_id receiver) {
  for (auto& x : batch) {
    if (!has_content(x.what))
      continue;
    auto why = failure_of([&] { return x.content->save(to); });
    if (why.empty())
      continue;
    self.cannot_write(receiver, x.connection, why);
    return false;
  }
  return true;
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
      to.put(y.who);
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

/// Reads a list with `fun`, which reads one element. What is not there is not
/// allocated either.
template <class T, class Fun>
void unpack(unpacker& from, std::vector<T>& xs, Fun&& fun) {
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
      y.who = from.get<engine::loop_time_table::member>();
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

/// Reads envelopes: what describes them from `heads`, their payloads from
/// `contents`.
class envelope_reader {
public:
  /// @param careful reads the contents if there can be messages in them.
  envelope_reader(unpacker& heads, caf::deserializer& contents,
                  std::optional<message_reader>& careful, const gateway& self,
                  value_frame& into)
    : heads_(heads), contents_(contents), careful_(careful), self_(self),
      into_(into) {
    // nop
  }

  /// @returns whether it could be read. Else `value_frame::problem` may tell
  /// why.
  bool read(envelope& x) {
    auto first = heads_.get<std::uint8_t>();
    x.what = static_cast<envelope::kind>(first & kind_mask);
    if (!may_travel(x.what))
      return fail("a message of a kind that does not travel");
    x.ack_request = (first & requests_ack) != 0;
    if ((first & same_connection) == 0) {
      x.connection = heads_.get<std::uint32_t>();
      type_ = nullptr;
      if (has_content(x.what) && !find_type(x.connection))
        return false;
    }
    x.tag = heads_.get(last_.tag);
    last_.tag = x.tag;
    if ((first & has_promise) != 0)
      x.promise = heads_.get(x.tag);
    if (!heads_.ok())
      return false;
    if (!has_content(x.what))
      return true;
    x.connection = last_.connection;
    return read_content(x);
  }

private:
  bool find_type(std::uint32_t connection) {
    auto mark = heads_.get<std::uint32_t>();
    if (!heads_.ok())
      return false;
    type_ = self_.payload_of(into_.node, connection);
    if (type_ == nullptr)
      return fail("a value for a connection that does not lead there");
    if (mark != self_.type_mark(into_.node, connection))
      return fail("a value of another type than that of "
                  + self_.describe(into_.node, connection));
    last_.connection = connection;
    return true;
  }

  bool read_content(envelope& x) {
    if (type_ == nullptr)
      return fail("a value for no connection");
    auto why = failure_of([&] {
      caf::error err;
      if (!careful_) {
        x.content = type_->load(contents_, err);
        return err;
      }
      x.content = type_->load(*careful_, err);
      return careful_->problem() ? careful_->problem() : err;
    });
    return why.empty()
           || fail("a value that cannot be read, for "
                   + self_.describe(into_.node, x.connection) + ": " + why);
  }

  bool fail(std::string problem) {
    into_.problem = std::move(problem);
    return false;
  }

  unpacker& heads_;
  caf::deserializer& contents_;
  std::optional<message_reader>& careful_;
  const gateway& self_;
  value_frame& into_;
  context last_;
  const engine::payload_type* type_ = nullptr;
};

/// Tells whether there can be messages in what is left to be read.
bool has_messages(caf::deserializer& from) {
  auto* source = dynamic_cast<caf::binary_deserializer*>(&from);
  if (source == nullptr)
    return true;
  auto rest = source->remainder();
  std::string_view text{
    reinterpret_cast<const char*>(rest.data()), rest.size()};
  return text.find(detail::type_prefix) != std::string_view::npos;
}

/// @param bytes are for what describes it.
/// @returns whether it could be read. Else `value_frame::problem` may tell why.
bool read(caf::deserializer& from, std::string& bytes, value_frame& x) {
  if (from(bytes))
    return false;
  unpacker heads{bytes};
  x.session = heads.get<std::uint64_t>();
  x.from = heads.get<engine::process_id>();
  x.to = heads.get<engine::process_id>();
  gateway::lease self{x.session, x.to};
  if (self.get() == nullptr) {
    // Of a run that is over, or of nothing at all.
    x = value_frame{};
    return true;
  }
  x.number = heads.get<std::uint64_t>();
  x.node = heads.get<node_id>();
  x.loop = heads.get<std::uint32_t>();
  unpack(heads, x.view);
  unpack(heads, x.acks);
  auto size = heads.get<std::uint32_t>();
  std::optional<message_reader> careful;
  if (size > 0 && has_messages(from))
    careful.emplace(from);
  envelope_reader one{heads, from, careful, *self.get(), x};
  x.batch.reserve(std::min<std::size_t>(size, heads.left()));
  for (std::uint32_t i = 0; i < size; ++i)
    if (!one.read(x.batch.emplace_back()))
      return false;
  return heads.ok() && heads.left() == 0;
}

} // namespace

void write_ahead(value_frame& x, caf::actor_system& sys, gateway& self) {
  constexpr std::size_t large = 16;
  if (x.batch.size() < large)
    return;
  // What grows step by step does so in memory that is kept.
  thread_local packer heads;
  thread_local std::vector<char> contents;
  heads.bytes().clear();
  contents.clear();
  pack(heads, x.batch, self, x.node);
  caf::binary_serializer sink{sys, contents};
  if (save(sink, x.batch, self, x.node)) {
    x.ahead.size = x.batch.size();
    x.ahead.heads = heads.bytes();
    x.ahead.contents.assign(contents.begin(), contents.end());
  }
  release_large(heads.bytes());
  release_large(contents);
  x.batch.clear();
}

caf::error inspect(caf::serializer& to, value_frame& x) {
  gateway::lease self{x.session, x.from};
  if (self.get() == nullptr) {
    // The run is over.
    x.batch.clear();
    x.ahead = {};
  }
  thread_local packer heads;
  heads.bytes().clear();
  heads.put(x.session);
  heads.put(x.from);
  heads.put(x.to);
  heads.put(x.number);
  heads.put(x.node);
  heads.put(x.loop);
  pack(heads, x.view);
  pack(heads, x.acks);
  heads.put(x.ahead.size + x.batch.size());
  heads.append(x.ahead.heads);
  if (!x.batch.empty())
    pack(heads, x.batch, *self.get(), x.node);
  auto err = to(heads.bytes());
  release_large(heads.bytes());
  if (err)
    return err;
  if (x.ahead.size > 0)
    return to.apply_raw(x.ahead.contents.size(), x.ahead.contents.data());
  if (!x.batch.empty())
    save(to, x.batch, *self.get(), x.node);
  return caf::none;
}

caf::error inspect(caf::deserializer& from, value_frame& x) {
  thread_local std::string bytes;
  if (!read(from, bytes, x)) {
    x.batch.clear();
    x.view.clear();
    x.acks.clear();
    if (x.problem.empty())
      x.problem = "something that cannot be read";
  }
  release_large(bytes);
  return caf::none;
}

std::string to_string(const value_frame& x) {
  return "value_frame(" + std::to_string(x.from) + " to " + std::to_string(x.to)
         + ", " + std::to_string(x.ahead.size + x.batch.size()) + " messages)";
}

} // namespace caf::rosia
