// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Each option that names a run file, with all kinds of errors in the file. An
// unusable file is refused before the run, with a message that suggests a
// solution, and nothing is damaged.

#include "recorded_run.hpp"

#include "rosia_trace/commands.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace bad_files_test {

using recording::ask;

namespace {

namespace fs = std::filesystem;
namespace run_file = caf::rosia::run_file;

using run_file::database;
using test::temporary_folder;

// -- the graph ----------------------------------------------------------------

/// Adds up the values of its physical action, and counts milliseconds.
struct till : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::state<int> sum{this, "sum", 0};
  rosia::action<void> next{this, "next"};
  rosia::physical_action<int> key{this, "key"};
  rosia::reaction on_key{this, "on_key", {key}, [this] { sum = *sum + *key; }};
  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    out(*sum);
    next.schedule(1ms);
  }
};

struct listener : rosia::node, rosia::stateless<listener> {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

/// Runs the application. @param renamed whether a node has a different name.
/// @returns the status.
int run(const rosia::options& opts, bool renamed = false) {
  test_system sys{2};
  rosia::application app{sys, opts};
  auto from = app.create<till>("till");
  auto to = app.create<listener>(renamed ? "other" : "listener");
  app.connect(from, &till::out, to, &listener::in);
  for (auto i = 0; i < 100; ++i)
    from->key.schedule(i);
  return app.run();
}

// -- the options --------------------------------------------------------------

enum class use { record, replay, checkpoint, resume, backup };

constexpr use all_uses[]
  = {use::record, use::replay, use::checkpoint, use::resume, use::backup};

const char* name_of(use x) {
  constexpr const char* names[]
    = {"record.file", "replay", "checkpoint.file", "resume.file",
       "checkpoint.backup"};
  return names[static_cast<std::size_t>(x)];
}

/// @param beside folder for other files that the option needs.
rosia::options using_file(use usage, const std::string& file,
                          const temporary_folder& beside) {
  auto opts = fast_until(20ms);
  switch (usage) {
    case use::record:
      opts.record.file = file;
      opts.record.ports = "*.*";
      break;
    case use::replay:
      opts.replay = file;
      break;
    case use::checkpoint:
      opts.checkpoint.file = file;
      break;
    case use::resume:
      opts.resume.file = file;
      opts.stop_after = 40ms;
      break;
    case use::backup:
      opts.checkpoint.file = beside.file("run.db");
      opts.checkpoint.backup = file;
      break;
  }
  return opts;
}

/// Records, and takes checkpoints.
void make_run_file(const std::string& file, bool renamed = false) {
  auto opts = fast_until(20ms);
  opts.record.file = file;
  opts.record.ports = "*.*";
  opts.checkpoint.file = file;
  REQUIRE(run(opts, renamed) == 0);
}

/// The status of a process that lacks permission for its test.
constexpr auto refused_by_system = 77;

// -- possible errors ----------------------------------------------------------

constexpr auto runs = "";

/// A file, and the message of each use; `runs` if the file is valid.
struct row {
  const char* name;

  /// Creates the file. @returns its name.
  std::function<std::string(const temporary_folder&)> make;

  const char* record;
  const char* replay;
  const char* checkpoint;
  const char* resume;
  const char* backup;

  /// Mode of the folder during the run.
  int mode = 0700;

  /// Whether the file must be recovered before it can be read.
  bool is_recovered = false;

