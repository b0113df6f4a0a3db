// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/parcel.hpp"

#include "caf/rosia/actor/gateway.hpp"

#include <caf/deserializer.hpp>
#include <caf/serializer.hpp>

namespace caf::rosia {

namespace {

using engine::envelope;
using engine::loop_part;

/// Tells whether an envelope of this kind brings a payload.
bool has_content(envelope::kind x) noexcept {
  return x == envelope::kind::data || x == envelope::kind::physical;
}

/// Tells whether an envelope of this kind may come from another process.
bool may_travel(envelope::kind x) noexcept {
  return has_content(x) || x == envelope::kind::promise
         || x == envelope::kind::no_more || x == envelope::kind::ask;
}

/// Applies `fun` to each of the fixed parts of a list, whose length travels in
/// front. What is not there is not allocated either.
template <class Processor, class T, class Fun>
caf::error each(Processor& f, std::vector<T>& xs, Fun&& fun) {
  auto size = static_cast<std::uint32_t>(xs.size());
  if (auto err = f(size))
    return err;
  if constexpr (Processor::reads_state) {
    for (auto& x : xs)
      if (auto err = fun(x))
        return err;
  } else {
    xs.clear();
    for (std::uint32_t i = 0; i < size; ++i)
      if (auto err = fun(xs.emplace_back()))
        return err;
  }
  return caf::none;
}

template <class Processor>
caf::error process_view(Processor& f, std::vector<loop_part>& view) {
  return each(f, view, [&](loop_part& x) -> caf::error {
    if (auto err = f(x.process, x.version))
      return err;
    auto plain = [&](auto& y) { return f(y); };
    if (auto err = each(f, x.lows, plain))
      return err;
    if (auto err = each(f, x.sent, plain))
      return err;
    if (auto err = each(f, x.received, plain))
      return err;
    return each(f, x.waits, [&](loop_part::wait& y) {
      return f(y.who, y.want);
    });
  });
}

template <class Processor>
caf::error process_news(Processor& f, std::vector<link_news>& news) {
  return each(f, news, [&](link_news& x) {
    return f(x.connection, x.executed, x.gone);
  });
}

template <class Processor>
caf::error process_head(Processor& f, parcel& x) {
  return f(x.session, x.from, x.to, x.number, x.node, x.loop);
}

caf::error read_envelope(
  caf::deserializer& from, const parcel& y, const detail::gateway& self,
  envelope& x, std::string& problem) {
  std::uint8_t kind = 0;
  if (auto err = from(kind, x.connection))
    return err;
  x.what = static_cast<envelope::kind>(kind);
  if (kind > static_cast<std::uint8_t>(envelope::kind::ask)
      || !may_travel(x.what)) {
    problem = "a message of a kind that does not travel";
    return caf::sec::invalid_argument;
  }
  if (auto err = from(x.tag, x.promise))
    return err;
  if (!has_content(x.what))
    return caf::none;
  std::uint32_t mark = 0;
  if (auto err = from(mark))
    return err;
  auto* type = self.payload_of(y.node, x.connection);
  if (type == nullptr) {
    problem = "a value for a connection that does not lead there";
    return caf::sec::invalid_argument;
  }
  if (mark != self.type_mark(y.node, x.connection)) {
    problem = "a value of another type than that of "
              + self.describe(y.node, x.connection);
    return caf::sec::invalid_argument;
  }
  caf::error err;
  x.content = type->load(from, err);
  if (!x.content)
    problem = "a value that cannot be read, for "
              + self.describe(y.node, x.connection);
  return err;
}

} // namespace

caf::error inspect(caf::serializer& to, parcel& x) {
  if (auto err = process_head(to, x))
    return err;
  detail::gateway::lease self{x.session, x.from};
  if (self.get() == nullptr)
    x.batch.clear(); // the run is over
  auto write = [&](envelope& y) -> caf::error {
    auto kind = static_cast<std::uint8_t>(y.what);
    if (auto err = to(kind, y.connection, y.tag, y.promise))
      return err;
    if (!has_content(y.what))
      return caf::none;
    auto mark = self.get()->type_mark(x.node, y.connection);
    if (auto err = to(mark))
      return err;
    return y.content->save(to);
  };
  if (auto err = each(to, x.batch, write))
    return err;
  if (auto err = process_view(to, x.view))
    return err;
  return process_news(to, x.news);
}

caf::error inspect(caf::deserializer& from, parcel& x) {
  auto read = [&]() -> caf::error {
    if (auto err = process_head(from, x))
      return err;
    detail::gateway::lease self{x.session, x.to};
    if (self.get() == nullptr) {
      // Of a run that is over, or of nothing at all.
      x = parcel{};
      return caf::none;
    }
    auto read_one = [&](envelope& y) {
      return read_envelope(from, x, *self.get(), y, x.problem);
    };
    if (auto err = each(from, x.batch, read_one))
      return err;
    if (auto err = process_view(from, x.view))
      return err;
    return process_news(from, x.news);
  };
  if (read()) {
    x.batch.clear();
    x.view.clear();
    x.news.clear();
    if (x.problem.empty())
      x.problem = "something that cannot be read";
  }
  return caf::none;
}

std::string to_string(const parcel& x) {
  return "parcel(" + std::to_string(x.from) + " to " + std::to_string(x.to)
         + ", " + std::to_string(x.batch.size()) + " messages)";
}

} // namespace caf::rosia
