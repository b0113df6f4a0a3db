// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/metric_writer.hpp"

#include "base/json.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <sstream>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace caf::rosia::detail {

struct metric_writer::state {
  prometheus::ClientMetric& add(const char* name, const char* help,
                                prometheus::MetricType type, labels which) {
    auto i = std::find_if(families.begin(), families.end(), [&](auto& x) {
      return x.name == name;
    });
    if (i == families.end())
      i = families.insert(i, {name, help, type, {}});
    auto& result = i->metric.emplace_back();
    for (auto& [key, value] : which)
      result.label.push_back({std::move(key), utf8_text(value)});
    return result;
  }

  std::vector<prometheus::MetricFamily> families;
};

metric_writer::metric_writer() : state_(std::make_unique<state>()) {
  // nop
}

metric_writer::~metric_writer() {
  // nop
}

void metric_writer::add_counter(
  const char* name, const char* help, labels which, double x) {
  state_->add(name, help, prometheus::MetricType::Counter, std::move(which))
    .counter.value
    = x;
}

void metric_writer::add_gauge(
  const char* name, const char* help, labels which, double x) {
  state_->add(name, help, prometheus::MetricType::Gauge, std::move(which))
    .gauge.value
    = x;
}

void metric_writer::add_histogram(
  const char* name, const char* help, labels which, const histogram& x) {
  auto& to
    = state_
        ->add(name, help, prometheus::MetricType::Histogram, std::move(which))
        .histogram;
  for (std::size_t i = 0; i < x.counts.size(); ++i) {
    to.sample_count += x.counts[i];
    auto bound
      = i < x.bounds.size()
          ? x.bounds[i]
          : std::numeric_limits<double>::infinity();
    to.bucket.push_back({to.sample_count, bound});
  }
  to.sample_sum = x.sum;
}

void metric_writer::add_states(
  const char* name, const char* help, const labels& which,
  const std::vector<std::string>& names, const std::string& current) {
  for (auto& x : names) {
    auto all = which;
    all.emplace_back("stage", x);
    add_gauge(name, help, std::move(all), x == current ? 1 : 0);
  }
}

std::string metric_writer::text() const {
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, state_->families);
  return out.str();
}

} // namespace caf::rosia::detail
