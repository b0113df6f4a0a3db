// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace existing_service {

namespace {

/// Returns the elements of `xs` that are not in `ys`. Both lists are sorted.
std::vector<std::string> without(
  const std::vector<std::string>& xs, const std::vector<std::string>& ys) {
  std::vector<std::string> result;
  std::set_difference(
    xs.begin(), xs.end(), ys.begin(), ys.end(), std::back_inserter(result));
  return result;
}

/// Collects a sentence for each difference.
class comparison {
public:
  explicit comparison(report& into) : report_(into) {
    // nop
  }

  void stored(const std::vector<entry>& entries) {
    std::vector<std::string> keys;
    std::vector<std::string> changed;
    for (auto& x : entries) {
      keys.push_back(x.key);
      const auto value = value_of(x.key);
      if (!(x == entry{x.key, value, checksum_of(x.key, value)}))
        changed.push_back(x.key);
    }
    std::sort(keys.begin(), keys.end());
    auto acknowledged = report_.clients.acknowledged;
    std::sort(acknowledged.begin(), acknowledged.end());
    list(without(acknowledged, keys), "acknowledged, but not stored");
    list(without(keys, acknowledged), "stored, but not acknowledged");
    list(changed, "not stored as sent");
  }

  void figures() {
    auto& x = report_.clients;
    const auto answered = x.acknowledged.size() + x.failed;
    if (x.given_up > 0)
      add(std::to_string(x.given_up) + " requests were not answered");
    if (answered + x.refused + x.turned_back + x.given_up != x.sent)
      add("the answers are not as many as the requests");
    if (x.refused != report_.refused)
      add("the acceptor refused " + std::to_string(report_.refused)
          + " requests, but the clients count " + std::to_string(x.refused));
    // An orderly shutdown answers all accepted requests. An aborted one may
    // lose some.
    const auto most = report_.status == 0 ? 0 : x.turned_back + x.given_up;
    if (report_.accepted < answered || report_.accepted > answered + most)
      add(std::to_string(report_.accepted) + " requests were accepted, but "
          + std::to_string(answered) + " answered");
  }

private:
  void add(std::string difference) {
    report_.differences.push_back(std::move(difference));
  }

  void list(const std::vector<std::string>& keys, const char* description) {
    if (!keys.empty())
      add(std::to_string(keys.size()) + " " + description + ", the first is "
          + keys.front());
  }

  report& report_;
};

} // namespace

report make_report(int status, std::string reason, load_figures clients,
                   const door_figures& door, const std::vector<entry>& stored) {
  report result;
  result.status = status;
  result.reason = std::move(reason);
  result.clients = std::move(clients);
  result.accepted = door.accepted;
  result.refused = door.refused;
  result.stored = stored.size();
  comparison compare{result};
  compare.figures();
  compare.stored(stored);
  return result;
}

std::string to_string(const report& x) {
  std::ostringstream out;
  auto& clients = x.clients;
  out << "sent          " << clients.sent << '\n'
      << "accepted      " << x.accepted << '\n'
      << "acknowledged  " << clients.acknowledged.size() << '\n'
      << "refused       " << clients.refused + clients.turned_back << " ("
      << clients.refused << " at the door, " << clients.turned_back
      << " because an actor had ended)\n";
  if (clients.failed > 0)
    out << "failed        " << clients.failed
        << " (the first: " << clients.first_failure << ")\n";
  out << "stored        " << x.stored << '\n';
  if (x.exact())
    out << "exact: what was acknowledged is stored, and nothing else\n";
  for (auto& difference : x.differences)
    out << "NOT EXACT: " << difference << '\n';
  return out.str();
}

std::string to_json(const report& x) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> to{buffer};
  to.SetIndent(' ', 1);
  const auto put = [&to](const char* key, std::uint64_t value) {
    to.Key(key);
    to.Uint64(value);
  };
  to.StartObject();
  to.Key("status");
  to.Int(x.status);
  to.Key("reason");
  to.String(x.reason.c_str());
  put("sent", x.clients.sent);
  put("accepted", x.accepted);
  put("acknowledged", x.clients.acknowledged.size());
  put("refused_at_the_door", x.clients.refused);
  put("turned_back", x.clients.turned_back);
  put("failed", x.clients.failed);
  put("given_up", x.clients.given_up);
  put("stored", x.stored);
  to.Key("exact");
  to.Bool(x.exact());
  to.Key("differences");
  to.StartArray();
  for (auto& difference : x.differences)
    to.String(difference.c_str());
  to.EndArray();
  to.EndObject();
  return std::string{buffer.GetString(), buffer.GetSize()} + '\n';
}

} // namespace existing_service
