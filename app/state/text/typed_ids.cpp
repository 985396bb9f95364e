#include "app/state/text/typed_ids.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/random.h"

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

std::vector<std::int32_t> RandomRepeat(const ModelDescription& model) {
  constexpr std::size_t kMost = 16;
  constexpr int kTriesOfEach = 64;  // nearly every id of any vocabulary is plain
  std::vector<std::int32_t> ids;
  if (model.begin_id) {
    ids.push_back(*model.begin_id);
  }
  const auto before = ids.size();
  const std::int64_t room = (model.positions - std::ssize(ids)) / 2;
  const auto wanted =
      static_cast<std::size_t>(std::clamp<std::int64_t>(room, 0, static_cast<std::int64_t>(kMost)));
  RandomStream random(1);
  for (std::size_t tries = 0;
       model.vocabulary > 0 && ids.size() < before + wanted && tries < kTriesOfEach * kMost;
       ++tries) {
    const auto id =
        static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(model.vocabulary)));
    if (std::ranges::find(model.special_ids, id) == model.special_ids.end() &&
        std::ranges::find(ids, id) == ids.end()) {
      ids.push_back(id);
    }
  }
  const auto period = static_cast<std::ptrdiff_t>(ids.size() - before);
  if (period < 2) {
    return {};
  }
  const std::vector<std::int32_t> block(ids.end() - period, ids.end());
  ids.insert(ids.end(), block.begin(), block.end());
  return ids;
}

InputText InputOfText(const std::string& text) {
  if (IsOfIds(text)) {
    if (auto ids = ParseIds(text); ids && !ids->empty()) {
      return {.text = {}, .pair = {}, .ids = std::move(*ids)};
    }
  }
  return {.text = text, .pair = {}, .ids = {}};
}

InputText InputOfTexts(const std::string& text,
                       const std::string& pair,
                       const std::string& target) {
  InputText input = InputOfText(text);
  if (!pair.empty()) {
    input.pair = pair;
  }
  if (!target.empty()) {
    InputText of_target = InputOfText(target);
    input.target_ids = std::move(of_target.ids);
    if (input.target_ids.empty()) {
      input.target = std::move(of_target.text);
    }
  }
  return input;
}

std::tuple<std::string, std::string, std::string> TextsOfInput(const InputText& input) {
  return {TextOrIds(input.text, input.ids),
          input.pair.value_or(""),
          TextOrIds(input.target.value_or(""), input.target_ids)};
}

std::string TextOrIds(const std::string& text, std::span<const std::int32_t> ids) {
  return ids.empty() ? text : IdsInWords(ids);
}

}  // namespace headscope
