#include "app/cli/manual_page.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope {
namespace {

// Returns the text as a line of a page: its backslashes, dashes and first marks are no commands.
std::string Plain(std::string_view text) {
  std::string plain = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else if (c == '\n') {
      plain += ' ';
    } else {
      plain += c;
    }
  }
  return plain;
}

std::string OptionEntry(const OptionWords& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back("\\fB" + Plain(name) + "\\fR");
  }
  std::string entry = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.value.empty()) {
    entry += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", Plain(option.value));
  }
  entry += "\n" + Plain(option.words);
  if (!option.initial.empty()) {
    entry += fmt::format(" (by default {})", Plain(option.initial));
  }
  return entry + "\n";
}

std::string OptionEntries(const CommandWords& command) {
  std::string entries;
  for (const OptionWords& option : command.options) {
    entries += OptionEntry(option);
  }
  return entries;
}

}  // namespace

std::string ManualPage(const CommandTable& table) {
  std::string page = fmt::format(R"(.TH HEADSCOPE 1 "" "headscope {}" "User Commands"
.nh
.SH NAME
headscope \- shows what every attention head of a transformer looks at
.SH SYNOPSIS
.B headscope
[\fIFILE\fR] [\fIoptions\fR]
)",
                                 Plain(table.version));
  for (const CommandWords& command : table.commands) {
    page += fmt::format(".br\n.B headscope {}\n[\\fIoptions\\fR]\n", command.name);
  }
  page += fmt::format(".SH DESCRIPTION\n{}\n.PP\n{}\n.SH OPTIONS OF THE WINDOW\n{}.SH COMMANDS\n",
                      Plain(table.window.words),
                      Plain(table.footer),
                      OptionEntries(table.window));
  for (const CommandWords& command : table.commands) {
    page +=
        fmt::format(".SS {}\n{}\n{}", command.name, Plain(command.words), OptionEntries(command));
  }
  page += fmt::format(".SH BUNDLED MODELS\n{}\n",
                      Plain(fmt::format("{}", fmt::join(table.models, ", "))));
  return page + R"(.SH EXIT STATUS
0: done; 1: failed; 2: wrong usage.
An error is one line on standard error.
.SH FILES
.TP
.I ~/.config/headscope
preferences
.TP
.I ~/.local/share/headscope/sessions
flags and what was open, a file for each model
.TP
.I ~/.local/state/headscope
models that were opened
.TP
.I ~/.cache/headscope
results of scans, which may be deleted
.SH SEE ALSO
.IR reference.md ,
beside the program's licence: each option, file and number in full
)";
}

}  // namespace headscope
