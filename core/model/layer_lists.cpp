#include "core/model/layer_lists.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/model/config.h"

namespace headscope {

namespace {

using Kinds = std::array<std::string_view, 2>;

Result<std::vector<bool>> ReadEach(const JsonObject& json,
                                   std::string_view key,
                                   const Kinds& kinds,
                                   bool may_go_on,
                                   std::vector<bool> usual) {
  HEADSCOPE_TRY(const auto list, json.Array(key));
  if (!list || list->empty()) {
    return usual;
  }
  if (list->size() < usual.size() || (list->size() > usual.size() && !may_go_on)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} names {}, expected {}",
                            json.name(),
                            Quoted(key),
                            Counted(list->size(), "layer"),
                            usual.size()));
  }
  for (std::size_t layer = 0; layer < usual.size(); ++layer) {
    const JsonValue value = (*list)[layer];
    const std::string kind = value.Text() ? std::string(*value.Text()) : value.Minified();
    if (kind != kinds[0] && kind != kinds[1]) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} names {} for layer {}, expected {} or {}; other kinds do not "
                              "open yet",
                              json.name(),
                              Quoted(key),
                              Quoted(kind),
                              layer,
                              Quoted(kinds[0]),
                              Quoted(kinds[1])));
    }
    usual[layer] = kind == kinds[1];
  }
  return usual;
}

}  // namespace

Result<std::vector<bool>> ReadLayerKinds(const JsonObject& json,
                                         std::string_view key,
                                         std::array<std::string_view, 2> kinds,
                                         std::vector<bool> usual) {
  return ReadEach(json, key, kinds, false, std::move(usual));
}

Result<std::vector<bool>> ReadLayerFlags(const JsonObject& json,
                                         std::string_view key,
                                         std::vector<bool> usual) {
  return ReadEach(json, key, Kinds{"0", "1"}, true, std::move(usual));
}

Result<std::vector<bool>> ReadLayerNumbers(const JsonObject& json,
                                           std::string_view key,
                                           NumberBeyond beyond,
                                           std::vector<bool> usual) {
  HEADSCOPE_TRY(const auto list, json.Array(key));
  if (!list) {
    return usual;
  }
  std::vector<bool> named(usual.size(), false);
  for (const JsonValue one : *list) {
    const std::int64_t layer = one.Integer().value_or(-1);
    if (layer >= 0 && layer < std::ssize(named)) {
      named[static_cast<std::size_t>(layer)] = true;
    } else if (beyond == NumberBeyond::kRefused) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} names {}, expected layers from 0 to {}",
                              json.name(),
                              Quoted(key),
                              one.Minified(),
                              named.size() - 1));
    }
  }
  return named;
}

Result<std::vector<std::int64_t>> ReadWindows(const JsonObject& json,
                                              std::int64_t window,
                                              std::vector<bool> slides) {
  HEADSCOPE_TRY(
      slides,
      ReadLayerKinds(
          json, "layer_types", {"full_attention", "sliding_attention"}, std::move(slides)));
  std::vector<std::int64_t> windows;
  for (const bool is_sliding : slides) {
    if (is_sliding && window < 1) {
      return json.Refuse("sliding_window",
                         "how many keys the layers of sliding attention see",
                         ErrorCode::kFormat);
    }
    windows.push_back(is_sliding ? window : 0);
  }
  return windows;
}

Status ReadSpans(const JsonObject& json, ModelDescription* model) {
  constexpr const char* kSpan = "attention_window";
  const auto window = [](std::int64_t span) { return span / 2 + 1; };
  const std::optional<JsonValue> value = json.Value(kSpan);
  const auto list = value ? value->Array() : std::nullopt;
  if (!list) {
    HEADSCOPE_TRY(const auto span, json.Integer(kSpan, 2, kMaxPositions, 512));
    for (LayerDescription& layer : model->layer) {
      layer.rule.window = window(span);
    }
    return {};
  }
  std::vector<std::int64_t> windows;
  for (const JsonValue one : *list) {
    const std::int64_t span = one.Integer().value_or(0);
    if (span < 2 || span > kMaxPositions) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} has {} for layer {}, expected a whole number of at least 2",
                              json.name(),
                              Quoted(kSpan),
                              one.Minified(),
                              windows.size()));
    }
    windows.push_back(window(span));
  }
  if (windows.size() != model->layer.size()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} is of {}, expected {}",
                            json.name(),
                            Quoted(kSpan),
                            Counted(windows.size(), "layer"),
                            model->layer.size()));
  }
  for (std::size_t layer = 0; layer < windows.size(); ++layer) {
    model->layer[layer].rule.window = windows[layer];
  }
  return {};
}

}  // namespace headscope
