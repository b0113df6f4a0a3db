// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/recorded_events.hpp"

#include "run_file/recording.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <stdexcept>

namespace recorded_events_test {

using namespace std::literals;
using namespace caf::rosia;
using namespace caf::rosia::run_file;

namespace {

constexpr std::size_t all_of_them = 1u << 30;

struct written {
  const char* node;
  std::int64_t ns;
};

/// Records one process, with values of this size.
recorded_events::part part_with(
  const std::string& path, const std::vector<written>& xs,
  std::size_t size = 0) {
  std::int64_t run = 0;
  {
    database file{path, database::access::write};
    make_recording_tables(file);
    run_record record;
    record.uuid = "another";
    write_run(file, record, {});
    record.uuid = "this one";
    run = write_run(file, record, {}).run;
    transaction unit{file};
    auto add = [&](std::int64_t to, const written& x) {
      auto bytes = std::vector<char>(size);
      file
        .prepared("write", "INSERT INTO event VALUES (?, ?, 'action', 'key', "
                           "?, 0, ?, 'text')")
        .bind(1, to)
        .bind(2, std::string_view{x.node})
        .bind(3, x.ns)
        .bind_bytes(4, bytes)
        .run();
    };
    for (auto& x : xs) {
      add(run, x);
      add(run - 1, {x.node, x.ns + 1});
    }
    unit.commit();
    file.execute("close it", "PRAGMA journal_mode = DELETE");
  }
  return {std::make_unique<database>(path, database::access::read), run};
}

std::shared_ptr<recorded_events> events_in(
  std::vector<recorded_events::part> parts, logical_time final = forever,
  std::map<std::string, logical_time> done = {}) {
  return std::make_shared<recorded_events>(
    std::move(parts), final, std::move(done));
}

std::shared_ptr<recorded_events> events_in(
  recorded_events::part part, logical_time final = forever,
  std::map<std::string, logical_time> done = {}) {
  std::vector<recorded_events::part> parts;
  parts.push_back(std::move(part));
  return events_in(std::move(parts), final, std::move(done));
}

/// Reads all events, as "node:ns", with "|" between the parts.
std::string read_all(event_reader reader, std::size_t bytes = all_of_them) {
  std::string result;
  for (auto some = reader.next(bytes); !some.empty();
       some = reader.next(bytes)) {
    for (auto& x : some)
      result += x.node + ':' + std::to_string(x.tag.ns) + ' ';
    result += '|';
  }
  CHECK(reader.next(bytes).empty());
  return result;
}

} // namespace

TEST_CASE("the events of a node are read in order, those of all nodes in the "
          "order of recording") {
  test::temporary_folder folder;
  auto events = events_in(
    part_with(folder.file("x"), {{"b", 1}, {"a", 2}, {"b", 3}, {"a", 3}}));
  CHECK(read_all({events, "a"}) == "a:2 a:3 |");
  CHECK(read_all({events, "b"}) == "b:1 b:3 |");
  CHECK(read_all({events, "c"}) == "");
  CHECK(read_all(event_reader{events}) == "b:1 a:2 b:3 a:3 |");
}

TEST_CASE("events are read in parts, by their size") {
  test::temporary_folder folder;
  auto events = events_in(part_with(
    folder.file("x"), {{"a", 1}, {"b", 1}, {"a", 2}, {"a", 3}}, 1000));
  CHECK(read_all({events, "a"}, 1) == "a:1 |a:2 |a:3 |");
  CHECK(read_all({events, "a"}, 1500) == "a:1 a:2 |a:3 |");
  CHECK(read_all(event_reader{events}, 1) == "a:1 |b:1 |a:2 |a:3 |");
}

TEST_CASE("no event after the end is read") {
  test::temporary_folder folder;
  auto events = events_in(
    part_with(folder.file("x"), {{"a", 1}, {"b", 2}, {"a", 5}, {"b", 6}}),
    {3, 0}, {{"b", logical_time{6, 0}}});
  CHECK(read_all({events, "a"}) == "a:1 |");
  CHECK(read_all({events, "b"}) == "b:2 b:6 |");
  CHECK(read_all(event_reader{events}, 1) == "a:1 |b:2 |b:6 |");
}

TEST_CASE("the events of all processes are read") {
  test::temporary_folder folder;
  std::vector<recorded_events::part> parts;
  parts.push_back(part_with(folder.file("x"), {{"a", 7}}));
  parts.push_back(part_with(folder.file("y"), {}));
  parts.push_back(part_with(folder.file("z"), {{"b", 2}}));
  auto events = events_in(std::move(parts));
  CHECK(read_all({events, "b"}) == "b:2 |");
  CHECK(read_all(event_reader{events}) == "a:7 |b:2 |");
}

TEST_CASE("the text of an event is read only together with all nodes") {
  test::temporary_folder folder;
  auto events = events_in(part_with(folder.file("x"), {{"a", 1}}, 3));
  auto one = event_reader{events, "a"}.next(1);
  auto all = event_reader{events}.next(1);
  CHECK_FALSE(one.at(0).text);
  CHECK(all.at(0).text == "text");
  CHECK(all.at(0).bytes.size() == 3);
  CHECK(all.at(0).source == "action");
  CHECK(all.at(0).name == "key");
}

TEST_CASE("events that are out of order are refused") {
  test::temporary_folder folder;
  auto path = folder.file("x");
  auto events = events_in(part_with(path, {{"a", 2}, {"b", 1}, {"a", 2}}));
  auto problem = [](event_reader reader) {
    try {
      reader.next(all_of_them);
    } catch (const std::runtime_error& x) {
      return std::string{x.what()};
    }
    return "nothing"s;
  };
  CHECK(problem({events, "b"}) == "nothing");
  for (auto& text : {problem({events, "a"}), problem(event_reader{events})})
    CHECK(text
          == "run file '" + path
               + "': cannot read the recorded events: those of node 'a' are "
                 "not in order at tag 2ns; the file is garbled: use a copy");
}

TEST_CASE("a closed recording reads no more events") {
  test::temporary_folder folder;
  auto events = events_in(part_with(folder.file("x"), {{"a", 1}, {"a", 2}}));
  event_reader reader{events, "a"};
  CHECK(reader.next(1).size() == 1);
  events->close();
  CHECK(reader.next(1).empty());
}

TEST_CASE(
  "the events of a node are found without reading those of other nodes") {
  test::temporary_folder folder;
  auto part = part_with(folder.file("x"), {{"a", 1}});
  statement plan{
    *part.file, "ask",
    "EXPLAIN QUERY PLAN SELECT rowid, bytes FROM event WHERE run = 1 AND "
    "rowid > 7 AND node = 'a' ORDER BY rowid"};
  REQUIRE(plan.step());
  CHECK(plan.text(3)
        == "SEARCH event USING INDEX event_of_node (run=? AND node=? AND "
           "rowid>?)");
  CHECK_FALSE(plan.step());
}

TEST_CASE("the file of one process is not the recording of a run",
          "[run_file]") {
  test::temporary_folder folder;
  auto path = folder.file("run.db.p1");
  {
    database file{path, database::access::write};
    make_recording_tables(file);
    run_record record;
    record.process = "p1";
    record.processes = "p1,p2";
    write_run(file, record, {});
  }
  CHECK_THROWS_WITH(
    read_run(path),
    "run file '" + path + "' is that of process 'p1' alone: name '"
      + folder.file("run.db") + "', and the files of all processes are read");
  CHECK_THROWS_WITH(
    read_run(folder.file("run.db")),
    "run file '" + folder.file("run.db")
      + "': the recording of process 'p2' is missing: copy its file '"
      + folder.file("run.db.p2") + "' beside those of the other processes");
}

} // namespace recorded_events_test
