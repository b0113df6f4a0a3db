// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Many tasks, in sequence or nested, which must not grow the stack. Compiled
// without optimization, as in many builds of users.

#include "support.hpp"

namespace deep_tasks_test {

#ifndef __clang__
#  pragma GCC optimize("O0")
#endif

using rosia::after;
using rosia::task;

namespace {

// With a stack frame for each, far more than the usual 8 MiB would be needed.
constexpr int many = 300'000;

struct deep : rosia::node {
  task down(int levels) {
    if (levels > 0)
      co_await down(levels - 1);
    else
      co_await end();
    ++returned;
  }
  virtual task end() {
    co_await after(1ms);
  }
  int returned = 0;
};

} // namespace

TEST_CASE("sub-tasks that end without yielding need no stack", "[task]") {
  struct looper : rosia::node {
    task add() {
      ++count;
      co_return;
    }
    task start() {
      for (int i = 0; i < many; ++i)
        co_await add();
      co_await after(1ms);
      for (int i = 0; i < many; ++i)
        co_await add();
    }
    int count = 0;
  };
  rosia::test::harness<looper> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->count == 2 * many);
}

TEST_CASE("tasks that await each other continue without needing stack",
          "[task]") {
  struct patient : deep {
    task start() {
      co_await down(many);
      co_await down(many);
    }
  };
  rosia::test::harness<patient> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->returned == 2 * (many + 1));
}

TEST_CASE("an exception passes through many tasks without needing stack",
          "[task]") {
  struct failing : deep {
    task end() override {
      co_await after(1ms);
      throw std::runtime_error("no signal");
    }
    task start() {
      try {
        co_await down(many);
      } catch (const std::runtime_error& e) {
        text = e.what();
      }
      co_await after(1ms);
      co_await down(many);
    }
    std::string text;
  };
  rosia::test::harness<failing> h;
  h.run();
  CHECK(h->text == "no signal");
  CHECK(h->returned == 0);
  REQUIRE(h.error());
  CHECK(h.error()->text == "no signal");
}

TEST_CASE("a reaction is ended early from within many tasks", "[task]") {
  struct early : deep {
    task end() override {
      rosia::end_reaction();
      co_return;
    }
    task start() {
      co_await down(many);
    }
  };
  rosia::test::harness<early> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->returned == 0);
}

TEST_CASE(
  "suspended tasks that await each other are destroyed from the innermost",
  "[task]") {
  struct local {
    explicit local(std::vector<int>& to, int number)
      : to_(&to), number_(number) {
      // nop
    }
    local(const local&) = delete;
    local& operator=(const local&) = delete;
    ~local() {
      to_->push_back(number_);
    }
    std::vector<int>* to_;
    int number_;
  };
  struct stuck : rosia::node {
    explicit stuck(std::vector<int>& to) : destroyed(to) {
      // nop
    }
    task down(int levels) {
      local x{destroyed, levels};
      if (levels > 0)
        co_await down(levels - 1);
      else
        co_await after(1h);
    }
    task start() {
      co_await down(many);
    }
    std::vector<int>& destroyed;
  };
  std::vector<int> destroyed;
  {
    rosia::test::harness<stuck> h{destroyed};
    h.run_until(1min);
    CHECK_FALSE(h.error());
    CHECK(destroyed.empty());
  }
  REQUIRE(destroyed.size() == std::size_t{many} + 1);
  CHECK(std::is_sorted(destroyed.begin(), destroyed.end()));
}

} // namespace deep_tasks_test
