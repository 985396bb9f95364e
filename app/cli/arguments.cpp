#include "app/cli/arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr std::string_view kDashes = "--";

// An empty text is valid; other empty values would be meaningless.
constexpr std::array<std::string_view, 3> kMayBeEmpty = {"--text", "--pair", "--target"};

// Returns the option that an argument names, "--text" or "--text=x"; null: not an option of this
// command.
const KnownOptions::value_type* OptionOf(const KnownOptions& options, std::string_view argument) {
  const auto found = options.find(argument.substr(0, argument.find('=')));
  return found == options.end() ? nullptr : &*found;
}

}  // namespace

CommandResult<std::vector<std::string>> PlainArguments(const KnownCommands& known,
                                                       const std::vector<std::string>& given) {
  std::vector<std::string> plain;
  const KnownOptions* options = &known.options;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& argument = given[i];
    if (argument == kDashes) {
      plain.insert(plain.end(), given.begin() + static_cast<std::ptrdiff_t>(i), given.end());
      break;
    }
    const KnownOptions::value_type* option = OptionOf(*options, argument);
    if (option == nullptr || !option->second) {
      if (argument.empty()) {
        return Usage("\"\": expected an option, a command or what to open, found nothing");
      }
      const auto own = known.subcommands.find(argument);
      if (options == &known.options && own != known.subcommands.end()) {
        options = &own->second;
      }
      plain.push_back(argument);
      continue;
    }
    const std::size_t sign = argument.find('=');
    const std::string name = argument.substr(0, sign);
    if (sign == std::string::npos && i + 1 == given.size()) {
      return Usage(fmt::format("{}: expected a value, found the end of the line", name));
    }
    const std::string value = sign != std::string::npos ? argument.substr(sign + 1) : given[++i];
    if (sign == std::string::npos && OptionOf(*options, value) != nullptr) {
      return Usage(
          fmt::format("{}: expected a value, found the option {}; where that is the "
                      "value, write {}={}",
                      name,
                      Quoted(value),
                      name,
                      value));
    }
    if (value.empty() && std::ranges::find(kMayBeEmpty, name) == kMayBeEmpty.end()) {
      return Usage(fmt::format("{}: expected a value, found nothing", name));
    }
    plain.push_back(name);
    plain.push_back(value);
  }
  return plain;
}

}  // namespace headscope
