// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/recorded_events.hpp"

#include "time/parse_time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace caf::rosia::run_file {

namespace {

constexpr auto purpose = "read the recorded events";

[[noreturn]] void refuse(const database& file, const std::string& problem) {
  throw std::runtime_error(
    "run file '" + file.path() + "': cannot " + purpose + ": " + problem
    + "; the file is garbled: use a copy");
}

/// @param column that of the nanoseconds; the microstep is in the next one.
logical_time tag_in(const database& file, const statement& row, int column) {
  auto ns = row.number(column);
  auto microstep = row.number(column + 1);
  if (ns < 0 || microstep < 0
      || microstep > std::numeric_limits<std::uint32_t>::max())
    refuse(file, "one is at a tag that cannot be");
  return {ns, static_cast<std::uint32_t>(microstep)};
}

/// The points in a file, in the order of the enumeration.
constexpr std::array<std::string_view, 3> points{
  "at the start", "in the reaction", "after a yield"};

/// The text between a point and the number of calls.
constexpr std::string_view before_calls = ", calls: ";

/// The number of events without a value that are read at a time.
constexpr std::size_t text_events_at_a_time = 1'000;

/// The texts of tardy values.
constexpr std::string_view present_at = "at ";
constexpr std::string_view was_dropped = "dropped";

/// Parses the result of `text_of`.
/// @returns whether it could.
bool parse_deadline(std::string_view text, deadline_record& to) {
  auto end = text.find(before_calls);
  auto where = std::find(points.begin(), points.end(), text.substr(0, end));
  if (where == points.end())
    return false;
  to.where = static_cast<deadline_record::point>(where - points.begin());
  if (end == std::string_view::npos)
    return to.where == deadline_record::point::start;
  auto digits = text.substr(end + before_calls.size());
  auto* last = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), last, to.calls);
  return error == std::errc{} && stop == last;
}

/// Parses the result of `text_of`.
std::optional<logical_time> parse_tardy(std::string_view text) {
  if (text == was_dropped)
    return forever;
  return text.starts_with(present_at)
           ? detail::parse_logical_time(text.substr(present_at.size()))
           : std::nullopt;
}

} // namespace

std::string text_of(const tardy_record& x) {
  return x.tag == forever
           ? std::string{was_dropped}
           : std::string{present_at} + to_string(x.tag);
}

std::string text_of(const deadline_record& x) {
  std::string result{points[static_cast<std::size_t>(x.where)]};
  if (x.where != deadline_record::point::start)
    result += std::string{before_calls} + std::to_string(x.calls);
  return result;
}

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
      ->prepared(
        purpose,
        "SELECT rowid, node, source, name, ns, microstep, "
        "bytes FROM event WHERE run = ?1 AND rowid > ?2 "
        "AND node = ?3 AND source NOT IN ('deadline', 'tardy') "
        "ORDER BY rowid")
      .bind(1, from.run)
      .bind(2, row_)
      .bind(3, *node_);
  // Do not use the index, which has another order.
  return from.file
    ->prepared(
      purpose,
      "SELECT rowid, node, source, name, ns, microstep, "
      "bytes, text FROM event WHERE +run = ?1 AND rowid > ?2 "
      "AND source NOT IN ('deadline', 'tardy') ORDER BY rowid")
    .bind(1, from.run)
    .bind(2, row_);
}

bool event_reader::add(const database& file, const statement& row,
                       std::vector<event_record>& to) {
  auto node = row.text(1);
  auto tag = tag_in(file, row, 4);
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

// -- text_event_reader --------------------------------------------------------

text_event_reader::text_event_reader(
  std::shared_ptr<recorded_events> from, std::string source, std::string node,
  std::string name)
  : from_(std::move(from)), source_(std::move(source)), node_(std::move(node)),
    name_(std::move(name)) {
  // nop
}

std::vector<text_event_reader::entry> text_event_reader::next() {
  std::vector<entry> result;
  std::lock_guard guard{from_->mutex_};
  for (; part_ < from_->parts_.size(); ++part_, row_ = 0) {
    auto more = read(from_->parts_[part_], result);
    if (more || !result.empty())
      break;
  }
  return result;
}

void text_event_reader::refuse(const entry& x) const {
  throw std::runtime_error(
    "cannot " + std::string{purpose} + ": the " + source_ + " event of '"
    + name_ + "' of node '" + node_ + "' at tag " + to_string(x.tag) + ", '"
    + x.text
    + "', is not in order, or has no meaning; the file is garbled: use a copy");
}

bool text_event_reader::read(
  recorded_events::part& from, std::vector<entry>& to) {
  auto& rows
    = from.file
        ->prepared(purpose, "SELECT rowid, ns, microstep, text FROM event "
                            "WHERE run = ?1 AND rowid > ?2 AND node = ?3 "
                            "AND source = ?4 AND name = ?5 ORDER BY rowid")
        .bind(1, from.run)
        .bind(2, row_)
        .bind(3, node_)
        .bind(4, source_)
        .bind(5, name_);
  // A reader that is not reset would block writers of the file.
  std::unique_ptr<statement, void (*)(statement*)> reset{
    &rows, [](statement* x) { x->reset(); }};
  while (to.size() < text_events_at_a_time) {
    if (!rows.step())
      return false;
    row_ = rows.number(0);
    auto& x = to.emplace_back();
    x = {tag_in(*from.file, rows, 1), rows.text(3)};
    if (x.tag < std::exchange(last_, x.tag))
      refuse(x);
  }
  return true;
}

// -- deadline_reader ----------------------------------------------------------

deadline_reader::deadline_reader(
  std::shared_ptr<recorded_events> from, std::string node, std::string reaction)
  : reader_(std::move(from), "deadline", node, reaction),
    node_(std::move(node)), reaction_(std::move(reaction)) {
  // nop
}

std::vector<deadline_record> deadline_reader::next() {
  std::vector<deadline_record> result;
  for (auto& x : reader_.next()) {
    auto& added = result.emplace_back();
    added.node = node_;
    added.reaction = reaction_;
    added.tag = x.tag;
    if (!parse_deadline(x.text, added))
      reader_.refuse(x);
  }
  return result;
}

// -- tardy_reader -------------------------------------------------------------

tardy_reader::tardy_reader(std::shared_ptr<recorded_events> from,
                           std::string node, std::string connection)
  : reader_(std::move(from), "tardy", node, connection), node_(std::move(node)),
    connection_(std::move(connection)) {
  // nop
}

std::vector<tardy_record> tardy_reader::next() {
  std::vector<tardy_record> result;
  for (auto& x : reader_.next()) {
    auto tag = parse_tardy(x.text);
    if (!tag)
      reader_.refuse(x);
    result.push_back({node_, connection_, x.tag, *tag});
  }
  return result;
}

} // namespace caf::rosia::run_file
