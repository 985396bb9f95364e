// The command line as data: its commands, their options and what each takes, read from the parser.
// Completions and the manual page are written from it.
//
// Errors   none.
// Threads  plain values.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headscope {

// The values that an option takes, by what --help calls them.
inline constexpr const char* kFileValue = "FILE";
inline constexpr const char* kModelValue = "MODEL";  // a bundled model's name, or a file or folder
inline constexpr const char* kProbeValue = "repeats|retrieval|FILE";

struct OptionWords {
  std::vector<std::string> names;  // "-h", "--help"; empty: given without a name
  std::string value;               // "FILE", "light|dark"; empty: a flag
  std::string words;
  std::string initial = {};  // the value if the option is left out; empty: none
  bool repeats = false;
};

struct CommandWords {
  std::string name;  // empty: the program without a command, which opens the window
  std::string words;
  std::vector<OptionWords> options;
};

struct CommandTable {
  CommandWords window;
  std::vector<CommandWords> commands;
  std::string footer;
  std::string version;              // "0.1.0"
  std::vector<std::string> models;  // names of bundled models
};

// Hidden commands are left out; version and models stay empty.
[[nodiscard]] CommandTable ReadCommandTable(const CLI::App& app);

// Returns the choices of a value such as "light|dark"; empty if it is anything else.
[[nodiscard]] std::vector<std::string> ChoicesOf(const std::string& value);

// Writes the table as a completion of "bash", "zsh" or "fish", or as the manual page, "man".
// Empty: none of these.
[[nodiscard]] std::string DescribeCommands(const CommandTable& table, const std::string& form);

}  // namespace headscope
