// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/inbox.hpp"

#include "catch.hpp"

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

namespace inbox_test {

using caf::rosia::logical_time;
using caf::rosia::detail::inbox;
using caf::rosia::detail::waker;
using caf::rosia::engine::envelope;
using caf::rosia::engine::envelope_kind;

namespace {

envelope numbered(std::uint32_t x) {
  envelope result;
  result.connection = x;
  return result;
}

std::vector<envelope> batch(std::initializer_list<std::uint32_t> xs) {
  std::vector<envelope> result;
  for (auto x : xs)
    result.push_back(numbered(x));
  return result;
}

std::vector<std::uint32_t> drain(inbox& x) {
  std::vector<envelope> mail;
  x.drain(mail);
  std::vector<std::uint32_t> result;
  for (auto& y : mail)
    result.push_back(y.connection);
  return result;
}

using numbers = std::vector<std::uint32_t>;

struct bell : waker {
  void signal() override {
    ++rung;
  }

  int rung = 0;
};

} // namespace

TEST_CASE("batches leave in the order in which they were added", "[inbox]") {
  inbox x;
  CHECK_FALSE(x.has_mail());
  auto a = batch({1, 2});
  x.push(a);
  CHECK(a.empty());
  auto b = batch({3});
  x.push(b);
  CHECK(b.empty());
  CHECK(x.has_mail());
  CHECK(drain(x) == numbers{1, 2, 3});
  CHECK_FALSE(x.has_mail());
  CHECK(drain(x).empty());
}

TEST_CASE("a null message, and the end, become part of the message beside them "
          "on their connection",
          "[inbox]") {
  inbox x;
  auto push = [&](envelope message) {
    std::vector<envelope> mail;
    mail.push_back(std::move(message));
    x.push(mail);
    CHECK(mail.empty());
  };
  auto promise = [&](std::uint32_t connection, std::int64_t ns) {
    push({.kind = envelope_kind::promise,
          .promise = {ns, 0},
          .connection = connection});
  };
  auto only_message = [&] {
    std::vector<envelope> mail;
    x.drain(mail);
    REQUIRE(mail.size() == 1);
    return mail[0];
  };
  promise(1, 5);
  SECTION("a greater promise") {
    promise(1, 6);
    auto message = only_message();
    CHECK(message.kind == envelope_kind::promise);
    CHECK(message.promise == logical_time{6, 0});
  }
  SECTION("a value that promises less") {
    push({.tag = {8, 0}, .connection = 1});
    auto message = only_message();
    CHECK(message.kind == envelope_kind::data);
    CHECK(message.tag == logical_time{8, 0});
    CHECK(message.promise == logical_time{5, 0});
  }
  SECTION("a promise after a value") {
    push({.tag = {8, 0}, .promise = {8, 1}, .connection = 1});
    promise(1, 9);
    auto message = only_message();
    CHECK(message.kind == envelope_kind::data);
    CHECK(message.tag == logical_time{8, 0});
    CHECK(message.promise == logical_time{9, 0});
  }
  SECTION("the end") {
    push({.kind = envelope_kind::no_more, .connection = 1});
    auto message = only_message();
    CHECK(message.kind == envelope_kind::promise);
    CHECK(message.last);
  }
  SECTION("the end after a value") {
    push({.tag = {8, 0}, .connection = 1});
    push({.kind = envelope_kind::no_more, .connection = 1});
    auto message = only_message();
    CHECK(message.kind == envelope_kind::data);
    CHECK(message.tag == logical_time{8, 0});
    CHECK(message.last);
  }
}

TEST_CASE("an emptied inbox has room for a message", "[inbox]") {
  inbox x;
  auto mail = batch({1});
  x.push(mail);
  CHECK(mail.capacity() == 0);
  CHECK(drain(x) == numbers{1});
  mail = batch({2});
  x.push(mail);
  CHECK(mail.capacity() == 1); // the sender has the buffer now
  CHECK(drain(x) == numbers{2});
}

TEST_CASE(
  "a null message is kept beside messages of other connections and other kinds",
  "[inbox]") {
  inbox x;
  std::vector<envelope> mail;
  auto push = [&](envelope_kind kind, std::uint32_t connection) {
    mail.push_back({.kind = kind, .connection = connection});
    x.push(mail);
  };
  push(envelope_kind::promise, 1);
  push(envelope_kind::promise, 2);
  push(envelope_kind::data, 1);
  push(envelope_kind::data, 1);
  push(envelope_kind::promise, 2);
  push(envelope_kind::bound_request, 2);
  push(envelope_kind::promise, 2);
  push(envelope_kind::action, 2);
  push(envelope_kind::promise, 2);
  CHECK(drain(x) == numbers{1, 2, 1, 1, 2, 2, 2, 2, 2});
}

TEST_CASE("values from outside are accepted up to a limit, and wake the node",
          "[inbox]") {
  inbox x;
  bell b;
  std::atomic<std::uint32_t> waiting = 0;
  std::atomic<std::uint32_t> elsewhere = 0;
  x.attach(&b, 2);
  CHECK(x.offer(numbered(1), waiting));
  CHECK(x.offer(numbered(2), waiting));
  CHECK_FALSE(x.offer(numbered(3), waiting));
  CHECK(x.offer(numbered(4), elsewhere));
  CHECK(b.rung == 3);
  CHECK(waiting == 2);
  CHECK(x.refused() == 1);
  // They count until they are executed, not only until they are received.
  CHECK(drain(x) == numbers{1, 2, 4});
  CHECK_FALSE(x.offer(numbered(5), waiting));
  waiting = 1;
  CHECK(x.offer(numbered(6), waiting));
  CHECK(x.refused() == 2);
}

TEST_CASE("values from outside wait for the node's activation", "[inbox]") {
  inbox x;
  std::atomic<std::uint32_t> waiting = 0;
  for (std::uint32_t i = 0; i < 1'024; ++i)
    REQUIRE(x.offer(numbered(i), waiting));
  CHECK_FALSE(x.offer(numbered(0), waiting));
  bell b;
  x.attach(&b, 2'000);
  CHECK(b.rung == 0);
  CHECK(x.has_mail());
  CHECK(x.offer(numbered(0), waiting));
  CHECK(b.rung == 1);
  CHECK(drain(x).size() == 1'025);
}

TEST_CASE("after refuse() only messages are accepted", "[inbox]") {
  inbox x;
  bell b;
  std::atomic<std::uint32_t> waiting = 0;
  x.attach(&b, 10);
  CHECK(x.offer(numbered(1), waiting));
  x.refuse();
  CHECK_FALSE(x.offer(numbered(2), waiting));
  auto more = batch({3});
  x.push(more);
  CHECK(drain(x) == numbers{1, 3});
  CHECK(b.rung == 1);
  CHECK(x.refused() == 1);
}

TEST_CASE("after close() an inbox is empty, and counts what is dropped",
          "[inbox]") {
  inbox x;
  bell b;
  std::atomic<std::uint32_t> waiting = 0;
  x.attach(&b, 10);
  auto before = batch({1, 2});
  x.push(before);
  CHECK(x.close() == 2);
  CHECK_FALSE(x.has_mail());
  auto after = batch({3});
  CHECK(x.push(after) == 1);
  CHECK(after.empty());
  CHECK_FALSE(x.offer(numbered(4), waiting));
  CHECK(drain(x).empty());
  CHECK(b.rung == 0);
  CHECK(waiting == 0);
}

TEST_CASE("messages of many threads leave once, each thread's in order",
          "[inbox]") {
  constexpr std::uint32_t threads = 4;
  constexpr std::uint32_t items = 5'000;
  inbox x;
  std::atomic<std::uint32_t> waiting = 0;
  std::atomic<std::uint32_t> finished = 0;
  std::vector<std::thread> producers;
  for (std::uint32_t t = 0; t < threads; ++t)
    producers.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < items; i += 2) {
        auto pair = batch({t * items + i, t * items + i + 1});
        x.push(pair);
        while (!x.offer(numbered(threads * items), waiting))
          std::this_thread::yield();
      }
      ++finished;
    });
  numbers next{0, items, 2 * items, 3 * items};
  std::uint32_t offered = 0;
  auto wrong = 0;
  for (auto last = false; !last;) {
    last = finished == threads;
    for (auto y : drain(x)) {
      if (y == threads * items) {
        ++offered;
        --waiting;
      } else if (next[y / items]++ != y) {
        ++wrong;
      }
    }
  }
  for (auto& y : producers)
    y.join();
  CHECK(wrong == 0);
  CHECK(next == numbers{items, 2 * items, 3 * items, 4 * items});
  CHECK(offered == threads * items / 2);
  CHECK(waiting == 0);
}

} // namespace inbox_test