  const char* expected(use usage) const {
    switch (usage) {
      case use::record:
        return record;
      case use::replay:
        return replay;
      case use::checkpoint:
        return checkpoint;
      case use::resume:
        return resume;
      default:
        return backup;
    }
  }
};

std::string sound_file(const temporary_folder& in) {
  auto file = in.file("x.db");
  make_run_file(file);
  return file;
}

std::function<std::string(const temporary_folder&)> changed_by(
  const char* sql) {
  return [sql](const temporary_folder& in) {
    auto file = sound_file(in);
    database opened{file, database::access::write};
    opened.execute("change it", sql);
    opened.execute("close it", "PRAGMA journal_mode = DELETE");
    return file;
  };
}

std::function<std::string(const temporary_folder&)> with_text(
  const char* text) {
  return [text](const temporary_folder& in) { return in.write("x.db", text); };
}

std::function<std::string(const temporary_folder&)> with_mode(mode_t mode) {
  return [mode](const temporary_folder& in) {
    auto file = sound_file(in);
    ::chmod(file.c_str(), mode);
    return file;
  };
}

std::string half_file(const temporary_folder& in) {
  auto file = sound_file(in);
  fs::resize_file(file, fs::file_size(file) / 2 / 4096 * 4096);
  return file;
}

/// Creates a file of a process that was killed in a transaction, a part of
/// which is in the file.
std::string half_changed_file(const temporary_folder& in) {
  auto file = sound_file(in);
  status_in_child([&] {
    auto& left_open = *new database{file, database::access::write};
    left_open.execute(
      "change it",
      "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN; UPDATE "
      "checkpoint SET complete = 0; UPDATE node SET name = 'x'; CREATE TABLE "
      "more AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
      "LIMIT 300) SELECT randomblob(4000) FROM c");
    return 0;
  });
  REQUIRE(fs::exists(file + "-journal"));
  return file;
}

constexpr auto no_file
  = "No such file or directory; name a file that a run "
    "wrote";
constexpr auto no_folder = "; create it before";
constexpr auto is_folder = "it is a folder; name a file in it";
constexpr auto no_regular = "it is no regular file; name one";
constexpr auto nothing_written
  = "it is text, no database of SQLite; name a file that a "
    "run wrote";
constexpr auto no_database
  = "it is text, no database of SQLite; name a file that a "
    "run wrote, or one that does not exist yet";
constexpr auto too_short = "it is cut off; use a copy of it";
constexpr auto other_owner
  = "it is a database of another application; name "
    "another file";
constexpr auto later
  = "its format is 2, and this program knows those up to 1; "
    "use the program that wrote it, or a newer one";
constexpr auto damaged = "the file is cut off or garbled: use a copy";
constexpr auto no_checkpoint = "has no complete checkpoint";
constexpr auto continued
  = "would replace or be mixed with; set rosia.resume.file to the same file";
constexpr auto permissions = "; check the permissions";
constexpr auto not_undone
  = "the change cannot be undone (nothing can be created in its folder: "
    "Permission denied); make the file and its folder writable";

const row table[] = {
  {"nothing", [](auto& in) { return in.file("x.db"); }, runs, no_file, runs,
   "there is no file", runs},
  {"nothing, in no folder", [](auto& in) { return in.file("no/x.db"); },
   no_folder, no_file, no_folder, "there is no file", no_folder},
  {"in a file", [](auto& in) { return in.write("x", "text") + "/x.db"; },
   "Not a directory; name another file", "Not a directory; name a file",
   "Not a directory; name another file", "there is no file",
   "Not a directory; name another file"},
  {"a folder", [](auto& in) { return in.path(); }, is_folder, is_folder,
   is_folder, is_folder, is_folder},
  {"a pipe",
   [](auto& in) {
     auto file = in.file("x.db");
     ::mkfifo(file.c_str(), 0600);
     return file;
   },
   no_regular, no_regular, no_regular, no_regular, no_regular},
  {"a link that leads to itself",
   [](auto& in) {
     auto file = in.file("x.db");
     fs::create_symlink("x.db", file);
     return file;
   },
   "symbolic links; name another file",
   "symbolic links; name a file that a run",
   "symbolic links; name another file",
   "symbolic links; name a file that a run",
   "symbolic links; name another file"},
  {"a link into a folder that does not exist",
   [](auto& in) {
     auto file = in.file("x.db");
     fs::create_symlink("no/x.db", file);
     return file;
   },
   no_folder, no_file, no_folder, "there is no file", no_folder},
  {"empty", with_text(""), runs, "it is empty; name a file that a run", runs,
   "it is empty; name a file that a run", runs},
  {"text", with_text("This is no database, but has some text in it.\n"),
   no_database, nothing_written, no_database, nothing_written, no_database},
  {"the beginning of a database", with_text("SQLite for"), too_short, too_short,
   too_short, too_short, too_short},
  {"half a file", half_file, damaged, damaged, damaged, damaged, damaged},
  {"another application's", changed_by("PRAGMA application_id = 7"),
   other_owner, other_owner, other_owner, other_owner, other_owner},
  {"of a later version", changed_by("PRAGMA user_version = 2"), later, later,
   later, later, later},
  {"of another graph",
   [](auto& in) {
     auto file = in.file("x.db");
     make_run_file(file, true);
     return file;
   },
   runs, "the graph is not the one that is recorded in", continued,
   "is of another graph: it has ", runs},
  {"with a connection of a port that it lacks",
   changed_by("UPDATE connection SET source = 'missing.out'"), runs,
   "cannot read the recording: there is no output 'missing.out'; use a copy",
   continued, runs, runs},
  {"without any run",
   [](auto& in) {
     auto file = in.file("x.db");
     database{file, database::access::write}.execute(
       "close it", "PRAGMA journal_mode = DELETE");
     return file;
   },
   runs, "no run is recorded in it; record one with --rosia.record.file", runs,
   no_checkpoint, runs},
  {"with what is recorded alone",
   [](auto& in) {
     auto opts = fast_until(20ms);
     opts.record.file = in.file("x.db");
     REQUIRE(run(opts) == 0);
     return opts.record.file;
   },
   runs, runs, runs, no_checkpoint, runs},
  {"with a checkpoint alone",
   [](auto& in) {
     auto opts = fast_until(20ms);
     opts.checkpoint.file = in.file("x.db");
     REQUIRE(run(opts) == 0);
     return opts.checkpoint.file;
   },
   runs, "no run is recorded in it; record one with --rosia.record.file",
   continued, runs, runs},
  {"with a checkpoint that is not complete",
   changed_by("UPDATE checkpoint SET complete = 0"), runs, runs, runs,
   no_checkpoint, runs},
  {"a file that may not be read", with_mode(0), permissions, permissions,
   permissions, permissions, permissions},
  {"a file that may not be written", with_mode(0400),
   "it may not be written; check its permissions", runs, continued, runs, runs},
  {"half changed by a process that was killed", half_changed_file, runs, runs,
   continued, runs, runs, 0700, true},
  {"half changed, in a folder that may not be written", half_changed_file,
   permissions, not_undone, not_undone, not_undone, not_undone, 0500},
  {"nothing, in a folder that may not be written",
   [](auto& in) { return in.file("x.db"); }, permissions, no_file, permissions,
   "there is no file", permissions, 0500},
};

std::string content_of(const std::string& file) {
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable))
    return {};
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Drops root's permissions, because root may do everything.
void be_nobody(const temporary_folder& a, const temporary_folder& b) {
  if (::geteuid() != 0)
    return;
  constexpr uid_t nobody = 65534;
  auto give = [](const fs::path& x) {
    if (::lchown(x.c_str(), nobody, static_cast<gid_t>(-1)) != 0)
      std::_Exit(refused_by_system);
  };
  for (auto& folder : {a.path(), b.path()}) {
    for (auto& entry : fs::recursive_directory_iterator{folder})
      give(entry.path());
    give(folder);
  }
  if (::seteuid(nobody) != 0)
    std::_Exit(refused_by_system);
}

