#include "core/model/plain_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/quote.h"

namespace headscope {

Result<std::vector<bool>> ReadAttending(const JsonObject& json,
                                        std::string_view other,
                                        std::vector<bool> usual) {
  constexpr const char* kKey = "layer_types";
  HEADSCOPE_TRY(const auto list, json.Array(kKey));
  const auto is_older = [](JsonValue value) {
    return value.Text() == "mamba" || value.Text() == "attention";
  };
  const std::array<std::string_view, 2> kinds =
      list && std::ranges::any_of(*list, is_older)
          ? std::array<std::string_view, 2>{"mamba", "attention"}
          : std::array<std::string_view, 2>{other, "full_attention"};
  HEADSCOPE_TRY(auto attends, ReadLayerKinds(json, kKey, kinds, std::move(usual)));
  HEADSCOPE_TRY(RequireAttention(json, kKey, attends));
  return attends;
}

Status RequireAttention(const JsonObject& json,
                        std::string_view key,
                        const std::vector<bool>& attends) {
  return std::ranges::find(attends, true) == attends.end()
             ? Fail(ErrorCode::kFormat,
                    fmt::format("{}: {} does not say which of the {} layers have attention, "
                                "expected some of them",
                                json.name(),
                                Quoted(key),
                                attends.size()))
             : Status();
}

void MakePlainBlocks(const std::vector<bool>& attends,
                     std::string_view called,
                     const std::function<void(std::size_t layer, PlainBlock* block)>& fill,
                     ModelDescription* model) {
  std::vector<LayerDescription> all = std::exchange(model->layer, {});
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (attends[i]) {
      numbers.push_back(i);
      model->layer.push_back(std::move(all[i]));
      continue;
    }
    PlainBlock block{.norm = std::move(all[i].attention_norm.before),
                     .mlp_norm = std::move(all[i].mlp_norm.before),
                     .mlp = {.up = std::move(all[i].mlp_up),
                             .gate = std::move(all[i].mlp_gate),
                             .down = std::move(all[i].mlp_down)},
                     .experts = std::move(all[i].experts)};
    fill(i, &block);
    (model->layer.empty() ? model->blocks_before : model->layer.back().blocks_behind)
        .push_back(std::move(block));
  }
  model->layers = std::ssize(model->layer);
  if (numbers.size() < all.size()) {
    model->note = fmt::format(
        "Only layers with attention are counted here: {} of the file's 0 to {}. The others join tokens "
        "by {}, of which there are no maps.",
        fmt::join(numbers, ", "),
        all.size() - 1,
        called);
  }
}

}  // namespace headscope
