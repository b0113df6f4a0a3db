// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/recorded_events.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace caf::rosia::run_file {

namespace {

constexpr auto purpose = "read the recorded events";

[[noreturn]] void refuse(const database& file, const std::string& problem) {
  throw std::runtime_error(
    "run file '" + file.path() + "': cannot " + purpose + ": " + problem
    + "; the file is garbled: use a copy");
}

logical_time tag_in(const database& file, const statement& row) {
  auto ns = row.number(4);
  auto microstep = row.number(5);
  if (ns < 0 || microstep < 0
      || microstep > std::numeric_limits<std::uint32_t>::max())
    refuse(file, "one is at a tag that cannot be");
  return {ns, static_cast<std::uint32_t>(microstep)};
}

} // namespace

// -- recorded_events ----------------------------------------------------------

recorded_events::recorded_events(std::vector<part> parts, logical_time final,
                                 std::map<std::string, logical_time> done)
  : parts_(std::move(parts)), final_(final), done_(std::move(done)) {
  // nop
}

void recorded_events::close() {
  std::lock_guard guard{mutex_};
  parts_.clear();
}

logical_time recorded_events::last_of(const std::string& node) const {
  auto found = done_.find(node);
  return found == done_.end() ? final_ : found->second;
}

// -- event_reader -------------------------------------------------------------

event_reader::event_reader(std::shared_ptr<recorded_events> from)
  : from_(std::move(from)) {
  // nop
}

event_reader::event_reader(
  std::shared_ptr<recorded_events> from, std::string node)
  : from_(std::move(from)), node_(std::move(node)) {
  // nop
}

std::vector<event_record> event_reader::next(std::size_t bytes) {
  std::vector<event_record> result;
  std::lock_guard guard{from_->mutex_};
  for (; part_ < from_->parts_.size(); ++part_, row_ = 0) {
    read(from_->parts_[part_], bytes, result);
    if (!result.empty())
      break;
  }
  return result;
}

void event_reader::read(recorded_events::part& from, std::size_t bytes,
                        std::vector<event_record>& to) {
  auto& rows = select(from);
  // A reader that is not reset would block writers of the file.
  std::unique_ptr<statement, void (*)(statement*)> reset{
    &rows, [](statement* x) { x->reset(); }};
  std::size_t size = 0;
  while (size < bytes && rows.step()) {
    row_ = rows.number(0);
    auto before = to.size();
    if (!add(*from.file, rows, to))
      break;
    if (to.size() > before)
      size += sizeof(event_record) + to.back().bytes.size();
  }
}

statement& event_reader::select(recorded_events::part& from) const {
  if (node_)
    return from.file
      ->prepared(purpose, "SELECT rowid, node, source, name, ns, microstep, "
                          "bytes FROM event WHERE run = ?1 AND rowid > ?2 "
                          "AND node = ?3 ORDER BY rowid")
      .bind(1, from.run)
      .bind(2, row_)
      .bind(3, *node_);
  // Do not use the index, which has another order.
  return from.file
    ->prepared(purpose, "SELECT rowid, node, source, name, ns, microstep, "
                        "bytes, text FROM event WHERE +run = ?1 AND rowid > ?2 "
                        "ORDER BY rowid")
    .bind(1, from.run)
    .bind(2, row_);
}

bool event_reader::add(const database& file, const statement& row,
                       std::vector<event_record>& to) {
  auto node = row.text(1);
  auto tag = tag_in(file, row);
  if (tag > from_->last_of(node))
    return !node_;
  auto [last, is_first] = last_.try_emplace(node, tag);
  if (!is_first && tag <= std::exchange(last->second, tag))
    refuse(file, "those of node '" + node + "' are not in order at tag "
                   + to_string(tag));
  auto& x = to.emplace_back();
  x.node = std::move(node);
  x.source = row.text(2);
  x.name = row.text(3);
  x.tag = tag;
  x.bytes = row.bytes(6);
  if (!node_ && !row.is_null(7))
    x.text = row.text(7);
  return true;
}

} // namespace caf::rosia::run_file