/// Tries one use of one file in a separate process.
void try_use(const row& x, use usage) {
  INFO(x.name << ", " << name_of(usage));
  temporary_folder folder, beside;
  auto file = x.make(folder);
  auto before = content_of(file);
  auto files = folder.files();
  auto said = beside.file("said");
  auto status = status_in_child([&] {
    be_nobody(folder, beside);
    ::chmod(folder.path().c_str(), static_cast<mode_t>(x.mode));
    try {
      return run(using_file(usage, file, beside));
    } catch (const std::exception& e) {
      std::ofstream{said} << e.what();
      return 200;
    }
  });
  ::chmod(folder.path().c_str(), 0700);
  auto text = content_of(said);
  INFO(text);
  auto* expected = x.expected(usage);
  if (std::string_view{expected} == runs) {
    CHECK(status == 0);
    return;
  }
  CHECK(status == 200);
  CHECK_THAT(text, ContainsSubstring(expected));
  CHECK_THAT(text, ContainsSubstring("'" + file + "'"));
  if (x.is_recovered)
    return;
  CHECK(content_of(file) == before);
  CHECK(folder.files() == files);
}

// -- damage in the middle -----------------------------------------------------

void overwrite(const std::string& file, std::size_t at, std::size_t size) {
  std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
  out.seekp(static_cast<std::streamoff>(at));
  out << std::string(size, 'x');
}

