#include "app/cli/command_table.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

// A table with signs that shells and man would take for their own.
CommandTable Table() {
  return {.window = {.name = "", .words = "Shows.", .options = {}},
          .commands = {{.name = "draw",
                        .words = "it's a [picture]: one",
                        .options = {{.names = {"-t", "--theme"},
                                     .value = "light|dark",
                                     .words = "the reader's [own]: \\ or 'none'",
                                     .initial = "light"},
                                    {.names = {"--model"}, .value = kModelValue, .words = ".m"},
                                    {.names = {"--all"}, .value = "", .words = "all"}}}},
          .footer = "The end.",
          .version = "1.2.3",
          .models = {"english"}};
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A value of words between bars is a choice, and its capitals are the reader's") {
  CHECK(ChoicesOf("light|dark") == std::vector<std::string>{"light", "dark"});
  CHECK(ChoicesOf("LOW:HIGH|row|head") == std::vector<std::string>{"row", "head"});
  CHECK(ChoicesOf("FILE").empty());
  CHECK(ChoicesOf("").empty());
}

TEST_CASE("bash completes an option's choices after each of its names, and nothing after a flag") {
  const std::string text = DescribeCommands(Table(), "bash");
  CHECK(Has(text, "'draw':-t|'draw':--theme) words=\"light dark\" files= value=1 ;;"));
  CHECK(Has(text, "'draw':--model) words=\"english\" files=1 value=1 ;;"));
  CHECK(!Has(text, "'draw':--all"));
  CHECK(Has(text, "draw) words=\"-t --theme --model --all\" ;;"));
}

TEST_CASE("zsh and fish read words with quotes and brackets as words") {
  const std::string zsh = DescribeCommands(Table(), "zsh");
  CHECK(Has(zsh,
            R"('--theme=[the reader'\''s \[own\]\: \\ or '\''none'\'']:light|dark:(light dark)')"));
  CHECK(Has(zsh, R"('draw:it'\''s a [picture]\: one')"));
  CHECK(Has(zsh, "'--all[all]'"));
  const std::string fish = DescribeCommands(Table(), "fish");
  CHECK(
      Has(fish, R"(-s t -l theme -r -f -a 'light dark' -d 'the reader\'s [own]: \\ or \'none\'')"));
  CHECK(Has(fish, "-l model -r -F -a 'english'"));
}

TEST_CASE("The manual page escapes what man would take for a command") {
  const std::string text = DescribeCommands(Table(), "man");
  CHECK(Has(text, "headscope 1.2.3"));
  CHECK(Has(text, "\\fB\\-t\\fR, \\fB\\-\\-theme\\fR \\fIlight|dark\\fR\n"));
  CHECK(Has(text, "the reader's [own]: \\e or 'none' (by default light)\n"));
  CHECK(Has(text, "\n\\&.m\n"));
}

TEST_CASE("Other forms are not written") {
  CHECK(DescribeCommands(Table(), "powershell").empty());
}

}  // namespace headscope
