// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/instructions.hpp"

#include <initializer_list>
#include <string_view>

namespace rosia_drill {

namespace {

std::string line_of(std::initializer_list<std::string_view> fields) {
  std::string result;
  for (auto& x : fields) {
    if (&x != fields.begin())
      result += '\t';
    result += x;
  }
  return result;
}

/// Returns the fields of the tag at `where`.
std::string tag_of(const planned_fault& x) {
  return line_of({std::to_string(x.where), "0"});
}

/// Returns the first tag at which the process injects the fault by itself.
std::string first_tag(const planned_fault& x) {
  if (!x.is_left_to_node())
    return line_of({"later", ""});
  return x.spec->when.kind == injection_point_kind::logical
           ? tag_of(x)
           : line_of({"0", "0"});
}

std::string fault_line(const planned_fault& x) {
  auto& spec = *x.spec;
  auto amount
    = spec.kind == fault_kind::request
        ? static_cast<std::int64_t>(spec.status)
        : spec.by.count();
  auto duration = spec.duration ? spec.duration->count() : 0;
  return line_of(
    {"fault", x.number, describe(spec.kind).name, spec.target,
     std::to_string(amount), std::to_string(duration), first_tag(x)});
}

} // namespace

std::vector<std::string> instructions_for(
  const std::string& process, const std::vector<planned_fault>& faults,
  const std::vector<relayed_address>& addresses) {
  std::vector<std::string> result;
  for (auto& x : addresses)
    result.push_back(
      line_of({"address", x.process, "127.0.0.1", std::to_string(x.port)}));
  for (auto& x : faults) {
    auto& spec = *x.spec;
    auto& when = spec.when;
    if (spec.kind == fault_kind::clock && spec.target == process)
      result.push_back(line_of({"clock", std::to_string(spec.by.count())}));
    if (when.kind == injection_point_kind::step)
      result.push_back(
        line_of({"watch", when.step, when.node.empty() ? "*" : when.node}));
    if (when.kind == injection_point_kind::logical && !x.is_left_to_node())
      result.push_back(line_of({"milestone", x.number, when.node, tag_of(x)}));
    if (x.place() == fault_place::node)
      result.push_back(fault_line(x));
  }
  return result;
}

std::string arm_instruction(const planned_fault& x) {
  return line_of({"arm", x.number});
}

} // namespace rosia_drill