bool is_sound(const std::string& file) {
  std::ostringstream out;
  auto result
    = rosia_trace::verify_command({file}, out) == rosia_trace::exit_good;
  INFO(out.str());
  CHECK(result);
  return result;
}

// -- a disk that fills --------------------------------------------------------

/// The way in which a process is prevented from writing.
enum class shortage { of_its_own, of_the_disk };

/// Limits the bytes that this process may write to a file in `folder`.
/// @returns false if the system does not permit that.
bool let_fill(shortage cause, const temporary_folder& folder,
              std::size_t bytes) {
  if (cause == shortage::of_its_own) {
    rlimit limit{bytes, bytes};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
  }
  // The mount ends with the process.
  auto size = "size=" + std::to_string(bytes);
  return (::unshare(CLONE_NEWNS) == 0
          || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
         && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
         && ::mount("none", folder.path().c_str(), "tmpfs", 0, size.c_str())
              == 0;
}

/// A text that does not compress, and grows.
struct hoarder : rosia::node {
  rosia::state<std::string> all{this, "all", {}};
  rosia::output_port<std::string> out{this, "out"};
  rosia::action<void> next{this, "next"};
  rosia::reaction on_next{this, "on_next", {next}, [this] { start(); }};

  void start() {
    *all += std::string(10'000, static_cast<char>('a' + all->size() % 26));
    out(std::string(10'000, 'x'));
    next.schedule(1ms);
  }
};

int run_hoarder(const rosia::options& opts) {
  test_system sys{2};
  rosia::application app{sys, opts};
  app.create<hoarder>("hoarder");
  return app.run();
}

/// The output and status of a run with limited disk space.
struct last_words {
  int status = 0;
  std::string text;
};

/// @param check called afterwards in the same process, with access to the disk.
last_words run_with_little_space(
  shortage cause, const temporary_folder& folder, const rosia::options& opts,
  const std::function<bool()>& check) {
  temporary_folder beside;
  auto said = beside.file("said");
  last_words result;
  result.status = status_in_child([&] {
    if (!let_fill(cause, folder, 300'000))
      return refused_by_system;
    auto to = ::open(said.c_str(), O_CREAT | O_WRONLY, 0600);
    ::dup2(to, 2);
    try {
      auto status = run_hoarder(opts);
      return check() ? status : 99;
    } catch (const std::exception& e) {
      std::fputs(e.what(), stderr);
      return 200;
    }
  });
  result.text = content_of(said);
  return result;
}

/// The reason why the disk fills, and the message.
struct filling {
  shortage cause;
  const char* advice;
};

constexpr filling fillings[] = {
  {shortage::of_its_own,
   "the process may not write larger files: raise its "
   "limit"},
  {shortage::of_the_disk, "free some space, or name a file on another disk"}};

} // namespace

TEST_CASE("files that an option cannot use are refused with a suggestion",
          "[recording]") {
  for (auto& x : table)
    for (auto usage : all_uses)
      try_use(x, usage);
}

TEST_CASE("damage in the middle of a file is an error or has no effect",
          "[recording]") {
  temporary_folder folder;
  auto sound = folder.file("sound.db");
  make_run_file(sound);
  auto pages = fs::file_size(sound) / 4096;
  REQUIRE(pages > 10);
  auto found = 0;
  for (std::size_t page = 1; page < pages; ++page)
    for (auto usage : {use::replay, use::resume, use::record}) {
      INFO("page " << page << ", " << name_of(usage));
      temporary_folder beside;
      auto file = beside.file("x.db");
      fs::copy(sound, file);
      overwrite(file, page * 4096, 4096);
      error_capture said;
      try {
        auto opts = using_file(usage, file, beside);
        auto status = run(opts);
        auto text = said.text();
        CHECK((status == 0 || text.find(file) != text.npos));
        found += status != 0;
      } catch (const std::exception& e) {
        ++found;
        INFO(e.what());
        CHECK(std::string_view{e.what()}.find(file) != std::string_view::npos);
      }
    }
  CHECK(found > 0);
}

TEST_CASE("a checkpoint with impossible numbers and values is refused",
          "[recording]") {
  constexpr const char* damages[] = {
    "UPDATE checkpoint_node SET ns = 1 << 62",
    "UPDATE checkpoint_node SET ns = -1",
    "DELETE FROM checkpoint_node WHERE node = 'till'",
    "UPDATE checkpoint_event SET ns = 0",
    "UPDATE checkpoint_event SET ns = -1",
    "UPDATE checkpoint_event SET action = 'last'",
    "UPDATE checkpoint_event SET value = x'0102'",
    "UPDATE checkpoint_state SET value = x''",
    "UPDATE checkpoint_state SET version = 2",
    "UPDATE checkpoint_state SET type = 'std::string'",
    "UPDATE checkpoint_state SET name = 'product'",
    "DELETE FROM checkpoint_state",
    "UPDATE checkpoint_input SET value = x'01'",
    "UPDATE checkpoint_input SET port = 'out'",
    "INSERT INTO checkpoint_promise SELECT id, 'till', 'out', 0, 0 FROM "
    "checkpoint",
    "INSERT INTO checkpoint_promise SELECT id, 'till', 'in', 1 << 60, 0 FROM "
    "checkpoint",
    "INSERT INTO checkpoint_channel SELECT id, 'till', 'out', 'nobody.in', 0, "
    "0 "
    "FROM checkpoint",
    "UPDATE checkpoint_graph SET lines = ''",
    "DELETE FROM checkpoint_graph",
  };
  temporary_folder folder;
  auto sound = sound_file(folder);
  for (auto* damage : damages) {
    INFO(damage);
    auto file = folder.file("y.db");
    fs::copy_file(sound, file, fs::copy_options::overwrite_existing);
    {
      database opened{file, database::access::write};
      opened.execute("damage it", damage);
      REQUIRE(opened.changes() > 0);
      opened.execute("close it", "PRAGMA journal_mode = DELETE");
    }
    auto problem = error_of<std::exception>([&] {
      run(using_file(use::resume, file, folder));
    });
    CHECK(problem != "no exception");
    INFO(problem);
    CHECK(problem.size() > 30);
  }
}

TEST_CASE(
  "8.1 a full disk does not hold up a recorded run, and the loss is reported",
  "[recording]") {
  for (auto& x : fillings) {
    INFO(x.advice);
    temporary_folder folder;
    auto file = folder.file("x.db");
    auto opts = fast_until(200ms);
    opts.record.file = file;
    opts.record.ports = "*.*";
    auto [status, text] = run_with_little_space(x.cause, folder, opts, [&] {
      return is_sound(file);
    });
    if (status == refused_by_system) {
      WARN("skipped: this system does not let the test mount a disk");
      continue;
    }
    CHECK(status == 1);
    CHECK_THAT(
      text,
      ContainsSubstring(x.advice)
        && ContainsSubstring(
          "; the run continues, and lost records are counted")
        && ContainsSubstring("values could not be recorded"));
  }
}

TEST_CASE("8.5 a full disk damages no complete checkpoint", "[recording]") {
  for (auto& x : fillings) {
    INFO(x.advice);
    temporary_folder folder;
    auto file = folder.file("x.db");
    auto opts = fast_until(200ms);
    opts.checkpoint.file = file;
    opts.checkpoint.every = 1ms;
    opts.checkpoint.keep = 1;
    auto [status, text] = run_with_little_space(x.cause, folder, opts, [&] {
      auto rest = fast_until(210ms);
      rest.resume.file = file;
      return is_sound(file)
             && ask(file, "SELECT count(*) FROM checkpoint WHERE complete")
                  != "0"
             && run_hoarder(rest) == 0;
    });
    if (status == refused_by_system)
      continue;
    CHECK(status == 1);
    CHECK_THAT(text, ContainsSubstring(x.advice));
  }
}

TEST_CASE("8.5 a full disk damages no copy of the file", "[recording]") {
  temporary_folder folder;
  auto opts = fast_until(10ms);
  opts.checkpoint.file = folder.file("x.db");
  opts.checkpoint.backup = folder.file("copy.db");
  auto [status, text]
    = run_with_little_space(shortage::of_the_disk, folder, opts, [&] {
        return is_sound(opts.checkpoint.file)
               && !fs::exists(opts.checkpoint.backup)
               && !fs::exists(opts.checkpoint.backup + ".part");
      });
  if (status == refused_by_system)
    return;
  CHECK(status == 1);
  CHECK_THAT(
    text, ContainsSubstring("rosia.checkpoint.backup: there cannot be a copy '")
            && ContainsSubstring("free some space"));
}

} // namespace bad_files_test
