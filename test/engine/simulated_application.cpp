// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_application.hpp"

namespace engine_test {

namespace {

/// Removes and returns the first element.
template <class T>
T pop_front(std::vector<T>& xs) {
  auto result = xs.front();
  xs.erase(xs.begin());
  return result;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

simulated_application::simulated_application(const plan& planned)
  : coordinator(planned.nodes.size(), planned.stop_after), plan_(planned),
    nodes_(make_nodes(*this, planned)), notices_(planned.nodes.size()),
    reports_(planned.nodes.size()) {
  build(make_setups(planned, nodes_), make_wires(planned),
        make_options(planned));
}

simulated_application::~simulated_application() {
  clear();
}

// -- events -------------------------------------------------------------------

void simulated_application::serve_coordinator(node_id id) {
  receive(id, pop_front(reports_[id]));
}

void simulated_application::serve_node(node_id id) {
  inform(id, pop_front(notices_[id]));
}

void simulated_application::call_next() {
  auto& x = plan_.calls[next_call_++];
  if (call(x.node, x.input, x.value))
    ++nodes_[x.node]->waiting;
}

void simulated_application::announce_stop() {
  if (auto& tag = plan_.stop_after)
    for (node_id i = 0; i < size(); ++i)
      inform(i, {notice::kind::final, *tag, *tag});
}

// -- checks -------------------------------------------------------------------

void simulated_application::check_failures() const {
  for (auto& [id, failure] : failures)
    if (!plan_.nodes[id].fails_at || failure.text != planned_failure)
      broken(id, "fails: " + failure.text);
  for (auto& [id, failure] : shutdown_failures)
    if (!plan_.nodes[id].shutdown_fails || failure.text != planned_failure)
      broken(id, "fails in shutdown(): " + failure.text);
}

void simulated_application::check_end() const {
  rules_.check_end(status());
  check_failures();
  for (node_id i = 0; i < size(); ++i) {
    auto& code = *nodes_[i];
    if (code.shutdowns != (left(i) && !had_left(i) ? 1 : 0))
      broken(i, "was shut down " + std::to_string(code.shutdowns) + " times");
    if (!left(i)) {
      if (!vanished(i) && !gave_up())
        broken(i, "has not left");
      continue;
    }
    if (code.pending != 0)
      broken(i, "leaks coroutines");
    auto outcome = at(i).outcome();
    if (outcome == engine::ending::aborted && !aborted())
      broken(i, "was aborted without reason");
    if (outcome == engine::ending::final_tag
        && (!rules_.was_final(at(i).final())
            || at(i).last_before_end() > final_tag()))
      broken(i, "ends at " + to_string(at(i).logical())
                  + ", at its own final tag " + to_string(at(i).final()));
  }
}

std::string simulated_application::situation() {
  using caf::rosia::to_string;
  using std::to_string;
  auto result
    = "stage " + to_string(static_cast<int>(negotiation_.current())) + ", time "
      + to_string(clock()) + ", final tag " + to_string(final_tag());
  for (node_id i = 0; i < size(); ++i) {
    result += "\n  node " + to_string(i);
    if (left(i)) {
      result += " left at " + to_string(at(i).logical());
      continue;
    }
    result
      += " at " + to_string(at(i).logical()) + ", next tag "
         + to_string(at(i).next_tag()) + ", STAT " + to_string(at(i).stat())
         + ", final tag " + to_string(final_of(i))
         + (started(i) ? "" : ", not started") + (scheduled(i) ? ", ready" : "")
         + (vanished(i) ? ", vanished" : "") + (stuck_ == i ? ", stuck" : "")
         + (negotiation_.owes_answer(i) ? ", owes an answer" : "");
  }
  return result;
}

// -- overridden functions -----------------------------------------------------

void simulated_application::notify(node_id id, const notice& x) {
  notices_[id].push_back(x);
}

void simulated_application::on_report(node_id id, const report& x) {
  reports_[id].push_back(x);
}

bool simulated_application::holds_back(node_id, node_id) {
  return true;
}

} // namespace engine_test
