// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/drill_file.hpp"

#include "base/read_file.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <sstream>

namespace po = boost::program_options;

namespace rosia_drill {

namespace {

using strings = std::vector<std::string>;

/// The definition of a key of a drill file.
struct key {
  const char* name;
  bool may_repeat;
  std::function<void(drill&, const std::string&)> set;
};

bool read_flag(const std::string& text, const std::string& key) {
  if (text != "yes" && text != "no")
    throw mistake{key + ": '" + text + "' is not yes or no"};
  return text == "yes";
}

void set_processes(drill& to, const std::string& text) {
  to.processes = split_list(text);
  std::set<std::string> known{"coordinator"};
  for (auto& x : to.processes)
    if (!known.insert(x).second)
      throw mistake{"there are two processes with the name '" + x + "'"};
}

void add_place(drill& to, const std::string& text) {
  auto colon = text.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == text.size())
    throw mistake{"'" + text + "' is not of the form NODE:PROCESS"};
  to.placement.emplace_back(text.substr(0, colon), text.substr(colon + 1));
}

const std::vector<key>& all_keys() {
  constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
  static const std::vector<key> result{
    {"program", false, [](auto& to, auto& x) { to.program = x; }},
    {"arguments", true,
     [](auto& to, auto& x) {
       for (auto& word : split_words(x))
         to.arguments.push_back(word);
     }},
    {"processes", false, set_processes},
    {"place", true, add_place},
    {"nodes", false,
     [](auto& to, auto& x) { to.nodes = read_flag(x, "nodes"); }},
    {"certificates", false,
     [](auto& to, auto& x) { to.certificates = read_flag(x, "certificates"); }},
    {"rounds", false,
     [](auto& to, auto& x) {
       to.rounds = to_number(x, "rounds", 1, 1'000'000);
     }},
    {"seed", false,
     [](auto& to, auto& x) { to.seed = to_number(x, "seed", 0, no_limit); }},
    {"load", false,
     [](auto& to, auto& x) { to.load = to_number(x, "load", 0, 1000); }},
    {"limit", false, [](auto& to, auto& x) { to.limit = to_time(x, "limit"); }},
    {"fault", true,
     [](auto& to, auto& x) { to.faults.push_back(parse_fault(x)); }},
    {"resume", true,
     [](auto& to, auto& x) {
       for (auto& word : split_words(x))
         to.resume.push_back(word);
     }},
    {"resume_program", false, [](auto& to, auto& x) { to.resume_program = x; }},
    {"spoil", false, [](auto& to, auto& x) { to.spoil = x; }},
    {"expect", true,
     [](auto& to, auto& x) {
       to.expectations.push_back(parse_expectation(x));
     }},
  };
  return result;
}

/// Returns whether each word of a key is a value.
bool has_words(const std::string& key) {
  return key == "arguments" || key == "resume";
}

strings key_names() {
  strings result;
  for (auto& x : all_keys())
    result.emplace_back(x.name);
  return result;
}

/// Parses one line as INI.
po::option parse_line(const std::string& line) {
  po::options_description none;
  std::istringstream in{"[drill]\n" + line + '\n'};
  auto parsed = po::parse_config_file(in, none, true);
  if (parsed.options.size() != 1)
    throw mistake{"'" + line + "' is not of the form KEY = VALUE"};
  return parsed.options.front();
}

/// Reads a drill line by line.
class drill_reader {
public:
  explicit drill_reader(const std::filesystem::path& file) {
    result_.file = file;
    result_.name = file.stem().string();
  }

  void add(const std::string& line) {
    ++number_;
    auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') {
      if (first != std::string::npos && !in_section_)
        add_purpose(line.substr(first + 1));
      return;
    }
    if (line[first] == '[') {
      if (!line.substr(first).starts_with("[drill]"))
        fail({}, "unknown section; the only one is [drill]");
      in_section_ = true;
      return;
    }
    if (!in_section_)
      fail({}, "the section [drill] must precede this line");
    add_key(line);
  }

