// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/max_waits.hpp"

namespace rosia_trace {

void max_waits::send(index connection, const event& x) {
  run_.connections[connection].on_the_way.emplace(
    x.arrival, sent_value{connection, digest_of(x), run_.line});
}

sent_value max_waits::take(
  index node, index connection, logical_time arrival, const char* verb) {
  auto& all = run_.connections[connection].on_the_way;
  auto found = all.find(arrival);
  run_.rules.require(rule::max_waits, found != all.end(), [&] {
    return run_.name_of(node) + ' ' + verb + " a value on "
           + run_.declared.connection_name(connection) + " that arrives at "
           + to_string(arrival) + ", but no such one is on its way";
  });
  auto result = found->second;
  all.erase(found);
  return result;
}

void max_waits::tardy(index node, const event& x) {
  auto connection = run_.declared.find_connection_from(
    x.from, run_.declared.find_input(node, x.port));
  auto& declared = run_.declared.connections()[connection];
  run_.rules.require(rule::max_waits, declared.has_wait(), [&] {
    return run_.declared.connection_name(connection)
           + " has a tardy value, but no maximal wait";
  });
  auto value = take(node, connection, x.arrival, "takes as tardy");
  if (!x.has(member::due))
    return;
  auto& self = run_.nodes[node];
  auto name = [&] {
    return "the tardy value on " + run_.declared.connection_name(connection)
           + " that arrives at " + to_string(x.arrival);
  };
  // Its receiver assumed a bound beyond its arrival, which elapsed time had
  // exceeded by the wait.
  run_.rules.require(
    rule::max_waits, x.due.ns - x.arrival.ns > declared.wait, [&] {
      return name() + " is for " + to_string(x.due)
             + "; expected more than the maximal wait later ("
             + std::to_string(declared.wait) + " ns)";
    });
  run_.rules.require(rule::max_waits, !self.executed || x.due > self.now, [&] {
    return name() + " is for " + to_string(x.due) + "; its node executed "
           + to_string(self.now) + " before";
  });
  run_.rules.require(
    rule::max_waits, self.tardy.emplace(x.due, value).second,
    [&] { return name() + " is for the tag of another value"; });
}

bool max_waits::set(index node, index connection, const event& x) {
  auto& tardy = run_.nodes[node].tardy;
  auto due = tardy.find(x.tag);
  auto is_tardy = due != tardy.end() && due->second.connection == connection;
  auto sent
    = is_tardy ? due->second : take(node, connection, x.tag, "sets in time");
  if (is_tardy)
    tardy.erase(due);
  run_.rules.require(rule::inputs, sent.value == digest_of(x), [&] {
    return run_.name_of(node) + " sets a value on "
           + run_.declared.connection_name(connection) + " with digest "
           + to_string(digest_of(x)) + "; sent (" + at_line(sent.line)
           + ") was " + to_string(sent.value);
  });
  return is_tardy;
}

void max_waits::require_present(index node) {
  auto& self = run_.nodes[node];
  if (self.executed)
    require_set(node, self.now);
}

void max_waits::require_none_left(index node, logical_time last) {
  require_set(node, last);
  auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_input; i < declared.last_input; ++i)
    for (auto c : run_.declared.inputs()[i].connections) {
      auto& all = run_.connections[c].on_the_way;
      if (all.empty())
        continue;
      run_.rules.require(rule::nothing_lost, all.begin()->first > last, [&] {
        auto& [arrival, value] = *all.begin();
        return run_.name_of(node) + " shuts down without the value on "
               + run_.declared.connection_name(c) + " (" + at_line(value.line)
               + "), which arrives at " + to_string(arrival)
               + ", and was not tardy";
      });
    }
}

void max_waits::require_set(index node, logical_time last) {
  auto& tardy = run_.nodes[node].tardy;
  if (tardy.empty())
    return;
  run_.rules.require(rule::nothing_lost, tardy.begin()->first > last, [&] {
    auto& [due, value] = *tardy.begin();
    return run_.name_of(node) + " has not set the tardy value on "
           + run_.declared.connection_name(value.connection) + " for "
           + to_string(due) + " (" + at_line(value.line) + ')';
  });
}

} // namespace rosia_trace
