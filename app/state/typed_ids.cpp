#include "app/state/typed_ids.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::string_view kMark = "ids:";
constexpr std::string_view kBetween = ", \t\n\r;";

}  // namespace

bool IsOfIds(std::string_view text) {
  return text.starts_with(kMark);
}

Result<std::vector<std::int32_t>> ParseIds(std::string_view text) {
  if (IsOfIds(text)) {
    text.remove_prefix(kMark.size());
  }
  std::vector<std::int32_t> ids;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) {
      return ids;
    }
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    std::int32_t id = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, id);
    if (error == std::errc::result_out_of_range) {
      return Fail(ErrorCode::kInput,
                  fmt::format("\"{}\" is larger than any token id; ids are whole numbers from 0",
                              word.substr(0, 40)));
    }
    if (error != std::errc() || stop != end || id < 0) {
      return Fail(ErrorCode::kInput,
                  fmt::format("\"{}\" is no token id; ids are whole numbers from 0, as in "
                              "\"ids: 5, 17, 3\"",
                              word.substr(0, 40)));
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

std::string IdsInWords(std::span<const std::int32_t> ids) {
  std::string text(kMark);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? " " : ", ", ids[i]);
  }
  return text;
}

InputText InputOfText(const std::string& text) {
  if (IsOfIds(text)) {
    if (auto ids = ParseIds(text); ids && !ids->empty()) {
      return {.text = {}, .pair = {}, .ids = std::move(*ids)};
    }
  }
  return {.text = text, .pair = {}, .ids = {}};
}

}  // namespace headscope
