#include "app/cli/command_table.h"

#include <cctype>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/cli/completions.h"
#include "app/cli/manual_page.h"

namespace headscope {
namespace {

CommandWords WordsOf(const CLI::App& app) {
  CommandWords command{.name = app.get_parent() == nullptr ? "" : app.get_name(),
                       .words = app.get_description(),
                       .options = {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionWords words{.names = {},
                      .value = option->get_items_expected_max() > 0 ? option->get_type_name() : "",
                      .words = option->get_description(),
                      .initial = option->get_default_str(),
                      .repeats = option->get_expected_max() > 1};
    for (const std::string& name : option->get_snames()) {
      words.names.push_back("-" + name);
    }
    for (const std::string& name : option->get_lnames()) {
      words.names.push_back("--" + name);
    }
    command.options.push_back(std::move(words));
  }
  return command;
}

}  // namespace

CommandTable ReadCommandTable(const CLI::App& app) {
  CommandTable table{.window = WordsOf(app),
                     .commands = {},
                     .footer = app.get_footer(),
                     .version = {},
                     .models = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      table.commands.push_back(WordsOf(*command));
    }
  }
  return table;
}

std::vector<std::string> ChoicesOf(const std::string& value) {
  std::vector<std::string> choices;
  if (value.find('|') == std::string::npos) {
    return choices;
  }
  std::string_view rest = value;
  while (true) {
    const std::size_t bar = rest.find('|');
    // Capitals stand for what only the reader knows: "row|LOW:HIGH".
    const std::string_view choice = rest.substr(0, bar);
    if (choice.empty() || std::isupper(static_cast<unsigned char>(choice.front())) == 0) {
      choices.emplace_back(choice);
    }
    if (bar == std::string_view::npos) {
      return choices;
    }
    rest.remove_prefix(bar + 1);
  }
}

std::string DescribeCommands(const CommandTable& table, const std::string& form) {
  if (form == "bash") {
    return BashCompletion(table);
  }
  if (form == "zsh") {
    return ZshCompletion(table);
  }
  if (form == "fish") {
    return FishCompletion(table);
  }
  return form == "man" ? ManualPage(table) : "";
}

}  // namespace headscope
