#include "app/cli/completions.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope {
namespace {

bool TakesFile(const OptionWords& option) {
  return option.value == kFileValue || option.value == kModelValue || option.value == kProbeValue;
}

// Returns the words that can stand as the option's value, files aside.
std::vector<std::string> ValuesOf(const CommandTable& table, const OptionWords& option) {
  return option.value == kModelValue ? table.models : ChoicesOf(option.value);
}

std::vector<std::string> NamesOf(const CommandWords& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> CommandNames(const CommandTable& table) {
  std::vector<std::string> names;
  for (const CommandWords& command : table.commands) {
    names.push_back(command.name);
  }
  return names;
}

// Puts a backslash before each of `marks`.
std::string Escaped(std::string_view text, std::string_view marks) {
  std::string escaped;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

// As one word of bash and zsh.
std::string InQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string BashValues(const CommandTable& table, const CommandWords& command) {
  std::string cases;
  for (const OptionWords& option : command.options) {
    if (option.names.empty() || option.value.empty()) {
      continue;
    }
    cases += fmt::format("    '{}':{}) words=\"{}\" files={} value=1 ;;\n",
                         command.name,
                         fmt::join(option.names, fmt::format("|'{}':", command.name)),
                         fmt::join(ValuesOf(table, option), " "),
                         TakesFile(option) ? "1" : "");
  }
  return cases;
}

// The last word of a completion of zsh's _arguments: what the value is, and which there are.
std::string ZshValue(const CommandTable& table, const OptionWords& option) {
  const std::vector<std::string> values = ValuesOf(table, option);
  std::string action;
  if (TakesFile(option)) {
    action = values.empty()
                 ? "_files"
                 : fmt::format("_alternative \"models:model:({})\" \"files:file:_files\"",
                               fmt::join(values, " "));
  } else if (!values.empty()) {
    action = fmt::format("({})", Escaped(fmt::format("{}", fmt::join(values, " ")), ":"));
  }
  return fmt::format(":{}:{}", Escaped(option.value, ":"), action);
}

std::string ZshOptions(const CommandTable& table, const CommandWords& command) {
  std::string lines;
  for (const OptionWords& option : command.options) {
    const std::string value = option.value.empty() ? "" : ZshValue(table, option);
    const std::string words = Escaped(option.words, ":[]\\");
    if (option.names.empty()) {
      // The window's own comes with the commands; see ZshCompletion.
      lines += command.name.empty()
                   ? ""
                   : fmt::format(" \\\n        {}", InQuotes(fmt::format("*{}", value)));
      continue;
    }
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      lines += fmt::format(" \\\n        {}",
                           InQuotes(fmt::format("{}{}{}[{}]{}",
                                                option.repeats ? "*" : "",
                                                name,
                                                value.empty() ? ""
                                                : is_long     ? "="
                                                              : "+",
                                                words,
                                                value)));
    }
  }
  return lines;
}

std::string FishOptions(const CommandTable& table, const CommandWords& command) {
  const std::string when = command.name.empty() ? fmt::format("not __fish_seen_subcommand_from {}",
                                                              fmt::join(CommandNames(table), " "))
                                                : "__fish_seen_subcommand_from " + command.name;
  std::string lines;
  for (const OptionWords& option : command.options) {
    std::string line = fmt::format("complete -c headscope -n '{}'", when);
    for (const std::string& name : option.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty() && !option.names.empty()) {
      line += " -r";
    }
    line += TakesFile(option) ? " -F" : " -f";
    if (const std::vector<std::string> values = ValuesOf(table, option); !values.empty()) {
      line += fmt::format(" -a '{}'", fmt::join(values, " "));
    }
    lines += fmt::format("{} -d '{}'\n", line, Escaped(option.words, "'\\"));
  }
  return lines;
}

}  // namespace

std::string BashCompletion(const CommandTable& table) {
  std::string values = BashValues(table, table.window);
  std::string options =
      fmt::format("    '') words=\"{}\" files=1 ;;\n", fmt::join(NamesOf(table.window), " "));
  for (const CommandWords& command : table.commands) {
    values += BashValues(table, command);
    options +=
        fmt::format("    {}) words=\"{}\" ;;\n", command.name, fmt::join(NamesOf(command), " "));
  }
  const std::vector<std::string> names = CommandNames(table);
  return fmt::format(R"bash(# bash completion of headscope, written by the program itself
_headscope() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  local command="" words="" files="" value="" word
  # bash makes a word of its own of the sign in --theme=dark.
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$previous" == "=" ]]; then
    previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
      {0}) command="$word"; break ;;
    esac
  done
  case "$command:$previous" in
{1}  esac
  if [[ -z "$value" ]]; then
    case "$command" in
{2}    esac
    if [[ -z "$command" && "$current" != -* ]]; then
      words="{3} {4}"
    elif [[ "$current" != -* ]]; then
      files=1
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n "$files" ]]; then
    compopt -o filenames 2>/dev/null
    local found
    mapfile -t found < <(compgen -f -- "$current")
    COMPREPLY+=("${{found[@]}}")
  fi
}}
complete -F _headscope headscope
)bash",
                     fmt::join(names, "|"),
                     values,
                     options,
                     fmt::join(names, " "),
                     fmt::join(table.models, " "));
}

std::string ZshCompletion(const CommandTable& table) {
  std::string cases;
  std::string commands;
  for (const CommandWords& command : table.commands) {
    cases += fmt::format("      {})\n        _arguments -S{}\n        return ;;\n",
                         command.name,
                         ZshOptions(table, command));
    commands += fmt::format(
        "    {}\n", InQuotes(fmt::format("{}:{}", command.name, Escaped(command.words, ":\\"))));
  }
  return fmt::format(R"zsh(#compdef headscope
# zsh completion of headscope, written by the program itself

_headscope_first() {{
  local -a commands=(
{0}  )
  _describe command commands
  _alternative "models:model:({1})" "files:file:_files"
}}

_headscope() {{
  if (( CURRENT > 2 )); then
    local command="$words[2]"
    case "$command" in
      {2}) shift words; (( CURRENT-- )) ;;
    esac
    case "$command" in
{3}    esac
  fi
  _arguments -S '1: :_headscope_first'{4}
}}

if [[ "$funcstack[1]" == _headscope ]]; then
  _headscope "$@"
else
  compdef _headscope headscope
fi
)zsh",
                     commands,
                     fmt::join(table.models, " "),
                     fmt::join(CommandNames(table), "|"),
                     cases,
                     ZshOptions(table, table.window));
}

std::string FishCompletion(const CommandTable& table) {
  std::string lines = "# fish completion of headscope, written by the program itself\n";
  for (const CommandWords& command : table.commands) {
    lines += fmt::format("complete -c headscope -n __fish_use_subcommand -a {} -d '{}'\n",
                         command.name,
                         Escaped(command.words, "'\\"));
  }
  lines += FishOptions(table, table.window);
  for (const CommandWords& command : table.commands) {
    lines += FishOptions(table, command);
  }
  return lines;
}

}  // namespace headscope
