#include "core/text/post_processor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/json_readers.h"
#include "core/text/vocabulary.h"

namespace headscope::text {
namespace {

constexpr std::size_t kMaxSpecialIds = 64;

Result<std::vector<std::int32_t>> ParseSpecialIds(const JsonObject& processor,
                                                  const std::string& name) {
  HEADSCOPE_TRY(auto all, processor.Object("special_tokens"));
  Result<std::optional<JsonObject>> entry = std::optional<JsonObject>();
  if (all) {
    entry = all->Object(name);
    HEADSCOPE_TRY(entry);
  }
  if (!*entry) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the template names {}, which \"special_tokens\" lacks",
                            processor.name(),
                            Quoted(name)));
  }
  HEADSCOPE_TRY(const auto list, (*entry)->Array("ids"));
  std::vector<std::int32_t> ids;
  if (list && list->size() <= kMaxSpecialIds) {
    for (const JsonValue element : *list) {
      const std::int64_t id = element.Integer().value_or(-1);
      if (id < 0 || id > kMaxId) {
        ids.clear();
        break;
      }
      ids.push_back(static_cast<std::int32_t>(id));
    }
  }
  if (ids.empty()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"ids\" of the special token {} must be 1 to {} ids from 0 to {}",
                            processor.name(),
                            Quoted(name),
                            kMaxSpecialIds,
                            kMaxId));
  }
  return ids;
}

Result<TemplateItem> ParseItem(const JsonObject& processor,
                               const JsonObject& item,
                               bool is_of_pair) {
  const bool is_sequence = item.Has("Sequence");
  HEADSCOPE_TRY(auto body, item.Object(is_sequence ? "Sequence" : "SpecialToken"));
  if (!body) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: a part of the template is neither \"Sequence\" nor "
                            "\"SpecialToken\"",
                            processor.name()));
  }
  HEADSCOPE_TRY(const auto name, body->String("id"));
  HEADSCOPE_TRY(const auto type, body->Integer("type_id", 0, kMaxId, 0));
  TemplateItem result;
  if (!is_sequence) {
    HEADSCOPE_TRY(auto ids, ParseSpecialIds(processor, name));
    result.ids = std::move(ids);
    result.segment = type > 0 ? 1 : 0;
    return result;
  }
  if (name != "A" && !(is_of_pair && name == "B")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the template asks for the text {}, expected \"A\"{}",
                            processor.name(),
                            Quoted(name),
                            is_of_pair ? " or \"B\"" : ""));
  }
  result.sequence = name == "A" ? 0 : 1;
  result.segment = result.sequence;
  return result;
}

// Each text must occur exactly once in the template, or tokens would stand for nothing or for two
// places.
bool HoldsOnce(const Template& items, std::int32_t sequence) {
  return std::ranges::count(items, sequence, &TemplateItem::sequence) == 1;
}

Status ParseTemplate(const JsonObject& processor, bool is_of_pair, Template& result) {
  const char* key = is_of_pair ? "pair" : "single";
  if (!processor.Has(key)) {
    return {};
  }
  Template items;
  const Status walked = ForEachStep(processor, key, [&](const JsonObject& object) -> Status {
    HEADSCOPE_TRY(auto item, ParseItem(processor, object, is_of_pair));
    items.push_back(std::move(item));
    return {};
  });
  HEADSCOPE_TRY(walked);
  if (!HoldsOnce(items, 0) || (is_of_pair && !HoldsOnce(items, 1))) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: the template \"{}\" must hold each text once", processor.name(), key));
  }
  result = std::move(items);
  return {};
}

// Reads ["[SEP]", 102].
Result<std::int32_t> ParseNamedId(const JsonObject& processor, std::string_view key) {
  HEADSCOPE_TRY(const auto pair, processor.Array(key));
  const std::int64_t id = pair && pair->size() == 2 ? pair->back().Integer().value_or(-1) : -1;
  if (id < 0 || id > kMaxId) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"{}\" must be a token and its id, an id from 0 to {}",
                            processor.name(),
                            key,
                            kMaxId));
  }
  return static_cast<std::int32_t>(id);
}

Status Parse(const JsonObject& object, int nesting, std::optional<PostProcessor>& result) {
  HEADSCOPE_TRY(const auto type, object.String("type"));
  if (type == "ByteLevel") {
    return {};
  }
  if (type == "Sequence" && nesting < kMaxNesting) {
    return ForEachStep(object, "processors", [&](const JsonObject& step) {
      return Parse(step, nesting + 1, result);
    });
  }
  if (result) {
    return NotYet(object.name(), "second post_processor", type);
  }
  if (type == "TemplateProcessing") {
    result.emplace();
    HEADSCOPE_TRY(ParseTemplate(object, false, result->single));
    return ParseTemplate(object, true, result->pair);
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    HEADSCOPE_TRY(const auto cls, ParseNamedId(object, "cls"));
    HEADSCOPE_TRY(const auto sep, ParseNamedId(object, "sep"));
    Surroundings surroundings{.first = {cls}, .last = {sep}, .between = {}};
    if (type == "RobertaProcessing") {
      surroundings.between = {sep};
    }
    result = Surround(surroundings);
    return {};
  }
  return NotYet(object.name(), "post_processor", type);
}

}  // namespace

PostProcessor Surround(const Surroundings& surroundings) {
  PostProcessor result{.single = {}, .pair = {}};
  const auto add = [](Template& items, const std::vector<std::int32_t>& ids, std::int32_t segment) {
    if (!ids.empty()) {
      items.push_back({.sequence = -1, .ids = ids, .segment = segment});
    }
  };
  add(result.single, surroundings.first, 0);
  result.single.push_back({.sequence = 0, .ids = {}, .segment = 0});
  add(result.single, surroundings.last, 0);
  result.pair = result.single;
  add(result.pair, surroundings.between, 1);
  result.pair.push_back({.sequence = 1, .ids = {}, .segment = 1});
  add(result.pair, surroundings.last, 1);
  return result;
}

Result<PostProcessor> ParsePostProcessor(const JsonObject& object) {
  std::optional<PostProcessor> result;
  HEADSCOPE_TRY(Parse(object, 0, result));
  return result.value_or(PostProcessor{});
}

}  // namespace headscope::text