  drill take() {
    auto need = [this](const char* name) {
      if (!seen_.contains(name))
        fail({}, "the key '" + std::string{name} + "' is missing");
    };
    number_ = 0;
    need("program");
    need("expect");
    check();
    return std::move(result_);
  }

private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) {
    auto place = result_.file.string();
    if (number_ > 0)
      place += ':' + std::to_string(number_);
    if (!key.empty())
      place += ": " + key;
    throw mistake{place + ": " + message};
  }

  void add_purpose(std::string text) {
    auto first = text.find_first_not_of(' ');
    if (first == std::string::npos)
      return;
    // The licence lines at the top of the file are not part of the purpose.
    text.erase(0, first);
    if (text.starts_with("Part of libcaf_rosia")
        || text.starts_with("SPDX-License-Identifier"))
      return;
    if (!result_.purpose.empty())
      result_.purpose += ' ';
    result_.purpose += text;
  }

  void add_key(const std::string& line) {
    std::string name;
    try {
      auto parsed = parse_line(line);
      name = parsed.string_key.substr(parsed.string_key.find('.') + 1);
      auto names = key_names();
      auto i = std::find(names.begin(), names.end(), name);
      if (i == names.end())
        fail({}, unknown("key", name, names));
      auto& known = all_keys()[static_cast<std::size_t>(i - names.begin())];
      if (!seen_.insert(name).second && !known.may_repeat)
        fail({}, "the key '" + name + "' is given twice");
      auto value = parsed.value.empty() ? std::string{} : parsed.value.front();
      set(known, value);
      auto& lines = result_.lines[name];
      lines.resize(
        lines.size() + (has_words(name) ? split_words(value).size() : 1),
        number_);
    } catch (const po::error&) {
      fail({}, "'" + line + "' is not of the form KEY = VALUE");
    }
  }

  void set(const key& known, const std::string& value) {
    try {
      known.set(result_, value);
    } catch (const mistake& e) {
      fail(known.name, e.what());
    }
  }

  /// Selects the line of the `index`-th value of a key for messages.
  void go_to(const std::string& name, std::size_t index) {
    number_ = result_.lines.at(name)[index];
  }

  void check() {
    for (auto* name : {"resume_program", "spoil"})
      if (seen_.contains(name) && !result_.resumes()) {
        go_to(name, 0);
        fail(name, "there is no second run: add its arguments with 'resume'");
      }
    for (std::size_t i = 0; i < result_.placement.size(); ++i) {
      go_to("place", i);
      require_process("place", result_.placement[i].second);
    }
    for (std::size_t i = 0; i < result_.faults.size(); ++i) {
      go_to("fault", i);
      check(result_.faults[i]);
    }
    for (std::size_t i = 0; i < result_.expectations.size(); ++i) {
      go_to("expect", i);
      check(result_.expectations[i]);
    }
  }

  void check(const fault& x) {
    auto& kind = describe(x.kind);
    std::string name{kind.name};
    if (!result_.nodes && x.needs_nodes())
      fail("fault", "'" + x.text
                      + "' needs a program with nodes, and this drill has "
                        "nodes = no");
    if (kind.where == fault_place::link) {
      require_process("fault", x.link.first);
      require_process("fault", x.link.second);
      if (x.link.first == x.link.second)
        fail("fault", "a process has no link with itself");
    } else if (kind.where == fault_place::process
               && (kind.from_the_beginning || !result_.nodes)
               && !x.target.empty()) {
      require_process("fault", x.target);
    }
    if (x.kind == fault_kind::garbage && result_.processes.empty())
      fail("fault", "'garbage' needs a port, which a program in one process "
                    "does not have; name some processes");
    if (x.kind == fault_kind::never && result_.processes.empty())
      fail("fault",
           "'never' needs several processes: the only one has to start");
  }

  void check(const expectation& x) {
    if (x.resumed && !result_.resumes())
      fail("expect",
           "'" + x.text
             + "' is about a second run, and there is none: add its "
               "arguments with 'resume'");
    if (!result_.nodes && x.needs_nodes())
      fail("expect",
           "'" + x.text
             + "' needs a program with nodes, and this drill has "
               "nodes = no");
    for (auto& process : {x.process, x.if_process})
      if (!process.empty() && process != "all")
        require_process("expect", process);
  }

  void require_process(const std::string& where, const std::string& name) {
    auto names = result_.process_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(where, unknown("process", name, names));
  }

  drill result_;
  std::size_t number_ = 0;
  bool in_section_ = false;
  std::set<std::string> seen_;
};

} // namespace

std::string drill::place_of(const std::string& key, std::size_t index) const {
  auto known = lines.find(key);
  return known == lines.end() || index >= known->second.size()
           ? file.string()
           : file.string() + ':' + std::to_string(known->second[index]) + ": "
               + key;
}

strings drill::process_names() const {
  strings result{"coordinator"};
  result.insert(result.end(), processes.begin(), processes.end());
  return result;
}

drill parse_drill(const std::string& text, const std::filesystem::path& file) {
  drill_reader reader{file};
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    reader.add(line);
  return reader.take();
}

drill read_drill(const std::filesystem::path& file) {
  try {
    return parse_drill(caf::rosia::detail::read_file(file.string()).text, file);
  } catch (const caf::rosia::detail::file_error& problem) {
    throw mistake{file.string() + ": cannot be read: " + problem.what()};
  }
}

} // namespace rosia_drill
